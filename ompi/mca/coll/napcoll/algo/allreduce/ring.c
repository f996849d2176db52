/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce on a ring of all processes, for large vectors: a reduce-scatter goes round, then an
 * allgather. The ring visits node after node, so each node's link carries one block per stage.
 *
 *     0 -> 1 -> 2 -> 3 -> 0      block b starts at the process behind its owner, is folded by every
 *                                process that it comes through, and goes round once more when whole
 *
 *     cost   2 (P - 1) (alpha + beta s/P) + gamma s (P - 1)/P
 *
 * (P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009.) Segments follow each other one stage apart.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_allreduce_ring(const napcoll_request_t *request)
{
    const napcoll_group_t places = napcoll_spread_places(request);
    const int size = places.members;
    const int segments = request->params.segments > 1 ? request->params.segments : 1;
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = size * segments};
    napcoll_builder_t *builder = napcoll_request_builder(request, NAPCOLL_LAYOUT_VECTOR,
                                                         size * segments);
    napcoll_schedule_t schedule = {0};
    napcoll_fold_t fold;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    (void) napcoll_schedule_ring(&schedule, &places, 0);
    if (napcoll_fold_begin(&fold, builder, request, napcoll_request_input_buffer(request), home,
                           home.count)) {
        napcoll_pipeline(&fold, &schedule, segments, size, places.self);
    }
    napcoll_fold_end(&fold);
    napcoll_schedule_free(&schedule);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_allreduce_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int segments = params->segments > 1 ? params->segments : 1;

    (void) map;
    return (napcoll_bounds_t){.inter = segments, .all = segments};
}
