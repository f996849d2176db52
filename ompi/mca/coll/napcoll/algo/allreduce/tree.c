/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by a tree: reduce to rank 0 by halves of the ranks, then broadcast down the same tree.
 * Four ranks:
 *
 *     1 -> 0, 3 -> 2      2 -> 0      0 -> 2      0 -> 1, 2 -> 3
 *
 *     cost   2 ceil(log2 P) (alpha + beta s) + ceil(log2 P) gamma s
 *
 * The fewest messages, 2 (P - 1), one after the other.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_allreduce_tree(const napcoll_plan_args_t *args)
{
    const napcoll_group_t ranks = napcoll_group_ranks(args, 2);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    result = napcoll_exchange_reduce(builder, &ranks, napcoll_plan_args_input(args));
    if (0 == args->rank) {
        napcoll_builder_copy(builder, recvbuf, result);
        napcoll_builder_next_stage(builder);
    }
    napcoll_exchange_bcast(builder, &ranks, recvbuf);
    return napcoll_builder_finish(builder);
}
