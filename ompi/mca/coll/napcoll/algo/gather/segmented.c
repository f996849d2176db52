/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's gather and scatter: flat, in pieces that are small enough. Before each piece of a gather is a barrier,
 * without which the root's port would have to take the pieces of those that are ahead as well. In one piece it is
 * the flat algorithm.
 *
 *     cost   m (barrier + alpha + (P - 1) max(gap, beta s/m)) in m pieces; a scatter's have no barriers
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI", section 4.
 */

#include "algo/barrier/barrier.h"
#include "algo/gather/gather.h"

napcoll_plan_t *napcoll_gather_segmented(const napcoll_plan_args_t *args)
{
    const int pieces = args->params.segments;
    napcoll_gather_tree_t tree = napcoll_gather_tree_ranks(args, args->map->size);

    if (NULL != tree.builder && pieces > 1) {
        napcoll_builder_pieces(tree.builder, pieces);
        if (NAPCOLL_GOAL_GATHER == args->collective->goal) {
            napcoll_word_everywhere(tree.builder, args);
        }
    }
    napcoll_gather_tree_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    return napcoll_gather_tree_end(&tree);
}

napcoll_bounds_t napcoll_gather_segmented_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params)
{
    const napcoll_bounds_t flat = napcoll_gather_flat_bounds(map, NAPCOLL_GATHER_AT_ONCE);
    const napcoll_bounds_t barrier = napcoll_barrier_smp_bounds(map, params);

    return (napcoll_bounds_t){.inter = flat.inter > barrier.inter ? flat.inter : barrier.inter,
                              .all = flat.all > barrier.all ? flat.all : barrier.all};
}
