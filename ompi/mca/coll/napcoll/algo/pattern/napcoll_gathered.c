/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All ranks' vectors, gathered (see the header).
 *
 * Slots count from the own node's first lane on, node after node, round the end. So the vectors
 * that a node has of w nodes, itself first, are its first slots on all of its processes, and what a
 * lane fetches is one run of slots at both ends of the message.
 */

#include "algo/pattern/napcoll_gathered.h"

#include <stdlib.h>

#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_lanes.h"

typedef struct {
    /* The processes of the node. It is first, so that its functions find the rest. */
    napcoll_group_t group;
    napcoll_builder_t *builder;
    const napcoll_plan_args_t *args;
    /* Where vectors are gathered: slots from 0 on. */
    napcoll_span_t room;
    /* Nodes whose vectors each process of the node has. */
    int width;
    /* Runs of `width` nodes that are fetched in this step. */
    int fetched;
} gathering_t;

/* Vectors of `nodes` nodes from one on, round the end. */
static int vectors(const napcoll_node_map_t *map, int node, int nodes)
{
    const int end = node + nodes, first = napcoll_node_map_first(map, node);

    return end <= map->nodes ? napcoll_node_map_first(map, end) - first
                             : map->size - first + napcoll_node_map_first(map, end - map->nodes);
}

/* First slot of what a process has fetched in a step between nodes. */
static int fetched_first(const napcoll_group_t *group, int member)
{
    const gathering_t *g = (const gathering_t *) group;
    const int lane = napcoll_port_first(member, g->fetched, group->members);
    const int nodes = (1 + lane) * g->width;

    return vectors(group->map, group->node, nodes < group->map->nodes ? nodes : group->map->nodes);
}

/* At the root's node: first slot of a process's own vector; the vectors of the nodes that it takes
 * follow. */
static int root_node_first(const napcoll_group_t *group, int member)
{
    const int others = napcoll_port_first(member, group->map->nodes - 1, group->members);

    return member + vectors(group->map, group->node, 1 + others) - group->members;
}

/* Take slots, and copy the own vector to one of them; a process with one slot may leave it in
 * place. */
static void make_room(gathering_t *g, int slots, int own)
{
    const napcoll_span_t input = napcoll_plan_args_input(g->args);

    g->room = 1 == slots ? input : napcoll_builder_temp(g->builder, 0, slots);
    napcoll_builder_copy(
        g->builder, (napcoll_span_t){.buffer = g->room.buffer, .first = own, .count = 1}, input);
}

/* Emit a route whose blocks are slots from `first` on, and free it. */
static void emit_slots(const gathering_t *g, napcoll_route_t *route, int first)
{
    for (int stage = 0; stage < route->stages; stage++) {
        napcoll_route_emit(g->builder, route, stage, g->room, -first);
        napcoll_builder_next_stage(g->builder);
    }
    napcoll_route_free(route);
}

/* Note where the vectors of a node's ranks are; returns the slot behind them. */
static int note_node(const gathering_t *g, int node, int slot, napcoll_span_t *value)
{
    for (int lane = 0; lane < napcoll_node_map_ppn(g->group.map, node); lane++) {
        value[napcoll_node_map_rank(g->group.map, node, lane)] = (napcoll_span_t){
            .buffer = g->room.buffer, .first = slot++, .count = 1};
    }
    return slot;
}

/* ---- on every process ---- */

/* All processes of the node get what each of them has for the others: in the fewest steps, or in
 * the fewest messages. */
static void share_slots(const gathering_t *g)
{
    const napcoll_group_t *group = &g->group;
    const int first = napcoll_group_first(group, 0);
    napcoll_route_t route = {0};

    if (!g->args->params.local_tree) {
        (void) napcoll_route_bruck(&route, group, 0, group->radix);
        emit_slots(g, &route, 0);
        return;
    }
    (void) napcoll_route_tree(&route, group, 0, NAPCOLL_ROUTE_UP, NULL);
    emit_slots(g, &route, 0);
    napcoll_exchange_bcast(
        g->builder, group,
        (napcoll_span_t){.buffer = g->room.buffer,
                         .first = first,
                         .count = napcoll_group_first(group, group->members) - first});
}

/* The process that serves a lane of a node in this step. */
static int server(const gathering_t *g, int node, int lane)
{
    const napcoll_node_map_t *map = g->group.map;

    return napcoll_node_map_rank(
        map, node, napcoll_port_server(lane, g->fetched, napcoll_node_map_ppn(map, node)));
}

/* One step between nodes: this process's lanes fetch the runs of nodes j * width away, and send the
 * own run to the nodes that fetch it. */
static void fetch_vectors(const gathering_t *g)
{
    const napcoll_group_t *group = &g->group;
    const napcoll_node_map_t *map = group->map;
    const int nodes = map->nodes, node = group->node;
    const int end = napcoll_port_first(group->self + 1, g->fetched, group->members);
    napcoll_span_t run = g->room;

    for (int lane = napcoll_port_first(group->self, g->fetched, group->members); lane < end;
         lane++) {
        const int away = (lane + 1) * g->width;
        const int length = nodes - away < g->width ? nodes - away : g->width;
        const int from = (node + away) % nodes, to = (node + nodes - away) % nodes;

        run.first = vectors(map, node, away);
        run.count = vectors(map, from, length);
        napcoll_builder_recv(g->builder, run, server(g, from, lane));
        run.first = 0;
        run.count = vectors(map, node, length);
        napcoll_builder_send(g->builder, run, server(g, to, lane));
    }
    napcoll_builder_next_stage(g->builder);
}

static void gather_everywhere(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                              napcoll_span_t *value)
{
    const napcoll_node_map_t *map = args->map;
    const int lanes = napcoll_port_lanes(map, args->params.tunable[0]);
    gathering_t g = {
        .group = napcoll_group_node_lanes(args, 0), .builder = builder, .args = args, .width = 1};

    g.group.base = 0;
    make_room(&g, map->size, g.group.self);
    napcoll_builder_next_stage(builder);
    share_slots(&g);
    g.group.first = fetched_first;
    while (g.width < map->nodes) {
        const int runs = (map->nodes - 1) / g.width;

        g.fetched = runs < lanes ? runs : lanes;
        fetch_vectors(&g);
        share_slots(&g);
        g.width = napcoll_split_widen(g.width, map->nodes, lanes + 1);
    }
    for (int away = 0, slot = 0; away < map->nodes; away++) {
        slot = note_node(&g, (g.group.node + away) % map->nodes, slot, value);
    }
}

/* ---- at the root ---- */

/* At the root's node: receive the vectors of the nodes that this process takes. */
static void take_nodes(const gathering_t *g)
{
    const napcoll_group_t *group = &g->group;
    const napcoll_node_map_t *map = group->map;
    const int end = napcoll_port_first(group->self + 1, map->nodes - 1, group->members);
    napcoll_span_t run = g->room;

    run.first = 1;
    for (int i = napcoll_port_first(group->self, map->nodes - 1, group->members); i < end; i++) {
        const int node = (group->node + 1 + i) % map->nodes;

        run.count = napcoll_node_map_ppn(map, node);
        napcoll_builder_recv(g->builder, run, napcoll_node_map_rank(map, node, 0));
        run.first += run.count;
    }
}

/* Elsewhere: member 0 sends its node's vectors to the process that takes them. */
static void give_node(const gathering_t *g, int root)
{
    const napcoll_node_map_t *map = g->group.map;
    const int home = napcoll_node_map_node(map, root), ppn = napcoll_node_map_ppn(map, home);
    const int number = (g->group.node + map->nodes - home) % map->nodes - 1;
    const int member = napcoll_port_server(number, map->nodes - 1, ppn);
    const int lane = (napcoll_node_map_lane(map, root) + member) % ppn;

    if (0 == g->group.self) {
        napcoll_builder_send(g->builder, g->room, napcoll_node_map_rank(map, home, lane));
        napcoll_builder_next_stage(g->builder);
    }
}

/* Where all vectors are at the end: each member's of the root's node, then of the nodes it took. */
static void note_all(const gathering_t *g, napcoll_span_t *value)
{
    const napcoll_group_t *group = &g->group;
    const int nodes = group->map->nodes;

    for (int member = 0, slot = 0; member < group->members; member++) {
        const int end = napcoll_port_first(member + 1, nodes - 1, group->members);

        value[group->rank(group, member)] = (napcoll_span_t){
            .buffer = g->room.buffer, .first = slot++, .count = 1};
        for (int i = napcoll_port_first(member, nodes - 1, group->members); i < end; i++) {
            slot = note_node(g, (group->node + 1 + i) % nodes, slot, value);
        }
    }
}

static void gather_at_root(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                           napcoll_span_t *value)
{
    const napcoll_node_map_t *map = args->map;
    const int root = args->params.root, node = napcoll_node_map_node(map, args->rank);
    const bool at_home = node == napcoll_node_map_node(map, root);
    const int lane = at_home ? napcoll_node_map_lane(map, root) : 0;
    gathering_t g = {
        .group = napcoll_group_node_lanes(args, lane), .builder = builder, .args = args};
    napcoll_group_t *group = &g.group;
    napcoll_route_t route = {0};
    int first;

    group->base = 0;
    group->first = at_home ? root_node_first : NULL;
    (void) napcoll_route_tree(&route, group, 0, NAPCOLL_ROUTE_UP, NULL);
    first = napcoll_group_first(group, group->self);
    make_room(&g, napcoll_group_first(group, group->self + napcoll_tree_subtree(group)) - first, 0);
    if (at_home) {
        take_nodes(&g);
    }
    napcoll_builder_next_stage(builder);
    emit_slots(&g, &route, first);
    if (!at_home) {
        give_node(&g, root);
    }
    if (args->rank == root) {
        note_all(&g, value);
    }
}

/* ---- plans ---- */

napcoll_plan_t *napcoll_gathered_plan(const napcoll_plan_args_t *args, int ranks)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_SLOTS, 1);
    napcoll_span_t *value = malloc((size_t) args->map->size * sizeof(*value));

    if (NULL == builder || NULL == value) {
        free(value);
        napcoll_builder_discard(builder);
        return NULL;
    }
    if (NAPCOLL_GOAL_REDUCE == args->collective->goal) {
        gather_at_root(builder, args, value);
    } else {
        gather_everywhere(builder, args, value);
    }
    if (ranks > 0) {
        napcoll_builder_copy(builder, recvbuf, napcoll_exchange_combine(builder, ranks, 2, value));
    }
    free(value);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_gathered_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    const int inter = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));
    /* A run round the end is two messages. */
    const int inside = map->max_ppn > params->local_radix ? 2 * (params->local_radix - 1)
                                                          : map->max_ppn - 1;

    return napcoll_bounds_either(inter, inside);
}
