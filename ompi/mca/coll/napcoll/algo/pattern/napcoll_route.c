/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Routes (see the header).
 */

#include "algo/pattern/napcoll_route.h"

#include <stdlib.h>

#include "util/napcoll_order.h"

void napcoll_route_free(napcoll_route_t *route)
{
    free(route->move);
    *route = (napcoll_route_t){0};
}

void napcoll_route_move(napcoll_route_t *route, int stage, int peer, bool send, int first,
                        int count)
{
    if (0 == count) {
        return;
    }
    if (route->moves == route->capacity) {
        const int capacity = route->capacity > 0 ? 2 * route->capacity : 16;
        napcoll_move_t *more = realloc(route->move, (size_t) capacity * sizeof(*more));

        if (NULL == more) {
            route->failed = true;
            return;
        }
        route->move = more;
        route->capacity = capacity;
    }
    route->unsorted = route->unsorted
                      || (route->moves > 0 && route->move[route->moves - 1].stage > stage);
    route->move[route->moves++] = (napcoll_move_t){
        .stage = stage, .peer = peer, .send = send, .first = first, .count = count};
}

void napcoll_route_repeat(napcoll_route_t *route, int stage, int times)
{
    if (times > 1 && route->repeats < NAPCOLL_SKETCH_PARTS) {
        route->repeat[route->repeats].stage = stage;
        route->repeat[route->repeats++].times = times;
    }
}

int napcoll_route_times(const napcoll_route_t *route, int stage)
{
    for (int i = 0; i < route->repeats; i++) {
        if (stage == route->repeat[i].stage) {
            return route->repeat[i].times;
        }
    }
    return 1;
}

/* The route has at least this number of stages. */
static int reach(napcoll_route_t *route, int stages)
{
    route->stages = stages > route->stages ? stages : route->stages;
    return stages;
}

/* The first move of a stage or of later ones, where the moves are sorted. */
static int first_of(const napcoll_route_t *route, int stage)
{
    int low = 0, high = route->moves;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (route->move[middle].stage < stage) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int napcoll_route_range(const napcoll_route_t *route, int stage, int *from)
{
    *from = route->unsorted ? 0 : first_of(route, stage);
    return route->unsorted ? route->moves : first_of(route, stage + 1);
}

/* ---- patterns ---- */

void napcoll_route_run(napcoll_route_t *route, const napcoll_group_t *group, int stage, int peer,
                       bool send, int from, int count)
{
    const int members = group->members, end = from % members + count;
    const int first = napcoll_group_first(group, from % members);
    int blocks = napcoll_group_first(group, end < members ? end : members) - first, wrapped = 0;

    if (end > members) {
        wrapped = napcoll_group_first(group, end - members) - napcoll_group_first(group, 0);
    }
    if (group->cyclic) {
        blocks += wrapped;
        wrapped = 0;
    }
    napcoll_route_move(route, stage, peer, send, first, blocks);
    napcoll_route_move(route, stage, peer, send, napcoll_group_first(group, 0), wrapped);
}

/* Members whose blocks a member has after a scatter down the tree of radix 2: itself and the
 * next. */
static int scattered_to(const napcoll_group_t *group, int member)
{
    napcoll_group_t tree = *group;

    tree.self = member;
    tree.radix = 2;
    return napcoll_tree_subtree(&tree);
}

int napcoll_route_ring(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       bool scattered)
{
    const int n = group->members, self = group->self;
    const int next = (self + 1) % n, before = (self + n - 1) % n;
    const int own = scattered ? scattered_to(group, self) : 0;
    const int theirs = scattered ? scattered_to(group, next) : 0;

    for (int k = 0; k < n - 1; k++, stage++) {
        const int from = (before + n - k) % n, to = (self + n - k) % n;

        if (from < self || from >= self + own) {
            napcoll_route_run(route, group, stage, group->rank(group, before), false, from, 1);
        }
        if (to < next || to >= next + theirs) {
            napcoll_route_run(route, group, stage, group->rank(group, next), true, to, 1);
        }
    }
    return reach(route, stage);
}

int napcoll_route_bruck(napcoll_route_t *route, const napcoll_group_t *group, int stage, int radix)
{
    const int n = group->members, self = group->self;

    for (int have = 1; have < n; have = napcoll_split_widen(have, n, radix), stage++) {
        for (int j = 1; j < radix && j * have < n; j++) {
            const int away = j * have, run = n - away < have ? n - away : have;
            const int from = (self + away) % n, to = (self + n - away) % n;

            napcoll_route_run(route, group, stage, group->rank(group, from), false, from, run);
            napcoll_route_run(route, group, stage, group->rank(group, to), true, self, run);
        }
    }
    return reach(route, stage);
}

int napcoll_route_multiplying(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                              int radix)
{
    const int levels = napcoll_split_levels(group->members, radix);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);
        const int own = napcoll_split_part_first(&split, split.part);
        const int size = napcoll_split_part_size(&split, split.part);

        for (int away = 1; away < split.parts; away++) {
            const int part = (split.part + away) % split.parts;
            const int source = napcoll_split_source(&split, part);
            int target[2];
            const int targets = napcoll_split_targets(&split, part, target);

            napcoll_route_run(route, group, stage, group->rank(group, source), false,
                              napcoll_split_part_first(&split, part),
                              napcoll_split_part_size(&split, part));
            for (int t = 0; t < targets; t++) {
                napcoll_route_run(route, group, stage, group->rank(group, target[t]), true, own,
                                  size);
            }
        }
    }
    return reach(route, stage);
}

int napcoll_route_phase(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                        napcoll_phase_t phase, napcoll_block_range_t all, napcoll_block_range_t own)
{
    const int moves = route->moves;
    const int root = napcoll_scope_member(group->map, group->scope,
                                          group->rank(group, group->root));

    napcoll_route_move(route, stage, root, group->self == group->root, all.first, all.count);
    if (route->moves > moves) {
        route->move[moves].phase = phase;
        route->move[moves].scope = group->scope;
        route->move[moves].own = own;
    }
    return reach(route, stage + 1);
}

/* Gather the members' blocks at the root. */
static int gather_by_phase(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int begin = napcoll_group_first(group, 0);
    const int end = napcoll_group_first(group, group->members);
    const int first = napcoll_group_first(group, group->self);
    const int next = napcoll_group_first(group, group->self + 1);

    return napcoll_route_phase(route, group, stage, NAPCOLL_PHASE_GATHER,
                               (napcoll_block_range_t){.first = begin, .count = end - begin},
                               (napcoll_block_range_t){.first = first, .count = next - first});
}

int napcoll_route_tree(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       napcoll_route_direction_t direction, const napcoll_block_range_t *load)
{
    const bool down = NAPCOLL_ROUTE_DOWN == direction;
    const int levels = napcoll_tree_levels(group);

    if (napcoll_group_is_delegated(group) && down && NULL != load) {
        return napcoll_route_phase(route, group, stage, NAPCOLL_PHASE_BCAST, *load, *load);
    }
    if (napcoll_group_is_delegated(group) && !down) {
        return gather_by_phase(route, group, stage);
    }
    for (int i = 0; i < levels; i++, stage++) {
        const napcoll_tree_level_t at = napcoll_tree_level(group, down ? levels - i : i + 1);
        const napcoll_split_t *split = &at.split;

        /* Of a child the message with the head, of the head those with all other parts. */
        const int begin = at.is_child ? split->part : 0;
        const int end = at.is_head ? split->parts : begin + at.is_child;

        for (int part = begin; part < end; part++) {
            const int first = napcoll_split_part_first(split, part);
            const int size = napcoll_split_part_size(split, part);
            const int peer = at.is_head ? napcoll_split_head(first, size, group->root) : at.head;

            if (at.is_head && part == split->part) {
                continue;
            }
            if (NULL == load) {
                napcoll_route_run(route, group, stage, group->rank(group, peer), at.is_head == down,
                                  first, size);
            } else {
                napcoll_route_move(route, stage, group->rank(group, peer), at.is_head == down,
                                   load->first, load->count);
            }
        }
    }
    return reach(route, stage);
}

/* ---- emission ---- */

static void emit_message(napcoll_builder_t *builder, const napcoll_move_t *move,
                         napcoll_span_t span)
{
    if (NAPCOLL_PHASE_NONE != move->phase) {
        const napcoll_span_t own = {.buffer = span.buffer,
                                    .first = span.first + move->own.first - move->first,
                                    .count = move->own.count};

        napcoll_builder_phase(builder, move->scope, move->phase, move->peer, span, own);
    } else if (move->send) {
        napcoll_builder_send(builder, span, move->peer);
    } else {
        napcoll_builder_recv(builder, span, move->peer);
    }
}

void napcoll_route_emit(napcoll_builder_t *builder, const napcoll_route_t *route, int stage,
                        napcoll_span_t whole, int shift)
{
    int from, to = napcoll_route_range(route, stage, &from);

    if (route->failed) {
        napcoll_builder_fail(builder);
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];
        napcoll_span_t span = {
            .buffer = whole.buffer, .first = move->first + shift, .count = move->count};

        if (span.first < whole.first) {
            /* the buffer begins with another rank's block */
            span.first += whole.count;
        }
        if (stage == move->stage) {
            emit_message(builder, move, span);
        }
    }
}

static int by_stage(const void *a, const void *b)
{
    const napcoll_move_t *x = a, *y = b;

    return napcoll_order_pairs(x->stage, x->order, y->stage, y->order);
}

static void sort_moves(napcoll_route_t *route)
{
    if (!route->unsorted) {
        return;
    }
    for (int i = 0; i < route->moves; i++) {
        route->move[i].order = i;
    }
    qsort(route->move, (size_t) route->moves, sizeof(*route->move), by_stage);
    route->unsorted = false;
}

/* The sends, or receives, at one time: each of moves [from, to) for the segment that has reached
 * it. */
static void emit_moves(napcoll_builder_t *builder, const napcoll_move_t *from,
                       const napcoll_move_t *to, bool sends, int time, int buffer, int blocks)
{
    for (const napcoll_move_t *move = from; move < to; move++) {
        const napcoll_span_t span = {.buffer = buffer,
                                     .first = move->first + (time - move->stage) * blocks,
                                     .count = move->count};

        if (sends == move->send) {
            emit_message(builder, move, span);
        }
    }
}

/* The pipeline of moves [from, end), none of which is a phase. */
static void emit_pipeline(napcoll_builder_t *builder, const napcoll_route_t *route, int from,
                          int end, int buffer, int segments, int blocks)
{
    int to = from, time = 0;

    while (from < end) {
        time = from == to ? route->move[from].stage : time + 1;
        while (to < end && route->move[to].stage <= time) {
            to++;
        }
        while (from < to && route->move[from].stage + segments <= time) {
            from++;
        }
        emit_moves(builder, route->move + from, route->move + to, false, time, buffer, blocks);
        emit_moves(builder, route->move + from, route->move + to, true, time, buffer, blocks);
        napcoll_builder_next_stage(builder);
    }
}

void napcoll_route_emit_segments(napcoll_builder_t *builder, napcoll_route_t *route, int buffer,
                                 int segments, int blocks)
{
    const napcoll_span_t all = {.buffer = buffer, .count = segments * blocks};

    if (route->failed) {
        napcoll_builder_fail(builder);
        return;
    }
    sort_moves(route);
    for (int from = 0, to; from < route->moves; from = to + 1) {
        to = from;
        while (to < route->moves && NAPCOLL_PHASE_NONE == route->move[to].phase) {
            to++;
        }
        emit_pipeline(builder, route, from, to, buffer, segments, blocks);
        if (to < route->moves) {
            napcoll_builder_phase(builder, route->move[to].scope, route->move[to].phase,
                                  route->move[to].peer, all, all);
        }
    }
}
