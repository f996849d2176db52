/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Barrier through the nodes' leaders.
 *
 *     node 0   0 <- 1,2,3  |  0 -> 4   0 -> 8  |  0 -> 1,2,3
 *     node 1   4 <- 5,6,7  |  4 -> 8   4 -> 0  |  4 -> 5,6,7
 *     node 2   8 <- 9,..   |  8 -> 0   8 -> 4  |  8 -> 9,..
 *               gather        dissemination       release
 *
 *     cost     2 log_k(ppn) local steps, ceil(log_r n) alpha between nodes
 *
 * With a radix r of three, leaders tell two others at once, and the two steps of the example are one. Where
 * the number of nodes is a power of r, the leaders whose numbers differ in one digit tell each other:
 *
 *     four nodes, r = 2     0 <-> 1   2 <-> 3   then   0 <-> 2   1 <-> 3
 */

#include "algo/barrier/barrier.h"

/* A barrier has no root: leaders are those of any other one. */
void napcoll_word_everywhere(napcoll_builder_t *builder, const napcoll_plan_args_t *args)
{
    napcoll_plan_args_t barrier = *args;
    napcoll_party_t node;

    barrier.collective = &napcoll_barrier;
    node = napcoll_party_node(&barrier);
    napcoll_word_collect(builder, &node);
    if (0 == node.self) {
        const napcoll_party_t leaders = napcoll_party_leaders(&barrier);

        napcoll_word_exchange(builder, &leaders, leaders.radix - 1);
    }
    napcoll_word_release(builder, &node);
}

napcoll_plan_t *napcoll_barrier_smp(const napcoll_plan_args_t *args)
{
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_word_everywhere(builder, args);
    return napcoll_builder_finish(builder);
}

/* One message to or from each other part, of nodes and inside the node. */
napcoll_bounds_t napcoll_barrier_smp_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int radix = napcoll_params_radix(params);
    const int parts = params->local_radix < map->max_ppn ? params->local_radix : map->max_ppn;

    return (napcoll_bounds_t){.inter = radix - 1, .all = (parts > radix ? parts : radix) - 1};
}
