/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans as a row of numbers, to send them to another process (see napcoll_plan.h):
 *
 *     rank blocks temps stages steps max_messages layout scattered listed pieces
 *     first count                                   of each buffer
 *     first messages work                           of each stage
 *     kind phase peer sizes+2headed dst left right  of each step; a span is buffer first count
 *     span                                          of each run of the list
 */

#include <stdlib.h>

#include "plan/napcoll_plan.h"

enum { HEAD = 10, PER_BUFFER = 2, PER_STAGE = 3, PER_STEP = 13, PER_RUN = 3 };

size_t napcoll_plan_packed_count(const napcoll_plan_t *plan)
{
    return HEAD + PER_BUFFER * (NAPCOLL_BUFFER_TEMP + (size_t) plan->temps)
           + PER_STAGE * (size_t) plan->stages + PER_STEP * (size_t) plan->steps
           + PER_RUN * (size_t) plan->listed;
}

static void put_span(int32_t **at, napcoll_span_t span)
{
    *(*at)++ = span.buffer;
    *(*at)++ = span.first;
    *(*at)++ = span.count;
}

static napcoll_span_t get_span(const int32_t **at)
{
    const int32_t *from = *at;

    *at += 3;
    return (napcoll_span_t){.buffer = from[0], .first = from[1], .count = from[2]};
}

void napcoll_plan_pack(const napcoll_plan_t *plan, int32_t *numbers)
{
    const int32_t head[HEAD] = {
        plan->rank,         plan->blocks,           plan->temps,     plan->stages, plan->steps,
        plan->max_messages, (int32_t) plan->layout, plan->scattered, plan->listed, plan->pieces};
    int32_t *at = numbers;

    for (int i = 0; i < HEAD; i++) {
        *at++ = head[i];
    }
    for (int buffer = 0; buffer < NAPCOLL_BUFFER_TEMP + plan->temps; buffer++) {
        *at++ = napcoll_plan_block_range(plan, buffer).first;
        *at++ = napcoll_plan_block_range(plan, buffer).count;
    }
    for (int s = 0; s < plan->stages; s++) {
        *at++ = plan->stage[s].first;
        *at++ = plan->stage[s].messages;
        *at++ = plan->stage[s].work;
    }
    for (int i = 0; i < plan->steps; i++) {
        *at++ = (int32_t) plan->step[i].kind;
        *at++ = (int32_t) plan->step[i].phase;
        *at++ = plan->step[i].peer;
        *at++ = plan->step[i].sizes + 2 * plan->step[i].headed;
        put_span(&at, plan->step[i].dst);
        put_span(&at, plan->step[i].left);
        put_span(&at, plan->step[i].right);
    }
    for (int i = 0; i < plan->listed; i++) {
        put_span(&at, plan->list[i]);
    }
}

/* Whether a head is one of a plan of so many numbers. */
static bool head_fits(const int32_t *numbers, size_t count)
{
    if (count < HEAD || numbers[1] < 1 || numbers[9] < 1 || numbers[5] < 0 || numbers[6] < 0
        || numbers[6] >= NAPCOLL_LAYOUTS) {
        return false;
    }
    for (int i = 2; i < HEAD; i++) {
        if (numbers[i] < 0 || (i != 5 && i != 9 && (size_t) numbers[i] > count)) {
            return false;
        }
    }
    return count
           == HEAD + PER_BUFFER * (NAPCOLL_BUFFER_TEMP + (size_t) numbers[2])
                  + PER_STAGE * (size_t) numbers[3] + PER_STEP * (size_t) numbers[4]
                  + PER_RUN * (size_t) numbers[8];
}

/* An array of at least one element. */
static void *array(int32_t count, size_t size)
{
    return calloc((size_t) (count > 0 ? count : 1), size);
}

napcoll_plan_t *napcoll_plan_unpack(const int32_t *numbers, size_t count, const char *collective,
                                    const char *algorithm)
{
    const int32_t *at = numbers + HEAD;
    napcoll_plan_t *plan;

    if (!head_fits(numbers, count)) {
        return NULL;
    }
    plan = calloc(1, sizeof(*plan));
    if (NULL == plan) {
        return NULL;
    }
    *plan = (napcoll_plan_t){.collective = collective,
                             .algorithm = algorithm,
                             .rank = numbers[0],
                             .blocks = numbers[1],
                             .temps = numbers[2],
                             .stages = numbers[3],
                             .steps = numbers[4],
                             .max_messages = numbers[5],
                             .layout = (napcoll_layout_t) numbers[6],
                             .scattered = 0 != numbers[7],
                             .listed = numbers[8],
                             .pieces = numbers[9]};
    plan->temp = array(plan->temps, sizeof(*plan->temp));
    plan->stage = array(plan->stages, sizeof(*plan->stage));
    plan->step = array(plan->steps, sizeof(*plan->step));
    plan->list = array(plan->listed, sizeof(*plan->list));
    if (NULL == plan->temp || NULL == plan->stage || NULL == plan->step || NULL == plan->list) {
        napcoll_plan_free(plan);
        return NULL;
    }
    for (int i = 0; i < NAPCOLL_BUFFER_TEMP; i++, at += PER_BUFFER) {
        plan->user[i] = (napcoll_block_range_t){.first = at[0], .count = at[1]};
    }
    for (int t = 0; t < plan->temps; t++, at += PER_BUFFER) {
        plan->temp[t] = (napcoll_block_range_t){.first = at[0], .count = at[1]};
    }
    for (int s = 0; s < plan->stages; s++, at += PER_STAGE) {
        plan->stage[s] = (napcoll_stage_t){.first = at[0], .messages = at[1], .work = at[2]};
    }
    for (int i = 0; i < plan->steps; i++) {
        napcoll_step_t *step = &plan->step[i];

        step->kind = (napcoll_step_kind_t) at[0];
        step->phase = (napcoll_phase_t) at[1];
        step->peer = at[2];
        step->sizes = 0 != at[3] % 2;
        step->headed = 0 != at[3] / 2;
        at += 4;
        step->dst = get_span(&at);
        step->left = get_span(&at);
        step->right = get_span(&at);
    }
    for (int i = 0; i < plan->listed; i++) {
        plan->list[i] = get_span(&at);
    }
    return plan;
}
