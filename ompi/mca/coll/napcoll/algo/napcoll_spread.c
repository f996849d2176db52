/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What allgather and reduce-scatter share (see the header).
 */

#include "algo/napcoll_spread.h"

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_split.h"

/* ---- plans ---- */

/* Copy a user's buffer of all blocks to a room, or back: blocks from the room's first one on, then
 * those before it. */
static void copy_all(napcoll_builder_t *builder, napcoll_span_t room, int user, bool back)
{
    const int size = room.count, head = size - room.first;
    napcoll_span_t there = room, here = {.buffer = user, .first = room.first, .count = head};

    there.count = head;
    napcoll_builder_copy(builder, back ? here : there, back ? there : here);
    if (room.first > 0) {
        there.first = size;
        here.first = 0;
        there.count = here.count = room.first;
        napcoll_builder_copy(builder, back ? here : there, back ? there : here);
    }
}

/* A block's number in a room. */
static int number_in(napcoll_span_t room, int block)
{
    return block < room.first ? block + room.count : block;
}

napcoll_plan_t *napcoll_spread_gather(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                      napcoll_room_t room)
{
    const int size = args->map->size, own = napcoll_node_map_place(args->map, args->rank);
    const bool alike = 0 == room.first && !napcoll_plan_args_scattered(args);
    const napcoll_span_t input = {
        .buffer = napcoll_plan_args_input_buffer(args), .first = own, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size);
    napcoll_span_t whole = {.buffer = NAPCOLL_BUFFER_RECV, .count = size}, mine;

    if (NULL == builder) {
        napcoll_route_free(route);
        return NULL;
    }
    if (!room.user && !alike) {
        whole = napcoll_builder_temp(builder, room.first, size);
    }
    mine = (napcoll_span_t){.buffer = whole.buffer, .first = number_in(whole, own), .count = 1};
    napcoll_builder_copy(builder, mine, input);
    napcoll_builder_next_stage(builder);
    for (int stage = 0; stage < route->stages; stage++) {
        napcoll_route_gather(builder, route, stage, whole, 0);
        napcoll_builder_repeat(builder, napcoll_route_times(route, stage));
        napcoll_builder_next_stage(builder);
    }
    if (NAPCOLL_BUFFER_RECV != whole.buffer) {
        copy_all(builder, whole, NAPCOLL_BUFFER_RECV, true);
    }
    napcoll_route_free(route);
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_spread_reduce(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                      napcoll_room_t room)
{
    const int size = args->map->size, own = napcoll_node_map_place(args->map, args->rank);
    const napcoll_span_t result = {.buffer = NAPCOLL_BUFFER_RECV, .first = own, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size);
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_SEND, .count = size};
    int input = NAPCOLL_BUFFER_SEND;
    napcoll_reduction_t reduction;

    if (NULL == builder) {
        napcoll_route_free(route);
        return NULL;
    }
    if (!room.user) {
        home = napcoll_builder_temp(builder, room.first, size);
    }
    if (!room.user && napcoll_plan_args_scattered(args)) {
        copy_all(builder, home, NAPCOLL_BUFFER_SEND, false);
        napcoll_builder_next_stage(builder);
        input = home.buffer; /* runs of blocks are sent as they lie there */
    }
    if (napcoll_reduction_begin(&reduction, builder, args, input, home, size)) {
        for (int stage = route->stages - 1; stage >= 0; stage--) {
            napcoll_reduction_stage(&reduction, route, stage, 0);
            napcoll_builder_repeat(builder, napcoll_route_times(route, stage));
            napcoll_builder_next_stage(builder);
        }
        napcoll_builder_copy(builder, result,
                             napcoll_reduction_settle(&reduction, number_in(home, own), 1));
    }
    napcoll_reduction_end(&reduction);
    napcoll_route_free(route);
    return napcoll_builder_finish(builder);
}

/* ---- places ---- */

static int place_rank(const napcoll_group_t *group, int place)
{
    return napcoll_node_map_at(group->map, place);
}

static int place_block(const napcoll_group_t *group, int place)
{
    (void) group;
    return place;
}

napcoll_group_t napcoll_spread_places(const napcoll_plan_args_t *args)
{
    return (napcoll_group_t){.members = args->map->size,
                             .self = napcoll_node_map_place(args->map, args->rank),
                             .rank = place_rank,
                             .first = place_block,
                             .map = args->map};
}

/* ---- inside a node ---- */

static int local_rank(const napcoll_group_t *group, int lane)
{
    return napcoll_node_map_rank(group->map, group->node, lane);
}

static int local_block(const napcoll_group_t *group, int lane)
{
    return napcoll_node_map_first(group->map, group->node) + lane;
}

/* The processes of this node, each with its block. */
static napcoll_group_t processes_of_node(const napcoll_plan_args_t *args)
{
    const int node = napcoll_node_map_node(args->map, args->rank);

    return (napcoll_group_t){.members = napcoll_node_map_ppn(args->map, node),
                             .self = napcoll_node_map_lane(args->map, args->rank),
                             .rank = local_rank,
                             .first = local_block,
                             .map = args->map,
                             .node = node};
}

/* Gather the members' bundles at the first one, along the balanced split; all are handed out later. */
static int gather_at_leader(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                            int radix)
{
    const int levels = napcoll_split_levels(group->members, radix);
    const int before = route->moves;

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        if (0 != split.position) {
            continue; /* sent on an earlier level */
        }
        if (0 != split.part) {
            napcoll_route_run(route, group, stage, group->rank(group, split.first), true,
                              group->self, napcoll_split_part_size(&split, split.part));
        }
        for (int part = 1; 0 == split.part && part < split.parts; part++) {
            const int from = napcoll_split_part_first(&split, part);

            napcoll_route_run(route, group, stage, group->rank(group, from), false, from,
                              napcoll_split_part_size(&split, part));
        }
    }
    for (int i = before; i < route->moves; i++) {
        route->move[i].returns = true;
    }
    return stage;
}

/* Hand blocks from the node's leader to all its processes by a tree, in the hardware's order. */
static int hand_out(napcoll_route_t *route, const napcoll_plan_args_t *args, int stage, int first,
                    int count)
{
    const napcoll_party_t party = napcoll_party_node(args);

    for (int level = napcoll_split_levels(party.processes, party.radix); level >= 1;
         level--, stage++) {
        const napcoll_split_t split = napcoll_split_at(party.processes, party.radix, level,
                                                       party.self);

        if (0 == split.position && 0 != split.part) {
            napcoll_route_move(route, stage, party.rank(&party, split.first), false, first, count);
        }
        for (int part = 1; 0 == split.position && 0 == split.part && part < split.parts; part++) {
            napcoll_route_move(route, stage,
                               party.rank(&party, napcoll_split_part_first(&split, part)), true,
                               first, count);
        }
    }
    return stage;
}

/* Share the runs of so many lanes inside the node. Where there are more lanes than processes, a process
 * has those of several, which go in the same stages. */
static int share(napcoll_route_t *route, const napcoll_plan_args_t *args, napcoll_group_t *group,
                 int lanes, int stage)
{
    const int radix = args->params.local_radix;
    const bool tree = args->params.local_tree;
    int end = stage, first;

    for (group->base = 0; group->base < lanes; group->base += group->members) {
        end = tree ? gather_at_leader(route, group, stage, radix)
                   : napcoll_route_multiplying(route, group, stage, radix);
    }
    group->base = 0;
    first = group->first(group, 0);
    return tree ? hand_out(route, args, end, first, group->first(group, lanes) - first) : end;
}

/* ---- locality ---- */

/* A step: the node has the blocks of `have` nodes from its own on, round the end, and `lanes` lanes fetch
 * those of the nodes up to `want`. */
typedef struct {
    napcoll_group_t group; /* the node's processes, with what lanes base, base + 1, ... fetch; it is
                              first here, for run_block */
    int have, want;
    int lanes;
    int servers; /* processes of a node that the lanes are shared out to, at most */
} step_t;

static int servers_of(const step_t *step, int node)
{
    const int ppn = napcoll_node_map_ppn(step->group.map, node);

    return ppn < step->servers ? ppn : step->servers;
}

/* The first of `items` that part `part` of `parts` gets, as evenly as can be. */
static int even_share(int items, int parts, int part)
{
    const int larger = items % parts;

    return part * (items / parts) + (part < larger ? part : larger);
}

/* How far away the first node is whose blocks a lane fetches. */
static int run_start(const step_t *step, int lane)
{
    return step->have
           + even_share(step->want - step->have, step->lanes,
                        lane < step->lanes ? lane : step->lanes);
}

/* The first block of the node that is so far away, counted on round the end. */
static int block_from(const napcoll_group_t *group, int away)
{
    const napcoll_node_map_t *map = group->map;
    const int node = group->node + away;

    return node <= map->nodes ? napcoll_node_map_first(map, node)
                              : map->size + napcoll_node_map_first(map, node - map->nodes);
}

static int run_block(const napcoll_group_t *group, int member)
{
    return block_from(group, run_start((const step_t *) group, group->base + member));
}

/* The process that serves a lane of a node. */
static int serving(const step_t *step, int node, int lane)
{
    return napcoll_node_map_rank(step->group.map, node, lane % servers_of(step, node));
}

/* Fetch the runs of this process's lanes, and give the other nodes theirs: both ends of a run are as many
 * nodes apart on every node. */
static void fetch_runs(napcoll_route_t *route, const step_t *step, int stage)
{
    const napcoll_group_t *group = &step->group;
    const napcoll_node_map_t *map = group->map;
    const int mine = block_from(group, 0), servers = servers_of(step, group->node);

    if (group->self >= servers) {
        return;
    }
    for (int lane = group->self; lane < step->lanes; lane += servers) {
        const int away = run_start(step, lane), run = run_start(step, lane + 1) - away;
        const int from = (group->node + away) % map->nodes;
        const int to = (group->node + map->nodes - away) % map->nodes;
        const int first = block_from(group, away);

        napcoll_route_move(route, stage, serving(step, from, lane), false, first,
                           block_from(group, away + run) - first);
        napcoll_route_move(route, stage, serving(step, to, lane), true, mine,
                           block_from(group, run) - mine);
    }
}

/* Before the first step: a node has its own blocks. */
static step_t first_step(const napcoll_plan_args_t *args, int servers)
{
    step_t step = {.group = processes_of_node(args), .want = 1, .servers = servers};

    step.group.first = run_block;
    return step;
}

/* Go on to the next step, with so many lanes at most; false: the node has all blocks. */
static bool next_step(step_t *step, int lanes)
{
    const int nodes = step->group.map->nodes;

    if (step->want >= nodes) {
        return false;
    }
    step->have = step->want;
    step->want = napcoll_split_widen(step->have, nodes, lanes + 1);
    step->lanes = step->want - step->have < lanes ? step->want - step->have : lanes;
    return true;
}

void napcoll_spread_locality(napcoll_route_t *route, const napcoll_plan_args_t *args, int lanes)
{
    napcoll_group_t own = processes_of_node(args);
    step_t step = first_step(args, args->map->max_ppn);
    int stage = share(route, args, &own, own.members, 0);

    while (next_step(&step, lanes)) {
        fetch_runs(route, &step, stage);
        stage = share(route, args, &step.group, step.lanes, stage + 1);
    }
    route->stages = stage;
}

void napcoll_spread_leaders(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix)
{
    const napcoll_group_t own = processes_of_node(args);
    step_t step = first_step(args, 1);
    int stage = gather_at_leader(route, &own, 0, args->params.local_radix);

    while (next_step(&step, radix - 1)) {
        fetch_runs(route, &step, stage++);
    }
    route->stages = hand_out(route, args, stage, block_from(&own, 0), own.map->size);
}

/* One message to or from each other part, of nodes and inside the node. */
napcoll_bounds_t napcoll_spread_leaders_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params, int radix)
{
    const int parts = params->local_radix < map->max_ppn ? params->local_radix : map->max_ppn;

    return (napcoll_bounds_t){.inter = radix - 1, .all = (parts > radix ? parts : radix) - 1};
}

napcoll_room_t napcoll_spread_locality_room(const napcoll_plan_args_t *args)
{
    const int node = napcoll_node_map_node(args->map, args->rank);

    return (napcoll_room_t){.first = napcoll_node_map_first(args->map, node)};
}

/* A process of the smallest node serves the most lanes. */
napcoll_bounds_t napcoll_spread_locality_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params, int lanes)
{
    const int radix = params->local_radix;
    const int inter = napcoll_port_load(map, lanes);
    const int local = inter * (map->max_ppn <= radix ? map->max_ppn - 1 : radix);

    return (napcoll_bounds_t){.inter = inter, .all = local > inter ? local : inter};
}

/* ---- lane ring ---- */

/* The first block of a lane's bundle on a node. */
static int bundle_first(const napcoll_node_map_t *map, int node, int lane)
{
    return napcoll_node_map_first(map, node)
           + even_share(napcoll_node_map_ppn(map, node), map->min_ppn, lane);
}

/* A message of a lane's bundle of the node that is `back` nodes before this one. */
static void pass_bundle(napcoll_route_t *route, const napcoll_plan_args_t *args, int stage,
                        int peer, bool send, int back, int lane)
{
    const napcoll_node_map_t *map = args->map;
    const int self = napcoll_node_map_node(map, args->rank);
    const int node = (self + map->nodes - back) % map->nodes;
    const int first = bundle_first(map, node, lane);
    const int blocks = bundle_first(map, node, lane + 1) - first;
    const int piece = napcoll_plan_args_scattered(args) ? 1 : blocks;

    for (int b = 0; b < blocks; b += piece) {
        napcoll_route_move(route, stage, peer, send, first + b, piece);
    }
}

/* Each lane's bundle of the node that is `back` nodes before this one, to the others of the node. */
static void hand_bundles(napcoll_route_t *route, const napcoll_plan_args_t *args,
                         const napcoll_group_t *group, int stage, int back)
{
    const int lanes = args->map->min_ppn, self = group->self, members = group->members;

    for (int away = 1; away < members; away++) {
        const int from = (self + away) % members, to = (self + members - away) % members;

        if (from < lanes) {
            pass_bundle(route, args, stage, local_rank(group, from), false, back, from);
        }
        if (self < lanes) {
            pass_bundle(route, args, stage, local_rank(group, to), true, back, self);
        }
    }
}

void napcoll_spread_lane_ring(napcoll_route_t *route, const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_group_t own = processes_of_node(args);
    const int nodes = map->nodes, lane = own.self;
    const int start = own.members > map->min_ppn ? 1 : 0;
    const int before = (own.node + nodes - 1) % nodes, next = (own.node + 1) % nodes;
    int stage = start;

    (void) napcoll_route_direct(route, &own, 0);
    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, nodes, 1); at.stage < nodes;
         napcoll_sketch_next(&at), stage++) {
        const int back = at.stage;

        if (lane < map->min_ppn && back < nodes - 1) {
            pass_bundle(route, args, stage, napcoll_node_map_rank(map, before, lane), false,
                        back + 1, lane);
            pass_bundle(route, args, stage, napcoll_node_map_rank(map, next, lane), true, back,
                        lane);
        }
        if (back > 0) {
            hand_bundles(route, args, &own, stage, back);
        }
        napcoll_route_repeat(route, stage, at.times);
    }
    route->stages = stage;
}

/* A bundle goes to the next node and to the others of the own one at once. */
napcoll_bounds_t napcoll_spread_lane_ring_bounds(const napcoll_node_map_t *map, bool scattered)
{
    const int bundle = scattered ? (map->max_ppn + map->min_ppn - 1) / map->min_ppn : 1;

    if (1 == map->nodes) {
        return (napcoll_bounds_t){.inter = 1, .all = map->max_ppn > 1 ? map->max_ppn - 1 : 1};
    }
    return (napcoll_bounds_t){.inter = bundle, .all = bundle * map->max_ppn};
}
