/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce by a binomial tree over halves of the ranks, to any root. Seven ranks, root 5:
 *
 *     halves    [ 0 1 2 3 | 4 5 6 ]        in each part the values meet at the root, if it is in
 *               [ 0 1 | 2 3 ] [ 4 5 | 6 ]  there, else at the part's first rank
 *
 *     step 1    1 -> 0    3 -> 2    4 -> 5
 *     step 2    2 -> 0    6 -> 5
 *     step 3    0 -> 5
 *
 *     cost   ceil(log2 P) (alpha + beta s + gamma s)
 *
 * The root changes the messages, but not the order: ranks are reduced in rank order with the same
 * brackets for every root, and no extra message takes the result to the root. The tree of R.
 * Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in
 * MPICH", 2005, counts ranks from the root on, which keeps rank order only for root 0.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_reduce_binomial(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_group_ranks(args, 2);

    return napcoll_exchange_reduce_plan(args, &ranks);
}
