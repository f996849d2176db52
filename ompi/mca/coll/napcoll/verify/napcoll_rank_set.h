/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Sets of ranks as intervals, which are few where neighbours have neighbouring numbers.
 */

#ifndef NAPCOLL_RANK_SET_H
#define NAPCOLL_RANK_SET_H

#include <stdbool.h>
#include <stdint.h>

/** Ranks [low, high). */
typedef struct napcoll_interval {
    int32_t low, high;
} napcoll_interval_t;

/** A set; all zero: the empty one. */
typedef struct napcoll_rank_set {
    /** [intervals] ascending, with gaps between them */
    napcoll_interval_t *interval;
    int intervals;
} napcoll_rank_set_t;

/** Free a set's memory; it is empty then. */
void napcoll_rank_set_clear(napcoll_rank_set_t *set);

/** Add all of `more` to *set. False when memory ran out; *set is unchanged then. */
bool napcoll_rank_set_add(napcoll_rank_set_t *set, const napcoll_rank_set_t *more);

/** The lowest number that is not in the set. */
int napcoll_rank_set_first_missing(const napcoll_rank_set_t *set);

#endif /* NAPCOLL_RANK_SET_H */
