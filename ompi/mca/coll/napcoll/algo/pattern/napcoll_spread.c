/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What allgather and reduce-scatter share (see the header).
 */

#include "algo/pattern/napcoll_spread.h"

#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_reduction.h"

/* ---- plans ---- */

/* Copy blocks [first, first + count) of a user's buffer to `there` in a room, or from it. */
static void copy_run(napcoll_builder_t *builder, napcoll_span_t there, int user, int first,
                     bool to_user)
{
    const napcoll_span_t here = {.buffer = user, .first = first, .count = there.count};

    if (to_user) {
        napcoll_builder_copy(builder, here, there);
    } else {
        napcoll_builder_copy(builder, there, here);
    }
}

/* Copy all blocks: first those from the room's first one on, then those before it. */
static void copy_all(napcoll_builder_t *builder, napcoll_span_t room, int user, bool to_user)
{
    napcoll_span_t run = room;

    run.count = room.count - room.first;
    copy_run(builder, run, user, room.first, to_user);
    if (room.first > 0) {
        run.first = room.count;
        run.count = room.first;
        copy_run(builder, run, user, 0, to_user);
    }
}

/* A block's span in a room. */
static napcoll_span_t block_in(napcoll_span_t room, int block)
{
    return (napcoll_span_t){.buffer = room.buffer,
                            .first = block < room.first ? block + room.count : block,
                            .count = 1};
}

static void emit_allgather(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                           const napcoll_route_t *route, napcoll_room_t room)
{
    const int size = args->map->size, own = napcoll_node_map_place(args->map, args->rank);
    const bool same_order = 0 == room.first && !napcoll_plan_args_scattered(args);
    const napcoll_span_t input = {
        .buffer = napcoll_plan_args_input_buffer(args), .first = own, .count = 1};
    napcoll_span_t whole = {.buffer = NAPCOLL_BUFFER_RECV, .count = size};

    if (!room.user && !same_order) {
        whole = napcoll_builder_temp(builder, room.first, size);
    }
    napcoll_builder_copy(builder, block_in(whole, own), input);
    napcoll_builder_next_stage(builder);
    for (int stage = 0; stage < route->stages; stage++) {
        napcoll_route_emit(builder, route, stage, whole, 0);
        napcoll_builder_repeat(builder, napcoll_route_times(route, stage));
        napcoll_builder_next_stage(builder);
    }
    if (NAPCOLL_BUFFER_RECV != whole.buffer) {
        copy_all(builder, whole, NAPCOLL_BUFFER_RECV, true);
    }
}

static void emit_reduce_scatter(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                                const napcoll_route_t *route, napcoll_room_t room)
{
    const int size = args->map->size, own = napcoll_node_map_place(args->map, args->rank);
    const napcoll_span_t result = {.buffer = NAPCOLL_BUFFER_RECV, .first = own, .count = 1};
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_SEND, .count = size};
    int input = NAPCOLL_BUFFER_SEND;
    napcoll_reduction_t reduction;

    if (!room.user) {
        home = napcoll_builder_temp(builder, room.first, size);
    }
    if (!room.user && napcoll_plan_args_scattered(args)) {
        copy_all(builder, home, NAPCOLL_BUFFER_SEND, false);
        napcoll_builder_next_stage(builder);
        input = home.buffer;
    }
    if (napcoll_reduction_begin(&reduction, builder, args, input, home, size)) {
        for (int stage = route->stages - 1; stage >= 0; stage--) {
            napcoll_reduction_emit(&reduction, route, stage, 0);
            napcoll_builder_repeat(builder, napcoll_route_times(route, stage));
            napcoll_builder_next_stage(builder);
        }
        napcoll_builder_copy(builder, result,
                             napcoll_reduction_settle(&reduction, block_in(home, own).first, 1));
    }
    napcoll_reduction_end(&reduction);
}

napcoll_plan_t *napcoll_spread_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                    napcoll_room_t room)
{
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS,
                                                           args->map->size);

    if (NULL != builder && NAPCOLL_GOAL_ALLGATHER == args->collective->goal) {
        emit_allgather(builder, args, route, room);
    } else if (NULL != builder) {
        emit_reduce_scatter(builder, args, route, room);
    }
    napcoll_route_free(route);
    return NULL == builder ? NULL : napcoll_builder_finish(builder);
}

/* ---- locality, leaders ---- */

/* A step: the node has the blocks of `have` nodes from its own on, round the end, and `lanes` lanes
 * fetch the blocks of the nodes up to `want`. */
typedef struct {
    /* The node's processes, with what lanes offset, offset + 1, ... fetch. It is first, for
     * run_block. */
    napcoll_group_t group;
    int offset;
    int have, want;
    int lanes;
    /* The most processes of a node that serve lanes. */
    int servers;
} step_t;

/* The distance of the first node whose blocks a lane fetches. */
static int run_start(const step_t *step, int lane)
{
    return step->have
           + napcoll_split_share_first(step->want - step->have, step->lanes,
                                       lane < step->lanes ? lane : step->lanes);
}

/* The first block of the node at a distance, counted on round the end. */
static int block_from(const napcoll_group_t *group, int away)
{
    const napcoll_node_map_t *map = group->map;
    const int node = group->node + away;

    return node <= map->nodes ? napcoll_node_map_first(map, node)
                              : map->size + napcoll_node_map_first(map, node - map->nodes);
}

static int run_block(const napcoll_group_t *group, int member)
{
    const step_t *step = (const step_t *) group;

    return block_from(group, run_start(step, step->offset + member));
}

static int servers_of(const step_t *step, int node)
{
    const int ppn = napcoll_node_map_ppn(step->group.map, node);

    return ppn < step->servers ? ppn : step->servers;
}

/* The process that serves a lane of a node. */
static int serving(const step_t *step, int node, int lane)
{
    return napcoll_node_map_rank(step->group.map, node, lane % servers_of(step, node));
}

/* Fetch the runs of this process's lanes, and send the own node's to the nodes that fetch them. */
static void fetch_runs(napcoll_route_t *route, const step_t *step, int stage)
{
    const napcoll_group_t *group = &step->group;
    const napcoll_node_map_t *map = group->map;
    const int own = block_from(group, 0), servers = servers_of(step, group->node);

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
        napcoll_route_move(route, stage, serving(step, to, lane), true, own,
                           block_from(group, run) - own);
    }
}

/* Gather at the node's leader blocks that are broadcast later. */
static int gather_at_leader(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int before = route->moves;

    stage = napcoll_route_tree(route, group, stage, NAPCOLL_ROUTE_UP, NULL);
    for (int i = before; i < route->moves; i++) {
        route->move[i].returns = true;
    }
    return stage;
}

/* Broadcast blocks from the node's leader, in the order of the hardware. */
static int bcast_from_leader(napcoll_route_t *route, const napcoll_plan_args_t *args, int stage,
                             int first, int count)
{
    const napcoll_group_t node = napcoll_group_node(args);
    const napcoll_block_range_t load = {.first = first, .count = count};

    return napcoll_route_tree(route, &node, stage, NAPCOLL_ROUTE_DOWN, &load);
}

/* Share what the lanes of a step fetched inside the node. Where there are more lanes than
 * processes, the runs of the lanes of one process go in the same stages. */
static int share_runs(napcoll_route_t *route, const napcoll_plan_args_t *args, step_t *step,
                      int stage)
{
    const napcoll_group_t *group = &step->group;
    const bool tree = args->params.local_tree;
    int end = stage, first;

    for (step->offset = 0; step->offset < step->lanes; step->offset += group->members) {
        end = tree ? gather_at_leader(route, group, stage)
                   : napcoll_route_multiplying(route, group, stage, group->radix);
    }
    step->offset = 0;
    first = napcoll_group_first(group, 0);
    return tree ? bcast_from_leader(route, args, end, first,
                                    napcoll_group_first(group, step->lanes) - first)
                : end;
}

/* Before the first step: each process of a node has its own block. */
static step_t first_step(const napcoll_plan_args_t *args, int servers)
{
    step_t step = {.group = napcoll_group_node_lanes(args, 0), .want = 1, .servers = servers};

    step.lanes = step.group.members;
    return step;
}

/* Go on to the next step, with `lanes` lanes at most; false: the node has all blocks. */
static bool next_step(step_t *step, int lanes)
{
    const int nodes = step->group.map->nodes;

    if (step->want >= nodes) {
        return false;
    }
    step->group.first = run_block;
    step->have = step->want;
    step->want = napcoll_split_widen(step->have, nodes, lanes + 1);
    step->lanes = step->want - step->have < lanes ? step->want - step->have : lanes;
    return true;
}

static napcoll_room_t room_from_own_node(const napcoll_plan_args_t *args)
{
    const int node = napcoll_node_map_node(args->map, args->rank);

    return (napcoll_room_t){.first = napcoll_node_map_first(args->map, node)};
}

napcoll_plan_t *napcoll_spread_locality(const napcoll_plan_args_t *args)
{
    const int lanes = napcoll_port_lanes(args->map, args->params.tunable[0]);
    napcoll_route_t route = {0};
    step_t step = first_step(args, args->map->max_ppn);
    int stage = share_runs(&route, args, &step, 0);

    while (next_step(&step, lanes)) {
        fetch_runs(&route, &step, stage);
        stage = share_runs(&route, args, &step, stage + 1);
    }
    route.stages = stage;
    return napcoll_spread_plan(args, &route, room_from_own_node(args));
}

/* A process of the smallest node serves the most lanes. */
napcoll_bounds_t napcoll_spread_locality_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int radix = params->local_radix;
    const int inter = napcoll_port_load(map, napcoll_port_lanes(map, params->tunable[0]));

    return napcoll_bounds_either(inter, inter * napcoll_min(map->max_ppn - 1, radix));
}

/* Between leaders: in steps, or by another component's allgatherv, for which rooms are alike. */
static int exchange_of_leaders(napcoll_route_t *route, const napcoll_plan_args_t *args,
                               step_t *step, int stage)
{
    const napcoll_group_t leaders = napcoll_group_leaders(args);
    const napcoll_block_range_t own = {.first = block_from(&step->group, 0),
                                       .count = step->group.members};

    if (!napcoll_group_is_delegated(&leaders)) {
        while (next_step(step, napcoll_params_radix(&args->params) - 1)) {
            fetch_runs(route, step, stage++);
        }
        return stage;
    }
    if (0 == step->group.self) {
        (void) napcoll_route_phase(route, &leaders, stage, NAPCOLL_PHASE_SHARE,
                                   (napcoll_block_range_t){.count = args->map->size}, own);
    }
    return stage + 1;
}

napcoll_plan_t *napcoll_spread_leaders(const napcoll_plan_args_t *args)
{
    const napcoll_room_t alike = {.first = 0};
    const napcoll_room_t room = napcoll_plan_args_delegates(args, NAPCOLL_SCOPE_LEADERS)
                                    ? alike
                                    : room_from_own_node(args);
    napcoll_route_t route = {0};
    step_t step = first_step(args, 1);
    int stage = gather_at_leader(&route, &step.group, 0);

    stage = exchange_of_leaders(&route, args, &step, stage);
    route.stages = bcast_from_leader(&route, args, stage, room.first, args->map->size);
    return napcoll_spread_plan(args, &route, room);
}

/* ---- lane ring ---- */

/* The first block of a lane's bundle on a node. */
static int bundle_first(const napcoll_node_map_t *map, int node, int lane)
{
    return napcoll_node_map_first(map, node)
           + napcoll_split_share_first(napcoll_node_map_ppn(map, node), map->min_ppn, lane);
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
    const int each = napcoll_plan_args_scattered(args) ? 1 : blocks;

    for (int b = 0; b < blocks; b += each) {
        napcoll_route_move(route, stage, peer, send, first + b, each);
    }
}

/* Each lane sends its bundle of the node that is `back` nodes before this one to the others. */
static void share_bundles(napcoll_route_t *route, const napcoll_plan_args_t *args,
                          const napcoll_group_t *group, int stage, int back)
{
    const int lanes = args->map->min_ppn, self = group->self, members = group->members;

    for (int away = 1; away < members; away++) {
        const int from = (self + away) % members, to = (self + members - away) % members;

        if (from < lanes) {
            pass_bundle(route, args, stage, group->rank(group, from), false, back, from);
        }
        if (self < lanes) {
            pass_bundle(route, args, stage, group->rank(group, to), true, back, self);
        }
    }
}

napcoll_plan_t *napcoll_spread_lane_ring(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_group_t own = napcoll_group_node_lanes(args, 0);
    const int nodes = map->nodes, lane = own.self;
    const int before = (own.node + nodes - 1) % nodes, next = (own.node + 1) % nodes;
    int stage = own.members > map->min_ppn ? 1 : 0;
    napcoll_route_t route = {0};

    (void) napcoll_route_bruck(&route, &own, 0, own.members > 2 ? own.members : 2);
    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, nodes, 1); at.stage < nodes;
         napcoll_sketch_next(&at), stage++) {
        const int back = at.stage;

        if (lane < map->min_ppn && back < nodes - 1) {
            pass_bundle(&route, args, stage, napcoll_node_map_rank(map, before, lane), false,
                        back + 1, lane);
            pass_bundle(&route, args, stage, napcoll_node_map_rank(map, next, lane), true, back,
                        lane);
        }
        if (back > 0) {
            share_bundles(&route, args, &own, stage, back);
        }
        napcoll_route_repeat(&route, stage, at.times);
    }
    route.stages = stage;
    return napcoll_spread_plan(args, &route, (napcoll_room_t){.user = true});
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
