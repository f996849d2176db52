/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Schedules (see the header).
 */

#include "algo/napcoll_schedule.h"

#include <stdlib.h>

#include "algo/napcoll_split.h"
#include "util/napcoll_order.h"

void napcoll_schedule_free(napcoll_schedule_t *schedule)
{
    free(schedule->move);
    *schedule = (napcoll_schedule_t){0};
}

void napcoll_schedule_move(napcoll_schedule_t *schedule, int stage, int peer, bool send, int first,
                           int count)
{
    if (0 == count) {
        return;
    }
    if (schedule->moves == schedule->room) {
        int room = schedule->room > 0 ? 2 * schedule->room : 16;
        napcoll_move_t *more = realloc(schedule->move, (size_t) room * sizeof(*more));

        if (NULL == more) {
            schedule->failed = true;
            return;
        }
        schedule->move = more;
        schedule->room = room;
    }
    schedule->mixed = schedule->mixed
                      || (schedule->moves > 0 && schedule->move[schedule->moves - 1].stage > stage);
    schedule->move[schedule->moves++] = (napcoll_move_t){
        .stage = stage, .peer = peer, .send = send, .first = first, .count = count};
}

void napcoll_schedule_repeat(napcoll_schedule_t *schedule, int stage, int times)
{
    if (times > 1 && schedule->repeats < NAPCOLL_SKETCH_PARTS) {
        schedule->repeat[schedule->repeats].stage = stage;
        schedule->repeat[schedule->repeats++].times = times;
    }
}

int napcoll_schedule_times(const napcoll_schedule_t *schedule, int stage)
{
    for (int i = 0; i < schedule->repeats; i++) {
        if (stage == schedule->repeat[i].stage) {
            return schedule->repeat[i].times;
        }
    }
    return 1;
}

/* A schedule has so many stages at least. */
static int reach(napcoll_schedule_t *schedule, int stages)
{
    schedule->stages = stages > schedule->stages ? stages : schedule->stages;
    return stages;
}

/* The first move that is not of a stage before this one, where moves stand in order. */
static int first_of(const napcoll_schedule_t *schedule, int stage)
{
    int low = 0, high = schedule->moves;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (schedule->move[middle].stage < stage) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Moves [*from, returned) have all those of a stage among them. */
static int range_of(const napcoll_schedule_t *schedule, int stage, int *from)
{
    *from = schedule->mixed ? 0 : first_of(schedule, stage);
    return schedule->mixed ? schedule->moves : first_of(schedule, stage + 1);
}

void napcoll_schedule_run(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
                          int peer, bool send, int from, int count)
{
    const int members = group->members, a = from % members, end = a + count;
    const int first = group->first(group, a);

    if (end <= members) {
        napcoll_schedule_move(schedule, stage, peer, send, first, group->first(group, end) - first);
        return;
    }
    if (group->cyclic) {
        napcoll_schedule_move(schedule, stage, peer, send, first,
                              group->first(group, members) - first
                                  + group->first(group, end - members));
        return;
    }
    napcoll_schedule_move(schedule, stage, peer, send, first, group->first(group, members) - first);
    napcoll_schedule_move(schedule, stage, peer, send, group->first(group, 0),
                          group->first(group, end - members) - group->first(group, 0));
}

int napcoll_schedule_ring(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage)
{
    const int n = group->members, self = group->self;
    const int next = (self + 1) % n, before = (self + n - 1) % n;

    for (int k = 0; k < n - 1; k++, stage++) {
        napcoll_schedule_run(schedule, group, stage, group->rank(group, before), false,
                             before + n - k, 1);
        napcoll_schedule_run(schedule, group, stage, group->rank(group, next), true, self + n - k,
                             1);
    }
    return reach(schedule, stage);
}

int napcoll_schedule_bruck(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
                           int radix)
{
    const int n = group->members, self = group->self;

    for (int have = 1; have < n; have = napcoll_split_widen(have, n, radix), stage++) {
        for (int j = 1; j < radix && j * have < n; j++) {
            const int away = j * have, run = n - away < have ? n - away : have;
            const int from = (self + away) % n, to = (self + n - away) % n;

            napcoll_schedule_run(schedule, group, stage, group->rank(group, from), false, from,
                                 run);
            napcoll_schedule_run(schedule, group, stage, group->rank(group, to), true, self, run);
        }
    }
    return reach(schedule, stage);
}

int napcoll_schedule_doubling(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage)
{
    const int n = group->members, self = group->self;

    for (int have = 1; have < n; have *= 2, stage++) {
        const int mine = self & ~(have - 1), theirs = mine ^ have;
        const int peer = group->rank(group, self ^ have);

        napcoll_schedule_run(schedule, group, stage, peer, false, theirs, have);
        napcoll_schedule_run(schedule, group, stage, peer, true, mine, have);
    }
    return reach(schedule, stage);
}

/* Get another part's bundles, and give those of the own part to the members of that one. */
static void exchange_parts(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
                           const napcoll_split_t *split, int part)
{
    const int mine = napcoll_split_part_first(split, split->part);
    const int size = napcoll_split_part_size(split, split->part);
    const int theirs = napcoll_split_part_first(split, part);
    const int other = napcoll_split_part_size(split, part);
    const int source = split->position < other ? split->position : split->part % other;

    napcoll_schedule_run(schedule, group, stage, group->rank(group, theirs + source), false, theirs,
                         other);
    if (split->position < other) {
        napcoll_schedule_run(schedule, group, stage, group->rank(group, theirs + split->position),
                             true, mine, size);
    }
    if (other > size && split->position == part % size) { /* to the place that this part lacks */
        napcoll_schedule_run(schedule, group, stage, group->rank(group, theirs + size), true, mine,
                             size);
    }
}

int napcoll_schedule_multiplying(napcoll_schedule_t *schedule, const napcoll_group_t *group,
                                 int stage, int radix)
{
    const int levels = napcoll_split_levels(group->members, radix);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        for (int away = 1; away < split.parts; away++) {
            exchange_parts(schedule, group, stage, &split, (split.part + away) % split.parts);
        }
    }
    return reach(schedule, stage);
}

int napcoll_schedule_direct(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage)
{
    for (int away = 1; away < group->members; away++) {
        const int from = (group->self + away) % group->members;
        const int to = (group->self + group->members - away) % group->members;

        napcoll_schedule_run(schedule, group, stage, group->rank(group, from), false, from, 1);
        napcoll_schedule_run(schedule, group, stage, group->rank(group, to), true, group->self, 1);
    }
    return reach(schedule, stage + 1);
}

/* What a stage of napcoll_schedule_collect has for this process, or, outwards, of napcoll_schedule_scatter. */
static void collect_level(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
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
            napcoll_schedule_run(schedule, group, stage,
                                 group->rank(group, napcoll_split_head(first, size, root)),
                                 outwards, first, size);
        } else if (group->self != head && part == split->part) {
            napcoll_schedule_run(schedule, group, stage, group->rank(group, head), !outwards, first,
                                 size);
        }
    }
}

int napcoll_schedule_collect(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
                             int radix, int root)
{
    const int levels = napcoll_split_levels(group->members, radix);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        collect_level(schedule, group, stage, &split, root, false);
    }
    return reach(schedule, stage);
}

int napcoll_schedule_scatter(napcoll_schedule_t *schedule, const napcoll_group_t *group, int stage,
                             int radix, int root)
{
    for (int level = napcoll_split_levels(group->members, radix); level >= 1; level--, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        collect_level(schedule, group, stage, &split, root, true);
    }
    return reach(schedule, stage);
}

void napcoll_schedule_gather(napcoll_builder_t *builder, const napcoll_schedule_t *schedule,
                             int stage, napcoll_span_t whole, int shift)
{
    int from, to = range_of(schedule, stage, &from);

    if (schedule->failed) {
        napcoll_builder_fail(builder);
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &schedule->move[i];
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

static void sort_moves(napcoll_schedule_t *schedule)
{
    if (!schedule->mixed) {
        return;
    }
    for (int i = 0; i < schedule->moves; i++) {
        schedule->move[i].order = i;
    }
    qsort(schedule->move, (size_t) schedule->moves, sizeof(*schedule->move), by_stage);
    schedule->mixed = false;
}

/* The messages at one time: of moves [from, to), each for the segment that has come to it. */
static void pour_stage(napcoll_builder_t *builder, const napcoll_schedule_t *schedule, int from,
                       int to, int time, int buffer, int blocks)
{
    for (int sends = 0; sends < 2; sends++) {
        for (int i = from; i < to; i++) {
            const napcoll_move_t *move = &schedule->move[i];
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

void napcoll_schedule_pour(napcoll_builder_t *builder, napcoll_schedule_t *schedule, int buffer,
                           int segments, int blocks)
{
    int from = 0, to = 0, time = 0;

    if (schedule->failed) {
        napcoll_builder_fail(builder);
        return;
    }
    sort_moves(schedule);
    while (from < schedule->moves) {
        time = from == to ? schedule->move[from].stage : time + 1;
        while (to < schedule->moves && schedule->move[to].stage <= time) {
            to++;
        }
        while (from < to && schedule->move[from].stage + segments <= time) {
            from++;
        }
        pour_stage(builder, schedule, from, to, time, buffer, blocks);
        napcoll_builder_next_stage(builder);
    }
}

/* ---- folding ---- */

bool napcoll_fold_begin(napcoll_fold_t *fold, napcoll_builder_t *builder,
                        const napcoll_request_t *request, int input, napcoll_span_t home,
                        int blocks)
{
    *fold = (napcoll_fold_t){.builder = builder,
                             .home = home,
                             .blocks = blocks,
                             .ordered = request->params.ordered || request->algorithm->canonical,
                             .rank = request->rank};
    if (!request->params.reproducible) {
        napcoll_builder_folds_alone(builder);
    }
    if (request->sketch) {
        return true;
    }
    fold->buffer = malloc((size_t) blocks * sizeof(*fold->buffer));
    if (NULL == fold->buffer) {
        napcoll_builder_fail(builder);
        return false;
    }
    for (int b = 0; b < blocks; b++) {
        fold->buffer[b] = input;
    }
    return true;
}

void napcoll_fold_end(napcoll_fold_t *fold)
{
    free(fold->buffer);
    fold->buffer = NULL;
}

/* The blocks from `first` on, up to `end`, whose values are in one buffer; in one of the user's, in which
 * no run goes round the end. */
static napcoll_span_t uniform_run(const napcoll_fold_t *fold, int first, int end)
{
    napcoll_span_t run;

    if (NULL == fold->buffer) {
        return (napcoll_span_t){.buffer = fold->home.buffer, .first = first, .count = end - first};
    }
    run = (napcoll_span_t){
        .buffer = fold->buffer[first % fold->blocks], .first = first, .count = 1};

    while (first + run.count < end && run.buffer == fold->buffer[(first + run.count) % fold->blocks]
           && (run.buffer >= NAPCOLL_BUFFER_TEMP || first + run.count != fold->blocks)) {
        run.count++;
    }
    return run;
}

/* Where a run is, by the numbers of its buffer: the user's begin with block 0. */
static napcoll_span_t as_it_lies(const napcoll_fold_t *fold, napcoll_span_t run)
{
    if (run.buffer < NAPCOLL_BUFFER_TEMP && run.first >= fold->blocks) {
        run.first -= fold->blocks;
    }
    return run;
}

static void set_buffer(napcoll_fold_t *fold, napcoll_span_t run, int buffer)
{
    for (int b = run.first; NULL != fold->buffer && b < run.first + run.count; b++) {
        fold->buffer[b % fold->blocks] = buffer;
    }
}

static napcoll_span_t in_buffer(napcoll_span_t span, int buffer)
{
    span.buffer = buffer;
    return span;
}

void napcoll_fold_home(napcoll_fold_t *fold, int first, int count)
{
    const int home = fold->home.buffer;
    napcoll_span_t run;

    for (int at = first; at < first + count; at += run.count) {
        run = uniform_run(fold, at, first + count);
        napcoll_builder_copy(fold->builder, in_buffer(run, home), as_it_lies(fold, run));
        set_buffer(fold, run, home);
    }
}

napcoll_span_t napcoll_fold_settle(napcoll_fold_t *fold, int first, int count)
{
    napcoll_span_t run = uniform_run(fold, first, first + count);

    if (run.count < count) {
        napcoll_fold_home(fold, first, count);
        napcoll_builder_next_stage(fold->builder);
        run = uniform_run(fold, first, first + count);
    }
    return as_it_lies(fold, run);
}

void napcoll_fold_in(napcoll_fold_t *fold, napcoll_span_t value, int peer)
{
    const bool value_is_left = !fold->ordered || peer < fold->rank;
    bool kept = false;
    napcoll_span_t run;

    for (int at = value.first; at < value.first + value.count; at += run.count) {
        napcoll_span_t ours, theirs;

        run = uniform_run(fold, at, value.first + value.count);
        ours = as_it_lies(fold, run);
        theirs = in_buffer(run, value.buffer);
        if (NAPCOLL_BUFFER_SEND == run.buffer && value_is_left && fold->ordered) {
            napcoll_builder_fold(fold->builder, in_buffer(run, fold->home.buffer), theirs, ours);
            set_buffer(fold, run, fold->home.buffer);
        } else if (NAPCOLL_BUFFER_SEND == run.buffer || !value_is_left) {
            napcoll_builder_fold(fold->builder, theirs, ours, theirs);
            set_buffer(fold, run, value.buffer);
            kept = true;
        } else {
            napcoll_builder_fold(fold->builder, ours, theirs, ours);
        }
    }
    if (!kept) {
        napcoll_builder_release(fold->builder, value);
    }
}

/* The number that a move's first block has here. */
static int number_of(const napcoll_fold_t *fold, int first)
{
    return first < fold->home.first ? first + fold->blocks : first;
}

/* The buffers of the values that a stage sends must not be mixed: see to that in a stage before. */
static void settle_stage(napcoll_fold_t *fold, const napcoll_schedule_t *schedule, int stage,
                         int shift)
{
    int from, to = range_of(schedule, stage, &from);

    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &schedule->move[i];

        if (stage == move->stage && !move->send) {
            (void) napcoll_fold_settle(fold, number_of(fold, move->first + shift), move->count);
        }
    }
}

void napcoll_fold_stage(napcoll_fold_t *fold, const napcoll_schedule_t *schedule, int stage,
                        int shift)
{
    napcoll_builder_t *builder = fold->builder;
    int from, to = range_of(schedule, stage, &from);
    napcoll_span_t *value = malloc((size_t) (to - from + 1) * sizeof(*value));

    if (schedule->failed || NULL == value) {
        napcoll_builder_fail(builder);
        free(value);
        return;
    }
    settle_stage(fold, schedule, stage, shift);
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &schedule->move[i];
        const int first = number_of(fold, move->first + shift);

        if (stage == move->stage && !move->send) {
            napcoll_builder_send(builder, napcoll_fold_settle(fold, first, move->count),
                                 move->peer);
        } else if (stage == move->stage && move->returns) {
            const napcoll_span_t place = {
                .buffer = fold->home.buffer, .first = first, .count = move->count};

            napcoll_builder_recv(builder, place, move->peer);
            set_buffer(fold, place, place.buffer);
        } else if (stage == move->stage) {
            value[i - from] = napcoll_builder_temp(builder, first, move->count);
            napcoll_builder_recv(builder, value[i - from], move->peer);
        }
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &schedule->move[i];

        if (stage == move->stage && move->send && !move->returns) {
            napcoll_fold_in(fold, value[i - from], move->peer);
        }
    }
    free(value);
}

/* What a stage of the plan does to one segment: backwards, then forwards. */
static void emit_step(napcoll_fold_t *fold, const napcoll_schedule_t *backwards,
                      const napcoll_schedule_t *forwards, int step, int shift, int own)
{
    const int stages = backwards->stages;

    if (step >= stages) {
        napcoll_schedule_gather(fold->builder, forwards, step - stages, fold->home, shift);
        return;
    }
    napcoll_fold_stage(fold, backwards, stages - 1 - step, shift);
    if (stages - 1 == step && own >= 0) {
        napcoll_fold_home(fold, own + shift, 1);
    }
}

void napcoll_pipeline(napcoll_fold_t *fold, const napcoll_schedule_t *schedule, int segments,
                      int blocks, int own)
{
    napcoll_pipeline_through(fold, schedule, schedule, segments, blocks, own);
}

void napcoll_pipeline_through(napcoll_fold_t *fold, const napcoll_schedule_t *backwards,
                              const napcoll_schedule_t *forwards, int segments, int blocks, int own)
{
    const int steps = backwards->stages + forwards->stages;

    if (0 == steps && own >= 0) {
        napcoll_fold_home(fold, 0, segments * blocks); /* alone */
    }
    for (int stage = 0; stage < steps + segments - 1; stage++) {
        const int first = stage < steps ? 0 : stage - steps + 1;

        for (int segment = first; segment <= stage && segment < segments; segment++) {
            emit_step(fold, backwards, forwards, stage - segment, segment * blocks, own);
        }
        napcoll_builder_next_stage(fold->builder);
    }
}
