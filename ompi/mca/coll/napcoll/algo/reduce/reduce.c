/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of reduce algorithms.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_group.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_REDUCE_ALGORITHMS] = {
    [NAPCOLL_REDUCE_BINOMIAL] =
        {.name = "binomial",
         .help = "a tree by halves of the ranks, ceil(log2 P) steps, blind to nodes; any operation "
                 "and placement",
         .generate = napcoll_reduce_binomial,
         .bounds = napcoll_bounds_one,
         .canonical = true},
    [NAPCOLL_REDUCE_SMP] =
        {.name = "smp",
         .help = "reduce inside each node, then a tree of one process per node",
         .generate = napcoll_reduce_smp,
         .bounds = napcoll_group_leaders_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .needs = NAPCOLL_NEEDS_NODE_ORDER,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the tree between leaders", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_REDUCE_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: a tree of nodes in which every process of a node receives "
                 "from another node, ceil(log_(ppn + 1) nodes) inter-node steps",
         .generate = napcoll_reduce_nap,
         .bounds = napcoll_reduce_nap_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true},
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_NODE_ORDER,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "receive from other nodes at once (the radix over nodes is one more)")}},
    [NAPCOLL_REDUCE_RABENSEIFNER] =
        {.name = "rabenseifner",
         .help = "reduce-scatter by recursive halving, then a binomial gather, blind to nodes; any "
                 "operation, placement, root and number of ranks",
         .generate = napcoll_reduce_rabenseifner,
         .bounds = napcoll_bounds_one,
         .canonical = true},
    [NAPCOLL_REDUCE_LANE] =
        {.name = "lane",
         .help = "reduce-scatter inside the nodes, each lane reduces its slice across nodes, the "
                 "root gathers the slices: all processes use the network",
         .generate = napcoll_reduce_lane,
         .bounds = napcoll_reduce_lane_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the steps between nodes", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_REDUCE_GATHERED] =
        {.name = "gathered",
         .help = "all vectors are gathered at the root, node-aware, and reduced by halves of the "
                 "ranks: the same bits on any nodes, for small vectors",
         .generate = napcoll_reduce_gathered,
         .bounds = napcoll_reduce_gathered_bounds,
         .keeps_all_vectors = true,
         .linear = true,
         .canonical = true},
    [NAPCOLL_REDUCE_BINE] =
        {.name = "bine",
         .help = "a Bine tree: the steps of a binomial one between closer ranks, ceil(log2 P) of "
                 "them, blind to nodes and switches",
         .generate = napcoll_reduce_bine,
         .bounds = napcoll_bounds_one,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_CIRCULANT] =
        {.name = "circulant",
         .help = "a circulant graph of all processes, pipelined: segments - 1 + ceil(log2 P) "
                 "rounds, the fewest possible, of one message each",
         .generate = napcoll_reduce_circulant,
         .bounds = napcoll_bounds_one,
         .hops = napcoll_circulant_hops,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
    [NAPCOLL_REDUCE_LANE_CIRCULANT] =
        {.name = "lane_circulant",
         .help = "each lane reduces its slice through a circulant graph of the nodes, pipelined, "
                 "the root gathers the slices: segments - 1 + ceil(log2 nodes) rounds, all "
                 "processes use the network, no byte leaves a node twice",
         .generate = napcoll_reduce_lane_circulant,
         .bounds = napcoll_circulant_lanes_bounds,
         .hops = napcoll_circulant_lanes_hops,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_SEGMENTS}},
};

const napcoll_collective_t napcoll_reduce = {.name = "reduce",
                                             .goal = NAPCOLL_GOAL_REDUCE,
                                             .algorithm = algorithms,
                                             .algorithms = NAPCOLL_REDUCE_ALGORITHMS};
