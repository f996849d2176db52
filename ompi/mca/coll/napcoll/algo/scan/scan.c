/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of scan algorithms, inclusive and exclusive.
 *
 * All of them reduce in rank order. Rank 0 has no receive buffer in an exclusive scan; in place it
 * has one, with its input in it, which is never written. Each process may or may not be in place,
 * so the messages of a plan do not depend on it.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gathered.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_SCAN_ALGORITHMS] = {
    [NAPCOLL_SCAN_RECURSIVE_DOUBLING] =
        {.name = "recursive_doubling",
         .help = "all ranks receive from the rank 1, 2, 4, ... below, ceil(log2 P) steps, blind to "
                 "nodes; any placement",
         .generate = napcoll_scan_recursive_doubling,
         .bounds = napcoll_bounds_one},
    [NAPCOLL_SCAN_NAP] =
        {.name = "nap",
         .help = "node-aware parallel: scan inside the nodes, all processes of a node fetch from "
                 "nodes before, ceil(log_(ppn+1) nodes) inter-node steps",
         .generate = napcoll_scan_nap,
         .bounds = napcoll_scan_nap_bounds,
         .radix = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE | NAPCOLL_NEEDS_CONTIGUOUS,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "fetch from other nodes at once (the radix over nodes is one more)")}},
    [NAPCOLL_SCAN_GATHERED] =
        {.name = "gathered",
         .help = "all vectors are gathered on all processes, node-aware, and reduced by halves of "
                 "the ranks: the same bits on any nodes, for small vectors",
         .generate = napcoll_scan_gathered,
         .bounds = napcoll_gathered_bounds,
         .keeps_all_vectors = true,
         .linear = true,
         .canonical = true,
         .tunable = {NAPCOLL_TUNABLE_LANES(
             "fetch from other nodes at once (the radix over nodes is one more)")}},
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
