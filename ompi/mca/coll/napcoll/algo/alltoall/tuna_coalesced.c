/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels, coalesced: after the exchange inside the node each process sends one message
 * of Q blocks to each other node, on nodes of different sizes one for each of its rings
 * (napcoll_tuna_nodes.h).
 *
 *     cost   K_Q local messages of N D_Q / K_Q blocks, N - 1 messages of Q blocks between nodes
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

/* The blocks of a message, in the order of the lanes that they come from: so they often are in the
 * receive buffer. */
static napcoll_span_t list_received(const napcoll_tuna_nodes_t *plan, int distance)
{
    const int lanes = napcoll_tuna_nodes_ppn(&plan->tuna, distance);
    const int self = plan->tuna.self % lanes;
    napcoll_span_t list = napcoll_builder_list(plan->builder);

    if (napcoll_builder_is_sketch(plan->builder)) {
        list.count = lanes;
        return napcoll_builder_list_end(plan->builder, list);
    }
    for (int lane = 0; lane < lanes; lane++) {
        napcoll_builder_list_add(
            plan->builder, &list,
            napcoll_tuna_nodes_target(&plan->tuna, distance, (lane + lanes - self) % lanes));
    }
    return napcoll_builder_list_end(plan->builder, list);
}

static napcoll_span_t list_sent(const napcoll_tuna_nodes_t *plan, int distance, int ring)
{
    napcoll_span_t list = napcoll_builder_list(plan->builder);

    if (napcoll_builder_is_sketch(plan->builder)) {
        list.count = plan->lanes;
        return napcoll_builder_list_end(plan->builder, list);
    }
    for (int lane = 0; lane < plan->lanes; lane++) {
        const int i = (lane + plan->lanes - plan->tuna.self) % plan->lanes;

        napcoll_builder_list_add(plan->builder, &list,
                                 napcoll_tuna_nodes_source(&plan->tuna, distance, ring, i));
    }
    return napcoll_builder_list_end(plan->builder, list);
}

/* The messages to the node `distance` before this one, and from the one after it. */
static void add_messages(const napcoll_tuna_nodes_t *plan, int distance)
{
    const int rings = napcoll_tuna_nodes_rings(plan->tuna.args->map, plan->lanes);

    napcoll_builder_recv_blocks(plan->builder, list_received(plan, distance),
                                napcoll_tuna_nodes_sender(&plan->tuna, distance),
                                plan->tuna.headed);
    for (int ring = 0; ring < rings; ring++) {
        const int to = napcoll_tuna_nodes_receiver(&plan->tuna, distance, ring);

        if (to >= 0) {
            napcoll_builder_send_blocks(plan->builder, list_sent(plan, distance, ring), to,
                                        plan->tuna.headed);
        }
    }
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
            add_messages(&plan, k);
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

int napcoll_alltoall_tuna_coalesced_slots(const napcoll_plan_args_t *args)
{
    return napcoll_tuna_nodes_slots(args->map, args->params.tunable[0], 0);
}
