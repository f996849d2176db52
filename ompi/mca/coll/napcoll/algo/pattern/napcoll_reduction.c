/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reductions by routes (see the header).
 */

#include "algo/pattern/napcoll_reduction.h"

#include <stdlib.h>
#include <string.h>

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
    if (!napcoll_run_map_begin(&reduction->buffer, blocks, &input, sizeof(input))) {
        napcoll_builder_fail(builder);
        return false;
    }
    return true;
}

void napcoll_reduction_end(napcoll_reduction_t *reduction)
{
    napcoll_run_map_free(&reduction->buffer);
}

/* ---- where values are ---- */

/* Not in a sketch. */
static bool knows_buffers(const napcoll_reduction_t *reduction)
{
    return reduction->buffer.runs > 0;
}

/* The buffer of the values of a run of the map. */
static int buffer_of(const napcoll_reduction_t *reduction, int run)
{
    int buffer;

    memcpy(&buffer, napcoll_run_map_item(&reduction->buffer, run), sizeof(buffer));
    return buffer;
}

/* The blocks from `first` on, up to `end`, whose values are in one buffer. In a user buffer a run
 * ends with the last block. */
static napcoll_span_t uniform_run(const napcoll_reduction_t *reduction, int first, int end)
{
    const napcoll_run_map_t *map = &reduction->buffer;
    const int place = first % reduction->blocks;
    napcoll_span_t run = {.buffer = reduction->home.buffer, .first = first, .count = end - first};
    int at;

    if (!knows_buffers(reduction)) {
        return run;
    }
    at = napcoll_run_map_find(map, place);
    run.buffer = buffer_of(reduction, at);
    run.count = napcoll_run_map_end(map, at) - place;
    if (run.buffer >= NAPCOLL_BUFFER_TEMP && place + run.count == reduction->blocks
        && run.buffer == buffer_of(reduction, 0)) {
        run.count += napcoll_run_map_end(map, 0);
    }
    run.count = napcoll_min(run.count, end - first);
    return run;
}

/* A run by the numbers of its buffer: a user buffer begins with block 0. */
static napcoll_span_t numbered(const napcoll_reduction_t *reduction, napcoll_span_t run)
{
    if (run.buffer < NAPCOLL_BUFFER_TEMP && run.first >= reduction->blocks) {
        run.first -= reduction->blocks;
    }
    return run;
}

static void set_buffer(napcoll_reduction_t *reduction, napcoll_span_t run, int buffer)
{
    const int first = run.first % reduction->blocks;
    const int count = napcoll_min(run.count, reduction->blocks - first);

    if (knows_buffers(reduction)
        && (!napcoll_run_map_set(&reduction->buffer, first, count, &buffer)
            || !napcoll_run_map_set(&reduction->buffer, 0, run.count - count, &buffer))) {
        napcoll_builder_fail(reduction->builder);
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
        napcoll_builder_copy(reduction->builder, in_buffer(run, home), numbered(reduction, run));
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
    return numbered(reduction, run);
}

void napcoll_reduction_add(napcoll_reduction_t *reduction, napcoll_span_t value, int peer)
{
    const bool value_is_left = !reduction->noncommutative || peer < reduction->rank;
    bool kept = false;
    napcoll_span_t run;

    for (int at = value.first; at < value.first + value.count; at += run.count) {
        napcoll_span_t ours, theirs;

        run = uniform_run(reduction, at, value.first + value.count);
        ours = numbered(reduction, run);
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

/* ---- emission ---- */

/* The number of a move's first block in home. */
static int number_of(const napcoll_reduction_t *reduction, int first)
{
    return first < reduction->home.first ? first + reduction->blocks : first;
}

/* What a message sends must be in one buffer: copy where it is not, in a stage before this one. */
static void settle_stage(napcoll_reduction_t *reduction, const napcoll_route_t *route, int stage,
                         int shift)
{
    int from, to = napcoll_route_range(route, stage, &from);

    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];

        if (stage == move->stage && !move->send && NAPCOLL_PHASE_NONE == move->phase) {
            (void) napcoll_reduction_settle(reduction, number_of(reduction, move->first + shift),
                                            move->count);
        }
    }
}

/* Where a value comes in. `before` are the values that come in the same stage. */
static napcoll_span_t landing(const napcoll_reduction_t *reduction, int first, int count,
                              const napcoll_span_t *before, int values)
{
    const napcoll_span_t run = uniform_run(reduction, first, first + count);
    bool direct = reduction->direct && NAPCOLL_BUFFER_SEND == run.buffer && count == run.count;

    for (int i = 0; i < values && direct; i++) {
        direct = before[i].buffer != reduction->home.buffer || before[i].first >= first + count
                 || first >= before[i].first + before[i].count;
    }
    return direct ? in_buffer(run, reduction->home.buffer)
                  : napcoll_builder_temp(reduction->builder, first, count);
}

/* A phase backwards: a broadcast becomes a reduce, a gather a scatter, and a share a
 * reduce-scatter. What it takes is settled. */
static void emit_phase(napcoll_reduction_t *reduction, const napcoll_move_t *move, int shift)
{
    napcoll_builder_t *builder = reduction->builder;
    const int first = number_of(reduction, move->first + shift);
    const napcoll_span_t all = napcoll_reduction_settle(reduction, first, move->count);
    const int own = first + move->own.first - move->first;
    napcoll_span_t dst = {.buffer = reduction->home.buffer, .first = first, .count = move->count};
    napcoll_phase_t phase = NAPCOLL_PHASE_REDUCE;

    if (NAPCOLL_PHASE_GATHER == move->phase) {
        phase = NAPCOLL_PHASE_SCATTER;
        dst = move->send ? all : dst;
        dst.first += own - first;
        dst.count = move->own.count;
    } else if (NAPCOLL_PHASE_SHARE == move->phase) {
        phase = NAPCOLL_PHASE_REDUCE_SCATTER;
        dst = napcoll_builder_temp(builder, own, move->own.count);
    }
    napcoll_builder_phase(builder, move->scope, phase, move->peer, dst, all);
    set_buffer(reduction, dst, dst.buffer);
}

void napcoll_reduction_emit(napcoll_reduction_t *reduction, const napcoll_route_t *route, int stage,
                            int shift)
{
    napcoll_builder_t *builder = reduction->builder;
    int from, to = napcoll_route_range(route, stage, &from);
    napcoll_span_t *value = calloc((size_t) (to - from + 1), sizeof(*value));

    if (route->failed || NULL == value) {
        napcoll_builder_fail(builder);
        free(value);
        return;
    }
    settle_stage(reduction, route, stage, shift);
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];
        const int first = number_of(reduction, move->first + shift);

        if (stage == move->stage && NAPCOLL_PHASE_NONE != move->phase) {
            emit_phase(reduction, move, shift);
        } else if (stage == move->stage && !move->send) {
            napcoll_builder_send(builder, napcoll_reduction_settle(reduction, first, move->count),
                                 move->peer);
        } else if (stage == move->stage && move->returns) {
            const napcoll_span_t place = {
                .buffer = reduction->home.buffer, .first = first, .count = move->count};

            napcoll_builder_recv(builder, place, move->peer);
            set_buffer(reduction, place, place.buffer);
        } else if (stage == move->stage) {
            value[i - from] = landing(reduction, first, move->count, value, i - from);
            napcoll_builder_recv(builder, value[i - from], move->peer);
        }
    }
    for (int i = from; i < to; i++) {
        const napcoll_move_t *move = &route->move[i];

        if (stage == move->stage && move->send && !move->returns
            && NAPCOLL_PHASE_NONE == move->phase) {
            napcoll_reduction_add(reduction, value[i - from], move->peer);
        }
    }
    free(value);
}

void napcoll_reduction_pipeline(napcoll_reduction_t *reduction, const napcoll_route_t *backwards,
                                const napcoll_route_t *forwards, int segments, int blocks, int own)
{
    const int stages = backwards->stages, steps = stages + forwards->stages;

    if (0 == steps && own >= 0) {
        /* there is one process */
        napcoll_reduction_home(reduction, 0, segments * blocks);
    }
    for (int stage = 0; stage < steps + segments - 1; stage++) {
        const int first = stage < steps ? 0 : stage - steps + 1;

        for (int segment = first; segment <= stage && segment < segments; segment++) {
            const int step = stage - segment, shift = segment * blocks;

            if (step < stages) {
                napcoll_reduction_emit(reduction, backwards, stages - 1 - step, shift);
            } else {
                napcoll_route_emit(reduction->builder, forwards, step - stages, reduction->home,
                                   shift);
            }
            if (stages - 1 == step && own >= 0) {
                napcoll_reduction_home(reduction, own + shift, 1);
            }
        }
        napcoll_builder_next_stage(reduction->builder);
    }
}

napcoll_plan_t *napcoll_reduction_plan(const napcoll_plan_args_t *args, napcoll_route_t *backwards,
                                       napcoll_route_t *forwards, int blocks, int own,
                                       napcoll_block_range_t slice)
{
    const int segments = napcoll_params_segments(&args->params), all = blocks * segments;
    napcoll_span_t home = {.buffer = NAPCOLL_BUFFER_RECV, .count = all};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, all);
    napcoll_reduction_t reduction = {0};

    if (NULL != builder) {
        napcoll_builder_claim_recvbuf(builder);
        if (!napcoll_plan_args_takes(args) && own >= 0) {
            home.buffer = napcoll_builder_temp(builder, slice.first,
                                               (segments - 1) * blocks + slice.count)
                              .buffer;
        }
        if (napcoll_reduction_begin(&reduction, builder, args, napcoll_plan_args_input_buffer(args),
                                    home, all)) {
            napcoll_reduction_pipeline(&reduction, backwards, forwards, segments, blocks, own);
        }
        napcoll_reduction_end(&reduction);
    }
    napcoll_route_free(backwards);
    napcoll_route_free(forwards);
    return NULL == builder ? NULL : napcoll_builder_finish(builder);
}
