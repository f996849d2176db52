/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel reduce, for any node count, placement, processes per node and root: the tree by
 * which word would spread fastest among nodes of L lanes, read backwards. There every node that has
 * heard tells L others in a step, one by each lane; here a node takes in the values of L others in a
 * step, one at each lane, reduces them inside the node and goes on.
 *
 *     9 nodes, 2 lanes, parts [ 0 1 2 | 3 4 5 | 6 7 8 ], root on node 4
 *
 *     step 1       1 -> 0 <- 2     3 -> 4 <- 5     7 -> 6 <- 8      then 0, 4 and 6 reduce inside
 *     step 2                       0 -> 4 <- 6                      then 4 reduces inside
 *
 *     cost     ceil(log_(L + 1) n) (alpha + beta s) between nodes, and as many local reduces and one
 *
 * With binomial trees of leaders the nodes' other processes would wait, and the steps would be log2 n.
 * The lanes are those of Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce"; the tree is the
 * optimal one of the multiport model (see napcoll_ports.h).
 *
 * The nodes are cut by the balanced split with radix L + 1. The values of a part meet at its head: the
 * root's node, if that is in there, else the first one. On its node a value is at one process, the
 * carrier: the root, or the leader. On each level a group's head receives the values of the other parts;
 * these, in part order, are dealt to its processes in runs, so that each process reduces what it got and
 * the processes reduce in their order:
 *
 *     head of part 1 of 5, two processes:      parts 0 [1] 2 | 3 4
 *
 * The carrier's run is the one beside the own part's value. Processes count from that one on, so the
 * carrier has it whichever lane it is. Part order is node order, and so rank order where nodes are
 * contiguous.
 */

#include <stdlib.h>

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_split.h"
#include "algo/reduce/reduce.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int node;
    int root; /* the root's node */
    int lanes;
    napcoll_span_t *value; /* [lanes + 1] what this process reduces on a level */
} nap_t;

/* One level's group, as its head has it. */
typedef struct {
    int head;    /* node */
    int part;    /* the head's */
    int parts;   /* at least 2 */
    int users;   /* processes of the head that receive */
    int carrier; /* which of them is the carrier */
    int lane;    /* of process 0 */
} meeting_t;

static int carrier_lane(const nap_t *nap, int node)
{
    return node == nap->root ? napcoll_node_map_lane(nap->args->map, nap->args->params.root) : 0;
}

/* The process of the head that receives a part's value: runs of parts, as even as may be. */
static int user_of(const meeting_t *meeting, int part)
{
    const int others = meeting->parts - 1, index = part < meeting->part ? part : part - 1;

    return (int) ((int64_t) index * meeting->users / others);
}

static meeting_t meeting_of(const nap_t *nap, int level, const napcoll_split_t *group)
{
    const napcoll_node_map_t *map = nap->args->map;
    meeting_t meeting = {.head = napcoll_split_head(group->first, group->size, nap->root),
                         .parts = group->parts};
    const int ppn = napcoll_node_map_ppn(map, meeting.head), others = meeting.parts - 1;

    meeting.part = napcoll_split_at(map->nodes, nap->lanes + 1, level, meeting.head).part;
    meeting.users = ppn < others ? ppn : others;
    meeting.carrier = user_of(&meeting, meeting.part < others ? meeting.part + 1 : others - 1);
    meeting.lane = (carrier_lane(nap, meeting.head) - meeting.carrier + ppn) % ppn;
    return meeting;
}

/* The processes of this node that receive. */
static napcoll_party_t users(const nap_t *nap, const meeting_t *meeting)
{
    const napcoll_node_map_t *map = nap->args->map;
    const int ppn = napcoll_node_map_ppn(map, nap->node);
    napcoll_party_t party = napcoll_party_node(nap->args);

    party.members = party.processes = meeting->users;
    party.self = (napcoll_node_map_lane(map, nap->args->rank) - meeting->lane + ppn) % ppn;
    party.root = meeting->carrier;
    party.lane = meeting->lane;
    party.noncommutative = true; /* which process has which parts follows the lanes */
    return party;
}

/* A process of the head receives its parts' values, and reduces them; the carrier's own one is `value`. */
static napcoll_span_t receive(const nap_t *nap, const napcoll_split_t *group,
                              const meeting_t *meeting, int self, napcoll_span_t value)
{
    const napcoll_node_map_t *map = nap->args->map;
    int values = 0;

    for (int part = 0; part < meeting->parts; part++) {
        if (part == meeting->part && self == meeting->carrier) {
            nap->value[values++] = value;
        } else if (part != meeting->part && self == user_of(meeting, part)) {
            const int node = napcoll_split_part_first(group, part);

            nap->value[values] = napcoll_builder_temp(nap->builder, 0, 1);
            napcoll_builder_recv(nap->builder, nap->value[values++],
                                 napcoll_node_map_rank(map, node, carrier_lane(nap, node)));
        }
    }
    value = napcoll_exchange_combine(nap->builder, values, values > 2 ? values : 2, nap->value);
    napcoll_builder_next_stage(nap->builder);
    return value;
}

/* One level on a group's head: what its processes receive meets at the carrier. */
static napcoll_span_t meet(const nap_t *nap, const napcoll_split_t *group, const meeting_t *meeting,
                           napcoll_span_t value)
{
    const napcoll_party_t party = users(nap, meeting);

    if (party.self >= party.processes) {
        return value;
    }
    value = napcoll_exchange_reduce(nap->builder, &party,
                                    receive(nap, group, meeting, party.self, value));
    if (party.self != party.root) {
        napcoll_builder_release(nap->builder, value);
    }
    return value;
}

/* One level of the tree. */
static napcoll_span_t climb(const nap_t *nap, int level, napcoll_span_t value)
{
    const napcoll_node_map_t *map = nap->args->map;
    const napcoll_split_t group = napcoll_split_at(map->nodes, nap->lanes + 1, level, nap->node);
    const int lane = napcoll_node_map_lane(map, nap->args->rank);
    meeting_t meeting;

    if (group.parts < 2 || nap->node != napcoll_split_part_head(&group, group.part, nap->root)) {
        return value;
    }
    meeting = meeting_of(nap, level, &group);
    if (nap->node == meeting.head) {
        return meet(nap, &group, &meeting, value);
    }
    if (lane == carrier_lane(nap, nap->node)) {
        const int ppn = napcoll_node_map_ppn(map, meeting.head);

        napcoll_builder_send(
            nap->builder, value,
            napcoll_node_map_rank(map, meeting.head,
                                  (meeting.lane + user_of(&meeting, group.part)) % ppn));
        napcoll_builder_next_stage(nap->builder);
    }
    return value;
}

napcoll_plan_t *napcoll_reduce_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_party_t node = napcoll_party_node(args);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    nap_t nap = {.args = args,
                 .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                 .node = napcoll_node_map_node(map, args->rank),
                 .root = napcoll_node_map_node(map, args->params.root),
                 .lanes = napcoll_port_lanes(map, args->params.tunable[0])};
    napcoll_span_t value;

    nap.value = malloc(((size_t) nap.lanes + 1) * sizeof(*nap.value));
    if (NULL == nap.builder || NULL == nap.value) {
        free(nap.value);
        napcoll_builder_discard(nap.builder);
        return NULL;
    }
    value = napcoll_exchange_reduce(nap.builder, &node, napcoll_plan_args_input(args));
    if (node.self != node.root) {
        napcoll_builder_release(nap.builder, value);
    }
    for (int level = 1; level <= napcoll_port_levels(map, nap.lanes); level++) {
        value = climb(&nap, level, value);
    }
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(nap.builder, recvbuf, value);
    }
    free(nap.value);
    return napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node one from each other part. */
napcoll_bounds_t napcoll_reduce_nap_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    const int load = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));
    const int parts = params->local_radix < map->max_ppn ? params->local_radix : map->max_ppn;

    return (napcoll_bounds_t){.inter = load, .all = parts - 1 > load ? parts - 1 : load};
}
