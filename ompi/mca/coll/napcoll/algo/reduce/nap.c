/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel reduce, for any node count, placement, processes per node and root: the tree
 * of the broadcast nap (bcast/nap.c) read backwards. In a step a node receives the values of L
 * others, one at each lane, reduces them inside the node and goes on.
 *
 *     9 nodes, 2 lanes, parts [ 0 1 2 | 3 4 5 | 6 7 8 ], root on node 4
 *
 *     step 1       1 -> 0 <- 2     3 -> 4 <- 5     7 -> 6 <- 8      then 0, 4 and 6 reduce inside
 *     step 2                       0 -> 4 <- 6                      then 4 reduces inside
 *
 *     cost     ceil(log_(L + 1) n) (alpha + beta s) between nodes, one local reduce more than steps
 *
 * With binomial trees of leaders the nodes' other processes would wait, and the steps would be log2
 * n. For the lanes see Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce"; the tree is the
 * optimal one of the multiport model (napcoll_lanes.h).
 *
 * The nodes are cut by the balanced split with radix L + 1. The values of a part meet at its head:
 * the root's node, if it is in the part, else the first node. On its node a value is at one
 * process, the carrier: the root, or the leader. On each level a group's head receives the values
 * of the other parts. These are dealt to its processes in runs, in part order, so that each process
 * reduces what it received, and the processes reduce in their order:
 *
 *     head of part 1 of 5, two processes:      parts 0 [1] 2 | 3 4
 *
 * The carrier's run is the one beside the own part's value. Processes are counted from the
 * carrier's run on, so it does not matter which lane the carrier is. Part order is node order, and
 * so rank order where nodes are contiguous.
 */

#include <stdlib.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_lanes.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int node;
    /* The root's node. */
    int root;
    int lanes;
    /* [lanes + 1] what this process reduces on a level. */
    napcoll_span_t *value;
} nap_t;

/* One level's group, as its head sees it. */
typedef struct {
    /* The head: a node. */
    int head;
    /* The head's part. */
    int part;
    /* At least 2. */
    int parts;
    /* Processes of the head that receive. */
    int receivers;
    /* Number of the carrier among them. */
    int carrier;
    /* Lane of process 0. */
    int lane;
} meeting_t;

static int carrier_lane(const nap_t *nap, int node)
{
    return node == nap->root ? napcoll_node_map_lane(nap->args->map, nap->args->params.root) : 0;
}

/* The process of the head that receives a part's value: runs of parts, as even as possible. */
static int receiver_of(const meeting_t *meeting, int part)
{
    const int others = meeting->parts - 1, index = part < meeting->part ? part : part - 1;

    return (int) ((int64_t) index * meeting->receivers / others);
}

static meeting_t meeting_at(const nap_t *nap, int level, const napcoll_split_t *group)
{
    const napcoll_node_map_t *map = nap->args->map;
    meeting_t meeting = {.head = napcoll_split_head(group->first, group->size, nap->root),
                         .parts = group->parts};
    const int ppn = napcoll_node_map_ppn(map, meeting.head), others = meeting.parts - 1;

    meeting.part = napcoll_split_at(map->nodes, nap->lanes + 1, level, meeting.head).part;
    meeting.receivers = ppn < others ? ppn : others;
    meeting.carrier = receiver_of(&meeting, meeting.part < others ? meeting.part + 1 : others - 1);
    meeting.lane = (carrier_lane(nap, meeting.head) - meeting.carrier + ppn) % ppn;
    return meeting;
}

/* The processes of this node that receive. */
static napcoll_group_t receivers(const nap_t *nap, const meeting_t *meeting)
{
    napcoll_group_t group = napcoll_group_node_lanes(nap->args, meeting->lane);

    group.members = meeting->receivers;
    group.root = meeting->carrier;
    return group;
}

/* A process of the head receives its parts' values, and reduces them; the carrier has `value`. */
static napcoll_span_t receive_parts(const nap_t *nap, const napcoll_split_t *group,
                                    const meeting_t *meeting, int self, napcoll_span_t value)
{
    const napcoll_node_map_t *map = nap->args->map;
    int values = 0;

    for (int part = 0; part < meeting->parts; part++) {
        if (part == meeting->part && self == meeting->carrier) {
            nap->value[values++] = value;
        } else if (part != meeting->part && self == receiver_of(meeting, part)) {
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
static napcoll_span_t meet_at_head(const nap_t *nap, const napcoll_split_t *split,
                                   const meeting_t *meeting, napcoll_span_t value)
{
    const napcoll_group_t group = receivers(nap, meeting);

    if (group.self >= group.members) {
        return value;
    }
    value = napcoll_exchange_reduce(nap->builder, &group,
                                    receive_parts(nap, split, meeting, group.self, value));
    if (group.self != group.root) {
        napcoll_builder_release(nap->builder, value);
    }
    return value;
}

/* One level of the tree. */
static napcoll_span_t reduce_level(const nap_t *nap, int level, napcoll_span_t value)
{
    const napcoll_node_map_t *map = nap->args->map;
    const napcoll_split_t group = napcoll_split_at(map->nodes, nap->lanes + 1, level, nap->node);
    const int lane = napcoll_node_map_lane(map, nap->args->rank);
    meeting_t meeting;

    if (group.parts < 2 || nap->node != napcoll_split_part_head(&group, group.part, nap->root)) {
        return value;
    }
    meeting = meeting_at(nap, level, &group);
    if (nap->node == meeting.head) {
        return meet_at_head(nap, &group, &meeting, value);
    }
    if (lane == carrier_lane(nap, nap->node)) {
        const int ppn = napcoll_node_map_ppn(map, meeting.head);

        napcoll_builder_send(
            nap->builder, value,
            napcoll_node_map_rank(map, meeting.head,
                                  (meeting.lane + receiver_of(&meeting, group.part)) % ppn));
        napcoll_builder_next_stage(nap->builder);
    }
    return value;
}

napcoll_plan_t *napcoll_reduce_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_group_t node = napcoll_group_node(args);
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
        value = reduce_level(&nap, level, value);
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

    return napcoll_bounds_either(load, napcoll_min(params->local_radix, map->max_ppn) - 1);
}
