/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What an operation waits for, for the report of a stalled call. It only reads the operation.
 */

#include "exec/napcoll_operation.h"

/* The messages by the PML that have not ended. */
static void add_messages(const napcoll_messages_t *messages, bool *peer)
{
    for (int i = 0; i < messages->posted; i++) {
        const ompi_request_t *request = messages->request[i];

        if (NULL != request && MPI_REQUEST_NULL != request && !REQUEST_COMPLETE(request)) {
            peer[messages->peer[i] >= 0 ? messages->peer[i] : ~messages->peer[i]] = true;
        }
    }
}

/* The messages through node memory that have not ended. */
static void add_node_messages(const napcoll_node_messages_t *messages, bool *peer)
{
    for (int i = 0; i < messages->posted && messages->left > 0; i++) {
        if (!messages->item[i].ended) {
            peer[messages->item[i].step->peer] = true;
        }
    }
}

static bool has_phase(const napcoll_plan_t *plan, const napcoll_stage_t *stage)
{
    const napcoll_step_t *work = &plan->step[stage->first + stage->messages];

    for (int i = 0; i < stage->work; i++) {
        if (NAPCOLL_STEP_PHASE == work[i].kind) {
            return true;
        }
    }
    return false;
}

napcoll_awaits_t napcoll_operation_awaits(const napcoll_operation_t *op, bool *peer)
{
    const napcoll_plan_t *plan = op->plan;
    const napcoll_stage_t *stage = op->stage < plan->stages ? &plan->stage[op->stage] : NULL;

    if (!op->entered) {
        return NAPCOLL_AWAITS_TURN;
    }
    if (op->under_way) {
        add_messages(&op->messages, peer);
        add_node_messages(&op->node_messages, peer);
    } else if (NULL != stage && has_phase(plan, stage)) {
        return NAPCOLL_AWAITS_PHASE;
    } else if (NULL != stage && 1 == stage->messages) {
        /* in a blocking call of the PML */
        peer[plan->step[stage->first].peer] = true;
    }
    if (op->personalized.has_direct && !op->truncated) {
        add_messages(&op->personalized.direct, peer);
    }
    return NAPCOLL_AWAITS_MESSAGES;
}
