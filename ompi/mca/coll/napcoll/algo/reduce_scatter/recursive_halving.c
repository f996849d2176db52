/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter by recursive halving, for a power of two of ranks in node order, distant ones
 * first. Four ranks; rank 0:
 *
 *     step 1     0 <-> 2    sends its blocks 2 3, reduces 0 1
 *     step 2     0 <-> 1    sends what it has of block 1, reduces 0
 *
 *     cost   log2(P) alpha + (P - 1) b (beta + gamma), b the bytes of a block
 *
 * It is recursive doubling backwards. (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of
 * Collective Communication Operations in MPICH", 2005.)
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_reduce_scatter_recursive_halving(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    const napcoll_room_t room = {.user = !napcoll_plan_args_scattered(args)};
    napcoll_route_t route = {0};

    (void) napcoll_route_multiplying(&route, &places, 0, 2);
    return napcoll_spread_plan(args, &route, room);
}
