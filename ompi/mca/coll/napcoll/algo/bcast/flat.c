/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by the root alone, which sends to all others:
 *
 *     0 -> 1 2 3 .. P-1
 *
 *     cost   (P - 1) (alpha + beta s); where messages may overlap, alpha + (P - 1) beta s
 *
 * "MPI: Going further", the flat tree. One latency, whatever P is: for few processes, and for networks
 * that are far away.
 */

#include "algo/bcast/bcast.h"

napcoll_plan_t *napcoll_bcast_flat(const napcoll_request_t *request)
{
    const napcoll_walk_t walk = napcoll_walk_from(request->map, request->params.root);
    const napcoll_group_t all = napcoll_cast_processes(&walk, request->rank);
    napcoll_schedule_t schedule = {0};

    napcoll_cast_among(&schedule, &all, NAPCOLL_CAST_FLAT, 0, (napcoll_load_t){.count = 1});
    return napcoll_cast_plan(request, &schedule, 1);
}

napcoll_bounds_t napcoll_bcast_flat_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    const int ppn = napcoll_node_map_ppn(map, napcoll_node_map_node(map, params->root));

    return (napcoll_bounds_t){.inter = map->size - ppn, .all = map->size - 1};
}
