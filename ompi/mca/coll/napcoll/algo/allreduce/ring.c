/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce on a ring of all processes, for large vectors: a reduce-scatter goes round, then an
 * allgather. The ring visits node after node, so each node's link carries one block per stage.
 *
 *     0 -> 1 -> 2 -> 3 -> 0      block b starts behind its owner, is reduced by each process on its
 *                                path, and goes round once more when it is complete
 *
 *     cost   2 (P - 1) (alpha + beta s/P) + gamma s (P - 1)/P
 *
 * (P. Patarasuk, X. Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009.) Segments follow each other one stage apart.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_reduction.h"

napcoll_plan_t *napcoll_allreduce_ring(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    napcoll_route_t route = {0};

    (void) napcoll_route_ring(&route, &places, 0, false);
    return napcoll_reduction_plan(args, &route, &route, places.members, places.self,
                                  (napcoll_block_range_t){0});
}

napcoll_bounds_t napcoll_allreduce_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int segments = napcoll_params_segments(params);

    (void) map;
    return (napcoll_bounds_t){.inter = segments, .all = segments};
}
