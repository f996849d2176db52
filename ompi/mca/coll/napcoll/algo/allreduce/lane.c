/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by lanes, for large vectors (Bienz, Olson, Gropp: "Node-Aware Improvements to
 * Allreduce", section VI, the outlook): reduce-scatter inside the node, every lane allreduces its
 * slice across nodes, allgather inside the node. It is the route of the slices (napcoll_lanes.h)
 * backwards, then forwards. Two lanes on each of two nodes, blocks 0 to 3:
 *
 *     in the node        lane 0 reduces blocks 0 1, lane 1 blocks 2 3
 *     between nodes      lane 0: node 0 reduces block 0, node 1 block 1;  lane 1: blocks 2 and 3
 *     between nodes      lane 0 exchanges blocks 0 and 1;               lane 1: blocks 2 and 3
 *     in the node        lanes exchange 0 1 and 2 3
 *
 *     cost   2 (ceil(log_r n) alpha_n + (n - 1)/n s/L beta_n) + 2 (alpha_l + (L - 1)/L s beta_l)
 *
 * Segments follow each other as a pipeline: while one is between nodes, the next is inside the
 * node.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_reduction.h"

napcoll_plan_t *napcoll_allreduce_lane(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_slice_route(&route, args, napcoll_slice_radix(args->map, args->params.tunable[0]));
    return napcoll_reduction_plan(args, &route, &route,
                                  napcoll_slice_lanes(args->map) * args->map->nodes,
                                  napcoll_slice_own(args), (napcoll_block_range_t){0});
}

/* All segments may be under way in one stage, each in a different stage of its own. */
napcoll_bounds_t napcoll_allreduce_lane_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int segments = napcoll_params_segments(params);
    napcoll_bounds_t one = napcoll_slice_bounds(map, napcoll_slice_radix(map, params->tunable[0]));

    if (segments > 1) {
        one.all = segments * (one.all + one.inter);
        one.inter *= segments;
    }
    return one;
}
