/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter along a binomial tree over all ranks, in node order from the root's place on:
 * most messages of a node's processes stay inside it (napcoll_gather_tree.h).
 *
 *     cost   ceil(log2 P) alpha + (P - 1) beta s ; half of all blocks pass one child of the root
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gather_tree.h"

napcoll_plan_t *napcoll_gather_binomial(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_plan(args, 2, 0, NAPCOLL_GATHER_AT_ONCE);
}

napcoll_bounds_t napcoll_gather_binomial_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int children = napcoll_gather_tree_children(map->size, 2);

    (void) params;
    return (napcoll_bounds_t){.inter = children, .all = children};
}

int napcoll_gather_binomial_slots(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_slots(args, 2, 0);
}
