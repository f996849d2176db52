/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Who is to do a collective of a size, by what several ways of doing it took in turns. Pure: no MPI in here.
 */

#ifndef NAPCOLL_RULE_WINNER_H
#define NAPCOLL_RULE_WINNER_H

#include <stdbool.h>

/** One way, as it was measured. */
typedef struct napcoll_rule_contestant {
    const double *seconds; /**< [turns]; NULL: it was so slow that it was dropped */
    double median;         /**< of these */
    bool previous;         /**< it is the fallback function */
} napcoll_rule_contestant_t;

/** Turns, in which all contestants were measured: at one time, and the rest at another, if there was any. */
typedef struct napcoll_rule_turns {
    int all;
    int looked; /**< at the first time */
} napcoll_rule_turns_t;

/**
 * Who is to do it: the first, which is what auto would do, unless any is known to be faster than that: beyond noise
 * (napcoll_robust_longer), or by more than 15 %, and at each of both times in more than half of the turns; then the fastest of
 * all of napcoll's, though it may be so only by chance among those that are faster than auto. But the fallback function wherever neither of these two is known to be faster
 * than it: napcoll is never to be slower than that.
 *
 * @param[in] contestant  [count], of which the first was not dropped
 * @param[in] count       at least 1
 * @param[in] turns       in which all were measured that have seconds
 * @param[in] matters     by which share two times have to differ
 *
 * @return the contestant
 */
int napcoll_rule_winner(const napcoll_rule_contestant_t *contestant, int count,
                        const napcoll_rule_turns_t *turns, double matters);

/**
 * Whether a way is not to be measured further, as it can hardly be the fastest: in each of the turns it took longer than
 * the fastest by more than a share.
 *
 * @param[in] seconds  [turns] what it took, by turn
 * @param[in] fastest  [turns] what the one of least median took in these turns
 * @param[in] turns    at least 1
 * @param[in] share    0.3 for three tenths
 */
bool napcoll_rule_is_behind(const double *seconds, const double *fastest, int turns, double share);

#endif /* NAPCOLL_RULE_WINNER_H */
