/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The sizes by which an uneven all-to-all, gather or scatter is decided (see
 * coll_napcoll_blocks.h).
 *
 *     MPI_Alltoallv, _alltoallw   an allreduce of three numbers, or the mean that the user gives
 *     MPI_Gatherv, _Scatterv      a broadcast of two numbers by the root, who knows all sizes
 *
 * Ranks need them for auto, for rules on sizes, for the limit on memory in transit and for the
 * pieces into which blocks are cut. An agreement makes all ranks wait for the slowest, so later
 * calls use its result: where messages of the plan say that sizes no longer hold (trust), or where
 * the call does not depend on them (patience; see select/napcoll_agreement.h).
 */

#include "coll_napcoll_blocks.h"

/* ---- MPI_Alltoallv and MPI_Alltoallw ---- */

/* A decision holds from one power of two to the next, and is estimated at the larger one. Means
 * that vary around a power of two shall lead to that one. */
static size_t class_of_mean(double mean)
{
    return (size_t) (0.75 * mean + 1);
}

static double square(double x, int times)
{
    for (int i = 0; i < times; i++) {
        x *= x;
    }
    return x;
}

static bool is_forced_to(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, int force)
{
    return force == mca_coll_napcoll_force_any_size(napcoll, coll);
}

/* The largest block of any rank, from the number that all ranks know, which was squared some times:
 * the next power of two, which leaves room for later calls. 0 would mean that it is not known. */
static void set_largest(napcoll_call_t *call, double squared, int times, size_t ranks)
{
    call->largest = 1;
    while (square((double) call->largest, times) < squared && call->largest <= SIZE_MAX / 2) {
        call->largest *= 2;
    }
    call->bounded = call->largest <= mca_coll_napcoll_component.bounded_bytes / ranks;
}

/* Agree in one sum: the 16th root of the sum of the largest blocks' 16th powers is at least the
 * largest, and at most P^(1/16) times it. */
static int agree_by_sum(mca_coll_napcoll_module_t *napcoll,
                        const napcoll_personalized_t *personalized, napcoll_call_t *call)
{
    enum { SENT, LARGEST, MESSAGES, NUMBERS, SQUARINGS = 4 };
    const size_t ranks = (size_t) napcoll->map->size;
    size_t sent, largest;
    double number[NUMBERS], mean;
    int rc;

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, 0, &sent, &largest);
    number[SENT] = (double) sent;
    number[LARGEST] = square((double) largest, SQUARINGS);
    number[MESSAGES] = napcoll_personalized_messages(personalized, NAPCOLL_BUFFER_SEND);
    rc = mca_coll_napcoll_allreduce(MPI_IN_PLACE, number, NUMBERS, &ompi_mpi_double.dt,
                                    &ompi_mpi_op_sum.op, napcoll->comm, &napcoll->super);
    mean = number[SENT] / (double) ranks / (double) ranks;
    /* a rule's bounds are compared with the mean itself */
    call->bytes = is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_BY_SIZE) ? (size_t) (mean + 0.5)
                                                                           : class_of_mean(mean);
    set_largest(call, number[LARGEST], SQUARINGS, ranks);
    call->sparse = is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_AUTO)
                   && napcoll_agreement_finds_few((size_t) number[MESSAGES], ranks * (ranks - 1),
                                                  ranks);
    return rc;
}

/* ---- MPI_Gatherv and MPI_Scatterv ---- */

/* What the root announces of the other ranks' blocks: their mean, rounded up, and the largest. */
enum { MEAN, LARGEST, NUMBERS };

/* A flag in the mean: few blocks have bytes, or most of the bytes, and all are sent directly. */
#define DIRECT (UINT64_C(1) << 63)

/* Whether a few blocks are far larger than the others, on so few ranks that the root should
 * exchange one message for each block. */
static bool few_are_large(const napcoll_block_t *block, size_t others, size_t mean)
{
    enum { MOST_OTHERS = 64, FAR = 8 };
    size_t large = 0;

    for (size_t i = 1; i <= others && others < MOST_OTHERS; i++) {
        large += block[i].bytes > mean / FAR;
    }
    return others < MOST_OTHERS && large <= (others < 4 ? 1 : others / 4);
}

/* The root's numbers. */
static void measure(mca_coll_napcoll_module_t *napcoll, const napcoll_personalized_t *personalized,
                    napcoll_coll_t coll, uint64_t number[NUMBERS])
{
    /* below, a few large blocks do not matter */
    enum { LARGE_BYTES = 16 * 1024 };
    const bool gather = NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[coll]->goal;
    const int buffer = gather ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    const size_t ranks = (size_t) napcoll->map->size, others = ranks > 1 ? ranks - 1 : 1;
    size_t sum, largest, messages;

    napcoll_personalized_sum(personalized, buffer, 1, &sum, &largest);
    messages = (size_t) napcoll_personalized_messages(personalized, buffer);
    number[MEAN] = sum / others + (0 != sum % others);
    number[LARGEST] = largest;
    if (is_forced_to(napcoll, coll, NAPCOLL_FORCE_AUTO)
        && (napcoll_agreement_finds_few(messages, others, 1)
            || (largest > LARGE_BYTES
                && few_are_large(personalized->block[buffer], others, sum / others)))) {
        number[MEAN] |= DIRECT;
    }
}

static int announce(mca_coll_napcoll_module_t *napcoll, const napcoll_personalized_t *personalized,
                    napcoll_call_t *call)
{
    uint64_t number[NUMBERS] = {0};
    int rc;

    if (ompi_comm_rank(napcoll->comm) == call->root) {
        measure(napcoll, personalized, call->coll, number);
    }
    rc = mca_coll_napcoll_bcast(number, sizeof(number), &ompi_mpi_byte.dt, call->root,
                                napcoll->comm, &napcoll->super);
    call->unsized = 0 != (number[MEAN] & DIRECT);
    call->bytes = (size_t) (number[MEAN] & ~DIRECT);
    set_largest(call, (double) number[LARGEST], 0, (size_t) napcoll->map->size);
    return rc;
}

/* ---- whether to agree ---- */

bool mca_coll_napcoll_is_uneven(napcoll_coll_t coll)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];

    return collective->uneven && napcoll_goal_is_personalized(collective->goal);
}

/* The mean block that the user gives, so that ranks need not agree; 0: none. */
static size_t given_mean(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll)
{
    return NAPCOLL_GOAL_ALLTOALL == mca_coll_napcoll_collectives[coll]->goal ? napcoll->mean_bytes
                                                                             : 0;
}

int mca_coll_napcoll_set_unsized(mca_coll_napcoll_module_t *napcoll, napcoll_call_t *call)
{
    const napcoll_agreement_t *agreement;
    int rc;

    if (!mca_coll_napcoll_is_uneven(call->coll) || given_mean(napcoll, call->coll) > 0
        || !is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_AUTO) || napcoll->map->nodes < 2) {
        return OMPI_SUCCESS;
    }
    if (mca_coll_napcoll_collectives[call->coll]->auto_falls_back) {
        call->unsized = true;
        return OMPI_SUCCESS;
    }
    rc = mca_coll_napcoll_agreement(napcoll, call->coll, &agreement);
    call->unsized = OMPI_SUCCESS == rc && !agreement->pays;
    return rc;
}

bool mca_coll_napcoll_must_agree(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call)
{
    const int force = mca_coll_napcoll_force_any_size(napcoll, call->coll);
    const napcoll_algorithm_t *algorithm;

    if (!mca_coll_napcoll_is_uneven(call->coll) || call->unsized
        || given_mean(napcoll, call->coll) > 0 || NAPCOLL_FORCE_FALLBACK == force
        || (NAPCOLL_FORCE_AUTO == force && napcoll->map->nodes < 2)) {
        return false;
    }
    /* auto, or rules on sizes */
    if (force < NAPCOLL_FORCE_FIRST) {
        return true;
    }
    algorithm = &mca_coll_napcoll_collectives[call->coll]->algorithm[force - NAPCOLL_FORCE_FIRST];
    return algorithm->cuts_blocks
           || (mca_coll_napcoll_component.transit_bytes > 0 && algorithm->store_and_forward);
}

int mca_coll_napcoll_decide(mca_coll_napcoll_blocks_t *b)
{
    napcoll_call_t *call = b->call;

    if (mca_coll_napcoll_is_uneven(call->coll)) {
        call->bytes = given_mean(b->napcoll, call->coll);
    } else {
        call->largest = call->bytes;
    }
    b->sizes = NAPCOLL_SIZES_KNOWN;
    return mca_coll_napcoll_plan_for(b->napcoll, call, b->stats, &b->entry, &b->plan);
}

/* ---- sizes of an earlier agreement ---- */

/* Take the sizes of the last agreement. */
static void reuse_sizes(const mca_coll_napcoll_agreed_t *last, napcoll_call_t *call)
{
    const int root = call->root;

    *call = last->call;
    call->root = root;
}

/* The blocks that this rank sends; of a scatter without the root's own. */
typedef struct {
    size_t bytes;
    int blocks;
    size_t largest;
} sent_t;

static sent_t measure_sent(const napcoll_personalized_t *personalized, napcoll_coll_t coll)
{
    const int first = napcoll_goal_is_rooted(mca_coll_napcoll_collectives[coll]->goal) ? 1 : 0;
    const int blocks = personalized->range[NAPCOLL_BUFFER_SEND].count - first;
    sent_t sent = {.blocks = blocks > 0 ? blocks : 0};

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, first, &sent.bytes, &sent.largest);
    return sent;
}

/* What this rank tells the others about the sizes on which all rely: NAPCOLL_SAID_... or nothing.
 * Where rules decide by the mean, any change of it asks for an agreement in the next call. */
static uint64_t compare_with_agreed(mca_coll_napcoll_module_t *napcoll,
                                    const mca_coll_napcoll_agreed_t *last,
                                    const napcoll_personalized_t *personalized)
{
    const napcoll_coll_t coll = last->call.coll;
    const sent_t now = measure_sent(personalized, coll);

    if (0 == now.blocks) {
        return 0;
    }
    if (now.largest > last->call.largest) {
        return NAPCOLL_SAID_BREAK;
    }
    return napcoll_trust_doubts(last->sent, now.bytes, now.blocks)
                   || (now.bytes != last->sent
                       && is_forced_to(napcoll, coll, NAPCOLL_FORCE_BY_SIZE))
               ? NAPCOLL_SAID_DOUBT
               : 0;
}

/* Whether ranks skip the agreement in this call, because an earlier one has shown that the call
 * does not need it; counts the call. */
static bool skips_agreement(mca_coll_napcoll_module_t *napcoll, const napcoll_call_t *call)
{
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    const bool applies = last->excludes_larger
                             ? call->root == last->call.root
                             : is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_AUTO)
                                   || is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_BY_SIZE);

    return applies && napcoll_patience_spares(&last->patience);
}

/* Get the sizes by which a call is decided, the same on all ranks. In place ranks do not trust old
 * sizes: a call that has to be run again has overwritten what it sent. */
static int get_sizes(mca_coll_napcoll_blocks_t *b, bool again)
{
    mca_coll_napcoll_module_t *napcoll = b->napcoll;
    napcoll_call_t *call = b->call;
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    napcoll_personalized_t *personalized = &b->operation->personalized;

    if (!again && skips_agreement(napcoll, call)) {
        reuse_sizes(last, call);
        b->sizes = last->excludes_larger ? NAPCOLL_SIZES_REUSED : NAPCOLL_SIZES_KNOWN;
        return OMPI_SUCCESS;
    }
    if (!again && last->trust.holds && call->root == last->call.root && !personalized->in_place) {
        reuse_sizes(last, call);
        personalized->said = compare_with_agreed(napcoll, last, personalized);
        b->sizes = NAPCOLL_SIZES_TRUSTED;
        return OMPI_SUCCESS;
    }
    b->sizes = NAPCOLL_SIZES_AGREED;
    return NAPCOLL_GOAL_ALLTOALL == mca_coll_napcoll_collectives[call->coll]->goal
               ? agree_by_sum(napcoll, personalized, call)
               : announce(napcoll, personalized, call);
}

/* Whether ranks have agreed to send all blocks directly, whatever their sizes. */
static inline bool is_direct(const napcoll_call_t *call)
{
    return call->unsized || call->sparse;
}

static void clear_sizes(napcoll_call_t *call)
{
    call->bytes = call->largest = 0;
    call->bounded = false;
}

/* Let the next calls send all blocks directly, without an agreement. */
static void suspend_agreement(mca_coll_napcoll_agreed_t *last, const napcoll_call_t *call)
{
    last->call = *call;
    last->call.unsized = !call->sparse;
    clear_sizes(&last->call);
    last->excludes_larger = false;
    last->trust.holds = false;
    napcoll_patience_back_off(&last->patience);
}

/* Whether a call did not depend on its sizes: all blocks were sent directly, or calls like it go to
 * the fallback function, by their decision or by the online check. */
static bool was_direct(const napcoll_cached_t *entry, bool by_napcoll)
{
    return by_napcoll ? 0 == entry->decided->slots
                      : entry->decided->decision.algorithm < 0
                            || (NULL != entry->trial && entry->trial->state.over
                                && NAPCOLL_CONTESTANT_FALLBACK == entry->trial->state.winner);
}

/* Whether blocks travelled with their sizes, so that ranks can rely on these in the next call
 * (napcoll_trust_t; of gathers napcoll_patience_t). */
static bool sent_sizes(const napcoll_cached_t *entry, bool by_napcoll)
{
    const napcoll_decided_t *decided = entry->decided;

    return by_napcoll && decided->slots > 0 && decided->key.call.bounded
           && mca_coll_napcoll_collectives[decided->key.call.coll]
                  ->algorithm[decided->decision.algorithm]
                  .announces
           && (NULL == entry->trial || entry->trial->state.over);
}

/* Remember an agreement, and how long it holds; before the call is run. `broken`: the sizes before
 * did not hold. One leap of the mean may be for good; after two in a row calls are direct for a
 * while. */
static void remember_sizes(const mca_coll_napcoll_blocks_t *b, size_t mean, bool broken)
{
    mca_coll_napcoll_module_t *napcoll = b->napcoll;
    const napcoll_call_t *call = b->call;
    const bool by_napcoll = NULL != b->plan;
    mca_coll_napcoll_agreed_t *last = &napcoll->agreed[call->coll];
    const bool leaps = last->known && (broken || napcoll_patience_leaps(last->mean, mean));
    const bool leaps_again = leaps && last->leapt;
    const bool gather = NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[call->coll]->goal;
    const bool with_sizes = mca_coll_napcoll_component.trust && sent_sizes(b->entry, by_napcoll);

    last->known = true;
    last->leapt = leaps;
    last->mean = mean;
    if (is_direct(call) || (leaps_again && is_forced_to(napcoll, call->coll, NAPCOLL_FORCE_AUTO))) {
        suspend_agreement(last, call);
        return;
    }
    last->excludes_larger = gather && with_sizes;
    napcoll_patience_learn(&last->patience,
                           last->excludes_larger || was_direct(b->entry, by_napcoll),
                           !napcoll_trust_doubts(last->call.bytes, call->bytes, 1));
    last->call = *call;
    napcoll_trust_learn(&last->trust, with_sizes && !gather);
    if (last->trust.holds) {
        last->sent = measure_sent(&b->operation->personalized, call->coll).bytes;
    }
}

int mca_coll_napcoll_agree_and_decide(mca_coll_napcoll_blocks_t *b, bool again)
{
    napcoll_call_t *call = b->call;
    int rc = get_sizes(b, again);
    const size_t mean = call->bytes;

    if (OMPI_SUCCESS == rc && NAPCOLL_SIZES_AGREED == b->sizes && is_direct(call)) {
        clear_sizes(call);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(b->napcoll, call, b->stats, &b->entry, &b->plan);
    }
    if (OMPI_SUCCESS == rc && NAPCOLL_SIZES_AGREED == b->sizes) {
        remember_sizes(b, mean, again);
    }
    return rc;
}
