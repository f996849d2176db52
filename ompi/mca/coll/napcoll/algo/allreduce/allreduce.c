/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of allreduce algorithms.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gathered.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_ALLREDUCE_ALGORITHMS] = {
    [NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING] =
        {.name = "recursive_doubling",
         .help = "all ranks exchange in ceil(log2 P) steps, blind to nodes; any operation and "
                 "placement",
         .generate = napcoll_allreduce_recursive_doubling,
         .bounds = napcoll_allreduce_recursive_doubling_bounds,
         .canonical = true},
    [NAPCOLL_ALLREDUCE_SMP] =
        {.name = "smp",
         .help =
             "reduce to each node's leader, recursive multiplying among leaders, local broadcast",
         .generate = napcoll_allreduce_smp,
         .bounds = napcoll_allreduce_smp_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .needs = NAPCOLL_NEEDS_NODE_ORDER,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the steps between leaders", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_ALLREDUCE_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: all processes of a node share the inter-node messages, "
                 "ceil(log_ppn nodes) inter-node steps",
         .generate = napcoll_allreduce_nap,
         .bounds = napcoll_allreduce_nap_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true},
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_NODE_ORDER,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "share the inter-node messages (the radix over nodes)")}},
    [NAPCOLL_ALLREDUCE_TREE] =
        {.name = "tree",
         .help = "reduce to rank 0 and broadcast, blind to nodes, in the fewest messages",
         .generate = napcoll_allreduce_tree,
         .bounds = napcoll_bounds_one,
         .canonical = true},
    [NAPCOLL_ALLREDUCE_RABENSEIFNER] =
        {.name = "rabenseifner",
         .help = "reduce-scatter by recursive halving, then allgather, blind to nodes; any "
                 "operation, placement and number of ranks",
         .generate = napcoll_allreduce_rabenseifner,
         .bounds = napcoll_bounds_one,
         .canonical = true},
    [NAPCOLL_ALLREDUCE_RING] =
        {.name = "ring",
         .help = "reduce-scatter and allgather on a ring that visits node after node",
         .generate = napcoll_allreduce_ring,
         .bounds = napcoll_allreduce_ring_bounds,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE,
         .linear = true,
         .segmented = true},
    [NAPCOLL_ALLREDUCE_LANE] =
        {.name = "lane",
         .help = "reduce-scatter inside the nodes, each lane allreduces its slice across nodes, "
                 "allgather inside the nodes: all processes use the network, no byte crosses twice",
         .generate = napcoll_allreduce_lane,
         .bounds = napcoll_allreduce_lane_bounds,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_COMMUTATIVE,
         .segmented = true,
         .tunable = {NAPCOLL_TUNABLE_RADIX("the steps between nodes", NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_ALLREDUCE_GATHERED] =
        {.name = "gathered",
         .help = "all vectors are gathered on all processes, node-aware, and reduced by halves of "
                 "the ranks: the same bits on any nodes, for small vectors",
         .generate = napcoll_allreduce_gathered,
         .bounds = napcoll_gathered_bounds,
         .keeps_all_vectors = true,
         .linear = true,
         .canonical = true,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "fetch from other nodes at once (the radix over nodes is one more)")}},
    [NAPCOLL_ALLREDUCE_BINE] =
        {.name = "bine",
         .help = "a Bine butterfly: reduce-scatter, then allgather, with most bytes between "
                 "neighbours and the distant steps closer, blind to nodes and switches",
         .generate = napcoll_allreduce_bine,
         .bounds = napcoll_bounds_one,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE},
    [NAPCOLL_ALLREDUCE_CIRCULANT] =
        {.name = "circulant",
         .help = "reduce-scatter, then allgather, on a circulant graph of all ranks: 2 ceil(log2 "
                 "P) rounds and the fewest bytes for any number of ranks, blind to nodes",
         .generate = napcoll_allreduce_circulant,
         .bounds = napcoll_allreduce_circulant_bounds,
         .needs = NAPCOLL_NEEDS_COMMUTATIVE,
         .segmented = true},
};

const napcoll_collective_t napcoll_allreduce = {.name = "allreduce",
                                                .goal = NAPCOLL_GOAL_ALLREDUCE,
                                                .algorithm = algorithms,
                                                .algorithms = NAPCOLL_ALLREDUCE_ALGORITHMS};
