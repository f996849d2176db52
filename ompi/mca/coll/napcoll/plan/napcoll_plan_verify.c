/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier (see the header).
 *
 * A block's symbolic value is a set of contributions and the way they were folded:
 *
 *     contributions   how many, and the sum of a random number per rank: equal to the sum over all
 *                     ranks only if each is there once
 *     interval        [low, high) while the folds joined neighbours in rank order
 *     bracketing      a hash over the tree of folds
 *
 * The messages of a barrier are empty; what they carry is word of the ranks that have begun, a set.
 *
 * A rank stands at a stage. Its messages are posted when it gets there: what they carry is fixed
 * then and kept (the outbox). The stage is complete once the other end of each of its messages is
 * posted; that is rendezvous. To bring a rank to a stage, the ranks that it waits for are brought to
 * theirs:
 *
 *     rank 5 to its end     waits in stage 2 for
 *       rank 20 to stage 3    waits in stage 1 for
 *         rank 21 to stage 1    is there
 *
 * A rank that is asked to go on while it stands in this chain waits for itself: a deadlock.
 */

#include "plan/napcoll_plan_verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_plan_shelf.h"
#include "plan/napcoll_rank_set.h"

typedef struct {
    uint64_t sum; /* of the ranks' random numbers */
    uint64_t bracketing;
    int32_t count; /* contributions; 0: never written */
    int32_t low, high;
    bool in_order;
} value_t;

typedef struct {
    value_t *block; /* values of all buffers' blocks; NULL before the first use and after the end */
    value_t *outbox;          /* what was posted so far */
    napcoll_rank_set_t knows; /* barrier: places (in the node order) of ranks known to have begun */
    napcoll_rank_set_t *told; /* barrier: [stages] what was posted so far */
    int stages;               /* barrier: of the plan */
    int32_t stage;            /* where it stands */
    int32_t next;             /* message of the stage whose other end is looked for */
    bool posted;              /* the stage's messages */
    bool checked;
    bool ended;
} rank_t;

/* One rank of the chain, and the stage that it is to post: stages: its end. */
typedef struct {
    int rank;
    int stage;
} demand_t;

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_shelf_t shelf; /* plans at hand; those of the chain are kept */
    napcoll_verdict_t *verdict;
    rank_t *rank; /* [size] */
    demand_t *chain;
    int chain_length, chain_room;
    uint64_t *sum;      /* [size + 1] the sums of the random numbers of ranks 0 .. i - 1 */
    uint64_t canonical; /* the bracketing of ranks 0 .. canonical_ranks - 1 by halves */
    int canonical_ranks;
    uint64_t *bracketing; /* [blocks] of the first result */
    int bracketing_rank;  /* whose; -1: none yet */
    int bracketing_blocks;
} run_t;

static napcoll_verify_status_t no_memory(const run_t *run)
{
    return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_NO_MEMORY, -1, -1, -1, "out of memory");
}

/* ---- values ---- */

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static value_t contribution_of(int rank)
{
    return (value_t){.sum = mix((uint64_t) rank),
                     .bracketing = mix(~(uint64_t) rank),
                     .count = 1,
                     .low = rank,
                     .high = rank + 1,
                     .in_order = true};
}

static uint64_t bracket(uint64_t left, uint64_t right)
{
    return mix(left * 3 + mix(right));
}

/* The bracketing of a rank's vector with others, by halves (see napcoll_claim_t). */
static uint64_t bracket_by_halves(int low, int high)
{
    const int middle = low + (high - low + 1) / 2;

    return high - low == 1
               ? contribution_of(low).bracketing
               : bracket(bracket_by_halves(low, middle), bracket_by_halves(middle, high));
}

static value_t join(value_t left, value_t right)
{
    return (value_t){.sum = left.sum + right.sum,
                     .bracketing = bracket(left.bracketing, right.bracketing),
                     .count = left.count + right.count,
                     .low = left.low,
                     .high = right.high,
                     .in_order = left.in_order && right.in_order && left.high == right.low};
}

static napcoll_verify_status_t unwritten(const run_t *run, int rank, int step)
{
    return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_UNWRITTEN, rank, run->rank[rank].stage,
                               step, "reads a block that was never written");
}

/* Fold `left` into *right, at a rank's step: what is wrong with the result for good is wrong here. */
static napcoll_verify_status_t fold(const run_t *run, int rank, int step, value_t left,
                                    value_t right, value_t *result)
{
    if (0 == left.count || 0 == right.count) {
        return unwritten(run, rank, step);
    }
    if (left.in_order && right.in_order && left.low < right.high && right.low < left.high) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank,
                                   run->rank[rank].stage, step,
                                   "folds ranks %" PRId32 " to %" PRId32 " with ranks %" PRId32
                                   " to %" PRId32 ": some are in it twice",
                                   left.low, left.high - 1, right.low, right.high - 1);
    }
    *result = join(left, right);
    if (run->claim->ordered && !result->in_order) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_ORDER, rank, run->rank[rank].stage,
                                   step,
                                   "folds ranks %" PRId32 " to %" PRId32 " with ranks %" PRId32
                                   " to %" PRId32 ", which do not follow them",
                                   left.low, left.high - 1, right.low, right.high - 1);
    }
    return NAPCOLL_VERIFY_OK;
}

/* ---- looking things up ---- */

/* Have a rank's plan at hand. */
static napcoll_verify_status_t need_plan(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;
    napcoll_plan_t *plan;

    if (NULL != run->shelf.copy[rank]) {
        return NAPCOLL_VERIFY_OK;
    }
    plan = run->source(run->context, rank);
    if (NULL == plan) {
        return no_memory(run);
    }
    if (!r->checked) {
        status = napcoll_plan_check(plan, run->map, run->claim, run->verdict);
        r->checked = NAPCOLL_VERIFY_OK == status;
        run->verdict->plans += r->checked;
    }
    if (NAPCOLL_VERIFY_OK == status && !napcoll_shelf_put(&run->shelf, rank, plan)) {
        status = no_memory(run);
    }
    if (NAPCOLL_VERIFY_OK != status && !run->shelf.borrowed) {
        napcoll_plan_free(plan);
    }
    return status;
}

static value_t *values_of(const run_t *run, int rank, napcoll_span_t span)
{
    const napcoll_copy_t *copy = run->shelf.copy[rank];
    const int first = napcoll_plan_hold(copy->plan, span.buffer).first;

    return run->rank[rank].block + copy->buffer_at[span.buffer] + span.first - first;
}

static bool has_posted(const run_t *run, int rank, int stage)
{
    const rank_t *r = &run->rank[rank];

    return r->stage > stage || (r->stage == stage && r->posted);
}

/* ---- a stage ---- */

/* What a rank knows of a barrier when it begins: itself. */
static napcoll_verify_status_t begin_barrier(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const int place = napcoll_node_map_place(run->map, rank),
              stages = run->shelf.copy[rank]->plan->stages;
    napcoll_interval_t self = {place, place + 1};

    r->stages = stages;
    r->told = calloc((size_t) (stages > 0 ? stages : 1), sizeof(*r->told));
    if (NULL == r->told
        || !napcoll_rank_set_add(&r->knows,
                                 &(napcoll_rank_set_t){.interval = &self, .intervals = 1})) {
        return no_memory(run);
    }
    return NAPCOLL_VERIFY_OK;
}

/* A rank's blocks, with its contribution in the input. */
static napcoll_verify_status_t need_blocks(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_plan_t *plan = run->shelf.copy[rank]->plan;
    const napcoll_claim_t *claim = run->claim;
    const int blocks = run->shelf.copy[rank]->buffer_at[NAPCOLL_BUFFER_TEMP + plan->temps];
    const bool in_place = claim->in_place && napcoll_goal_in_place(claim->goal, claim->root, rank);
    napcoll_span_t input = {.buffer = in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND,
                            .first = plan->user[NAPCOLL_BUFFER_SEND].first,
                            .count = plan->user[NAPCOLL_BUFFER_SEND].count};

    if (NULL != r->block) {
        return NAPCOLL_VERIFY_OK;
    }
    r->block = calloc((size_t) (blocks > 0 ? blocks : 1), sizeof(value_t));
    if (NULL == r->block) {
        return no_memory(run);
    }
    for (int b = 0; b < input.count; b++) {
        values_of(run, rank, input)[b] = contribution_of(rank);
    }
    return NAPCOLL_GOAL_BARRIER == claim->goal ? begin_barrier(run, rank) : NAPCOLL_VERIFY_OK;
}

/* Whether a phase reads what a rank gives it. */
static bool phase_reads(const run_t *run, int rank, const napcoll_step_t *step)
{
    return NAPCOLL_PHASE_BCAST != step->phase
           || napcoll_node_map_lane(run->map, rank) == step->peer;
}

/* Post a stage: what its sends, or its phase, give away is fixed now. */
static napcoll_verify_status_t post_stage(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_copy_t *copy = run->shelf.copy[rank];
    const napcoll_stage_t *s = &copy->plan->stage[r->stage];
    const int end = s->first + s->messages + s->work;
    const int room = copy->outbox_at[end];

    if (room > copy->outbox_at[s->first]) {
        value_t *outbox = realloc(r->outbox, (size_t) room * sizeof(*outbox));

        if (NULL == outbox) {
            return no_memory(run);
        }
        r->outbox = outbox;
    }
    for (int i = s->first; i < end; i++) {
        const napcoll_step_t *step = &copy->plan->step[i];
        const value_t *from;

        if (NAPCOLL_STEP_SEND != step->kind && NAPCOLL_STEP_PHASE != step->kind) {
            continue;
        }
        from = values_of(run, rank, step->left);
        for (int b = 0; b < step->left.count; b++) {
            if (0 == from[b].count
                && (NAPCOLL_STEP_SEND == step->kind || phase_reads(run, rank, step))) {
                return unwritten(run, rank, i);
            }
            r->outbox[copy->outbox_at[i] + b] = from[b];
        }
    }
    if (NULL != r->told && !napcoll_rank_set_add(&r->told[r->stage], &r->knows)) {
        return no_memory(run);
    }
    r->posted = true;
    r->next = s->first;
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t run_phase(run_t *run, int rank, const napcoll_step_t *step)
{
    const rank_t *r = &run->rank[rank];
    const int node = napcoll_node_map_node(run->map, rank),
              ppn = napcoll_node_map_ppn(run->map, node);
    const int number = napcoll_plan_phases_before(run->shelf.copy[rank]->plan, r->stage);
    const int index = (int) (step - run->shelf.copy[rank]->plan->step);
    const bool root = napcoll_node_map_lane(run->map, rank) == step->peer;
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    for (int lane = ppn - 1; lane >= 0; lane--) {
        const int other = napcoll_node_map_rank(run->map, node, lane);
        const napcoll_plan_t *theirs;
        const value_t *from;
        napcoll_span_t dst = step->dst;
        value_t *to;

        status = need_plan(run, other);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        theirs = run->shelf.copy[other]->plan;
        from = run->rank[other].outbox
               + run->shelf.copy[other]
                     ->outbox_at[theirs->stage[napcoll_plan_stage_of_phase(theirs, number)].first];
        dst.buffer += NAPCOLL_PHASE_ALLGATHER == step->phase ? lane : 0;
        to = values_of(run, rank, dst);
        for (int b = 0; b < step->left.count && NAPCOLL_VERIFY_OK == status; b++) {
            if (NAPCOLL_PHASE_ALLGATHER == step->phase
                || (NAPCOLL_PHASE_BCAST == step->phase && lane == step->peer)) {
                to[b] = from[b];
            } else if (NAPCOLL_PHASE_ALLREDUCE == step->phase
                       || (NAPCOLL_PHASE_REDUCE == step->phase && root)) {
                if (lane == ppn - 1) {
                    to[b] = from[b];
                } else {
                    status = fold(run, rank, index, from[b], to[b], &to[b]);
                }
            }
        }
    }
    return status;
}

static napcoll_verify_status_t run_work(run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->shelf.copy[rank]->plan->step[index];
    const value_t *left, *right;
    value_t *dst;
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return run_phase(run, rank, step);
    }
    left = values_of(run, rank, step->left);
    right = NAPCOLL_STEP_FOLD == step->kind ? values_of(run, rank, step->right) : NULL;
    dst = values_of(run, rank, step->dst);
    for (int b = 0; b < step->dst.count && NAPCOLL_VERIFY_OK == status; b++) {
        if (NULL != right) {
            status = fold(run, rank, index, left[b], right[b], &dst[b]);
        } else if (0 == left[b].count) {
            status = unwritten(run, rank, index);
        } else {
            dst[b] = left[b];
        }
    }
    return status;
}

/* Take in what a stage's receives bring; the other ends are posted. */
static napcoll_verify_status_t receive(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_stage_t *s = &run->shelf.copy[rank]->plan->stage[r->stage];

    for (int i = s->first; i < s->first + s->messages; i++) {
        const napcoll_step_t *step = &run->shelf.copy[rank]->plan->step[i];
        const napcoll_copy_t *copy;
        const rank_t *other;
        napcoll_verify_status_t status;
        int end;

        if (NAPCOLL_STEP_RECV != step->kind) {
            continue;
        }
        status = need_plan(run, step->peer);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        other = &run->rank[step->peer];
        copy = run->shelf.copy[step->peer];
        end = napcoll_shelf_other_end(&run->shelf, rank, i);
        if (step->dst.count > 0) {
            memcpy(values_of(run, rank, step->dst), other->outbox + copy->outbox_at[end],
                   (size_t) step->dst.count * sizeof(value_t));
        }
        if (NULL != r->told
            && !napcoll_rank_set_add(&r->knows,
                                     &other->told[napcoll_plan_stage_of(copy->plan, end)])) {
            return no_memory(run);
        }
        run->verdict->messages++;
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t complete_stage(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_stage_t *s = &run->shelf.copy[rank]->plan->stage[r->stage];
    napcoll_verify_status_t status = receive(run, rank);

    for (int i = 0; i < s->work && NAPCOLL_VERIFY_OK == status; i++) {
        status = run_work(run, rank, s->first + s->messages + i);
    }
    r->stage++;
    r->posted = false;
    return status;
}

/* ---- waiting ---- */

static napcoll_verify_status_t unmatched(const run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->shelf.copy[rank]->plan->step[index];

    return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_UNMATCHED, rank, run->rank[rank].stage,
                               index,
                               "a message %s rank %" PRId32 " has no other end of its blocks there",
                               NAPCOLL_STEP_SEND == step->kind ? "to" : "from", step->peer);
}

/* The next message of the stage whose other end is not posted yet. *other: its rank and stage; rank -1:
 * there is none. */
static napcoll_verify_status_t next_message(run_t *run, int rank, demand_t *other)
{
    rank_t *r = &run->rank[rank];
    const napcoll_plan_t *plan = run->shelf.copy[rank]->plan;
    const napcoll_stage_t *s = &plan->stage[r->stage];

    for (; r->next < s->first + s->messages; r->next++) {
        const napcoll_step_t *step = &plan->step[r->next], *end;
        const napcoll_plan_t *theirs;
        napcoll_verify_status_t status = need_plan(run, step->peer);
        int index;

        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        theirs = run->shelf.copy[step->peer]->plan;
        index = napcoll_shelf_other_end(&run->shelf, rank, r->next);
        if (index < 0) {
            return unmatched(run, rank, r->next);
        }
        end = &theirs->step[index];
        if (!napcoll_plan_same_blocks(plan,
                                      NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst,
                                      NAPCOLL_STEP_SEND == end->kind ? end->left : end->dst)
            || plan->layout != theirs->layout || plan->blocks != theirs->blocks) {
            return unmatched(run, rank, r->next);
        }
        *other = (demand_t){.rank = step->peer, .stage = napcoll_plan_stage_of(theirs, index)};
        if (!has_posted(run, other->rank, other->stage)) {
            return NAPCOLL_VERIFY_OK;
        }
    }
    other->rank = -1;
    return NAPCOLL_VERIFY_OK;
}

/* The same for the processes of the node, where the stage is a phase. */
static napcoll_verify_status_t next_in_phase(run_t *run, int rank, demand_t *other)
{
    const rank_t *r = &run->rank[rank];
    const napcoll_plan_t *plan = run->shelf.copy[rank]->plan;
    const napcoll_step_t *step = napcoll_plan_phase_at(plan, r->stage);
    const int node = napcoll_node_map_node(run->map, rank);
    int number;

    other->rank = -1;
    if (NULL == step) {
        return NAPCOLL_VERIFY_OK;
    }
    number = napcoll_plan_phases_before(plan, r->stage);
    for (int lane = 0; lane < napcoll_node_map_ppn(run->map, node); lane++) {
        const int neighbour = napcoll_node_map_rank(run->map, node, lane);
        const napcoll_step_t *theirs = NULL;
        napcoll_verify_status_t status = need_plan(run, neighbour);
        int stage;

        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        stage = napcoll_plan_stage_of_phase(run->shelf.copy[neighbour]->plan, number);
        if (stage >= 0) {
            theirs = napcoll_plan_phase_at(run->shelf.copy[neighbour]->plan, stage);
        }
        if (NULL == theirs || theirs->phase != step->phase || theirs->peer != step->peer
            || !napcoll_plan_same_blocks(plan, theirs->left, step->left)) {
            return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_PHASE, rank, r->stage,
                                       plan->stage[r->stage].first,
                                       "rank %d of its node is not in the same phase", neighbour);
        }
        if (!has_posted(run, neighbour, stage)) {
            *other = (demand_t){.rank = neighbour, .stage = stage};
            return NAPCOLL_VERIFY_OK;
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* ---- results ---- */

/* Where a rank's plan last writes a block of the result. */
static int last_writer(const napcoll_plan_t *plan, int block)
{
    for (int i = plan->steps - 1; i >= 0; i--) {
        const napcoll_span_t dst = plan->step[i].dst;

        if (NAPCOLL_STEP_SEND != plan->step[i].kind && NAPCOLL_BUFFER_RECV == dst.buffer
            && block >= dst.first && block < dst.first + dst.count) {
            return i;
        }
    }
    return -1;
}

/* The ranks whose contributions a block of a rank's result must hold: [*low, *high). */
static void contributors(const run_t *run, int rank, int block, int *low, int *high)
{
    *low = 0;
    *high = run->map->size;
    switch (run->claim->goal) {
    case NAPCOLL_GOAL_SCAN:
        *high = rank + 1;
        break;
    case NAPCOLL_GOAL_EXSCAN:
        *high = rank;
        break;
    case NAPCOLL_GOAL_ALLGATHER:
        *low = napcoll_node_map_at(run->map, block);
        *high = *low + 1;
        break;
    case NAPCOLL_GOAL_BCAST:
        *low = run->claim->root;
        *high = *low + 1;
        break;
    default:
        break;
    }
}

/* The bracketing of ranks 0 .. ranks - 1 by halves, which is asked for many times in a row. */
static uint64_t canonical_bracketing(run_t *run, int ranks)
{
    if (ranks != run->canonical_ranks) {
        run->canonical = bracket_by_halves(0, ranks);
        run->canonical_ranks = ranks;
    }
    return run->canonical;
}

static napcoll_verify_status_t check_block(run_t *run, int rank, int block, value_t result)
{
    const napcoll_plan_t *plan = run->shelf.copy[rank]->plan;
    const int step = last_writer(plan, block),
              stage = step < 0 ? -1 : napcoll_plan_stage_of(plan, step);
    int low, high;

    contributors(run, rank, block, &low, &high);
    if (result.count != high - low || result.sum != run->sum[high] - run->sum[low]) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank, stage, step,
                                   "leaves block %d of the result with %" PRId32
                                   " contributions of %d, or not each once",
                                   block, result.count, high - low);
    }
    if (run->claim->ordered && !result.in_order) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_ORDER, rank, stage, step,
                                   "leaves block %d of the result out of rank order", block);
    }
    if (run->claim->canonical && result.bracketing != canonical_bracketing(run, high)) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_BRACKETING, rank, stage, step,
                                   "leaves block %d of the result folded in another order than by "
                                   "halves of the ranks",
                                   block);
    }
    if (NULL != run->bracketing && result.bracketing != run->bracketing[block]) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_BRACKETING, rank, stage, step,
                                   "leaves block %d of the result folded in another order than on "
                                   "rank %d",
                                   block, run->bracketing_rank);
    }
    return NAPCOLL_VERIFY_OK;
}

/* Where all ranks get the same, the first one's bracketing is that of all. */
static napcoll_verify_status_t compare_bracketing(run_t *run, int rank, const value_t *result)
{
    const int blocks = run->shelf.copy[rank]->plan->user[NAPCOLL_BUFFER_RECV].count;

    if (run->bracketing_rank < 0) {
        run->bracketing = calloc((size_t) blocks, sizeof(*run->bracketing));
        if (NULL == run->bracketing) {
            return no_memory(run);
        }
        run->bracketing_rank = rank;
        run->bracketing_blocks = blocks;
        for (int b = 0; b < blocks; b++) {
            run->bracketing[b] = result[b].bracketing;
        }
    }
    if (blocks != run->bracketing_blocks) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_BRACKETING, rank, -1, -1,
                                   "cuts the vector into %d blocks, rank %d into %d", blocks,
                                   run->bracketing_rank, run->bracketing_blocks);
    }
    return NAPCOLL_VERIFY_OK;
}

/* A rank leaves a barrier: it knows that all have begun. */
static napcoll_verify_status_t check_barrier(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (!napcoll_rank_set_is_all(&r->knows, run->map->size)) {
        int missing = napcoll_rank_set_first_missing(&r->knows);

        status = napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank, -1, -1,
                                     "leaves the barrier without word of rank %d",
                                     napcoll_node_map_at(run->map, missing));
    }
    napcoll_rank_set_clear(&r->knows);
    return status;
}

static napcoll_verify_status_t check_result(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_claim_t *claim = run->claim;
    const napcoll_copy_t *copy = run->shelf.copy[rank];
    const napcoll_hold_t held = copy->plan->user[NAPCOLL_BUFFER_RECV];
    const value_t *result = r->block + copy->buffer_at[NAPCOLL_BUFFER_RECV];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (NAPCOLL_GOAL_BARRIER == claim->goal) {
        status = check_barrier(run, rank);
    } else if (NAPCOLL_GOAL_ALLREDUCE == claim->goal) {
        status = compare_bracketing(run, rank, result);
    }
    for (int b = 0; b < held.count && NAPCOLL_VERIFY_OK == status
                    && napcoll_goal_takes(claim->goal, claim->root, rank);
         b++) {
        status = check_block(run, rank, held.first + b, result[b]);
    }
    free(r->block);
    r->block = NULL;
    r->ended = true;
    run->verdict->results++;
    return status;
}

/* ---- the chain ---- */

static napcoll_verify_status_t push(run_t *run, demand_t demand)
{
    if (run->chain_length == run->chain_room) {
        int room = run->chain_room > 0 ? 2 * run->chain_room : 64;
        demand_t *chain = realloc(run->chain, (size_t) room * sizeof(*chain));

        if (NULL == chain) {
            return no_memory(run);
        }
        run->chain = chain;
        run->chain_room = room;
    }
    run->chain[run->chain_length++] = demand;
    run->shelf.kept[demand.rank] = true;
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t wait_for(run_t *run, int rank, demand_t other)
{
    const rank_t *r = &run->rank[rank];

    if (run->shelf.kept[other.rank]) {
        return napcoll_verdict_set(
            run->verdict, NAPCOLL_VERIFY_DEADLOCK, rank, r->stage, r->next,
            "waits for stage %d of rank %d, which waits in stage %d for rank "
            "%d, by itself or through others",
            other.stage, other.rank, run->rank[other.rank].stage, rank);
    }
    return push(run, other);
}

/* Take the chain's last rank one stage further, or find out for whom it waits. */
static napcoll_verify_status_t go_on(run_t *run)
{
    const demand_t demand = run->chain[run->chain_length - 1];
    rank_t *r = &run->rank[demand.rank];
    demand_t other = {.rank = -1};
    napcoll_verify_status_t status = need_plan(run, demand.rank);

    if (NAPCOLL_VERIFY_OK == status && !r->ended) {
        status = need_blocks(run, demand.rank);
    }
    if (NAPCOLL_VERIFY_OK == status && r->stage == run->shelf.copy[demand.rank]->plan->stages
        && !r->ended) {
        status = check_result(run, demand.rank);
    }
    if (NAPCOLL_VERIFY_OK != status) {
        return status;
    }
    if (r->ended || has_posted(run, demand.rank, demand.stage)) {
        run->shelf.kept[demand.rank] = false;
        run->chain_length--;
        return NAPCOLL_VERIFY_OK;
    }
    if (!r->posted) {
        return post_stage(run, demand.rank);
    }
    status = next_message(run, demand.rank, &other);
    if (NAPCOLL_VERIFY_OK == status && other.rank < 0) {
        status = next_in_phase(run, demand.rank, &other);
    }
    if (NAPCOLL_VERIFY_OK != status) {
        return status;
    }
    return other.rank >= 0 ? wait_for(run, demand.rank, other) : complete_stage(run, demand.rank);
}

/* Prove one rank's result. */
static napcoll_verify_status_t prove_rank(run_t *run, int rank)
{
    napcoll_verify_status_t status = push(run, (demand_t){.rank = rank, .stage = INT32_MAX});

    while (NAPCOLL_VERIFY_OK == status && run->chain_length > 0) {
        status = go_on(run);
    }
    return status;
}

static napcoll_verify_status_t prove(run_t *run, const napcoll_proof_t *proof)
{
    const int size = run->map->size;
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;
    uint64_t state = proof->seed;

    if (proof->sample <= 0 || proof->sample >= size) {
        for (int rank = 0; rank < size && NAPCOLL_VERIFY_OK == status; rank++) {
            status = prove_rank(run, rank);
        }
        return status;
    }
    while (run->verdict->results < proof->sample && NAPCOLL_VERIFY_OK == status) {
        int rank = 0 == run->verdict->results ? 0 : size - 1;

        if (run->rank[rank].ended) {
            state = mix(state);
            rank = (int) (state % (uint64_t) size);
        }
        status = prove_rank(run, rank);
    }
    return status;
}

static void release(run_t *run)
{
    for (int rank = 0; NULL != run->rank && rank < run->map->size; rank++) {
        rank_t *r = &run->rank[rank];

        free(r->block);
        free(r->outbox);
        napcoll_rank_set_clear(&r->knows);
        for (int s = 0; NULL != r->told && s < r->stages; s++) {
            napcoll_rank_set_clear(&r->told[s]);
        }
        free(r->told);
    }
    free(run->rank);
    free(run->sum);
    free(run->chain);
    napcoll_shelf_empty(&run->shelf);
    free(run->bracketing);
}

static napcoll_verify_status_t start(run_t *run, const napcoll_proof_t *proof)
{
    napcoll_verify_status_t status;

    *run->verdict = (napcoll_verdict_t){.rank = -1, .stage = -1, .step = -1, .text = "ok"};
    run->bracketing_rank = -1;
    run->rank = calloc((size_t) run->map->size, sizeof(*run->rank));
    run->sum = calloc((size_t) run->map->size + 1, sizeof(*run->sum));
    for (int rank = 0; NULL != run->sum && rank < run->map->size; rank++) {
        run->sum[rank + 1] = run->sum[rank] + mix((uint64_t) rank);
    }
    status = NULL != run->rank && NULL != run->sum
                     && napcoll_shelf_open(&run->shelf, run->map->size)
                 ? prove(run, proof)
                 : no_memory(run);
    release(run);
    return status;
}

napcoll_verify_status_t napcoll_plan_prove(napcoll_plan_source_t source, void *context,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           const napcoll_proof_t *proof, napcoll_verdict_t *verdict)
{
    run_t run = {.source = source,
                 .context = context,
                 .map = map,
                 .claim = claim,
                 .shelf = {.memory = proof->plan_memory},
                 .verdict = verdict};

    return start(&run, proof);
}

/* A source of plans that there are already. */
static napcoll_plan_t *plan_of(void *context, int rank)
{
    napcoll_plan_t *const *plans = *(napcoll_plan_t *const **) context;

    return plans[rank];
}

napcoll_verify_status_t napcoll_plan_verify(napcoll_plan_t *const *plans,
                                            const napcoll_node_map_t *map,
                                            const napcoll_claim_t *claim,
                                            napcoll_verdict_t *verdict)
{
    const napcoll_proof_t whole = {0};
    run_t run = {.source = plan_of,
                 .context = &plans,
                 .shelf = {.borrowed = true},
                 .map = map,
                 .claim = claim,
                 .verdict = verdict};

    return start(&run, &whole);
}
