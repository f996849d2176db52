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
 * The root changes who sends to whom, and nothing of what is reduced with what: ranks are reduced in rank
 * order with the same brackets for every root, and nobody has to pass the result on to the root. R.
 * Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in MPICH", 2005,
 * describe the tree in which ranks are counted from the root on, which keeps order only for root 0.
 */

#include "algo/napcoll_exchange.h"
#include "algo/reduce/reduce.h"

napcoll_plan_t *napcoll_reduce_binomial(const napcoll_plan_args_t *args)
{
    const napcoll_party_t party = napcoll_party_flat(args, 2);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    result = napcoll_exchange_reduce(builder, &party, napcoll_plan_args_input(args));
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, result);
    }
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_reduce_binomial_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
