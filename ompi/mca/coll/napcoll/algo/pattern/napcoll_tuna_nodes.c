/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels (see the header). Group k C + c of the exchange inside a node has the blocks
 * of ring c for the node k before the own one.
 */

#include "algo/pattern/napcoll_tuna_nodes.h"

#include <stdlib.h>

#include "algo/napcoll_generators.h"

/* The node `distance` after this one. */
static int node_at(const napcoll_tuna_t *tuna, int distance)
{
    const int nodes = tuna->args->map->nodes;

    return (tuna->node + nodes + distance) % nodes;
}

int napcoll_tuna_nodes_ppn(const napcoll_tuna_t *inside, int distance)
{
    return napcoll_node_map_ppn(inside->args->map, node_at(inside, distance));
}

/* The lane of a ring of the lane i before this one. */
static int lane_of(const napcoll_tuna_t *tuna, int ring, int i)
{
    return (tuna->self + tuna->members - i) % tuna->members + ring * tuna->members;
}

/* The block of the send buffer for that lane of the node k before this one. */
static int send_block(const napcoll_tuna_t *tuna, int k, int ring, int i)
{
    const napcoll_node_map_t *map = tuna->args->map;
    const int place = napcoll_node_map_first(map, node_at(tuna, -k)) + lane_of(tuna, ring, i);

    return (tuna->place + map->size - place) % map->size;
}

/* The block of the receive buffer from the lane i after this one (round the end of the node) on
 * the node k after this one. */
static int recv_block(const napcoll_tuna_t *tuna, int k, int i)
{
    const napcoll_node_map_t *map = tuna->args->map;
    const int lane = (tuna->self + i) % napcoll_tuna_nodes_ppn(tuna, k);

    return (napcoll_node_map_first(map, node_at(tuna, k)) + lane + map->size - tuna->place)
           % map->size;
}

static int rings_of(const napcoll_tuna_t *tuna)
{
    return napcoll_tuna_nodes_rings(tuna->args->map, tuna->members);
}

/* The slot of block i of a ring: groups of other nodes have a slot for each. */
static int slot_of(const napcoll_tuna_t *tuna, int k, int ring, int i)
{
    const int rings = rings_of(tuna), others = tuna->members - 1;

    return k > 0 ? ((k - 1) * rings + ring) * others + i - 1
                 : (tuna->args->map->nodes - 1) * rings * others
                       + napcoll_digits_slot(tuna->radix, i);
}

static int rank_of_lane(const napcoll_tuna_t *tuna, int ring, int member)
{
    (void) ring;
    return napcoll_node_map_rank(tuna->args->map, tuna->node, member);
}

static void add_node_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder,
                            napcoll_span_t *list, const napcoll_tuna_run_t *run)
{
    const int rings = rings_of(tuna), k = run->group / rings, ring = run->group % rings;
    napcoll_span_t span = {.buffer = tuna->temporary, .count = run->count};

    if (lane_of(tuna, ring, run->left) >= napcoll_tuna_nodes_ppn(tuna, -k)) {
        return;
    }
    if (NAPCOLL_TUNA_TRANSIT == run->where || (NAPCOLL_TUNA_HOME == run->where && k > 0)) {
        span.first = slot_of(tuna, k, ring, run->first);
        napcoll_builder_list_add(builder, list, span);
        return;
    }
    span.count = 1;
    span.buffer = NAPCOLL_TUNA_INPUT == run->where ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV;
    for (int i = run->first; i < run->first + run->count; i++) {
        span.first = NAPCOLL_TUNA_INPUT == run->where ? send_block(tuna, k, ring, i)
                                                      : recv_block(tuna, 0, i);
        napcoll_builder_list_add(builder, list, span);
    }
}

/* Of nodes of different sizes: the blocks that each lane carries from every other lane. */
static int *count_rows(const napcoll_tuna_t *tuna)
{
    const napcoll_node_map_t *map = tuna->args->map;
    int *rows = calloc((size_t) tuna->members + 1, sizeof(*rows));
    int whole = 0;

    if (NULL == rows) {
        return NULL;
    }
    for (int node = 0; node < map->nodes; node++) {
        const int ppn = napcoll_node_map_ppn(map, node);

        whole += ppn / tuna->members;
        rows[ppn % tuna->members]++;
    }
    /* a node counts for the lanes below its rest */
    for (int lane = tuna->members - 1; lane >= 0; lane--) {
        rows[lane] = rows[lane + 1] + rows[lane];
    }
    for (int lane = 0; lane < tuna->members; lane++) {
        rows[lane] = rows[lane + 1] + whole;
    }
    return rows;
}

static int count_node_blocks(const napcoll_tuna_t *tuna, const napcoll_tuna_run_t *run)
{
    return run->count * tuna->rows[lane_of(tuna, 0, run->left)];
}

/* Slots of the exchange inside a node of q processes. */
static int slots_inside(const napcoll_node_map_t *map, int q, int radix)
{
    return (map->nodes - 1) * napcoll_tuna_nodes_rings(map, q) * (q - 1)
           + napcoll_digits_slots(q, napcoll_digits_radix(radix, q));
}

int napcoll_tuna_nodes_slots(const napcoll_node_map_t *map, int radix, int more)
{
    int most = 0, before = 0;

    for (int node = 0; node < (map->min_ppn == map->max_ppn ? 1 : map->nodes); node++) {
        const int q = napcoll_node_map_ppn(map, node);

        if (q != before) {
            most = napcoll_max(most, slots_inside(map, q, radix)
                                         + more * napcoll_tuna_nodes_rings(map, q));
        }
        before = q;
    }
    return most;
}

/* The exchange inside the node, and the slots of the plan. */
static void emit_inside(napcoll_tuna_nodes_t *plan, int more)
{
    const napcoll_plan_args_t *args = plan->tuna.args;
    const int slots = plan->slots + more * rings_of(&plan->tuna);

    if (slots > 0) {
        plan->tuna.temporary = napcoll_builder_temp(plan->builder, 0, slots).buffer;
    }
    if (args->sketch && args->map->min_ppn < args->map->max_ppn) {
        plan->tuna.blocks = count_node_blocks;
        plan->tuna.rows = count_rows(&plan->tuna);
        if (NULL == plan->tuna.rows) {
            napcoll_builder_fail(plan->builder);
            return;
        }
    }
    napcoll_tuna_emit(&plan->tuna, plan->builder);
    free(plan->tuna.rows);
    plan->tuna.rows = NULL;
}

napcoll_tuna_nodes_t napcoll_tuna_nodes_begin(const napcoll_plan_args_t *args, int radix, int more)
{
    const napcoll_node_map_t *map = args->map;
    const int node = napcoll_node_map_node(map, args->rank);
    const int lanes = napcoll_node_map_ppn(map, node), fit = napcoll_digits_radix(radix, lanes);
    napcoll_tuna_nodes_t plan = {
        .builder = napcoll_alltoall_builder(args),
        .nodes = map->nodes,
        .lanes = lanes,
        .slots = slots_inside(map, lanes, radix),
        .tuna = {.members = lanes,
                 .self = napcoll_node_map_lane(map, args->rank),
                 .radix = fit,
                 .burst = napcoll_tuna_burst(0, lanes, fit),
                 .groups = map->nodes * napcoll_tuna_nodes_rings(map, lanes),
                 .headed = napcoll_plan_args_headed(args),
                 .rank = rank_of_lane,
                 .add = add_node_blocks,
                 .args = args,
                 .place = napcoll_node_map_place(map, args->rank),
                 .node = node}};

    if (NULL != plan.builder) {
        emit_inside(&plan, more);
    }
    return plan;
}

napcoll_span_t napcoll_tuna_nodes_source(const napcoll_tuna_t *inside, int distance, int ring,
                                         int i)
{
    napcoll_span_t block = {.buffer = NAPCOLL_BUFFER_SEND, .count = 1};

    if (i > 0) {
        block.buffer = inside->temporary;
        block.first = slot_of(inside, distance, ring, i);
    } else {
        block.first = send_block(inside, distance, ring, 0);
    }
    return block;
}

napcoll_span_t napcoll_tuna_nodes_target(const napcoll_tuna_t *inside, int distance, int i)
{
    return (napcoll_span_t){
        .buffer = NAPCOLL_BUFFER_RECV, .first = recv_block(inside, distance, i), .count = 1};
}

int napcoll_tuna_nodes_sender(const napcoll_tuna_t *inside, int distance)
{
    return napcoll_node_map_rank(inside->args->map, node_at(inside, distance),
                                 inside->self % napcoll_tuna_nodes_ppn(inside, distance));
}

int napcoll_tuna_nodes_receiver(const napcoll_tuna_t *inside, int distance, int ring)
{
    const int lane = lane_of(inside, ring, 0);

    return lane < napcoll_tuna_nodes_ppn(inside, -distance)
               ? napcoll_node_map_rank(inside->args->map, node_at(inside, -distance), lane)
               : -1;
}

napcoll_bounds_t napcoll_tuna_nodes_bounds(const napcoll_node_map_t *map, int radix, int inter)
{
    const int fit = napcoll_digits_radix(radix, map->max_ppn);
    const int inside = napcoll_tuna_burst(0, map->max_ppn, fit);

    return napcoll_bounds_either(inter * napcoll_tuna_nodes_rings(map, map->min_ppn), inside);
}
