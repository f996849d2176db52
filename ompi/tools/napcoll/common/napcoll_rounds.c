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
#include <string.h>

#include "common/napcoll_round_values.h"

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
    /* [stages], and the shift of each one's blocks */
    const napcoll_like_stage_t **stage;
    const int32_t *shift;
    int32_t stages;
    /* the stage at which the rank is */
    int32_t at;
    /* its messages that have met their other ends: before this round, and in it */
    uint64_t met, meets;
    /* what they bring in this round, in the list of the thread that found it */
    int32_t finder, arrivals;
    size_t arrival;
    /* of the blocks of all buffers */
    napcoll_run_map_t values;
} member_t;

typedef struct worker worker_t;

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    /* of rank 0, until it is noted */
    napcoll_plan_t *first;
    /* [size] */
    member_t *member;
    napcoll_round_values_t values;
    /* what all threads do now, for each rank; false: nothing is proved */
    bool (*task)(worker_t *worker, int rank);
    atomic_int next;
    atomic_bool broken;
    /* [jobs] */
    worker_t *worker;
} proof_t;

/* A thread, and what it has found. */
struct worker {
    proof_t *proof;
    pthread_t thread;
    napcoll_like_stages_t known;
    /* what messages bring in this round */
    napcoll_round_arrival_t *arrival;
    size_t arrivals, arrival_room;
    /* messages received */
    int64_t messages;
    /* in this round: ranks that could do something, and ranks that have not ended */
    int moved, left;
};

/* ---- the plan of a rank ---- */

/* Whether a stage's peers are other ranks, no more of them on other nodes than claimed. */
static bool has_peers(const proof_t *proof, const napcoll_plan_t *plan,
                      const napcoll_stage_t *stage)
{
    const int node = napcoll_node_map_node(proof->map, plan->rank);
    const int most = proof->claim->max_inter;
    int inter[2] = {0, 0};

    for (int i = 0; i < stage->messages; i++) {
        const napcoll_step_t *step = &plan->step[stage->first + i];

        if (step->peer < 0 || step->peer >= proof->map->size || step->peer == plan->rank) {
            return false;
        }
        inter[NAPCOLL_STEP_SEND == step->kind] += node
                                                  != napcoll_node_map_node(proof->map, step->peer);
    }
    return most <= 0 || (inter[0] <= most && inter[1] <= most);
}

/* Memory for what is kept of a plan; false: there is none, or too much is in use. */
static bool take_memory(proof_t *proof, member_t *member, const napcoll_plan_t *plan)
{
    const size_t kept = (size_t) plan->stages * (sizeof(*member->stage) + sizeof(*member->shift))
                        + 1;

    if (atomic_fetch_add_explicit(&proof->values.bytes, kept, memory_order_relaxed) > most_bytes) {
        return false;
    }
    member->stage = malloc(kept);
    return NULL != member->stage;
}

/* Whether a plan's stages follow each other, and are inside it. */
static bool has_stages(const proof_t *proof, const napcoll_plan_t *plan)
{
    int at = 0;

    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        if (stage->first != at || stage->messages < 0 || stage->messages > MOST_MESSAGES
            || stage->messages > plan->max_messages || stage->work < 0
            || stage->messages > plan->steps - at
            || stage->work > plan->steps - at - stage->messages || !has_peers(proof, plan, stage)) {
            return false;
        }
        at += stage->messages + stage->work;
    }
    return at == plan->steps;
}

/* Note what a rank does. False: it cannot be proved here. */
static bool note_plan(worker_t *worker, const napcoll_plan_t *plan)
{
    proof_t *proof = worker->proof;
    member_t *member = &proof->member[plan->rank];
    int32_t *shift;

    if (NULL != plan->times || plan->blocks != proof->values.blocks
        || (NAPCOLL_LAYOUT_VECTOR != plan->layout && NAPCOLL_LAYOUT_SLOTS != plan->layout)
        || !has_stages(proof, plan) || !take_memory(proof, member, plan)) {
        return false;
    }
    member->buffers = napcoll_like_stages_buffers(&worker->known, plan);
    member->stages = plan->stages;
    shift = (int32_t *) (member->stage + plan->stages);
    member->shift = shift;
    for (int s = 0; s < plan->stages && NULL != member->buffers; s++) {
        member->stage[s] = napcoll_like_stages_find(&worker->known, plan, s, &shift[s]);
        if (NULL == member->stage[s]) {
            return false;
        }
    }
    return NULL != member->buffers
           && napcoll_round_values_begin(&proof->values, &member->values,
                                         member->buffers->at[member->buffers->count]);
}

static bool make(worker_t *worker, int rank)
{
    proof_t *proof = worker->proof;
    const napcoll_claim_t *claim = proof->claim;
    const bool in_place = claim->in_place && napcoll_goal_in_place(claim->goal, claim->root, rank);
    const int32_t input = in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    member_t *member = &proof->member[rank];
    napcoll_plan_t *plan = 0 == rank ? proof->first : proof->source(proof->context, rank);
    bool noted = NULL != plan && plan->rank == rank && note_plan(worker, plan);

    if (noted) {
        noted = napcoll_round_values_set(
            &proof->values, &member->values, member->buffers->at[input],
            plan->user[NAPCOLL_BUFFER_SEND].count, napcoll_prover_contribution(rank));
    }
    napcoll_plan_free(plan);
    if (0 == rank) {
        proof->first = NULL;
    }
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

/* The rank at the other end of a rank's message. */
static inline int peer_of(const napcoll_node_map_t *map, int rank,
                          const napcoll_like_message_t *message)
{
    const int64_t place = (int64_t) napcoll_node_map_place(map, rank) + message->away;

    return napcoll_node_map_at(map, (int) (place < map->size ? place : place - map->size));
}

/* The other end of a rank's i-th message in its peer's stage; -1: it is not there yet. Of several
 * between the same ranks that have not met yet, the first is the other end of the first. */
static int other_end(const napcoll_node_map_t *map, const member_t *member,
                     const napcoll_like_stage_t *stage, int i, const member_t *other,
                     const napcoll_like_stage_t *theirs)
{
    const napcoll_like_message_t *message = &stage->message[i];
    int before = 0;

    for (int j = 0; j < i; j++) {
        before += stage->message[j].away == message->away && stage->message[j].kind == message->kind
                  && !has_met(member, j);
    }
    for (int j = 0; j < theirs->messages; j++) {
        if (theirs->message[j].away == map->size - message->away
            && theirs->message[j].kind != message->kind && !has_met(other, j) && 0 == before--) {
            return j;
        }
    }
    return -1;
}

/* Whether two messages are of the same blocks. */
static bool are_ends(const member_t *member, const napcoll_like_message_t *message,
                     const member_t *other, const napcoll_like_message_t *end)
{
    const napcoll_like_buffers_t *buffers = member->buffers, *theirs = other->buffers;

    return buffers->layout == theirs->layout && buffers->blocks == theirs->blocks
           && message->headed == end->headed && message->span.count == end->span.count
           && (NAPCOLL_LAYOUT_SLOTS == buffers->layout
               || message->span.first + member->shift[member->at]
                      == end->span.first + other->shift[other->at]);
}

/* Note what a message brings. */
static bool take_in(worker_t *worker, const member_t *member, const napcoll_like_span_t *dst,
                    const member_t *other, const napcoll_like_span_t *left)
{
    worker->messages++;
    return napcoll_round_values_take(
        &other->values, napcoll_like_index(other->buffers, left, other->shift[other->at]),
        napcoll_like_index(member->buffers, dst, member->shift[member->at]), dst->count,
        &worker->arrival, &worker->arrivals, &worker->arrival_room);
}

/* The messages of a rank's stage meet their other ends. */
static bool meet(worker_t *worker, int rank)
{
    const proof_t *proof = worker->proof;
    member_t *member = &proof->member[rank];
    const napcoll_like_stage_t *stage = stage_of(member);

    if (NULL == stage) {
        return true;
    }
    member->finder = (int32_t) (worker - proof->worker);
    member->arrival = worker->arrivals;
    for (int i = 0; i < stage->messages; i++) {
        const napcoll_like_message_t *message = &stage->message[i];
        const member_t *other = &proof->member[peer_of(proof->map, rank, message)];
        const napcoll_like_stage_t *theirs = stage_of(other);
        const int end = NULL == theirs || has_met(member, i)
                            ? -1
                            : other_end(proof->map, member, stage, i, other, theirs);

        if (end < 0) {
            continue;
        }
        if (!are_ends(member, message, other, &theirs->message[end])
            || (NAPCOLL_STEP_RECV == message->kind
                && !take_in(worker, member, &message->span, other, &theirs->message[end].span))) {
            return false;
        }
        member->meets |= (uint64_t) 1 << i;
    }
    member->arrivals = (int32_t) (worker->arrivals - member->arrival);
    return true;
}

/* What messages have brought comes into its blocks. */
static bool arrive(worker_t *worker, member_t *member)
{
    proof_t *proof = worker->proof;
    const napcoll_round_arrival_t *arrival = proof->worker[member->finder].arrival
                                             + member->arrival;

    for (int i = 0; i < member->arrivals; i++) {
        if (!napcoll_round_values_set(&proof->values, &member->values, arrival[i].index,
                                      arrival[i].count, arrival[i].value)) {
            return false;
        }
    }
    return true;
}

/* Forget a temporary that is not read any more. */
static bool forget(worker_t *worker, member_t *member, const napcoll_like_span_t *span)
{
    const int32_t *at = &member->buffers->at[span->buffer];

    return !span->last_read
           || napcoll_round_values_set(&worker->proof->values, &member->values, at[0],
                                       at[1] - at[0], (value_t){.count = 0});
}

/* Do the work of a rank's stage. */
static bool do_work(worker_t *worker, member_t *member)
{
    const napcoll_like_stage_t *stage = stage_of(member);
    const int32_t shift = member->shift[member->at];
    bool ok = true;

    for (int i = 0; i < stage->works && ok; i++) {
        ok = napcoll_round_values_work(&worker->proof->values, &member->values, member->buffers,
                                       &stage->work[i], shift);
    }
    for (int i = 0; i < stage->messages && ok; i++) {
        ok = forget(worker, member, &stage->message[i].span);
    }
    for (int i = 0; i < stage->works && ok; i++) {
        ok = forget(worker, member, &stage->work[i].left)
             && forget(worker, member, &stage->work[i].right);
    }
    return ok;
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
    if (!arrive(worker, member)) {
        return false;
    }
    worker->moved += 0 != member->meets;
    member->met |= member->meets;
    member->meets = 0;
    while (met < stage->messages && has_met(member, met)) {
        met++;
    }
    if (met == stage->messages) {
        if (!do_work(worker, member)) {
            return false;
        }
        worker->moved++;
        member->met = 0;
        member->at++;
    }
    worker->left += NULL != stage_of(member);
    return true;
}

/* A result has all contributions or, of a broadcast, the root's. Complete values of a block have
 * the same bits on all ranks. */
static bool check_result(worker_t *worker, int rank)
{
    const proof_t *proof = worker->proof;
    const napcoll_claim_t *claim = proof->claim;
    const bool brings = NAPCOLL_GOAL_BCAST == claim->goal;
    const uint64_t sum = brings ? napcoll_prover_contribution(claim->root).sum : proof->values.sum;
    const member_t *member = &proof->member[rank];
    const int32_t *at = &member->buffers->at[NAPCOLL_BUFFER_RECV];
    int run = napcoll_run_map_find(&member->values, at[0]);

    if (!napcoll_goal_takes(claim->goal, claim->root, rank)) {
        return true;
    }
    for (int first = at[0]; first < at[1]; first = napcoll_run_map_end(&member->values, run++)) {
        value_t result;

        memcpy(&result, napcoll_run_map_item(&member->values, run), sizeof(result));
        if (result.count != (brings ? 1 : proof->map->size) || result.sum != sum
            || (claim->noncommutative && !result.in_order)) {
            return false;
        }
    }
    return true;
}

/* Complete values are reduced by halves, where that is claimed. */
static bool check_canonical(const proof_t *proof)
{
    const uint64_t halves = napcoll_prover_bracket_by_halves(0, proof->map->size);

    for (int b = 0; proof->claim->canonical && b < proof->values.blocks; b++) {
        const uint64_t bracketing = atomic_load(&proof->values.complete[b]);

        if (0 != bracketing && halves != bracketing) {
            return false;
        }
    }
    return true;
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
        worker[i].arrivals = 0;
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

    while (ok && !ended) {
        ok = take_round(worker, jobs, &ended) && atomic_load(&proof->values.bytes) <= most_bytes;
    }
    return ok && for_all(worker, jobs, check_result) && check_canonical(proof);
}

/* Begin the values of all ranks, which have as many blocks as rank 0. */
static bool begin_values(proof_t *proof)
{
    napcoll_round_values_t *values = &proof->values;

    proof->first = proof->source(proof->context, 0);
    values->claim = proof->claim;
    values->size = proof->map->size;
    values->blocks = NULL == proof->first ? 0 : proof->first->blocks;
    for (int rank = 0; rank < values->size; rank++) {
        values->sum += napcoll_prover_contribution(rank).sum;
    }
    values->complete = values->blocks > 0
                           ? calloc((size_t) values->blocks, sizeof(*values->complete))
                           : NULL;
    return NULL != values->complete;
}

static void free_proof(proof_t *proof, int jobs)
{
    for (int rank = 0; rank < proof->map->size && NULL != proof->member; rank++) {
        free(proof->member[rank].stage);
        napcoll_run_map_free(&proof->member[rank].values);
    }
    for (int i = 0; i < jobs && NULL != proof->worker; i++) {
        napcoll_like_stages_free(&proof->worker[i].known);
        free(proof->worker[i].arrival);
    }
    napcoll_plan_free(proof->first);
    free(proof->values.complete);
    free(proof->member);
    free(proof->worker);
}

bool napcoll_prove_in_rounds(napcoll_plan_source_t source, void *context,
                             const napcoll_node_map_t *map, const napcoll_claim_t *claim, int jobs,
                             napcoll_verdict_t *verdict)
{
    proof_t proof = {.source = source, .context = context, .map = map, .claim = claim};
    bool ok;

    proof.worker = calloc((size_t) jobs, sizeof(*proof.worker));
    proof.member = calloc((size_t) map->size, sizeof(*proof.member));
    ok = NULL != proof.worker && NULL != proof.member && begin_values(&proof) && map->size > 1
         && napcoll_rounds_suit(claim->goal);
    for (int i = 0; i < jobs && ok; i++) {
        proof.worker[i].proof = &proof;
        proof.worker[i].known.map = map;
        proof.worker[i].known.claim = claim;
    }
    ok = ok && prove(proof.worker, jobs);
    *verdict = (napcoll_verdict_t){.rank = -1, .stage = -1, .step = -1, .text = "ok"};
    verdict->results = verdict->plans = ok ? map->size : 0;
    for (int i = 0; i < jobs && ok; i++) {
        verdict->messages += proof.worker[i].messages;
    }
    free_proof(&proof, jobs);
    return ok;
}
