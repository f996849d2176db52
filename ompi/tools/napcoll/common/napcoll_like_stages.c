/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What plans have in common (see the header).
 */

#include "common/napcoll_like_stages.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_mix.h"

static bool same_range(napcoll_block_range_t a, napcoll_block_range_t b)
{
    return a.first == b.first && a.count == b.count;
}

static bool are_buffers_of(const napcoll_like_buffers_t *buffers, const napcoll_plan_t *plan)
{
    bool same = buffers->layout == plan->layout && buffers->scattered == plan->scattered
                && buffers->blocks == plan->blocks && buffers->pieces == plan->pieces
                && buffers->count == NAPCOLL_BUFFER_TEMP + plan->temps;

    for (int buffer = 0; same && buffer < buffers->count; buffer++) {
        same = same_range(buffers->range[buffer], napcoll_plan_block_range(plan, buffer));
    }
    return same;
}

/* Buffers for a plan; NULL when memory ran out. */
static napcoll_like_buffers_t *new_buffers(const napcoll_plan_t *plan)
{
    const size_t count = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;
    napcoll_like_buffers_t *buffers = malloc(
        sizeof(*buffers) + count * (sizeof(*buffers->range) + sizeof(*buffers->at)));

    if (NULL == buffers) {
        return NULL;
    }
    *buffers = (napcoll_like_buffers_t){.layout = plan->layout,
                                        .scattered = plan->scattered,
                                        .blocks = plan->blocks,
                                        .pieces = plan->pieces,
                                        .count = (int32_t) count,
                                        .range = (napcoll_block_range_t *) (buffers + 1)};
    buffers->at = (int32_t *) (buffers->range + count);
    for (int buffer = 0; buffer < buffers->count; buffer++) {
        buffers->range[buffer] = napcoll_plan_block_range(plan, buffer);
        buffers->at[buffer] = buffers->all_blocks;
        buffers->all_blocks += buffers->range[buffer].count;
    }
    return buffers;
}

/* Check a stage as the only one of a plan. Messages between nodes are counted for each rank. */
static bool is_right(const napcoll_like_stages_t *known, const napcoll_plan_t *plan,
                     const napcoll_stage_t *stage)
{
    napcoll_stage_t only = {.messages = stage->messages, .work = stage->work};
    const napcoll_plan_t one = {.collective = plan->collective,
                                .algorithm = plan->algorithm,
                                .rank = plan->rank,
                                .layout = plan->layout,
                                .blocks = plan->blocks,
                                .scattered = plan->scattered,
                                .pieces = plan->pieces,
                                .user = {plan->user[0], plan->user[1]},
                                .temps = plan->temps,
                                .stages = 1,
                                .steps = stage->messages + stage->work,
                                .max_messages = plan->max_messages,
                                .temp = plan->temp,
                                .stage = &only,
                                .step = plan->step + stage->first};
    napcoll_claim_t claim = *known->claim;
    napcoll_verdict_t verdict;

    claim.max_inter = 0;
    for (int i = only.messages; i < one.steps; i++) {
        if (NAPCOLL_STEP_REDUCE != one.step[i].kind && NAPCOLL_STEP_COPY != one.step[i].kind) {
            return false;
        }
    }
    return NAPCOLL_VERIFY_OK == napcoll_plan_check(&one, known->map, &claim, &verdict);
}

const napcoll_like_buffers_t *napcoll_like_stages_buffers(napcoll_like_stages_t *known,
                                                          const napcoll_plan_t *plan)
{
    const napcoll_stage_t empty = {.messages = 0};
    napcoll_like_buffers_t *buffers = known->buffers;

    while (NULL != buffers && !are_buffers_of(buffers, plan)) {
        buffers = buffers->next;
    }
    if (NULL == buffers && is_right(known, plan, &empty)) {
        buffers = new_buffers(plan);
        if (NULL != buffers) {
            buffers->next = known->buffers;
            known->buffers = buffers;
        }
    }
    return buffers;
}

static uint64_t mix_span(uint64_t hash, napcoll_span_t span)
{
    hash = napcoll_mix(hash + ((uint64_t) (uint32_t) span.buffer << 32 | (uint32_t) span.first));
    return napcoll_mix(hash + (uint32_t) span.count);
}

static uint64_t hash_of(const napcoll_like_buffers_t *buffers, const napcoll_step_t *step,
                        int steps)
{
    uint64_t hash = (uint64_t) (uintptr_t) buffers;

    for (int i = 0; i < steps; i++) {
        hash = mix_span(hash + (uint64_t) step[i].kind, *napcoll_step_span(&step[i]));
        if (step[i].kind > NAPCOLL_STEP_SEND) {
            hash = mix_span(mix_span(hash, step[i].left), step[i].right);
        }
    }
    return hash;
}

static bool same_steps(const napcoll_step_t *a, const napcoll_step_t *b, int steps)
{
    bool same = true;

    for (int i = 0; i < steps && same; i++) {
        same = a[i].kind == b[i].kind && a[i].headed == b[i].headed
               && napcoll_span_equal(a[i].dst, b[i].dst) && napcoll_span_equal(a[i].left, b[i].left)
               && napcoll_span_equal(a[i].right, b[i].right);
    }
    return same;
}

const napcoll_like_stage_t *napcoll_like_stages_find(napcoll_like_stages_t *known,
                                                     const napcoll_like_buffers_t *buffers,
                                                     const napcoll_plan_t *plan,
                                                     const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = plan->step + stage->first;
    const int steps = stage->messages + stage->work;
    const uint64_t hash = hash_of(buffers, step, steps);
    napcoll_like_stage_t **list = &known->list[hash % NAPCOLL_LIKE_STAGE_LISTS], *like = *list;

    while (NULL != like
           && (like->hash != hash || like->buffers != buffers || like->messages != stage->messages
               || like->work != stage->work || !same_steps(like->step, step, steps))) {
        like = like->next;
    }
    if (NULL != like || !is_right(known, plan, stage)) {
        return like;
    }
    like = malloc(sizeof(*like) + (size_t) steps * sizeof(*step));
    if (NULL != like) {
        *like = (napcoll_like_stage_t){.next = *list,
                                       .hash = hash,
                                       .buffers = buffers,
                                       .messages = stage->messages,
                                       .work = stage->work};
        memcpy(like->step, step, (size_t) steps * sizeof(*step));
        *list = like;
    }
    return like;
}

void napcoll_like_stages_free(napcoll_like_stages_t *known)
{
    while (NULL != known->buffers) {
        napcoll_like_buffers_t *buffers = known->buffers;

        known->buffers = buffers->next;
        free(buffers);
    }
    for (int i = 0; i < NAPCOLL_LIKE_STAGE_LISTS; i++) {
        while (NULL != known->list[i]) {
            napcoll_like_stage_t *like = known->list[i];

            known->list[i] = like->next;
            free(like);
        }
    }
}
