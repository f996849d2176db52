/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Proofs in rounds (see the header).
 */

#include "common/napcoll_rounds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/napcoll_like_stages.h"
#include "verify/napcoll_prover.h"

enum {
    /* Ranks that a thread takes at once. */
    AT_ONCE = 256,
    /* Messages of a stage. */
    MOST_MESSAGES = 64
};

/* Kept of all ranks; more is not tried. */
static const size_t most_bytes = (size_t) 4 << 30;

typedef struct {
    const napcoll_like_buffers_t *buffers;
    /* [stages] */
    const napcoll_like_stage_t **stage;
    int32_t stages;
    /* the stage at which the rank is */
    int32_t at;
    /* the peers of its messages, then of the messages of later stages */
    const int32_t *peer;
    /* its messages that have met their other ends: before this round, and in it */
    uint64_t met, meets;
    value_t *block;
} member_t;

typedef struct worker worker_t;

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    /* [size] */
    member_t *member;
    /* of all contributions; and by halves, where claimed */
    uint64_t sum, canonical;
    /* what all threads do now, for each rank; false: nothing is proved */
    bool (*task)(worker_t *worker, int rank);
    atomic_int next;
    atomic_bool broken;
    /* kept of all ranks */
    atomic_size_t bytes;
} proof_t;

/* A thread, and what it has found. */
struct worker {
    proof_t *proof;
    pthread_t thread;
    napcoll_like_stages_t known;
    /* messages received */
    int64_t messages;
    /* in this round: ranks that could do something, and ranks that have not ended */
    int moved, left;
};

/* ---- the plan of a rank ---- */

/* Note the peers of a stage's messages. False: one is none, or there are more on other nodes than
 * claimed. */
static bool note_peers(const proof_t *proof, const napcoll_plan_t *plan,
                       const napcoll_stage_t *stage, int32_t *peer)
{
    const int node = napcoll_node_map_node(proof->map, plan->rank);
    const int most = proof->claim->max_inter;
    int inter[2] = {0, 0};

    for (int i = 0; i < stage->messages; i++) {
        const napcoll_step_t *step = &plan->step[stage->first + i];

        if (step->peer < 0 || step->peer >= proof->map->size || step->peer == plan->rank) {
            return false;
        }
        peer[i] = step->peer;
        inter[NAPCOLL_STEP_SEND == step->kind] += node
                                                  != napcoll_node_map_node(proof->map, step->peer);
    }
    return most <= 0 || (inter[0] <= most && inter[1] <= most);
}

/* Memory for what is kept of a plan; false: there is none, or too much is in use. */
static bool take_memory(proof_t *proof, member_t *member, const napcoll_plan_t *plan, int blocks)
{
    const size_t kept = (size_t) plan->stages * sizeof(*member->stage)
                        + (size_t) plan->steps * sizeof(*member->peer) + 1;
    const size_t values = ((size_t) blocks + 1) * sizeof(*member->block);

    if (atomic_fetch_add_explicit(&proof->bytes, kept + values, memory_order_relaxed)
        > most_bytes) {
        return false;
    }
    member->stage = malloc(kept);
    member->block = calloc(1, values);
    return NULL != member->stage && NULL != member->block;
}

/* Whether a stage's steps begin at step `at`, and are inside the plan. */
static bool follows(const napcoll_plan_t *plan, const napcoll_stage_t *stage, int at)
{
    return stage->first == at && stage->messages >= 0 && stage->messages <= MOST_MESSAGES
           && stage->messages <= plan->max_messages && stage->work >= 0
           && stage->messages <= plan->steps - at
           && stage->work <= plan->steps - at - stage->messages;
}

/* Note what a rank does. False: it cannot be proved here. */
static bool note_plan(worker_t *worker, const napcoll_plan_t *plan)
{
    member_t *member = &worker->proof->member[plan->rank];
    const napcoll_like_buffers_t *buffers = napcoll_like_stages_buffers(&worker->known, plan);
    int32_t *peer;
    int at = 0;

    if (NULL == buffers || NULL != plan->times
        || (NAPCOLL_LAYOUT_VECTOR != plan->layout && NAPCOLL_LAYOUT_SLOTS != plan->layout)
        || !take_memory(worker->proof, member, plan, buffers->all_blocks)) {
        return false;
    }
    peer = (int32_t *) (member->stage + plan->stages);
    member->buffers = buffers;
    member->stages = plan->stages;
    member->peer = peer;
    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        if (!follows(plan, stage, at) || !note_peers(worker->proof, plan, stage, peer)) {
            return false;
        }
        member->stage[s] = napcoll_like_stages_find(&worker->known, buffers, plan, stage);
        if (NULL == member->stage[s]) {
            return false;
        }
        peer += stage->messages;
        at += stage->messages + stage->work;
    }
    return at == plan->steps;
}

/* A span's values. */
static inline value_t *values_of(const member_t *member, napcoll_span_t span)
{
    const napcoll_like_buffers_t *buffers = member->buffers;

    return member->block + buffers->at[span.buffer] + span.first
           - buffers->range[span.buffer].first;
}

static bool make(worker_t *worker, int rank)
{
    const proof_t *proof = worker->proof;
    const napcoll_claim_t *claim = proof->claim;
    const bool in_place = claim->in_place && napcoll_goal_in_place(claim->goal, claim->root, rank);
    const int32_t input = in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    napcoll_plan_t *plan = proof->source(proof->context, rank);
    const bool noted = NULL != plan && plan->rank == rank && note_plan(worker, plan);

    if (noted) {
        const napcoll_block_range_t own = plan->user[NAPCOLL_BUFFER_SEND];
        value_t *value = values_of(&proof->member[rank],
                                   (napcoll_span_t){input, own.first, own.count});

        for (int b = 0; b < own.count; b++) {
            value[b] = napcoll_prover_contribution(rank);
        }
    }
    napcoll_plan_free(plan);
    return noted;
}

/* ---- rounds ---- */

/* The stage at which a rank is; NULL: it has ended. */
static inline const napcoll_like_stage_t *stage_of(const member_t *member)
{
    return member->at < member->stages ? member->stage[member->at] : NULL;
}

static inline bool has_met(const member_t *member, int message)
{
    return 0 != (member->met >> message & 1);
}

/* The other end of a rank's i-th message in its peer's stage; -1: it is not there yet. Of several
 * between the same ranks that have not met yet, the first is the other end of the first. */
static int other_end(int rank, const member_t *member, const napcoll_like_stage_t *stage, int i,
                     const member_t *other, const napcoll_like_stage_t *theirs)
{
    const napcoll_step_kind_t kind = stage->step[i].kind;
    int before = 0;

    for (int j = 0; j < i; j++) {
        before += member->peer[j] == member->peer[i] && stage->step[j].kind == kind
                  && !has_met(member, j);
    }
    for (int j = 0; j < theirs->messages; j++) {
        if (other->peer[j] == rank && theirs->step[j].kind != kind && !has_met(other, j)
            && 0 == before--) {
            return j;
        }
    }
    return -1;
}

/* Whether two messages are of the same blocks. */
static bool are_ends(const napcoll_like_buffers_t *buffers, const napcoll_step_t *step,
                     const napcoll_like_buffers_t *theirs, const napcoll_step_t *end)
{
    const napcoll_span_t *a = napcoll_step_span(step), *b = napcoll_step_span(end);

    return buffers->layout == theirs->layout && buffers->blocks == theirs->blocks
           && step->headed == end->headed && a->count == b->count
           && (NAPCOLL_LAYOUT_SLOTS == buffers->layout || a->first == b->first);
}

/* Take in a message. */
static bool take_in(const member_t *member, napcoll_span_t dst, const member_t *other,
                    napcoll_span_t left)
{
    const value_t *from = values_of(other, left);
    value_t *to = values_of(member, dst);

    for (int b = 0; b < dst.count; b++) {
        if (0 == from[b].count) {
            return false;
        }
        to[b] = from[b];
    }
    return true;
}

/* The messages of a rank's stage meet their other ends. */
static bool meet(worker_t *worker, int rank)
{
    member_t *all = worker->proof->member, *member = &all[rank];
    const napcoll_like_stage_t *stage = stage_of(member);

    for (int i = 0; NULL != stage && i < stage->messages; i++) {
        const member_t *other = &all[member->peer[i]];
        const napcoll_like_stage_t *theirs = stage_of(other);
        const napcoll_step_t *step = &stage->step[i];
        const int end = NULL == theirs || has_met(member, i)
                            ? -1
                            : other_end(rank, member, stage, i, other, theirs);

        if (end < 0) {
            continue;
        }
        if (!are_ends(member->buffers, step, other->buffers, &theirs->step[end])) {
            return false;
        }
        if (NAPCOLL_STEP_RECV == step->kind) {
            if (!take_in(member, step->dst, other, theirs->step[end].left)) {
                return false;
            }
            worker->messages++;
        }
        member->meets |= (uint64_t) 1 << i;
    }
    return true;
}

/* A step of a stage's work. */
static bool run_work(const proof_t *proof, const member_t *member, const napcoll_step_t *step)
{
    const bool reduces = NAPCOLL_STEP_REDUCE == step->kind;
    const value_t *left = values_of(member, step->left);
    const value_t *right = reduces ? values_of(member, step->right) : NULL;
    value_t *dst = values_of(member, step->dst);

    for (int b = 0; b < step->dst.count; b++) {
        if (!reduces) {
            dst[b] = left[b];
        }
        if (reduces ? NAPCOLL_VERIFY_OK
                          != napcoll_prover_reduce(proof->claim, left[b], right[b], &dst[b])
                    : 0 == dst[b].count) {
            return false;
        }
    }
    return true;
}

/* A rank whose messages have all met does the work of its stage, and goes to the next one. */
static bool go_on(worker_t *worker, int rank)
{
    member_t *member = &worker->proof->member[rank];
    const napcoll_like_stage_t *stage = stage_of(member);
    int met = 0;

    if (NULL == stage) {
        return true;
    }
    worker->moved += 0 != member->meets;
    member->met |= member->meets;
    member->meets = 0;
    while (met < stage->messages && has_met(member, met)) {
        met++;
    }
    if (met == stage->messages) {
        for (int i = stage->messages; i < stage->messages + stage->work; i++) {
            if (!run_work(worker->proof, member, &stage->step[i])) {
                return false;
            }
        }
        worker->moved++;
        member->peer += stage->messages;
        member->met = 0;
        member->at++;
    }
    worker->left += NULL != stage_of(member);
    return true;
}

/* Whether a rank has the same blocks in its result as rank 0, reduced in the same order. */
static bool is_result_of_all(const proof_t *proof, const member_t *member)
{
    const member_t *first = &proof->member[0];
    const napcoll_block_range_t range = member->buffers->range[NAPCOLL_BUFFER_RECV];
    const napcoll_block_range_t other = first->buffers->range[NAPCOLL_BUFFER_RECV];
    const napcoll_span_t all = {NAPCOLL_BUFFER_RECV, range.first, range.count};

    if (range.first != other.first || range.count != other.count) {
        return false;
    }
    for (int b = 0; b < range.count; b++) {
        if (values_of(member, all)[b].bracketing != values_of(first, all)[b].bracketing) {
            return false;
        }
    }
    return true;
}

/* A result has all contributions or, of a broadcast, the root's; of an allreduce all ranks have the
 * same bits. */
static bool check_result(worker_t *worker, int rank)
{
    const proof_t *proof = worker->proof;
    const napcoll_claim_t *claim = proof->claim;
    const bool brings = NAPCOLL_GOAL_BCAST == claim->goal;
    const uint64_t sum = brings ? napcoll_prover_contribution(claim->root).sum : proof->sum;
    const member_t *member = &proof->member[rank];
    const napcoll_block_range_t range = member->buffers->range[NAPCOLL_BUFFER_RECV];
    const value_t *result = values_of(
        member, (napcoll_span_t){NAPCOLL_BUFFER_RECV, range.first, range.count});

    if (!napcoll_goal_takes(claim->goal, claim->root, rank)) {
        return true;
    }
    for (int b = 0; b < range.count; b++) {
        if (result[b].count != (brings ? 1 : proof->map->size) || result[b].sum != sum
            || (claim->canonical && result[b].bracketing != proof->canonical)
            || (claim->noncommutative && !result[b].in_order)) {
            return false;
        }
    }
    return NAPCOLL_GOAL_ALLREDUCE != claim->goal || is_result_of_all(proof, member);
}

/* ---- threads ---- */

static void *take_ranks(void *argument)
{
    worker_t *worker = argument;
    proof_t *proof = worker->proof;
    const int size = proof->map->size;
    int first;

    while (!atomic_load(&proof->broken)
           && (first = atomic_fetch_add(&proof->next, AT_ONCE)) < size) {
        for (int rank = first; rank < size && rank < first + AT_ONCE; rank++) {
            if (!proof->task(worker, rank)) {
                atomic_store(&proof->broken, true);
                break;
            }
        }
    }
    return NULL;
}

/* Do something for all ranks; false: it failed for one. */
static bool for_all(worker_t *worker, int jobs, bool (*task)(worker_t *, int))
{
    proof_t *proof = worker->proof;
    int started = 1;

    proof->task = task;
    atomic_store(&proof->next, 0);
    while (started < jobs
           && 0 == pthread_create(&worker[started].thread, NULL, take_ranks, &worker[started])) {
        started++;
    }
    (void) take_ranks(worker);
    for (int i = 1; i < started; i++) {
        (void) pthread_join(worker[i].thread, NULL);
    }
    return !atomic_load(&proof->broken);
}

/* One round. False: something is broken, or no rank could go on. *ended: all have. */
static bool take_round(worker_t *worker, int jobs, bool *ended)
{
    int moved = 0, left = 0;

    for (int i = 0; i < jobs; i++) {
        worker[i].moved = worker[i].left = 0;
    }
    if (!for_all(worker, jobs, meet) || !for_all(worker, jobs, go_on)) {
        return false;
    }
    for (int i = 0; i < jobs; i++) {
        moved += worker[i].moved;
        left += worker[i].left;
    }
    *ended = 0 == left;
    return *ended || moved > 0;
}

static bool prove(worker_t *worker, int jobs)
{
    proof_t *proof = worker->proof;
    bool ended = false, ok = for_all(worker, jobs, make);

    for (int rank = 0; rank < proof->map->size; rank++) {
        proof->sum += napcoll_prover_contribution(rank).sum;
    }
    if (proof->claim->canonical) {
        proof->canonical = napcoll_prover_bracket_by_halves(0, proof->map->size);
    }
    while (ok && !ended) {
        ok = take_round(worker, jobs, &ended);
    }
    return ok && for_all(worker, jobs, check_result);
}

bool napcoll_prove_in_rounds(napcoll_plan_source_t source, void *context,
                             const napcoll_node_map_t *map, const napcoll_claim_t *claim, int jobs,
                             napcoll_verdict_t *verdict)
{
    proof_t proof = {.source = source, .context = context, .map = map, .claim = claim};
    worker_t *worker = calloc((size_t) jobs, sizeof(*worker));
    bool ok;

    proof.member = calloc((size_t) map->size, sizeof(*proof.member));
    ok = NULL != worker && NULL != proof.member && napcoll_rounds_suit(claim->goal);
    for (int i = 0; i < jobs && ok; i++) {
        worker[i].proof = &proof;
        worker[i].known.map = map;
        worker[i].known.claim = claim;
    }
    ok = ok && prove(worker, jobs);
    *verdict = (napcoll_verdict_t){.rank = -1, .stage = -1, .step = -1, .text = "ok"};
    verdict->results = verdict->plans = ok ? map->size : 0;
    for (int rank = 0; rank < map->size && NULL != proof.member; rank++) {
        free(proof.member[rank].stage);
        free(proof.member[rank].block);
    }
    for (int i = 0; i < jobs && NULL != worker; i++) {
        verdict->messages += ok ? worker[i].messages : 0;
        napcoll_like_stages_free(&worker[i].known);
    }
    free(proof.member);
    free(worker);
    return ok;
}
