/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel barrier: n-way dissemination over nodes, in which a node sends and receives
 * by all its lanes at once, for any node count, placement and processes per node. All messages are
 * empty.
 *
 * A node that has heard from the w nodes up to itself sends to L others: lane j to the node (j + 1)
 * w further on. What the lanes hear they tell each other, and go on. Nine nodes, two lanes:
 *
 *                lane 0        lane 1
 *     step 1     m -> m + 1    m -> m + 2    then a node has heard from 3 nodes
 *     step 2     m -> m + 3    m -> m + 6    from all 9
 *
 *     cost       ceil(log_(L + 1) n) alpha between nodes, and one local exchange more than steps
 *
 * In the last step only the lanes with targets that are not round the end work. A node with fewer
 * processes than lanes gives lane j to its process j mod ppn.
 *
 * Inside a node the processes tell each other by dissemination or, with params.local_tree, through
 * the leader; all of them also by another component's barrier. Between the steps only the processes
 * take part that have heard something, or have something to send.
 *
 * T. Hoefler, T. Mehlan, F. Mietke, W. Rehm: "Fast barrier synchronization for InfiniBand", 2006,
 * for n-way dissemination with the ports of one process; lanes in their place after Bienz, Olson,
 * Gropp: "Node-Aware Improvements to Allreduce".
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_lanes.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int node;
    int lane;
    /* Of this node. */
    int ppn;
} nap_t;

/* All processes of the node, in the order of the hardware; or the first lanes, which other nodes
 * know. */
static napcoll_group_t processes_of(const nap_t *nap, int processes)
{
    napcoll_group_t group = processes < nap->ppn ? napcoll_group_node_lanes(nap->args, 0)
                                                 : napcoll_group_node(nap->args);

    group.members = processes;
    return group;
}

/* The first `to` processes of the node hear what the first `from` have heard. */
static void tell_processes(const nap_t *nap, int from, int to)
{
    const napcoll_group_t tellers = processes_of(nap, from), told = processes_of(nap, to);
    const napcoll_group_t *larger = from > to ? &tellers : &told;

    if (nap->args->params.local_tree && !napcoll_group_is_delegated(larger)) {
        napcoll_exchange_arrive(nap->builder, &tellers);
        napcoll_exchange_bcast(nap->builder, &told, napcoll_empty());
    } else {
        napcoll_exchange_disseminate(nap->builder, larger, nap->args->params.local_radix);
    }
}

/* One step between nodes, by a number of lanes: nodes have heard from `have` nodes. */
static void step_between_nodes(const nap_t *nap, int have, int lanes)
{
    const napcoll_node_map_t *map = nap->args->map;
    const int nodes = map->nodes;

    for (int lane = nap->lane; lane < lanes; lane += nap->ppn) {
        const int away = (lane + 1) * have;
        const int from = (nap->node + nodes - away) % nodes, to = (nap->node + away) % nodes;

        napcoll_builder_recv(nap->builder, napcoll_empty(), napcoll_lane_server(map, from, lane));
        napcoll_builder_send(nap->builder, napcoll_empty(), napcoll_lane_server(map, to, lane));
    }
    napcoll_builder_next_stage(nap->builder);
}

napcoll_plan_t *napcoll_barrier_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int nodes = map->nodes, lanes = napcoll_port_lanes(map, args->params.tunable[0]);
    nap_t nap = {.args = args,
                 .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                 .node = napcoll_node_map_node(map, args->rank),
                 .lane = napcoll_node_map_lane(map, args->rank)};
    int informed;

    if (NULL == nap.builder) {
        return NULL;
    }
    nap.ppn = informed = napcoll_node_map_ppn(map, nap.node);
    for (int have = 1; have < nodes; have = napcoll_split_widen(have, nodes, lanes + 1)) {
        const int working = (nodes - 1) / have < lanes ? (nodes - 1) / have : lanes;
        const int users = working < nap.ppn ? working : nap.ppn;

        tell_processes(&nap, informed, users);
        step_between_nodes(&nap, have, working);
        informed = users;
    }
    tell_processes(&nap, informed, nap.ppn);
    return napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node as many as the radix allows. */
napcoll_bounds_t napcoll_barrier_nap_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int load = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));

    return napcoll_bounds_either(load, napcoll_min(params->local_radix, map->max_ppn - 1));
}
