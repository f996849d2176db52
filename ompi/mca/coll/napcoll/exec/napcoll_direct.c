/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Direct blocks: blocks of an uneven all-to-all, gather or scatter that are too large to travel
 * through the rounds of the plan. Each is one message from its sender to its receiver, who both
 * know its size, with a tag of its own. They are posted before the first stage and move while the
 * plan runs:
 *
 *     plan     | stage 0 | stage 1 | stage 2 |
 *     direct   | blocks 1 .. 300            | blocks 301 .. 420 |
 *
 * All ranks post them in the order of the distance between the two ends, or, along edges, of the
 * turns (napcoll_turn_t), a batch at a time. The first message in this order that has not ended is
 * in the batch of both its ends, so no rank waits for ever.
 */

#include "exec/napcoll_operation.h"

/* Blocks in a batch. */
enum { AT_ONCE = 256 };

/* Post the message of a direct block. */
static int post_block(napcoll_operation_t *op, int32_t buffer, napcoll_block_t *block)
{
    napcoll_personalized_t *p = &op->personalized;
    const napcoll_step_t step = {.kind = NAPCOLL_BUFFER_SEND == buffer ? NAPCOLL_STEP_SEND
                                                                       : NAPCOLL_STEP_RECV,
                                 .peer = block->rank};
    const napcoll_message_t message = {
        .at = block->at, .count = block->count, .type = block->type, .at_most = true};

    block->request = p->direct.posted;
    return napcoll_messages_post(&p->direct, &step, &message, op->binding.comm, p->direct_tag);
}

/* How many numbers, or turns, there are. */
static int end_of_turns(const napcoll_personalized_t *p)
{
    const napcoll_block_range_t *send = &p->range[NAPCOLL_BUFFER_SEND];
    const napcoll_block_range_t *recv = &p->range[NAPCOLL_BUFFER_RECV];
    const int sent = send->first + send->count, received = recv->first + recv->count;

    if (NULL != p->turn) {
        return p->turns;
    }
    return sent > received ? sent : received;
}

/* The direct block of a turn; NULL: there is none. */
static napcoll_block_t *direct_block(const napcoll_personalized_t *p, int32_t buffer, int turn)
{
    int index = turn - p->range[buffer].first;

    if (NULL != p->turn) {
        index = NAPCOLL_BUFFER_SEND == buffer ? p->turn[turn].send : p->turn[turn].recv;
    }
    return index >= 0 && index < p->range[buffer].count && p->block[buffer][index].direct
               ? &p->block[buffer][index]
               : NULL;
}

/* Post the next batch. */
static int post_batch(napcoll_operation_t *op)
{
    static const int32_t buffers[] = {NAPCOLL_BUFFER_RECV, NAPCOLL_BUFFER_SEND};
    napcoll_personalized_t *p = &op->personalized;
    const int end = end_of_turns(p);
    int rc = OMPI_SUCCESS;

    for (; p->next_direct < end && p->direct.posted < 2 * AT_ONCE - 1; p->next_direct++) {
        for (int i = 0; i < 2 && OMPI_SUCCESS == rc; i++) {
            napcoll_block_t *block = direct_block(p, buffers[i], p->next_direct);

            rc = NULL == block ? OMPI_SUCCESS : post_block(op, buffers[i], block);
        }
    }
    return rc;
}

int napcoll_direct_bind(napcoll_operation_t *op)
{
    napcoll_personalized_t *p = &op->personalized;
    const size_t blocks = SIZE_MAX == p->inline_bytes ? 0 : napcoll_personalized_divide(p);
    const size_t most = (size_t) 2 * AT_ONCE;

    const size_t room = blocks < most ? blocks : most;

    p->has_direct = blocks > 0;
    return napcoll_messages_reserve(&p->direct, room) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

int napcoll_direct_begin(napcoll_operation_t *op)
{
    napcoll_personalized_t *p = &op->personalized;

    napcoll_messages_begin(&p->direct);
    p->next_direct = 0;
    return p->has_direct ? post_batch(op) : OMPI_SUCCESS;
}

int napcoll_direct_advance(napcoll_operation_t *op)
{
    napcoll_personalized_t *p = &op->personalized;
    int rc = OMPI_SUCCESS;

    if (p->has_direct && p->next_direct < end_of_turns(p)
        && napcoll_messages_have_ended(&p->direct)) {
        rc = napcoll_operation_end_messages(op, &p->direct, OMPI_SUCCESS);
        rc = OMPI_SUCCESS == rc ? post_batch(op) : rc;
    }
    return rc;
}

int napcoll_direct_end(napcoll_operation_t *op, bool waits, bool *ended)
{
    napcoll_personalized_t *p = &op->personalized;
    int rc = OMPI_SUCCESS;

    *ended = true;
    while (OMPI_SUCCESS == rc && p->direct.posted > 0) {
        if (!waits && napcoll_operation_waits_for(op, &p->direct)) {
            *ended = false;
            return OMPI_SUCCESS;
        }
        rc = napcoll_operation_end_messages(op, &p->direct, OMPI_SUCCESS);
        rc = OMPI_SUCCESS == rc ? post_batch(op) : rc;
    }
    return rc;
}

int napcoll_direct_expect(napcoll_operation_t *op, napcoll_block_t *block)
{
    napcoll_personalized_t *p = &op->personalized;

    napcoll_operation_truncate(op);
    return napcoll_messages_reserve(&p->direct, (size_t) p->direct.posted + 1)
               ? post_block(op, NAPCOLL_BUFFER_RECV, block)
               : OMPI_ERR_OUT_OF_RESOURCE;
}

void napcoll_direct_forget(napcoll_operation_t *op, napcoll_block_t *block)
{
    napcoll_personalized_t *p = &op->personalized;

    block->direct = false;
    if (block->request >= 0 && MPI_REQUEST_NULL != p->direct.request[block->request]) {
        (void) ompi_request_cancel(p->direct.request[block->request]);
    }
}
