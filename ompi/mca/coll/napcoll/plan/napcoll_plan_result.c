/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether a rank's result is what the collective promises (see the header).
 */

#include "plan/napcoll_plan_proving.h"

#include <inttypes.h>
#include <stdlib.h>

/* Where a rank's plan last writes a block of the result. */
static int last_writer(const napcoll_plan_t *plan, int block)
{
    for (int i = plan->steps - 1; i >= 0; i--) {
        const napcoll_step_t *step = &plan->step[i];

        if (NAPCOLL_STEP_SEND != step->kind && !step->sizes
            && napcoll_plan_span_has(plan, &step->dst, NAPCOLL_BUFFER_RECV, block)) {
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

/* The bracketing of a rank's vector with others, by halves (see napcoll_claim_t). */
static uint64_t bracket_by_halves(int low, int high)
{
    const int middle = low + (high - low + 1) / 2;

    return high - low == 1 ? napcoll_proving_contribution(low).bracketing
                           : napcoll_proving_bracket(bracket_by_halves(low, middle),
                                                     bracket_by_halves(middle, high));
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

/* A block of the result of an all-to-all, gather or scatter is the one that its rank had for this one. */
static napcoll_verify_status_t check_pair(run_t *run, int rank, int block, value_t result)
{
    const int from = napcoll_node_map_at(run->map, (napcoll_node_map_place(run->map, rank) + block)
                                                       % run->map->size);

    if (1 != result.count || result.sum != napcoll_proving_pair(from, rank).sum) {
        const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
        const int step = last_writer(plan, block);

        return napcoll_verdict_set(run->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank,
                                   step < 0 ? -1 : napcoll_plan_stage_of(plan, step), step,
                                   "leaves rank %d's block of the result without what that rank "
                                   "has for it",
                                   from);
    }
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t check_block(run_t *run, int rank, int block, value_t result)
{
    const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
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
    if (run->claim->noncommutative && !result.in_order) {
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
    const int blocks = run->cache.copy[rank]->plan->user[NAPCOLL_BUFFER_RECV].count;

    if (run->bracketing_rank < 0) {
        run->bracketing = calloc((size_t) blocks, sizeof(*run->bracketing));
        if (NULL == run->bracketing) {
            return napcoll_proving_no_memory(run);
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

napcoll_verify_status_t napcoll_proving_check_result(run_t *run, int rank)
{
    rank_t *r = &run->rank[rank];
    const napcoll_claim_t *claim = run->claim;
    const napcoll_cached_plan_t *copy = run->cache.copy[rank];
    const napcoll_block_range_t held = copy->plan->user[NAPCOLL_BUFFER_RECV];
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
        status = napcoll_goal_is_personalized(claim->goal)
                     ? check_pair(run, rank, held.first + b, result[b])
                     : check_block(run, rank, held.first + b, result[b]);
    }
    free(r->block);
    free(r->told_of);
    r->block = NULL;
    r->told_of = NULL;
    r->ended = true;
    run->verdict->results++;
    return status;
}
