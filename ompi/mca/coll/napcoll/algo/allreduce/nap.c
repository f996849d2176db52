/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel (NAP) allreduce, for any node count, placement and processes per node (Bienz,
 * Olson, Gropp: "Node-Aware Improvements to Allreduce", section III).
 *
 * After a local allreduce all processes of a node have the node's value. On each level lane l of a
 * node in part s talks to part l, so one step fetches the values of all parts of the group; a local
 * allreduce of what the lanes fetched ends the level. Three nodes, three processes each:
 *
 *     node (part) 0     node (part) 1     node (part) 2
 *       lane 0   .        lane 0 <--- node 0, lane 1      lane 0 <--- node 0, lane 2
 *       lane 1 <--------> lane 0          .               lane 1 <--- node 1, lane 2
 *       lane 2 <--------------------------------------->  lane 0
 *
 *     cost     ceil(log_lanes n) (alpha + beta s) between nodes,
 *              1 + ceil(log_lanes n) local allreduces
 *
 * The nodes are cut by the balanced split with radix `lanes`. A node at position p of part s, of
 * the G parts of its group:
 *
 *     lane l == s   has the own part's value already; if s is a smaller part, it sends that value
 *                   to the nodes of larger parts that have no partner here: to the last position
 *                   of part p, for p its own position
 *     lane l != s   exchanges with the node at position p of part l, that node's lane s; if part l
 *                   has no such position, it only receives, from position s of part l, lane l
 *     lane l >= G   is idle: it contributes nothing, as a user's operation has no neutral element
 *
 * Where all parts are equal on all levels, no node has to serve a larger part, and the own part's
 * lane can talk to one part more: with every process of every node a lane, the radix is ppn + 1.
 *
 * A lane sends and receives at most one message per level. A node with fewer processes than lanes
 * gives lane l to its process l mod ppn. All nodes reduce the parts in the same order with the same
 * brackets: the result is bitwise the same everywhere.
 */

#include <limits.h>
#include <stdlib.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

/* Whether the nodes are cut into equal parts on every level. */
static bool equal_parts(int nodes, int radix)
{
    for (int level = napcoll_split_levels(nodes, radix); level > 0; level--) {
        const int parts = napcoll_split_at(nodes, radix, level, 0).parts;

        if (0 != nodes % parts) {
            return false;
        }
        nodes /= parts;
    }
    return true;
}

int napcoll_nap_radix(const napcoll_node_map_t *map, int lanes)
{
    const bool all_serve = lanes == map->min_ppn && lanes == map->max_ppn;

    return all_serve
                   && napcoll_split_levels(map->nodes, lanes + 1)
                          < napcoll_split_levels(map->nodes, lanes)
                   && equal_parts(map->nodes, lanes + 1)
               ? lanes + 1
               : lanes;
}

/* The most lanes that one process serves. */
static int lanes_per_process(const napcoll_node_map_t *map, int lanes)
{
    return (lanes + map->min_ppn - 1) / map->min_ppn;
}

int napcoll_nap_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_split_levels(map->nodes, napcoll_nap_radix(map, lanes))
           * lanes_per_process(map, lanes);
}

int napcoll_nap_lanes(const napcoll_node_map_t *map, int wanted)
{
    const int limit = map->nodes < 2 ? 2 : map->nodes;
    int best = 2, least = INT_MAX;

    if (wanted > 0) {
        best = wanted < 2 ? 2 : wanted;
        return best > limit ? limit : best;
    }
    for (int lanes = 2; lanes <= map->max_ppn && lanes <= limit; lanes++) {
        const int steps = napcoll_nap_steps(map, lanes);

        if (steps <= least) {
            best = lanes;
            least = steps;
        }
    }
    return best;
}

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int node;
    int lane;
    /* Of this node. */
    int ppn;
    int lanes;
    /* The number of lanes, or one more. */
    int radix;
    /* [radix] the parts' values that this process has. */
    napcoll_span_t *value;
} nap_t;

/* Reduce the values of the first members of the node at its leader, `own` being this process's, and
 * broadcast the result to all of the node. */
static napcoll_span_t reduce_and_bcast(const nap_t *nap, const napcoll_group_t *node, int members,
                                       napcoll_span_t own)
{
    napcoll_group_t group = *node;
    napcoll_span_t result;

    group.members = members;
    result = napcoll_exchange_reduce(nap->builder, &group, own);
    if (0 != group.self) {
        napcoll_builder_release(nap->builder, result);
        result = napcoll_builder_temp(nap->builder, 0, 1);
    }
    napcoll_exchange_bcast(nap->builder, node, result);
    return result;
}

/* Allreduce the processes' inputs inside the node. */
static napcoll_span_t local_allreduce(const nap_t *nap)
{
    const napcoll_span_t input = napcoll_plan_args_input(nap->args);
    const napcoll_group_t node = napcoll_group_node(nap->args);

    if (1 == nap->ppn) {
        return input;
    }
    return nap->args->params.local_tree && !napcoll_group_is_delegated(&node)
               ? reduce_and_bcast(nap, &node, node.members, input)
               : napcoll_exchange_allreduce_own(nap->builder, &node, input);
}

/* The own part's lane sends to the node of a larger part that has no partner in this part. */
static void serve_larger_parts(const nap_t *nap, const napcoll_split_t *group, napcoll_span_t acc)
{
    int larger = group->size % group->parts, small = group->size / group->parts;

    if (group->part >= larger && group->position < larger) {
        const int node = napcoll_split_part_first(group, group->position) + small;

        napcoll_builder_send(nap->builder, acc,
                             napcoll_lane_server(nap->args->map, node, group->part));
    }
}

/* The lane that talks to a part, on the nodes of part `own`. With one part more than lanes, the own
 * part's lane talks to the last part. */
static int lane_of_part(const nap_t *nap, int part, int own)
{
    return part < nap->lanes ? part : own;
}

/* One level's messages between nodes. */
static void fetch_parts(const nap_t *nap, const napcoll_split_t *group, napcoll_span_t acc)
{
    const napcoll_node_map_t *map = nap->args->map;

    for (int part = 0; part < group->parts; part++) {
        const int lane = lane_of_part(nap, part, group->part);
        const int first = napcoll_split_part_first(group, part);

        if (nap->lane != lane % nap->ppn) {
            continue;
        }
        if (part == group->part) {
            serve_larger_parts(nap, group, acc);
            continue;
        }
        nap->value[part] = napcoll_builder_temp(nap->builder, 0, 1);
        if (group->position < napcoll_split_part_size(group, part)) {
            const int partner = napcoll_lane_server(map, first + group->position,
                                                    lane_of_part(nap, group->part, part));

            napcoll_builder_recv(nap->builder, nap->value[part], partner);
            napcoll_builder_send(nap->builder, acc, partner);
        } else {
            napcoll_builder_recv(nap->builder, nap->value[part],
                                 napcoll_lane_server(map, first + group->part, part));
        }
    }
    napcoll_builder_next_stage(nap->builder);
}

/* Gather all lanes' values through the delegate, then reduce them on every process. */
static napcoll_span_t reduce_gathered(const nap_t *nap, int parts, napcoll_span_t acc)
{
    napcoll_span_t result;

    for (int lane = nap->lane, done = 0; done < parts && nap->ppn > 1; done += nap->ppn) {
        napcoll_span_t rows = napcoll_builder_rows(nap->builder, nap->ppn, 0, 1);
        bool idle = lane >= parts;

        napcoll_builder_phase(nap->builder, NAPCOLL_SCOPE_NODE, NAPCOLL_PHASE_ALLGATHER, 0, rows,
                              idle ? acc : nap->value[lane]);
        if (!idle && !napcoll_span_equal(nap->value[lane], acc)) {
            napcoll_builder_release(nap->builder, nap->value[lane]);
        }
        for (int i = 0; i < nap->ppn && done + i < parts; i++) {
            nap->value[done + i] = (napcoll_span_t){.buffer = rows.buffer + i, .count = 1};
        }
        lane += nap->ppn;
    }
    if (nap->ppn > 1) {
        /* it is in one of the rows */
        napcoll_builder_release(nap->builder, acc);
    }
    result = napcoll_exchange_combine(nap->builder, parts, nap->args->params.local_radix,
                                      nap->value);
    napcoll_builder_next_stage(nap->builder);
    return result;
}

/* All processes of the node reduce the parts' values, in part order. */
static napcoll_span_t reduce_parts(const nap_t *nap, const napcoll_split_t *group,
                                   napcoll_span_t acc)
{
    const napcoll_group_t node = napcoll_group_node_lanes(nap->args, 0);
    const napcoll_values_t values = {.values = group->parts,
                                     .value = nap->value,
                                     .known = group->part,
                                     .extra = group->parts > nap->lanes ? group->part % nap->lanes
                                                                        : 0};

    nap->value[group->part] = acc;
    if (napcoll_plan_args_delegates(nap->args, NAPCOLL_SCOPE_NODE)) {
        return reduce_gathered(nap, group->parts, acc);
    }
    if (nap->args->params.local_tree && group->parts <= node.members) {
        const napcoll_span_t own = nap->lane < group->parts ? nap->value[nap->lane] : acc;

        if (!napcoll_span_equal(own, acc)) {
            napcoll_builder_release(nap->builder, acc);
        }
        return reduce_and_bcast(nap, &node, group->parts, own);
    }
    return napcoll_exchange_allreduce(nap->builder, &node, &values);
}

napcoll_plan_t *napcoll_allreduce_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    nap_t nap = {.args = args,
                 .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                 .node = napcoll_node_map_node(map, args->rank),
                 .lane = napcoll_node_map_lane(map, args->rank),
                 .lanes = napcoll_nap_lanes(map, args->params.tunable[0])};
    napcoll_span_t acc;

    nap.ppn = napcoll_node_map_ppn(map, nap.node);
    nap.radix = napcoll_plan_args_delegates(args, NAPCOLL_SCOPE_NODE)
                    ? nap.lanes
                    : napcoll_nap_radix(map, nap.lanes);
    nap.value = malloc((size_t) nap.radix * sizeof(*nap.value));
    if (NULL == nap.builder || NULL == nap.value) {
        free(nap.value);
        napcoll_builder_discard(nap.builder);
        return NULL;
    }
    acc = local_allreduce(&nap);
    for (int level = 1; level <= napcoll_split_levels(map->nodes, nap.radix); level++) {
        const napcoll_split_t group = napcoll_split_at(map->nodes, nap.radix, level, nap.node);

        if (group.parts > 1) {
            fetch_parts(&nap, &group, acc);
            acc = reduce_parts(&nap, &group, acc);
        }
    }
    napcoll_builder_copy(nap.builder, recvbuf, acc);
    free(nap.value);
    return napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node a process sends to the others what each of
 * its lanes fetched, and receives the other parts' values of a group. */
napcoll_bounds_t napcoll_allreduce_nap_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    const int lanes = napcoll_nap_lanes(map, params->tunable[0]);
    const int load = lanes_per_process(map, lanes);

    return (napcoll_bounds_t){.inter = load,
                              .all = load * napcoll_max(map->max_ppn, params->local_radix)};
}
