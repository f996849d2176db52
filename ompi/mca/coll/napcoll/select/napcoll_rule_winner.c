/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "select/napcoll_rule_winner.h"

#include <stddef.h>

#include "model/napcoll_robust.h"

/* Who takes less than the previous function by so much does so also where few turns or noise leave that unproven. */
static const double clearly = 0.15;

/* Whether the previous function takes no longer than another, as far as is known. */
static bool is_as_fast(const napcoll_rule_contestant_t *previous,
                       const napcoll_rule_contestant_t *other, int turns, double matters)
{
    return previous->median <= (1 + clearly) * other->median
           && !napcoll_robust_longer(previous->seconds, other->seconds, turns, matters);
}

int napcoll_rule_winner(const napcoll_rule_contestant_t *contestant, int count, int turns,
                        double matters)
{
    bool slower = false;
    int fastest = 0, winner;

    for (int i = 1; i < count; i++) {
        if (NULL != contestant[i].seconds) {
            slower = slower
                     || napcoll_robust_longer(contestant[0].seconds, contestant[i].seconds, turns,
                                              matters);
            fastest = contestant[i].median < contestant[fastest].median ? i : fastest;
        }
    }
    winner = slower ? fastest : 0;
    for (int i = 0; i < count; i++) {
        if (contestant[i].previous && NULL != contestant[i].seconds
            && is_as_fast(&contestant[i], &contestant[winner], turns, matters)) {
            winner = i;
        }
    }
    return winner;
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
