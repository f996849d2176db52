/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a binomial tree over halves of the processes, in depth-first order:
 *
 *     0 -> 4    0 -> 2, 4 -> 6    0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
 *
 *     cost   ceil(log2 P) (alpha + beta s)
 *
 * "MPI: Going further", the binomial tree: the fewest steps where a process sends one message in
 * each. Distant halves come first, so that a node receives the vector once.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

napcoll_plan_t *napcoll_bcast_binomial(const napcoll_plan_args_t *args)
{
    return napcoll_bcast_tree_ranks(args, NAPCOLL_BCAST_TREE_BINOMIAL);
}

napcoll_bounds_t napcoll_bcast_binomial_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    const int sends = napcoll_bcast_tree_fanout(NAPCOLL_BCAST_TREE_BINOMIAL, map->size,
                                                napcoll_params_segments(params));

    return (napcoll_bounds_t){.inter = sends, .all = sends};
}

napcoll_hops_t napcoll_bcast_binomial_hops(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params)
{
    (void) params;
    return napcoll_bcast_tree_hops(NAPCOLL_BCAST_TREE_BINOMIAL, map);
}
