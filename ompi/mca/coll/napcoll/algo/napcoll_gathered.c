/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All ranks' vectors, gathered (see the header).
 *
 * Slots count from the own node's first lane on, node after node, round the end. So what a node has of
 * w nodes, itself first, are its first slots, on all of its processes, and what a lane fetches is one
 * run of slots at both ends of the message.
 */

#include "algo/napcoll_gathered.h"

#include <stdlib.h>

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_route.h"
#include "algo/napcoll_split.h"

typedef struct {
    napcoll_group_t group; /* the processes of the node; first in here, so that what is asked of the
                              group finds the rest */
    napcoll_builder_t *builder;
    const napcoll_plan_args_t *args;
    napcoll_span_t room; /* where vectors are gathered: slots from 0 on */
    int width;           /* nodes whose vectors each process of the node has */
    int fetched;         /* runs of so many nodes that are fetched in this step */
} gathering_t;

/* Vectors of `nodes` nodes from one on, round the end. */
static int vectors(const napcoll_node_map_t *map, int node, int nodes)
{
    const int end = node + nodes, first = napcoll_node_map_first(map, node);

    return end <= map->nodes ? napcoll_node_map_first(map, end) - first
                             : map->size - first + napcoll_node_map_first(map, end - map->nodes);
}

/* ---- the processes of the node, and what each of them has for the others ---- */

static int member_rank(const napcoll_group_t *group, int member)
{
    return napcoll_node_map_rank(group->map, group->node, (group->lane + member) % group->members);
}

/* At the beginning: its own vector. */
static int own_first(const napcoll_group_t *group, int member)
{
    (void) group;
    return member;
}

/* After a step between nodes: what it fetched. */
static int fetched_first(const napcoll_group_t *group, int member)
{
    const gathering_t *g = (const gathering_t *) group;
    const int lane = napcoll_port_first(member, g->fetched, group->members);
    const int nodes = (1 + lane) * g->width;

    return vectors(group->map, group->node, nodes < group->map->nodes ? nodes : group->map->nodes);
}

/* At the root's node: its own vector, and those of the other nodes that it takes in. */
static int rooted_first(const napcoll_group_t *group, int member)
{
    const int others = napcoll_port_first(member, group->map->nodes - 1, group->members);

    return member + vectors(group->map, group->node, 1 + others) - group->members;
}

static gathering_t gathering(napcoll_builder_t *builder, const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int node = napcoll_node_map_node(map, args->rank);

    return (gathering_t){.group = {.members = napcoll_node_map_ppn(map, node),
                                   .self = napcoll_node_map_lane(map, args->rank),
                                   .rank = member_rank,
                                   .first = own_first,
                                   .map = map,
                                   .node = node},
                         .builder = builder,
                         .args = args,
                         .width = 1};
}

/* ---- messages inside the node ---- */

/* Add what gathers all bundles at member 0, along the split of the members. Returns how many members'
 * bundles this process has at the end, or when it sends them. */
static int schedule_tree(napcoll_route_t *route, const napcoll_group_t *group, int radix)
{
    const int levels = napcoll_split_levels(group->members, radix);
    int bundles = 1;

    route->stages = levels;
    for (int level = 1; level <= levels; level++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        if (0 != split.part && 0 == split.position) {
            napcoll_route_run(route, group, level - 1, group->rank(group, split.first), true,
                              group->self, bundles);
        }
        if (0 != split.part || 0 != split.position) {
            return bundles;
        }
        for (int part = 1; part < split.parts; part++) {
            const int from = napcoll_split_part_first(&split, part);

            napcoll_route_run(route, group, level - 1, group->rank(group, from), false, from,
                              napcoll_split_part_size(&split, part));
        }
        bundles = split.size;
    }
    return bundles;
}

/* Emit a route whose blocks are slots from `first` on, and free it. */
static void emit(const gathering_t *g, napcoll_route_t *route, int first)
{
    for (int stage = 0; stage < route->stages; stage++) {
        napcoll_route_gather(g->builder, route, stage, g->room, -first);
        napcoll_builder_next_stage(g->builder);
    }
    napcoll_route_free(route);
}

/* All processes of the node get what each of them has for the others: in the fewest steps, or in the
 * fewest messages. */
static void share(const gathering_t *g)
{
    const napcoll_group_t *group = &g->group;
    const int first = group->first(group, 0), radix = g->args->params.local_radix;
    napcoll_route_t route = {0};
    napcoll_party_t party;

    if (!g->args->params.local_tree) {
        (void) napcoll_route_bruck(&route, group, 0, radix);
        emit(g, &route, 0);
        return;
    }
    (void) schedule_tree(&route, group, radix);
    emit(g, &route, 0);
    party = napcoll_party_node(g->args);
    party.noncommutative = true; /* processes are lanes, as in the group */
    party.self = group->self;
    napcoll_exchange_bcast(g->builder, &party,
                           (napcoll_span_t){.buffer = g->room.buffer,
                                            .first = first,
                                            .count = group->first(group, group->members) - first});
}

/* ---- on every process ---- */

/* The process that serves a lane of a node in this step. */
static int server(const gathering_t *g, int node, int lane)
{
    const napcoll_node_map_t *map = g->group.map;

    return napcoll_node_map_rank(
        map, node, napcoll_port_server(lane, g->fetched, napcoll_node_map_ppn(map, node)));
}

/* One step between nodes: this process's lanes fetch the runs of nodes j * width away, and send the own
 * run to the nodes that fetch it. */
static void fetch(const gathering_t *g)
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

/* Note where the vectors of a node's ranks are; returns the slot behind them. */
static int note_node(const gathering_t *g, int node, int slot, napcoll_span_t *value)
{
    for (int lane = 0; lane < napcoll_node_map_ppn(g->group.map, node); lane++) {
        value[napcoll_node_map_rank(g->group.map, node, lane)] = (napcoll_span_t){
            .buffer = g->room.buffer, .first = slot++, .count = 1};
    }
    return slot;
}

/* Have room for so many vectors, the own one in a slot of it; alone it may stay where it is. */
static void make_room(gathering_t *g, int slots, int own)
{
    const napcoll_span_t input = napcoll_plan_args_input(g->args);

    g->room = 1 == slots ? input : napcoll_builder_temp(g->builder, 0, slots);
    napcoll_builder_copy(
        g->builder, (napcoll_span_t){.buffer = g->room.buffer, .first = own, .count = 1}, input);
}

void napcoll_gather_everywhere(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                               int lanes, napcoll_span_t *value)
{
    const napcoll_node_map_t *map = args->map;
    gathering_t g = gathering(builder, args);

    make_room(&g, map->size, g.group.self);
    napcoll_builder_next_stage(builder);
    share(&g);
    g.group.first = fetched_first;
    while (g.width < map->nodes) {
        const int runs = (map->nodes - 1) / g.width;

        g.fetched = runs < lanes ? runs : lanes;
        fetch(&g);
        share(&g);
        g.width = napcoll_split_widen(g.width, map->nodes, lanes + 1);
    }
    for (int away = 0, slot = 0; away < map->nodes; away++) {
        slot = note_node(&g, (g.group.node + away) % map->nodes, slot, value);
    }
}

/* ---- at the root ---- */

/* At the root's node: take in the vectors of the other nodes that are this process's. */
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

/* Elsewhere: the representative hands on its node's vectors to the process that takes them in. */
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

/* Where everything is in the end: each member of the root's node, and the nodes that it took in. */
static void note_all(const gathering_t *g, napcoll_span_t *value)
{
    const napcoll_group_t *group = &g->group;
    const int nodes = group->map->nodes;

    for (int member = 0, slot = 0; member < group->members; member++) {
        const int end = napcoll_port_first(member + 1, nodes - 1, group->members);

        value[member_rank(group, member)] = (napcoll_span_t){
            .buffer = g->room.buffer, .first = slot++, .count = 1};
        for (int i = napcoll_port_first(member, nodes - 1, group->members); i < end; i++) {
            slot = note_node(g, (group->node + 1 + i) % nodes, slot, value);
        }
    }
}

void napcoll_gather_at_root(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                            napcoll_span_t *value)
{
    const int root = args->params.root;
    gathering_t g = gathering(builder, args);
    napcoll_group_t *group = &g.group;
    const bool at_home = group->node == napcoll_node_map_node(args->map, root);
    napcoll_route_t route = {0};
    int first, bundles;

    if (at_home) {
        group->lane = napcoll_node_map_lane(args->map, root);
        group->self = (group->self + group->members - group->lane) % group->members;
        group->first = rooted_first;
    }
    bundles = schedule_tree(&route, group, args->params.local_radix);
    first = group->first(group, group->self);
    make_room(&g, group->first(group, group->self + bundles) - first, 0);
    if (at_home) {
        take_nodes(&g);
    }
    napcoll_builder_next_stage(builder);
    emit(&g, &route, first);
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
    const int lanes = napcoll_port_lanes(args->map, args->params.tunable[0]);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_SLOTS, 1);
    napcoll_span_t *value = malloc((size_t) args->map->size * sizeof(*value));

    if (NULL == builder || NULL == value) {
        free(value);
        napcoll_builder_discard(builder);
        return NULL;
    }
    napcoll_gather_everywhere(builder, args, lanes, value);
    if (ranks > 0) {
        napcoll_builder_copy(builder, recvbuf, napcoll_exchange_combine(builder, ranks, 2, value));
    }
    free(value);
    return napcoll_builder_finish(builder);
}

/* The most messages inside a node of so many processes, whether it goes by a tree or not, in which nodes
 * may differ: a run that goes round the end is two. */
static int most_inside(int ppn, int radix)
{
    return ppn > radix ? 2 * (radix - 1) : ppn - 1;
}

napcoll_bounds_t napcoll_gathered_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params)
{
    const int lanes = napcoll_port_lanes(map, params->tunable[0]);
    const int inter = napcoll_port_load(map, lanes),
              inside = most_inside(map->max_ppn, params->local_radix);

    return (napcoll_bounds_t){.inter = inter, .all = inside > inter ? inside : inter};
}
