/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a binary tree: a process that has a segment sends it to two others, the first ones
 * of the two halves of the processes behind it.
 *
 *     0 -> 1 4    1 -> 2 3, 4 -> 5 6
 *
 *     cost   2 h (alpha + beta s), h = floor(log2 P); 2 (h + S - 1) (alpha + beta s/S) with S
 *            segments
 *
 * "MPI: Going further", the binary tree. The processes of a subtree are successive in depth-first
 * order, so their messages stay among their nodes and switches.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

napcoll_plan_t *napcoll_bcast_binary(const napcoll_plan_args_t *args)
{
    return napcoll_bcast_tree_ranks(args, NAPCOLL_BCAST_TREE_BINARY);
}

napcoll_bounds_t napcoll_bcast_binary_bounds(const napcoll_node_map_t *map,
                                             const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 2, .all = 2};
}

napcoll_hops_t napcoll_bcast_binary_hops(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    (void) params;
    return napcoll_bcast_tree_hops(NAPCOLL_BCAST_TREE_BINARY, map);
}
