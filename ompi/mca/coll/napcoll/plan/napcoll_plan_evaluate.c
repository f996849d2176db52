/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a stage does to a rank's blocks, symbolically (see the header).
 */

#include "plan/napcoll_plan_proving.h"
#include "util/napcoll_mix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

napcoll_verify_status_t napcoll_proving_no_memory(const run_t *run)
{
    return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_NO_MEMORY, -1, -1, -1, "out of memory");
}

/* ---- values ---- */

value_t napcoll_proving_contribution(int rank)
{
    return (value_t){.sum = napcoll_mix((uint64_t) rank),
                     .bracketing = napcoll_mix(~(uint64_t) rank),
                     .count = 1,
                     .low = rank,
                     .high = rank + 1,
                     .in_order = true};
}

value_t napcoll_proving_pair(int from, int to)
{
    return (value_t){
        .sum = napcoll_mix((uint64_t) (uint32_t) from << 32 | (uint64_t) (uint32_t) to),
        .count = 1,
        .low = from,
        .high = to};
}

uint64_t napcoll_proving_bracket(uint64_t left, uint64_t right)
{
    return napcoll_mix(left * 3 + napcoll_mix(right));
}

static value_t join(value_t left, value_t right)
{
    return (value_t){.sum = left.sum + right.sum,
                     .bracketing = napcoll_proving_bracket(left.bracketing, right.bracketing),
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
static napcoll_verify_status_t reduction(const run_t *run, int rank, int step, value_t left,
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
    if (run->claim->noncommutative && !result->in_order) {
        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_ORDER, rank, run->rank[rank].stage,
                                   step,
                                   "folds ranks %" PRId32 " to %" PRId32 " with ranks %" PRId32
                                   " to %" PRId32 ", which do not follow them",
                                   left.low, left.high - 1, right.low, right.high - 1);
    }
    return NAPCOLL_VERIFY_OK;
}

/* ---- looking things up ---- */

napcoll_verify_status_t napcoll_proving_need_plan(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;
    napcoll_plan_t *plan;

    if (NULL != run->cache.copy[rank]) {
        return NAPCOLL_VERIFY_OK;
    }
    plan = run->source(run->context, rank);
    if (NULL == plan) {
        return napcoll_proving_no_memory(run);
    }
    if (!r->checked) {
        status = napcoll_plan_check(plan, run->map, run->claim, run->verdict);
        r->checked = NAPCOLL_VERIFY_OK == status;
        run->verdict->plans += r->checked;
    }
    if (NAPCOLL_VERIFY_OK == status && !napcoll_plan_cache_put(&run->cache, rank, plan)) {
        status = napcoll_proving_no_memory(run);
    }
    if (NAPCOLL_VERIFY_OK != status && !run->cache.borrowed) {
        napcoll_plan_free(plan);
    }
    return status;
}

/* Where the blocks of a span begin among those of a rank; it is no list. */
static int index_of(const run_t *run, int rank, napcoll_span_t span)
{
    const napcoll_cached_plan_t *copy = run->cache.copy[rank];

    return copy->buffer_at[span.buffer] + span.first
           - napcoll_plan_block_range(copy->plan, span.buffer).first;
}

static value_t *values_of(const run_t *run, int rank, napcoll_span_t span)
{
    return run->rank[rank].block + index_of(run, rank, span);
}

/* ---- a stage ---- */

/* What a rank knows of a barrier when it begins: itself. */
static napcoll_verify_status_t begin_barrier(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const int place = napcoll_node_map_place(run->map, rank),
              stages = run->cache.copy[rank]->plan->stages;
    napcoll_interval_t self = {place, place + 1};

    r->stages = stages;
    r->told = calloc((size_t) (stages > 0 ? stages : 1), sizeof(*r->told));
    if (NULL == r->told
        || !napcoll_rank_set_add(&r->knows,
                                 &(napcoll_rank_set_t){.interval = &self, .intervals = 1})) {
        return napcoll_proving_no_memory(run);
    }
    return NAPCOLL_VERIFY_OK;
}

/* The rank so many places behind another in the node order. */
static int partner(const run_t *run, int rank, int distance)
{
    const int size = run->map->size;

    return napcoll_node_map_at(run->map,
                               (napcoll_node_map_place(run->map, rank) + size + distance) % size);
}

napcoll_verify_status_t napcoll_proving_need_blocks(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
    const napcoll_claim_t *claim = run->claim;
    const int blocks = run->cache.copy[rank]->buffer_at[NAPCOLL_BUFFER_TEMP + plan->temps];
    const bool in_place = claim->in_place && napcoll_goal_in_place(claim->goal, claim->root, rank);
    napcoll_span_t input = {.buffer = in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND,
                            .first = plan->user[NAPCOLL_BUFFER_SEND].first,
                            .count = plan->user[NAPCOLL_BUFFER_SEND].count};

    if (NULL != r->block) {
        return NAPCOLL_VERIFY_OK;
    }
    r->block = calloc((size_t) (blocks > 0 ? blocks : 1), sizeof(value_t));
    if (NULL == r->block) {
        return napcoll_proving_no_memory(run);
    }
    for (int b = 0; b < input.count; b++) {
        values_of(run, rank, input)[b] = napcoll_goal_is_personalized(claim->goal)
                                             ? napcoll_proving_pair(
                                                 rank, partner(run, rank, -(input.first + b)))
                                             : napcoll_proving_contribution(rank);
    }
    if (napcoll_goal_is_personalized(claim->goal) && claim->sized) {
        r->told_of = calloc((size_t) (blocks > 0 ? blocks : 1), sizeof(*r->told_of));
        if (NULL == r->told_of) {
            return napcoll_proving_no_memory(run);
        }
    }
    return NAPCOLL_GOAL_BARRIER == claim->goal ? begin_barrier(run, rank) : NAPCOLL_VERIFY_OK;
}

/* Fix what a send gives away. What leaves a temporary in the layout of personalized blocks is not there any more. */
static napcoll_verify_status_t post_send(run_t *run, int rank, int index)
{
    rank_t *r = &run->rank[rank];
    const napcoll_cached_plan_t *copy = run->cache.copy[rank];
    const napcoll_step_t *step = &copy->plan->step[index];
    napcoll_runs_t runs = napcoll_runs_of(copy->plan, &step->left);
    value_t *to = r->outbox + copy->outbox_at[index];

    while (napcoll_runs_next(&runs)) {
        const int first = index_of(run, rank, runs.run);

        for (int b = first; b < first + runs.run.count; b++, to++) {
            *to = r->block[b];
            if (step->sizes && NULL != r->told_of && 0 != r->told_of[b]) {
                *to = (value_t){.sum = r->told_of[b], .count = 1};
            } else if (0 == to->count) {
                return unwritten(run, rank, index);
            }
            if (!step->sizes && NAPCOLL_LAYOUT_PERSONALIZED == copy->plan->layout
                && runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
                r->block[b].count = 0;
            }
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* Whether a phase reads what a rank gives it. */
static bool phase_reads(const run_t *run, int rank, const napcoll_step_t *step)
{
    return NAPCOLL_PHASE_BCAST != step->phase
           || napcoll_node_map_lane(run->map, rank) == step->peer;
}

napcoll_verify_status_t napcoll_proving_post_stage(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_cached_plan_t *copy = run->cache.copy[rank];
    const napcoll_stage_t *s = &copy->plan->stage[r->stage];
    const int end = s->first + s->messages + s->work;
    const int room = copy->outbox_at[end];

    if (room > copy->outbox_at[s->first]) {
        value_t *outbox = realloc(r->outbox, (size_t) room * sizeof(*outbox));

        if (NULL == outbox) {
            return napcoll_proving_no_memory(run);
        }
        r->outbox = outbox;
    }
    /* sizes are those of what was there before the blocks of this stage leave */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = s->first; i < s->first + s->messages; i++) {
            const napcoll_step_t *step = &copy->plan->step[i];
            napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

            if (NAPCOLL_STEP_SEND == step->kind && (0 == pass) == step->sizes) {
                status = post_send(run, rank, i);
            }
            if (NAPCOLL_VERIFY_OK != status) {
                return status;
            }
        }
    }
    for (int i = s->first + s->messages; i < end; i++) {
        const napcoll_step_t *step = &copy->plan->step[i];
        const value_t *from;

        if (NAPCOLL_STEP_PHASE != step->kind) {
            continue;
        }
        from = values_of(run, rank, step->left);
        for (int b = 0; b < step->left.count; b++) {
            if (0 == from[b].count && phase_reads(run, rank, step)) {
                return unwritten(run, rank, i);
            }
            r->outbox[copy->outbox_at[i] + b] = from[b];
        }
    }
    if (NULL != r->told && !napcoll_rank_set_add(&r->told[r->stage], &r->knows)) {
        return napcoll_proving_no_memory(run);
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
    const int number = napcoll_plan_phases_before(run->cache.copy[rank]->plan, r->stage);
    const int index = (int) (step - run->cache.copy[rank]->plan->step);
    const bool root = napcoll_node_map_lane(run->map, rank) == step->peer;
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    for (int lane = ppn - 1; lane >= 0; lane--) {
        const int other = napcoll_node_map_rank(run->map, node, lane);
        const napcoll_plan_t *theirs;
        const value_t *from;
        napcoll_span_t dst = step->dst;
        value_t *to;

        status = napcoll_proving_need_plan(run, other);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        theirs = run->cache.copy[other]->plan;
        from = run->rank[other].outbox
               + run->cache.copy[other]
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
                    status = reduction(run, rank, index, from[b], to[b], &to[b]);
                }
            }
        }
    }
    return status;
}

static napcoll_verify_status_t run_work(run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->cache.copy[rank]->plan->step[index];
    const value_t *left, *right;
    value_t *dst;
    napcoll_verify_status_t status = NAPCOLL_VERIFY_OK;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return run_phase(run, rank, step);
    }
    left = values_of(run, rank, step->left);
    right = NAPCOLL_STEP_REDUCE == step->kind ? values_of(run, rank, step->right) : NULL;
    dst = values_of(run, rank, step->dst);
    for (int b = 0; b < step->dst.count && NAPCOLL_VERIFY_OK == status; b++) {
        if (NULL != right) {
            status = reduction(run, rank, index, left[b], right[b], &dst[b]);
        } else if (0 == left[b].count) {
            status = unwritten(run, rank, index);
        } else {
            dst[b] = left[b];
        }
    }
    return status;
}

/* Take in what a message brings: blocks, where the claim asks for it those that were said to come; or what
 * will come. */
static napcoll_verify_status_t take_in(run_t *run, int rank, int index, const value_t *from)
{
    rank_t *r = &run->rank[rank];
    const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
    const napcoll_step_t *step = &plan->step[index];
    napcoll_runs_t runs = napcoll_runs_of(plan, &step->dst);

    while (napcoll_runs_next(&runs)) {
        const int first = index_of(run, rank, runs.run);

        for (int b = first; b < first + runs.run.count; b++, from++) {
            if (step->sizes) {
                if (NULL != r->told_of) {
                    r->told_of[b] = from->sum;
                }
                continue;
            }
            if (NULL != r->told_of && runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
                if (r->told_of[b] != (step->headed ? 0 : from->sum)) {
                    return napcoll_verdict_set(
                        run->verdict, NAPCOLL_VERIFY_SIZES, rank, r->stage, index,
                        "the size of block %d was %s", b - first + runs.run.first,
                        0 == r->told_of[b] ? "not told before it came" : "that of another block");
                }
                r->told_of[b] = 0;
            }
            r->block[b] = *from;
        }
    }
    return NAPCOLL_VERIFY_OK;
}

/* Take in what a stage's receives bring, of blocks or of sizes; the other ends are posted. */
static napcoll_verify_status_t receive(run_t *run, int rank, bool sizes)
{
    rank_t *r = &run->rank[rank];
    const napcoll_stage_t *s = &run->cache.copy[rank]->plan->stage[r->stage];

    for (int i = s->first; i < s->first + s->messages; i++) {
        const napcoll_step_t *step = &run->cache.copy[rank]->plan->step[i];
        const napcoll_cached_plan_t *copy;
        const rank_t *other;
        napcoll_verify_status_t status;
        int end;

        if (NAPCOLL_STEP_RECV != step->kind || sizes != step->sizes) {
            continue;
        }
        status = napcoll_proving_need_plan(run, step->peer);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        other = &run->rank[step->peer];
        copy = run->cache.copy[step->peer];
        end = napcoll_plan_cache_other_end(&run->cache, rank, i);
        status = take_in(run, rank, i, other->outbox + copy->outbox_at[end]);
        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        if (NULL != r->told
            && !napcoll_rank_set_add(&r->knows,
                                     &other->told[napcoll_plan_stage_of(copy->plan, end)])) {
            return napcoll_proving_no_memory(run);
        }
        run->verdict->messages++;
    }
    return NAPCOLL_VERIFY_OK;
}

napcoll_verify_status_t napcoll_proving_complete_stage(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_stage_t *s = &run->cache.copy[rank]->plan->stage[r->stage];
    napcoll_verify_status_t status = receive(run, rank, false);

    if (NAPCOLL_VERIFY_OK == status) {
        status = receive(run, rank, true);
    }
    for (int i = 0; i < s->work && NAPCOLL_VERIFY_OK == status; i++) {
        status = run_work(run, rank, s->first + s->messages + i);
    }
    r->stage++;
    r->posted = false;
    return status;
}
