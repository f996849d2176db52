/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce on a ring of all processes, for large vectors: a reduce-scatter goes round, then an
 * allgather. The ring visits node after node, so each node's link carries one block per stage.
 *
 *     0 -> 1 -> 2 -> 3 -> 0      block b starts at the process behind its owner, is reduced by every
 *                                process that it comes through, and goes round once more when whole
 *
 *     cost   2 (P - 1) (alpha + beta s/P) + gamma s (P - 1)/P
 *
 * (P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009.) Segments follow each other one stage apart.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_allreduce_ring(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_spread_places(args);
    const int size = places.members;
    const int segments = args->params.segments > 1 ? args->params.segments : 1;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = size * segments};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR,
                                                           size * segments);
    napcoll_route_t route = {0};
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    (void) napcoll_route_ring(&route, &places, 0);
    if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                home, home.count)) {
        napcoll_pipeline(&reduction, &route, segments, size, places.self);
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(&route);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_allreduce_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int segments = params->segments > 1 ? params->segments : 1;

    (void) map;
    return (napcoll_bounds_t){.inter = segments, .all = segments};
}
