/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Circulant graphs (see the header).
 */

#include "algo/pattern/napcoll_circulant.h"

#include "algo/pattern/napcoll_bcast_tree.h"
#include "algo/pattern/napcoll_lanes.h"
#include "algo/pattern/napcoll_reduction.h"

/* ---- schedules ---- */

static void set_skips(napcoll_circulant_t *graph, int members)
{
    graph->members = members;
    graph->levels = napcoll_split_levels(members, 2);
    graph->skip[graph->levels] = members;
    for (int k = graph->levels - 1; k >= 0; k--) {
        graph->skip[k] = graph->skip[k + 1] / 2 + graph->skip[k + 1] % 2;
    }
}

int napcoll_circulant_base(const napcoll_circulant_t *graph, int member)
{
    for (int k = graph->levels - 1; k >= 0 && member > 0; k--) {
        if (member >= graph->skip[k]) {
            member -= graph->skip[k];
            if (0 == member) {
                return k;
            }
        }
    }
    return graph->levels;
}

/* The search for a receive schedule. The member is at place p + r; places are sums of skips with
 * falling indices, the first of which may be q. Round k takes an index that is left, the largest of
 * a last index of a sum at a place from skip[k] to skip[k + 1] before the member. */
typedef struct {
    const napcoll_circulant_t *graph;
    int64_t goal;
    /* a set of indices, one bit each */
    uint64_t left;
    /* the place found last: the others are before it */
    int64_t bound;
    int round;
    /* stop before this one */
    int rounds;
    int *index;
} search_t;

/* The largest index of a set, or -1. */
static int last_of(uint64_t set)
{
    int index = -1;

    for (; set > 0; set /= 2) {
        index++;
    }
    return index;
}

/* Where the places of the current round end, and, for the next one, where they begin. */
static int64_t end_of(const search_t *search, int round)
{
    return search->goal - search->graph->skip[round];
}

/* Search places that are `place` and skips with indices below `below`. */
static void search_from(search_t *search, int64_t place, int below)
{
    for (int e = last_of(search->left & ((UINT64_C(1) << below) - 1));
         e >= 0 && search->round < search->rounds;
         e = last_of(search->left & ((UINT64_C(1) << e) - 1))) {
        const int64_t next = place + search->graph->skip[e];

        if (next > end_of(search, search->round) || next >= search->bound) {
            continue;
        }
        if (next <= end_of(search, search->round + 1)) {
            search_from(search, next, e);
        }
        if (search->round == search->rounds || place > end_of(search, search->round + 1)) {
            return;
        }
        search->bound = next;
        search->index[search->round++] = e;
        search->left &= ~(UINT64_C(1) << e);
    }
}

/* The first `rounds` entries of a member's receive schedule. */
static void find_receives(const napcoll_circulant_t *graph, int member, int rounds, int *receive)
{
    const int q = graph->levels, base = napcoll_circulant_base(graph, member);
    search_t search = {.graph = graph,
                       .goal = (int64_t) graph->members + member,
                       .left = ((UINT64_C(2) << q) - 1) & ~(UINT64_C(1) << base),
                       .bound = INT64_MAX,
                       .rounds = rounds,
                       .index = receive};

    search_from(&search, 0, q + 1);
    for (int k = 0; k < rounds; k++) {
        receive[k] = q == receive[k] ? base : receive[k] - q;
    }
}

/* The same of a send schedule, by cutting the members at skip[k], from above. The lower ones send
 * to the upper ones at their places, if these exist, what came to themselves last; the upper ones
 * send what round k brought them. Other entries, one or two, are looked up at the receiver. */
static void find_sends(const napcoll_circulant_t *graph, int member, int *send)
{
    const int q = graph->levels, base = napcoll_circulant_base(graph, member);
    int place = member, end = graph->members, segment = base;

    for (int k = q - 1; k > 0; k--) {
        const int skip = graph->skip[k];
        bool follows = place + skip < end;

        if (place >= skip) {
            follows = place > skip;
            segment = k - q;
            place -= skip;
            end -= skip;
        } else if (end > skip) {
            end = skip;
        }
        send[k] = segment;
        if (!follows) {
            int receive[NAPCOLL_CIRCULANT_LEVELS];

            find_receives(graph, (int) (((int64_t) member + skip) % graph->members), k + 1,
                          receive);
            send[k] = receive[k];
        }
    }
    send[0] = base - q;
}

napcoll_circulant_t napcoll_circulant_of(int members, int member)
{
    napcoll_circulant_t graph = {.members = 0};

    set_skips(&graph, members);
    find_receives(&graph, member, graph.levels, graph.receive);
    if (member > 0) {
        find_sends(&graph, member, graph.send);
    }
    for (int k = 0; k < graph.levels && 0 == member; k++) {
        graph.send[k] = k;
    }
    return graph;
}

int napcoll_circulant_rounds(int members, int segments)
{
    return members < 2 ? 0 : segments - 1 + napcoll_split_levels(members, 2);
}

int napcoll_circulant_segment(const napcoll_circulant_t *graph, const int *schedule, int round,
                              int segments, int *skip)
{
    const int q = graph->levels;
    /* the first turn lacks its first rounds, so that the last one is full */
    const int k = (round + q - (segments - 1) % q) % q;

    *skip = graph->skip[k];
    return napcoll_max(-1, napcoll_min(schedule[k] + round - k, segments - 1));
}

/* ---- routes ---- */

/* This process's messages of one round. */
static void add_round(napcoll_route_t *route, const napcoll_group_t *group,
                      const napcoll_circulant_t *graph, int stage, int round, int segments,
                      int first)
{
    const int p = group->members, self = group->self;
    int skip;
    const int in = napcoll_circulant_segment(graph, graph->receive, round, segments, &skip);
    const int out = napcoll_circulant_segment(graph, graph->send, round, segments, &skip);
    const int from = (self + p - skip) % p, to = (int) (((int64_t) self + skip) % p);

    if (in >= 0 && 0 != self) {
        napcoll_route_move(route, stage, group->rank(group, from), false, first + in, 1);
    }
    if (out >= 0 && 0 != to) {
        napcoll_route_move(route, stage, group->rank(group, to), true, first + out, 1);
    }
}

void napcoll_circulant_bcast(napcoll_route_t *route, const napcoll_group_t *group, int segments)
{
    const napcoll_circulant_t graph = napcoll_circulant_of(group->members, group->self);
    const int rounds = napcoll_circulant_rounds(group->members, segments);

    for (int round = 0; round < rounds; round++) {
        add_round(route, group, &graph, round, round, segments, 0);
    }
    route->stages = rounds;
}

void napcoll_circulant_allgather(napcoll_route_t *route, const napcoll_group_t *group)
{
    napcoll_circulant_t graph = {.members = 0};
    const int p = group->members, self = group->self;

    set_skips(&graph, p);
    for (int k = 0; k < graph.levels; k++) {
        const int skip = graph.skip[k], blocks = graph.skip[k + 1] - skip;
        const int from = (int) (((int64_t) self + skip) % p), to = (self + p - skip) % p;

        napcoll_route_run(route, group, k, group->rank(group, from), false, from, blocks);
        napcoll_route_run(route, group, k, group->rank(group, to), true, self, blocks);
    }
    route->stages = graph.levels;
}

/* ---- lanes ---- */

/* The segment that a node's lanes share in a stage: on the root's node the one dealt before, on
 * others the one that came before. -1: none. */
static int shared_at(const napcoll_circulant_t *graph, const napcoll_group_t *nodes, int stage,
                     int segments)
{
    const int rounds = napcoll_circulant_rounds(nodes->members, segments), round = stage - 2;
    int skip;

    if (0 == nodes->self) {
        return stage <= segments ? stage - 1 : -1;
    }
    return round < 0 || round >= rounds
               ? -1
               : napcoll_circulant_segment(graph, graph->receive, round, segments, &skip);
}

void napcoll_circulant_lanes(napcoll_route_t *route, const napcoll_plan_args_t *args, int segments)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t node = napcoll_group_dfs_node(&dfs, args->rank, args->params.local_radix);
    const napcoll_group_t nodes = napcoll_group_dfs_nodes(&dfs, args->rank, node.self);
    const napcoll_circulant_t graph = napcoll_circulant_of(nodes.members, nodes.self);
    const int lanes = napcoll_slice_lanes(args->map);
    const int rounds = napcoll_circulant_rounds(nodes.members, segments);
    const bool on_root_node = 0 == nodes.self;

    route->stages = rounds > 0 ? rounds + 2 : segments + 1;
    for (int stage = 0; stage < route->stages; stage++) {
        const int shared = shared_at(&graph, &nodes, stage, segments);

        if (on_root_node && stage < segments) {
            napcoll_slice_deal(route, &node, lanes, stage, stage, segments);
        }
        if (node.self < lanes && stage > 0 && stage <= rounds) {
            add_round(route, &nodes, &graph, stage, stage - 1, segments, node.self * segments);
        }
        if (shared >= 0) {
            napcoll_slice_share(route, &node, lanes, stage, shared, segments, on_root_node);
        }
    }
}

/* A segment is dealt, the one before is between nodes, and one is shared. */
napcoll_bounds_t napcoll_circulant_lanes_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int dealt = napcoll_slice_lanes(map) - 1, shared = map->max_ppn - 1;
    const int inter = map->nodes > 1 ? 1 : 0;
    const int all = napcoll_params_segments(params) > 1 ? dealt + inter + shared
                                                        : napcoll_max(dealt, inter + shared);

    return (napcoll_bounds_t){.inter = 1, .all = napcoll_max(all, 1)};
}

napcoll_hops_t napcoll_circulant_lanes_hops(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int lanes = napcoll_slice_lanes(map);

    (void) params;
    return (napcoll_hops_t){
        .network = napcoll_split_levels(map->nodes, 2), .local = 2 * (lanes - 1), .lanes = lanes};
}

/* ---- plans ---- */

napcoll_hops_t napcoll_circulant_hops(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    (void) params;
    return napcoll_bcast_tree_hops(NAPCOLL_BCAST_TREE_BINOMIAL, map);
}

napcoll_plan_t *napcoll_circulant_bcast_plan(const napcoll_plan_args_t *args,
                                             napcoll_route_t *route, int blocks)
{
    napcoll_plan_args_t whole = *args;

    /* segments are blocks of the route, not routes that follow each other */
    whole.params.segments = 1;
    return napcoll_bcast_tree_plan(&whole, route, blocks);
}

napcoll_plan_t *napcoll_circulant_reduce_plan(const napcoll_plan_args_t *args,
                                              napcoll_route_t *route, int blocks)
{
    const napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = blocks};
    const int input = napcoll_plan_args_input_buffer(args);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, blocks);
    napcoll_reduction_t reduction;

    if (NULL != builder) {
        napcoll_builder_claim_recvbuf(builder);
        if (napcoll_reduction_begin(&reduction, builder, args, input, home, blocks)) {
            reduction.direct = napcoll_plan_args_takes(args) && input != home.buffer;
            for (int stage = route->stages - 1; stage >= 0; stage--) {
                napcoll_reduction_emit(&reduction, route, stage, 0);
                napcoll_builder_next_stage(builder);
            }
            if (napcoll_plan_args_takes(args)) {
                napcoll_reduction_home(&reduction, 0, blocks);
            }
        }
        napcoll_reduction_end(&reduction);
    }
    napcoll_route_free(route);
    return NULL == builder ? NULL : napcoll_builder_finish(builder);
}
