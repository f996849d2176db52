/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce through the nodes' leaders: the SMP algorithm of MPICH (Bienz et al., section II-A, Eq.
 * 5).
 *
 *     node 0   0 <- 1,2,3  |                  |  0 -> 1,2,3
 *     node 1   4 <- 5,6,7  |  0 <-> 4 <-> 8   |  4 -> 5,6,7
 *     node 2   8 <- 9,..   |                  |  8 -> 9,..
 *               reduce        recursive            bcast
 *                             multiplying
 *
 *     cost     2 log_k(ppn) local steps, ceil(log_r n) (alpha + (r - 1) beta s) between nodes
 *
 * MPICH's radix r is 2; leaders that talk to several others at once need fewer steps. One process
 * per node uses the network, so every message has the node's whole rate, while the other processes
 * wait.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_allreduce_smp(const napcoll_plan_args_t *args)
{
    const napcoll_group_t node = napcoll_group_node(args);
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t value;

    if (NULL == builder) {
        return NULL;
    }
    value = napcoll_exchange_reduce(builder, &node, napcoll_plan_args_input(args));
    if (0 == napcoll_node_map_lane(args->map, args->rank)) {
        const napcoll_group_t leaders = napcoll_group_leaders(args);

        napcoll_builder_copy(builder, recvbuf,
                             napcoll_exchange_allreduce_own(builder, &leaders, value));
        napcoll_builder_next_stage(builder);
    }
    napcoll_exchange_bcast(builder, &node, recvbuf);
    return napcoll_builder_finish(builder);
}

/* Between leaders a message to each other part, and one for a position that the own part lacks;
 * inside the node one to or from each other part. */
napcoll_bounds_t napcoll_allreduce_smp_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    (void) map;
    return napcoll_bounds_either(2 * (napcoll_params_radix(params) - 1), params->local_radix - 1);
}
