/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of scan algorithms, inclusive and exclusive.
 */

#include "algo/scan/scan.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_SCAN_ALGORITHMS] = {
    [NAPCOLL_SCAN_RECURSIVE_DOUBLING] =
        {.name = "recursive_doubling",
         .help = "all ranks fetch from the rank 1, 2, 4, ... below, ceil(log2 P) steps, blind to "
                 "nodes; any placement",
         .generate = napcoll_scan_recursive_doubling,
         .bounds = napcoll_scan_recursive_doubling_bounds,
         .needs = NAPCOLL_NEEDS_NOTHING},
    [NAPCOLL_SCAN_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: scan inside the nodes, all processes of a node fetch from "
                 "nodes before, ceil(log_(ppn+1) nodes) inter-node steps",
         .generate = napcoll_scan_nap,
         .bounds = napcoll_scan_nap_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_CONTIGUOUS,
         .tunable = {{.name = "lanes",
                      .help = "Lanes per node that fetch from other nodes at once (the radix over "
                              "nodes is one more); a process on a smaller node serves several "
                              "lanes. 0: chosen from the processes per node",
                      .initial = 0,
                      .least = 0}}},
    [NAPCOLL_SCAN_GATHERED] =
        {.name = "gathered",
         .help = "all vectors on all processes, gathered node-aware, then folded by halves of the "
                 "ranks: the same bits on any nodes, for small vectors",
         .generate = napcoll_scan_gathered,
         .bounds = napcoll_scan_gathered_bounds,
         .gathers = true,
         .linear = true,
         .needs = NAPCOLL_NEEDS_NOTHING,
         .canonical = true,
         .tunable = {{.name = "lanes",
                      .help = "Lanes per node that fetch from other nodes at once (the radix over "
                              "nodes is one more). 0: chosen from the processes per node",
                      .initial = 0,
                      .least = 0}}},
};

const napcoll_collective_t napcoll_scan = {.name = "scan",
                                           .goal = NAPCOLL_GOAL_SCAN,
                                           .algorithm = algorithms,
                                           .algorithms = NAPCOLL_SCAN_ALGORITHMS};

const napcoll_collective_t napcoll_exscan = {.name = "exscan",
                                             .goal = NAPCOLL_GOAL_EXSCAN,
                                             .algorithm = algorithms,
                                             .algorithms = NAPCOLL_SCAN_ALGORITHMS};

void napcoll_scan_conclude(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                           napcoll_span_t before, napcoll_span_t own)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};

    if (!napcoll_plan_args_takes(args)) {
        return;
    }
    if (before.count > 0 && own.count > 0) {
        napcoll_builder_reduce(builder, recvbuf, before, own);
    } else {
        napcoll_builder_copy(builder, recvbuf, before.count > 0 ? before : own);
    }
}
