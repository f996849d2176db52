/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter for large blocks that knows nodes: the lane ring (napcoll_spread.h) backwards. Three nodes
 * of two processes; lane 0 of node 0 (rank 0), which gets from node 1 and sends to node 2:
 *
 *     stage 0                                              2 <- rank 1, 3 -> rank 1
 *     stage 1     block 2 -> node 2, block 4 <- node 1     4 <- rank 1, 5 -> rank 1
 *     stage 2     block 4 -> node 2, block 0 <- node 1     0 <- rank 1, 1 -> rank 1
 *
 *     cost   n alpha + (n - 1) ppn/L b beta_n between nodes, b the bytes of a block, and inside them at
 *            the same time n (ppn - 1) ppn/L b beta_l; n ppn ppn/L b gamma
 *
 * A lane sends the sum of its block on as soon as its node's share is in it.
 */

#include "algo/reduce_scatter/reduce_scatter.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_reduce_scatter_lane_ring(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_lane_ring(&route, args);
    return napcoll_spread_reduce(args, &route, (napcoll_room_t){.user = true});
}

napcoll_bounds_t napcoll_reduce_scatter_lane_ring_bounds(const napcoll_node_map_t *map,
                                                         const napcoll_params_t *params)
{
    (void) params;
    return napcoll_spread_lane_ring_bounds(map, !map->contiguous);
}
