/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce by a Bine tree over the ring of ranks in node order, any number of them: the tree of the
 * broadcast upwards (napcoll_bine.h), neighbours first. Eight ranks, root 0:
 *
 *     step 1    1 -> 0    6 -> 7    2 -> 3    5 -> 4
 *     step 2    7 -> 0    4 -> 3
 *     step 3    3 -> 0
 *
 *     cost   ceil(log2 P) (alpha + beta s + gamma s)
 *
 * Condition: the operation commutes, for the stretch of a subtree can go round the end of the ring.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bine.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_reduce_bine(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_bine_group(args);

    return napcoll_exchange_reduce_plan(args, &ranks);
}
