/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel broadcast: word spreads from nodes by all their processes. Every node that has the
 * vector hands it to its processes, each of which then informs another node: with L lanes L + 1 times as
 * many nodes have it after a step. Nine nodes, two lanes, root on node 0:
 *
 *     in the node    0 tells its processes
 *     step 1         0 -> 3 6
 *     in the nodes   3 and 6 tell their processes
 *     step 2         0 -> 1 2    3 -> 4 5    6 -> 7 8
 *     in the nodes   the others tell their processes
 *
 *     cost   ceil(log_(k L + 1) n) (alpha + k beta s) between nodes, and one local broadcast more than
 *            steps
 *
 * k, the ports, is how many nodes a process informs at once. Nodes are cut by the balanced split along the
 * depth-first order; a part gets the vector at its first node. The tree is the optimal one of the multiport model (see
 * napcoll_ports.h); its lanes are those of Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce".
 */

#include "algo/bcast/bcast.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_split.h"

typedef struct {
    napcoll_route_t route;
    napcoll_group_t nodes; /* their first processes */
    napcoll_group_t node;
    int local_levels;
    int local_radix;
} nap_t;

/* Nodes that one node informs in a step. */
static int ports_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int most = map->nodes > 1 ? map->nodes - 1 : 1;
    const int each = params->tunable[1] > 0 ? params->tunable[1] : 1;
    const int lanes = napcoll_port_lanes(map, params->tunable[0]);

    return lanes >= (most + each - 1) / each ? most : lanes * each;
}

static void tell_node(nap_t *nap, int stage)
{
    napcoll_bcast_tree_split(&nap->route, &nap->node, nap->local_radix, stage,
                             (napcoll_load_t){.count = 1});
}

/* One level between nodes: the group's first node informs those of the other parts. */
static void tell_nodes(nap_t *nap, const napcoll_split_t *group, int stage)
{
    const int others = group->parts - 1, self = nap->node.self, ppn = nap->node.members;

    if (nap->nodes.self == group->first) {
        const int first = napcoll_port_first(self, others, ppn);
        const int end = napcoll_port_first(self + 1, others, ppn);

        for (int port = first; port < end; port++) {
            napcoll_route_move(
                &nap->route, stage,
                nap->nodes.rank(&nap->nodes, napcoll_split_part_first(group, port + 1)), true, 0,
                1);
        }
    } else if (0 == group->position && 0 == self) {
        const int teller = napcoll_dfs_order_node(nap->nodes.dfs, group->first);
        const int there = napcoll_node_map_ppn(nap->nodes.map, teller);

        napcoll_route_move(
            &nap->route, stage,
            napcoll_dfs_order_member(nap->nodes.dfs, teller,
                                     napcoll_port_server(group->part - 1, others, there)),
            false, 0, 1);
    }
}

napcoll_plan_t *napcoll_bcast_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(map, args->params.root);
    const int radix = ports_of(map, &args->params) + 1;
    const int levels = napcoll_split_levels(map->nodes, radix);
    nap_t nap = {.nodes = napcoll_bcast_tree_nodes(&dfs, args->rank, 0),
                 .node = napcoll_bcast_tree_node(&dfs, args->rank),
                 .local_radix = args->params.local_radix};
    int stage;

    stage = nap.local_levels = napcoll_split_levels(map->max_ppn, nap.local_radix);
    if (0 == nap.nodes.self) {
        tell_node(&nap, 0);
    }
    for (int level = levels; level >= 1; level--, stage += nap.local_levels + 1) {
        const napcoll_split_t group = napcoll_split_at(map->nodes, radix, level, nap.nodes.self);

        if (0 == group.position && group.parts > 1) {
            tell_nodes(&nap, &group, stage);
            if (group.part > 0) {
                tell_node(&nap, stage + 1);
            }
        }
    }
    return napcoll_bcast_tree_plan(args, &nap.route, 1);
}

napcoll_bounds_t napcoll_bcast_nap_bounds(const napcoll_node_map_t *map,
                                          const napcoll_params_t *params)
{
    const int ports = ports_of(map, params), ppn = map->min_ppn;
    const int load = (ports + ppn - 1) / ppn;
    const int parts = params->local_radix < map->max_ppn ? params->local_radix : map->max_ppn;

    return (napcoll_bounds_t){.inter = load, .all = parts - 1 > load ? parts - 1 : load};
}
