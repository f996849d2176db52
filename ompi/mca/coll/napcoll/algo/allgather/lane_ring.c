/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather for large blocks that knows nodes: the lane ring (napcoll_spread.h). Three nodes of two
 * processes; lane 0 of node 0 (rank 0), which sends to node 1 and gets from node 2:
 *
 *     stage 0     block 0 -> node 1, block 4 <- node 2     block 0 -> rank 1, block 1 <- rank 1
 *     stage 1     block 4 -> node 1, block 2 <- node 2     block 4 -> rank 1, block 5 <- rank 1
 *     stage 2                                              block 2 -> rank 1, block 3 <- rank 1
 *
 *     cost   n alpha + (n - 1) ppn/L b beta_n between nodes, b the bytes of a block, and inside them at
 *            the same time n (ppn - 1) ppn/L b beta_l
 *
 * Where a flat ring has one process of a node send to the next, here all of them do. Blocks go straight
 * to and from the receive buffer. (The lanes are those of J. L. Träff, S. Hunold: "Decomposing MPI
 * Collectives for Exploiting Multi-lane Communication", 2020.)
 */

#include "algo/allgather/allgather.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_lane_ring(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_lane_ring(&route, args);
    return napcoll_spread_gather(args, &route, (napcoll_room_t){.user = true});
}

/* Rows do not say whether they are those of allgatherv, whose blocks may lie anywhere. */
napcoll_bounds_t napcoll_allgather_lane_ring_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params)
{
    (void) params;
    return napcoll_spread_lane_ring_bounds(map, true);
}
