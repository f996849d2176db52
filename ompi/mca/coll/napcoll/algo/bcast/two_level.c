/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast on two levels: one process of every node, the root or the leader, takes part between nodes,
 * by whichever algorithm suits; a tree inside the node follows as soon as a segment is there. Two segments
 * on a chain of three nodes, two processes each:
 *
 *     stage 0   a0 -> b0: 0    a0 -> a1: 0
 *     stage 1   a0 -> b0: 1    a0 -> a1: 1    b0 -> c0: 0    b0 -> b1: 0
 *     stage 2                                 b0 -> c0: 1    b0 -> b1: 1    c0 -> c1: 0
 *     stage 3                                                               c0 -> c1: 1
 *
 *     cost   that of the algorithm between n nodes, and ceil(log_k ppn) (alpha_l + (k - 1) beta_l s/S)
 *
 * So one process of a node uses the network, and what happens inside it is hidden behind the segments that
 * follow. "MPI: Going further", two-level broadcast on clusters of SMP nodes.
 */

#include "algo/bcast/bcast.h"
#include "algo/napcoll_split.h"

const char *const napcoll_bcast_two_level_between[] = {"flat",   "binomial",          "chain",
                                                       "binary", "scatter_allgather", NULL};

static napcoll_bcast_tree_t between(const napcoll_params_t *params)
{
    const int wanted = params->tunable[0];

    return wanted > NAPCOLL_BCAST_TREE_OPEN && wanted < NAPCOLL_BCAST_TREES
               ? (napcoll_bcast_tree_t) wanted
               : NAPCOLL_BCAST_TREE_BINOMIAL;
}

napcoll_plan_t *napcoll_bcast_two_level(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t nodes = napcoll_bcast_tree_nodes(&dfs, args->rank, 0);
    const napcoll_group_t node = napcoll_bcast_tree_node(&dfs, args->rank);
    const napcoll_bcast_tree_t cast = between(&args->params);
    const napcoll_load_t whole = {
        .count = NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER == cast ? nodes.members : 1};
    napcoll_route_t route = {0};

    if (0 == node.self) {
        napcoll_bcast_tree_among(&route, &nodes, cast, 0, whole);
    }
    napcoll_bcast_tree_split(&route, &node, args->params.local_radix,
                             napcoll_bcast_tree_arrival(cast, nodes.members, nodes.self), whole);
    return napcoll_bcast_tree_plan(args, &route, whole.count);
}

/* Segments that are on their way inside the node are on different levels of its tree. */
napcoll_bounds_t napcoll_bcast_two_level_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int segments = napcoll_bcast_tree_segments(params), radix = params->local_radix;
    const int levels = napcoll_split_levels(map->max_ppn, radix);
    const int parts = radix < map->max_ppn ? radix : map->max_ppn;
    const int inter = napcoll_bcast_tree_fanout(between(params), map->nodes, segments);
    const int inside = (parts - 1) * (segments < levels ? segments : levels);

    return (napcoll_bounds_t){.inter = inter > 0 ? inter : 1,
                              .all = inter + inside > 0 ? inter + inside : 1};
}

napcoll_hops_t napcoll_bcast_two_level_hops(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    return (napcoll_hops_t){.network = napcoll_bcast_tree_stages(between(params), map->nodes),
                            .local = napcoll_split_levels(map->max_ppn, params->local_radix),
                            .lanes = 1};
}
