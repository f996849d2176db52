/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether ranks should agree on sizes that no rank knows alone, those of MPI_Alltoallv and MPI_Alltoallw, so that
 * auto can choose by them. Agreeing is an allreduce, or a broadcast; what it gains depends on the sizes, which are
 * only known afterwards. What auto does where they should not. And when they need not agree in every call. Pure: no
 * MPI in here.
 */

#ifndef NAPCOLL_AGREEMENT_H
#define NAPCOLL_AGREEMENT_H

#include "select/napcoll_recall.h"

/** What agreeing costs and gains, all estimated on the model of the machine. */
typedef struct napcoll_agreement {
    double cost_us; /**< of telling: an allreduce, or the root's broadcast */
    /** of the smallest blocks, by the best algorithm that sends each straight to its end; INFINITY on so many
     * ranks that auto tries none of these */
    double direct_us;
    double cheapest_us; /**< of the smallest blocks, by the best of all algorithms */
    bool pays;
} napcoll_agreement_t;

enum {
    NAPCOLL_AGREED_BYTES = 24,    /**< of what ranks reduce in order to agree */
    NAPCOLL_ANNOUNCED_BYTES = 16, /**< of what the root of a gatherv or scatterv broadcasts */
    NAPCOLL_AGREEMENT_PART =
        10, /**< agreeing may take one part in so many of calls that go straight, over many of them */
    NAPCOLL_BOUNDED_BYTES =
        1024 * 1024, /**< ranks times the largest block, up to which sizes go along with blocks,
                          unless users say otherwise */
    NAPCOLL_MOST_PATIENCE = 8, /**< calls in a row that do without after one that went straight */
    /** calls in a row that go straight where sizes leap, or few blocks have any: at first, and at
     * most */
    NAPCOLL_LEAST_BACK_OFF = 16,
    NAPCOLL_MOST_BACK_OFF = 256,
    /** sizes leap where the mean grows or shrinks by this factor, and the larger one is over
     * NAPCOLL_LEAP_BYTES */
    NAPCOLL_LEAP = 8,
    NAPCOLL_LEAP_BYTES = 1024,
};

/** How ranks come to agree on the sizes of a collective's blocks: where the root knows them all, it tells the others. */
static inline const napcoll_collective_t *napcoll_agreement_by(
    const napcoll_collective_t *collective)
{
    return napcoll_goal_is_rooted(collective->goal) ? &napcoll_bcast : &napcoll_allreduce;
}

/** The bytes of that. */
static inline size_t napcoll_agreement_bytes(const napcoll_collective_t *collective)
{
    return napcoll_goal_is_rooted(collective->goal) ? NAPCOLL_ANNOUNCED_BYTES
                                                    : NAPCOLL_AGREED_BYTES;
}

/**
 * Reckon whether it pays to agree. It does where, with small blocks, more is gained than telling costs, and
 * where with any blocks, of which auto may find that they had better go straight, no more is lost than one part in
 * NAPCOLL_AGREEMENT_PART, over calls that go straight, of which they agree in one of NAPCOLL_MOST_PATIENCE + 1.
 *
 * @param[in,out] recall      of decisions
 * @param[in]     collective  the all-to-all, gather or scatter
 * @param[in]     settings    of it; `force` does not matter
 * @param[in]     telling     of napcoll_agreement_by(collective); `force` does not matter
 * @param[in]     map         the communicator's
 * @param[out]    agreement   the same on all ranks
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_agreement(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_settings_t *telling,
                      const napcoll_node_map_t *map, napcoll_agreement_t *agreement);

/** The decision on calls on whose sizes ranks do not agree: the fallback function, for all sizes. The model cannot
 * tell whether an algorithm suits blocks of unknown size. */
napcoll_decision_t napcoll_agreement_without(void);

/** How long ranks do without agreeing, once they have found that blocks had better go straight: for that they need no sizes,
 * and whoever sends large blocks mostly does so again. Small blocks after large ones then go straight, too, as they
 * would without napcoll, until ranks agree again. Agreeing costs more than its messages, as it has all wait for the
 * slowest before any has sent something. A gather in which sizes go along spares calls as well, of the same root: what is
 * larger than agreed, which its rank and the root know without a word, goes straight after the others.
 * All zero: they agree in the next call. */
typedef struct napcoll_patience {
    int calls; /**< to come that need not agree */
    int turn;  /**< how many there were the last time */
    /** how many the last back-off had, halved by each agreement without one since */
    int back_off;
} napcoll_patience_t;

/** Whether the next call does without agreeing; counts it. */
static inline bool napcoll_patience_spares(napcoll_patience_t *patience)
{
    const bool spares = patience->calls > 0;

    patience->calls -= spares;
    return spares;
}

/** What came of a call in which ranks have agreed: one that goes without sizes spares 1, and as long as sizes are `alike`
 * 2, 4, then 8. */
static inline void napcoll_patience_learn(napcoll_patience_t *patience, bool unsized, bool alike)
{
    const int more = 0 == patience->turn || !alike ? 1 : 2 * patience->turn;

    patience->turn = !unsized ? 0 : more > NAPCOLL_MOST_PATIENCE ? NAPCOLL_MOST_PATIENCE : more;
    patience->calls = patience->turn;
    patience->back_off /= 2;
}

/** Agreeing did not pay: sizes leap from call to call, or few blocks have any. The next calls go
 * straight; 16 at first, and twice as many whenever that turns out once more, up to 256. So one
 * agreement, and one call that is run again, are a small part of many calls. */
static inline void napcoll_patience_back_off(napcoll_patience_t *patience)
{
    const int more = 2 * patience->back_off;

    patience->back_off = more < NAPCOLL_LEAST_BACK_OFF  ? NAPCOLL_LEAST_BACK_OFF
                         : more > NAPCOLL_MOST_BACK_OFF ? NAPCOLL_MOST_BACK_OFF
                                                        : more;
    patience->calls = patience->back_off;
    patience->turn = 0;
}

/** Whether sizes leap: from one mean of all blocks to another. */
static inline bool napcoll_patience_leaps(size_t then, size_t now)
{
    const size_t more = then > now ? then : now, less = then > now ? now : then;

    return more > NAPCOLL_LEAP_BYTES && more / NAPCOLL_LEAP >= less;
}

/** Whether so few blocks have bytes that they had better go straight: of `most` that could. Of a
 * gather or scatter `ranks` is 1: the root has a message for each block. */
static inline bool napcoll_agreement_finds_few(size_t blocks, size_t most, size_t ranks)
{
    enum { EACH = 2, ROOT = 8 };
    const size_t many = 1 == ranks ? ROOT : EACH * ranks;

    return blocks <= 1 || (blocks <= many && blocks <= most / 4);
}

/**
 * How far ranks rely on the sizes on which they agreed last, in calls by plans whose messages can say that these hold
 * no longer (napcoll_algorithm_tells). A rank that doubts says so in the messages of the call, and all agree in
 * the next one: where it sends much more or less, or, where rules decide by the very mean, anything else.
 * A rank with a block larger than agreed, for which others have no room, breaks the call: all hear that, agree and run it
 * again; so that this stays rare, they then agree for some calls, and for more after each break. All zero: they agree in
 * the next call.
 */
typedef struct napcoll_trust {
    bool holds;  /**< the next call relies on them */
    int wary;    /**< calls to come in which ranks agree all the same */
    int caution; /**< how many these were the last time, less the calls that have held since */
} napcoll_trust_t;

enum {
    NAPCOLL_MOST_CAUTION = 64,
    NAPCOLL_TRUST_SLACK =
        8, /**< bytes of a block, on average, by which sizes may differ without doubt */
};

/** What came of a call in which ranks have agreed: a plan whose messages tell, or another. */
static inline void napcoll_trust_learn(napcoll_trust_t *trust, bool tells)
{
    trust->holds = tells && 0 == trust->wary;
    trust->wary -= trust->wary > 0;
}

/** What was heard in a call that relied on them; the same on all ranks. */
static inline void napcoll_trust_hear(napcoll_trust_t *trust, bool doubt, bool broken)
{
    if (broken) {
        const int more = 2 * trust->caution + 1;

        trust->wary = trust->caution = more > NAPCOLL_MOST_CAUTION ? NAPCOLL_MOST_CAUTION : more;
    } else {
        trust->caution -= trust->caution > 0;
    }
    trust->holds = !doubt && !broken;
}

/** Whether a rank doubts: it sends less than half, or more than twice, of what it sent in so many blocks when ranks
 * agreed. */
static inline bool napcoll_trust_doubts(size_t then, size_t now, int blocks)
{
    const size_t slack = NAPCOLL_TRUST_SLACK * (size_t) blocks;

    return (now / 2 > then && now / 2 - then > slack) || (then / 2 > now && then / 2 - now > slack);
}

#endif /* NAPCOLL_AGREEMENT_H */
