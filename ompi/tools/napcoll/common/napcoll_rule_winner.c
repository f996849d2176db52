/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/napcoll_rule_winner.h"

#include <stddef.h>

#include "common/napcoll_robust.h"

/* Who takes less by so much is faster also where few turns or noise leave that unproven. */
static const double clearly = 0.15;

/* Whether one was faster than another in more than half of some turns. */
static bool leads(const napcoll_rule_contestant_t *one, const napcoll_rule_contestant_t *other,
                  int from, int to)
{
    int faster = 0;

    for (int turn = from; turn < to; turn++) {
        faster += one->seconds[turn] < other->seconds[turn];
    }
    return 2 * faster > to - from;
}

/* Whether one is known to be faster than another: beyond noise, or clearly, and both times. */
static bool is_faster(const napcoll_rule_contestant_t *one, const napcoll_rule_contestant_t *other,
                      const napcoll_rule_turns_t *turns, double matters)
{
    return ((1 + clearly) * one->median < other->median
            || napcoll_robust_longer(other->seconds, one->seconds, turns->all, matters))
           && leads(one, other, 0, turns->looked)
           && (turns->all == turns->looked || leads(one, other, turns->looked, turns->all));
}

int napcoll_rule_winner(const napcoll_rule_contestant_t *contestant, int count,
                        const napcoll_rule_turns_t *turns, double matters)
{
    bool slower = false;
    int fastest = 0, previous = -1, own;

    for (int i = 0; i < count; i++) {
        if (NULL == contestant[i].seconds) {
            continue;
        }
        slower = slower || is_faster(&contestant[i], &contestant[0], turns, matters);
        if (contestant[i].previous) {
            previous = i;
        }
        if (!contestant[i].previous
            && (contestant[fastest].previous
                || contestant[i].median < contestant[fastest].median)) {
            fastest = i;
        }
    }
    own = slower ? fastest : 0;
    if (previous < 0 || previous == fastest
        || is_faster(&contestant[own], &contestant[previous], turns, matters)) {
        return own;
    }
    return is_faster(&contestant[fastest], &contestant[previous], turns, matters) ? fastest
                                                                                  : previous;
}

bool napcoll_rule_is_behind(const double *seconds, const double *fastest, int turns, double share)
{
    for (int i = 0; i < turns; i++) {
        if (seconds[i] <= (1 + share) * fastest[i]) {
            return false;
        }
    }
    return true;
}
