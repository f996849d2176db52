/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For tests of proofs: plans with one mistake.
 */

#ifndef NAPCOLL_TESTS_MUTATED_H
#define NAPCOLL_TESTS_MUTATED_H

#include "plan/napcoll_plan.h"

enum { MUTATIONS = 7 };

static inline bool can_change(const napcoll_plan_t *plan, int index, int mutation)
{
    const napcoll_step_t *step = &plan->step[index];
    const napcoll_stage_t *first = &plan->stage[0];

    switch (mutation) {
    case 4:
        return index + 1 < plan->steps;
    case 5: /* the first message of a later stage */
        return step->kind <= NAPCOLL_STEP_SEND
               && index >= first->first + first->messages + first->work;
    default:
        return true;
    }
}

static inline bool change_step(napcoll_plan_t *plan, int index, int mutation, int size)
{
    napcoll_step_t *step = &plan->step[index];
    napcoll_span_t *span = NAPCOLL_STEP_RECV == step->kind ? &step->dst : &step->left;
    napcoll_step_t kept;
    napcoll_stage_t *s = plan->stage;

    if (NAPCOLL_BUFFER_LIST == span->buffer) {
        span = &plan->list[span->first];
    }
    while (index >= s->first + s->messages + s->work) {
        s++;
    }
    switch (mutation) {
    case 0:
        step->peer = (step->peer + 1) % size;
        return step->kind <= NAPCOLL_STEP_SEND;
    case 1:
        span->first++;
        return true;
    case 2:
        span->first--;
        return true;
    case 3:
        span->count--;
        return span->count > 0;
    case 4: /* the order of two steps */
        kept = *step;
        *step = step[1];
        step[1] = kept;
        return true;
    case 5: /* a message becomes a step of the stage before */
        s[0].first++;
        s[0].messages--;
        s[-1].messages++;
        return index == s->first - 1 && 0 == s[-1].work;
    default: /* a step is lost: the last of its stage twice */
        plan->step[index] = plan->step[s->first + s->messages + s->work - 1];
        return true;
    }
}

/** Change a step of a plan of some ranks; false: this mutation does not apply to it, and the plan
 * may be changed in part. */
static inline bool mutate(napcoll_plan_t *plan, int index, int mutation, int size)
{
    return index < plan->steps && can_change(plan, index, mutation)
           && change_step(plan, index, mutation, size);
}

#endif /* NAPCOLL_TESTS_MUTATED_H */
