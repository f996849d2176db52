/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter on two levels: the blocks of a node are gathered at its leader, the blocks of
 * all nodes at the root, which leads its own node; on any placement, with any number of processes
 * on a node.
 *
 *     root 5, three nodes of four, radix 3:
 *     inside     5 <- 4, 6, 7    8 <- 9, 10, 11    0 <- 1, 2, 3
 *     between    5 <- 8, 0
 *
 *     cost   log_k(ppn) local steps, then ceil(log_r n) (alpha + (r - 1) gap) + (n - 1) ppn beta s
 *            between nodes: the root takes n - 1 messages instead of (n - 1) ppn
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gather_tree.h"

napcoll_plan_t *napcoll_gather_two_level(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_plan(args, napcoll_params_radix(&args->params),
                                    args->params.local_radix, NAPCOLL_GATHER_AT_ONCE);
}

napcoll_bounds_t napcoll_gather_two_level_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params)
{
    const int between = napcoll_gather_tree_children(map->nodes, napcoll_params_radix(params));
    const int inside = napcoll_gather_tree_children(map->max_ppn, params->local_radix);

    return (napcoll_bounds_t){.inter = napcoll_max(between, 1),
                              .all = napcoll_max(between + inside, 1)};
}

/* With a radix of two the subtrees of a process's children differ in depth, so their blocks come at
 * different times. */
int napcoll_gather_two_level_burst(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int radix = napcoll_params_radix(params);

    return radix <= 2 ? 0 : (map->nodes + radix - 1) / radix * map->max_ppn;
}

int napcoll_gather_two_level_slots(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_slots(args, napcoll_params_radix(&args->params),
                                     args->params.local_radix);
}
