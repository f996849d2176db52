/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Sets of ranks (see the header).
 */

#include "plan/napcoll_rank_set.h"

#include <stdlib.h>

void napcoll_rank_set_clear(napcoll_rank_set_t *set)
{
    free(set->interval);
    *set = (napcoll_rank_set_t){0};
}

/* Append an interval that does not begin before those that are there. */
static void append(napcoll_rank_set_t *set, napcoll_interval_t next)
{
    napcoll_interval_t *last = set->intervals > 0 ? &set->interval[set->intervals - 1] : NULL;

    if (NULL == last || next.low > last->high) {
        set->interval[set->intervals++] = next;
    } else if (next.high > last->high) {
        last->high = next.high;
    }
}

bool napcoll_rank_set_add(napcoll_rank_set_t *set, const napcoll_rank_set_t *more)
{
    napcoll_rank_set_t merged = {0};
    int a = 0, b = 0;

    if (0 == more->intervals) {
        return true;
    }
    merged.interval = malloc((size_t) (set->intervals + more->intervals)
                             * sizeof(*merged.interval));
    if (NULL == merged.interval) {
        return false;
    }
    while (a < set->intervals || b < more->intervals) {
        if (b == more->intervals
            || (a < set->intervals && set->interval[a].low <= more->interval[b].low)) {
            append(&merged, set->interval[a++]);
        } else {
            append(&merged, more->interval[b++]);
        }
    }
    free(set->interval);
    *set = merged;
    return true;
}

bool napcoll_rank_set_is_all(const napcoll_rank_set_t *set, int size)
{
    return 1 == set->intervals && 0 == set->interval[0].low && size == set->interval[0].high;
}

int napcoll_rank_set_first_missing(const napcoll_rank_set_t *set)
{
    return 0 == set->intervals || set->interval[0].low > 0 ? 0 : set->interval[0].high;
}
