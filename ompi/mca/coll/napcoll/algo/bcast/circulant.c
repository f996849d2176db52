/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast on a circulant graph (napcoll_circulant.h), pipelined: in every round each process
 * sends a segment and receives one, each of them in another tree. For any number P of processes,
 * in the least possible number of rounds. Five processes, skips 1 2 3, two segments:
 *
 *     round 0   0 -> 3: 0
 *     round 1   0 -> 1: 1    3 -> 4: 0
 *     round 2   0 -> 2: 1    3 -> 0: -    1 -> 3: 1    4 -> 1: 0
 *     round 3   0 -> 3: -    1 -> 4: 1    2 -> 0: -    4 -> 2: 0
 *
 *     cost   (S - 1 + ceil(log2 P)) (alpha + beta s/S); least for
 *            S = sqrt((ceil(log2 P) - 1) beta s / alpha)
 *
 * A chain takes P - 2 + S rounds, and a pipelined binomial tree sends several segments at once.
 * Processes are in depth-first order from the root, but most messages leave the node: every process
 * receives the whole vector by itself. lane_circulant is for nodes of several processes.
 *
 * J. L. Träff: "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
 * All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004, 2024.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"

napcoll_plan_t *napcoll_bcast_circulant(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_group_dfs(&dfs, args->rank);
    const int segments = napcoll_params_segments(&args->params);
    napcoll_route_t route = {0};

    napcoll_circulant_bcast(&route, &all, segments);
    return napcoll_circulant_bcast_plan(args, &route, segments);
}
