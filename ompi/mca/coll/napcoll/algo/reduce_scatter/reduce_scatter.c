/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of reduce_scatter and reduce_scatter_block. Three of them are algorithms
 * of allgather, backwards (napcoll_spread.h): a lane sends a sum on as soon as its node's share is
 * in it.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_REDUCE_SCATTER_ALGORITHMS] = {
    [NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING] =
        {.name = "recursive_halving",
         .help = "all ranks exchange halves of what they reduce in log2 P steps, for powers of two",
         .generate = napcoll_reduce_scatter_recursive_halving,
         .bounds = napcoll_bounds_one,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO | NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_SCATTER_SMP] =
        {.name = "smp",
         .help = "reduce to each node's leader, exchange among leaders, local scatter",
         .generate = napcoll_spread_leaders,
         .bounds = napcoll_group_leaders_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .needs = NAPCOLL_NEEDS_COMMUTATIVE,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the exchange between leaders", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_REDUCE_SCATTER_LOCALITY] =
        {.name = "locality",
         .help = "the processes of a node reduce its vectors, and send sums to several nodes at "
                 "once: ceil(log_(lanes + 1) nodes) inter-node steps",
         .generate = napcoll_spread_locality,
         .bounds = napcoll_spread_locality_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE,
         .tunable = {NAPCOLL_TUNABLE_LANES("share the inter-node messages")}},
    [NAPCOLL_REDUCE_SCATTER_LANE_RING] =
        {.name = "lane_ring",
         .help = "sums go round a ring of nodes, each process of a node with its share, while the "
                 "node reduces the next: all processes use the network, no byte crosses twice",
         .generate = napcoll_spread_lane_ring,
         .bounds = napcoll_reduce_scatter_lane_ring_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_SCATTER_PAIRWISE] =
        {.name = "pairwise",
         .help = "every rank receives its block from all others and reduces; any operation, "
                 "placement and number of ranks",
         .generate = napcoll_reduce_scatter_pairwise,
         .bounds = napcoll_reduce_scatter_pairwise_bounds,
         .linear = true,
         .canonical = true,
         .tunable = {{.name = "burst",
                      .help = "Messages that a process sends, and receives, at once",
                      .initial = 16,
                      .least = 1}}},
    [NAPCOLL_REDUCE_SCATTER_BINE] =
        {.name = "bine",
         .help = "a Bine butterfly: all ranks exchange halves of what they reduce in log2 P steps "
                 "with closer ranks than in recursive halving, for powers of two",
         .generate = napcoll_spread_bine,
         .bounds = napcoll_spread_bine_bounds,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO | NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_REDUCE_SCATTER_CIRCULANT] =
        {.name = "circulant",
         .help = "a circulant graph of all ranks: ceil(log2 P) rounds and the fewest bytes for any "
                 "number of ranks, blind to nodes",
         .generate = napcoll_reduce_scatter_circulant,
         .bounds = napcoll_bounds_one,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE},
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

napcoll_bounds_t napcoll_reduce_scatter_lane_ring_bounds(const napcoll_node_map_t *map,
                                                         const napcoll_params_t *params)
{
    (void) params;
    return napcoll_spread_lane_ring_bounds(map, !map->contiguous);
}
