/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce by lanes, for large vectors: reduce-scatter inside the node, every lane reduces its slice
 * to the root's node, and the root gathers the slices there. It is the route of the slices
 * (napcoll_lanes.h) backwards, then their gather to the root. Two lanes on each of two nodes, root
 * lane 0 of node 0:
 *
 *     in the node        lane 0 reduces blocks 0 1, lane 1 blocks 2 3
 *     between nodes      lane 0: node 0 reduces block 0, node 1 block 1;  lane 1: blocks 2 and 3
 *     between nodes      lane 0 of node 1 sends block 1, lane 1 block 3 to node 0
 *     in the node        lane 1 sends blocks 2 3 to the root
 *
 *     cost   2 (ceil(log_r n) alpha_n + (n - 1)/n s/L beta_n) + 2 (alpha_l + (L - 1)/L s beta_l)
 *
 * All processes use the network, as in allreduce/lane.c (after Bienz, Olson, Gropp: "Node-Aware
 * Improvements to Allreduce", section VI). Segments follow each other as a pipeline.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_reduction.h"

napcoll_plan_t *napcoll_reduce_lane(const napcoll_plan_args_t *args)
{
    const int nodes = args->map->nodes, own = napcoll_slice_own(args);
    const int radix = napcoll_slice_radix(args->map, args->params.tunable[0]);
    const napcoll_block_range_t slice = {.first = own / nodes * nodes, .count = nodes};
    napcoll_route_t backwards = {0}, forwards = {0};

    napcoll_slice_route(&backwards, args, radix);
    napcoll_slice_gather(&forwards, args, radix);
    return napcoll_reduction_plan(args, &backwards, &forwards,
                                  napcoll_slice_lanes(args->map) * nodes, own, slice);
}

/* Segments under way are in different steps, two of which are inside the node. */
napcoll_bounds_t napcoll_reduce_lane_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int segments = napcoll_params_segments(params);
    const int radix = napcoll_slice_radix(map, params->tunable[0]);
    const int steps = 2 * napcoll_split_levels(map->nodes, radix);
    const napcoll_bounds_t one = napcoll_slice_bounds(map, radix);
    const int inter = one.inter * (segments < steps ? segments : steps);
    const int inside = (map->max_ppn - 1) * (segments < 2 ? segments : 2);
    int all = segments * one.all;

    if (segments > 1 && inter + inside < all) {
        all = inter + inside;
    }
    return (napcoll_bounds_t){.inter = inter, .all = all};
}
