/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter along a Bine tree over the ring of ranks in node order, any number of them
 * (napcoll_bine.h, napcoll_gather_tree.h). Eight ranks, root 0:
 *
 *     scatter   0 -> 3: blocks 2 3 4 5    0 -> 7: 6 7    3 -> 4: 4 5    0 -> 1, 7 -> 6, ...
 *     gather    the same backwards
 *
 *     cost   ceil(log2 P) alpha + (P - 1) beta s ; half of all blocks pass one child of the root
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gather_tree.h"

napcoll_plan_t *napcoll_gather_bine(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_plan(args, 2, NAPCOLL_GATHER_TREE_BINE, NAPCOLL_GATHER_AT_ONCE);
}
