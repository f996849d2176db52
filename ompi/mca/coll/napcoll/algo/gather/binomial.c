/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter along a binomial tree over all ranks, in the node order from the root's place on: of a node's
 * processes most messages stay inside it.
 *
 *     cost   ceil(log2 P) alpha + (P - 1) beta s at the root; half of all blocks stop on its last child
 */

#include "algo/gather/gather.h"

napcoll_plan_t *napcoll_gather_binomial(const napcoll_plan_args_t *args)
{
    napcoll_gather_tree_t tree = napcoll_gather_tree_ranks(args, 2);

    napcoll_gather_tree_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    return napcoll_gather_tree_end(&tree);
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
    napcoll_plan_args_t root = *args;
    napcoll_gather_tree_t tree;

    root.rank = args->params.root;
    tree = napcoll_gather_tree_ranks(&root, 2);
    return napcoll_gather_tree_slots(&tree);
}
