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

napcoll_plan_t *napcoll_gather_binomial(const napcoll_request_t *request)
{
    napcoll_rooted_t tree = napcoll_rooted_ranks(request, 2);

    napcoll_rooted_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    return napcoll_rooted_end(&tree);
}

napcoll_bounds_t napcoll_gather_binomial_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int children = napcoll_rooted_children(map->size, 2);

    (void) params;
    return (napcoll_bounds_t){.inter = children, .all = children};
}

int napcoll_gather_binomial_slots(const napcoll_request_t *request)
{
    napcoll_request_t root = *request;
    napcoll_rooted_t tree;

    root.rank = request->params.root;
    tree = napcoll_rooted_ranks(&root, 2);
    return napcoll_rooted_slots(&tree);
}
