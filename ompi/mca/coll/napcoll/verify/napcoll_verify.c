/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier (see the header): which rank goes on.
 *
 * A rank that reaches a stage posts its messages: what they carry is fixed then and kept (the
 * outbox). The stage is complete once the peer of each message has posted its end; that is
 * rendezvous. To bring a rank to a stage, the ranks for which it waits are brought to theirs:
 *
 *     rank 5 to its end       waits in stage 2 for
 *       rank 20 to stage 3      waits in stage 1 for
 *         rank 21 to stage 1      has posted it
 *
 * A rank that is asked to go on while it is in this chain waits for itself: a deadlock.
 */

#include "verify/napcoll_verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/napcoll_grow.h"
#include "util/napcoll_mix.h"
#include "verify/napcoll_prover.h"

/* ---- waiting ---- */

static bool has_posted(const prover_t *p, demand_t demand)
{
    const rank_t *r = &p->rank[demand.rank];

    return r->stage > demand.stage || (r->stage == demand.stage && r->posted);
}

/* Whether two messages are the ends of one; the other one is in the plan of its rank's model. */
static bool are_ends(const prover_t *p, const napcoll_plan_t *plan, const napcoll_step_t *step,
                     const napcoll_plan_t *theirs, const napcoll_step_t *end)
{
    napcoll_span_t span = *napcoll_step_span(end);

    if (NULL != p->symmetry && NAPCOLL_LAYOUT_RANKS == plan->layout) {
        span.first = (int) (((int64_t) span.first + p->map->size
                             + napcoll_node_map_place(p->map, step->peer)
                             - napcoll_node_map_place(p->map, theirs->rank))
                            % p->map->size);
    }
    return napcoll_plan_same_blocks(plan, *napcoll_step_span(step), span)
           && step->headed == end->headed && plan->layout == theirs->layout
           && plan->blocks == theirs->blocks;
}

/* The rank and stage for which a rank's current stage waits; rank -1: it waits for none. */
static bool next_message(prover_t *p, int rank, demand_t *other)
{
    rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank), *theirs;
    const napcoll_stage_t *s = &plan->stage[r->stage];

    for (; r->next < s->first + s->messages; r->next++) {
        const napcoll_step_t *step = &plan->step[r->next];
        const int peer = napcoll_prover_model(p, step->peer);
        int end;

        if (!napcoll_prover_need_plan(p, peer)) {
            return false;
        }
        theirs = napcoll_prover_plan(p, peer);
        end = napcoll_prover_other_end(p, rank, r->next);
        if (end < 0 || !are_ends(p, plan, step, theirs, &theirs->step[end])) {
            return napcoll_verdict_fail(
                p->verdict, NAPCOLL_VERIFY_UNMATCHED, rank, r->stage, r->next,
                "a message %s rank %" PRId32 " matches none in the plan of that rank",
                NAPCOLL_STEP_SEND == step->kind ? "to" : "from", step->peer);
        }
        *other = (demand_t){.rank = peer, .stage = p->cache.entry[peer]->stage_of[end]};
        if (!has_posted(p, *other)) {
            return true;
        }
    }
    other->rank = -1;
    return true;
}

/* Whether two members have a phase of the same blocks. */
static bool is_same_phase(const napcoll_plan_t *plan, const napcoll_step_t *a,
                          const napcoll_step_t *b)
{
    const bool gathers = NAPCOLL_PHASE_GATHER == a->phase || NAPCOLL_PHASE_SHARE == a->phase;

    return napcoll_plan_same_blocks(plan, gathers ? a->dst : a->left, gathers ? b->dst : b->left);
}

/* The same where the stage is a phase, which waits for the members of its scope. */
static bool next_in_phase(prover_t *p, int rank, demand_t *other)
{
    const rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_step_t *step = napcoll_plan_phase_at(plan, r->stage);
    const int members = NULL == step ? 0 : napcoll_scope_members(p->map, step->scope, rank);
    const int number = NULL == step ? 0 : napcoll_plan_phases_before(plan, step->scope, r->stage);

    other->rank = -1;
    for (int member = 0; member < members; member++) {
        const int neighbour = napcoll_scope_rank(p->map, step->scope, rank, member);
        const napcoll_plan_t *theirs;
        const napcoll_step_t *end;
        int stage;

        if (!napcoll_prover_need_plan(p, neighbour)) {
            return false;
        }
        theirs = napcoll_prover_plan(p, neighbour);
        stage = napcoll_plan_stage_of_phase(theirs, step->scope, number);
        end = stage < 0 ? NULL : napcoll_plan_phase_at(theirs, stage);
        if (NULL == end || end->phase != step->phase || end->peer != step->peer
            || !is_same_phase(plan, end, step)) {
            return napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_PHASE, rank, r->stage,
                                        plan->stage[r->stage].first,
                                        "rank %d of its %s is not in the same phase", neighbour,
                                        NAPCOLL_SCOPE_NODE == step->scope ? "node" : "leaders");
        }
        if (!has_posted(p, (demand_t){neighbour, stage})) {
            *other = (demand_t){neighbour, stage};
            return true;
        }
    }
    return true;
}

/* ---- the chain ---- */

static bool push_demand(prover_t *p, demand_t demand)
{
    if (!napcoll_grow(&p->chain, &p->chain_room, p->chain_length + 1, sizeof(demand))) {
        return napcoll_prover_no_memory(p);
    }
    p->chain[p->chain_length++] = demand;
    p->cache.kept[demand.rank] = true;
    return true;
}

static bool wait_for(prover_t *p, int rank, demand_t other)
{
    const rank_t *r = &p->rank[rank];

    return !p->cache.kept[other.rank]
               ? push_demand(p, other)
               : napcoll_verdict_fail(
                   p->verdict, NAPCOLL_VERIFY_DEADLOCK, rank, r->stage, r->next,
                   "waits for stage %d of rank %d, which waits in stage %d for rank %d, directly "
                   "or through others",
                   other.stage, other.rank, p->rank[other.rank].stage, rank);
}

/* Bring the chain's last rank one step further, or add the rank for which it waits. */
static bool go_on(prover_t *p)
{
    const demand_t demand = p->chain[p->chain_length - 1];
    const int rank = demand.rank;
    rank_t *r = &p->rank[rank];
    demand_t other;

    if (!napcoll_prover_need_plan(p, rank) || (!r->ended && !napcoll_prover_need_blocks(p, rank))
        || (!r->ended && r->stage == napcoll_prover_plan(p, rank)->stages
            && !napcoll_prover_check_result(p, rank))) {
        return false;
    }
    if (r->ended || has_posted(p, demand)) {
        p->cache.kept[rank] = false;
        p->chain_length--;
        return true;
    }
    if (!r->posted) {
        return napcoll_prover_post_stage(p, rank);
    }
    if (!next_message(p, rank, &other) || (other.rank < 0 && !next_in_phase(p, rank, &other))) {
        return false;
    }
    return other.rank >= 0 ? wait_for(p, rank, other) : napcoll_prover_complete_stage(p, rank);
}

static bool prove_rank(prover_t *p, int rank)
{
    bool ok = push_demand(p, (demand_t){.rank = rank, .stage = INT32_MAX});

    while (ok && p->chain_length > 0) {
        ok = go_on(p);
    }
    return ok;
}

static bool prove_ranks(prover_t *p, const napcoll_proof_t *proof)
{
    const int size = p->map->size;
    uint64_t state = proof->seed;
    bool ok = true;

    if (proof->sample <= 0 || proof->sample >= size) {
        for (int rank = 0; rank < size && ok; rank++) {
            ok = prove_rank(p, rank);
        }
        return ok;
    }
    while (p->verdict->results < proof->sample && ok) {
        int rank = 0 == p->verdict->results ? 0 : size - 1;

        if (p->rank[rank].ended) {
            state = napcoll_mix(state);
            rank = (int) (state % (uint64_t) size);
        }
        ok = prove_rank(p, rank);
    }
    return ok;
}

static void free_prover(prover_t *p)
{
    for (int rank = 0; NULL != p->rank && rank < p->map->size; rank++) {
        rank_t *r = &p->rank[rank];

        free(r->block);
        free(r->outbox);
        napcoll_rank_set_clear(&r->knows);
        for (int s = 0; NULL != r->told && s < r->stages; s++) {
            napcoll_rank_set_clear(&r->told[s]);
        }
        free(r->told);
    }
    free(p->rank);
    free(p->sum);
    free(p->chain);
    napcoll_plan_cache_empty(&p->cache);
    free(p->bracketing);
}

/* Allocate; false when memory ran out. */
static bool begin(prover_t *p)
{
    const int size = p->map->size;

    *p->verdict = (napcoll_verdict_t){.rank = -1, .stage = -1, .step = -1, .text = "ok"};
    p->bracketing_rank = p->exception = -1;
    p->rank = calloc((size_t) size, sizeof(*p->rank));
    p->sum = calloc((size_t) size + 1, sizeof(*p->sum));
    if (NULL == p->rank || NULL == p->sum || !napcoll_plan_cache_open(&p->cache, size)) {
        return napcoll_prover_no_memory(p);
    }
    for (int rank = 0; rank < size; rank++) {
        p->sum[rank + 1] = p->sum[rank] + napcoll_mix((uint64_t) rank);
    }
    return true;
}

/* ---- by symmetry ---- */

/* The plan of a model or exception. */
static napcoll_plan_t *one_of_few(void *context, int rank)
{
    const napcoll_symmetry_t *symmetry = context;

    for (int i = 0; i < symmetry->exceptions; i++) {
        if (rank == symmetry->exception[i]->rank) {
            return symmetry->exception[i];
        }
    }
    return symmetry->model[napcoll_node_map_place(symmetry->map, rank) - symmetry->base];
}

/* Whether an exception, whose result is proved, sent what the image of its model sent. */
static bool sends_images(prover_t *p, int rank, int model)
{
    const napcoll_cached_plan_t *mine = p->cache.entry[rank], *theirs = p->cache.entry[model];
    const int blocks = mine->outbox_at[mine->plan->steps];
    const value_t *sent = p->rank[rank].outbox, *image = p->rank[model].outbox;

    for (int b = 0; b < blocks && blocks == theirs->outbox_at[theirs->plan->steps]; b++) {
        if (sent[b].sum != napcoll_prover_value_at(p, image[b], model, rank).sum) {
            return napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank, -1, -1,
                                        "sends other blocks than like ranks do");
        }
    }
    return true;
}

static bool prove_few(prover_t *p, const napcoll_symmetry_t *symmetry)
{
    bool ok = true;

    for (int i = 0; i < symmetry->period && ok; i++) {
        ok = prove_rank(p, napcoll_node_map_at(p->map, symmetry->base + i));
    }
    p->verdict->messages *= p->map->size / symmetry->period;
    for (int i = 0; i < symmetry->exceptions && ok; i++) {
        const int64_t messages = p->verdict->messages;
        const int rank = symmetry->exception[i]->rank, model = napcoll_prover_model(p, rank);

        p->exception = rank;
        ok = prove_rank(p, rank) && sends_images(p, rank, model);
        p->exception = -1;
        p->verdict->messages = messages;
    }
    p->verdict->results = p->verdict->plans = p->map->size;
    return ok;
}

napcoll_verify_status_t napcoll_plan_prove(napcoll_plan_source_t source, void *context,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           const napcoll_proof_t *proof, napcoll_verdict_t *verdict)
{
    const napcoll_symmetry_t *symmetry = proof->symmetry;
    prover_t prover = {.source = NULL == symmetry ? source : one_of_few,
                       .context = NULL == symmetry ? context : (void *) symmetry,
                       .map = map,
                       .claim = claim,
                       .symmetry = symmetry,
                       .cache = {.memory = proof->plan_memory, .borrowed = proof->borrowed},
                       .verdict = verdict,
                       .most_values = proof->value_memory / sizeof(value_t)};

    (void) (begin(&prover)
            && (NULL == symmetry ? prove_ranks(&prover, proof) : prove_few(&prover, symmetry)));
    free_prover(&prover);
    return verdict->status;
}
