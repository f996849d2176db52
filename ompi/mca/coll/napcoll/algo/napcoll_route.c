/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Routes (see the header).
 */

#include "algo/napcoll_route.h"

#include <stdlib.h>

#include "algo/napcoll_split.h"
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
    if (route->moves == route->room) {
        int room = route->room > 0 ? 2 * route->room : 16;
        napcoll_move_t *more = realloc(route->move, (size_t) room * sizeof(*more));

        if (NULL == more) {
            route->failed = true;
            return;
        }
        route->move = more;
        route->room = room;
    }
    route->mixed = route->mixed
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

/* A route has so many stages at least. */
static int reach(napcoll_route_t *route, int stages)
{
    route->stages = stages > route->stages ? stages : route->stages;
    return stages;
}

/* The first move that is not of a stage before this one, where moves stand in order. */
static int first_of(const napcoll_route_t *route, int stage)
{
    int low = 0, high = route->moves;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (route->move[middle].stage < stage) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Moves [*from, returned) have all those of a stage among them. */
static int range_of(const napcoll_route_t *route, int stage, int *from)
{
    *from = route->mixed ? 0 : first_of(route, stage);
    return route->mixed ? route->moves : first_of(route, stage + 1);
}

void napcoll_route_run(napcoll_route_t *route, const napcoll_group_t *group, int stage, int peer,
                       bool send, int from, int count)
{
    const int members = group->members, a = from % members, end = a + count;
    const int first = group->first(group, a);

    if (end <= members) {
        napcoll_route_move(route, stage, peer, send, first, group->first(group, end) - first);
        return;
    }
    if (group->cyclic) {
        napcoll_route_move(route, stage, peer, send, first,
                           group->first(group, members) - first
                               + group->first(group, end - members));
        return;
    }
    napcoll_route_move(route, stage, peer, send, first, group->first(group, members) - first);
    napcoll_route_move(route, stage, peer, send, group->first(group, 0),
                       group->first(group, end - members) - group->first(group, 0));
}

int napcoll_route_ring(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int n = group->members, self = group->self;
    const int next = (self + 1) % n, before = (self + n - 1) % n;

    for (int k = 0; k < n - 1; k++, stage++) {
        napcoll_route_run(route, group, stage, group->rank(group, before), false, before + n - k,
                          1);
        napcoll_route_run(route, group, stage, group->rank(group, next), true, self + n - k, 1);
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

int napcoll_route_doubling(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int n = group->members, self = group->self;

    for (int have = 1; have < n; have *= 2, stage++) {
        const int mine = self & ~(have - 1), theirs = mine ^ have;
        const int peer = group->rank(group, self ^ have);

        napcoll_route_run(route, group, stage, peer, false, theirs, have);
        napcoll_route_run(route, group, stage, peer, true, mine, have);
    }
    return reach(route, stage);
}

/* Get another part's bundles, and give those of the own part to the members of that one. */
static void exchange_parts(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                           const napcoll_split_t *split, int part)
{
    const int mine = napcoll_split_part_first(split, split->part);
    const int size = napcoll_split_part_size(split, split->part);
    const int theirs = napcoll_split_part_first(split, part);
    const int other = napcoll_split_part_size(split, part);
    const int source = split->position < other ? split->position : split->part % other;

    napcoll_route_run(route, group, stage, group->rank(group, theirs + source), false, theirs,
                      other);
    if (split->position < other) {
        napcoll_route_run(route, group, stage, group->rank(group, theirs + split->position), true,
                          mine, size);
    }
    if (other > size && split->position == part % size) { /* to the place that this part lacks */
        napcoll_route_run(route, group, stage, group->rank(group, theirs + size), true, mine, size);
    }
}

int napcoll_route_multiplying(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                              int radix)
{
    const int levels = napcoll_split_levels(group->members, radix);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        for (int away = 1; away < split.parts; away++) {
            exchange_parts(route, group, stage, &split, (split.part + away) % split.parts);
        }
    }
    return reach(route, stage);
}

int napcoll_route_direct(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    for (int away = 1; away < group->members; away++) {
        const int from = (group->self + away) % group->members;
        const int to = (group->self + group->members - away) % group->members;

        napcoll_route_run(route, group, stage, group->rank(group, from), false, from, 1);
        napcoll_route_run(route, group, stage, group->rank(group, to), true, group->self, 1);
    }
    return reach(route, stage + 1);
}

/* What a stage of napcoll_route_collect has for this process, or, outwards, of napcoll_route_scatter. */
static void collect_level(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                          const napcoll_split_t *split, int root, bool outwards)
{
    const int head = napcoll_split_head(split->first, split->size, root);

    if (group->self != napcoll_split_part_head(split, split->part, root)) {
        return; /* its bundles are on their way, or not there yet */
    }
    for (int part = 0; part < split->parts; part++) {
        const int first = napcoll_split_part_first(split, part);
        const int size = napcoll_split_part_size(split, part);

        if (group->self == head && part != split->part) {
            napcoll_route_run(route, group, stage,
                              group->rank(group, napcoll_split_head(first, size, root)), outwards,
                              first, size);
        } else if (group->self != head && part == split->part) {
            napcoll_route_run(route, group, stage, group->rank(group, head), !outwards, first,
                              size);
        }
    }
}

int napcoll_route_collect(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                          int radix, int root)
{
    const int levels = napcoll_split_levels(group->members, radix);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        collect_level(route, group, stage, &split, root, false);
    }
    return reach(route, stage);
}

int napcoll_route_scatter(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                          int radix, int root)
{
    for (int level = napcoll_split_levels(group->members, radix); level >= 1; level--, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        collect_level(route, group, stage, &split, root, true);
    }
    return reach(route, stage);
}

void napcoll_route_gather(napcoll_builder_t *builder, const napcoll_route_t *route, int stage,
                          napcoll_span_t whole, int shift)
{
    int from, to = range_of(route, stage, &from);

    if (route->failed) {
        napcoll_builder_fail(builder);
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];
        napcoll_span_t span = {
            .buffer = whole.buffer, .first = move->first + shift, .count = move->count};

        if (stage != move->stage) {
            continue;
        }
        if (span.first < whole.first) {
            span.first += whole.count; /* the buffer begins with another rank's block */
        }
        if (move->send) {
            napcoll_builder_send(builder, span, move->peer);
        } else {
            napcoll_builder_recv(builder, span, move->peer);
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
    if (!route->mixed) {
        return;
    }
    for (int i = 0; i < route->moves; i++) {
        route->move[i].order = i;
    }
    qsort(route->move, (size_t) route->moves, sizeof(*route->move), by_stage);
    route->mixed = false;
}

/* The messages at one time: of moves [from, to), each for the segment that has come to it. */
static void pour_stage(napcoll_builder_t *builder, const napcoll_route_t *route, int from, int to,
                       int time, int buffer, int blocks)
{
    for (int sends = 0; sends < 2; sends++) {
        for (int i = from; i < to; i++) {
            const napcoll_move_t *move = &route->move[i];
            const napcoll_span_t span = {.buffer = buffer,
                                         .first = move->first + (time - move->stage) * blocks,
                                         .count = move->count};

            if (move->send && 1 == sends) {
                napcoll_builder_send(builder, span, move->peer);
            } else if (!move->send && 0 == sends) {
                napcoll_builder_recv(builder, span, move->peer);
            }
        }
    }
}

void napcoll_route_pour(napcoll_builder_t *builder, napcoll_route_t *route, int buffer,
                        int segments, int blocks)
{
    int from = 0, to = 0, time = 0;

    if (route->failed) {
        napcoll_builder_fail(builder);
        return;
    }
    sort_moves(route);
    while (from < route->moves) {
        time = from == to ? route->move[from].stage : time + 1;
        while (to < route->moves && route->move[to].stage <= time) {
            to++;
        }
        while (from < to && route->move[from].stage + segments <= time) {
            from++;
        }
        pour_stage(builder, route, from, to, time, buffer, blocks);
        napcoll_builder_next_stage(builder);
    }
}

/* ---- reducing ---- */

bool napcoll_reduction_begin(napcoll_reduction_t *reduction, napcoll_builder_t *builder,
                             const napcoll_plan_args_t *args, int input, napcoll_span_t home,
                             int blocks)
{
    *reduction = (napcoll_reduction_t){.builder = builder,
                                       .home = home,
                                       .blocks = blocks,
                                       .noncommutative = args->params.noncommutative
                                                         || args->algorithm->canonical,
                                       .rank = args->rank};
    if (!args->params.reproducible) {
        napcoll_builder_reduces_alone(builder);
    }
    if (args->sketch) {
        return true;
    }
    reduction->buffer = malloc((size_t) blocks * sizeof(*reduction->buffer));
    if (NULL == reduction->buffer) {
        napcoll_builder_fail(builder);
        return false;
    }
    for (int b = 0; b < blocks; b++) {
        reduction->buffer[b] = input;
    }
    return true;
}

void napcoll_reduction_end(napcoll_reduction_t *reduction)
{
    free(reduction->buffer);
    reduction->buffer = NULL;
}

/* The blocks from `first` on, up to `end`, whose values are in one buffer; in one of the user's, in which
 * no run goes round the end. */
static napcoll_span_t uniform_run(const napcoll_reduction_t *reduction, int first, int end)
{
    napcoll_span_t run;

    if (NULL == reduction->buffer) {
        return (napcoll_span_t){
            .buffer = reduction->home.buffer, .first = first, .count = end - first};
    }
    run = (napcoll_span_t){
        .buffer = reduction->buffer[first % reduction->blocks], .first = first, .count = 1};

    while (first + run.count < end
           && run.buffer == reduction->buffer[(first + run.count) % reduction->blocks]
           && (run.buffer >= NAPCOLL_BUFFER_TEMP || first + run.count != reduction->blocks)) {
        run.count++;
    }
    return run;
}

/* Where a run is, by the numbers of its buffer: the user's begin with block 0. */
static napcoll_span_t as_it_lies(const napcoll_reduction_t *reduction, napcoll_span_t run)
{
    if (run.buffer < NAPCOLL_BUFFER_TEMP && run.first >= reduction->blocks) {
        run.first -= reduction->blocks;
    }
    return run;
}

static void set_buffer(napcoll_reduction_t *reduction, napcoll_span_t run, int buffer)
{
    for (int b = run.first; NULL != reduction->buffer && b < run.first + run.count; b++) {
        reduction->buffer[b % reduction->blocks] = buffer;
    }
}

static napcoll_span_t in_buffer(napcoll_span_t span, int buffer)
{
    span.buffer = buffer;
    return span;
}

void napcoll_reduction_home(napcoll_reduction_t *reduction, int first, int count)
{
    const int home = reduction->home.buffer;
    napcoll_span_t run;

    for (int at = first; at < first + count; at += run.count) {
        run = uniform_run(reduction, at, first + count);
        napcoll_builder_copy(reduction->builder, in_buffer(run, home), as_it_lies(reduction, run));
        set_buffer(reduction, run, home);
    }
}

napcoll_span_t napcoll_reduction_settle(napcoll_reduction_t *reduction, int first, int count)
{
    napcoll_span_t run = uniform_run(reduction, first, first + count);

    if (run.count < count) {
        napcoll_reduction_home(reduction, first, count);
        napcoll_builder_next_stage(reduction->builder);
        run = uniform_run(reduction, first, first + count);
    }
    return as_it_lies(reduction, run);
}

void napcoll_reduction_in(napcoll_reduction_t *reduction, napcoll_span_t value, int peer)
{
    const bool value_is_left = !reduction->noncommutative || peer < reduction->rank;
    bool kept = false;
    napcoll_span_t run;

    for (int at = value.first; at < value.first + value.count; at += run.count) {
        napcoll_span_t ours, theirs;

        run = uniform_run(reduction, at, value.first + value.count);
        ours = as_it_lies(reduction, run);
        theirs = in_buffer(run, value.buffer);
        if (NAPCOLL_BUFFER_SEND == run.buffer && value_is_left && reduction->noncommutative) {
            napcoll_builder_reduce(reduction->builder, in_buffer(run, reduction->home.buffer),
                                   theirs, ours);
            set_buffer(reduction, run, reduction->home.buffer);
        } else if (NAPCOLL_BUFFER_SEND == run.buffer || !value_is_left) {
            napcoll_builder_reduce(reduction->builder, theirs, ours, theirs);
            set_buffer(reduction, run, value.buffer);
            kept = true;
        } else {
            napcoll_builder_reduce(reduction->builder, ours, theirs, ours);
        }
    }
    if (!kept) {
        napcoll_builder_release(reduction->builder, value);
    }
}

/* The number that a move's first block has here. */
static int number_of(const napcoll_reduction_t *reduction, int first)
{
    return first < reduction->home.first ? first + reduction->blocks : first;
}

/* The buffers of the values that a stage sends must not be mixed: see to that in a stage before. */
static void settle_stage(napcoll_reduction_t *reduction, const napcoll_route_t *route, int stage,
                         int shift)
{
    int from, to = range_of(route, stage, &from);

    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];

        if (stage == move->stage && !move->send) {
            (void) napcoll_reduction_settle(reduction, number_of(reduction, move->first + shift),
                                            move->count);
        }
    }
}

void napcoll_reduction_stage(napcoll_reduction_t *reduction, const napcoll_route_t *route,
                             int stage, int shift)
{
    napcoll_builder_t *builder = reduction->builder;
    int from, to = range_of(route, stage, &from);
    napcoll_span_t *value = malloc((size_t) (to - from + 1) * sizeof(*value));

    if (route->failed || NULL == value) {
        napcoll_builder_fail(builder);
        free(value);
        return;
    }
    settle_stage(reduction, route, stage, shift);
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];
        const int first = number_of(reduction, move->first + shift);

        if (stage == move->stage && !move->send) {
            napcoll_builder_send(builder, napcoll_reduction_settle(reduction, first, move->count),
                                 move->peer);
        } else if (stage == move->stage && move->returns) {
            const napcoll_span_t place = {
                .buffer = reduction->home.buffer, .first = first, .count = move->count};

            napcoll_builder_recv(builder, place, move->peer);
            set_buffer(reduction, place, place.buffer);
        } else if (stage == move->stage) {
            value[i - from] = napcoll_builder_temp(builder, first, move->count);
            napcoll_builder_recv(builder, value[i - from], move->peer);
        }
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];

        if (stage == move->stage && move->send && !move->returns) {
            napcoll_reduction_in(reduction, value[i - from], move->peer);
        }
    }
    free(value);
}

/* What a stage of the plan does to one segment: backwards, then forwards. */
static void emit_step(napcoll_reduction_t *reduction, const napcoll_route_t *backwards,
                      const napcoll_route_t *forwards, int step, int shift, int own)
{
    const int stages = backwards->stages;

    if (step >= stages) {
        napcoll_route_gather(reduction->builder, forwards, step - stages, reduction->home, shift);
        return;
    }
    napcoll_reduction_stage(reduction, backwards, stages - 1 - step, shift);
    if (stages - 1 == step && own >= 0) {
        napcoll_reduction_home(reduction, own + shift, 1);
    }
}

void napcoll_pipeline(napcoll_reduction_t *reduction, const napcoll_route_t *route, int segments,
                      int blocks, int own)
{
    napcoll_pipeline_through(reduction, route, route, segments, blocks, own);
}

void napcoll_pipeline_through(napcoll_reduction_t *reduction, const napcoll_route_t *backwards,
                              const napcoll_route_t *forwards, int segments, int blocks, int own)
{
    const int steps = backwards->stages + forwards->stages;

    if (0 == steps && own >= 0) {
        napcoll_reduction_home(reduction, 0, segments * blocks); /* alone */
    }
    for (int stage = 0; stage < steps + segments - 1; stage++) {
        const int first = stage < steps ? 0 : stage - steps + 1;

        for (int segment = first; segment <= stage && segment < segments; segment++) {
            emit_step(reduction, backwards, forwards, stage - segment, segment * blocks, own);
        }
        napcoll_builder_next_stage(reduction->builder);
    }
}
