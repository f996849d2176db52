/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by a Bine tree over the ring of ranks in node order (napcoll_bine.h), any number of
 * them. Eight ranks:
 *
 *     0 -> 3    0 -> 7, 3 -> 4    0 -> 1, 7 -> 6, 3 -> 2, 4 -> 5
 *
 *     cost   ceil(log2 P) (alpha + beta s)
 *
 * The binomial tree has the same steps; it goes by depth-first order, for which napcoll must know
 * the switches. This one needs not know them.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_bine.h"

napcoll_plan_t *napcoll_bcast_bine(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_bine_group(args);
    napcoll_route_t route = {0};

    napcoll_bcast_tree_route(&route, &ranks, NAPCOLL_BCAST_TREE_BINOMIAL, 0,
                             (napcoll_block_range_t){.count = 1});
    return napcoll_bcast_tree_plan(args, &route, 1);
}
