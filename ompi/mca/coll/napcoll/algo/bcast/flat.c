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
 * "MPI: Going further", the flat tree. One latency, whatever P is: for few processes, and for
 * networks of high latency.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

napcoll_plan_t *napcoll_bcast_flat(const napcoll_plan_args_t *args)
{
    return napcoll_bcast_tree_ranks(args, NAPCOLL_BCAST_TREE_FLAT);
}

napcoll_bounds_t napcoll_bcast_flat_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    const int ppn = napcoll_node_map_ppn(map, napcoll_node_map_node(map, params->root));

    return (napcoll_bounds_t){.inter = map->size - ppn, .all = map->size - 1};
}
