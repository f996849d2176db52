/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier (see the header).
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

#include "plan/napcoll_plan_proving.h"
#include "util/napcoll_mix.h"

/* ---- waiting ---- */

static bool has_posted(const run_t *run, int rank, int stage)
{
    const rank_t *r = &run->rank[rank];

    return r->stage > stage || (r->stage == stage && r->posted);
}

static napcoll_verify_status_t unmatched(const run_t *run, int rank, int index)
{
    const napcoll_step_t *step = &run->cache.copy[rank]->plan->step[index];

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
    const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
    const napcoll_stage_t *s = &plan->stage[r->stage];

    for (; r->next < s->first + s->messages; r->next++) {
        const napcoll_step_t *step = &plan->step[r->next], *end;
        const napcoll_plan_t *theirs;
        napcoll_verify_status_t status = napcoll_proving_need_plan(run, step->peer);
        int index;

        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        theirs = run->cache.copy[step->peer]->plan;
        index = napcoll_plan_cache_other_end(&run->cache, rank, r->next);
        if (index < 0) {
            return unmatched(run, rank, r->next);
        }
        end = &theirs->step[index];
        if (!napcoll_plan_same_blocks(plan,
                                      NAPCOLL_STEP_SEND == step->kind ? step->left : step->dst,
                                      NAPCOLL_STEP_SEND == end->kind ? end->left : end->dst)
            || step->sizes != end->sizes || step->headed != end->headed
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
    const napcoll_plan_t *plan = run->cache.copy[rank]->plan;
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
        napcoll_verify_status_t status = napcoll_proving_need_plan(run, neighbour);
        int stage;

        if (NAPCOLL_VERIFY_OK != status) {
            return status;
        }
        stage = napcoll_plan_stage_of_phase(run->cache.copy[neighbour]->plan, number);
        if (stage >= 0) {
            theirs = napcoll_plan_phase_at(run->cache.copy[neighbour]->plan, stage);
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

/* ---- the chain ---- */

static napcoll_verify_status_t push(run_t *run, demand_t demand)
{
    if (run->chain_length == run->chain_room) {
        int room = run->chain_room > 0 ? 2 * run->chain_room : 64;
        demand_t *chain = realloc(run->chain, (size_t) room * sizeof(*chain));

        if (NULL == chain) {
            return napcoll_proving_no_memory(run);
        }
        run->chain = chain;
        run->chain_room = room;
    }
    run->chain[run->chain_length++] = demand;
    run->cache.kept[demand.rank] = true;
    return NAPCOLL_VERIFY_OK;
}

static napcoll_verify_status_t wait_for(run_t *run, int rank, demand_t other)
{
    const rank_t *r = &run->rank[rank];

    if (run->cache.kept[other.rank]) {
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
    napcoll_verify_status_t status = napcoll_proving_need_plan(run, demand.rank);

    if (NAPCOLL_VERIFY_OK == status && !r->ended) {
        status = napcoll_proving_need_blocks(run, demand.rank);
    }
    if (NAPCOLL_VERIFY_OK == status && r->stage == run->cache.copy[demand.rank]->plan->stages
        && !r->ended) {
        status = napcoll_proving_check_result(run, demand.rank);
    }
    if (NAPCOLL_VERIFY_OK != status) {
        return status;
    }
    if (r->ended || has_posted(run, demand.rank, demand.stage)) {
        run->cache.kept[demand.rank] = false;
        run->chain_length--;
        return NAPCOLL_VERIFY_OK;
    }
    if (!r->posted) {
        return napcoll_proving_post_stage(run, demand.rank);
    }
    status = next_message(run, demand.rank, &other);
    if (NAPCOLL_VERIFY_OK == status && other.rank < 0) {
        status = next_in_phase(run, demand.rank, &other);
    }
    if (NAPCOLL_VERIFY_OK != status) {
        return status;
    }
    return other.rank >= 0 ? wait_for(run, demand.rank, other)
                           : napcoll_proving_complete_stage(run, demand.rank);
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
            state = napcoll_mix(state);
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
        free(r->told_of);
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
    napcoll_plan_cache_empty(&run->cache);
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
        run->sum[rank + 1] = run->sum[rank] + napcoll_mix((uint64_t) rank);
    }
    status = NULL != run->rank && NULL != run->sum
                     && napcoll_plan_cache_open(&run->cache, run->map->size)
                 ? prove(run, proof)
                 : napcoll_proving_no_memory(run);
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
                 .cache = {.memory = proof->plan_memory},
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
                 .cache = {.borrowed = true},
                 .map = map,
                 .claim = claim,
                 .verdict = verdict};

    return start(&run, &whole);
}
