/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel broadcast: every node that has the vector broadcasts it to its processes,
 * each of which then sends it to another node. With L lanes, a step multiplies the number of nodes
 * that have it by L + 1. Nine nodes, two lanes, root on node 0:
 *
 *     in the node    0 sends to its processes
 *     step 1         0 -> 3 6
 *     in the nodes   3 and 6 send to their processes
 *     step 2         0 -> 1 2    3 -> 4 5    6 -> 7 8
 *     in the nodes   the others send to their processes
 *
 *     cost   ceil(log_(k L + 1) n) (alpha + k beta s) between nodes, and
 *            one local broadcast more than steps
 *
 * k, the ports, is the number of nodes that a process sends to at once. Nodes are cut by the
 * balanced split in depth-first order; a part receives the vector at its first node. The tree is
 * the optimal one of the multiport model (napcoll_lanes.h); for the lanes see Bienz, Olson, Gropp:
 * "Node-Aware Improvements to Allreduce".
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_lanes.h"

/* Nodes that one node sends to in a step. */
static int ports_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int most = map->nodes > 1 ? map->nodes - 1 : 1;
    const int each = params->tunable[1] > 0 ? params->tunable[1] : 1;
    const int lanes = napcoll_port_lanes(map, params->tunable[0]);

    return lanes >= (most + each - 1) / each ? most : lanes * each;
}

/* One level between nodes: the group's first node sends to the first nodes of the other parts. */
static void send_to_parts(napcoll_route_t *route, const napcoll_group_t *nodes,
                          const napcoll_group_t *node, const napcoll_split_t *split, int stage)
{
    const int others = split->parts - 1, self = node->self, ppn = node->members;

    if (nodes->self == split->first) {
        const int end = napcoll_port_first(self + 1, others, ppn);

        for (int port = napcoll_port_first(self, others, ppn); port < end; port++) {
            const int part = napcoll_split_part_first(split, port + 1);

            napcoll_route_move(route, stage, nodes->rank(nodes, part), true, 0, 1);
        }
    } else if (0 == self) {
        const int sender = napcoll_dfs_order_node(nodes->dfs, split->first);
        const int lane = napcoll_port_server(split->part - 1, others,
                                             napcoll_node_map_ppn(nodes->map, sender));

        napcoll_route_move(route, stage, napcoll_dfs_order_member(nodes->dfs, sender, lane), false,
                           0, 1);
    }
}

napcoll_plan_t *napcoll_bcast_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(map, args->params.root);
    const napcoll_group_t nodes = napcoll_group_dfs_nodes(&dfs, args->rank, 0);
    const napcoll_block_range_t whole = {.count = 1};
    const int radix = ports_of(map, &args->params) + 1;
    napcoll_group_t node = napcoll_group_dfs_node(&dfs, args->rank, args->params.local_radix);
    const int local_levels = napcoll_split_levels(map->max_ppn, node.radix);
    int stage = local_levels;
    napcoll_route_t route = {0};

    napcoll_group_delegate(&node, args, NAPCOLL_SCOPE_NODE);
    if (0 == nodes.self) {
        (void) napcoll_route_tree(&route, &node, 0, NAPCOLL_ROUTE_DOWN, &whole);
    }
    for (int level = napcoll_split_levels(map->nodes, radix); level >= 1;
         level--, stage += local_levels + 1) {
        const napcoll_split_t split = napcoll_split_at(map->nodes, radix, level, nodes.self);

        if (0 == split.position && split.parts > 1) {
            send_to_parts(&route, &nodes, &node, &split, stage);
            if (split.part > 0) {
                (void) napcoll_route_tree(&route, &node, stage + 1, NAPCOLL_ROUTE_DOWN, &whole);
            }
        }
    }
    return napcoll_bcast_tree_plan(args, &route, 1);
}

napcoll_bounds_t napcoll_bcast_nap_bounds(const napcoll_node_map_t *map,
                                          const napcoll_params_t *params)
{
    const int load = napcoll_port_load(map, ports_of(map, params));

    return napcoll_bounds_either(load, napcoll_min(params->local_radix, map->max_ppn) - 1);
}
