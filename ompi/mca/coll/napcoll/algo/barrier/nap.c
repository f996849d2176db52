/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel barrier: n-way dissemination over nodes, in which a node sends and receives by all
 * its lanes at once, for any node count, placement and processes per node.
 *
 * A node that has heard of the w nodes up to itself passes that on to L others: lane j to the node
 * (j + 1) w further on. What the lanes hear they tell each other, and go on. Nine nodes, two lanes:
 *
 *                lane 0        lane 1
 *     step 1     m -> m + 1    m -> m + 2    then a node has heard of 3 nodes
 *     step 2     m -> m + 3    m -> m + 6    of all 9
 *
 *     cost       ceil(log_(L + 1) n) alpha between nodes, and as many local exchanges and one
 *
 * In the last step only those lanes work whose targets are not round the end. A node with fewer
 * processes than lanes gives lane j to its process j mod ppn.
 *
 * Inside a node the processes tell each other by dissemination, too, or, where a tree is asked for, by
 * way of the leader. Between the steps only those take part that have heard something, or have
 * something to pass on.
 *
 * T. Hoefler, T. Mehlan, F. Mietke, W. Rehm: "Fast barrier synchronization for InfiniBand", 2006, for
 * n-way dissemination with the ports of one process; lanes in their place after Bienz, Olson, Gropp:
 * "Node-Aware Improvements to Allreduce".
 */

#include "algo/barrier/barrier.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_split.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int node;
    int lane;
    int ppn; /* of this node */
} nap_t;

/* The first lanes of the node, or all of them in the order of the hardware. */
static napcoll_party_t processes_of(const nap_t *nap, int processes)
{
    napcoll_party_t party = napcoll_party_node(nap->args);

    if (processes < nap->ppn) {
        party.members = party.processes = processes;
        party.self = nap->lane;
        party.noncommutative = true; /* which lanes they are is known to other nodes */
    }
    return party;
}

/* What the first `from` processes of the node have heard, the first `to` are told. */
static void tell(const nap_t *nap, int from, int to)
{
    const napcoll_party_t tellers = processes_of(nap, from), told = processes_of(nap, to);

    if (nap->args->params.local_tree) {
        napcoll_word_collect(nap->builder, &tellers);
        napcoll_word_release(nap->builder, &told);
    } else {
        napcoll_word_disseminate(nap->builder, from > to ? &tellers : &told,
                                 nap->args->params.local_radix);
    }
}

/* The process that serves a lane of a node. */
static int lane_rank(const nap_t *nap, int node, int lane)
{
    const napcoll_node_map_t *map = nap->args->map;

    return napcoll_node_map_rank(map, node, lane % napcoll_node_map_ppn(map, node));
}

/* One step between nodes, by so many lanes: nodes have heard of `have` ones. */
static void pass_on(const nap_t *nap, int have, int lanes)
{
    const int nodes = nap->args->map->nodes;

    for (int lane = nap->lane; lane < lanes; lane += nap->ppn) {
        const int away = (lane + 1) * have;

        napcoll_builder_recv(nap->builder, napcoll_word(),
                             lane_rank(nap, (nap->node + nodes - away) % nodes, lane));
        napcoll_builder_send(nap->builder, napcoll_word(),
                             lane_rank(nap, (nap->node + away) % nodes, lane));
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

        tell(&nap, informed, users);
        pass_on(&nap, have, working);
        informed = users;
    }
    tell(&nap, informed, nap.ppn);
    return napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node as many as the fan-out allows. */
napcoll_bounds_t napcoll_barrier_nap_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int load = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));
    const int most = params->local_radix < map->max_ppn ? params->local_radix : map->max_ppn - 1;

    return (napcoll_bounds_t){.inter = load, .all = most > load ? most : load};
}
