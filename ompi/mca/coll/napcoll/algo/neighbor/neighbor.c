/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The table of algorithms of the neighbourhood collectives, and what their plans send.
 */

#include <stdlib.h>
#include <string.h>

#include "algo/napcoll_generators.h"

static const napcoll_algorithm_t algorithms[NAPCOLL_NEIGHBOR_ALGORITHMS] = {
    [NAPCOLL_NEIGHBOR_DIRECT] =
        {.name = "direct",
         .help = "every block goes straight to its neighbour",
         .generate = napcoll_neighbor_direct,
         .bounds = napcoll_neighbor_bounds,
         .slots = napcoll_neighbor_slots,
         .tunable = {{.name = "requests",
                      .help = "Messages that a process has under way at once. 0: 256"}}},
    [NAPCOLL_NEIGHBOR_COALESCED] =
        {.name = "coalesced",
         .help = "inside the node to the process that carries the message for a node; one message "
                 "for each pair of nodes with edges; then inside the other node",
         .generate = napcoll_neighbor_coalesced,
         .bounds = napcoll_neighbor_bounds,
         .slots = napcoll_neighbor_slots,
         .store_and_forward = true,
         .needs = NAPCOLL_NEEDS_SHARED_NODE},
};

/* The tables of an even and of an uneven collective. */
#define TABLE(collective, result, is_uneven)                                                   \
    const napcoll_collective_t napcoll_##collective = {.name = #collective,                    \
                                                       .goal = NAPCOLL_GOAL_NEIGHBOR_##result, \
                                                       .everywhere = true,                     \
                                                       .uneven = (is_uneven),                  \
                                                       .algorithm = algorithms,                \
                                                       .algorithms = NAPCOLL_NEIGHBOR_ALGORITHMS}

TABLE(neighbor_allgather, ALLGATHER, false);
TABLE(neighbor_allgatherv, ALLGATHER, true);
TABLE(neighbor_alltoall, ALLTOALL, false);
TABLE(neighbor_alltoallv, ALLTOALL, true);
TABLE(neighbor_alltoallw, ALLTOALL, true);

napcoll_bounds_t napcoll_neighbor_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    /* they depend on the edges: none are claimed */
    return (napcoll_bounds_t){.inter = 0, .all = 0};
}

int napcoll_neighbor_slots(const napcoll_plan_args_t *args)
{
    const int goal = NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == args->collective->goal;

    return args->neighborhood->load[goal][args->algorithm->store_and_forward].slots;
}

/* Copy the blocks of a rank for itself. */
static void copy_own(napcoll_builder_t *builder, const napcoll_neighborhood_t *n)
{
    const napcoll_plan_edge_t *from = n->edge, *to = n->edge + n->out;

    for (int i = 0; i < n->in; i++) {
        int j = to[i].peer == n->rank ? 0 : n->out;

        while (j < n->out && (from[j].peer != n->rank || from[j].number != to[i].number)) {
            j++;
        }
        if (j < n->out) {
            napcoll_builder_copy(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, i, 1},
                                 (napcoll_span_t){NAPCOLL_BUFFER_SEND, j, 1});
        }
    }
}

napcoll_builder_t *napcoll_neighbor_builder(const napcoll_plan_args_t *args)
{
    const napcoll_neighborhood_t *n = args->neighborhood;
    napcoll_builder_t *builder = napcoll_builder_new(args->collective->name, args->algorithm->name,
                                                     args->rank, 1);

    if (NULL != builder) {
        napcoll_builder_edges(builder, n->out, n->in, n->edge);
        copy_own(builder, n);
    }
    return builder;
}

/* ---- what plans send ---- */

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* What a plan sends, or receives. */
static napcoll_neighbor_load_t one_side(const napcoll_plan_t *plan, const napcoll_node_map_t *map,
                                        napcoll_step_kind_t kind)
{
    const int node = napcoll_node_map_node(map, plan->rank);
    napcoll_neighbor_load_t load = {0};

    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        if (kind == step->kind && node == napcoll_node_map_node(map, step->peer)) {
            load.local_messages++;
            load.local_blocks += napcoll_step_span(step)->count;
        } else if (kind == step->kind) {
            load.messages++;
            load.blocks += napcoll_step_span(step)->count;
        }
    }
    return load;
}

/* The same of the whole node, whose messages are links where the row forwards blocks. */
static void add_node(const napcoll_crossing_t *crossing, bool forwards, bool alltoall,
                     napcoll_neighbor_load_t *load)
{
    int blocks = crossing->edges;

    for (int i = 1; forwards && !alltoall && i < crossing->edges; i++) {
        /* an allgather's block is in the message of a link once */
        blocks -= crossing->edge[i - 1].from == crossing->edge[i].from;
    }
    load->node_messages = larger(load->node_messages, forwards ? crossing->links : crossing->edges);
    load->node_blocks = larger(load->node_blocks, blocks);
}

/* Add what carriers get from their node, or give to it: a message for each other process with edges
 * of the link. seen: [ppn] zeros, which it has afterwards. */
static void add_carriers(const napcoll_crossing_t *crossing, const napcoll_node_map_t *map,
                         bool leaving, bool *seen, napcoll_neighbor_load_t *load)
{
    for (int l = 0; l < crossing->links; l++) {
        const napcoll_node_link_t *link = &crossing->link[l];
        const napcoll_edge_t *edge = &crossing->edge[link->first];

        for (int i = 0; i < link->count; i++) {
            const int rank = leaving ? edge[i].from : edge[i].to;
            bool *met = &seen[napcoll_node_map_lane(map, rank)];

            load->node_local_messages += rank != link->carrier && !*met;
            load->node_local_blocks += rank != link->carrier;
            *met = true;
        }
        for (int i = 0; i < link->count; i++) {
            seen[napcoll_node_map_lane(map, leaving ? edge[i].from : edge[i].to)] = false;
        }
    }
}

/* What the processes of the node send each other: blocks along edges, and those that are
 * forwarded. Returns 0, or -1 when memory ran out. */
static int add_inside(const napcoll_node_map_t *map, const napcoll_neighborhood_t *n, bool forwards,
                      const napcoll_neighbor_load_t *direct, napcoll_neighbor_load_t *load)
{
    const int ppn = napcoll_node_map_ppn(map, napcoll_node_map_node(map, n->rank));
    bool *seen = calloc((size_t) ppn, sizeof(*seen));

    if (NULL == seen) {
        return -1;
    }
    load->node_local_messages = ppn * direct->local_messages;
    load->node_local_blocks = ppn * direct->local_blocks;
    if (forwards) {
        add_carriers(&n->leaving, map, true, seen, load);
        add_carriers(&n->coming, map, false, seen, load);
    }
    free(seen);
    return 0;
}

static int measure_row(const napcoll_node_map_t *map, napcoll_neighborhood_t *n, bool alltoall,
                       int row)
{
    const napcoll_plan_args_t args = {.collective = alltoall ? &napcoll_neighbor_alltoall
                                                             : &napcoll_neighbor_allgather,
                                      .algorithm = &algorithms[row],
                                      .map = map,
                                      .rank = n->rank,
                                      .neighborhood = n};
    napcoll_neighbor_load_t *load = &n->load[alltoall][row], received;
    napcoll_plan_t *plan = algorithms[row].generate(&args);

    if (NULL == plan) {
        return -1;
    }
    *load = one_side(plan, map, NAPCOLL_STEP_SEND);
    received = one_side(plan, map, NAPCOLL_STEP_RECV);
    load->messages = larger(load->messages, received.messages);
    load->blocks = larger(load->blocks, received.blocks);
    load->local_messages = larger(load->local_messages, received.local_messages);
    load->local_blocks = larger(load->local_blocks, received.local_blocks);
    load->slots = plan->temps > 0 ? plan->temp[0].count : 0;
    add_node(&n->leaving, algorithms[row].store_and_forward, alltoall, load);
    add_node(&n->coming, algorithms[row].store_and_forward, alltoall, load);
    napcoll_plan_free(plan);
    return add_inside(map, n, algorithms[row].store_and_forward,
                      &n->load[alltoall][NAPCOLL_NEIGHBOR_DIRECT], load);
}

int napcoll_neighbor_measure(const napcoll_node_map_t *map, napcoll_neighborhood_t *n)
{
    int rc = 0;

    for (int goal = 0; goal < NAPCOLL_NEIGHBOR_GOALS; goal++) {
        for (int row = 0; row < NAPCOLL_NEIGHBOR_ROWS && 0 == rc; row++) {
            rc = measure_row(map, n, 1 == goal, row);
        }
    }
    return rc;
}
