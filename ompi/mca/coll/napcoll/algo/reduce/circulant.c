/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce on a circulant graph (napcoll_circulant.h), pipelined: the broadcast of bcast/circulant.c
 * backwards. Where that sends a segment from a process to another, here the other sends what it has
 * reduced of this segment. Five processes, two segments:
 *
 *     round 0   4 -> 1: 1    2 -> 4: 0
 *     round 1   2 -> 0: 1    3 -> 1: 1    1 -> 4: 0
 *     round 2   1 -> 0: 1    4 -> 3: 0
 *     round 3   3 -> 0: 0
 *
 *     cost   (S - 1 + ceil(log2 P)) (alpha + (beta + gamma) s/S)
 *
 * For large vectors and any number of processes: a reduce-scatter and a gather move every byte
 * twice. Each process sends each segment once, after all that come to it, so that every
 * contribution is reduced exactly once; the graph decides the order of operands.
 *
 * J. L. Träff: "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
 * All-Broadcast, Reduction and All-Reduction", arXiv 2407.18004, 2024.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"

napcoll_plan_t *napcoll_reduce_circulant(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_group_dfs(&dfs, args->rank);
    const int segments = napcoll_params_segments(&args->params);
    napcoll_route_t route = {0};

    napcoll_circulant_bcast(&route, &all, segments);
    return napcoll_circulant_reduce_plan(args, &route, segments);
}
