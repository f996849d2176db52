/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels, by digits on both: after the exchange inside the node (napcoll_tuna_nodes.h)
 * blocks are also forwarded by the digits of the distance between the nodes, the blocks of all
 * lanes together. With radix N it is tuna_coalesced; with a smaller one blocks pass through other
 * nodes, in fewer and larger messages. In contrast to tuna no message inside a node turns into one
 * between nodes.
 *
 *     cost    K_Q local messages of N D_Q / K_Q blocks,
 *             K_N messages of Q D_N / K_N blocks between nodes
 *     slots   Q (N - 1 - K_N), besides the slots of the exchange inside the node
 *
 * The first level is K. Fan et al., section V; the second is theirs of section IV, over nodes.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

/* The input of the exchange between nodes is what the one inside has gathered. Group i has the
 * blocks that come from the lane i after the own one. */

static int rank_on_node(const napcoll_tuna_t *between, int member)
{
    return napcoll_node_map_rank(between->args->map, member, between->inside->self);
}

static void add_between_blocks(const napcoll_tuna_t *between, napcoll_builder_t *builder,
                               napcoll_span_t *list, int group, napcoll_tuna_where_t where,
                               int first, int count)
{
    if (NAPCOLL_TUNA_TRANSIT == where) {
        const int each = napcoll_digits_slots(between->members, between->radix);
        const int slot = group * each + napcoll_digits_slot(between->radix, first);

        napcoll_builder_list_add(builder, list,
                                 (napcoll_span_t){.buffer = between->temporary,
                                                  .first = between->slots + slot,
                                                  .count = count});
        return;
    }
    for (int distance = first; distance < first + count; distance++) {
        napcoll_builder_list_add(builder, list,
                                 NAPCOLL_TUNA_INPUT == where
                                     ? napcoll_tuna_nodes_source(between->inside, distance, group)
                                     : napcoll_tuna_nodes_target(between->inside, distance, group));
    }
}

static int radix_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    return napcoll_digits_radix(params->tunable[0], map->nodes);
}

napcoll_plan_t *napcoll_alltoall_tuna_two_level(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int radix = radix_of(map, &args->params);
    const int passing = map->max_ppn * napcoll_digits_slots(map->nodes, radix);
    const napcoll_tuna_nodes_t plan = napcoll_tuna_nodes_begin(args, args->params.local_radix,
                                                               passing);
    const napcoll_tuna_t between = {
        .members = plan.nodes,
        .self = plan.tuna.node,
        .radix = radix,
        .burst = napcoll_tuna_burst(args->params.tunable[1], plan.nodes, radix),
        .groups = plan.lanes,
        .headed = plan.tuna.headed,
        .rank = rank_on_node,
        .add = add_between_blocks,
        .args = args,
        .inside = &plan.tuna,
        .temporary = plan.tuna.temporary,
        .slots = plan.slots};

    if (NULL == plan.builder) {
        return NULL;
    }
    napcoll_tuna_emit(&between, plan.builder);
    return napcoll_builder_finish(plan.builder);
}

napcoll_bounds_t napcoll_alltoall_tuna_two_level_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    const int radix = radix_of(map, params);

    return napcoll_tuna_nodes_bounds(map, params->local_radix,
                                     napcoll_tuna_burst(params->tunable[1], map->nodes, radix));
}
