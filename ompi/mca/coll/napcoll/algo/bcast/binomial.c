/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a binomial tree over halves of the processes, along the depth-first order:
 *
 *     0 -> 4    0 -> 2, 4 -> 6    0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
 *
 *     cost   ceil(log2 P) (alpha + beta s)
 *
 * "MPI: Going further", the binomial tree: the fewest steps where a process sends one message in each. The
 * far halves come first, so that a node gets the vector once and hands it on inside.
 */

#include "algo/bcast/bcast.h"

napcoll_plan_t *napcoll_bcast_binomial(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_bcast_tree_processes(&dfs, args->rank);
    napcoll_route_t route = {0};

    napcoll_bcast_tree_among(&route, &all, NAPCOLL_BCAST_TREE_BINOMIAL, 0,
                             (napcoll_load_t){.count = 1});
    return napcoll_bcast_tree_plan(args, &route, 1);
}

napcoll_bounds_t napcoll_bcast_binomial_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int sends = napcoll_bcast_tree_fanout(NAPCOLL_BCAST_TREE_BINOMIAL, map->size,
                                                napcoll_bcast_tree_segments(params));

    return (napcoll_bounds_t){.inter = sends, .all = sends};
}

napcoll_hops_t napcoll_bcast_binomial_hops(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    const int all = napcoll_bcast_tree_stages(NAPCOLL_BCAST_TREE_BINOMIAL, map->size);
    const int nodes = napcoll_bcast_tree_stages(NAPCOLL_BCAST_TREE_BINOMIAL, map->nodes);

    (void) params;
    return (napcoll_hops_t){.network = nodes, .local = all - nodes, .lanes = 1};
}
