/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's gather and scatter: flat, in pieces that are small enough. A barrier comes before
 * each piece of a gather; without it the root's port would also get the next pieces of fast ranks.
 * In one piece it is the flat algorithm.
 *
 *     cost   m (barrier + alpha + (P - 1) max(gap, beta s/m)) in m pieces; no barriers in a scatter
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI",
 * section 4. The thresholds: select/napcoll_thresholds.h.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_gather_tree.h"

napcoll_plan_t *napcoll_gather_segmented(const napcoll_plan_args_t *args)
{
    const int pieces = args->params.segments;
    napcoll_gather_tree_t tree = napcoll_gather_tree_begin(args, args->map->size, 0);

    if (NULL != tree.builder && pieces > 1) {
        napcoll_builder_pieces(tree.builder, pieces);
        if (NAPCOLL_GOAL_GATHER == args->collective->goal) {
            napcoll_exchange_barrier(tree.builder, args);
        }
    }
    napcoll_gather_tree_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    return napcoll_gather_tree_end(&tree);
}

napcoll_bounds_t napcoll_gather_segmented_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params)
{
    const napcoll_bounds_t flat = napcoll_gather_flat_bounds(map, NAPCOLL_GATHER_AT_ONCE);
    const napcoll_bounds_t barrier = napcoll_group_leaders_bounds(map, params);

    return (napcoll_bounds_t){.inter = napcoll_max(flat.inter, barrier.inter),
                              .all = napcoll_max(flat.all, barrier.all)};
}
