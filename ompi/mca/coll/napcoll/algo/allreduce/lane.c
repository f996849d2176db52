/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by lanes, for large vectors (Bienz, Olson, Gropp: "Node-Aware Improvements to Allreduce",
 * section VI, the outlook): reduce-scatter inside the node, every lane allreduces its slice across
 * nodes, allgather inside the node. That is the lanes' schedule (napcoll_lane.h) backwards, then
 * forwards. Two lanes on each of two nodes, blocks 0 to 3:
 *
 *     in the node        lane 0 folds blocks 0 1, lane 1 blocks 2 3
 *     between nodes      lane 0: node 0 folds block 0, node 1 block 1;  lane 1: blocks 2 and 3
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

napcoll_plan_t *napcoll_allreduce_lane(const napcoll_request_t *request)
{
    const napcoll_node_map_t *map = request->map;
    const int blocks = napcoll_lane_count(map) * map->nodes;
    const int segments = request->params.segments > 1 ? request->params.segments : 1;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks * segments};
    napcoll_builder_t *builder = napcoll_request_builder(request, NAPCOLL_LAYOUT_VECTOR,
                                                         blocks * segments);
    napcoll_schedule_t schedule = {0};
    napcoll_fold_t fold;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    (void) napcoll_lane_schedule(&schedule, request,
                                 napcoll_lane_radix(map, request->params.tunable[0]));
    if (napcoll_fold_begin(&fold, builder, request, napcoll_request_input_buffer(request), home,
                           home.count)) {
        napcoll_pipeline(&fold, &schedule, segments, blocks, napcoll_lane_own(request));
    }
    napcoll_fold_end(&fold);
    napcoll_schedule_free(&schedule);
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
