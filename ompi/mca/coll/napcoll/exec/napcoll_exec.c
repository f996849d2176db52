/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine (see the header). A call goes
 *
 *     bind    where every buffer of the plan lies in this call
 *     stage   post receives, post sends, wait for all, then reduce and copy; next stage
 *
 * Block b of a vector's B covers elements b * count / B on, the first count mod B blocks one more than
 * the others. What ranks have their blocks of is in the binding. Temporaries lie one after the other in the scratch
 * memory, at the distance that the datatype's extent asks for.
 *
 * The first error ends a call. But a message that is longer or shorter than its receiver said does
 * not: other processes wait for what this one is still to send them. That has no bytes then, so
 * that they see the same.
 */

#include "exec/napcoll_exec.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_abandon.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_personalized.h"
#include "exec/napcoll_buffer_pool.h"
#include "exec/napcoll_stream.h"
#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"

/* A plan in a call. */
typedef struct {
    napcoll_engine_t *engine;
    const napcoll_plan_t *plan;
    const napcoll_binding_t *binding;
    ptrdiff_t extent;
    bool is_whole; /* the plan's one block is the vector */
    /* a message was longer or shorter than its receiver said, and the call went on */
    bool *truncated;
    /* when it goes on no longer, in seconds */
    double *deadline;
} call_t;

/* Elements before a block. */
static inline size_t block_start(const call_t *call, int block)
{
    const size_t count = call->binding->count, blocks = (size_t) call->plan->blocks;
    const size_t b = (size_t) block;
    size_t larger;

    if (NAPCOLL_LAYOUT_VECTOR != call->plan->layout) {
        const size_t *start = call->binding->start;

        return NULL == start ? b * count : b / blocks * start[blocks] + start[b % blocks];
    }
    larger = count % blocks;
    return b * (count / blocks) + (b < larger ? b : larger);
}

static inline size_t span_count(const call_t *call, napcoll_span_t span)
{
    if (call->is_whole) {
        return 0 == span.count ? 0 : call->binding->count;
    }
    return block_start(call, span.first + span.count) - block_start(call, span.first);
}

/* Where a rank's block begins in the user's buffer of all ranks' blocks, in elements. */
static inline ptrdiff_t block_place(const call_t *call, int block)
{
    const napcoll_binding_t *binding = call->binding;

    if (NULL != binding->place) {
        return binding->place[block];
    }
    return (ptrdiff_t) ((size_t) (NULL == binding->order ? block : binding->order[block])
                        * binding->count);
}

static inline char *span_address(const call_t *call, napcoll_span_t span)
{
    char *base = call->engine->base[span.buffer];

    if (call->is_whole) {
        return base;
    }
    if (NAPCOLL_LAYOUT_RANKS == call->plan->layout && span.buffer < NAPCOLL_BUFFER_TEMP) {
        /* a buffer of one block begins with it */
        return 1 == call->plan->user[span.buffer].count
                   ? base
                   : napcoll_offset(base, block_place(call, span.first) * call->extent);
    }
    return 0 == span.first
               ? base
               : napcoll_offset(base, (ptrdiff_t) block_start(call, span.first) * call->extent);
}

/* Find out where every buffer's block 0 lies in this call. */
static int bind_buffers(const call_t *call)
{
    napcoll_engine_t *engine = call->engine;
    const napcoll_plan_t *plan = call->plan;
    size_t elements = 0;
    char *at = NULL;

    engine->base[NAPCOLL_BUFFER_SEND] = (char *) (uintptr_t) call->binding->sendbuf;
    engine->base[NAPCOLL_BUFFER_RECV] = call->binding->recvbuf;
    if (NULL != call->binding->personalized) {
        return OMPI_SUCCESS; /* it knows */
    }
    for (int t = 0; t < plan->temps; t++) {
        elements += span_count(
            call, (napcoll_span_t){.first = plan->temp[t].first, .count = plan->temp[t].count});
    }
    if (elements > 0) {
        int rc = napcoll_engine_scratch(engine, call->binding->datatype, elements, &at);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    for (int t = 0; t < plan->temps; t++) {
        napcoll_span_t all = {.first = plan->temp[t].first, .count = plan->temp[t].count};
        size_t first = 0 == all.first ? 0 : block_start(call, all.first);

        engine->base[NAPCOLL_BUFFER_TEMP + t] = napcoll_offset(at,
                                                               -(ptrdiff_t) first * call->extent);
        at = napcoll_offset(at, (ptrdiff_t) span_count(call, all) * call->extent);
    }
    return OMPI_SUCCESS;
}

/* The error of the first message that failed, whose request is left; what the wait returned says
 * less: MPI_ERR_IN_STATUS, OMPI_ERROR where it was woken by the failure, and in 6.0 success where
 * the message had failed before the wait. */
static int first_error(const napcoll_engine_t *engine, int messages, int returned)
{
    for (int i = 0; i < messages; i++) {
        ompi_request_t *request = engine->request[i];

        if (MPI_REQUEST_NULL != request && NULL != request && REQUEST_COMPLETE(request)
            && MPI_SUCCESS != request->req_status.MPI_ERROR
            && MPI_ERR_PENDING != request->req_status.MPI_ERROR) {
            return request->req_status.MPI_ERROR;
        }
    }
    return MPI_ERR_IN_STATUS == returned ? MPI_ERR_OTHER : returned;
}

/* What a message moves, and where that lies. */
typedef struct {
    char *at;
    size_t count;
    ompi_datatype_t *type;
    bool exact; /* it has as many bytes as its receiver says, if all ranks have the same counts */
} message_t;

static const size_t any_bytes = SIZE_MAX;

/* How long a call goes on after a message that did not fit. */
static const double patience_s = 1;

/* Whether what this process still sends goes without its bytes: a message did not fit, so that what
 * depends on it is wrong, and its receivers are to be told by a message that does not fit either.
 * Blocks of uneven counts that go on do not depend on those that did not fit. */
static inline bool is_spoilt(const call_t *call)
{
    return OPAL_UNLIKELY(*call->truncated)
           && (NULL == call->binding->personalized || call->binding->personalized->even);
}

/* The message of a step; of an all-to-all's, gather's or scatter's what was prepared for it. False: there is nothing to
 * move. */
static inline bool find_message(const call_t *call, const napcoll_step_t *step,
                                const napcoll_parcel_t *parcel, message_t *message)
{
    const napcoll_span_t span = NAPCOLL_STEP_RECV == step->kind ? step->dst : step->left;

    if (NAPCOLL_STEP_SEND == step->kind && is_spoilt(call)) {
        *message = (message_t){.type = &ompi_mpi_byte.dt};
        return NULL == parcel || !parcel->nothing;
    }
    if (NULL != parcel) {
        *message = (message_t){parcel->at, parcel->count, parcel->type, !parcel->at_most};
        return !parcel->nothing;
    }
    *message = (message_t){.type = call->binding->datatype, .exact = true};
    if (0 != span.count) {
        message->at = span_address(call, span);
        message->count = span_count(call, span);
    }
    return true;
}

/* The bytes that a message must bring. Where ranks have other counts, it mostly brings others,
 * which would go unnoticed where they are fewer. */
static inline size_t bytes_due(const napcoll_step_t *step, const message_t *message)
{
    size_t element;

    if (NAPCOLL_STEP_RECV != step->kind || !message->exact || NAPCOLL_COMPAT_HETEROGENEOUS) {
        return any_bytes;
    }
    ompi_datatype_type_size(message->type, &element);
    return element * message->count;
}

static inline int post(const call_t *call, const napcoll_step_t *step, const message_t *message,
                       ompi_request_t **request)
{
    const napcoll_binding_t *binding = call->binding;

    if (NAPCOLL_STEP_RECV == step->kind) {
        return MCA_PML_CALL(irecv(message->at, message->count, message->type, step->peer,
                                  binding->tag, binding->comm, request));
    }
    return MCA_PML_CALL(isend(message->at, message->count, message->type, step->peer, binding->tag,
                              MCA_PML_BASE_SEND_STANDARD, binding->comm, request));
}

/* Send or receive the one message of a stage: without a request of its own, which costs more. One
 * that brings too little is an error like one that brings too much. */
static inline int pass(const call_t *call, const napcoll_step_t *step, const message_t *message)
{
    const napcoll_binding_t *binding = call->binding;

    if (NAPCOLL_STEP_RECV == step->kind) {
        const size_t due = bytes_due(step, message);
        ompi_status_public_t status;
        int rc = MCA_PML_CALL(recv(message->at, message->count, message->type, step->peer,
                                   binding->tag, binding->comm, &status));

        return OMPI_SUCCESS == rc && any_bytes != due && due != status._ucount ? MPI_ERR_TRUNCATE
                                                                               : rc;
    }
    return MCA_PML_CALL(send(message->at, message->count, message->type, step->peer, binding->tag,
                             MCA_PML_BASE_SEND_STANDARD, binding->comm));
}

/* Have in the send buffer what a stage sends. */
static int fill(const call_t *call, const napcoll_stage_t *stage)
{
    int rc = OMPI_SUCCESS;

    for (int i = stage->first; i < stage->first + stage->messages && OMPI_SUCCESS == rc; i++) {
        const napcoll_span_t span = call->plan->step[i].left;

        if (NAPCOLL_STEP_SEND == call->plan->step[i].kind) {
            rc = napcoll_stream_fill(call->binding->stream,
                                     block_start(call, span.first + span.count));
        }
    }
    return rc;
}

/* Hand on what a stage has brought into the receive buffer. */
static int empty(const call_t *call, const napcoll_stage_t *stage)
{
    int rc = OMPI_SUCCESS;

    for (int i = stage->first; i < stage->first + stage->messages && OMPI_SUCCESS == rc; i++) {
        const napcoll_span_t span = call->plan->step[i].dst;

        if (NAPCOLL_STEP_RECV == call->plan->step[i].kind) {
            rc = napcoll_stream_empty(call->binding->stream, block_start(call, span.first),
                                      span_count(call, span));
        }
    }
    return rc;
}

/* Have ready what a stage sends, where it is not sent as it lies. */
static int before_messages(const call_t *call, const napcoll_stage_t *stage)
{
    if (NULL != call->binding->personalized) {
        return napcoll_personalized_post(call->binding->personalized, call->plan, stage);
    }
    return NULL == call->binding->stream ? OMPI_SUCCESS : fill(call, stage);
}

/* Take in what a stage has received, where that does not stay as it lies. */
static int after_messages(const call_t *call, const napcoll_stage_t *stage)
{
    if (NULL != call->binding->personalized) {
        return napcoll_personalized_land(call->binding->personalized, call->plan, stage);
    }
    return NULL == call->binding->stream ? OMPI_SUCCESS : empty(call, stage);
}

/* See what a message has brought, once. */
static inline void check_bytes(napcoll_engine_t *engine, int i, size_t came, bool *fell_short)
{
    *fell_short = *fell_short || (any_bytes != engine->due[i] && came != engine->due[i]);
    engine->due[i] = any_bytes;
}

/* Free the messages of a stage that have ended well when they are posted, as small ones do that are sent; whether
 * others are left. */
static bool are_left(napcoll_engine_t *engine, int posted, bool *fell_short)
{
    bool left = false;

    for (int i = 0; i < posted; i++) {
        const ompi_request_t *request = engine->request[i];

        if (MPI_REQUEST_NULL == request) {
            continue;
        }
        if (!REQUEST_COMPLETE(request) || MPI_SUCCESS != request->req_status.MPI_ERROR) {
            left = true;
        } else if (&ompi_request_empty == request) { /* that of no message at all */
            engine->request[i] = MPI_REQUEST_NULL;
        } else {
            check_bytes(engine, i, request->req_status._ucount, fell_short);
            (void) ompi_request_free(&engine->request[i]);
        }
    }
    atomic_thread_fence(memory_order_acquire); /* another thread may have ended them */
    return left;
}

static double seconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Wait for messages in a call whose counts differ between ranks, so that some may never come;
 * false: they did not. */
static bool await_some(const call_t *call, int posted)
{
    const napcoll_engine_t *engine = call->engine;

    for (int i = 0; i < posted; i++) {
        while (MPI_REQUEST_NULL != engine->request[i] && !REQUEST_COMPLETE(engine->request[i])) {
            if (seconds() > *call->deadline) {
                return false;
            }
            opal_progress();
        }
    }
    return true;
}

/* Whether a stage that has failed with rc leaves a call to go on. Where messages begin with sizes, none is longer than its
 * receiver knows, whatever users say. */
static bool goes_on(const call_t *call, const napcoll_stage_t *stage, int rc)
{
    const napcoll_step_t *step = &call->plan->step[stage->first];

    if (OPAL_LIKELY(MPI_ERR_TRUNCATE != rc)) {
        return false;
    }
    for (int i = 0; i < stage->messages; i++) {
        if (step[i].headed) {
            return false;
        }
    }
    if (!*call->truncated) {
        *call->truncated = true;
        *call->deadline = seconds() + patience_s;
    }
    return true;
}

/* Wait for a stage's messages; where one fails, its request is left. *fell_short: set where one has
 * brought too little. */
static int end_messages(const call_t *call, const napcoll_stage_t *stage, int posted,
                        bool *fell_short)
{
    napcoll_engine_t *engine = call->engine;
    int rc;

    if (!are_left(engine, posted, fell_short)) {
        return OMPI_SUCCESS;
    }
    if (OPAL_UNLIKELY(*fell_short)) { /* the others may never come */
        (void) goes_on(call, stage, MPI_ERR_TRUNCATE);
    }
    if (OPAL_UNLIKELY(*call->truncated) && !await_some(call, posted)) {
        return OMPI_ERR_TIMEOUT;
    }
    rc = ompi_request_wait_all((size_t) posted, engine->request, engine->status);
    for (int i = 0; i < posted && OMPI_SUCCESS == rc; i++) {
        check_bytes(engine, i, engine->status[i]._ucount, fell_short);
    }
    return first_error(engine, posted, rc);
}

/* Free the messages that were too long; false: there are none. */
static bool drop_truncated(napcoll_engine_t *engine, int posted)
{
    bool dropped = false;

    for (int i = 0; i < posted; i++) {
        ompi_request_t *request = engine->request[i];

        if (MPI_REQUEST_NULL != request && NULL != request && REQUEST_COMPLETE(request)
            && MPI_ERR_TRUNCATE == request->req_status.MPI_ERROR) {
            (void) ompi_request_free(&engine->request[i]);
            dropped = true;
        }
    }
    return dropped;
}

static int exchange_messages(const call_t *call, const napcoll_stage_t *stage)
{
    napcoll_engine_t *engine = call->engine;
    const napcoll_personalized_t *personalized = call->binding->personalized;
    const napcoll_parcel_t *parcel = NULL == personalized ? NULL : personalized->parcel;
    const napcoll_step_t *step = &call->plan->step[stage->first];
    message_t message;
    bool fell_short = false;
    int posted = 0, rc = before_messages(call, stage);

    if (1 == stage->messages && !*call->truncated) {
        if (OMPI_SUCCESS == rc && find_message(call, step, parcel, &message)) {
            rc = pass(call, step, &message);
        }
        return OMPI_SUCCESS == rc || goes_on(call, stage, rc) ? after_messages(call, stage) : rc;
    }
    for (; posted < stage->messages && OMPI_SUCCESS == rc; posted++) {
        engine->request[posted] = MPI_REQUEST_NULL;
        engine->due[posted] = any_bytes;
        if (find_message(call, &step[posted], NULL == parcel ? NULL : &parcel[posted], &message)) {
            engine->due[posted] = bytes_due(&step[posted], &message);
            rc = post(call, &step[posted], &message, &engine->request[posted]);
        }
        if (OMPI_SUCCESS != rc) {
            break;
        }
    }
    while (OMPI_SUCCESS == rc) {
        rc = end_messages(call, stage, posted, &fell_short);
        if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
            return !fell_short || goes_on(call, stage, MPI_ERR_TRUNCATE)
                       ? after_messages(call, stage)
                       : MPI_ERR_TRUNCATE;
        }
        if (goes_on(call, stage, rc) && drop_truncated(engine, posted)) {
            rc = OMPI_SUCCESS; /* the others may be under way */
        }
    }
    napcoll_abandon_messages(step, engine->request, posted, call->binding->comm, rc);
    if (OMPI_ERR_TIMEOUT
        == rc) { /* what is still to be sent has no bytes: receivers learn of the error */
        return is_spoilt(call) ? after_messages(call, stage) : MPI_ERR_TRUNCATE;
    }
    return rc;
}

static int copy(const call_t *call, char *dst, const char *from, size_t count)
{
    if (dst == from || 0 == count) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_copy_content_same_ddt(call->binding->datatype, count, dst,
                                               (char *) (uintptr_t) from)
                   < 0
               ? OMPI_ERROR
               : OMPI_SUCCESS;
}

/* left op right, where the operands' bits may come from either; else into the right one's copy, so that all
 * ranks that reduce these values see them alike. */
static int reduction(const call_t *call, char *dst, const char *left, const char *right,
                     size_t count)
{
    const napcoll_binding_t *binding = call->binding;
    int rc;

    if (0 == count) {
        return OMPI_SUCCESS;
    }
    if (dst != right && call->plan->reduces_alone && ompi_op_is_intrinsic(binding->op)) {
        napcoll_compat_reduce_to(binding->op, left, right, dst, count, binding->datatype);
        return OMPI_SUCCESS;
    }
    rc = copy(call, dst, right, count);
    if (OMPI_SUCCESS == rc) {
        napcoll_compat_reduce(binding->op, left, dst, count, binding->datatype);
    }
    return rc;
}

/* A reduction or a copy of spans that are each one piece of memory. */
static int do_piece(const call_t *call, const napcoll_step_t *step)
{
    const napcoll_binding_t *binding = call->binding;
    char *dst = span_address(call, step->dst);
    char *left = span_address(call, step->left);
    size_t count = span_count(call, step->dst);

    if (NAPCOLL_STEP_REDUCE == step->kind) {
        return reduction(call, dst, left, span_address(call, step->right), count);
    }
    if (NULL != binding->send_type && NAPCOLL_BUFFER_SEND == step->left.buffer) {
        return napcoll_compat_copy_types(left, binding->send_count, binding->send_type, dst, count,
                                         binding->datatype);
    }
    return copy(call, dst, left, count);
}

static bool is_scattered(const napcoll_plan_t *plan, napcoll_span_t span)
{
    return plan->scattered && span.buffer < NAPCOLL_BUFFER_TEMP;
}

static int do_work(const call_t *call, const napcoll_step_t *step)
{
    const int blocks = step->dst.count;
    napcoll_step_t piece;
    int rc = OMPI_SUCCESS;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return napcoll_phase_delegate(call->engine, step, span_address(call, step->dst),
                                      span_address(call, step->left), span_count(call, step->dst),
                                      call->binding);
    }
    if (NULL != call->binding->personalized) {
        return napcoll_personalized_copy_own(call->binding->personalized);
    }
    if (1 == blocks
        || (!is_scattered(call->plan, step->dst) && !is_scattered(call->plan, step->left)
            && (NAPCOLL_STEP_COPY == step->kind || !is_scattered(call->plan, step->right)))) {
        return do_piece(call, step);
    }
    piece = *step;
    piece.dst.count = piece.left.count = piece.right.count = 1;
    for (int b = 0; b < blocks && OMPI_SUCCESS == rc; b++) {
        rc = do_piece(call, &piece);
        piece.dst.first++;
        piece.left.first++;
        piece.right.first++;
    }
    return rc;
}

int napcoll_engine_run_bound(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                             const napcoll_binding_t *binding)
{
    bool truncated = false;
    double deadline = 0;
    call_t call = {.engine = engine,
                   .plan = plan,
                   .binding = binding,
                   .is_whole = 1 == plan->blocks && NAPCOLL_LAYOUT_VECTOR == plan->layout,
                   .truncated = NULL == binding->personalized ? &truncated
                                                              : &binding->personalized->truncated,
                   .deadline = &deadline};
    ptrdiff_t lb;
    int rc;

    if (OPAL_UNLIKELY(*call.truncated)) { /* in an earlier part of the call */
        deadline = seconds() + patience_s;
    }
    ompi_datatype_get_extent(binding->datatype, &lb, &call.extent);
    rc = napcoll_engine_prepare(engine, plan);
    if (OMPI_SUCCESS == rc) {
        rc = bind_buffers(&call);
    }
    for (int s = 0; s < plan->stages && OMPI_SUCCESS == rc; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        const napcoll_step_t *work = &plan->step[stage->first + stage->messages];

        if (stage->messages > 0) {
            rc = exchange_messages(&call, stage);
        }
        for (int i = 0; i < stage->work && OMPI_SUCCESS == rc; i++) {
            if (NAPCOLL_STEP_REDUCE != work[i].kind || !*call.truncated) {
                rc = do_work(&call, &work[i]);
            }
        }
    }
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        engine->failed = true;
    }
    if (engine->scratch_size > NAPCOLL_SCRATCH_KEPT && !engine->failed) {
        napcoll_engine_drop_scratch(engine);
    }
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        return napcoll_compat_failure(binding->comm, rc);
    }
    return truncated ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;
}
