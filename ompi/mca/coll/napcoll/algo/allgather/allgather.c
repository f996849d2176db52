/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of allgather and allgatherv.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_ALLGATHER_ALGORITHMS] = {
    [NAPCOLL_ALLGATHER_RING] = {.name = "ring",
                                .help = "blocks go round a ring that visits node after node, P - 1 "
                                        "steps",
                                .generate = napcoll_allgather_ring,
                                .bounds = napcoll_bounds_one,
                                .linear = true},
    [NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING] =
        {.name = "recursive_doubling",
         .help = "all ranks exchange what they have in log2 P steps, for powers of two",
         .generate = napcoll_allgather_recursive_doubling,
         .bounds = napcoll_bounds_one,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO},
    [NAPCOLL_ALLGATHER_BRUCK] =
        {.name = "bruck",
         .help = "all ranks send on what they have in ceil(log_radix P) steps, blind to nodes; any "
                 "number of ranks",
         .generate = napcoll_allgather_bruck,
         .bounds = napcoll_allgather_bruck_bounds,
         .tunable = {{.name = "radix",
                      .help = "Radix of the steps: radix - 1 messages at once, in fewer steps",
                      .initial = 2,
                      .least = 2}}},
    [NAPCOLL_ALLGATHER_SMP] =
        {.name = "smp",
         .help = "gather at each node's leader, Bruck among leaders, local broadcast",
         .generate = napcoll_spread_leaders,
         .bounds = napcoll_group_leaders_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .tunable = {NAPCOLL_TUNABLE_RADIX("the exchange between leaders", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_ALLGATHER_LOCALITY_BRUCK] =
        {.name = "locality_bruck",
         .help = "Bruck over nodes whose processes fetch blocks from several nodes at once: "
                 "ceil(log_(lanes + 1) nodes) inter-node steps",
         .generate = napcoll_spread_locality,
         .bounds = napcoll_spread_locality_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_LANES("share the inter-node messages")}},
    [NAPCOLL_ALLGATHER_LANE_RING] =
        {.name = "lane_ring",
         .help = "every process of a node passes its share round a ring of nodes, while the node "
                 "shares what came before: all processes use the network, no byte crosses twice",
         .generate = napcoll_spread_lane_ring,
         .bounds = napcoll_allgather_lane_ring_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE},
    [NAPCOLL_ALLGATHER_BINE] =
        {.name = "bine",
         .help = "a Bine butterfly: all ranks exchange what they have in log2 P steps with closer "
                 "ranks than in recursive doubling, for powers of two",
         .generate = napcoll_spread_bine,
         .bounds = napcoll_spread_bine_bounds,
         .needs = NAPCOLL_NEEDS_POWER_OF_TWO},
};

const napcoll_collective_t napcoll_allgather = {.name = "allgather",
                                                .goal = NAPCOLL_GOAL_ALLGATHER,
                                                .algorithm = algorithms,
                                                .algorithms = NAPCOLL_ALLGATHER_ALGORITHMS};

const napcoll_collective_t napcoll_allgatherv = {.name = "allgatherv",
                                                 .goal = NAPCOLL_GOAL_ALLGATHER,
                                                 .uneven = true,
                                                 .spread = true,
                                                 .algorithm = algorithms,
                                                 .algorithms = NAPCOLL_ALLGATHER_ALGORITHMS};

/* Rows are shared with allgatherv, whose blocks may be anywhere. */
napcoll_bounds_t napcoll_allgather_lane_ring_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params)
{
    (void) params;
    return napcoll_spread_lane_ring_bounds(map, true);
}
