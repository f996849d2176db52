/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Recursive halving for any number of ranks: they are cut by halves into pieces of one or two
 * (napcoll_halves.h), and one rank acts for each piece, the root where it is in there, else the first.
 * The other one gives its vector to it.
 *
 *     5 ranks, root 1     [0 1] [2] [3] [4]     0 -> 1, then 1, 2, 3, 4 among themselves
 *
 * The actors are a group for napcoll_route_doubling, with a block each; run backwards, that reduces in
 * napcoll's canonical order. The block with which a piece ends is its number read backwards.
 */

#ifndef NAPCOLL_PIECES_H
#define NAPCOLL_PIECES_H

#include "algo/napcoll_route.h"

/** The cut, as one process sees it. */
typedef struct napcoll_pieces {
    napcoll_group_t
        group; /**< the actors, in the order of their blocks; self is that of this piece */
    int actor; /**< rank that acts for this piece */
    int other; /**< the piece's other rank, or -1 */
    int root;  /**< the group's member for which the root acts */
} napcoll_pieces_t;

/** Cut the ranks of a request. */
napcoll_pieces_t napcoll_pieces_of(const napcoll_plan_args_t *args);

/** The actors take in the vectors of the other ranks of their pieces: a stage, where reduce has begun. */
void napcoll_pieces_join(napcoll_reduction_t *reduction, const napcoll_pieces_t *pieces);

#endif /* NAPCOLL_PIECES_H */
