/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast on two levels: one process of every node, the root or the leader, takes part between
 * nodes, by any of the trees; a tree inside the node follows as soon as a segment has arrived. Two
 * segments on a chain of three nodes, two processes each:
 *
 *     stage 0   a0 -> b0: 0    a0 -> a1: 0
 *     stage 1   a0 -> b0: 1    a0 -> a1: 1    b0 -> c0: 0    b0 -> b1: 0
 *     stage 2                                 b0 -> c0: 1    b0 -> b1: 1    c0 -> c1: 0
 *     stage 3                                                               c0 -> c1: 1
 *
 *     cost   the cost of the algorithm between n nodes, and
 *            ceil(log_k ppn) (alpha_l + (k - 1) beta_l s/S)
 *
 * One process of a node uses the network, while segments before are passed on inside the node.
 * "MPI: Going further", two-level broadcast on clusters of SMP nodes.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

static napcoll_bcast_tree_t tree_between(const napcoll_params_t *params)
{
    const int wanted = params->tunable[0];

    return wanted > NAPCOLL_BCAST_TREE_OPEN && wanted < NAPCOLL_BCAST_TREES
               ? (napcoll_bcast_tree_t) wanted
               : NAPCOLL_BCAST_TREE_BINOMIAL;
}

/* By another component's broadcast among the lanes 0 of all nodes. The root's node broadcasts
 * first where the root is not its lane 0. */
static napcoll_plan_t *through_leaders(const napcoll_plan_args_t *args,
                                       const napcoll_group_t *leaders, const napcoll_group_t *node)
{
    const int root = args->params.root;
    const bool first = leaders->self == leaders->root
                       && 0 != napcoll_node_map_lane(args->map, root);
    const int between = napcoll_split_levels(args->map->max_ppn, node->radix);
    const napcoll_block_range_t whole = {.count = 1};
    napcoll_route_t route = {0};

    if (0 == napcoll_node_map_lane(args->map, args->rank)) {
        (void) napcoll_route_tree(&route, leaders, between, NAPCOLL_ROUTE_DOWN, &whole);
    }
    (void) napcoll_route_tree(&route, node, first ? 0 : between + 1, NAPCOLL_ROUTE_DOWN, &whole);
    return napcoll_bcast_tree_plan(args, &route, 1);
}

napcoll_plan_t *napcoll_bcast_two_level(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t nodes = napcoll_group_dfs_nodes(&dfs, args->rank, 0);
    const napcoll_group_t leaders = napcoll_group_leaders(args);
    const napcoll_bcast_tree_t tree = tree_between(&args->params);
    const napcoll_block_range_t whole = {
        .count = NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER == tree ? nodes.members : 1};
    napcoll_group_t node = napcoll_group_dfs_node(&dfs, args->rank, args->params.local_radix);
    int arrival = napcoll_bcast_tree_arrival(tree, &nodes);
    napcoll_route_t route = {0};

    napcoll_group_delegate(&node, args, NAPCOLL_SCOPE_NODE);
    if (napcoll_group_is_delegated(&leaders)) {
        return through_leaders(args, &leaders, &node);
    }
    if (0 == node.self) {
        napcoll_bcast_tree_route(&route, &nodes, tree, 0, whole);
    }
    if (napcoll_group_is_delegated(&node)) {
        /* after the messages of all segments */
        arrival = napcoll_bcast_tree_stages(tree, nodes.members);
    }
    (void) napcoll_route_tree(&route, &node, arrival, NAPCOLL_ROUTE_DOWN, &whole);
    return napcoll_bcast_tree_plan(args, &route, whole.count);
}

/* Segments that are under way inside the node are on different levels of its tree. */
napcoll_bounds_t napcoll_bcast_two_level_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int segments = napcoll_params_segments(params), radix = params->local_radix;
    const int levels = napcoll_split_levels(map->max_ppn, radix);
    const int inter = napcoll_bcast_tree_fanout(tree_between(params), map->nodes, segments);
    const int inside = (napcoll_min(radix, map->max_ppn) - 1) * napcoll_min(segments, levels);

    return (napcoll_bounds_t){.inter = napcoll_max(inter, 1),
                              .all = napcoll_max(inter + inside, 1)};
}

napcoll_hops_t napcoll_bcast_two_level_hops(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    return (napcoll_hops_t){.network = napcoll_bcast_tree_stages(tree_between(params), map->nodes),
                            .local = napcoll_split_levels(map->max_ppn, params->local_radix),
                            .lanes = 1};
}
