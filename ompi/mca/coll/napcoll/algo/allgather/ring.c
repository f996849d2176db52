/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather on a ring of all processes, for large blocks. The ring visits node after node, so each node's
 * link carries one block per step. Three ranks:
 *
 *     step 1     block 0: 0 -> 1     block 1: 1 -> 2     block 2: 2 -> 0
 *     step 2     block 0: 1 -> 2     block 1: 2 -> 0     block 2: 0 -> 1
 *
 *     cost   (P - 1) (alpha + b beta), b the bytes of a block
 *
 * No byte is copied on the way: blocks go straight to and from the receive buffer, wherever they lie in
 * it. (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in
 * MPICH", 2005.)
 */

#include "algo/allgather/allgather.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_ring(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_spread_places(args);
    napcoll_route_t route = {0};

    (void) napcoll_route_ring(&route, &places, 0);
    return napcoll_spread_gather(args, &route, (napcoll_room_t){.user = true});
}

napcoll_bounds_t napcoll_allgather_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
