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

#include "util/napcoll_grow.h"
#include "util/napcoll_mix.h"

static uint64_t mix_pair(uint64_t hash, int32_t a, int32_t b)
{
    return napcoll_mix(hash + ((uint64_t) (uint32_t) a << 32 | (uint32_t) b));
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

/* ---- buffers ---- */

static int32_t blocks_of(const napcoll_plan_t *plan, int buffer)
{
    return napcoll_plan_block_range(plan, buffer).count;
}

static bool are_buffers_of(const napcoll_like_buffers_t *buffers, const napcoll_plan_t *plan)
{
    bool same = buffers->layout == plan->layout && buffers->blocks == plan->blocks
                && buffers->count == NAPCOLL_BUFFER_TEMP + plan->temps
                && 0 == memcmp(buffers->user, plan->user, sizeof(buffers->user));

    for (int buffer = 0; same && buffer < buffers->count; buffer++) {
        same = buffers->at[buffer + 1] - buffers->at[buffer] == blocks_of(plan, buffer);
    }
    return same;
}

static uint64_t hash_buffers(const napcoll_plan_t *plan)
{
    uint64_t hash = mix_pair((uint64_t) plan->temps, plan->user[0].count, plan->user[1].count);

    for (int t = 0; t < plan->temps; t++) {
        hash = mix_pair(hash, t, plan->temp[t].count);
    }
    return hash;
}

/* Buffers for a plan; NULL when memory ran out. */
static napcoll_like_buffers_t *new_buffers(const napcoll_plan_t *plan)
{
    const size_t count = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;
    napcoll_like_buffers_t *buffers = malloc(sizeof(*buffers)
                                             + (count + 1) * sizeof(buffers->at[0]));

    if (NULL == buffers) {
        return NULL;
    }
    *buffers = (napcoll_like_buffers_t){.hash = hash_buffers(plan),
                                        .layout = plan->layout,
                                        .blocks = plan->blocks,
                                        .user = {plan->user[0], plan->user[1]},
                                        .count = (int32_t) count};
    buffers->at[0] = 0;
    for (int buffer = 0; buffer < buffers->count; buffer++) {
        buffers->at[buffer + 1] = buffers->at[buffer] + blocks_of(plan, buffer);
    }
    return buffers;
}

/* Whether a rank's user buffers hold, in one piece, what the goal gives this rank. */
static bool are_the_users(const napcoll_like_stages_t *known, const napcoll_plan_t *plan)
{
    const napcoll_claim_t *claim = known->claim;
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];

    napcoll_goal_buffers(claim->goal, plan->layout, plan->blocks,
                         napcoll_goal_place(claim->goal, known->map, claim->root, plan->rank),
                         napcoll_goal_takes(claim->goal, claim->root, plan->rank), user);
    return !plan->scattered && 1 == plan->pieces && 0 == memcmp(user, plan->user, sizeof(user));
}

/* Note which stage of a plan reads each temporary last. */
static bool note_last_reads(napcoll_like_stages_t *known, const napcoll_plan_t *plan)
{
    if (!napcoll_grow(&known->last_read, &known->last_read_room, (size_t) plan->temps,
                      sizeof(*known->last_read))) {
        return false;
    }
    for (int t = 0; t < plan->temps; t++) {
        known->last_read[t] = -1;
    }
    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        for (int i = stage->first; i < stage->first + stage->messages + stage->work; i++) {
            const napcoll_step_t *step = &plan->step[i];
            const int left = step->left.buffer - NAPCOLL_BUFFER_TEMP;
            const int right = step->right.buffer - NAPCOLL_BUFFER_TEMP;

            if (NAPCOLL_STEP_RECV != step->kind && left >= 0 && left < plan->temps) {
                known->last_read[left] = s;
            }
            if (NAPCOLL_STEP_REDUCE == step->kind && right >= 0 && right < plan->temps) {
                known->last_read[right] = s;
            }
        }
    }
    return true;
}

const napcoll_like_buffers_t *napcoll_like_stages_buffers(napcoll_like_stages_t *known,
                                                          const napcoll_plan_t *plan)
{
    const napcoll_stage_t empty = {.messages = 0};
    const uint64_t hash = hash_buffers(plan);
    napcoll_like_buffers_t **list = &known->buffers[hash % NAPCOLL_LIKE_BUFFER_LISTS];
    napcoll_like_buffers_t *buffers = *list;

    if (!are_the_users(known, plan) || !note_last_reads(known, plan)) {
        return NULL;
    }
    while (NULL != buffers && (buffers->hash != hash || !are_buffers_of(buffers, plan))) {
        buffers = buffers->next;
    }
    if (NULL == buffers && is_right(known, plan, &empty)) {
        buffers = new_buffers(plan);
        if (NULL != buffers) {
            buffers->next = *list;
            *list = buffers;
        }
    }
    return buffers;
}

/* ---- stages ---- */

/* *like = a span of a stage. False: it leaves its buffer. */
static bool note_span(const napcoll_like_stages_t *known, const napcoll_plan_t *plan, int stage,
                      napcoll_span_t span, int32_t shift, napcoll_like_span_t *like)
{
    const bool user = span.buffer < NAPCOLL_BUFFER_TEMP;
    napcoll_block_range_t range;

    if (span.buffer < 0 || span.buffer >= NAPCOLL_BUFFER_TEMP + plan->temps) {
        return false;
    }
    range = napcoll_plan_block_range(plan, span.buffer);
    *like = (napcoll_like_span_t){
        .buffer = span.buffer,
        .first = span.first - shift,
        .index = span.first - range.first - (user ? shift : 0),
        .count = span.count,
        .last_read = !user && stage == known->last_read[span.buffer - NAPCOLL_BUFFER_TEMP]};
    return span.count > 0 && span.first >= range.first
           && span.count <= range.count - (span.first - range.first);
}

/* The stage that is sought is a plan's. False: it cannot be. */
static bool seek(napcoll_like_stages_t *known, const napcoll_plan_t *plan, int index, int32_t shift)
{
    const napcoll_node_map_t *map = known->map;
    const napcoll_stage_t *stage = &plan->stage[index];
    const int place = napcoll_node_map_place(map, plan->rank);
    napcoll_like_stage_t *sought = &known->sought;
    bool inside = true;

    if (!napcoll_grow(&sought->message, &known->message_room, (size_t) stage->messages,
                      sizeof(*sought->message))
        || !napcoll_grow(&sought->work, &known->work_room, (size_t) stage->work,
                         sizeof(*sought->work))) {
        return false;
    }
    sought->layout = plan->layout;
    sought->blocks = plan->blocks;
    sought->messages = stage->messages;
    sought->works = stage->work;
    for (int i = 0; i < stage->messages && inside; i++) {
        const napcoll_step_t *step = &plan->step[stage->first + i];
        napcoll_like_message_t *message = &sought->message[i];

        *message = (napcoll_like_message_t){
            .kind = step->kind,
            .away = (napcoll_node_map_place(map, step->peer) + map->size - place) % map->size,
            .headed = step->headed};
        inside = note_span(known, plan, index, *napcoll_step_span(step), shift, &message->span);
    }
    for (int i = 0; i < stage->work && inside; i++) {
        const napcoll_step_t *step = &plan->step[stage->first + stage->messages + i];
        napcoll_like_work_t *work = &sought->work[i];

        *work = (napcoll_like_work_t){.kind = step->kind};
        inside = note_span(known, plan, index, step->dst, shift, &work->dst)
                 && note_span(known, plan, index, step->left, shift, &work->left)
                 && (NAPCOLL_STEP_REDUCE != step->kind
                     || note_span(known, plan, index, step->right, shift, &work->right));
    }
    return inside;
}

static uint64_t mix_span(uint64_t hash, const napcoll_like_span_t *span)
{
    hash = mix_pair(hash, span->buffer, span->first);
    return mix_pair(hash + span->last_read, span->index, span->count);
}

static uint64_t hash_stage(const napcoll_like_stage_t *stage)
{
    uint64_t hash = mix_pair((uint64_t) stage->layout, stage->messages, stage->works);

    for (int i = 0; i < stage->messages; i++) {
        const napcoll_like_message_t *message = &stage->message[i];

        hash = mix_span(mix_pair(hash, (int32_t) message->kind, message->away), &message->span);
    }
    for (int i = 0; i < stage->works; i++) {
        const napcoll_like_work_t *work = &stage->work[i];

        hash = mix_span(mix_span(hash + (uint64_t) work->kind, &work->dst), &work->left);
        hash = mix_span(hash, &work->right);
    }
    return hash;
}

static bool same_spans(const napcoll_like_span_t *a, const napcoll_like_span_t *b)
{
    return a->buffer == b->buffer && a->first == b->first && a->index == b->index
           && a->count == b->count && a->last_read == b->last_read;
}

static bool same_stages(const napcoll_like_stage_t *a, const napcoll_like_stage_t *b)
{
    bool same = a->hash == b->hash && a->layout == b->layout && a->blocks == b->blocks
                && a->messages == b->messages && a->works == b->works;

    for (int i = 0; same && i < a->messages; i++) {
        const napcoll_like_message_t *x = &a->message[i], *y = &b->message[i];

        same = x->kind == y->kind && x->away == y->away && x->headed == y->headed
               && same_spans(&x->span, &y->span);
    }
    for (int i = 0; same && i < a->works; i++) {
        const napcoll_like_work_t *x = &a->work[i], *y = &b->work[i];

        same = x->kind == y->kind && same_spans(&x->dst, &y->dst) && same_spans(&x->left, &y->left)
               && same_spans(&x->right, &y->right);
    }
    return same;
}

/* A copy of a stage; NULL when memory ran out. */
static napcoll_like_stage_t *copy_of(const napcoll_like_stage_t *stage)
{
    const size_t messages = (size_t) stage->messages * sizeof(*stage->message);
    const size_t works = (size_t) stage->works * sizeof(*stage->work);
    napcoll_like_stage_t *copy = malloc(sizeof(*copy) + messages + works);

    if (NULL == copy) {
        return NULL;
    }
    *copy = *stage;
    copy->message = (napcoll_like_message_t *) (copy + 1);
    copy->work = (napcoll_like_work_t *) (copy->message + stage->messages);
    for (int i = 0; i < stage->messages; i++) {
        copy->message[i] = stage->message[i];
    }
    for (int i = 0; i < stage->works; i++) {
        copy->work[i] = stage->work[i];
    }
    return copy;
}

/* The shift of a stage's numbers: of the first block that it names. Where blocks are only places
 * there is none. */
static int32_t shift_of(const napcoll_plan_t *plan, const napcoll_stage_t *stage)
{
    const napcoll_step_t *first = &plan->step[stage->first];

    return NAPCOLL_LAYOUT_VECTOR == plan->layout && stage->messages + stage->work > 0
               ? napcoll_step_span(first)->first
               : 0;
}

const napcoll_like_stage_t *napcoll_like_stages_find(napcoll_like_stages_t *known,
                                                     const napcoll_plan_t *plan, int stage,
                                                     int32_t *shift)
{
    napcoll_like_stage_t **list, *like;

    *shift = shift_of(plan, &plan->stage[stage]);
    if (!seek(known, plan, stage, *shift)) {
        return NULL;
    }
    known->sought.hash = hash_stage(&known->sought);
    list = &known->list[known->sought.hash % NAPCOLL_LIKE_STAGE_LISTS];
    like = *list;
    while (NULL != like && !same_stages(like, &known->sought)) {
        like = like->next;
    }
    if (NULL != like || !is_right(known, plan, &plan->stage[stage])) {
        return like;
    }
    like = copy_of(&known->sought);
    if (NULL != like) {
        like->next = *list;
        *list = like;
    }
    return like;
}

void napcoll_like_stages_free(napcoll_like_stages_t *known)
{
    for (int i = 0; i < NAPCOLL_LIKE_BUFFER_LISTS; i++) {
        while (NULL != known->buffers[i]) {
            napcoll_like_buffers_t *buffers = known->buffers[i];

            known->buffers[i] = buffers->next;
            free(buffers);
        }
    }
    for (int i = 0; i < NAPCOLL_LIKE_STAGE_LISTS; i++) {
        while (NULL != known->list[i]) {
            napcoll_like_stage_t *like = known->list[i];

            known->list[i] = like->next;
            free(like);
        }
    }
    free(known->last_read);
    free(known->sought.message);
    free(known->sought.work);
}
