/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by scatter and allgather, for large vectors: the vector is cut into P blocks, which the
 * processes get by recursive halving and then collect from each other. Four processes:
 *
 *     scatter      0 -> 2: blocks 2 3    0 -> 1: block 1, 2 -> 3: block 3
 *     ring         0 -> 1: block 0, 2 -> 3: block 2, 1 -> 2: block 1 ...       P - 1 steps
 *     or doubling  0 -> 1: block 0, 2 -> 3: block 2; 0 -> 2, 1 <-> 3           ceil(log2 P) steps
 *
 *     cost   (log2(P) + P - 1) alpha + 2 (P - 1)/P beta s with the ring
 *            2 log2(P) alpha + 2 (P - 1)/P beta s with recursive doubling
 *
 * What a process has of the scatter is not sent to it again: the root receives nothing. "MPI: Going
 * further", scatter-allgather; R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective
 * Communication Operations in MPICH", 2005.
 */

#include "algo/bcast/bcast.h"

enum { DOUBLING = 1, RING };

/* Where users and the model leave it open. */
static bool is_ring(const napcoll_params_t *params)
{
    return DOUBLING != params->tunable[0];
}

napcoll_plan_t *napcoll_bcast_scatter_allgather(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_bcast_tree_processes(&dfs, args->rank);
    napcoll_route_t route = {0};

    (void) napcoll_bcast_tree_scatter_allgather(&route, &all, 0, is_ring(&args->params));
    return napcoll_bcast_tree_plan(args, &route, all.members);
}

napcoll_bounds_t napcoll_bcast_scatter_allgather_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    const int sends = is_ring(params) || 0 == (map->size & (map->size - 1)) ? 1 : 2;

    return (napcoll_bounds_t){.inter = sends, .all = sends};
}
