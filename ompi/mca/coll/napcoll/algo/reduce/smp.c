/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce through one process per node: the leader, and on the root's node the root. Three nodes,
 * root 5:
 *
 *     node 0   0 <- 1,2,3  |
 *     node 1   5 <- 4,6,7  |  0 -> 5  |          |
 *     node 2   8 <- 9,..   |          |  8 -> 5  |
 *               reduce        tree of radix 2
 *
 *     cost     log_k(ppn) local steps, ceil(log_r n) (alpha + (r - 1) beta s) between nodes
 *
 * The reduction of MPICH's SMP algorithms (see allreduce/smp.c).
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_reduce_smp(const napcoll_plan_args_t *args)
{
    const napcoll_group_t node = napcoll_group_node(args);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t result;

    if (NULL == builder) {
        return NULL;
    }
    result = napcoll_exchange_reduce(builder, &node, napcoll_plan_args_input(args));
    if (node.self == node.root) {
        const napcoll_group_t leaders = napcoll_group_leaders(args);

        result = napcoll_exchange_reduce(builder, &leaders, result);
    }
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, result);
    }
    return napcoll_builder_finish(builder);
}
