/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a stage does to a rank's blocks, symbolically (see napcoll_prover.h).
 */

#include <inttypes.h>
#include <stdlib.h>

#include "util/napcoll_mix.h"
#include "verify/napcoll_prover.h"

/* ---- values ---- */

value_t napcoll_prover_contribution(int rank)
{
    return (value_t){.sum = napcoll_mix((uint64_t) rank),
                     .bracketing = napcoll_mix(~(uint64_t) rank),
                     .count = 1,
                     .low = rank,
                     .high = rank + 1,
                     .in_order = true};
}

value_t napcoll_prover_personalized(int from, int to)
{
    const uint64_t both = (uint64_t) (uint32_t) from << 32 | (uint64_t) (uint32_t) to;

    return (value_t){.sum = napcoll_mix(both), .count = 1, .low = from, .high = to};
}

value_t napcoll_prover_edge(napcoll_goal_t goal, int rank, const napcoll_plan_edge_t *edge,
                            bool leaves)
{
    const int from = leaves ? rank : edge->peer, to = leaves ? edge->peer : rank;
    value_t value;

    if (edge->peer < 0) {
        return (value_t){.count = 0};
    }
    if (NAPCOLL_GOAL_NEIGHBOR_ALLGATHER == goal) {
        return napcoll_prover_contribution(from);
    }
    value = napcoll_prover_personalized(from, to);
    value.sum = napcoll_mix(value.sum + (uint64_t) (uint32_t) edge->number);
    return value;
}

uint64_t napcoll_prover_bracket(uint64_t left, uint64_t right)
{
    return napcoll_mix(left * 3 + napcoll_mix(right));
}

bool napcoll_prover_take_values(prover_t *p, size_t more)
{
    p->values += more;
    return 0 == p->most_values || p->values <= p->most_values
           || napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_NO_MEMORY, -1, -1, -1,
                                   "the blocks of %d ranks take more than %zu MB", p->map->size,
                                   p->most_values * sizeof(value_t) >> 20);
}

/* Set an error at a step of a rank's current stage. */
static bool fail_unwritten(const prover_t *p, int rank, int step)
{
    return napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_UNWRITTEN, rank, p->rank[rank].stage,
                                step, "reads a block that was never written");
}

napcoll_verify_status_t napcoll_prover_reduce(const napcoll_claim_t *claim, value_t left,
                                              value_t right, value_t *result)
{
    if (0 == left.count || 0 == right.count) {
        return NAPCOLL_VERIFY_UNWRITTEN;
    }
    if (left.in_order && right.in_order && left.low < right.high && right.low < left.high) {
        return NAPCOLL_VERIFY_CONTRIBUTION;
    }
    *result = (value_t){.sum = left.sum + right.sum,
                        .bracketing = napcoll_prover_bracket(left.bracketing, right.bracketing),
                        .count = left.count + right.count,
                        .low = left.low,
                        .high = right.high,
                        .in_order = left.in_order && right.in_order && left.high == right.low};
    return !claim->noncommutative || result->in_order ? NAPCOLL_VERIFY_OK : NAPCOLL_VERIFY_ORDER;
}

static bool fail_reduction(const prover_t *p, napcoll_verify_status_t status, int rank, int step,
                           value_t left, value_t right)
{
    return napcoll_verdict_fail(
        p->verdict, status, rank, p->rank[rank].stage, step,
        "reduces ranks %" PRId32 " to %" PRId32 " with ranks %" PRId32 " to %" PRId32 "%s",
        left.low, left.high - 1, right.low, right.high - 1,
        NAPCOLL_VERIFY_ORDER == status ? ", which do not follow them" : ": some are in it twice");
}

/* *result = left op right, at a rank's step. Errors that no later step can repair are found
 * here. */
static bool reduce_values(const prover_t *p, int rank, int step, value_t left, value_t right,
                          value_t *result)
{
    const napcoll_verify_status_t status = napcoll_prover_reduce(p->claim, left, right, result);

    if (NAPCOLL_VERIFY_UNWRITTEN == status) {
        return fail_unwritten(p, rank, step);
    }
    return NAPCOLL_VERIFY_OK == status || fail_reduction(p, status, rank, step, left, right);
}

/* ---- what a proof needs ---- */

bool napcoll_prover_need_plan(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    napcoll_plan_t *plan;
    bool ok = true;

    if (NULL != p->cache.entry[rank]) {
        return true;
    }
    plan = p->source(p->context, rank);
    if (NULL == plan) {
        return napcoll_prover_no_memory(p);
    }
    if (!r->checked) {
        ok = NAPCOLL_VERIFY_OK == napcoll_plan_check(plan, p->map, p->claim, p->verdict);
        r->checked = ok;
        p->verdict->plans += ok;
    }
    if (ok && !napcoll_plan_cache_put(&p->cache, rank, plan)) {
        ok = napcoll_prover_no_memory(p);
    }
    if (!ok && !p->cache.borrowed) {
        napcoll_plan_free(plan);
    }
    return ok;
}

/* The index of a run's first block among all blocks of a rank. */
static int index_of(const prover_t *p, int rank, napcoll_span_t run)
{
    const napcoll_cached_plan_t *entry = p->cache.entry[rank];

    return entry->buffer_at[run.buffer] + run.first
           - napcoll_plan_block_range(entry->plan, run.buffer).first;
}

static value_t *values_of(const prover_t *p, int rank, napcoll_span_t run)
{
    return p->rank[rank].block + index_of(p, rank, run);
}

/* When a rank begins a barrier, it knows that it has begun itself. */
static bool begin_barrier(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const int place = napcoll_node_map_place(p->map, rank);
    napcoll_interval_t self = {place, place + 1};

    r->stages = napcoll_prover_plan(p, rank)->stages;
    r->told = calloc((size_t) r->stages + 1, sizeof(*r->told));
    return (NULL != r->told && napcoll_rank_set_add(&r->knows, &(napcoll_rank_set_t){&self, 1}))
           || napcoll_prover_no_memory(p);
}

/* Blocks that go straight to their ranks: the word of it in the input, and the block in the receive
 * buffer. */
static void begin_direct(prover_t *p, int rank, value_t *input)
{
    const napcoll_claim_t *claim = p->claim;
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_block_range_t own = plan->user[NAPCOLL_BUFFER_SEND];
    const napcoll_block_range_t recv = plan->user[NAPCOLL_BUFFER_RECV];
    const int size = p->map->size, place = napcoll_node_map_place(p->map, rank);
    value_t *result = values_of(p, rank,
                                (napcoll_span_t){NAPCOLL_BUFFER_RECV, recv.first, recv.count});

    for (int b = 0; b < own.count; b++) {
        const int to = napcoll_node_map_at(p->map, (place + size - (own.first + b)) % size);

        input[b].is_word = to != rank && claim->direct(claim->direct_context, rank, to);
    }
    for (int b = 0; b < recv.count && napcoll_goal_takes(claim->goal, claim->root, rank); b++) {
        const int from = napcoll_node_map_at(p->map, (place + recv.first + b) % size);

        if (from != rank && claim->direct(claim->direct_context, from, rank)) {
            result[b] = napcoll_prover_personalized(from, rank);
        }
    }
}

/* Whether the block of an edge goes straight to its rank. */
static bool is_direct(const prover_t *p, int from, int to)
{
    const napcoll_claim_t *claim = p->claim;

    return NULL != claim->direct && from >= 0 && to >= 0 && from != to
           && claim->direct(claim->direct_context, from, to);
}

/* The input where blocks go along edges, and the blocks that go straight to the rank. */
static void begin_edges(prover_t *p, int rank)
{
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_plan_edge_t *to = napcoll_plan_edges_of(plan, NAPCOLL_BUFFER_SEND);
    const napcoll_plan_edge_t *from = napcoll_plan_edges_of(plan, NAPCOLL_BUFFER_RECV);
    value_t *input = values_of(p, rank, (napcoll_span_t){NAPCOLL_BUFFER_SEND, 0, 1});
    value_t *result = values_of(p, rank, (napcoll_span_t){NAPCOLL_BUFFER_RECV, 0, 1});

    for (int b = 0; b < plan->user[NAPCOLL_BUFFER_SEND].count; b++) {
        input[b] = napcoll_prover_edge(p->claim->goal, rank, &to[b], true);
        input[b].is_word = is_direct(p, rank, to[b].peer);
    }
    for (int b = 0; b < plan->user[NAPCOLL_BUFFER_RECV].count; b++) {
        if (is_direct(p, from[b].peer, rank)) {
            result[b] = napcoll_prover_edge(p->claim->goal, rank, &from[b], false);
        }
    }
}

bool napcoll_prover_need_blocks(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_claim_t *claim = p->claim;
    const int *buffer_at = p->cache.entry[rank]->buffer_at;
    const size_t blocks = (size_t) buffer_at[NAPCOLL_BUFFER_TEMP + plan->temps];
    const bool personalized = napcoll_goal_is_personalized(claim->goal);
    const bool in_place = claim->in_place && napcoll_goal_in_place(claim->goal, claim->root, rank);
    const int size = p->map->size, place = napcoll_node_map_place(p->map, rank);
    const napcoll_block_range_t own = plan->user[NAPCOLL_BUFFER_SEND];
    value_t *input;

    if (NULL != r->block) {
        return true;
    }
    if (!napcoll_prover_take_values(p, blocks + 1)) {
        return false;
    }
    r->block = calloc(blocks + 1, sizeof(*r->block));
    if (NULL == r->block) {
        return napcoll_prover_no_memory(p);
    }
    if (napcoll_goal_is_neighbor(claim->goal)) {
        begin_edges(p, rank);
        return true;
    }
    input = values_of(p, rank,
                      (napcoll_span_t){in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND,
                                       own.first, own.count});
    for (int b = 0; b < own.count; b++) {
        const int to = (place + size - (own.first + b)) % size;

        input[b] = personalized ? napcoll_prover_personalized(rank, napcoll_node_map_at(p->map, to))
                                : napcoll_prover_contribution(rank);
    }
    if (personalized && NULL != claim->direct) {
        begin_direct(p, rank, input);
    }
    return NAPCOLL_GOAL_BARRIER != claim->goal || begin_barrier(p, rank);
}

/* ---- a stage ---- */

/* Fix what a send gives away. A personalized block leaves its slot with that. */
static bool post_send(prover_t *p, int rank, int index)
{
    rank_t *r = &p->rank[rank];
    const napcoll_cached_plan_t *entry = p->cache.entry[rank];
    const napcoll_step_t *step = &entry->plan->step[index];
    const bool leaves = NAPCOLL_LAYOUT_PERSONALIZED == entry->plan->layout;
    napcoll_runs_t runs = napcoll_runs_of(entry->plan, &step->left);
    value_t *to = r->outbox + entry->outbox_at[index];

    while (napcoll_runs_next(&runs)) {
        const int first = index_of(p, rank, runs.run);

        for (int b = first; b < first + runs.run.count; b++, to++) {
            *to = r->block[b];
            if (0 == to->count) {
                return fail_unwritten(p, rank, index);
            }
            if (leaves && runs.run.buffer >= NAPCOLL_BUFFER_TEMP) {
                r->block[b].count = 0;
            }
        }
    }
    return true;
}

/* Fix what a rank gives to a phase. */
static bool post_phase(prover_t *p, int rank, int index)
{
    const napcoll_step_t *step = &napcoll_prover_plan(p, rank)->step[index];
    const bool reads = napcoll_phase_reads(step, napcoll_scope_member(p->map, step->scope, rank));
    const value_t *from = values_of(p, rank, step->left);
    value_t *to = p->rank[rank].outbox + p->cache.entry[rank]->outbox_at[index];

    for (int b = 0; b < step->left.count; b++) {
        if (0 == from[b].count && reads) {
            return fail_unwritten(p, rank, index);
        }
        to[b] = from[b];
    }
    return true;
}

bool napcoll_prover_post_stage(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const napcoll_cached_plan_t *entry = p->cache.entry[rank];
    const napcoll_step_t *step = entry->plan->step;
    const napcoll_stage_t *s = &entry->plan->stage[r->stage];
    const int work = s->first + s->messages, end = work + s->work;
    bool ok = true;

    /* there is one also where messages have no blocks */
    if (NULL == r->outbox || entry->outbox_at[end] > entry->outbox_at[s->first]) {
        const size_t values = (size_t) entry->outbox_at[end] + 1;
        const size_t before = NULL == r->outbox ? 0 : (size_t) entry->outbox_at[s->first] + 1;
        value_t *outbox;

        if (!napcoll_prover_take_values(p, values - before)) {
            return false;
        }
        outbox = realloc(r->outbox, values * sizeof(*outbox));
        if (NULL == outbox) {
            return napcoll_prover_no_memory(p);
        }
        r->outbox = outbox;
    }
    for (int i = s->first; i < work && ok; i++) {
        ok = NAPCOLL_STEP_SEND != step[i].kind || post_send(p, rank, i);
    }
    for (int i = work; i < end && ok; i++) {
        ok = NAPCOLL_STEP_PHASE != step[i].kind || post_phase(p, rank, i);
    }
    if (ok && NULL != r->told && !napcoll_rank_set_add(&r->told[r->stage], &r->knows)) {
        return napcoll_prover_no_memory(p);
    }
    r->posted = true;
    r->next = s->first;
    return ok;
}

/* What a rank gives to the phase of one of its stages. */
static const value_t *given_to_phase(prover_t *p, int rank, int stage)
{
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);

    return p->rank[rank].outbox + p->cache.entry[rank]->outbox_at[plan->stage[stage].first];
}

/* Where what a member gives to a rank's phase goes, and which of its blocks, from *first on. */
static napcoll_span_t taken_from_member(const prover_t *p, int rank, const napcoll_step_t *step,
                                        int member, int *first)
{
    const int self = napcoll_scope_member(p->map, step->scope, rank);
    const napcoll_block_range_t all = napcoll_scope_runs(p->map, step->scope, rank);
    const napcoll_block_range_t own = napcoll_scope_run(p->map, step->scope, rank, self);
    const napcoll_block_range_t theirs = napcoll_scope_run(p->map, step->scope, rank, member);
    napcoll_span_t dst = step->dst;

    *first = 0;
    switch (step->phase) {
    case NAPCOLL_PHASE_ALLGATHER:
        dst.buffer += member;
        break;
    case NAPCOLL_PHASE_GATHER:
    case NAPCOLL_PHASE_SHARE:
        dst.first += theirs.first - all.first;
        dst.count = theirs.count;
        break;
    case NAPCOLL_PHASE_SCATTER:
    case NAPCOLL_PHASE_REDUCE_SCATTER:
        *first = own.first - all.first;
        break;
    default:
        break;
    }
    return dst;
}

/* Take in what one member of a phase gives to it. Members come in descending order. */
static bool take_from_member(prover_t *p, int rank, int index, int member, const value_t *from)
{
    const napcoll_step_t *step = &napcoll_prover_plan(p, rank)->step[index];
    const bool reduces = napcoll_phase_reduces(step->phase);
    const bool last = napcoll_scope_members(p->map, step->scope, rank) - 1 == member;
    int first;
    const napcoll_span_t dst = taken_from_member(p, rank, step, member, &first);
    value_t *to = values_of(p, rank, dst);
    bool ok = true;

    if (!napcoll_phase_reads(step, member)) {
        return true;
    }
    for (int b = 0; b < dst.count && ok; b++) {
        if (!reduces || last) {
            to[b] = from[first + b];
        } else {
            ok = reduce_values(p, rank, index, from[first + b], to[b], &to[b]);
        }
    }
    return ok;
}

static bool run_phase(prover_t *p, int rank, int index)
{
    rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_step_t *step = &plan->step[index];
    const int number = napcoll_plan_phases_before(plan, step->scope, r->stage);
    const bool writes = napcoll_phase_writes(step, napcoll_scope_member(p->map, step->scope, rank));
    bool ok = true;

    for (int member = napcoll_scope_members(p->map, step->scope, rank) - 1; member >= 0 && ok;
         member--) {
        const int other = napcoll_scope_rank(p->map, step->scope, rank, member);
        int stage;

        if (!napcoll_prover_need_plan(p, other)) {
            return false;
        }
        stage = napcoll_plan_stage_of_phase(napcoll_prover_plan(p, other), step->scope, number);
        if (NULL != r->told && NAPCOLL_PHASE_BARRIER == step->phase
            && !napcoll_rank_set_add(&r->knows, &p->rank[other].told[stage])) {
            return napcoll_prover_no_memory(p);
        }
        ok = !writes || take_from_member(p, rank, index, member, given_to_phase(p, other, stage));
    }
    return ok;
}

/* Put a value into a block that arrives, or is copied, along an edge or straight to its rank: once.
 * The word that a block goes straight to its rank ends in its place. */
static bool put_once(prover_t *p, int rank, int index, const value_t *from, value_t *to, int number)
{
    if (from->is_word ? to->sum != from->sum : 0 != to->count) {
        return napcoll_verdict_fail(p->verdict, NAPCOLL_VERIFY_CONTRIBUTION, rank,
                                    p->rank[rank].stage, index,
                                    from->is_word ? "says that block %d went straight to the rank, "
                                                    "but another one did"
                                                  : "brings block %d a second time",
                                    number);
    }
    if (!from->is_word) {
        *to = *from;
    }
    return true;
}

/* Whether a block is the user's and must be written once. */
static bool is_at_end(const prover_t *p, int32_t buffer)
{
    return buffer < NAPCOLL_BUFFER_TEMP
           && (NULL != p->claim->direct || napcoll_goal_is_neighbor(p->claim->goal));
}

static bool run_work(prover_t *p, int rank, int index)
{
    const napcoll_step_t *step = &napcoll_prover_plan(p, rank)->step[index];
    const value_t *left, *right;
    value_t *dst;
    bool ok = true;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return run_phase(p, rank, index);
    }
    left = values_of(p, rank, step->left);
    right = NAPCOLL_STEP_REDUCE == step->kind ? values_of(p, rank, step->right) : NULL;
    dst = values_of(p, rank, step->dst);
    for (int b = 0; b < step->dst.count && ok; b++) {
        if (NULL != right) {
            ok = reduce_values(p, rank, index, left[b], right[b], &dst[b]);
        } else {
            ok = 0 != left[b].count || fail_unwritten(p, rank, index);
            if (ok && napcoll_goal_is_neighbor(p->claim->goal) && is_at_end(p, step->dst.buffer)) {
                ok = put_once(p, rank, index, &left[b], &dst[b], step->dst.first + b);
            } else {
                dst[b] = left[b];
            }
        }
    }
    return ok;
}

int napcoll_prover_other_end(const prover_t *p, int rank, int index)
{
    const int peer = napcoll_prover_plan(p, rank)->step[index].peer;
    const int model = napcoll_prover_model(p, peer);
    const int self = peer == model ? rank : napcoll_prover_image(p, rank, peer, model);

    return napcoll_plan_cache_end_in(&p->cache, rank, index, model, self);
}

value_t napcoll_prover_value_at(const prover_t *p, value_t value, int from, int to)
{
    if (from == to) {
        return value;
    }
    return napcoll_goal_is_personalized(p->claim->goal)
               ? napcoll_prover_personalized(napcoll_prover_image(p, value.low, from, to),
                                             napcoll_prover_image(p, value.high, from, to))
               : napcoll_prover_contribution(napcoll_prover_image(p, value.low, from, to));
}

/* Take in the blocks of a message. */
static bool take_in(prover_t *p, int rank, int index, const value_t *from)
{
    rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const int peer = plan->step[index].peer, model = napcoll_prover_model(p, peer);
    napcoll_runs_t runs = napcoll_runs_of(plan, &plan->step[index].dst);

    while (napcoll_runs_next(&runs)) {
        const int first = index_of(p, rank, runs.run);
        const bool at_end = is_at_end(p, runs.run.buffer);

        for (int b = first; b < first + runs.run.count; b++, from++) {
            const value_t value = napcoll_prover_value_at(p, *from, model, peer);

            if (!at_end) {
                r->block[b] = value;
            } else if (!put_once(p, rank, index, &value, &r->block[b],
                                 b - first + runs.run.first)) {
                return false;
            }
        }
    }
    return true;
}

/* Take in what a stage's receives bring; their senders have posted. */
static bool take_in_stage(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const napcoll_plan_t *plan = napcoll_prover_plan(p, rank);
    const napcoll_stage_t *s = &plan->stage[r->stage];

    for (int i = s->first; i < s->first + s->messages; i++) {
        const int peer = napcoll_prover_model(p, plan->step[i].peer);
        const napcoll_cached_plan_t *entry;
        const rank_t *other = &p->rank[peer];
        int end;

        if (NAPCOLL_STEP_RECV != plan->step[i].kind) {
            continue;
        }
        if (!napcoll_prover_need_plan(p, peer)) {
            return false;
        }
        entry = p->cache.entry[peer];
        end = napcoll_prover_other_end(p, rank, i);
        if (!take_in(p, rank, i, other->outbox + entry->outbox_at[end])) {
            return false;
        }
        if (NULL != r->told
            && !napcoll_rank_set_add(&r->knows, &other->told[entry->stage_of[end]])) {
            return napcoll_prover_no_memory(p);
        }
        p->verdict->messages++;
    }
    return true;
}

bool napcoll_prover_complete_stage(prover_t *p, int rank)
{
    rank_t *r = &p->rank[rank];
    const napcoll_stage_t *s = &napcoll_prover_plan(p, rank)->stage[r->stage];
    bool ok = take_in_stage(p, rank);

    for (int i = 0; i < s->work && ok; i++) {
        ok = run_work(p, rank, s->first + s->messages + i);
    }
    r->stage++;
    r->posted = false;
    return ok;
}
