/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Sets of ranks (see the header).
 */

#include "verify/napcoll_rank_set.h"

#include <stdlib.h>

void napcoll_rank_set_clear(napcoll_rank_set_t *set)
{
    free(set->interval);
    *set = (napcoll_rank_set_t){0};
}

bool napcoll_rank_set_add(napcoll_rank_set_t *set, const napcoll_rank_set_t *more)
{
    const int both = set->intervals + more->intervals;
    napcoll_rank_set_t merged = {0};

    if (0 == more->intervals) {
        return true;
    }
    merged.interval = malloc((size_t) both * sizeof(*merged.interval));
    if (NULL == merged.interval) {
        return false;
    }
    for (int a = 0, b = 0; a + b < both;) {
        const bool first = b == more->intervals
                           || (a < set->intervals && set->interval[a].low <= more->interval[b].low);
        const napcoll_interval_t next = first ? set->interval[a++] : more->interval[b++];
        const int last = merged.intervals - 1;

        if (last < 0 || next.low > merged.interval[last].high) {
            merged.interval[merged.intervals++] = next;
        } else if (next.high > merged.interval[last].high) {
            merged.interval[last].high = next.high;
        }
    }
    free(set->interval);
    *set = merged;
    return true;
}

int napcoll_rank_set_first_missing(const napcoll_rank_set_t *set)
{
    return 0 == set->intervals || set->interval[0].low > 0 ? 0 : set->interval[0].high;
}
