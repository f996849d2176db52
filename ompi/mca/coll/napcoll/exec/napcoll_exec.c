/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine (see the header). A call goes
 *
 *     bind    where every buffer of the plan lies in this call
 *     stage   post receives, post sends, wait for all, then fold and copy; next stage
 *
 * Block b of a vector's B covers elements b * count / B on, the first count mod B blocks one more than
 * the others. What ranks have their blocks of is in the binding. Temporaries lie one after the other in the scratch
 * memory, at the distance that the datatype's extent asks for.
 *
 * The first error ends a call. But where nothing is folded a message that is longer than its receiver said does not: other
 * processes wait for what this one is still to send them.
 */

#include "exec/napcoll_exec.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_abandon.h"
#include "exec/napcoll_host.h"
#include "exec/napcoll_pairs.h"
#include "exec/napcoll_reserve.h"
#include "exec/napcoll_stream.h"
#include "ompi/mca/pml/pml.h"

int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan)
{
    int bases = NAPCOLL_BUFFER_TEMP + plan->temps;

    if (plan->max_messages > engine->request_room) {
        ompi_request_t **request = realloc(engine->request,
                                           (size_t) plan->max_messages * sizeof(*request));
        if (NULL == request) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        engine->request = request;
        engine->request_room = plan->max_messages;
    }
    if (bases > engine->base_room) {
        char **base = realloc(engine->base, (size_t) bases * sizeof(*base));
        if (NULL == base) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        engine->base = base;
        engine->base_room = bases;
    }
    return OMPI_SUCCESS;
}

int napcoll_engine_ranks(napcoll_engine_t *engine, int ranks)
{
    size_t *start;
    ptrdiff_t *place;

    if (ranks < engine->ranks_room) {
        return OMPI_SUCCESS;
    }
    start = realloc(engine->start, ((size_t) ranks + 1) * sizeof(*start));
    engine->start = NULL == start ? engine->start : start;
    place = realloc(engine->place, ((size_t) ranks + 1) * sizeof(*place));
    engine->place = NULL == place ? engine->place : place;
    if (NULL == start || NULL == place) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    engine->ranks_room = ranks + 1;
    return OMPI_SUCCESS;
}

static void drop_scratch(napcoll_engine_t *engine)
{
    napcoll_reserve_give(engine->scratch, engine->scratch_size);
    engine->scratch = NULL;
    engine->scratch_size = 0;
}

napcoll_pairs_t *napcoll_engine_pairs(napcoll_engine_t *engine)
{
    if (NULL == engine->pairs) {
        engine->pairs = calloc(1, sizeof(*engine->pairs));
    }
    return engine->pairs;
}

void napcoll_engine_release(napcoll_engine_t *engine)
{
    if (NULL != engine->pairs) {
        napcoll_pairs_end(engine->pairs, 0);
        free(engine->pairs);
        engine->pairs = NULL;
    }
    free(engine->request);
    free(engine->base);
    free(engine->start);
    free(engine->place);
    drop_scratch(engine);
    engine->request = NULL;
    engine->base = NULL;
    engine->start = NULL;
    engine->place = NULL;
    engine->request_room = engine->base_room = engine->ranks_room = 0;
}

/* A plan in a call. */
typedef struct {
    napcoll_engine_t *engine;
    const napcoll_plan_t *plan;
    const napcoll_binding_t *binding;
    ptrdiff_t extent;
    bool is_whole;   /* the plan's one block is the vector */
    bool *truncated; /* a message was longer than its receiver said, and the call went on */
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

int napcoll_engine_scratch(napcoll_engine_t *engine, ompi_datatype_t *datatype, size_t elements,
                           char **origin)
{
    ptrdiff_t gap;
    size_t size;
    int rc = napcoll_host_span(datatype, elements, &gap, &size);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (size > engine->scratch_size) {
        drop_scratch(engine);
        engine->scratch = napcoll_reserve_take(size, &engine->scratch_size);
        if (NULL == engine->scratch) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    *origin = napcoll_offset(engine->scratch, -gap);
    return OMPI_SUCCESS;
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
    if (NULL != call->binding->pairs) {
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
} message_t;

/* The message of a step; of an all-to-all's, gather's or scatter's what was prepared for it. False: there is nothing to
 * move. */
static inline bool find_message(const call_t *call, const napcoll_step_t *step,
                                const napcoll_parcel_t *parcel, message_t *message)
{
    const napcoll_span_t span = NAPCOLL_STEP_RECV == step->kind ? step->dst : step->left;

    if (NULL != parcel) {
        *message = (message_t){parcel->at, parcel->count, parcel->type};
        return !parcel->nothing;
    }
    *message = (message_t){.type = call->binding->datatype};
    if (0 != span.count) {
        message->at = span_address(call, span);
        message->count = span_count(call, span);
    }
    return true;
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

/* Send or receive the one message of a stage: without a request of its own, which costs more. */
static inline int pass(const call_t *call, const napcoll_step_t *step, const message_t *message)
{
    const napcoll_binding_t *binding = call->binding;

    if (NAPCOLL_STEP_RECV == step->kind) {
        return MCA_PML_CALL(recv(message->at, message->count, message->type, step->peer,
                                 binding->tag, binding->comm, MPI_STATUS_IGNORE));
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
    if (NULL != call->binding->pairs) {
        return napcoll_pairs_post(call->binding->pairs, call->plan, stage);
    }
    return NULL == call->binding->stream ? OMPI_SUCCESS : fill(call, stage);
}

/* Take in what a stage has received, where that does not stay as it lies. */
static int after_messages(const call_t *call, const napcoll_stage_t *stage)
{
    if (NULL != call->binding->pairs) {
        return napcoll_pairs_land(call->binding->pairs, call->plan, stage);
    }
    return NULL == call->binding->stream ? OMPI_SUCCESS : empty(call, stage);
}

/* Free the messages of a stage that have ended well when they are posted, as small ones do that are sent; whether
 * others are left. */
static bool are_left(napcoll_engine_t *engine, int posted)
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
            (void) ompi_request_free(&engine->request[i]);
        }
    }
    atomic_thread_fence(memory_order_acquire); /* another thread may have ended them */
    return left;
}

/* Wait for a stage's messages; where one fails, its request is left. */
static int end_messages(napcoll_engine_t *engine, int posted)
{
    int rc;

    if (!are_left(engine, posted)) {
        return OMPI_SUCCESS;
    }
    rc = ompi_request_wait_all((size_t) posted, engine->request, MPI_STATUSES_IGNORE);
    return first_error(engine, posted, rc);
}

/* Whether a stage that has failed with rc leaves a call to go on. Where messages begin with sizes, none is longer than its
 * receiver knows, whatever users say. */
static bool goes_on(const call_t *call, const napcoll_stage_t *stage, int rc)
{
    const napcoll_step_t *step = &call->plan->step[stage->first];

    if (OPAL_LIKELY(MPI_ERR_TRUNCATE != rc) || NULL != call->binding->op) {
        return false;
    }
    for (int i = 0; i < stage->messages; i++) {
        if (step[i].headed) {
            return false;
        }
    }
    *call->truncated = true;
    return true;
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
    const napcoll_pairs_t *pairs = call->binding->pairs;
    const napcoll_parcel_t *parcel = NULL == pairs ? NULL : pairs->parcel;
    const napcoll_step_t *step = &call->plan->step[stage->first];
    message_t message;
    int posted = 0, rc = before_messages(call, stage);

    if (1 == stage->messages) {
        if (OMPI_SUCCESS == rc && find_message(call, step, parcel, &message)) {
            rc = pass(call, step, &message);
        }
        return OMPI_SUCCESS == rc || goes_on(call, stage, rc) ? after_messages(call, stage) : rc;
    }
    for (; posted < stage->messages && OMPI_SUCCESS == rc; posted++) {
        engine->request[posted] = MPI_REQUEST_NULL;
        if (find_message(call, &step[posted], NULL == parcel ? NULL : &parcel[posted], &message)) {
            rc = post(call, &step[posted], &message, &engine->request[posted]);
        }
        if (OMPI_SUCCESS != rc) {
            break;
        }
    }
    while (OMPI_SUCCESS == rc) {
        rc = end_messages(engine, posted);
        if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
            return after_messages(call, stage);
        }
        if (goes_on(call, stage, rc) && drop_truncated(engine, posted)) {
            rc = OMPI_SUCCESS; /* the others may be under way */
        }
    }
    napcoll_abandon_messages(step, engine->request, posted, call->binding->comm, rc);
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
 * ranks that fold these values see them alike. */
static int fold(const call_t *call, char *dst, const char *left, const char *right, size_t count)
{
    const napcoll_binding_t *binding = call->binding;
    int rc;

    if (0 == count) {
        return OMPI_SUCCESS;
    }
    if (dst != right && call->plan->folds_alone && ompi_op_is_intrinsic(binding->op)) {
        napcoll_compat_reduce_to(binding->op, left, right, dst, count, binding->datatype);
        return OMPI_SUCCESS;
    }
    rc = copy(call, dst, right, count);
    if (OMPI_SUCCESS == rc) {
        napcoll_compat_reduce(binding->op, left, dst, count, binding->datatype);
    }
    return rc;
}

/* A fold or a copy of spans that are each one piece of memory. */
static int do_piece(const call_t *call, const napcoll_step_t *step)
{
    const napcoll_binding_t *binding = call->binding;
    char *dst = span_address(call, step->dst);
    char *left = span_address(call, step->left);
    size_t count = span_count(call, step->dst);

    if (NAPCOLL_STEP_FOLD == step->kind) {
        return fold(call, dst, left, span_address(call, step->right), count);
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
    if (NULL != call->binding->pairs) {
        return napcoll_pairs_copy_own(call->binding->pairs);
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
    call_t call = {.engine = engine,
                   .plan = plan,
                   .binding = binding,
                   .is_whole = 1 == plan->blocks && NAPCOLL_LAYOUT_VECTOR == plan->layout,
                   .truncated = NULL == binding->pairs ? &truncated : &binding->pairs->truncated};
    ptrdiff_t lb;
    int rc;

    ompi_datatype_get_extent(binding->datatype, &lb, &call.extent);
    rc = bind_buffers(&call);
    for (int s = 0; s < plan->stages && OMPI_SUCCESS == rc; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        const napcoll_step_t *work = &plan->step[stage->first + stage->messages];

        if (stage->messages > 0) {
            rc = exchange_messages(&call, stage);
        }
        for (int i = 0; i < stage->work && OMPI_SUCCESS == rc; i++) {
            rc = do_work(&call, &work[i]);
        }
    }
    if (engine->scratch_size > NAPCOLL_SCRATCH_KEPT) {
        drop_scratch(engine);
    }
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        return napcoll_compat_failure(binding->comm, rc);
    }
    return truncated ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;
}
