/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Barrier through the nodes' leaders. All messages are empty.
 *
 *     node 0   0 <- 1,2,3  |  0 -> 4   0 -> 8  |  0 -> 1,2,3
 *     node 1   4 <- 5,6,7  |  4 -> 8   4 -> 0  |  4 -> 5,6,7
 *     node 2   8 <- 9,..   |  8 -> 0   8 -> 4  |  8 -> 9,..
 *               gather        dissemination       release
 *
 *     cost     2 log_k(ppn) local steps, ceil(log_r n) alpha between nodes
 *
 * With a radix r of three, leaders send to two others at once, and the two steps of the example are
 * one. Where the number of nodes is a power of r, the leaders whose numbers differ in one digit
 * send to each other:
 *
 *     four nodes, r = 2     0 <-> 1   2 <-> 3   then   0 <-> 2   1 <-> 3
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_barrier_smp(const napcoll_plan_args_t *args)
{
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_exchange_barrier(builder, args);
    return napcoll_builder_finish(builder);
}
