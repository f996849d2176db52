/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels, staggered: after the exchange inside the node each process sends every block
 * that it has for another node in a message of its own, with a bound on the number under way
 * (napcoll_tuna_nodes.h). Nothing is packed, and a block need not wait for others. On nodes of
 * different sizes a stage has the i-th blocks of the k-th nodes on all ranks.
 *
 *     cost   K_Q local messages of N D_Q / K_Q blocks, Q (N - 1) messages of a block between nodes
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

/* The messages of the i-th block of each ring to the node k before this one, and of the i-th from
 * the node after it. */
static void add_messages(const napcoll_tuna_nodes_t *plan, int k, int i)
{
    const int rings = napcoll_tuna_nodes_rings(plan->tuna.args->map, plan->lanes);

    if (i < napcoll_tuna_nodes_ppn(&plan->tuna, k)) {
        napcoll_builder_recv_blocks(plan->builder, napcoll_tuna_nodes_target(&plan->tuna, k, i),
                                    napcoll_tuna_nodes_sender(&plan->tuna, k), plan->tuna.headed);
    }
    for (int ring = 0; i < plan->lanes && ring < rings; ring++) {
        const int to = napcoll_tuna_nodes_receiver(&plan->tuna, k, ring);

        if (to >= 0) {
            napcoll_builder_send_blocks(plan->builder,
                                        napcoll_tuna_nodes_source(&plan->tuna, k, ring, i), to,
                                        plan->tuna.headed);
        }
    }
}

napcoll_plan_t *napcoll_alltoall_tuna_staggered(const napcoll_plan_args_t *args)
{
    const int at_once = napcoll_tuna_nodes_at_once(&args->params,
                                                   (args->map->nodes - 1) * args->map->max_ppn);
    napcoll_tuna_nodes_t plan = napcoll_tuna_nodes_begin(args, args->params.tunable[0], 0);
    int blocks = 0;

    if (NULL == plan.builder) {
        return NULL;
    }
    for (int k = 1; k < plan.nodes; k++) {
        for (int i = 0; i < args->map->max_ppn; i++) {
            add_messages(&plan, k, i);
            if (0 == ++blocks % at_once) {
                napcoll_builder_next_stage(plan.builder);
            }
        }
    }
    return napcoll_builder_finish(plan.builder);
}

napcoll_bounds_t napcoll_alltoall_tuna_staggered_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    return napcoll_tuna_nodes_bounds(
        map, params->tunable[0],
        napcoll_tuna_nodes_at_once(params, (map->nodes - 1) * map->max_ppn));
}

int napcoll_alltoall_tuna_staggered_slots(const napcoll_plan_args_t *args)
{
    return napcoll_tuna_nodes_slots(args->map, args->params.tunable[0], 0);
}
