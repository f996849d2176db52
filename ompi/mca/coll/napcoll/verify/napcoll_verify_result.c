/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether a rank's result is what the collective promises (see napcoll_prover.h).
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "verify/napcoll_prover.h"

/* Whether a span has a block of the receive buffer. */
static bool has_block(const napcoll_plan_t *plan, const napcoll_span_t *span, int block)
{
    napcoll_runs_t runs = napcoll_runs_of(plan, span);

    while (napcoll_runs_next(&runs)) {
        if (NAPCOLL_BUFFER_RECV == runs.run.buffer && block >= runs.run.first
            && block < runs.run.first + runs.run.count) {
            return true;
        }
    }
    return false;
}

/* Set an error at the step that last writes a block of the result. */
static bool fail_block(const prover_t *p, napcoll_verify_status_t status, int rank, int block,
                       const char *text)
{
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    int step = plan->steps - 1;

    while (step >= 0
           && (NAPCOLL_STEP_SEND == plan->step[step].kind
               || !has_block(plan, &plan->step[step].dst, block))) {
        step--;
    }
    return napcoll_verdict_fail(p->verdict, status, rank,
                                step < 0 ? -1 : p->cache.entry[rank]->stage_of[step], step,
                                "leaves block %d of the result %s", block, text);
}

/* The ranks whose contributions a block of a rank's result must have: [*low, *high). */
static void contributors(const prover_t *p, int rank, int block, int *low, int *high)
{
    const napcoll_goal_t goal = p->claim->goal;

    *low = 0;
    *high = p->map->size;
    if (NAPCOLL_GOAL_SCAN == goal || NAPCOLL_GOAL_EXSCAN == goal) {
        *high = NAPCOLL_GOAL_SCAN == goal ? rank + 1 : rank;
    } else if (NAPCOLL_GOAL_ALLGATHER == goal || NAPCOLL_GOAL_BCAST == goal) {
        *low = NAPCOLL_GOAL_BCAST == goal ? p->claim->root : napcoll_node_map_at(p->map, block);
        *high = *low + 1;
    }
}

uint64_t napcoll_prover_bracket_by_halves(int low, int high)
{
    const int middle = low + (high - low + 1) / 2;

    return high - low == 1 ? napcoll_prover_contribution(low).bracketing
                           : napcoll_prover_bracket(napcoll_prover_bracket_by_halves(low, middle),
                                                    napcoll_prover_bracket_by_halves(middle, high));
}

/* The same for ranks 0 .. ranks - 1; the latest is kept, since many blocks ask for it. */
static uint64_t canonical_bracketing(prover_t *p, int ranks)
{
    if (ranks != p->canonical_ranks) {
        p->canonical = napcoll_prover_bracket_by_halves(0, ranks);
        p->canonical_ranks = ranks;
    }
    return p->canonical;
}

/* Block i of the result is what the i-th in-neighbour has for the rank along this edge. */
static bool check_edge(prover_t *p, int rank, int block, value_t result)
{
    const napcoll_plan_edge_t *edge = napcoll_plan_edges_of(napcoll_prover_plan(p, rank),
                                                            NAPCOLL_BUFFER_RECV)
                                      + block;
    const value_t wanted = napcoll_prover_edge(p->claim->goal, rank, edge, false);
    char text[64];

    if (result.count == wanted.count && !result.is_word
        && (0 == wanted.count || result.sum == wanted.sum)) {
        return true;
    }
    (void) snprintf(text, sizeof(text), "without what rank %" PRId32 " has for it", edge->peer);
    return fail_block(p, NAPCOLL_VERIFY_CONTRIBUTION, rank, block,
                      edge->peer < 0 ? "with what nobody has for it" : text);
}

/* Block j of the result is what the rank j places after this one has for it. */
static bool check_personalized(prover_t *p, int rank, int block, value_t result)
{
    const int place = napcoll_node_map_place(p->map, rank) + block;
    const int from = napcoll_node_map_at(p->map, place % p->map->size);
    char text[64];

    if (1 == result.count && !result.is_word
        && result.sum == napcoll_prover_personalized(from, rank).sum) {
        return true;
    }
    (void) snprintf(text, sizeof(text), "without what rank %d has for it", from);
    return fail_block(p, NAPCOLL_VERIFY_CONTRIBUTION, rank, block, text);
}

static bool check_block(prover_t *p, int rank, int block, value_t result)
{
    char text[96];
    int low, high;

    contributors(p, rank, block, &low, &high);
    if (result.count != high - low || result.sum != p->sum[high] - p->sum[low]) {
        (void) snprintf(text, sizeof(text),
                        "with %" PRId32 " contributions of %d, or not each of them once",
                        result.count, high - low);
        return fail_block(p, NAPCOLL_VERIFY_CONTRIBUTION, rank, block, text);
    }
    if (p->claim->noncommutative && !result.in_order) {
        return fail_block(p, NAPCOLL_VERIFY_ORDER, rank, block, "out of rank order");
    }
    if (p->claim->canonical && result.bracketing != canonical_bracketing(p, high)) {
        return fail_block(p, NAPCOLL_VERIFY_BRACKETING, rank, block,
                          "reduced in another order than by halves of the ranks");
    }
    if (NULL != p->bracketing && result.bracketing != p->bracketing[block]) {
        (void) snprintf(text, sizeof(text), "reduced in another order than on rank %d",
                        p->bracketing_rank);
        return fail_block(p, NAPCOLL_VERIFY_BRACKETING, rank, block, text);
    }
    return true;
}

/* Where all ranks get the same result, note the bracketing of the first; the others must equal
 * it. */
static bool note_bracketing(prover_t *p, int rank, const value_t *result)
{
    const int blocks = napcoll_prover_plan(p, rank)->user[NAPCOLL_BUFFER_RECV].count;

    if (p->bracketing_rank < 0) {
        p->bracketing = calloc((size_t) blocks, sizeof(*p->bracketing));
        if (NULL == p->bracketing) {
            return napcoll_prover_no_memory(p);
        }
        p->bracketing_rank = rank;
        p->bracketing_blocks = blocks;
        for (int b = 0; b < blocks; b++) {
            p->bracketing[b] = result[b].bracketing;
        }
    }
    return blocks == p->bracketing_blocks
           || napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_BRACKETING, rank, -1, -1,
                                   "cuts the vector into %d blocks, rank %d into %d", blocks,
                                   p->bracketing_rank, p->bracketing_blocks);
}

/* A rank that ends a barrier knows that all ranks have begun. */
static bool check_barrier(prover_t *p, int rank)
{
    napcoll_rank_set_t *knows = &p->rank[rank].knows;
    const int missing = napcoll_rank_set_first_missing(knows);

    napcoll_rank_set_clear(knows);
    return missing == p->map->size
           || napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank, -1, -1,
                                   "ends the barrier before it knows that rank %d has begun",
                                   napcoll_node_map_at(p->map, missing));
}

bool napcoll_prover_check_result(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const napcoll_claim_t *claim = p->claim;
    const napcoll_cached_plan_t *entry = p->cache.entry[rank];
    const napcoll_block_range_t range = entry->plan->user[NAPCOLL_BUFFER_RECV];
    const value_t *result = r->block + entry->buffer_at[NAPCOLL_BUFFER_RECV];
    const int blocks = napcoll_goal_takes(claim->goal, claim->root, rank) ? range.count : 0;
    bool ok = true;

    if (NAPCOLL_GOAL_BARRIER == claim->goal) {
        ok = check_barrier(p, rank);
    } else if (NAPCOLL_GOAL_ALLREDUCE == claim->goal) {
        ok = note_bracketing(p, rank, result);
    }
    for (int b = 0; b < blocks && ok; b++) {
        if (napcoll_goal_is_neighbor(claim->goal)) {
            ok = check_edge(p, rank, b, result[b]);
        } else if (napcoll_goal_is_personalized(claim->goal)) {
            ok = check_personalized(p, rank, range.first + b, result[b]);
        } else {
            ok = check_block(p, rank, range.first + b, result[b]);
        }
    }
    p->values -= (size_t) entry->buffer_at[NAPCOLL_BUFFER_TEMP + entry->plan->temps] + 1;
    free(r->block);
    r->block = NULL;
    r->ended = true;
    p->verdict->results++;
    return ok;
}
