/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether ranks should agree on block sizes that no rank knows alone: the sizes of MPI_Alltoallv,
 * Gatherv and Scatterv, so that auto can choose by them; and for how many calls they rely on what
 * they agreed on. Agreeing is an allreduce, or a broadcast of the root. Pure: no MPI in here.
 */

#ifndef NAPCOLL_AGREEMENT_H
#define NAPCOLL_AGREEMENT_H

#include "select/napcoll_select.h"

/** What agreeing costs and gains, all estimated on the model of the machine. */
typedef struct napcoll_agreement {
    /** of the allreduce or broadcast */
    double cost_us;
    /** of the smallest blocks, by the best algorithm that sends each directly to its destination;
     * INFINITY if auto tries none of these on this number of ranks */
    double direct_us;
    /** of the smallest blocks, by the best of all algorithms */
    double cheapest_us;
    bool pays;
} napcoll_agreement_t;

enum {
    /** of the allreduce */
    NAPCOLL_AGREED_BYTES = 24,
    /** of the broadcast by the root of a gatherv or scatterv */
    NAPCOLL_ANNOUNCED_BYTES = 16,
    /** agreeing may take this part of the time of direct calls, in the long run */
    NAPCOLL_AGREEMENT_PART = 10,
    /** ranks times the largest block, up to which sizes travel with blocks, unless users set it */
    NAPCOLL_BOUNDED_BYTES = 1024 * 1024,
    /** calls in a row without agreeing after a direct one */
    NAPCOLL_MOST_PATIENCE = 8,
    /** direct calls in a row where sizes leap, or few blocks have any: at first, and at most */
    NAPCOLL_LEAST_BACK_OFF = 16,
    NAPCOLL_MOST_BACK_OFF = 256,
    /** sizes leap if the mean changes by this factor, and the larger one is over NAPCOLL_LEAP_BYTES
     * */
    NAPCOLL_LEAP = 8,
    NAPCOLL_LEAP_BYTES = 1024,
};

/** The collective by which ranks agree on the sizes of another one: the root of a rooted one
 * broadcasts them. */
static inline const napcoll_collective_t *napcoll_agreement_by(
    const napcoll_collective_t *collective)
{
    return napcoll_goal_is_rooted(collective->goal) ? &napcoll_bcast : &napcoll_allreduce;
}

/** Its bytes. */
static inline size_t napcoll_agreement_bytes(const napcoll_collective_t *collective)
{
    return napcoll_goal_is_rooted(collective->goal) ? NAPCOLL_ANNOUNCED_BYTES
                                                    : NAPCOLL_AGREED_BYTES;
}

/**
 * Estimate whether it pays to agree: small blocks gain more than agreeing costs, and large blocks,
 * which auto sends directly in any case, lose at most one part in NAPCOLL_AGREEMENT_PART if ranks
 * agree in one of NAPCOLL_MOST_PATIENCE + 1 calls.
 *
 * @param[in]  collective  the all-to-all, gather or scatter
 * @param[in]  settings    of it; force and rules do not matter
 * @param[in]  telling     of napcoll_agreement_by(collective), likewise
 * @param[in]  map         the communicator's
 * @param[out] agreement   the same on all ranks
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_agreement(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                      const napcoll_settings_t *telling, const napcoll_node_map_t *map,
                      napcoll_agreement_t *agreement);

/** The decision on calls on whose sizes ranks do not agree: the fallback function, for all sizes.
 * The model cannot tell whether an algorithm suits blocks of unknown size. */
napcoll_decision_t napcoll_agreement_without(void);

/** How long ranks do without agreeing after a call whose blocks went directly: large blocks need no
 * agreement, and mostly large blocks follow. Agreeing costs more than its messages, as all ranks
 * wait for the slowest. A gather whose sizes travel with the blocks does so, too, while the root
 * stays the same: a block larger than agreed goes to the root in a message of its own. All zero:
 * ranks agree in the next call. */
typedef struct napcoll_patience {
    /** calls to come that need not agree */
    int calls;
    /** how many there were the last time */
    int turn;
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

/** Learn from a call in which ranks have agreed: a direct one spares 1 call, and as long as sizes
 * are `alike` 2, 4, then 8. */
static inline void napcoll_patience_learn(napcoll_patience_t *patience, bool unsized, bool alike)
{
    if (!unsized || 0 == patience->turn || !alike) {
        patience->turn = unsized;
    } else if (patience->turn < NAPCOLL_MOST_PATIENCE) {
        patience->turn *= 2;
    }
    patience->calls = patience->turn;
    patience->back_off /= 2;
}

/** Agreeing did not pay: sizes leap from call to call, or few blocks have any. The next 16 calls
 * are direct, and twice as many each time, up to 256. */
static inline void napcoll_patience_back_off(napcoll_patience_t *patience)
{
    patience->back_off *= 2;
    if (patience->back_off < NAPCOLL_LEAST_BACK_OFF) {
        patience->back_off = NAPCOLL_LEAST_BACK_OFF;
    } else if (patience->back_off > NAPCOLL_MOST_BACK_OFF) {
        patience->back_off = NAPCOLL_MOST_BACK_OFF;
    }
    patience->calls = patience->back_off;
    patience->turn = 0;
}

/** Whether sizes leap: from one mean of all blocks to another. */
static inline bool napcoll_patience_leaps(size_t then, size_t now)
{
    const size_t more = then > now ? then : now;
    const size_t less = then > now ? now : then;

    return more > NAPCOLL_LEAP_BYTES && more / NAPCOLL_LEAP >= less;
}

/** Whether so few of `most` blocks have bytes that all should go directly. For a gather or scatter
 * `ranks` is 1: the root has a message for each block. */
static inline bool napcoll_agreement_finds_few(size_t blocks, size_t most, size_t ranks)
{
    enum { EACH = 2, ROOT = 8 };
    const size_t many = 1 == ranks ? ROOT : EACH * ranks;

    return blocks <= 1 || (blocks <= many && blocks <= most / 4);
}

/**
 * How far ranks rely on the sizes of the last agreement, in calls by plans whose messages tell all
 * ranks whether these still hold (napcoll_algorithm_announces). A rank that sends much more or
 * less, or anything else where rules decide by the exact mean, says so, and all agree in the next
 * call. A rank with a block larger than agreed breaks the call: all agree and run it again, and
 * then agree for some calls, for more after each break. All zero: ranks agree in the next call.
 */
typedef struct napcoll_trust {
    /** the next call relies on the sizes */
    bool holds;
    /** calls to come in which ranks agree in any case */
    int wary;
    /** how many these were the last time, less the calls that have held since */
    int caution;
} napcoll_trust_t;

enum {
    NAPCOLL_MOST_CAUTION = 64,
    /** bytes of a block, on average, by which sizes may differ without doubt */
    NAPCOLL_TRUST_SLACK = 8,
};

/** Learn from a call in which ranks have agreed; `tells`: by a plan whose messages tell. */
static inline void napcoll_trust_learn(napcoll_trust_t *trust, bool tells)
{
    trust->holds = tells && 0 == trust->wary;
    trust->wary -= trust->wary > 0;
}

/** Learn what messages told in a call that relied on the sizes; the same on all ranks. */
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

/** Whether a rank doubts: it sends less than half, or more than twice, of what it sent at the
 * agreement. */
static inline bool napcoll_trust_doubts(size_t then, size_t now, int blocks)
{
    const size_t slack = NAPCOLL_TRUST_SLACK * (size_t) blocks;

    return (now / 2 > then && now / 2 - then > slack) || (then / 2 > now && then / 2 - now > slack);
}

#endif /* NAPCOLL_AGREEMENT_H */
