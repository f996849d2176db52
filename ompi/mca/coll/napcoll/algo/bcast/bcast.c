/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of broadcast algorithms.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_circulant.h"

static const char *const allgathers[] = {"doubling", "ring", NULL};
/* By napcoll_bcast_tree_t - 1. */
static const char *const between_nodes[] = {
    "flat", "binomial", "chain", "binary", "scatter_allgather", "knomial", NULL};
/* By the numbers in lane.c. */
static const char *const between_lanes[] = {"binomial", "chain", "knomial", NULL};

static const napcoll_algorithm_t algorithms[NAPCOLL_BCAST_ALGORITHMS] = {
    [NAPCOLL_BCAST_FLAT] = {.name = "flat",
                            .help = "the root sends to all others at once",
                            .generate = napcoll_bcast_flat,
                            .bounds = napcoll_bcast_flat_bounds,
                            .linear = true},
    [NAPCOLL_BCAST_BINARY] =
        {.name = "binary",
         .help = "a binary tree in depth-first order from the root, floor(log2 P) steps of two "
                 "messages, pipelined",
         .generate = napcoll_bcast_binary,
         .bounds = napcoll_bcast_binary_bounds,
         .hops = napcoll_bcast_binary_hops,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_BINOMIAL] =
        {.name = "binomial",
         .help =
             "a binomial tree in depth-first order from the root, ceil(log2 P) steps; pipelined",
         .generate = napcoll_bcast_binomial,
         .bounds = napcoll_bcast_binomial_bounds,
         .hops = napcoll_bcast_binomial_hops,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_SCATTER_ALLGATHER] =
        {.name = "scatter_allgather",
         .help = "scatter by recursive halving, then allgather, in depth-first order from the root",
         .generate = napcoll_bcast_scatter_allgather,
         .bounds = napcoll_bcast_scatter_allgather_bounds,
         .linear = true,
         .tunable = {{.name = "allgather",
                      .help = "The allgather: recursive doubling (few steps) or ring (neighbours "
                              "only). auto: chosen by the model",
                      .tunes = NAPCOLL_TUNES_CHOICE,
                      .names = allgathers}}},
    [NAPCOLL_BCAST_CHAIN] =
        {.name = "chain",
         .help = "the linear pipeline: each process passes segments on to the next in depth-first "
                 "order from the root, free of contention on a tree of switches",
         .generate = napcoll_bcast_chain,
         .bounds = napcoll_bounds_one,
         .hops = napcoll_bcast_chain_hops,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_TWO_LEVEL] =
        {.name = "two_level",
         .help = "one process of each node takes part between nodes, a tree inside each node "
                 "follows segment by segment",
         .generate = napcoll_bcast_two_level,
         .bounds = napcoll_bcast_two_level_bounds,
         .hops = napcoll_bcast_two_level_hops,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .segmented = true,
         .tunable = {{.name = "between",
                      .help = "The algorithm between nodes: flat, binomial, chain, binary, "
                              "scatter_allgather or knomial, a tree of radix 4. auto: chosen by "
                              "the model",
                      .tunes = NAPCOLL_TUNES_CHOICE,
                      .names = between_nodes,
                      .linear = 1U << NAPCOLL_BCAST_TREE_FLAT
                                | 1U << NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER},
                     NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: every process of a node that has the data sends it to "
                 "another node, ceil(log_(ppn + 1) nodes) inter-node steps",
         .generate = napcoll_bcast_nap,
         .bounds = napcoll_bcast_nap_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true},
         .tunable = {NAPCOLL_TUNABLE_LANES("send to other nodes at once"),
                     {.name = "k_ports",
                      .help =
                          "Nodes that each lane sends to at once, where a node has several links",
                      .initial = 1,
                      .least = 1}}},
    [NAPCOLL_BCAST_LANE] =
        {.name = "lane",
         .help = "the root deals slices to the lanes of its node, each lane passes its slice from "
                 "node to node, nodes share the slices: all processes use the network",
         .generate = napcoll_bcast_lane,
         .bounds = napcoll_bcast_lane_bounds,
         .hops = napcoll_bcast_lane_hops,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .segmented = true,
         .tunable = {{.name = "between",
                      .help = "How a slice goes from node to node: binomial, chain or knomial, a "
                              "tree of radix 4. auto: chosen by the model",
                      .tunes = NAPCOLL_TUNES_CHOICE,
                      .names = between_lanes},
                     NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_BINE] =
        {.name = "bine",
         .help = "a Bine tree: the steps of a binomial one between closer ranks, ceil(log2 P) of "
                 "them, blind to nodes and switches; pipelined",
         .generate = napcoll_bcast_bine,
         .bounds = napcoll_bcast_binomial_bounds,
         .hops = napcoll_bcast_binomial_hops,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_CIRCULANT] =
        {.name = "circulant",
         .help = "a circulant graph of all processes, pipelined: segments - 1 + ceil(log2 P) "
                 "rounds, the fewest possible, of one message each",
         .generate = napcoll_bcast_circulant,
         .bounds = napcoll_bounds_one,
         .hops = napcoll_circulant_hops,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_BCAST_LANE_CIRCULANT] =
        {.name = "lane_circulant",
         .help = "the root deals slices to the lanes of its node, each lane carries its slice "
                 "through a circulant graph of the nodes, nodes share what comes: segments - 1 + "
                 "ceil(log2 nodes) rounds, all processes use the network",
         .generate = napcoll_bcast_lane_circulant,
         .bounds = napcoll_circulant_lanes_bounds,
         .hops = napcoll_circulant_lanes_hops,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
};

const napcoll_collective_t napcoll_bcast = {.name = "bcast",
                                            .goal = NAPCOLL_GOAL_BCAST,
                                            .algorithm = algorithms,
                                            .algorithms = NAPCOLL_BCAST_ALGORITHMS};
