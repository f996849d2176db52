/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which received blocks one reduction reads and nothing else (napcoll_plan_mark_read_once).
 */

#include "plan/napcoll_plan.h"

static bool overlaps(napcoll_span_t a, napcoll_span_t b)
{
    return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

static bool covers(napcoll_span_t outer, napcoll_span_t inner)
{
    return outer.buffer == inner.buffer && outer.first <= inner.first
           && outer.first + outer.count >= inner.first + inner.count;
}

/* What a step does to blocks. */
typedef enum { LEAVES, OVERWRITES, READS } effect_t;

/* A part that is overwritten counts as a read: the rest may be read later. So does a phase, whose
 * spans stand for more blocks than they name. */
static effect_t effect_of(const napcoll_step_t *step, napcoll_span_t blocks)
{
    const bool receives = NAPCOLL_STEP_RECV == step->kind, sends = NAPCOLL_STEP_SEND == step->kind;

    if (NAPCOLL_STEP_PHASE == step->kind || (!receives && overlaps(step->left, blocks))
        || (NAPCOLL_STEP_REDUCE == step->kind && overlaps(step->right, blocks))) {
        return READS;
    }
    if (!sends && overlaps(step->dst, blocks)) {
        return covers(step->dst, blocks) ? OVERWRITES : READS;
    }
    return LEAVES;
}

/* Whether a reduction takes blocks as one of its operands, and does not touch them otherwise but
 * to put its result there. */
static bool takes(const napcoll_step_t *step, napcoll_span_t blocks)
{
    if (NAPCOLL_STEP_REDUCE != step->kind) {
        return false;
    }
    return (napcoll_span_equal(step->right, blocks) && !overlaps(step->left, blocks))
           || (napcoll_span_equal(step->left, blocks) && !overlaps(step->right, blocks)
               && !overlaps(step->dst, blocks));
}

static bool is_read_once(const napcoll_plan_t *plan, const napcoll_stage_t *stage,
                         napcoll_span_t blocks)
{
    const int end = stage->first + stage->messages + stage->work;
    int i = stage->first + stage->messages;

    if (blocks.buffer < NAPCOLL_BUFFER_RECV || 0 == blocks.count) {
        return false;
    }
    while (i < end && LEAVES == effect_of(&plan->step[i], blocks)) {
        i++;
    }
    if (i == end || !takes(&plan->step[i], blocks)) {
        return false;
    }
    if (napcoll_span_equal(plan->step[i].dst, blocks)) {
        return true;
    }
    for (i++; i < plan->steps; i++) {
        const effect_t effect = effect_of(&plan->step[i], blocks);

        if (LEAVES != effect) {
            return OVERWRITES == effect;
        }
    }
    /* the user reads the receive buffer */
    return blocks.buffer >= NAPCOLL_BUFFER_TEMP;
}

void napcoll_plan_mark_read_once(napcoll_plan_t *plan)
{
    for (int s = 0; s < plan->stages; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];

        for (int i = stage->first; i < stage->first + stage->messages && stage->work > 0; i++) {
            napcoll_step_t *step = &plan->step[i];

            step->read_once = NAPCOLL_STEP_RECV == step->kind
                              && is_read_once(plan, stage, step->dst);
        }
    }
}
