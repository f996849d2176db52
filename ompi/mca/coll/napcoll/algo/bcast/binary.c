/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a binary tree: who has a segment sends it to two others, the heads of the two halves of the
 * processes behind it.
 *
 *     0 -> 1 4    1 -> 2 3, 4 -> 5 6
 *
 *     cost   2 h (alpha + beta s), h = floor(log2 P); of S segments 2 (h + S - 1) (alpha + beta s/S)
 *
 * "MPI: Going further", the binary tree. Halves stand side by side in the depth-first order, so that the messages of a
 * subtree stay among its nodes and switches.
 */

#include "algo/bcast/bcast.h"

napcoll_plan_t *napcoll_bcast_binary(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_bcast_tree_processes(&dfs, args->rank);
    napcoll_route_t route = {0};

    napcoll_bcast_tree_among(&route, &all, NAPCOLL_BCAST_TREE_BINARY, 0,
                             (napcoll_load_t){.count = 1});
    return napcoll_bcast_tree_plan(args, &route, 1);
}

napcoll_bounds_t napcoll_bcast_binary_bounds(const napcoll_node_map_t *map,
                                             const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 2, .all = 2};
}

/* Each level sends a segment twice; what is inside nodes comes last. */
napcoll_hops_t napcoll_bcast_binary_hops(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    const int all = napcoll_bcast_tree_stages(NAPCOLL_BCAST_TREE_BINARY, map->size);
    const int nodes = napcoll_bcast_tree_stages(NAPCOLL_BCAST_TREE_BINARY, map->nodes);

    (void) params;
    return (napcoll_hops_t){.network = 2 * nodes, .local = 2 * (all - nodes), .lanes = 1};
}
