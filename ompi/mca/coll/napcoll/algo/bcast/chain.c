/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a chain, the linear pipeline: each process passes segments on to the next one in
 * depth-first order.
 *
 *     stage 0   0 -> 1: segment 0
 *     stage 1   0 -> 1: segment 1    1 -> 2: segment 0
 *     stage 2   0 -> 1: segment 2    1 -> 2: segment 1    2 -> 3: segment 0
 *
 *     cost   (S + P - 2) (alpha + beta s/S); least for S = sqrt((P - 2) beta s / alpha)
 *
 * "MPI: Going further", the linear tree pipeline and its contention-free mapping: the depth-first
 * order visits the nodes of a switch one after the other, so each directed link carries at most one
 * message at a time (P. Patarasu, A. Faraj, X. Yuan: "Pipelined Broadcast on Ethernet Switched
 * Clusters", JPDC 68(6), 2008). For very large vectors: every process receives and sends every byte
 * once.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

napcoll_plan_t *napcoll_bcast_chain(const napcoll_plan_args_t *args)
{
    return napcoll_bcast_tree_ranks(args, NAPCOLL_BCAST_TREE_CHAIN);
}

napcoll_hops_t napcoll_bcast_chain_hops(const napcoll_node_map_t *map,
                                        const napcoll_params_t *params)
{
    (void) params;
    return napcoll_bcast_tree_hops(NAPCOLL_BCAST_TREE_CHAIN, map);
}
