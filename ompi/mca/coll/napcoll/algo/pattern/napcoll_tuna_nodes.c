/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels (see the header). Group k of the exchange inside a node has the blocks for the
 * node k before the own one.
 */

#include "algo/pattern/napcoll_tuna_nodes.h"

#include "algo/napcoll_generators.h"

/* The block of the send buffer for the lane i before this one, on the node k before this one. */
static int send_block(const napcoll_tuna_t *tuna, int k, int i)
{
    const int lanes = tuna->members, size = tuna->args->map->size;
    const int node = (tuna->node + tuna->groups - k) % tuna->groups;
    const int lane = (tuna->self + lanes - i) % lanes;

    return (tuna->place + size - (node * lanes + lane)) % size;
}

/* The block of the receive buffer from the lane i after this one, on the node k after this one. */
static int recv_block(const napcoll_tuna_t *tuna, int k, int i)
{
    const int lanes = tuna->members, size = tuna->args->map->size;
    const int node = (tuna->node + k) % tuna->groups;
    const int lane = (tuna->self + i) % lanes;

    return (node * lanes + lane + size - tuna->place) % size;
}

/* The slot of block i of a group: groups of other nodes have a slot for each. */
static int slot_of(const napcoll_tuna_t *tuna, int k, int i)
{
    return k > 0 ? (k - 1) * (tuna->members - 1) + i - 1
                 : (tuna->groups - 1) * (tuna->members - 1) + napcoll_digits_slot(tuna->radix, i);
}

static int rank_of_lane(const napcoll_tuna_t *tuna, int member)
{
    return napcoll_node_map_rank(tuna->args->map, tuna->node, member);
}

static void add_node_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder,
                            napcoll_span_t *list, int group, napcoll_tuna_where_t where, int first,
                            int count)
{
    napcoll_span_t run = {.buffer = tuna->temporary, .count = count};

    if (NAPCOLL_TUNA_TRANSIT == where || (NAPCOLL_TUNA_HOME == where && group > 0)) {
        run.first = slot_of(tuna, group, first);
        napcoll_builder_list_add(builder, list, run);
        return;
    }
    run.count = 1;
    run.buffer = NAPCOLL_TUNA_INPUT == where ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV;
    for (int i = first; i < first + count; i++) {
        run.first = NAPCOLL_TUNA_INPUT == where ? send_block(tuna, group, i)
                                                : recv_block(tuna, 0, i);
        napcoll_builder_list_add(builder, list, run);
    }
}

napcoll_tuna_nodes_t napcoll_tuna_nodes_begin(const napcoll_plan_args_t *args, int radix, int more)
{
    const napcoll_node_map_t *map = args->map;
    const int lanes = map->max_ppn, fit = napcoll_digits_radix(radix, lanes);
    const int slots = (map->nodes - 1) * (lanes - 1) + napcoll_digits_slots(lanes, fit);
    napcoll_tuna_nodes_t plan = {.builder = napcoll_alltoall_builder(args),
                                 .nodes = map->nodes,
                                 .lanes = lanes,
                                 .slots = slots,
                                 .tuna = {.members = lanes,
                                          .self = napcoll_node_map_lane(map, args->rank),
                                          .radix = fit,
                                          .burst = napcoll_tuna_burst(0, lanes, fit),
                                          .groups = map->nodes,
                                          .headed = napcoll_plan_args_headed(args),
                                          .rank = rank_of_lane,
                                          .add = add_node_blocks,
                                          .args = args,
                                          .place = napcoll_node_map_place(map, args->rank),
                                          .node = napcoll_node_map_node(map, args->rank)}};

    if (NULL != plan.builder) {
        if (slots + more > 0) {
            plan.tuna.temporary = napcoll_builder_temp(plan.builder, 0, slots + more).buffer;
        }
        napcoll_tuna_emit(&plan.tuna, plan.builder);
    }
    return plan;
}

napcoll_span_t napcoll_tuna_nodes_source(const napcoll_tuna_t *inside, int distance, int i)
{
    napcoll_span_t block = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};

    if (i > 0) {
        block.buffer = inside->temporary;
        block.first = slot_of(inside, distance, i);
    } else {
        block.first = send_block(inside, distance, 0);
    }
    return block;
}

napcoll_span_t napcoll_tuna_nodes_target(const napcoll_tuna_t *inside, int distance, int i)
{
    return (napcoll_span_t){
        .buffer = NAPCOLL_BUFFER_RECV, .first = recv_block(inside, distance, i), .count = 1};
}

int napcoll_tuna_nodes_peer(const napcoll_tuna_nodes_t *plan, int distance)
{
    return napcoll_node_map_rank(plan->tuna.args->map,
                                 (plan->tuna.node + plan->nodes + distance) % plan->nodes,
                                 plan->tuna.self);
}

napcoll_bounds_t napcoll_tuna_nodes_bounds(const napcoll_node_map_t *map, int radix, int inter)
{
    const int fit = napcoll_digits_radix(radix, map->max_ppn);
    const int inside = napcoll_tuna_burst(0, map->max_ppn, fit);

    return napcoll_bounds_either(inter, inside);
}
