/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by recursive doubling over all ranks, for any number of ranks P.
 *
 *     P = 4     0 <-> 1    2 <-> 3
 *               0 <-> 2    1 <-> 3
 *
 *     cost      ceil(log2 P) (alpha + beta s + gamma s)
 *
 * Where P is not a power of two, halves of the balanced split differ by one rank, and some ranks
 * send twice in a step; no rank gives its vector away before or gets the result after. Ranks are
 * reduced in rank order. Bienz et al., section II (postal model, Eq. 4); Ruefenacht et al.,
 * "Generalisation of recursive doubling for allreduce", for radices and sizes beyond 2.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_allreduce_recursive_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_group_ranks(args, 2);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_copy(
        builder, recvbuf,
        napcoll_exchange_allreduce_own(builder, &ranks, napcoll_plan_args_input(args)));
    return napcoll_builder_finish(builder);
}

/* Where the halves differ by one rank, some rank of the smaller one sends to two of the larger. */
napcoll_bounds_t napcoll_allreduce_recursive_doubling_bounds(const napcoll_node_map_t *map,
                                                             const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 2, .all = 2};
}
