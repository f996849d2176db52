/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whole proofs by rotation (see the header).
 */

#include "common/napcoll_rotation.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/napcoll_flow.h"
#include "common/napcoll_rounds.h"
#include "plan/napcoll_builder.h"

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_claim_t *claim;
    napcoll_turns_t turns;
    /* [turns.period] of the models */
    napcoll_flow_t *flow;
    /* of all plans that were made */
    _Atomic int64_t messages;
} rotation_t;

/* ---- plans of all ranks ---- */

/* Whether a plan is by itself as it must be: checked, without phases, of a vector of a block for
 * each rank. */
static bool is_right(const rotation_t *rotation, const napcoll_plan_t *plan)
{
    const napcoll_turns_t *turns = &rotation->turns;
    napcoll_verdict_t verdict;

    if (NAPCOLL_LAYOUT_VECTOR != plan->layout || plan->blocks != turns->map->size || plan->scattered
        || 1 != plan->pieces || 0 != plan->listed || NULL != plan->times) {
        return false;
    }
    for (int i = 0; i < plan->steps; i++) {
        if (plan->step[i].kind >= NAPCOLL_STEP_PHASE) {
            return false;
        }
    }
    return NAPCOLL_VERIFY_OK == napcoll_plan_check(plan, turns->map, rotation->claim, &verdict);
}

/* A rank's plan; NULL: it is not as it must be. */
static napcoll_plan_t *make_plan(rotation_t *rotation, int rank)
{
    napcoll_plan_t *plan = rotation->source(rotation->context, rank);

    if (NULL != plan && plan->rank == rank && is_right(rotation, plan)) {
        return plan;
    }
    napcoll_plan_free(plan);
    return NULL;
}

/* ---- models ---- */

/* Whether a plan has the other end of a rank's message in a stage, of those with messages; of
 * several between the same ranks, the one before which there are as many. */
static bool has_other_end(const napcoll_plan_t *plan, int stage, const napcoll_step_t *message,
                          int rank, int before)
{
    const napcoll_span_t *span = napcoll_step_span(message);
    const napcoll_stage_t *s = plan->stage, *end = s + plan->stages;

    while (s < end && (0 == s->messages || stage-- > 0)) {
        s++;
    }
    for (int i = 0; s < end && i < s->messages; i++) {
        const napcoll_step_t *other = &plan->step[s->first + i];
        const napcoll_span_t *theirs = napcoll_step_span(other);

        if (other->peer == rank && other->kind != message->kind && 0 == before--) {
            return span->first == theirs->first && span->count == theirs->count
                   && message->headed == other->headed;
        }
    }
    return false;
}

/* Whether all messages of a model meet their other ends, each in the same one of the stages with
 * messages. */
static bool messages_meet(rotation_t *rotation, const napcoll_plan_t *model)
{
    bool meet = true;
    int stages = 0;

    for (int s = 0; s < model->stages; s++) {
        const napcoll_stage_t *stage = &model->stage[s];

        for (int i = stage->first; i < stage->first + stage->messages && meet; i++) {
            const napcoll_step_t *message = &model->step[i];
            napcoll_plan_t *plan = make_plan(rotation, message->peer);
            int before = 0;

            for (int j = stage->first; j < i; j++) {
                before += model->step[j].peer == message->peer
                          && model->step[j].kind == message->kind;
            }
            meet = NULL != plan && has_other_end(plan, stages, message, model->rank, before);
            napcoll_plan_free(plan);
        }
        stages += stage->messages > 0;
    }
    return meet;
}

/* Read the models' plans. False: they are not as they must be. */
static bool read_models(rotation_t *rotation)
{
    const napcoll_turns_t *turns = &rotation->turns;
    bool ok = true;

    rotation->flow = calloc((size_t) turns->period, sizeof(*rotation->flow));
    if (NULL == rotation->flow) {
        return false;
    }
    for (int place = 0; place < turns->period && ok; place++) {
        napcoll_plan_t *plan = make_plan(rotation, napcoll_node_map_at(turns->map, place));

        ok = NULL != plan && messages_meet(rotation, plan)
             && napcoll_flow_read(turns, plan, &rotation->flow[place]);
        napcoll_plan_free(plan);
    }
    return ok;
}

/* ---- the first blocks of the circles ---- */

/* Circles whose first block is among some blocks; the number of the first of them. */
static napcoll_block_range_t circles_of(const rotation_t *rotation, int32_t first, int32_t count)
{
    const int32_t turns = rotation->turns.turns;
    const int32_t circle = (first + turns - 1) / turns;
    const int32_t end = (first + count + turns - 1) / turns;

    return (napcoll_block_range_t){circle, end - circle};
}

/* The circles of a span, in the buffer that the plan of the circles has for the span's. */
static napcoll_span_t circles_in(const rotation_t *rotation, const int32_t *buffer,
                                 napcoll_span_t span)
{
    const napcoll_block_range_t circles = circles_of(rotation, span.first, span.count);

    return (napcoll_span_t){buffer[span.buffer], circles.first, circles.count};
}

static void add_step(const rotation_t *rotation, napcoll_builder_t *builder, const int32_t *buffer,
                     const napcoll_step_t *step)
{
    const napcoll_span_t dst = circles_in(rotation, buffer, step->dst);
    const napcoll_span_t left = circles_in(rotation, buffer, step->left);

    if (0 == circles_in(rotation, buffer, *napcoll_step_span(step)).count) {
        return;
    }
    switch (step->kind) {
    case NAPCOLL_STEP_RECV:
        napcoll_builder_recv_blocks(builder, dst, step->peer, step->headed);
        break;
    case NAPCOLL_STEP_SEND:
        napcoll_builder_send_blocks(builder, left, step->peer, step->headed);
        break;
    case NAPCOLL_STEP_REDUCE:
        napcoll_builder_reduce(builder, dst, left, circles_in(rotation, buffer, step->right));
        break;
    default:
        napcoll_builder_copy(builder, dst, left);
        break;
    }
}

/* What a plan does to the first blocks of the circles: a plan of a vector of these. */
static napcoll_plan_t *plan_of_circles(const rotation_t *rotation, const napcoll_plan_t *plan)
{
    napcoll_builder_t *builder = napcoll_builder_new(plan->collective, plan->algorithm, plan->rank,
                                                     rotation->turns.period);
    int32_t *buffer = malloc((NAPCOLL_BUFFER_TEMP + (size_t) plan->temps) * sizeof(*buffer));

    if (NULL == builder || NULL == buffer) {
        napcoll_builder_discard(builder);
        free(buffer);
        return NULL;
    }
    for (int b = 0; b < NAPCOLL_BUFFER_TEMP + plan->temps; b++) {
        const napcoll_block_range_t range = napcoll_plan_block_range(plan, b);
        const napcoll_block_range_t circles = circles_of(rotation, range.first, range.count);

        buffer[b] = b < NAPCOLL_BUFFER_TEMP || 0 == circles.count
                        ? b
                        : napcoll_builder_temp(builder, circles.first, circles.count).buffer;
    }
    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        for (int i = 0; i < stage->messages + stage->work; i++) {
            add_step(rotation, builder, buffer, &plan->step[stage->first + i]);
        }
        napcoll_builder_next_stage(builder);
    }
    free(buffer);
    return napcoll_builder_finish(builder);
}

/* A napcoll_plan_source_t: what a rank does to the first blocks of the circles. NULL also where its
 * plan is no image of its model's. */
static napcoll_plan_t *make_plan_of_circles(void *context, int rank)
{
    rotation_t *rotation = context;
    const napcoll_turns_t *turns = &rotation->turns;
    const int place = napcoll_node_map_place(turns->map, rank);
    napcoll_plan_t *plan = make_plan(rotation, rank), *circles = NULL;
    int64_t received = 0;

    if (NULL != plan
        && napcoll_flow_is_image(turns, plan, &rotation->flow[place % turns->period])) {
        circles = plan_of_circles(rotation, plan);
        for (int i = 0; i < plan->steps; i++) {
            received += NAPCOLL_STEP_RECV == plan->step[i].kind;
        }
        (void) atomic_fetch_add_explicit(&rotation->messages, received, memory_order_relaxed);
    }
    napcoll_plan_free(plan);
    return circles;
}

/* ---- proofs ---- */

static bool prove(rotation_t *rotation, int period, int jobs, napcoll_verdict_t *verdict)
{
    napcoll_turns_t *turns = &rotation->turns;
    bool ok;

    turns->period = period;
    turns->turns = turns->map->size / period;
    atomic_store(&rotation->messages, 0);
    ok = turns->turns > 1 && read_models(rotation)
         && napcoll_prove_in_rounds(make_plan_of_circles, rotation, turns->map, rotation->claim,
                                    jobs, verdict);
    verdict->messages = atomic_load(&rotation->messages);
    for (int i = 0; i < period && NULL != rotation->flow; i++) {
        napcoll_flow_free(&rotation->flow[i]);
    }
    free(rotation->flow);
    rotation->flow = NULL;
    return ok;
}

bool napcoll_prove_by_rotation(napcoll_plan_source_t source, void *context,
                               const napcoll_node_map_t *map, const napcoll_claim_t *claim,
                               int jobs, napcoll_verdict_t *verdict)
{
    rotation_t rotation = {
        .source = source,
        .context = context,
        .claim = claim,
        .turns = {.map = map,
                  .input = claim->in_place ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND}};

    /* the order of ranks is not rotated, nor are their halves */
    if (NAPCOLL_GOAL_ALLREDUCE != claim->goal || claim->noncommutative || claim->canonical) {
        return false;
    }
    return prove(&rotation, 1, jobs, verdict)
           || (map->min_ppn == map->max_ppn && map->max_ppn > 1
               && prove(&rotation, map->max_ppn, jobs, verdict));
}
