/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Building plans: steps are gathered stage by stage, temporaries are recycled between stages, those
 * that no step names in the end hold nothing, and the finished plan is packed into one piece of memory
 * each for temps, stages and steps.
 */

#include "plan/napcoll_plan.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
    TEMP_NONE, /* not ours: a receive buffer that was not lent */
    TEMP_USED,
    TEMP_DYING, /* free from the next stage on */
    TEMP_FREE
} temp_state_t;

struct napcoll_builder {
    napcoll_plan_t plan; /* its arrays grow here */
    temp_state_t *state; /* [room for temps] */
    int *idle;           /* [room for temps] first the free temporaries, then the dying ones */
    int free, dying;     /* how many of them */
    bool *named;         /* [room for temps] by a step; rows, whose first one steps name, at once */
    temp_state_t recvbuf;
    int temp_room;
    int stage_room;
    int step_room;
    int stage_first; /* first step of the current stage */
    int list_room;
    int times_room;
    int times; /* of the current stage */
    bool sketch;
    bool failed;
};

napcoll_builder_t *napcoll_builder_new(const char *collective, const char *algorithm, int rank,
                                       int blocks)
{
    napcoll_builder_t *b = calloc(1, sizeof(*b));

    if (NULL != b) {
        b->plan.collective = collective;
        b->plan.algorithm = algorithm;
        b->plan.rank = rank;
        b->plan.blocks = blocks;
        b->plan.pieces = 1;
        b->times = 1;
        b->plan.user[NAPCOLL_BUFFER_SEND] = (napcoll_block_range_t){.count = blocks};
        b->plan.user[NAPCOLL_BUFFER_RECV] = (napcoll_block_range_t){.count = blocks};
    }
    return b;
}

void napcoll_goal_buffers(napcoll_goal_t goal, napcoll_layout_t layout, int blocks, int own,
                          bool has, napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP])
{
    const napcoll_block_range_t whole = {.count = NAPCOLL_LAYOUT_SLOTS == layout ? 1 : blocks};
    const napcoll_block_range_t mine = {.first = own, .count = 1}, nothing = {0};
    const napcoll_block_range_t from_root = {.first = (blocks - own) % blocks, .count = 1};

    user[NAPCOLL_BUFFER_SEND] = user[NAPCOLL_BUFFER_RECV] = whole;
    switch (goal) {
    case NAPCOLL_GOAL_REDUCE:
    case NAPCOLL_GOAL_EXSCAN:
        user[NAPCOLL_BUFFER_RECV] = has ? whole : nothing;
        break;
    case NAPCOLL_GOAL_REDUCE_SCATTER:
        user[NAPCOLL_BUFFER_RECV] = mine;
        break;
    case NAPCOLL_GOAL_ALLGATHER:
        user[NAPCOLL_BUFFER_SEND] = mine;
        break;
    case NAPCOLL_GOAL_BCAST:
        user[has ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV] = nothing;
        break;
    case NAPCOLL_GOAL_GATHER:
        user[NAPCOLL_BUFFER_SEND] = mine;
        user[NAPCOLL_BUFFER_RECV] = has ? whole : nothing;
        break;
    case NAPCOLL_GOAL_SCATTER:
        user[NAPCOLL_BUFFER_SEND] = 0 == own ? whole : nothing;
        user[NAPCOLL_BUFFER_RECV] = from_root;
        break;
    case NAPCOLL_GOAL_BARRIER:
        user[NAPCOLL_BUFFER_SEND] = user[NAPCOLL_BUFFER_RECV] = nothing;
        break;
    default:
        break;
    }
}

void napcoll_builder_layout(napcoll_builder_t *b, napcoll_layout_t layout, bool scattered,
                            const napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP])
{
    b->plan.layout = layout;
    b->plan.scattered = scattered;
    memcpy(b->plan.user, user, sizeof(b->plan.user));
}

void napcoll_builder_reduces_alone(napcoll_builder_t *b)
{
    b->plan.reduces_alone = true;
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

void napcoll_builder_pieces(napcoll_builder_t *b, int pieces)
{
    b->plan.pieces = pieces;
}

/* Make room for `need` entries; returns the array, or NULL with the builder failed. */
static void *grow(napcoll_builder_t *b, void *array, int *room, int need, size_t entry)
{
    void *larger;
    int wanted = *room;

    if (need <= *room) {
        return array;
    }
    while (wanted < need) {
        wanted = 0 == wanted ? 16 : 2 * wanted;
    }
    larger = realloc(array, (size_t) wanted * entry);
    if (NULL == larger) {
        b->failed = true;
        return array;
    }
    *room = wanted;
    return larger;
}

napcoll_span_t napcoll_builder_rows(napcoll_builder_t *b, int rows, int first, int count)
{
    int room = b->temp_room, start = b->plan.temps;
    napcoll_span_t span = {.buffer = NAPCOLL_BUFFER_TEMP + start, .first = first, .count = count};

    b->plan.temp = grow(b, b->plan.temp, &room, start + rows, sizeof(*b->plan.temp));
    if (!b->failed) {
        room = b->temp_room;
        b->state = grow(b, b->state, &room, start + rows, sizeof(*b->state));
    }
    if (!b->failed) {
        room = b->temp_room;
        b->named = grow(b, b->named, &room, start + rows, sizeof(*b->named));
    }
    if (!b->failed) {
        b->idle = grow(b, b->idle, &b->temp_room, start + rows, sizeof(*b->idle));
    }
    for (int t = start; t < start + rows && !b->failed; t++) {
        b->plan.temp[t] = (napcoll_block_range_t){.first = first, .count = count};
        b->state[t] = TEMP_USED;
        b->named[t] = rows > 1;
        b->plan.temps++;
    }
    return span;
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
            b->state[t] = TEMP_USED;
            b->idle[i] = b->idle[--b->free];
            b->idle[b->free] = b->idle[b->free + b->dying];
            return (napcoll_span_t){NAPCOLL_BUFFER_TEMP + t, first, count};
        }
    }
    return napcoll_builder_rows(b, 1, first, count);
}

void napcoll_builder_release(napcoll_builder_t *b, napcoll_span_t span)
{
    int t = span.buffer - NAPCOLL_BUFFER_TEMP;

    if (NAPCOLL_BUFFER_RECV == span.buffer && TEMP_USED == b->recvbuf) {
        b->recvbuf = TEMP_DYING;
    }
    if (t >= 0 && t < b->plan.temps && TEMP_USED == b->state[t]) {
        b->state[t] = TEMP_DYING;
        b->idle[b->free + b->dying++] = t;
    }
}

static void push(napcoll_builder_t *b, napcoll_step_t step)
{
    b->plan.step = grow(b, b->plan.step, &b->step_room, b->plan.steps + 1, sizeof(step));
    if (!b->failed) {
        b->plan.step[b->plan.steps++] = step;
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
    if (0 == run.count) {
        return;
    }
    b->plan.list = grow(b, b->plan.list, &b->list_room, b->plan.listed + 1, sizeof(run));
    if (b->failed) {
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
    if (b->failed || b->sketch || b->plan.listed != list.first + 1) {
        return list;
    }
    return b->plan.list[--b->plan.listed];
}

void napcoll_builder_recv_blocks(napcoll_builder_t *b, napcoll_span_t dst, int peer, bool headed)
{
    push(b,
         (napcoll_step_t){.kind = NAPCOLL_STEP_RECV, .peer = peer, .headed = headed, .dst = dst});
}

void napcoll_builder_send_blocks(napcoll_builder_t *b, napcoll_span_t left, int peer, bool headed)
{
    push(b,
         (napcoll_step_t){.kind = NAPCOLL_STEP_SEND, .peer = peer, .headed = headed, .left = left});
}

void napcoll_builder_recv(napcoll_builder_t *b, napcoll_span_t dst, int peer)
{
    napcoll_builder_recv_blocks(b, dst, peer, false);
}

void napcoll_builder_send(napcoll_builder_t *b, napcoll_span_t left, int peer)
{
    napcoll_builder_send_blocks(b, left, peer, false);
}

void napcoll_builder_recv_sizes(napcoll_builder_t *b, napcoll_span_t dst, int peer)
{
    if (dst.count > 0) {
        push(b,
             (napcoll_step_t){.kind = NAPCOLL_STEP_RECV, .peer = peer, .sizes = true, .dst = dst});
    }
}

void napcoll_builder_send_sizes(napcoll_builder_t *b, napcoll_span_t left, int peer)
{
    if (left.count > 0) {
        push(b, (napcoll_step_t){
                    .kind = NAPCOLL_STEP_SEND, .peer = peer, .sizes = true, .left = left});
    }
}

void napcoll_builder_reduce(napcoll_builder_t *b, napcoll_span_t dst, napcoll_span_t left,
                            napcoll_span_t right)
{
    push(b,
         (napcoll_step_t){.kind = NAPCOLL_STEP_REDUCE, .dst = dst, .left = left, .right = right});
}

void napcoll_builder_copy(napcoll_builder_t *b, napcoll_span_t dst, napcoll_span_t left)
{
    if (!napcoll_span_equal(dst, left)) {
        push(b, (napcoll_step_t){.kind = NAPCOLL_STEP_COPY, .dst = dst, .left = left});
    }
}

void napcoll_builder_phase(napcoll_builder_t *b, napcoll_phase_t phase, int root,
                           napcoll_span_t dst, napcoll_span_t left)
{
    push(b,
         (napcoll_step_t){
             .kind = NAPCOLL_STEP_PHASE, .phase = phase, .peer = root, .dst = dst, .left = left});
}

/* Stable order inside a stage: receives, sends, then the work as it was listed. */
static void sort_stage(napcoll_builder_t *b, napcoll_stage_t *stage)
{
    napcoll_step_t *step = b->plan.step + stage->first;
    int steps = b->plan.steps - stage->first, at = 0;
    napcoll_step_t *sorted = malloc((size_t) steps * sizeof(*sorted));

    if (NULL == sorted) {
        b->failed = true;
        return;
    }
    for (int kind = NAPCOLL_STEP_RECV; kind <= NAPCOLL_STEP_SEND; kind++) {
        for (int i = 0; i < steps; i++) {
            if (kind == (int) step[i].kind) {
                sorted[at++] = step[i];
            }
        }
    }
    stage->messages = at;
    stage->work = steps - at;
    for (int i = 0; i < steps; i++) {
        if (step[i].kind > NAPCOLL_STEP_SEND) {
            sorted[at++] = step[i];
        }
    }
    memcpy(step, sorted, (size_t) steps * sizeof(*sorted));
    free(sorted);
}

/* Keep for how many stages the one that ends stands, once there is one that stands for several. */
static void keep_times(napcoll_builder_t *b)
{
    const int known = NULL == b->plan.times ? 0 : b->plan.stages;

    b->plan.times = grow(b, b->plan.times, &b->times_room, b->plan.stages + 1,
                         sizeof(*b->plan.times));
    for (int stage = known; stage <= b->plan.stages && !b->failed; stage++) {
        b->plan.times[stage] = stage < b->plan.stages ? 1 : b->times;
    }
}

void napcoll_builder_next_stage(napcoll_builder_t *b)
{
    napcoll_stage_t stage = {.first = b->stage_first};

    if (TEMP_DYING == b->recvbuf) {
        b->recvbuf = TEMP_FREE;
    }
    b->free += b->dying; /* their state says no more than that they are not used */
    b->dying = 0;
    if (b->failed || b->plan.steps == b->stage_first) {
        return;
    }
    b->plan.stage = grow(b, b->plan.stage, &b->stage_room, b->plan.stages + 1, sizeof(stage));
    sort_stage(b, &stage);
    if (b->times > 1 || NULL != b->plan.times) {
        keep_times(b);
    }
    b->times = 1;
    if (!b->failed) {
        b->plan.stage[b->plan.stages++] = stage;
        b->stage_first = b->plan.steps;
        b->plan.max_messages = stage.messages > b->plan.max_messages ? stage.messages
                                                                     : b->plan.max_messages;
    }
}

void napcoll_builder_fail(napcoll_builder_t *b)
{
    b->failed = true;
}

void napcoll_builder_discard(napcoll_builder_t *b)
{
    if (NULL != b) {
        free(b->plan.list);
        free(b->plan.times);
        free(b->plan.temp);
        free(b->plan.stage);
        free(b->plan.step);
        free(b->state);
        free(b->named);
        free(b->idle);
        free(b);
    }
}

static void name(napcoll_builder_t *b, napcoll_span_t span)
{
    if (span.buffer >= NAPCOLL_BUFFER_TEMP && span.count > 0) {
        b->named[span.buffer - NAPCOLL_BUFFER_TEMP] = true;
    }
}

/* A temporary that was taken for what did not come takes no memory in calls. */
static void empty_unnamed(napcoll_builder_t *b)
{
    for (int i = 0; i < b->plan.steps; i++) {
        name(b, b->plan.step[i].dst);
        name(b, b->plan.step[i].left);
        name(b, b->plan.step[i].right);
    }
    for (int i = 0; i < b->plan.listed; i++) {
        name(b, b->plan.list[i]);
    }
    for (int t = 0; t < b->plan.temps; t++) {
        b->plan.temp[t].count = b->named[t] ? b->plan.temp[t].count : 0;
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
        b->plan = (napcoll_plan_t){0}; /* the arrays are the plan's now */
    }
    napcoll_builder_discard(b);
    return plan;
}

size_t napcoll_plan_bytes(const napcoll_plan_t *plan)
{
    return sizeof(*plan) + (size_t) plan->steps * sizeof(*plan->step)
           + (size_t) plan->stages * sizeof(*plan->stage)
           + (size_t) plan->temps * sizeof(*plan->temp)
           + (size_t) plan->listed * sizeof(*plan->list);
}

void napcoll_plan_free(napcoll_plan_t *plan)
{
    if (NULL != plan) {
        free(plan->list);
        free(plan->times);
        free(plan->temp);
        free(plan->stage);
        free(plan->step);
        free(plan);
    }
}
