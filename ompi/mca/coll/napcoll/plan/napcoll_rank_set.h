/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Sets of ranks, for the verifier: kept as intervals, of which there are few where the ranks of a
 * node, or of neighbouring nodes, are numbered one after the other.
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
    napcoll_interval_t *interval; /**< [intervals] ascending, with gaps between them */
    int intervals;
} napcoll_rank_set_t;

/** Free what a set holds; it is empty then. */
void napcoll_rank_set_clear(napcoll_rank_set_t *set);

/** Add all of `more` to *set; false where memory ran out, which leaves *set as it was. */
bool napcoll_rank_set_add(napcoll_rank_set_t *set, const napcoll_rank_set_t *more);

/** Whether the set is [0, size). */
bool napcoll_rank_set_is_all(const napcoll_rank_set_t *set, int size);

/** The lowest number that is not in the set. */
int napcoll_rank_set_first_missing(const napcoll_rank_set_t *set);

#endif /* NAPCOLL_RANK_SET_H */
