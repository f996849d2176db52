/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of reduce_scatter and reduce_scatter_block.
 */

#include "algo/reduce_scatter/reduce_scatter.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_REDUCE_SCATTER_ALGORITHMS] = {
    [NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING] =
        {.name = "recursive_halving",
         .help = "all ranks exchange halves of what they fold in log2 P steps, for powers of two",
         .generate = napcoll_reduce_scatter_recursive_halving,
         .bounds = napcoll_reduce_scatter_recursive_halving_bounds,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO | NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_SCATTER_SMP] =
        {.name = "smp",
         .help = "reduce to each node's leader, exchange among leaders, local scatter",
         .generate = napcoll_reduce_scatter_smp,
         .bounds = napcoll_reduce_scatter_smp_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the exchange between leaders")}},
    [NAPCOLL_REDUCE_SCATTER_LOCALITY] =
        {.name = "locality",
         .help =
             "the processes of a node fold its vectors, and send sums to several nodes at once: "
             "ceil(log_(lanes + 1) nodes) inter-node steps",
         .generate = napcoll_reduce_scatter_locality,
         .bounds = napcoll_reduce_scatter_locality_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE,
         .tunable = {{.name = "lanes",
                      .help = "Lanes per node that share the inter-node messages; a process on a "
                              "smaller node serves several. 0: as many of the processes of the "
                              "smallest node as save steps",
                      .initial = 0,
                      .least = 0}}},
    [NAPCOLL_REDUCE_SCATTER_LANE_RING] =
        {.name = "lane_ring",
         .help = "sums go round a ring of nodes, each process of a node with its share, while the "
                 "node folds the next: all processes use the network, no byte crosses twice",
         .generate = napcoll_reduce_scatter_lane_ring,
         .bounds = napcoll_reduce_scatter_lane_ring_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_SCATTER_PAIRWISE] =
        {.name = "pairwise",
         .help =
             "every rank gets its block from all others and folds; any op, placement and number "
             "of ranks",
         .generate = napcoll_reduce_scatter_pairwise,
         .bounds = napcoll_reduce_scatter_pairwise_bounds,
         .linear = true,
         .needs = NAPCOLL_NEEDS_NOTHING,
         .canonical = true,
         .tunable = {{.name = "burst",
                      .help = "Messages that a process sends, and receives, at once",
                      .initial = 16,
                      .least = 1}}},
};

const napcoll_collective_t napcoll_reduce_scatter = {
    .name = "reduce_scatter",
    .goal = NAPCOLL_GOAL_REDUCE_SCATTER,
    .uneven = true,
    .algorithm = algorithms,
    .algorithms = NAPCOLL_REDUCE_SCATTER_ALGORITHMS};

const napcoll_collective_t napcoll_reduce_scatter_block = {
    .name = "reduce_scatter_block",
    .goal = NAPCOLL_GOAL_REDUCE_SCATTER,
    .algorithm = algorithms,
    .algorithms = NAPCOLL_REDUCE_SCATTER_ALGORITHMS};
