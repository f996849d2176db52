/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by lanes, for large vectors (Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce",
 * section VI, the outlook): reduce-scatter inside the node, every lane allreduces its slice across
 * nodes, allgather inside the node. That is the lanes' route (napcoll_lane.h) backwards, then
 * forwards. Two lanes on each of two nodes, blocks 0 to 3:
 *
 *     in the node        lane 0 reduces blocks 0 1, lane 1 blocks 2 3
 *     between nodes      lane 0: node 0 reduces block 0, node 1 block 1;  lane 1: blocks 2 and 3
 *     between nodes      lane 0 exchanges blocks 0 and 1;               lane 1: blocks 2 and 3
 *     in the node        lanes exchange 0 1 and 2 3
 *
 *     cost   2 (ceil(log_r n) alpha_n + (n - 1)/n s/L beta_n) + 2 (alpha_l + (L - 1)/L s beta_l)
 *
 * A vector of several segments goes through as a pipeline: while one segment is between nodes, the next
 * is inside the node.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_lane.h"

napcoll_plan_t *napcoll_allreduce_lane(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int blocks = napcoll_lane_count(map) * map->nodes;
    const int segments = args->params.segments > 1 ? args->params.segments : 1;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks * segments};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR,
                                                           blocks * segments);
    napcoll_route_t route = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    (void) napcoll_lane_route(&route, args, napcoll_lane_radix(map, args->params.tunable[0]));
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, home.count)) {
        napcoll_pipeline(&reduction, &route, segments, blocks, napcoll_lane_own(args));
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&route);
    return napcoll_builder_finish(builder);
}

/* All segments may be under way in one stage, each in a stage of its own. */
napcoll_bounds_t napcoll_allreduce_lane_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int radix = napcoll_lane_radix(map, params->tunable[0]);
    const int segments = params->segments > 1 ? params->segments : 1;
    napcoll_bounds_t one = napcoll_lane_bounds(map, radix);

    if (segments > 1) {
        one.all = segments * (one.all + one.inter);
        one.inter *= segments;
    }
    return one;
}
