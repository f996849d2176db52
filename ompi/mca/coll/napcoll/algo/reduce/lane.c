/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce by lanes, for large vectors: reduce-scatter inside the node, every lane reduces its slice to the
 * root's node, and the root collects the slices there. That is the lanes' route (napcoll_lane.h)
 * backwards, then its gather to the root. Two lanes on each of two nodes, root lane 0 of node 0:
 *
 *     in the node        lane 0 reduces blocks 0 1, lane 1 blocks 2 3
 *     between nodes      lane 0: node 0 reduces block 0, node 1 block 1;  lane 1: blocks 2 and 3
 *     between nodes      lane 0 of node 1 gives block 1, lane 1 block 3 to node 0
 *     in the node        lane 1 gives blocks 2 3 to the root
 *
 *     cost   2 (ceil(log_r n) alpha_n + (n - 1)/n s/L beta_n) + 2 (alpha_l + (L - 1)/L s beta_l)
 *
 * All processes use the network, as in allreduce/lane.c (after Bienz, Olson, Gropp: "Node-Aware
 * Improvements to Allreduce", section VI). A vector of several segments goes through as a pipeline.
 */

#include "algo/napcoll_lane.h"
#include "algo/napcoll_split.h"
#include "algo/reduce/reduce.h"

/* Where the blocks of this process's slice end, in all segments: the root has the receive buffer for
 * all of the vector; others that own blocks have a temporary of no more than their slices' stretch. */
static napcoll_span_t home_of(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                              int blocks, int segments)
{
    const int nodes = args->map->nodes, own = napcoll_lane_own(args);
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks * segments};

    if (!napcoll_plan_args_takes(args) && own >= 0) {
        home.buffer = napcoll_builder_temp(builder, own / nodes * nodes,
                                           (segments - 1) * blocks + nodes)
                          .buffer;
    }
    return home;
}

napcoll_plan_t *napcoll_reduce_lane(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int blocks = napcoll_lane_count(map) * map->nodes;
    const int segments = args->params.segments > 1 ? args->params.segments : 1;
    const int radix = napcoll_lane_radix(map, args->params.tunable[0]);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR,
                                                           blocks * segments);
    napcoll_route_t spread = {0}, collect = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    (void) napcoll_lane_route(&spread, args, radix);
    napcoll_lane_collect(&collect, args, radix);
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home_of(builder, args, blocks, segments), blocks * segments)) {
        napcoll_pipeline_through(&reduction, &spread, &collect, segments, blocks,
                                 napcoll_lane_own(args));
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&spread);
    napcoll_route_free(&collect);
    return napcoll_builder_finish(builder);
}

/* Segments under way are in steps of their own, two of which are inside the node. */
napcoll_bounds_t napcoll_reduce_lane_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int segments = params->segments > 1 ? params->segments : 1;
    const int radix = napcoll_lane_radix(map, params->tunable[0]);
    const int steps = 2 * napcoll_split_levels(map->nodes, radix);
    const napcoll_bounds_t one = napcoll_lane_bounds(map, radix);
    const int inter = one.inter * (segments < steps ? segments : steps);
    const int inside = (map->max_ppn - 1) * (segments < 2 ? segments : 2);

    return (napcoll_bounds_t){.inter = inter,
                              .all = segments > 1 && inter + inside < segments * one.all
                                         ? inter + inside
                                         : segments * one.all};
}
