/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The user's buffers in a plan, and plans as a row of numbers, to send them to another process:
 *
 *     rank blocks temps stages steps max_messages layout scattered listed pieces edges
 *     first count                                     of each buffer
 *     first messages work                             of each stage
 *     kind phase peer headed dst left right
 *                                                     of each step; a span is buffer first count
 *     span                                            of each run of the list
 *     peer number                                     of each edge
 */

#include "plan/napcoll_plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_goal.h"

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

size_t napcoll_plan_bytes(const napcoll_plan_t *plan)
{
    return sizeof(*plan) + (size_t) plan->steps * sizeof(*plan->step)
           + (size_t) plan->stages * sizeof(*plan->stage)
           + (size_t) plan->temps * sizeof(*plan->temp)
           + (size_t) plan->listed * sizeof(*plan->list)
           + (size_t) plan->edges * sizeof(*plan->edge);
}

enum {
    HEAD_NUMBERS = 11,
    RANGE_NUMBERS = 2,
    STAGE_NUMBERS = 3,
    STEP_NUMBERS = 14,
    SPAN_NUMBERS = 3,
    EDGE_NUMBERS = 2
};

size_t napcoll_plan_packed_count(const napcoll_plan_t *plan)
{
    return HEAD_NUMBERS + RANGE_NUMBERS * (NAPCOLL_BUFFER_TEMP + (size_t) plan->temps)
           + STAGE_NUMBERS * (size_t) plan->stages + STEP_NUMBERS * (size_t) plan->steps
           + SPAN_NUMBERS * (size_t) plan->listed + EDGE_NUMBERS * (size_t) plan->edges;
}

/* Packs numbers, or unpacks them, one after the other. */
typedef struct {
    int32_t *to;
    const int32_t *from;
} packer_t;

/* Pack or unpack one number. */
static void pack_number(packer_t *packer, int32_t *number)
{
    if (NULL != packer->to) {
        *packer->to++ = *number;
    } else {
        *number = *packer->from++;
    }
}

static void pack_span(packer_t *packer, napcoll_span_t *span)
{
    pack_number(packer, &span->buffer);
    pack_number(packer, &span->first);
    pack_number(packer, &span->count);
}

static void pack_range(packer_t *packer, napcoll_block_range_t *range)
{
    pack_number(packer, &range->first);
    pack_number(packer, &range->count);
}

static void pack_step(packer_t *packer, napcoll_step_t *step)
{
    int32_t kind = (int32_t) step->kind, phase = (int32_t) step->phase;
    int32_t scope = (int32_t) step->scope, headed = step->headed;

    pack_number(packer, &kind);
    pack_number(packer, &phase);
    pack_number(packer, &scope);
    pack_number(packer, &step->peer);
    pack_number(packer, &headed);
    pack_span(packer, &step->dst);
    pack_span(packer, &step->left);
    pack_span(packer, &step->right);
    if (NULL == packer->to) {
        step->kind = (napcoll_step_kind_t) kind;
        step->phase = (napcoll_phase_t) phase;
        step->scope = (napcoll_scope_t) scope;
        step->headed = 0 != headed;
    }
}

static void pack_arrays(packer_t *packer, napcoll_plan_t *plan)
{
    for (int i = 0; i < NAPCOLL_BUFFER_TEMP; i++) {
        pack_range(packer, &plan->user[i]);
    }
    for (int t = 0; t < plan->temps; t++) {
        pack_range(packer, &plan->temp[t]);
    }
    for (int s = 0; s < plan->stages; s++) {
        pack_number(packer, &plan->stage[s].first);
        pack_number(packer, &plan->stage[s].messages);
        pack_number(packer, &plan->stage[s].work);
    }
    for (int i = 0; i < plan->steps; i++) {
        pack_step(packer, &plan->step[i]);
    }
    for (int i = 0; i < plan->listed; i++) {
        pack_span(packer, &plan->list[i]);
    }
    for (int i = 0; i < plan->edges; i++) {
        pack_number(packer, &plan->edge[i].peer);
        pack_number(packer, &plan->edge[i].number);
    }
}

void napcoll_plan_pack(const napcoll_plan_t *plan, int32_t *numbers)
{
    const int32_t head[HEAD_NUMBERS] = {
        plan->rank,         plan->blocks,           plan->temps,     plan->stages, plan->steps,
        plan->max_messages, (int32_t) plan->layout, plan->scattered, plan->listed, plan->pieces,
        plan->edges};
    packer_t packer = {.to = numbers + HEAD_NUMBERS};

    memcpy(numbers, head, sizeof(head));
    pack_arrays(&packer, (napcoll_plan_t *) (uintptr_t) plan);
}

/* Whether the head of a packed plan makes sense, and asks for as many numbers as there are. */
static bool head_fits(const napcoll_plan_t *plan, size_t count)
{
    const int32_t entries[] = {plan->temps, plan->stages, plan->steps, plan->listed, plan->edges};

    for (int i = 0; i < 5; i++) {
        if (entries[i] < 0 || (size_t) entries[i] > count) {
            return false;
        }
    }
    return plan->blocks >= 1 && plan->pieces >= 1 && plan->max_messages >= 0
           && (unsigned) plan->layout < NAPCOLL_LAYOUTS && count == napcoll_plan_packed_count(plan);
}

/* An array of at least one entry. */
static void *new_array(int32_t count, size_t entry)
{
    return calloc((size_t) (count > 0 ? count : 1), entry);
}

napcoll_plan_t *napcoll_plan_unpack(const int32_t *numbers, size_t count, const char *collective,
                                    const char *algorithm)
{
    packer_t packer = {.from = numbers + HEAD_NUMBERS};
    napcoll_plan_t *plan = count < HEAD_NUMBERS ? NULL : calloc(1, sizeof(*plan));

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
                             .pieces = numbers[9],
                             .edges = numbers[10]};
    if (head_fits(plan, count)) {
        plan->temp = new_array(plan->temps, sizeof(*plan->temp));
        plan->stage = new_array(plan->stages, sizeof(*plan->stage));
        plan->step = new_array(plan->steps, sizeof(*plan->step));
        plan->list = new_array(plan->listed, sizeof(*plan->list));
        plan->edge = new_array(plan->edges, sizeof(*plan->edge));
    }
    if (NULL == plan->edge || NULL == plan->temp || NULL == plan->stage || NULL == plan->step
        || NULL == plan->list) {
        napcoll_plan_free(plan);
        return NULL;
    }
    pack_arrays(&packer, plan);
    return plan;
}
