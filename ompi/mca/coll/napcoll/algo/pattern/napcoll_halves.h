/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Ranks by halves: 0 .. P - 1 are cut into the first ceil(P/2) and the rest, each of these again,
 * and so on. To reduce along these cuts is napcoll's canonical order (napcoll_claim_t), which no
 * placement changes. Recursive doubling and the trees of radix 2 over all ranks follow it.
 *
 * After d = floor(log2 P) cuts there are 2^d parts of one or two ranks; parts g and g ^ 1 come of
 * one cut. For recursive halving of a vector one rank acts for each part: the root where it is in
 * the part, else the first. The other rank of the part gives its vector to it:
 *
 *     5 ranks, root 1     [0 1] [2] [3] [4]     0 -> 1, then 1, 2, 3, 4 among themselves
 *
 * The actors are a group for recursive doubling with a block each; run backwards, it reduces in
 * canonical order for any P. A part ends with the block that has the part's number, bits reversed.
 */

#ifndef NAPCOLL_HALVES_H
#define NAPCOLL_HALVES_H

#include "algo/pattern/napcoll_reduction.h"

/** A cut of ranks: [first, first + count) is part number `part`. */
typedef struct napcoll_half {
    int part;
    int first;
    int count;
} napcoll_half_t;

/** floor(log2 n), n > 0. */
static inline int napcoll_halves_depth(int n)
{
    int depth = 0;

    while (n > 1) {
        n /= 2;
        depth++;
    }
    return depth;
}

/** The part that a rank is in after a number of cuts of `size` ranks. */
napcoll_half_t napcoll_halves_of(int size, int cuts, int rank);

/** The actors of the parts of one or two ranks, as one process sees them. */
typedef struct napcoll_actors {
    /** In the order of their blocks; self is the actor of this process's part, root the root. */
    napcoll_group_t group;
    /** Rank that acts for this process's part. */
    int actor;
    /** The other rank of the part, or -1. */
    int other;
} napcoll_actors_t;

napcoll_actors_t napcoll_halves_actors(const napcoll_plan_args_t *args);

/** The actors add the vectors of the other ranks of their parts: one stage. */
void napcoll_halves_join(napcoll_reduction_t *reduction, const napcoll_actors_t *actors);

/**
 * The plan of an allreduce: the actors take the other ranks' vectors, reduce along a route
 * backwards and gather along it forwards, and hand out the result. Frees the route.
 *
 * @param[in]     args    of the plan
 * @param[in]     actors  as napcoll_halves_actors says
 * @param[in,out] route   of an allgather of a block of each actor; of actors only
 * @param[in]     own     the block of this process's part
 *
 * @return the plan; NULL when memory ran out
 */
napcoll_plan_t *napcoll_halves_allreduce(const napcoll_plan_args_t *args,
                                         const napcoll_actors_t *actors, napcoll_route_t *route,
                                         int own);

#endif /* NAPCOLL_HALVES_H */
