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
 * Ranks stand at a stage; a message is complete once both its ends are posted, that is, once both
 * ranks have reached the stages of its two steps. A rank goes on when all its messages are
 * complete. Where nobody can go on before all are through, that is the deadlock.
 */

#include "plan/napcoll_plan_verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t sum; /* of the ranks' random numbers */
    uint64_t bracketing;
    int32_t count; /* contributions; 0: never written */
    int32_t low, high;
    bool in_order;
} value_t;

/* One end of a message. */
typedef struct {
    int32_t from, to;
    int32_t rank; /* whose step this is */
    int32_t step;
    int32_t stage;
    int32_t index; /* how many came before between the same ranks */
} end_t;

typedef struct {
    napcoll_plan_t *const *plans;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_verdict_t *verdict;
    value_t **block;   /* [rank] values of all buffers' blocks, buffer by buffer */
    value_t **payload; /* [rank][step] what a posted send carries, one value per block */
    end_t **other;     /* [rank][step] the other end of a message */
    end_t *end;        /* all ends */
    int ends;
    int *stage;  /* [rank] the stage it stands at */
    bool *begun; /* [rank] whether that stage's sends are posted */
} run_t;

static const char *const status_names[] = {"ok",           "no memory", "span",       "fold",
                                           "peer",         "unmatched", "deadlock",   "unwritten",
                                           "contribution", "order",     "bracketing", "messages"};

const char *napcoll_verify_status_name(napcoll_verify_status_t status)
{
    return status_names[status];
}

__attribute__((format(printf, 6, 7))) static napcoll_verify_status_t fail(
    run_t *run, napcoll_verify_status_t status, int rank, int stage, int step, const char *format,
    ...)
{
    va_list args;

    run->verdict->status = status;
    run->verdict->rank = rank;
    run->verdict->stage = stage;
    run->verdict->step = step;
    va_start(args, format);
    (void) vsnprintf(run->verdict->text, sizeof(run->verdict->text), format, args);
    va_end(args);
    return status;
}

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

static value_t fold(value_t left, value_t right)
{
    return (value_t){.sum = left.sum + right.sum,
                     .bracketing = mix(left.bracketing * 3 + mix(right.bracketing)),
                     .count = left.count + right.count,
                     .low = left.low,
                     .high = right.high,
                     .in_order = left.in_order && right.in_order && left.high == right.low};
}

/* The blocks that a buffer holds. */
static napcoll_temp_t buffer_blocks(const napcoll_plan_t *plan, int buffer)
{
    return buffer < NAPCOLL_BUFFER_TEMP ? (napcoll_temp_t){0, plan->blocks}
                                        : plan->temp[buffer - NAPCOLL_BUFFER_TEMP];
}

static bool span_inside(const napcoll_plan_t *plan, napcoll_span_t span)
{
    napcoll_temp_t blocks;

    if (span.buffer < 0 || span.buffer >= NAPCOLL_BUFFER_TEMP + plan->temps) {
        return false;
    }
    blocks = buffer_blocks(plan, span.buffer);
    return span.count > 0 && span.first >= blocks.first
           && span.first + span.count <= blocks.first + blocks.count;
}

static value_t *values_of(const run_t *run, int rank, napcoll_span_t span)
{
    const napcoll_plan_t *plan = run->plans[rank];
    value_t *at = run->block[rank];

    for (int buffer = 0; buffer < span.buffer; buffer++) {
        at += buffer_blocks(plan, buffer).count;
    }
    return at + span.first - buffer_blocks(plan, span.buffer).first;
}

static bool overlap(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

static bool writes(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_SEND != step->kind;
}

static bool reads_left(const napcoll_step_t *step)
{
    return NAPCOLL_STEP_RECV != step->kind;
}

/* What one step can be judged by alone. */
static napcoll_verify_status_t check_step(run_t *run, int rank, int stage, int index)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const napcoll_step_t *step = &plan->step[index];
    napcoll_span_t last_row = step->dst;

    if (NAPCOLL_PHASE_ALLGATHER == step->phase) {
        int node = napcoll_node_map_node(run->map, rank);
        last_row.buffer += napcoll_node_map_ppn(run->map, node) - 1;
    }
    if ((writes(step)
         && (!span_inside(plan, step->dst) || NAPCOLL_BUFFER_SEND == step->dst.buffer
             || !span_inside(plan, last_row)))
        || (reads_left(step) && !span_inside(plan, step->left))
        || (NAPCOLL_STEP_FOLD == step->kind && !span_inside(plan, step->right))) {
        return fail(run, NAPCOLL_VERIFY_SPAN, rank, stage, index,
                    "rank %d, stage %d, step %d: a span leaves its buffer or writes to the send "
                    "buffer",
                    rank, stage, index);
    }
    if (NAPCOLL_STEP_FOLD == step->kind
        && (overlap(step->dst, step->left)
            || (overlap(step->dst, step->right) && !napcoll_span_equal(step->dst, step->right)))) {
        return fail(run, NAPCOLL_VERIFY_FOLD, rank, stage, index,
                    "rank %d, stage %d, step %d: a fold overwrites an operand that it still needs",
                    rank, stage, index);
    }
    if (step->kind <= NAPCOLL_STEP_SEND
        && (step->peer < 0 || step->peer >= run->map->size || step->peer == rank)) {
        return fail(run, NAPCOLL_VERIFY_PEER, rank, stage, index,
                    "rank %d, stage %d, step %d: a message with rank %" PRId32, rank, stage, index,
                    step->peer);
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t check_stage(run_t *run, int rank, int stage)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const napcoll_stage_t *s = &plan->stage[stage];
    int node = napcoll_node_map_node(run->map, rank);
    int inter[2] = {0, 0};

    for (int i = s->first; i < s->first + s->messages + s->work; i++) {
        napcoll_verify_status_t status = check_step(run, rank, stage, i);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        if (i < s->first + s->messages
            && node != napcoll_node_map_node(run->map, plan->step[i].peer)) {
            inter[NAPCOLL_STEP_SEND == plan->step[i].kind]++;
        }
    }
    if (run->claim->max_inter > 0
        && (inter[0] > run->claim->max_inter || inter[1] > run->claim->max_inter)) {
        return fail(run, NAPCOLL_VERIFY_MESSAGES, rank, stage, -1,
                    "rank %d, stage %d: %d received and %d sent messages between nodes, claimed %d",
                    rank, stage, inter[0], inter[1], run->claim->max_inter);
    }
    return NAPCOLL_VERIFY_OK;
}

static int by_pair(const void *a, const void *b)
{
    const end_t *x = a, *y = b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return (x->rank == x->to) - (y->rank == y->to); /* sender first */
}

/* List the two ends of all messages, sorted so that the ends of one message are neighbours. */
static void list_ends(run_t *run)
{
    run->ends = 0;
    for (int rank = 0; rank < run->map->size; rank++) {
        const napcoll_plan_t *plan = run->plans[rank];
        for (int stage = 0; stage < plan->stages; stage++) {
            const napcoll_stage_t *s = &plan->stage[stage];
            for (int i = s->first; i < s->first + s->messages; i++) {
                bool sends = NAPCOLL_STEP_SEND == plan->step[i].kind;
                run->end[run->ends++] = (end_t){.from = sends ? rank : plan->step[i].peer,
                                                .to = sends ? plan->step[i].peer : rank,
                                                .rank = rank,
                                                .step = i,
                                                .stage = stage,
                                                .index = i};
            }
        }
    }
    /* steps grow in posting order, so they sort each side; then count per pair and side */
    qsort(run->end, (size_t) run->ends, sizeof(*run->end), by_pair);
    for (int i = 0, sent = 0, received = 0; i < run->ends; i++) {
        end_t *e = &run->end[i];
        if (i > 0 && (e->from != e[-1].from || e->to != e[-1].to)) {
            sent = received = 0;
        }
        e->index = e->rank == e->from ? sent++ : received++;
    }
    qsort(run->end, (size_t) run->ends, sizeof(*run->end), by_pair);
}

static napcoll_verify_status_t match_messages(run_t *run)
{
    list_ends(run);
    for (int i = 0; i < run->ends; i += 2) {
        end_t *send = &run->end[i], *recv = &run->end[i + 1];
        const end_t *alone = send;

        if (i + 1 < run->ends && send->from == recv->from && send->to == recv->to
            && send->index == recv->index && send->rank != recv->rank) {
            if (run->plans[send->rank]->step[send->step].left.count
                == run->plans[recv->rank]->step[recv->step].dst.count) {
                run->other[send->rank][send->step] = *recv;
                run->other[recv->rank][recv->step] = *send;
                continue;
            }
        }
        return fail(run, NAPCOLL_VERIFY_UNMATCHED, alone->rank, alone->stage, alone->step,
                    "rank %d, stage %d, step %d: message %d from rank %d to rank %d has no other "
                    "end of its size",
                    alone->rank, alone->stage, alone->step, alone->index, alone->from, alone->to);
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t unwritten(run_t *run, int rank, int stage, int step)
{
    return fail(run, NAPCOLL_VERIFY_UNWRITTEN, rank, stage, step,
                "rank %d, stage %d, step %d reads a block that was never written", rank, stage,
                step);
}

/* Post a stage's sends: what they carry is fixed now. */
static napcoll_verify_status_t post_sends(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const napcoll_stage_t *s = &plan->stage[run->stage[rank]];

    for (int i = s->first; i < s->first + s->messages; i++) {
        const napcoll_step_t *step = &plan->step[i];
        if (NAPCOLL_STEP_SEND != step->kind) {
            continue;
        }
        const value_t *from = values_of(run, rank, step->left);
        for (int b = 0; b < step->left.count; b++) {
            if (0 == from[b].count) {
                return unwritten(run, rank, run->stage[rank], i);
            }
            run->payload[rank][i * plan->blocks + b] = from[b];
        }
    }
    run->begun[rank] = true;
    return NAPCOLL_VERIFY_OK;
}

static bool messages_complete(const run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const napcoll_stage_t *s = &plan->stage[run->stage[rank]];

    for (int i = s->first; i < s->first + s->messages; i++) {
        const end_t *other = &run->other[rank][i];
        if (run->stage[other->rank] < other->stage
            || (run->stage[other->rank] == other->stage && !run->begun[other->rank])) {
            return false;
        }
    }
    return true;
}

static bool at_same_phase(const run_t *run, int rank, int lane)
{
    int node = napcoll_node_map_node(run->map, rank);
    int other = napcoll_node_map_rank(run->map, node, lane);
    const napcoll_plan_t *mine = run->plans[rank], *theirs = run->plans[other];
    int stage = run->stage[rank];

    /* phases stand alone in their stages, and the stages before them are alike on a node only in
     * number of phases: compare the phases seen so far */
    int seen[2] = {0, 0};
    for (int i = 0; i < mine->stage[stage].first; i++) {
        seen[0] += NAPCOLL_STEP_PHASE == mine->step[i].kind;
    }
    if (run->stage[other] >= theirs->stages) {
        return true; /* it is past all of them */
    }
    for (int i = 0; i < theirs->stage[run->stage[other]].first; i++) {
        seen[1] += NAPCOLL_STEP_PHASE == theirs->step[i].kind;
    }
    const napcoll_step_t *at = &theirs->step[theirs->stage[run->stage[other]].first];
    return seen[1] > seen[0]
           || (seen[1] == seen[0] && run->begun[other] && NAPCOLL_STEP_PHASE == at->kind);
}

/* The n-th phase step of a rank, or NULL. */
static const napcoll_step_t *phase_step(const napcoll_plan_t *plan, int n)
{
    for (int i = 0; i < plan->steps; i++) {
        if (NAPCOLL_STEP_PHASE == plan->step[i].kind && 0 == n--) {
            return &plan->step[i];
        }
    }
    return NULL;
}

static int phase_number(const napcoll_plan_t *plan, const napcoll_step_t *step)
{
    int n = 0;
    for (const napcoll_step_t *s = plan->step; s < step; s++) {
        n += NAPCOLL_STEP_PHASE == s->kind;
    }
    return n;
}

/* The inputs of a phase are kept like payloads, when the phase's stage begins. */
static napcoll_verify_status_t post_phase(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const int i = plan->stage[run->stage[rank]].first;
    const napcoll_step_t *step = &plan->step[i];
    const value_t *from = values_of(run, rank, step->left);
    bool reads = NAPCOLL_PHASE_BCAST != step->phase
                 || napcoll_node_map_lane(run->map, rank) == step->peer;

    for (int b = 0; b < step->left.count; b++) {
        if (reads && 0 == from[b].count) {
            return unwritten(run, rank, run->stage[rank], i);
        }
        run->payload[rank][i * plan->blocks + b] = from[b];
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t run_phase(run_t *run, int rank, const napcoll_step_t *step)
{
    const napcoll_plan_t *plan = run->plans[rank];
    int node = napcoll_node_map_node(run->map, rank);
    int ppn = napcoll_node_map_ppn(run->map, node);
    int number = phase_number(plan, step);
    bool root = napcoll_node_map_lane(run->map, rank) == step->peer;

    for (int lane = ppn - 1; lane >= 0; lane--) {
        int other = napcoll_node_map_rank(run->map, node, lane);
        const napcoll_step_t *theirs = phase_step(run->plans[other], number);
        napcoll_span_t dst = step->dst;

        if (NULL == theirs || theirs->phase != step->phase || theirs->peer != step->peer
            || theirs->left.count != step->left.count) {
            return fail(run, NAPCOLL_VERIFY_UNMATCHED, rank, run->stage[rank], -1,
                        "rank %d, stage %d: rank %d of its node is not in the same phase", rank,
                        run->stage[rank], other);
        }
        const value_t *from = run->payload[other]
                              + (theirs - run->plans[other]->step) * plan->blocks;
        if (NAPCOLL_PHASE_ALLGATHER == step->phase) {
            dst.buffer += lane;
        }
        value_t *to = values_of(run, rank, dst);
        for (int b = 0; b < step->left.count; b++) {
            if (NAPCOLL_PHASE_ALLGATHER == step->phase
                || (NAPCOLL_PHASE_BCAST == step->phase && lane == step->peer)) {
                to[b] = from[b];
            } else if (NAPCOLL_PHASE_ALLREDUCE == step->phase
                       || (NAPCOLL_PHASE_REDUCE == step->phase && root)) {
                to[b] = lane == ppn - 1 ? from[b] : fold(from[b], to[b]);
            }
        }
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t run_work(run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->plans[rank]->step[index];

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return run_phase(run, rank, step);
    }
    const value_t *left = values_of(run, rank, step->left);
    const value_t *right = NAPCOLL_STEP_FOLD == step->kind ? values_of(run, rank, step->right)
                                                           : NULL;
    value_t *dst = values_of(run, rank, step->dst);
    for (int b = 0; b < step->dst.count; b++) {
        if (0 == left[b].count || (NULL != right && 0 == right[b].count)) {
            return unwritten(run, rank, run->stage[rank], index);
        }
        dst[b] = NULL == right ? left[b] : fold(left[b], right[b]);
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t end_stage(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->plans[rank];
    const napcoll_stage_t *s = &plan->stage[run->stage[rank]];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    for (int i = s->first; i < s->first + s->messages; i++) {
        const napcoll_step_t *step = &plan->step[i];
        if (NAPCOLL_STEP_RECV == step->kind) {
            const end_t *other = &run->other[rank][i];
            memcpy(values_of(run, rank, step->dst),
                   run->payload[other->rank] + other->step * plan->blocks,
                   (size_t) step->dst.count * sizeof(value_t));
        }
    }
    for (int i = 0; i < s->work && NAPCOLL_VERIFY_OK == status; i++) {
        status = run_work(run, rank, s->first + s->messages + i);
    }
    run->stage[rank]++;
    run->begun[rank] = false;
    return status;
}

static bool phase_complete(const run_t *run, int rank)
{
    int ppn = napcoll_node_map_ppn(run->map, napcoll_node_map_node(run->map, rank));

    for (int lane = 0; lane < ppn; lane++) {
        if (!at_same_phase(run, rank, lane)) {
            return false;
        }
    }
    return true;
}

/* Take a rank as far as it gets; *moved tells whether it got anywhere. */
static napcoll_verify_status_t advance(run_t *run, int rank, bool *moved)
{
    const napcoll_plan_t *plan = run->plans[rank];
    napcoll_verify_status_t status;

    while (run->stage[rank] < plan->stages) {
        const napcoll_stage_t *s = &plan->stage[run->stage[rank]];
        bool phase = 0 == s->messages && NAPCOLL_STEP_PHASE == plan->step[s->first].kind;

        if (!run->begun[rank]) {
            status = post_sends(run, rank);
            if (NAPCOLL_VERIFY_OK == status && phase) {
                status = post_phase(run, rank);
            }
            if (NAPCOLL_VERIFY_OK != status) {
                return status;
            }
            *moved = true;
        }
        if (!messages_complete(run, rank) || (phase && !phase_complete(run, rank))) {
            return NAPCOLL_VERIFY_OK;
        }
        status = end_stage(run, rank);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        *moved = true;
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t run_all(run_t *run)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (int rank = 0; rank < run->map->size; rank++) {
            napcoll_verify_status_t status = advance(run, rank, &moved);
            if (NAPCOLL_VERIFY_OK != status) {
                return status;
            }
        }
    }
    for (int rank = 0; rank < run->map->size; rank++) {
        if (run->stage[rank] < run->plans[rank]->stages) {
            return fail(run, NAPCOLL_VERIFY_DEADLOCK, rank, run->stage[rank], -1,
                        "rank %d waits in stage %d for ever", rank, run->stage[rank]);
        }
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t check_results(run_t *run)
{
    uint64_t all = 0;

    for (int rank = 0; rank < run->map->size; rank++) {
        all += mix((uint64_t) rank);
    }
    for (int rank = 0; rank < run->map->size; rank++) {
        const int blocks = run->plans[rank]->blocks;
        const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks};
        const value_t *result = values_of(run, rank, recvbuf), *first = values_of(run, 0, recvbuf);

        for (int b = 0; b < blocks; b++) {
            if (result[b].count != run->map->size || result[b].sum != all) {
                return fail(run, NAPCOLL_VERIFY_CONTRIBUTION, rank, -1, -1,
                            "rank %d, block %d: %" PRId32 " contributions of %d, or not each once",
                            rank, b, result[b].count, run->map->size);
            }
            if (run->claim->ordered && !result[b].in_order) {
                return fail(run, NAPCOLL_VERIFY_ORDER, rank, -1, -1,
                            "rank %d, block %d: folded out of rank order", rank, b);
            }
            if (result[b].bracketing != first[b].bracketing) {
                return fail(run, NAPCOLL_VERIFY_BRACKETING, rank, -1, -1,
                            "rank %d, block %d: folded in another order than on rank 0", rank, b);
            }
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* Values, payloads and ends of one rank. */
static bool allocate_rank(run_t *run, int rank)
{
    const napcoll_plan_t *plan = run->plans[rank];
    size_t blocks = 2 * (size_t) plan->blocks;
    size_t steps = plan->steps > 0 ? (size_t) plan->steps : 1;
    napcoll_span_t input = {.buffer = run->claim->in_place ? NAPCOLL_BUFFER_RECV
                                                           : NAPCOLL_BUFFER_SEND,
                            .count = plan->blocks};

    for (int t = 0; t < plan->temps; t++) {
        blocks += (size_t) plan->temp[t].count;
    }
    run->block[rank] = calloc(blocks, sizeof(value_t));
    run->payload[rank] = malloc(steps * (size_t) plan->blocks * sizeof(value_t));
    run->other[rank] = malloc(steps * sizeof(end_t));
    if (NULL == run->block[rank] || NULL == run->payload[rank] || NULL == run->other[rank]) {
        return false;
    }
    for (int b = 0; b < plan->blocks; b++) {
        values_of(run, rank, input)[b] = contribution_of(rank);
    }
    run->ends += plan->steps;
    return true;
}

static bool allocate(run_t *run)
{
    size_t size = (size_t) run->map->size;

    run->block = calloc(size, sizeof(*run->block));
    run->payload = calloc(size, sizeof(*run->payload));
    run->other = calloc(size, sizeof(*run->other));
    run->stage = calloc(size, sizeof(*run->stage));
    run->begun = calloc(size, sizeof(*run->begun));
    if (NULL == run->block || NULL == run->payload || NULL == run->other || NULL == run->stage
        || NULL == run->begun) {
        return false;
    }
    for (int rank = 0; rank < run->map->size; rank++) {
        if (!allocate_rank(run, rank)) {
            return false;
        }
    }
    run->end = malloc((size_t) (run->ends > 0 ? run->ends : 1) * sizeof(*run->end));
    return NULL != run->end;
}

static void release(run_t *run)
{
    for (int rank = 0; rank < run->map->size; rank++) {
        free(NULL == run->block ? NULL : run->block[rank]);
        free(NULL == run->payload ? NULL : run->payload[rank]);
        free(NULL == run->other ? NULL : run->other[rank]);
    }
    free(run->block);
    free(run->payload);
    free(run->other);
    free(run->stage);
    free(run->begun);
    free(run->end);
}

static napcoll_verify_status_t verify(run_t *run)
{
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    for (int rank = 0; rank < run->map->size && NAPCOLL_VERIFY_OK == status; rank++) {
        for (int stage = 0; stage < run->plans[rank]->stages && NAPCOLL_VERIFY_OK == status;
             stage++) {
            status = check_stage(run, rank, stage);
        }
    }
    if (NAPCOLL_VERIFY_OK == status) {
        status = match_messages(run);
    }
    if (NAPCOLL_VERIFY_OK == status) {
        status = run_all(run);
    }
    return NAPCOLL_VERIFY_OK == status ? check_results(run) : status;
}

napcoll_verify_status_t napcoll_plan_verify_allreduce(napcoll_plan_t *const *plans,
                                                      const napcoll_node_map_t *map,
                                                      const napcoll_claim_t *claim,
                                                      napcoll_verdict_t *verdict)
{
    run_t run = {.plans = plans, .map = map, .claim = claim, .verdict = verdict};
    napcoll_verify_status_t status;

    *verdict = (napcoll_verdict_t){.rank = -1, .stage = -1, .step = -1, .text = "ok"};
    status = allocate(&run) ? verify(&run)
                            : fail(&run, NAPCOLL_VERIFY_NO_MEMORY, -1, -1, -1, "out of memory");
    release(&run);
    return status;
}
