/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather by recursive doubling, for a power of two of ranks, neighbours in node order first.
 * Four ranks:
 *
 *     step 1     0 <-> 1   2 <-> 3      one block each
 *     step 2     0 <-> 2   1 <-> 3      blocks 0 1 for 2 3
 *
 *     cost   log2(P) alpha + (P - 1) b beta, b the bytes of a block
 *
 * A message is always a run of blocks in the order of their numbers, so where the user's blocks are
 * in that order, only the own block is copied. (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization
 * of Collective Communication Operations in MPICH", 2005.)
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_recursive_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    const napcoll_room_t room = {.user = !napcoll_plan_args_scattered(args)};
    napcoll_route_t route = {0};

    (void) napcoll_route_multiplying(&route, &places, 0, 2);
    return napcoll_spread_plan(args, &route, room);
}
