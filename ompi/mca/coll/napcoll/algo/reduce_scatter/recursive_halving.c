/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter by recursive halving, for a power of two of ranks in node order, far ones first. Four
 * ranks; rank 0:
 *
 *     step 1     0 <-> 2    gives its blocks 2 3, reduces 0 1
 *     step 2     0 <-> 1    gives block 1 so far, reduces 0
 *
 *     cost   log2(P) alpha + (P - 1) b (beta + gamma), b the bytes of a block
 *
 * It is recursive doubling backwards. (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective
 * Communication Operations in MPICH", 2005.)
 */

#include "algo/reduce_scatter/reduce_scatter.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_reduce_scatter_recursive_halving(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_spread_places(args);
    const napcoll_room_t room = {.user = !napcoll_plan_args_scattered(args)};
    napcoll_route_t route = {0};

    (void) napcoll_route_doubling(&route, &places, 0);
    return napcoll_spread_reduce(args, &route, room);
}

napcoll_bounds_t napcoll_reduce_scatter_recursive_halving_bounds(const napcoll_node_map_t *map,
                                                                 const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
