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
 * between nodes. On nodes of different sizes a process has the messages of each of its rings.
 *
 *     cost    K_Q local messages of N D_Q / K_Q blocks,
 *             K_N messages of Q D_N / K_N blocks between nodes
 *     slots   Q (N - 1 - K_N) for each ring, besides the slots of the exchange inside the node
 *
 * The first level is K. Fan et al., section V; the second is theirs of section IV, over nodes.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

/* The input of the exchange between nodes is what the one inside has gathered. The nodes are a ring
 * for every lane of the largest of them, and a process is on the rings of the lanes that it carries
 * (napcoll_tuna_nodes.h). Group i of ring v has the blocks that come from lane v + i of their node,
 * round its end. */

/* The lane of a ring. */
static int lane_of(const napcoll_tuna_t *between, int ring)
{
    return between->inside->self + ring * between->inside->members;
}

static int rank_on_node(const napcoll_tuna_t *between, int ring, int member)
{
    const napcoll_node_map_t *map = between->args->map;

    return napcoll_node_map_rank(map, member,
                                 lane_of(between, ring) % napcoll_node_map_ppn(map, member));
}

/* Whether the node that a run is for has the ring's lane. */
static bool is_run(const napcoll_tuna_t *between, const napcoll_tuna_run_t *run)
{
    return lane_of(between, run->ring) < napcoll_tuna_nodes_ppn(between->inside, -run->left);
}

static napcoll_span_t block_of(const napcoll_tuna_t *between, const napcoll_tuna_run_t *run, int j)
{
    const int lanes = between->args->map->max_ppn;

    switch (run->where) {
    case NAPCOLL_TUNA_INPUT:
        return napcoll_tuna_nodes_source(between->inside, j, run->ring, run->group);
    case NAPCOLL_TUNA_HOME:
        return napcoll_tuna_nodes_target(between->inside, j, run->group);
    default:
        return (napcoll_span_t){
            .buffer = between->temporary,
            .first = between->slots + (run->ring * lanes + run->group) * between->slots_of_group
                     + napcoll_digits_slot(between->radix, j),
            .count = 1};
    }
}

static void add_between_blocks(const napcoll_tuna_t *between, napcoll_builder_t *builder,
                               napcoll_span_t *list, const napcoll_tuna_run_t *run)
{
    const napcoll_node_map_t *map = between->args->map;

    if (!is_run(between, run)) {
        return;
    }
    if (NAPCOLL_TUNA_TRANSIT == run->where && map->min_ppn == map->max_ppn) {
        napcoll_span_t slots = block_of(between, run, run->first);

        /* the numbers of a run have the same first digit, and so consecutive slots */
        slots.count = run->count;
        napcoll_builder_list_add(builder, list, slots);
        return;
    }
    for (int j = run->first; j < run->first + run->count; j++) {
        if (run->group < napcoll_tuna_nodes_ppn(between->inside, j - run->left)) {
            napcoll_builder_list_add(builder, list, block_of(between, run, j));
        }
    }
}

/* Of nodes of different sizes: those that the blocks of a run come from follow each other, round
 * the end. */
static int count_between_blocks(const napcoll_tuna_t *between, const napcoll_tuna_run_t *run)
{
    const napcoll_node_map_t *map = between->args->map;
    const int first = (between->self + run->first - run->left) % map->nodes;
    const int end = first + run->count;

    if (!is_run(between, run)) {
        return 0;
    }
    return napcoll_node_map_first(map, end > map->nodes ? end - map->nodes : end)
           - napcoll_node_map_first(map, first) + (end > map->nodes ? map->size : 0);
}

static int radix_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    return napcoll_digits_radix(params->tunable[0], map->nodes);
}

napcoll_plan_t *napcoll_alltoall_tuna_two_level(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int radix = radix_of(map, &args->params);
    const int each = napcoll_digits_slots(map->nodes, radix), passing = map->max_ppn * each;
    const napcoll_tuna_nodes_t plan = napcoll_tuna_nodes_begin(args, args->params.local_radix,
                                                               passing);
    const napcoll_tuna_t between = {
        .members = plan.nodes,
        .self = plan.tuna.node,
        .radix = radix,
        .burst = napcoll_tuna_burst(args->params.tunable[1], plan.nodes, radix),
        .groups = map->max_ppn,
        .rings = (map->max_ppn - plan.tuna.self + plan.lanes - 1) / plan.lanes,
        .headed = plan.tuna.headed,
        .rank = rank_on_node,
        .add = add_between_blocks,
        .blocks = map->min_ppn < map->max_ppn ? count_between_blocks : NULL,
        .args = args,
        .inside = &plan.tuna,
        .temporary = plan.tuna.temporary,
        .slots = plan.slots,
        .slots_of_group = each};

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

int napcoll_alltoall_tuna_two_level_slots(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int radix = radix_of(map, &args->params);

    return napcoll_tuna_nodes_slots(map, args->params.local_radix,
                                    map->max_ppn * napcoll_digits_slots(map->nodes, radix));
}
