/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels, coalesced: after the exchange inside the node each process sends one message
 * of Q blocks to each other node (napcoll_tuna_nodes.h).
 *
 *     cost   K_Q local messages of N D_Q / K_Q blocks, N - 1 messages of Q blocks between nodes
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

/* The blocks of a message, in the order of the lanes that they come from: so they often are in the
 * receive buffer. */
static napcoll_span_t list_message(const napcoll_tuna_nodes_t *plan, int distance,
                                   napcoll_span_t (*block)(const napcoll_tuna_t *inside,
                                                           int distance, int i))
{
    napcoll_span_t list = napcoll_builder_list(plan->builder);

    if (napcoll_builder_is_sketch(plan->builder)) {
        list.count = plan->lanes;
        return napcoll_builder_list_end(plan->builder, list);
    }
    for (int lane = 0; lane < plan->lanes; lane++) {
        const int i = (lane + plan->lanes - plan->tuna.self) % plan->lanes;

        napcoll_builder_list_add(plan->builder, &list, block(&plan->tuna, distance, i));
    }
    return napcoll_builder_list_end(plan->builder, list);
}

napcoll_plan_t *napcoll_alltoall_tuna_coalesced(const napcoll_plan_args_t *args)
{
    const int at_once = napcoll_sketch_at_once(
        args->rough, napcoll_tuna_nodes_at_once(&args->params, args->map->nodes - 1));
    napcoll_tuna_nodes_t plan = napcoll_tuna_nodes_begin(args, args->params.tunable[0], 0);
    int stages;

    if (NULL == plan.builder) {
        return NULL;
    }
    stages = plan.nodes > 1 ? (plan.nodes - 2) / at_once + 1 : 0;
    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, stages, 1); at.stage < stages;
         napcoll_sketch_next(&at)) {
        const int first = 1 + at.stage * at_once, end = first + at_once;

        for (int k = first; k < end && k < plan.nodes; k++) {
            const napcoll_span_t from = list_message(&plan, k, napcoll_tuna_nodes_source);
            const napcoll_span_t to = list_message(&plan, k, napcoll_tuna_nodes_target);

            napcoll_builder_recv_blocks(plan.builder, to, napcoll_tuna_nodes_peer(&plan, k),
                                        plan.tuna.headed);
            napcoll_builder_send_blocks(plan.builder, from, napcoll_tuna_nodes_peer(&plan, -k),
                                        plan.tuna.headed);
        }
        napcoll_builder_repeat(plan.builder, at.times);
        napcoll_builder_next_stage(plan.builder);
    }
    return napcoll_builder_finish(plan.builder);
}

napcoll_bounds_t napcoll_alltoall_tuna_coalesced_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    return napcoll_tuna_nodes_bounds(map, params->tunable[0],
                                     napcoll_tuna_nodes_at_once(params, map->nodes - 1));
}
