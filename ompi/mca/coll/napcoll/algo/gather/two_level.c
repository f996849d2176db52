/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter on two levels: blocks of a node come together at its leader, those of all nodes at the root,
 * which leads its own; on any placement, with any number of processes on a node.
 *
 *     root 5, three nodes of four, radix 3     5 <- 4, 6, 7    8 <- 9, 10, 11    0 <- 1, 2, 3     inside
 *                                              5 <- 8, 0                                          between
 *
 *     cost   log_k(ppn) local steps, then ceil(log_r n) (alpha + (r - 1) gap) + (n - 1) ppn beta s between nodes:
 *            n - 1 messages for the root to take in instead of (n - 1) ppn
 */

#include "algo/gather/gather.h"

napcoll_plan_t *napcoll_gather_two_level(const napcoll_plan_args_t *args)
{
    napcoll_gather_tree_t tree = napcoll_gather_tree_nodes(
        args, napcoll_params_radix(&args->params), args->params.local_radix);

    napcoll_gather_tree_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    return napcoll_gather_tree_end(&tree);
}

napcoll_bounds_t napcoll_gather_two_level_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params)
{
    const int between = napcoll_gather_tree_children(map->nodes, napcoll_params_radix(params));
    const int inside = napcoll_gather_tree_children(map->max_ppn, params->local_radix);

    return (napcoll_bounds_t){.inter = between > 0 ? between : 1,
                              .all = between + inside > 0 ? between + inside : 1};
}

/* With a radix of two a process's children, whose subtrees differ in depth, have their blocks at different times. */
int napcoll_gather_two_level_burst(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int radix = napcoll_params_radix(params);

    return radix <= 2 ? 0 : (map->nodes + radix - 1) / radix * map->max_ppn;
}

int napcoll_gather_two_level_slots(const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t root = *args;
    napcoll_gather_tree_t tree;

    root.rank = args->params.root;
    tree = napcoll_gather_tree_nodes(&root, napcoll_params_radix(&args->params),
                                     args->params.local_radix);
    return napcoll_gather_tree_slots(&tree);
}
