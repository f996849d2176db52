/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of barrier algorithms.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_group.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_BARRIER_ALGORITHMS] = {
    [NAPCOLL_BARRIER_DISSEMINATION] = {.name = "dissemination",
                                       .help = "every rank sends to ranks at doubling distances, "
                                               "ceil(log2 P) steps, blind to nodes",
                                       .generate = napcoll_barrier_dissemination,
                                       .bounds = napcoll_bounds_one},
    [NAPCOLL_BARRIER_SMP] =
        {.name = "smp",
         .help = "gather at each node's leader, dissemination among leaders, local release",
         .generate = napcoll_barrier_smp,
         .bounds = napcoll_group_leaders_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true, [NAPCOLL_SCOPE_LEADERS] = true},
         .tunable = {NAPCOLL_TUNABLE_RADIX("the dissemination between leaders",
                                           NAPCOLL_TUNES_RADIX)}},
    [NAPCOLL_BARRIER_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: dissemination over nodes in which every process of a node "
                 "reaches another node, ceil(log_(ppn + 1) nodes) inter-node steps",
         .generate = napcoll_barrier_nap,
         .bounds = napcoll_barrier_nap_bounds,
         .radix = true,
         .delegates = {[NAPCOLL_SCOPE_NODE] = true},
         .needs = NAPCOLL_NEEDS_SHARED_NODE,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "send to other nodes at once (the radix over nodes is one more)")}},
};

const napcoll_collective_t napcoll_barrier = {.name = "barrier",
                                              .goal = NAPCOLL_GOAL_BARRIER,
                                              .algorithm = algorithms,
                                              .algorithms = NAPCOLL_BARRIER_ALGORITHMS};
