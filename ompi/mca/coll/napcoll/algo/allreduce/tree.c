/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by a tree: reduce to rank 0 along halves of the ranks, then broadcast the same way back.
 * Four ranks:
 *
 *     1 -> 0, 3 -> 2      2 -> 0      0 -> 2      0 -> 1, 2 -> 3
 *
 *     cost   2 ceil(log2 P) (alpha + beta s) + ceil(log2 P) gamma s
 *
 * The fewest messages, 2 (P - 1), one after the other.
 */

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_exchange.h"

napcoll_plan_t *napcoll_allreduce_tree(const napcoll_plan_args_t *args)
{
    const napcoll_party_t party = napcoll_party_flat(args, 2);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    result = napcoll_exchange_reduce(builder, &party, napcoll_plan_args_input(args));
    if (0 == args->rank) {
        napcoll_builder_copy(builder, recvbuf, result);
        napcoll_builder_next_stage(builder);
    }
    napcoll_exchange_bcast(builder, &party, recvbuf);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_allreduce_tree_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
