/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Node-aware parallel (NAP) scan, for contiguous nodes of any number and size.
 *
 * Inside the node first: every process has the reduction of the processes before it, and the node's total.
 * Then between nodes: a node that has the reduction of a window of w nodes, itself the last, fetches the L
 * windows before it, lane by lane, and so comes to have one of (L + 1) w nodes. Six nodes a to f, two
 * lanes:
 *
 *     node         a     b     c     d     e      f
 *     width 1      a     b     c     d     e      f        lanes 0 and 1 of f fetch d and e
 *     width 3      a     ab    abc   bcd   cde    def      a lane of f fetches abc
 *     width 9      a     ab    abc   abcd  abcde  abcdef
 *
 * What the lanes fetched is reduced inside the node after each step, and goes before the window and
 * before what the node has of the nodes before itself: f had de of these, and gets abcde. In the end a
 * process reduces that into what it has of its own node.
 *
 *     cost     ceil(log_{L+1} n) (alpha_n + beta_n s) between nodes,
 *              (1 + ceil(log_{L+1} n)) ceil(log_k L) (alpha_l + beta_l s) inside, k the fan-out there
 *
 * A lane sends and receives at most one message a step; a node with fewer processes than lanes gives
 * lane l to its process l mod ppn. Where processes share cores, the inside of the node is a tree: up at
 * first and down at the end (sweep.h), with the leader alone knowing what stands before the node.
 *
 * The windows are those of Hillis and Steele (recursive_doubling.c), the lanes of nodes those of Bienz,
 * Olson, Gropp: "Node-Aware Improvements to Allreduce", section III.
 */

#include <stdlib.h>

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_split.h"
#include "algo/scan/scan.h"
#include "algo/scan/sweep.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    napcoll_party_t party; /* the processes of the node, in rank order */
    bool tree;             /* inside the node: fewest messages */
    int node;
    int lane;
    int ppn; /* of this node */
    int lanes;
    napcoll_span_t input;
    napcoll_span_t own;    /* exchanges: of this node, up to where this process's result ends */
    napcoll_span_t window; /* of the nodes up to this one; a tree's senders alone */
    napcoll_span_t before; /* of those before it, as far as fetched; a tree's leader alone */
    napcoll_span_t *below; /* [ppn] what napcoll_scan_up keeps, or what exchanges work with */
    napcoll_span_t *value; /* [lanes] what this process's lanes fetched */
} nap_t;

int napcoll_scan_nap_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_port_steps(map, lanes);
}

/* Processes of this node that send to other nodes where windows are that wide. */
static int senders(const nap_t *nap, int width)
{
    const int nodes = (nap->args->map->nodes - 1 - nap->node) / width;
    const int lanes = nodes < nap->lanes ? nodes : nap->lanes;

    return lanes < nap->ppn ? lanes : nap->ppn;
}

/* Hand a value of the leader's on to the first `processes` of the node. */
static napcoll_span_t hand_on(const nap_t *nap, napcoll_span_t value, int processes)
{
    napcoll_party_t party = nap->party;

    if (processes < 2 || nap->lane >= processes) {
        return value;
    }
    if (0 != nap->lane) {
        value = napcoll_builder_temp(nap->builder, 0, 1);
    }
    party.processes = processes;
    napcoll_exchange_bcast(nap->builder, &party, value);
    return value;
}

/* The scan inside the node, and its total where it is sent. */
static void scan_node(nap_t *nap)
{
    const napcoll_span_t nothing = {0};

    if (nap->tree) {
        nap->window = napcoll_scan_up(nap->builder, &nap->party, nap->input, nap->below);
        nap->window = hand_on(nap, nap->window, senders(nap, 1));
        return;
    }
    nap->own = napcoll_scan_is_inclusive(nap->args) ? nap->input : nothing;
    nap->below[nap->lane] = nap->input;
    nap->window = napcoll_exchange_scan(nap->builder, &nap->party, nap->below, &nap->own);
}

/* The process that serves a lane of a node. */
static int lane_rank(const nap_t *nap, int node, int lane)
{
    const napcoll_node_map_t *map = nap->args->map;

    return napcoll_node_map_rank(map, node, lane % napcoll_node_map_ppn(map, node));
}

/* Windows that a node fetches; a lane fetches the one that ends (count - lane) * width nodes before. */
static int windows_of(const nap_t *nap, int node, int width)
{
    return node / width < nap->lanes ? node / width : nap->lanes;
}

/* One step's messages between nodes. */
static void fetch(const nap_t *nap, int width)
{
    const int nodes = nap->args->map->nodes, windows = windows_of(nap, nap->node, width);

    for (int j = nap->lane + 1; j <= nap->lanes && j * width < nodes - nap->node; j += nap->ppn) {
        const int to = nap->node + j * width;

        napcoll_builder_send(nap->builder, nap->window,
                             lane_rank(nap, to, windows_of(nap, to, width) - j));
    }
    for (int lane = nap->lane; lane < windows; lane += nap->ppn) {
        const int j = windows - lane;

        nap->value[lane] = napcoll_builder_temp(nap->builder, 0, 1);
        napcoll_builder_recv(nap->builder, nap->value[lane],
                             lane_rank(nap, nap->node - j * width, j - 1));
    }
    napcoll_builder_next_stage(nap->builder);
}

/* Fold what the lanes fetched, at the leader and where it is wanted for the next step. */
static napcoll_span_t fold_by_tree(const nap_t *nap, int windows, int wanted)
{
    const napcoll_span_t nothing = {0};
    napcoll_party_t party = nap->party;
    napcoll_span_t result;

    party.members = windows;
    result = napcoll_exchange_reduce(nap->builder, &party,
                                     nap->lane < windows ? nap->value[nap->lane] : nothing);
    if (0 != nap->lane) {
        napcoll_builder_release(nap->builder, result);
        result = nothing;
    }
    return hand_on(nap, result, wanted);
}

/* The same, on all processes of the node but those of a tree that need it for nothing. */
static napcoll_span_t fold_fetched(const nap_t *nap, int windows, int next)
{
    napcoll_party_t party = nap->party;

    if ((nap->tree || 1 == windows) && windows <= nap->ppn) {
        return fold_by_tree(nap, windows, nap->tree ? senders(nap, next) : nap->ppn);
    }
    party.members = windows;
    return napcoll_exchange_allreduce(nap->builder, &party, nap->value, -1);
}

/* Put what was fetched before the window, where that is sent again, and before the node's own. */
static void take(nap_t *nap, napcoll_span_t fetched, int next)
{
    const bool kept = napcoll_span_equal(nap->window, nap->own)
                      || napcoll_span_equal(nap->window, nap->input);
    napcoll_span_t dst = nap->window;

    if (0 == fetched.count) {
        return;
    }
    if (nap->lane < senders(nap, next)) {
        dst = kept ? napcoll_builder_temp(nap->builder, 0, 1) : dst;
        napcoll_builder_reduce(nap->builder, dst, fetched, nap->window);
        nap->window = dst;
    }
    if (nap->tree && 0 != nap->lane) {
        napcoll_builder_release(nap->builder, fetched);
    } else if (0 == nap->before.count) {
        nap->before = fetched;
    } else {
        nap->before = napcoll_exchange_join(nap->builder, fetched, nap->before);
        napcoll_builder_release(nap->builder, fetched);
    }
}

/* All steps between nodes. */
static void reach_back(nap_t *nap)
{
    const int nodes = nap->args->map->nodes;

    for (int width = 1, next; width < nodes; width = next) {
        const int windows = windows_of(nap, nap->node, width);

        next = napcoll_split_widen(width, nodes, nap->lanes + 1);
        fetch(nap, width);
        if (windows > 0) {
            take(nap, fold_fetched(nap, windows, next), next);
            napcoll_builder_next_stage(nap->builder);
        }
    }
}

static void conclude(const nap_t *nap)
{
    const napcoll_span_t nothing = {0};
    napcoll_span_t before = nap->before, own = nap->own;

    if (nap->tree) {
        before = napcoll_scan_down(nap->builder, &nap->party, nap->input, nap->below, before);
        own = napcoll_scan_is_inclusive(nap->args) ? nap->input : nothing;
    }
    napcoll_scan_conclude(nap->builder, nap->args, before, own);
}

napcoll_plan_t *napcoll_scan_nap(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    nap_t nap = {.args = args,
                 .builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                 .party = napcoll_party_node(args),
                 .tree = args->params.local_tree,
                 .node = napcoll_node_map_node(map, args->rank),
                 .lane = napcoll_node_map_lane(map, args->rank),
                 .lanes = napcoll_port_lanes(map, args->params.tunable[0]),
                 .input = napcoll_plan_args_input(args)};

    nap.ppn = nap.party.processes;
    nap.party.noncommutative = true;
    nap.party.self = nap.lane;
    nap.below = malloc((size_t) nap.ppn * sizeof(*nap.below));
    nap.value = malloc((size_t) nap.lanes * sizeof(*nap.value));
    if (NULL == nap.builder || NULL == nap.below || NULL == nap.value) {
        napcoll_builder_discard(nap.builder);
        nap.builder = NULL;
    } else {
        napcoll_builder_claim_recvbuf(nap.builder);
        scan_node(&nap);
        reach_back(&nap);
        conclude(&nap);
    }
    free(nap.below);
    free(nap.value);
    return NULL == nap.builder ? NULL : napcoll_builder_finish(nap.builder);
}

/* One message per lane between nodes; inside the node a process serves the others with what each of its
 * lanes fetched, and gets what the others' did. */
napcoll_bounds_t napcoll_scan_nap_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    const int share = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));
    const int most = map->max_ppn > params->local_radix ? map->max_ppn : params->local_radix;

    return (napcoll_bounds_t){.inter = share, .all = share * most};
}
