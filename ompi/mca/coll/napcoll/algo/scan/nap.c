/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel (NAP) scan, for contiguous nodes of any number and size.
 *
 * Inside the node first: every process has the reduction of the processes before it, and the node's
 * total. Then between nodes: a node that has the reduction of a window of w nodes, itself the last,
 * fetches the L windows before it, one by each lane, and then has a window of (L + 1) w nodes. Six
 * nodes a to f, two lanes:
 *
 *     node         a     b     c     d     e      f
 *     width 1      a     b     c     d     e      f        lanes 0 and 1 of f fetch d and e
 *     width 3      a     ab    abc   bcd   cde    def      a lane of f fetches abc
 *     width 9      a     ab    abc   abcd  abcde  abcdef
 *
 * After each step what the lanes fetched is reduced inside the node, and put before the window and
 * before what the node has of the nodes before itself: f had de of these, and gets abcde. At the
 * end a process reduces that with what it has of its own node.
 *
 *     cost     ceil(log_{L+1} n) (alpha_n + beta_n s) between nodes,
 *              (1 + ceil(log_{L+1} n)) ceil(log_k L) (alpha_l + beta_l s) inside, k the radix
 *
 * A lane sends and receives at most one message a step; a node with fewer processes than lanes
 * gives lane l to its process l mod ppn. Where processes share cores (params.local_tree), the
 * inside of the node is a tree, up at first and down at the end, and only the leader knows what
 * comes before the node. Four processes; what each sends, as letters:
 *
 *     up        1 -> 0 (b)   3 -> 2 (d)   2 -> 0 (cd)     0 has abcd, and keeps a and ab
 *     down      0 -> 2 (xab)   0 -> 1 (xa)   2 -> 3 (xabc)
 *
 *     cost   2 ceil(log_k L) alpha_l, 2 (L - 1) messages; x is what comes before the node
 *
 * For the windows see Hillis and Steele (recursive_doubling.c), for the lanes Bienz, Olson, Gropp:
 * "Node-Aware Improvements to Allreduce", section III.
 */

#include <stdlib.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_lanes.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    /* The processes of the node, in rank order; self is this process's lane. */
    napcoll_group_t group;
    /* Inside the node: fewest messages. */
    bool tree;
    int node;
    int lanes;
    napcoll_span_t input;
    /* Of this node, up to where this process's result ends. */
    napcoll_span_t own;
    /* Of the nodes up to this one; of a tree only the senders have it. */
    napcoll_span_t window;
    /* Of the nodes before this one, as far as fetched; of a tree only the leader has it. */
    napcoll_span_t before;
    /* [ppn] of a tree: at each child the reduction from this process up to the one before the
     * child; else the work space of exchanges. */
    napcoll_span_t *below;
    /* [lanes] what this process's lanes fetched. */
    napcoll_span_t *value;
} nap_t;

/* ---- the tree inside the node ---- */

/* Up: reduce the inputs at process 0, which gets the result. */
static napcoll_span_t scan_up(nap_t *nap)
{
    napcoll_span_t acc = nap->input;

    for (int level = 1; level <= napcoll_tree_levels(&nap->group); level++) {
        const napcoll_tree_level_t at = napcoll_tree_level(&nap->group, level);

        for (int part = 1; at.is_head && part < at.split.parts; part++) {
            const int child = napcoll_split_part_first(&at.split, part);

            nap->below[child] = napcoll_builder_temp(nap->builder, 0, 1);
            napcoll_builder_recv(nap->builder, nap->below[child],
                                 nap->group.rank(&nap->group, child));
        }
        for (int part = 1; at.is_head && part < at.split.parts; part++) {
            const int child = napcoll_split_part_first(&at.split, part);
            const napcoll_span_t next = napcoll_exchange_join(nap->builder, acc, nap->below[child]);

            nap->below[child] = acc;
            acc = next;
        }
        if (at.is_child) {
            napcoll_builder_send(nap->builder, acc, nap->group.rank(&nap->group, at.head));
            napcoll_builder_release(nap->builder, acc);
        }
        napcoll_builder_next_stage(nap->builder);
    }
    return acc;
}

/* What comes before this process also comes before its children. */
static void add_prefix(nap_t *nap, napcoll_span_t prefix)
{
    for (int level = 1; level <= napcoll_tree_levels(&nap->group); level++) {
        const napcoll_tree_level_t at = napcoll_tree_level(&nap->group, level);

        for (int part = 1; at.is_head && part < at.split.parts; part++) {
            napcoll_span_t *value = &nap->below[napcoll_split_part_first(&at.split, part)];
            const napcoll_span_t dst = napcoll_span_equal(*value, nap->input)
                                           ? napcoll_builder_temp(nap->builder, 0, 1)
                                           : *value;

            napcoll_builder_reduce(nap->builder, dst, prefix, *value);
            *value = dst;
        }
    }
}

/* Down: every process gets what comes before it; process 0 has it in `before`, which may be
 * empty. */
static napcoll_span_t scan_down(nap_t *nap)
{
    napcoll_span_t prefix = nap->before;

    if (prefix.count > 0) {
        add_prefix(nap, prefix);
        napcoll_builder_next_stage(nap->builder);
    }
    for (int level = napcoll_tree_levels(&nap->group); level >= 1; level--) {
        const napcoll_tree_level_t at = napcoll_tree_level(&nap->group, level);

        if (at.is_child) {
            prefix = napcoll_builder_temp(nap->builder, 0, 1);
            napcoll_builder_recv(nap->builder, prefix, nap->group.rank(&nap->group, at.head));
            add_prefix(nap, prefix);
        }
        for (int part = 1; at.is_head && part < at.split.parts; part++) {
            const int child = napcoll_split_part_first(&at.split, part);

            napcoll_builder_send(nap->builder, nap->below[child],
                                 nap->group.rank(&nap->group, child));
        }
        napcoll_builder_next_stage(nap->builder);
    }
    return prefix;
}

/* ---- steps ---- */

/* Processes of this node that send to other nodes where windows have this width. */
static int senders(const nap_t *nap, int width)
{
    const int nodes = (nap->args->map->nodes - 1 - nap->node) / width;
    const int lanes = nodes < nap->lanes ? nodes : nap->lanes;

    return lanes < nap->group.members ? lanes : nap->group.members;
}

/* Broadcast a value of the leader's to the first `processes` of the node. */
static napcoll_span_t bcast_to(const nap_t *nap, napcoll_span_t value, int processes)
{
    napcoll_group_t group = nap->group;

    if (processes < 2 || group.self >= processes) {
        return value;
    }
    if (0 != group.self) {
        value = napcoll_builder_temp(nap->builder, 0, 1);
    }
    group.members = processes;
    napcoll_exchange_bcast(nap->builder, &group, value);
    return value;
}

/* The scan inside the node, and its total where it is sent. */
static void scan_node(nap_t *nap)
{
    const napcoll_span_t nothing = {0};

    nap->own = napcoll_scan_is_inclusive(nap->args) ? nap->input : nothing;
    if (nap->tree) {
        nap->window = bcast_to(nap, scan_up(nap), senders(nap, 1));
        return;
    }
    nap->below[nap->group.self] = nap->input;
    nap->window = napcoll_exchange_scan(nap->builder, &nap->group, nap->below, &nap->own);
}

/* Windows that a node fetches; a lane fetches the one that ends (count - lane) * width nodes
 * before. */
static int windows_of(const nap_t *nap, int node, int width)
{
    return node / width < nap->lanes ? node / width : nap->lanes;
}

/* One step's messages between nodes. */
static void fetch_windows(const nap_t *nap, int width)
{
    const napcoll_node_map_t *map = nap->args->map;
    const int windows = windows_of(nap, nap->node, width), ppn = nap->group.members;

    for (int j = nap->group.self + 1; j <= nap->lanes && j * width < map->nodes - nap->node;
         j += ppn) {
        const int to = nap->node + j * width;

        napcoll_builder_send(nap->builder, nap->window,
                             napcoll_lane_server(map, to, windows_of(nap, to, width) - j));
    }
    for (int lane = nap->group.self; lane < windows; lane += ppn) {
        const int j = windows - lane;

        nap->value[lane] = napcoll_builder_temp(nap->builder, 0, 1);
        napcoll_builder_recv(nap->builder, nap->value[lane],
                             napcoll_lane_server(map, nap->node - j * width, j - 1));
    }
    napcoll_builder_next_stage(nap->builder);
}

/* Reduce what the lanes fetched, at the leader and on the first `wanted` processes. */
static napcoll_span_t reduce_by_tree(const nap_t *nap, int windows, int wanted)
{
    const napcoll_span_t nothing = {0};
    napcoll_group_t group = nap->group;
    napcoll_span_t result;

    group.members = windows;
    result = napcoll_exchange_reduce(nap->builder, &group,
                                     group.self < windows ? nap->value[group.self] : nothing);
    if (0 != group.self) {
        napcoll_builder_release(nap->builder, result);
        result = nothing;
    }
    return bcast_to(nap, result, wanted);
}

/* Reduce what the lanes fetched, on the processes of the node; of a tree only where it is used. */
static napcoll_span_t reduce_fetched(const nap_t *nap, int windows, int next)
{
    const napcoll_values_t values = {.values = windows, .value = nap->value, .known = -1};
    const int ppn = nap->group.members;

    if ((nap->tree || 1 == windows) && windows <= ppn) {
        return reduce_by_tree(nap, windows, nap->tree ? senders(nap, next) : ppn);
    }
    return napcoll_exchange_allreduce(nap->builder, &nap->group, &values);
}

/* Put what was fetched before the window, where that is sent again, and before the node's own. */
static void add_fetched(nap_t *nap, napcoll_span_t fetched, int next)
{
    const bool kept = napcoll_span_equal(nap->window, nap->own)
                      || napcoll_span_equal(nap->window, nap->input);
    napcoll_span_t dst = nap->window;

    if (0 == fetched.count) {
        return;
    }
    if (nap->group.self < senders(nap, next)) {
        dst = kept ? napcoll_builder_temp(nap->builder, 0, 1) : dst;
        napcoll_builder_reduce(nap->builder, dst, fetched, nap->window);
        nap->window = dst;
    }
    if (nap->tree && 0 != nap->group.self) {
        napcoll_builder_release(nap->builder, fetched);
    } else if (0 == nap->before.count) {
        nap->before = fetched;
    } else {
        nap->before = napcoll_exchange_join_last(nap->builder, fetched, nap->before);
    }
}

static void emit_scan(nap_t *nap)
{
    const int nodes = nap->args->map->nodes;

    napcoll_builder_claim_recvbuf(nap->builder);
    scan_node(nap);
    for (int width = 1, next; width < nodes; width = next) {
        const int windows = windows_of(nap, nap->node, width);

        next = napcoll_split_widen(width, nodes, nap->lanes + 1);
        fetch_windows(nap, width);
        if (windows > 0) {
            add_fetched(nap, reduce_fetched(nap, windows, next), next);
            napcoll_builder_next_stage(nap->builder);
        }
    }
    napcoll_scan_conclude(nap->builder, nap->args, nap->tree ? scan_down(nap) : nap->before,
                          nap->own);
}

napcoll_plan_t *napcoll_scan_nap(const napcoll_plan_args_t *args)
{
    nap_t nap = {.args = args,
                 .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                 .group = napcoll_group_node_lanes(args, 0),
                 .tree = args->params.local_tree,
                 .node = napcoll_node_map_node(args->map, args->rank),
                 .lanes = napcoll_port_lanes(args->map, args->params.tunable[0]),
                 .input = napcoll_plan_args_input(args)};

    nap.below = malloc((size_t) nap.group.members * sizeof(*nap.below));
    nap.value = malloc((size_t) nap.lanes * sizeof(*nap.value));
    if (NULL == nap.builder || NULL == nap.below || NULL == nap.value) {
        napcoll_builder_discard(nap.builder);
        nap.builder = NULL;
    } else {
        emit_scan(&nap);
    }
    free(nap.below);
    free(nap.value);
    return NULL == nap.builder ? NULL : napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node a process sends to the others what each of
 * its lanes fetched, and receives what theirs did. */
napcoll_bounds_t napcoll_scan_nap_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    const int load = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));

    return (napcoll_bounds_t){.inter = load,
                              .all = load * napcoll_max(map->max_ppn, params->local_radix)};
}
