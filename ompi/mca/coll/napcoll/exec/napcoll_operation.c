/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Operations (see the header). A stage goes
 *
 *     before  post receives, post sends  (wait for all)  after  work
 *
 * The first error ends an operation, except that a message did not have as many bytes as its
 * receiver said: other processes wait for what this one still has to send. Its later messages have
 * no bytes, so that their receivers see an error too.
 */

#include "exec/napcoll_operation.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opal/runtime/opal_progress.h"
#include "util/napcoll_grow.h"

/* How long a truncated operation waits for messages. */
static const double patience_s = 1;

/* ---- the pool: as many operations as were ever under way at once, to a limit ---- */

enum { POOLED_OPERATIONS = 8 };

static _Atomic(napcoll_operation_t *) pool[POOLED_OPERATIONS];

/* Put an operation, or NULL, into a place of the pool; returns what was in it. */
static inline napcoll_operation_t *swap(int place, napcoll_operation_t *op)
{
    napcoll_operation_t *before;

    if (opal_using_threads()) {
        return atomic_exchange_explicit(&pool[place], op, memory_order_acq_rel);
    }
    before = atomic_load_explicit(&pool[place], memory_order_relaxed);
    atomic_store_explicit(&pool[place], op, memory_order_relaxed);
    return before;
}

napcoll_operation_t *napcoll_operation_take(void)
{
    napcoll_operation_t *op = NULL;

    for (int i = 0; i < POOLED_OPERATIONS && NULL == op; i++) {
        if (NULL != atomic_load_explicit(&pool[i], memory_order_relaxed)) {
            op = swap(i, NULL);
        }
    }
    if (NULL == op) {
        op = calloc(1, sizeof(*op));
        if (NULL != op) {
            /* like a pooled one: no plan is under way */
            op->done = true;
        }
    }
    return op;
}

void napcoll_operation_free(napcoll_operation_t *op)
{
    if (NULL == op) {
        return;
    }
    napcoll_messages_free(&op->messages);
    napcoll_node_messages_free(&op->node_messages);
    napcoll_personalized_end(&op->personalized, 0);
    napcoll_buffer_give(&op->scratch);
    free(op->stream.came);
    free(op->base);
    free(op->starts);
    free(op->places);
    free(op);
}

void napcoll_operation_give(napcoll_operation_t *op)
{
    memset(op->subcomm, 0, sizeof(op->subcomm));
    op->map = NULL;
    op->node = NULL;
    op->channel = NULL;
    op->queues = false;
    if (op->scratch.room > NAPCOLL_SCRATCH_KEPT) {
        napcoll_buffer_give(&op->scratch);
    }
    for (int i = 0; i < POOLED_OPERATIONS && NULL != op; i++) {
        op = swap(i, op);
    }
    napcoll_operation_free(op);
}

void napcoll_operations_free(void)
{
    for (int i = 0; i < POOLED_OPERATIONS; i++) {
        napcoll_operation_free(swap(i, NULL));
    }
}

int napcoll_operation_scratch(napcoll_operation_t *op, ompi_datatype_t *datatype, size_t elements,
                              char **origin)
{
    ptrdiff_t gap;
    size_t bytes;
    int rc = napcoll_host_span(datatype, elements, &gap, &bytes);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (!napcoll_buffer_take(&op->scratch, bytes)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *origin = napcoll_offset(op->scratch.memory, -gap);
    return OMPI_SUCCESS;
}

/* ---- begin ---- */

int napcoll_operation_init(napcoll_operation_t *op, const napcoll_buffers_t *buffers,
                           napcoll_plan_t *plan, const napcoll_binding_t *binding)
{
    op->plan = plan;
    op->buffers = buffers;
    op->binding = *binding;
    op->done = true;
    if (!napcoll_messages_reserve(&op->messages, (size_t) plan->max_messages)
        || !napcoll_node_messages_reserve(&op->node_messages, (size_t) plan->max_messages)
        || !napcoll_grow(&op->base, &op->base_room, NAPCOLL_BUFFER_TEMP + (size_t) plan->temps,
                         sizeof(*op->base))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return buffers->bind(op);
}

static double seconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---- messages ---- */

/* Whether this process sends without bytes: a message did not fit, so what depends on it is
 * wrong. */
static inline bool is_spoilt(const napcoll_operation_t *op)
{
    return OPAL_UNLIKELY(op->truncated) && !op->independent;
}

/* The message of a stage's step i. */
static inline void find_message(const napcoll_operation_t *op, const napcoll_step_t *step, int i,
                                napcoll_message_t *message)
{
    op->buffers->message(op, step, i, message);
    if (OPAL_UNLIKELY(NAPCOLL_STEP_SEND == step->kind && is_spoilt(op))) {
        message->type = &ompi_mpi_byte.dt;
        message->count = 0;
    }
}

static int before_messages(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    return NULL == op->buffers->before ? OMPI_SUCCESS : op->buffers->before(op, stage);
}

static int after_messages(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    return NULL == op->buffers->after ? OMPI_SUCCESS : op->buffers->after(op, stage);
}

void napcoll_operation_truncate(napcoll_operation_t *op)
{
    if (!op->truncated) {
        op->truncated = true;
        op->deadline = seconds() + patience_s;
    }
}

/* Whether an operation goes on, with a deadline, after messages that failed with rc. */
static bool goes_on(napcoll_operation_t *op, int rc)
{
    if (OPAL_UNLIKELY(MPI_ERR_TRUNCATE == rc)) {
        napcoll_operation_truncate(op);
    }
    return MPI_ERR_TRUNCATE == rc;
}

/* The lane of a rank with which this one shares memory, or -1. */
static inline int lane_of(const napcoll_operation_t *op, int rank)
{
    return NULL == op->channel ? -1 : napcoll_node_lane(op->node, rank);
}

/* Whether a blocking operation runs a stage by a blocking call of the PML. */
static inline bool passes(const napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    return 1 == stage->messages && !op->under_way && !op->truncated
           && lane_of(op, op->plan->step[stage->first].peer) < 0;
}

/* A stage of one message by the PML, in a blocking operation. */
static int pass_message(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &op->plan->step[stage->first];
    int rc = before_messages(op, stage);

    if (OMPI_SUCCESS == rc) {
        napcoll_message_t message;

        find_message(op, step, 0, &message);
        rc = napcoll_messages_pass(step, &message, op->binding.comm, op->binding.tag);
    }
    return OMPI_SUCCESS == rc || goes_on(op, rc) ? after_messages(op, stage) : rc;
}

static int post_messages(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &op->plan->step[stage->first];
    int rc = before_messages(op, stage);

    napcoll_messages_begin(&op->messages);
    napcoll_node_messages_begin(&op->node_messages);
    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        const int lane = lane_of(op, step[i].peer);
        napcoll_message_t message;

        find_message(op, &step[i], i, &message);
        if (lane < 0) {
            rc = napcoll_messages_post(&op->messages, &step[i], &message, op->binding.comm,
                                       op->binding.tag);
        } else if (!message.nothing) {
            napcoll_node_messages_post(&op->node_messages, op->channel, &step[i], lane, &message);
        }
    }
    return rc;
}

static bool is_over(const napcoll_operation_t *op)
{
    return OPAL_UNLIKELY(op->truncated) && seconds() > op->deadline;
}

/* Carry on the messages of a stage through node memory. */
static int advance_node_messages(napcoll_operation_t *op)
{
    napcoll_node_messages_t *messages = &op->node_messages;
    const int rc = napcoll_node_messages_advance(messages, op->channel, &op->messages,
                                                 op->binding.comm, op->binding.tag);

    if (OPAL_UNLIKELY(messages->truncated)) {
        messages->truncated = false;
        napcoll_operation_truncate(op);
    }
    return rc;
}

/* Operations under way in this process. */
static _Atomic int running;

static inline void count_running(int change)
{
    if (opal_using_threads()) {
        atomic_fetch_add_explicit(&running, change, memory_order_relaxed);
    } else {
        atomic_store_explicit(&running,
                              atomic_load_explicit(&running, memory_order_relaxed) + change,
                              memory_order_relaxed);
    }
}

/* Whether the process waits for nothing but messages of this operation through node memory. */
static inline bool waits_alone(const napcoll_operation_t *op)
{
    return 0 == op->messages.posted && 1 == atomic_load_explicit(&running, memory_order_relaxed);
}

/* The same, to their end. */
static int await_node_messages(napcoll_operation_t *op)
{
    napcoll_node_messages_t *messages = &op->node_messages;
    int left = messages->left, rc = advance_node_messages(op);

    for (unsigned turn = 0; OMPI_SUCCESS == rc && messages->left > 0; turn++) {
        if (left != messages->left) {
            left = messages->left;
            turn = 0;
        }
        if (napcoll_node_messages_idle(messages, op->channel, turn, waits_alone(op))) {
            rc = is_over(op) ? OMPI_ERR_TIMEOUT : napcoll_compat_failure(op->binding.comm, rc);
        }
        rc = OMPI_SUCCESS == rc ? advance_node_messages(op) : rc;
    }
    return rc;
}

/* Wait for messages; the request of one that fails is left. */
static int await_messages(napcoll_operation_t *op, napcoll_messages_t *messages)
{
    if (!napcoll_messages_free_ended(messages)) {
        return OMPI_SUCCESS;
    }
    if (OPAL_UNLIKELY(messages->fell_short)) {
        (void) goes_on(op, MPI_ERR_TRUNCATE);
    }
    while (OPAL_UNLIKELY(op->truncated) && !napcoll_messages_have_ended(messages)) {
        if (is_over(op)) {
            return OMPI_ERR_TIMEOUT;
        }
        opal_progress();
    }
    return napcoll_messages_wait(messages);
}

int napcoll_operation_end_messages(napcoll_operation_t *op, napcoll_messages_t *messages, int rc)
{
    while (OMPI_SUCCESS == rc) {
        rc = await_messages(op, messages);
        if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
            if (OPAL_UNLIKELY(messages->fell_short)) {
                (void) goes_on(op, MPI_ERR_TRUNCATE);
            }
            napcoll_messages_begin(messages);
            return OMPI_SUCCESS;
        }
        if (goes_on(op, rc) && napcoll_messages_free_truncated(messages)) {
            rc = OMPI_SUCCESS;
        }
    }
    napcoll_messages_abandon(messages, op->binding.comm, rc);
    if (OMPI_ERR_TIMEOUT == rc) {
        return is_spoilt(op) ? OMPI_SUCCESS : MPI_ERR_TRUNCATE;
    }
    return rc;
}

bool napcoll_operation_waits_for(const napcoll_operation_t *op, const napcoll_messages_t *messages)
{
    return !napcoll_messages_have_ended(messages) && !is_over(op);
}

/* ---- stages ---- */

static void end(napcoll_operation_t *op, int rc)
{
    op->done = true;
    count_running(-1);
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        op->failed = true;
        if (NULL != op->channel) {
            atomic_store_explicit(&op->channel->broken, true, memory_order_relaxed);
        }
        rc = napcoll_compat_failure(op->binding.comm, rc);
    }
    if (op->queues && op->entered) {
        napcoll_channel_leave(op->channel, op->ticket);
    }
    rc = op->buffers->finish(op, rc);
    op->rc = OMPI_SUCCESS == rc && op->truncated ? MPI_ERR_TRUNCATE : rc;
}

static void begin_piece(napcoll_operation_t *op)
{
    const int rc = op->buffers->begin(op);

    op->stage = 0;
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        end(op, rc);
    }
}

void napcoll_operation_start(napcoll_operation_t *op)
{
    op->piece = 0;
    op->done = op->under_way = false;
    op->truncated = false;
    count_running(1);
    op->entered = !op->queues;
    if (op->queues) {
        op->ticket = napcoll_channel_queue(op->channel);
    }
    begin_piece(op);
}

/* Enter the channel, when the operations before have left it. */
static bool enter(napcoll_operation_t *op)
{
    if (atomic_load_explicit(&op->channel->broken, memory_order_relaxed)) {
        end(op, OMPI_ERROR);
    } else {
        op->entered = napcoll_channel_is_free_for(op->channel, op->ticket);
    }
    return op->entered;
}

/* The messages of a stage have ended with rc: do its work, and go to the next stage. */
static void end_stage(napcoll_operation_t *op, const napcoll_stage_t *stage, int rc)
{
    const napcoll_step_t *work = &op->plan->step[stage->first + stage->messages];

    op->under_way = false;
    for (int i = 0; i < stage->work && OMPI_SUCCESS == rc; i++) {
        if (NAPCOLL_STEP_REDUCE != work[i].kind || !op->truncated) {
            rc = op->buffers->work(op, &work[i]);
        }
    }
    if (op->node_messages.stayed > 0) {
        napcoll_node_messages_end_work(&op->node_messages, op->channel);
    }
    op->stage++;
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        end(op, rc);
    }
}

/* All stages of a piece have ended. False: messages outside the plan are still under way. */
static bool end_piece(napcoll_operation_t *op, bool waits)
{
    bool ended = true;
    int rc = OMPI_SUCCESS;

    if (op->piece + 1 < op->plan->pieces) {
        op->piece++;
        begin_piece(op);
        return true;
    }
    if (NULL != op->buffers->outside) {
        rc = op->buffers->outside(op, waits, &ended);
    }
    if (ended || OMPI_SUCCESS != rc) {
        end(op, rc);
    }
    return ended;
}

/* Post the messages of a stage, or carry them on; with `waits` to the end. False: some are under
 * way. *rc: how they ended. */
static bool exchange_messages(napcoll_operation_t *op, const napcoll_stage_t *stage, bool waits,
                              int *rc)
{
    if (!op->under_way) {
        *rc = post_messages(op, stage);
        op->under_way = true;
    }
    if (OMPI_SUCCESS == *rc && op->node_messages.left > 0) {
        *rc = waits ? await_node_messages(op) : advance_node_messages(op);
        if (OMPI_SUCCESS == *rc && op->node_messages.left > 0) {
            *rc = is_over(op) ? OMPI_ERR_TIMEOUT
                              : napcoll_compat_failure(op->binding.comm, OMPI_SUCCESS);
            if (OMPI_SUCCESS == *rc) {
                return false;
            }
        }
    }
    if (!waits && OMPI_SUCCESS == *rc && napcoll_operation_waits_for(op, &op->messages)) {
        return false;
    }
    *rc = napcoll_operation_end_messages(op, &op->messages, *rc);
    *rc = OMPI_SUCCESS == *rc ? after_messages(op, stage) : *rc;
    return true;
}

void napcoll_operation_advance(napcoll_operation_t *op, bool waits)
{
    if (!op->entered && !op->done && !enter(op)) {
        /* only nonblocking operations queue up */
        return;
    }
    while (!op->done) {
        const napcoll_stage_t *stage = &op->plan->stage[op->stage];
        int rc = OMPI_SUCCESS;

        if (op->stage == op->plan->stages) {
            if (!end_piece(op, waits)) {
                return;
            }
            continue;
        }
        if (waits && passes(op, stage)) {
            rc = pass_message(op, stage);
        } else if (stage->messages > 0 && !exchange_messages(op, stage, waits, &rc)) {
            return;
        }
        end_stage(op, stage, rc);
    }
}
