/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by lanes, for large vectors: the root deals slices of the vector to the lanes of its
 * node, each lane passes its slice on from node to node, and the processes of a node send each
 * other their slices. Two lanes on a chain of three nodes:
 *
 *     stage 0   a0 -> a1: slice 1
 *     stage 1   a0 -> b0: 0    a1 -> b1: 1    a0 -> a1: 0
 *     stage 2   b0 -> c0: 0    b1 -> c1: 1    b0 <-> b1
 *     stage 3                                 c0 <-> c1
 *
 *     cost   (L - 1)/L s beta_l + the cost of the chain or tree between nodes for slices of s/L
 *            + (L - 1)/L s beta_l; S segments in a pipeline
 *
 * L is the number of processes on the smallest node; further ones of larger nodes only receive. All
 * processes use the network, and no byte comes to a node twice. Lanes: Bienz, Olson, Gropp:
 * "Node-Aware Improvements to Allreduce", section VI.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_lanes.h"

/* Names of 1 to 3: see the table. */
static napcoll_bcast_tree_t tree_between(const napcoll_params_t *params)
{
    switch (params->tunable[0]) {
    case 2:
        return NAPCOLL_BCAST_TREE_CHAIN;
    case 3:
        return NAPCOLL_BCAST_TREE_KNOMIAL;
    default:
        return NAPCOLL_BCAST_TREE_BINOMIAL;
    }
}

napcoll_plan_t *napcoll_bcast_lane(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t node = napcoll_group_dfs_node(&dfs, args->rank, args->params.local_radix);
    const napcoll_group_t nodes = napcoll_group_dfs_nodes(&dfs, args->rank, node.self);
    const napcoll_bcast_tree_t tree = tree_between(&args->params);
    const int lanes = napcoll_slice_lanes(args->map);
    napcoll_route_t route = {0};

    if (0 == nodes.self) {
        napcoll_slice_deal(&route, &node, lanes, 0, 0, 1);
    }
    if (node.self < lanes) {
        napcoll_bcast_tree_route(&route, &nodes, tree, 1,
                                 (napcoll_block_range_t){.first = node.self, .count = 1});
    }
    napcoll_slice_share(&route, &node, lanes, 1 + napcoll_bcast_tree_arrival(tree, &nodes), 0, 1,
                        0 == nodes.self);
    return napcoll_bcast_tree_plan(args, &route, lanes);
}

/* Segments under way: one that is dealt, some between nodes, and one that is shared. */
napcoll_bounds_t napcoll_bcast_lane_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    const int segments = napcoll_params_segments(params);
    const int inter = napcoll_bcast_tree_fanout(tree_between(params), map->nodes, segments);
    const int inside = map->max_ppn - 1 + (segments > 1 ? napcoll_slice_lanes(map) - 1 : 0);

    return (napcoll_bounds_t){.inter = napcoll_max(inter, 1),
                              .all = napcoll_max(inter + inside, 1)};
}

napcoll_hops_t napcoll_bcast_lane_hops(const napcoll_node_map_t *map,
                                       const napcoll_params_t *params)
{
    const int lanes = napcoll_slice_lanes(map);

    return (napcoll_hops_t){.network = napcoll_bcast_tree_stages(tree_between(params), map->nodes),
                            .local = 2 * (lanes - 1),
                            .lanes = lanes};
}
