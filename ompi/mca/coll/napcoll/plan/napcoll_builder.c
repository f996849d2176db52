/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Building plans (see the header).
 */

#include "plan/napcoll_builder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_grow.h"

typedef enum {
    /** a receive buffer that is not lent */
    TEMP_NONE,
    TEMP_USED,
    /** free from the next stage on */
    TEMP_RELEASED,
    TEMP_FREE
} temp_state_t;

typedef struct {
    temp_state_t state;
    /* by a step. Of several rows steps name the first only: all count as named */
    bool named;
} temp_t;

struct napcoll_builder {
    /* its arrays grow here */
    napcoll_plan_t plan;
    temp_t *temp;
    /* first the free temporaries, then those released in the current stage; their numbers */
    int *idle;
    int free, released;
    temp_state_t recvbuf;
    size_t range_room, temp_room, idle_room, stage_room, step_room, list_room, times_room;
    /* first step of the current stage */
    int stage_first;
    /* of the current stage */
    int times;
    bool sketch;
    bool failed;
};

napcoll_builder_t *napcoll_builder_new(const char *collective, const char *algorithm, int rank,
                                       int blocks)
{
    napcoll_builder_t *b = calloc(1, sizeof(*b));

    if (NULL != b) {
        b->times = 1;
        b->plan = (napcoll_plan_t){.collective = collective,
                                   .algorithm = algorithm,
                                   .rank = rank,
                                   .blocks = blocks,
                                   .pieces = 1,
                                   .user = {{.count = blocks}, {.count = blocks}}};
    }
    return b;
}

void napcoll_builder_layout(napcoll_builder_t *b, napcoll_layout_t layout, bool scattered,
                            const napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP])
{
    b->plan.layout = layout;
    b->plan.scattered = scattered;
    memcpy(b->plan.user, user, sizeof(b->plan.user));
}

void napcoll_builder_edges(napcoll_builder_t *b, int out, int in, const napcoll_plan_edge_t *edge)
{
    const size_t bytes = ((size_t) out + (size_t) in) * sizeof(*edge);
    const napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP] = {{.count = out}, {.count = in}};

    napcoll_builder_layout(b, NAPCOLL_LAYOUT_EDGES, false, user);
    b->plan.edges = out + in;
    b->plan.edge = malloc(bytes + sizeof(*edge));
    if (NULL == b->plan.edge) {
        b->failed = true;
    } else if (bytes > 0) {
        memcpy(b->plan.edge, edge, bytes);
    }
}

void napcoll_builder_reduces_alone(napcoll_builder_t *b)
{
    b->plan.reduces_alone = true;
}

void napcoll_builder_pieces(napcoll_builder_t *b, int pieces)
{
    b->plan.pieces = pieces;
}

void napcoll_builder_sketch(napcoll_builder_t *b)
{
    b->sketch = true;
}

bool napcoll_builder_is_sketch(const napcoll_builder_t *b)
{
    return b->sketch;
}

void napcoll_builder_repeat(napcoll_builder_t *b, int times)
{
    b->times = times;
}

/* Make room for `count` entries in one of the builder's arrays; false: the builder has failed. */
static bool make_room(napcoll_builder_t *b, void *array, size_t *room, int count, size_t entry)
{
    b->failed = b->failed || !napcoll_grow(array, room, (size_t) count, entry);
    return !b->failed;
}

napcoll_span_t napcoll_builder_rows(napcoll_builder_t *b, int rows, int first, int count)
{
    const int start = b->plan.temps, end = start + rows;

    if (make_room(b, &b->plan.temp, &b->range_room, end, sizeof(*b->plan.temp))
        && make_room(b, &b->temp, &b->temp_room, end, sizeof(*b->temp))
        && make_room(b, &b->idle, &b->idle_room, end, sizeof(*b->idle))) {
        for (int t = start; t < end; t++) {
            b->plan.temp[t] = (napcoll_block_range_t){.first = first, .count = count};
            b->temp[t] = (temp_t){.state = TEMP_USED, .named = rows > 1};
        }
        b->plan.temps = end;
    }
    return (napcoll_span_t){NAPCOLL_BUFFER_TEMP + start, first, count};
}

void napcoll_builder_lend_recvbuf(napcoll_builder_t *b)
{
    b->recvbuf = TEMP_FREE;
}

void napcoll_builder_claim_recvbuf(napcoll_builder_t *b)
{
    b->recvbuf = TEMP_NONE;
}

napcoll_span_t napcoll_builder_temp(napcoll_builder_t *b, int first, int count)
{
    if (TEMP_FREE == b->recvbuf && first == b->plan.user[NAPCOLL_BUFFER_RECV].first
        && count == b->plan.user[NAPCOLL_BUFFER_RECV].count) {
        b->recvbuf = TEMP_USED;
        return (napcoll_span_t){NAPCOLL_BUFFER_RECV, first, count};
    }
    for (int i = 0; i < b->free; i++) {
        const int t = b->idle[i];

        if (first == b->plan.temp[t].first && count == b->plan.temp[t].count) {
            b->temp[t].state = TEMP_USED;
            b->idle[i] = b->idle[--b->free];
            b->idle[b->free] = b->idle[b->free + b->released];
            return (napcoll_span_t){NAPCOLL_BUFFER_TEMP + t, first, count};
        }
    }
    return napcoll_builder_rows(b, 1, first, count);
}

void napcoll_builder_release(napcoll_builder_t *b, napcoll_span_t span)
{
    const int t = span.buffer - NAPCOLL_BUFFER_TEMP;

    if (NAPCOLL_BUFFER_RECV == span.buffer && TEMP_USED == b->recvbuf) {
        b->recvbuf = TEMP_RELEASED;
    }
    if (t >= 0 && t < b->plan.temps && TEMP_USED == b->temp[t].state) {
        b->temp[t].state = TEMP_RELEASED;
        b->idle[b->free + b->released++] = t;
    }
}

napcoll_span_t napcoll_builder_list(const napcoll_builder_t *b)
{
    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_LIST, .first = b->plan.listed};
}

void napcoll_builder_list_add(napcoll_builder_t *b, napcoll_span_t *list, napcoll_span_t run)
{
    napcoll_span_t *last;

    if (b->sketch) {
        list->count += run.count;
        return;
    }
    if (0 == run.count
        || !make_room(b, &b->plan.list, &b->list_room, b->plan.listed + 1, sizeof(run))) {
        return;
    }
    last = b->plan.listed > list->first ? &b->plan.list[b->plan.listed - 1] : NULL;
    if (NULL != last && last->buffer == run.buffer && last->first + last->count == run.first) {
        last->count += run.count;
    } else {
        b->plan.list[b->plan.listed++] = run;
    }
    list->count += run.count;
}

napcoll_span_t napcoll_builder_list_end(napcoll_builder_t *b, napcoll_span_t list)
{
    return b->failed || b->sketch || b->plan.listed != list.first + 1
               ? list
               : b->plan.list[--b->plan.listed];
}

static void add_step(napcoll_builder_t *b, napcoll_step_t step)
{
    if (make_room(b, &b->plan.step, &b->step_room, b->plan.steps + 1, sizeof(step))) {
        b->plan.step[b->plan.steps++] = step;
    }
}

void napcoll_builder_recv_blocks(napcoll_builder_t *b, napcoll_span_t dst, int peer, bool headed)
{
    add_step(b, (napcoll_step_t){NAPCOLL_STEP_RECV, .peer = peer, .headed = headed, .dst = dst});
}

void napcoll_builder_send_blocks(napcoll_builder_t *b, napcoll_span_t left, int peer, bool headed)
{
    add_step(b, (napcoll_step_t){NAPCOLL_STEP_SEND, .peer = peer, .headed = headed, .left = left});
}

void napcoll_builder_reduce(napcoll_builder_t *b, napcoll_span_t dst, napcoll_span_t left,
                            napcoll_span_t right)
{
    add_step(b, (napcoll_step_t){NAPCOLL_STEP_REDUCE, .dst = dst, .left = left, .right = right});
}

void napcoll_builder_copy(napcoll_builder_t *b, napcoll_span_t dst, napcoll_span_t left)
{
    if (!napcoll_span_equal(dst, left)) {
        add_step(b, (napcoll_step_t){NAPCOLL_STEP_COPY, .dst = dst, .left = left});
    }
}

/* The part of a stage in which a step is: receives, sends, work. */
static inline int part_of(const napcoll_step_t *step)
{
    return step->kind < NAPCOLL_STEP_REDUCE ? (int) step->kind : NAPCOLL_STEP_REDUCE;
}

/* Sort the steps of the current stage by their parts. */
static void sort_stage(napcoll_builder_t *b, napcoll_stage_t *stage)
{
    napcoll_step_t *step = b->plan.step + stage->first;
    const int steps = b->plan.steps - stage->first;
    int at[NAPCOLL_STEP_REDUCE + 2] = {0};
    napcoll_step_t *sorted;
    bool in_order = true;

    for (int i = 0; i < steps; i++) {
        at[part_of(&step[i]) + 1]++;
        in_order = in_order && (0 == i || part_of(&step[i - 1]) <= part_of(&step[i]));
    }
    at[NAPCOLL_STEP_REDUCE] += at[NAPCOLL_STEP_SEND];
    stage->messages = at[NAPCOLL_STEP_REDUCE];
    stage->work = steps - stage->messages;
    if (in_order) {
        return;
    }
    sorted = malloc((size_t) steps * sizeof(*sorted));
    if (NULL == sorted) {
        b->failed = true;
        return;
    }
    for (int i = 0; i < steps; i++) {
        sorted[at[part_of(&step[i])]++] = step[i];
    }
    memcpy(step, sorted, (size_t) steps * sizeof(*sorted));
    free(sorted);
}

/* Note the repetitions of the current stage, once any stage has some. */
static void note_times(napcoll_builder_t *b)
{
    const int known = NULL == b->plan.times ? 0 : b->plan.stages;

    if ((b->times > 1 || NULL != b->plan.times)
        && make_room(b, &b->plan.times, &b->times_room, b->plan.stages + 1,
                     sizeof(*b->plan.times))) {
        for (int stage = known; stage <= b->plan.stages; stage++) {
            b->plan.times[stage] = stage < b->plan.stages ? 1 : b->times;
        }
    }
    b->times = 1;
}

void napcoll_builder_next_stage(napcoll_builder_t *b)
{
    napcoll_stage_t stage = {.first = b->stage_first};

    if (TEMP_RELEASED == b->recvbuf) {
        b->recvbuf = TEMP_FREE;
    }
    b->free += b->released;
    b->released = 0;
    if (b->failed || b->plan.steps == b->stage_first
        || !make_room(b, &b->plan.stage, &b->stage_room, b->plan.stages + 1, sizeof(stage))) {
        return;
    }
    sort_stage(b, &stage);
    note_times(b);
    if (!b->failed) {
        b->plan.stage[b->plan.stages++] = stage;
        b->stage_first = b->plan.steps;
        b->plan.max_messages = stage.messages > b->plan.max_messages ? stage.messages
                                                                     : b->plan.max_messages;
    }
}

void napcoll_builder_phase(napcoll_builder_t *b, napcoll_scope_t scope, napcoll_phase_t phase,
                           int root, napcoll_span_t dst, napcoll_span_t left)
{
    napcoll_builder_next_stage(b);
    add_step(b, (napcoll_step_t){NAPCOLL_STEP_PHASE, phase, scope, .peer = root, .dst = dst,
                                 .left = left});
    napcoll_builder_next_stage(b);
}

void napcoll_builder_fail(napcoll_builder_t *b)
{
    b->failed = true;
}

static void free_arrays(napcoll_plan_t *plan)
{
    free(plan->edge);
    free(plan->list);
    free(plan->times);
    free(plan->temp);
    free(plan->stage);
    free(plan->step);
}

void napcoll_builder_discard(napcoll_builder_t *b)
{
    if (NULL != b) {
        free_arrays(&b->plan);
        free(b->temp);
        free(b->idle);
        free(b);
    }
}

void napcoll_plan_retain(napcoll_plan_t *plan)
{
    (void) atomic_fetch_add_explicit(&plan->users, 1, memory_order_relaxed);
}

void napcoll_plan_free(napcoll_plan_t *plan)
{
    if (NULL != plan && 0 == atomic_fetch_sub_explicit(&plan->users, 1, memory_order_acq_rel)) {
        free_arrays(plan);
        free(plan);
    }
}

static void note_name(napcoll_builder_t *b, napcoll_span_t span)
{
    if (span.buffer >= NAPCOLL_BUFFER_TEMP && span.count > 0) {
        b->temp[span.buffer - NAPCOLL_BUFFER_TEMP].named = true;
    }
}

/* Take the blocks from temporaries that no step names: they need no memory in calls. */
static void empty_unnamed(napcoll_builder_t *b)
{
    for (int i = 0; i < b->plan.steps; i++) {
        note_name(b, b->plan.step[i].dst);
        note_name(b, b->plan.step[i].left);
        note_name(b, b->plan.step[i].right);
    }
    for (int i = 0; i < b->plan.listed; i++) {
        note_name(b, b->plan.list[i]);
    }
    for (int t = 0; t < b->plan.temps; t++) {
        b->plan.temp[t].count = b->temp[t].named ? b->plan.temp[t].count : 0;
    }
}

napcoll_plan_t *napcoll_builder_finish(napcoll_builder_t *b)
{
    napcoll_plan_t *plan;

    napcoll_builder_next_stage(b);
    if (!b->failed && !b->sketch) {
        empty_unnamed(b);
    }
    plan = b->failed ? NULL : malloc(sizeof(*plan));
    if (NULL != plan) {
        *plan = b->plan;
        b->plan = (napcoll_plan_t){0};
    }
    napcoll_builder_discard(b);
    return plan;
}
