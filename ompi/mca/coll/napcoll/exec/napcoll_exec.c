/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine (see the header). A call goes
 *
 *     bind    find the address of every buffer of the plan
 *     stage   post receives, post sends, wait for all, then reduce and copy; next stage
 *
 * Block b of a vector of B blocks has the elements from count * b / B on; the first count mod B
 * blocks have one more than the others. Blocks of ranks are in the binding. Temporaries follow each
 * other in the scratch memory, each element an extent after the one before.
 *
 * The first error ends a call, except that a message did not have as many bytes as its receiver
 * said: other processes wait for what this one still has to send. Its later messages have no bytes,
 * so that their receivers see an error too.
 */

#include "exec/napcoll_exec.h"

#include <stdatomic.h>
#include <time.h>

#include "compat/napcoll_compat.h"
#include "exec/napcoll_personalized.h"
#include "exec/napcoll_stream.h"
#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"

/* A plan in a call. */
typedef struct {
    napcoll_engine_t *engine;
    napcoll_workspace_t *workspace;
    const napcoll_plan_t *plan;
    const napcoll_binding_t *binding;
    ptrdiff_t extent;
    /* the plan's one block is the vector */
    bool is_whole;
    /* a message did not have the bytes that its receiver said, and the call goes on */
    bool *truncated;
    /* in seconds: a truncated call waits until then for messages that may never come */
    double deadline;
} run_t;

static const size_t any_bytes = SIZE_MAX;

/* How long a truncated call waits for messages. */
static const double patience_s = 1;

/* ---- where blocks are ---- */

/* Elements before a block. */
static inline size_t block_start(const run_t *run, int block)
{
    const size_t count = run->binding->count, b = (size_t) block;
    const size_t *start = run->binding->start;
    const size_t blocks = (size_t) run->plan->blocks;

    if (NAPCOLL_LAYOUT_VECTOR == run->plan->layout) {
        return napcoll_vector_start(count, run->plan->blocks, block);
    }
    return NULL == start ? b * count : b / blocks * start[blocks] + start[b % blocks];
}

static inline size_t span_count(const run_t *run, napcoll_span_t span)
{
    if (run->is_whole) {
        return 0 == span.count ? 0 : run->binding->count;
    }
    return block_start(run, span.first + span.count) - block_start(run, span.first);
}

/* The element at which a rank's block begins in the user's buffer of all ranks' blocks. */
static inline ptrdiff_t block_place(const run_t *run, int block)
{
    const napcoll_binding_t *binding = run->binding;
    const int rank = NULL == binding->order ? block : binding->order[block];

    return NULL != binding->place ? binding->place[block]
                                  : (ptrdiff_t) ((size_t) rank * binding->count);
}

static inline char *span_address(const run_t *run, napcoll_span_t span)
{
    char *base = run->workspace->base[span.buffer];
    ptrdiff_t elements;

    if (run->is_whole) {
        return base;
    }
    if (NAPCOLL_LAYOUT_RANKS == run->plan->layout && span.buffer < NAPCOLL_BUFFER_TEMP) {
        /* a buffer of one block begins with it */
        elements = 1 == run->plan->user[span.buffer].count ? 0 : block_place(run, span.first);
    } else {
        elements = (ptrdiff_t) block_start(run, span.first);
    }
    return 0 == elements ? base : napcoll_offset(base, elements * run->extent);
}

/* All blocks of a temporary. */
static napcoll_span_t temp_span(const napcoll_plan_t *plan, int t)
{
    return (napcoll_span_t){NAPCOLL_BUFFER_TEMP + t, plan->temp[t].first, plan->temp[t].count};
}

/* Find the address of block 0 of every buffer. */
static int bind_buffers(const run_t *run)
{
    char **base = run->workspace->base, *at = NULL;
    const napcoll_plan_t *plan = run->plan;
    /* personalized blocks have their own addresses */
    const int temps = NULL == run->binding->personalized ? plan->temps : 0;
    size_t elements = 0;
    int rc = OMPI_SUCCESS;

    base[NAPCOLL_BUFFER_SEND] = (char *) (uintptr_t) run->binding->sendbuf;
    base[NAPCOLL_BUFFER_RECV] = run->binding->recvbuf;
    for (int t = 0; t < temps; t++) {
        elements += span_count(run, temp_span(plan, t));
    }
    if (elements > 0) {
        rc = napcoll_engine_scratch(run->engine, run->binding->datatype, elements, &at);
    }
    for (int t = 0; t < temps && OMPI_SUCCESS == rc; t++) {
        const napcoll_span_t span = temp_span(plan, t);
        const size_t before = 0 == span.first ? 0 : block_start(run, span.first);

        base[span.buffer] = napcoll_offset(at, -(ptrdiff_t) before * run->extent);
        at = napcoll_offset(at, (ptrdiff_t) span_count(run, span) * run->extent);
    }
    return rc;
}

/* ---- messages ---- */

/* Whether this process sends without bytes: a message did not fit, so what depends on it is wrong.
 * Blocks of uneven sizes do not depend on each other. */
static inline bool is_spoilt(const run_t *run)
{
    return OPAL_UNLIKELY(*run->truncated)
           && (NULL == run->binding->personalized || run->binding->personalized->even);
}

/* The message of a stage's step i. */
static inline napcoll_message_t find_message(const run_t *run, const napcoll_step_t *step, int i)
{
    const napcoll_personalized_t *personalized = run->binding->personalized;
    napcoll_message_t message = {.type = run->binding->datatype};

    if (NULL != personalized) {
        message = personalized->message[i];
    } else if (0 != napcoll_step_span(step)->count) {
        message.at = span_address(run, *napcoll_step_span(step));
        message.count = span_count(run, *napcoll_step_span(step));
    }
    if (NAPCOLL_STEP_SEND == step->kind && is_spoilt(run)) {
        message = (napcoll_message_t){.type = &ompi_mpi_byte.dt, .nothing = message.nothing};
    }
    return message;
}

/* The bytes that a message must bring. Where ranks have different counts it mostly brings others;
 * too few would go unnoticed. */
static inline size_t bytes_due(const napcoll_step_t *step, const napcoll_message_t *message)
{
    size_t element;

    if (NAPCOLL_STEP_RECV != step->kind || message->at_most || NAPCOLL_COMPAT_HETEROGENEOUS) {
        return any_bytes;
    }
    ompi_datatype_type_size(message->type, &element);
    return element * message->count;
}

static inline int post_message(const run_t *run, const napcoll_step_t *step,
                               const napcoll_message_t *message, ompi_request_t **request)
{
    const napcoll_binding_t *binding = run->binding;

    if (NAPCOLL_STEP_RECV == step->kind) {
        return MCA_PML_CALL(irecv(message->at, message->count, message->type, step->peer,
                                  binding->tag, binding->comm, request));
    }
    return MCA_PML_CALL(isend(message->at, message->count, message->type, step->peer, binding->tag,
                              MCA_PML_BASE_SEND_STANDARD, binding->comm, request));
}

/* Send or receive the one message of a stage by a blocking call, which costs less than a
 * request. */
static inline int pass_message(const run_t *run, const napcoll_step_t *step)
{
    const napcoll_binding_t *binding = run->binding;
    const napcoll_message_t message = find_message(run, step, 0);
    const size_t due = bytes_due(step, &message);
    ompi_status_public_t status;
    int rc;

    if (message.nothing) {
        return OMPI_SUCCESS;
    }
    if (NAPCOLL_STEP_SEND == step->kind) {
        return MCA_PML_CALL(send(message.at, message.count, message.type, step->peer, binding->tag,
                                 MCA_PML_BASE_SEND_STANDARD, binding->comm));
    }
    rc = MCA_PML_CALL(recv(message.at, message.count, message.type, step->peer, binding->tag,
                           binding->comm, &status));
    return OMPI_SUCCESS == rc && any_bytes != due && due != status._ucount ? MPI_ERR_TRUNCATE : rc;
}

/* Before the messages of a stage: fill the send buffer from a stream; after them: empty the receive
 * buffer into it. */
static int move_stream(const run_t *run, const napcoll_stage_t *stage, bool after)
{
    const napcoll_step_kind_t kind = after ? NAPCOLL_STEP_RECV : NAPCOLL_STEP_SEND;
    int rc = OMPI_SUCCESS;

    for (int i = stage->first; i < stage->first + stage->messages && OMPI_SUCCESS == rc; i++) {
        const napcoll_span_t span = *napcoll_step_span(&run->plan->step[i]);

        if (kind == run->plan->step[i].kind) {
            rc = after ? napcoll_stream_empty(run->binding->stream, span)
                       : napcoll_stream_fill(run->binding->stream, span);
        }
    }
    return rc;
}

/* Prepare what a stage sends. */
static int before_messages(const run_t *run, const napcoll_stage_t *stage)
{
    if (NULL != run->binding->personalized) {
        return napcoll_personalized_post(run->binding->personalized, run->plan, stage);
    }
    return NULL == run->binding->stream ? OMPI_SUCCESS : move_stream(run, stage, false);
}

/* Take in what a stage has received. */
static int after_messages(const run_t *run, const napcoll_stage_t *stage)
{
    if (NULL != run->binding->personalized) {
        return napcoll_personalized_land(run->binding->personalized, run->plan, stage);
    }
    return NULL == run->binding->stream ? OMPI_SUCCESS : move_stream(run, stage, true);
}

/* ---- the end of a stage's messages ---- */

/* The error of a message whose request is left; MPI_SUCCESS when it has none or is under way. */
static inline int error_of(const ompi_request_t *request)
{
    return NULL == request || MPI_REQUEST_NULL == request || !REQUEST_COMPLETE(request)
                   || MPI_ERR_PENDING == request->req_status.MPI_ERROR
               ? MPI_SUCCESS
               : request->req_status.MPI_ERROR;
}

/* The error of the first message that failed. What the wait returned says less: MPI_ERR_IN_STATUS,
 * or OMPI_ERROR, or in 6.0 success where the message had failed before the wait. */
static int first_error(const napcoll_workspace_t *w, int messages, int returned)
{
    for (int i = 0; i < messages; i++) {
        if (MPI_SUCCESS != error_of(w->request[i])) {
            return error_of(w->request[i]);
        }
    }
    return MPI_ERR_IN_STATUS == returned ? MPI_ERR_OTHER : returned;
}

/* Compare the bytes of a message with those due, once. */
static inline void check_bytes(napcoll_workspace_t *w, int i, size_t came, bool *fell_short)
{
    *fell_short = *fell_short || (any_bytes != w->due[i] && came != w->due[i]);
    w->due[i] = any_bytes;
}

/* Free the messages that have already ended well, as small sends do at once; whether any is
 * left. */
static bool free_ended(napcoll_workspace_t *w, int posted, bool *fell_short)
{
    bool left = false;

    for (int i = 0; i < posted; i++) {
        const ompi_request_t *request = w->request[i];

        if (MPI_REQUEST_NULL == request) {
            continue;
        }
        if (!REQUEST_COMPLETE(request) || MPI_SUCCESS != request->req_status.MPI_ERROR) {
            left = true;
        } else if (&ompi_request_empty == request) {
            w->request[i] = MPI_REQUEST_NULL;
        } else {
            check_bytes(w, i, request->req_status._ucount, fell_short);
            (void) ompi_request_free(&w->request[i]);
        }
    }
    /* another thread may have ended them */
    atomic_thread_fence(memory_order_acquire);
    return left;
}

static double seconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Wait for messages until the deadline; false: some did not come. */
static bool wait_until_deadline(const run_t *run, int posted)
{
    for (int i = 0; i < posted; i++) {
        const ompi_request_t *request = run->workspace->request[i];

        while (MPI_REQUEST_NULL != request && !REQUEST_COMPLETE(request)) {
            if (seconds() > run->deadline) {
                return false;
            }
            opal_progress();
        }
    }
    return true;
}

/* Whether a call goes on, with a deadline, after a stage that failed with rc. A message that begins
 * with sizes always fits: its error is another one. */
static bool goes_on(run_t *run, const napcoll_stage_t *stage, int rc)
{
    if (OPAL_LIKELY(MPI_ERR_TRUNCATE != rc)) {
        return false;
    }
    for (int i = stage->first; i < stage->first + stage->messages; i++) {
        if (run->plan->step[i].headed) {
            return false;
        }
    }
    if (!*run->truncated) {
        *run->truncated = true;
        run->deadline = seconds() + patience_s;
    }
    return true;
}

/* Wait for a stage's messages; the request of one that fails is left. *fell_short: set where one
 * has brought too few bytes. */
static int wait_messages(run_t *run, const napcoll_stage_t *stage, int posted, bool *fell_short)
{
    napcoll_workspace_t *w = run->workspace;
    int rc;

    if (!free_ended(w, posted, fell_short)) {
        return OMPI_SUCCESS;
    }
    if (OPAL_UNLIKELY(*fell_short)) {
        (void) goes_on(run, stage, MPI_ERR_TRUNCATE);
    }
    if (OPAL_UNLIKELY(*run->truncated) && !wait_until_deadline(run, posted)) {
        return OMPI_ERR_TIMEOUT;
    }
    rc = ompi_request_wait_all((size_t) posted, w->request, w->status);
    for (int i = 0; i < posted && OMPI_SUCCESS == rc; i++) {
        check_bytes(w, i, w->status[i]._ucount, fell_short);
    }
    return first_error(w, posted, rc);
}

/* Free the messages that were too long; false: there are none. */
static bool free_truncated(napcoll_workspace_t *w, int posted)
{
    bool freed = false;

    for (int i = 0; i < posted; i++) {
        if (MPI_ERR_TRUNCATE == error_of(w->request[i])) {
            (void) ompi_request_free(&w->request[i]);
            freed = true;
        }
    }
    return freed;
}

/* Leave no request of a failed stage behind. After a process failure or revocation every message
 * ends, and is waited for, since the PML may still write its memory. After other errors a wait
 * could last for ever: receives are cancelled, and sends end by themselves. */
static void abandon_messages(run_t *run, const napcoll_step_t *step, int posted, int error)
{
    const bool waits = napcoll_compat_has_failed(run->binding->comm, error);
    ompi_request_t **request = run->workspace->request;

    for (int i = 0; i < posted; i++) {
        if (NULL == request[i] || MPI_REQUEST_NULL == request[i]) {
            continue;
        }
        if ((waits || NAPCOLL_STEP_RECV == step[i].kind) && !REQUEST_COMPLETE(request[i])) {
            (void) ompi_request_cancel(request[i]);
        }
        if (waits) {
            (void) ompi_request_wait(&request[i], MPI_STATUS_IGNORE);
        }
        if (MPI_REQUEST_NULL != request[i]) { /* a wait that ends with an error leaves it */
            (void) ompi_request_free(&request[i]);
        }
    }
}

/* Post the messages of a stage; *posted: those that have a request. */
static int post_messages(const run_t *run, const napcoll_stage_t *stage, int *posted)
{
    const napcoll_step_t *step = &run->plan->step[stage->first];
    napcoll_workspace_t *w = run->workspace;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < stage->messages && OMPI_SUCCESS == rc; i++) {
        const napcoll_message_t message = find_message(run, &step[i], i);

        w->request[i] = MPI_REQUEST_NULL;
        w->due[i] = any_bytes;
        if (!message.nothing) {
            w->due[i] = bytes_due(&step[i], &message);
            rc = post_message(run, &step[i], &message, &w->request[i]);
        }
        *posted = OMPI_SUCCESS == rc ? i + 1 : i;
    }
    return rc;
}

static int run_messages(run_t *run, const napcoll_stage_t *stage)
{
    const napcoll_step_t *step = &run->plan->step[stage->first];
    bool fell_short = false;
    int posted = 0, rc = before_messages(run, stage);

    if (1 == stage->messages && !*run->truncated) {
        rc = OMPI_SUCCESS == rc ? pass_message(run, step) : rc;
        return OMPI_SUCCESS == rc || goes_on(run, stage, rc) ? after_messages(run, stage) : rc;
    }
    if (OMPI_SUCCESS == rc) {
        rc = post_messages(run, stage, &posted);
    }
    while (OMPI_SUCCESS == rc) {
        rc = wait_messages(run, stage, posted, &fell_short);
        if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
            return !fell_short || goes_on(run, stage, MPI_ERR_TRUNCATE) ? after_messages(run, stage)
                                                                        : MPI_ERR_TRUNCATE;
        }
        if (goes_on(run, stage, rc) && free_truncated(run->workspace, posted)) {
            rc = OMPI_SUCCESS;
        }
    }
    abandon_messages(run, step, posted, rc);
    if (OMPI_ERR_TIMEOUT == rc) {
        return is_spoilt(run) ? after_messages(run, stage) : MPI_ERR_TRUNCATE;
    }
    return rc;
}

/* ---- work ---- */

/* dst = left op right. Open MPI's op writes to its right operand: dst becomes a copy of it first,
 * unless other ranks need not get the same bits and the op can write to a third operand. */
static int reduce_elements(const run_t *run, char *dst, const char *left, const char *right,
                           size_t count)
{
    const napcoll_binding_t *binding = run->binding;
    int rc;

    if (0 == count) {
        return OMPI_SUCCESS;
    }
    if (dst != right && run->plan->reduces_alone && ompi_op_is_intrinsic(binding->op)) {
        napcoll_compat_reduce_to(binding->op, left, right, dst, count, binding->datatype);
        return OMPI_SUCCESS;
    }
    rc = napcoll_copy_elements(binding->datatype, count, dst, right);
    if (OMPI_SUCCESS == rc) {
        napcoll_compat_reduce(binding->op, left, dst, count, binding->datatype);
    }
    return rc;
}

/* A reduction or copy of spans that are contiguous. */
static int do_contiguous(const run_t *run, const napcoll_step_t *step)
{
    const napcoll_binding_t *binding = run->binding;
    char *dst = span_address(run, step->dst);
    char *left = span_address(run, step->left);
    const size_t count = span_count(run, step->dst);

    if (NAPCOLL_STEP_REDUCE == step->kind) {
        return reduce_elements(run, dst, left, span_address(run, step->right), count);
    }
    if (NULL != binding->send_type && NAPCOLL_BUFFER_SEND == step->left.buffer) {
        return napcoll_compat_copy_types(left, binding->send_count, binding->send_type, dst, count,
                                         binding->datatype);
    }
    return napcoll_copy_elements(binding->datatype, count, dst, left);
}

static int do_work(const run_t *run, const napcoll_step_t *step)
{
    const bool in_user_buffer = step->dst.buffer < NAPCOLL_BUFFER_TEMP
                                || step->left.buffer < NAPCOLL_BUFFER_TEMP
                                || (NAPCOLL_STEP_REDUCE == step->kind
                                    && step->right.buffer < NAPCOLL_BUFFER_TEMP);
    napcoll_step_t single;
    int rc = OMPI_SUCCESS;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return napcoll_phase_delegate(run->engine, step, span_address(run, step->dst),
                                      span_address(run, step->left), span_count(run, step->dst),
                                      run->binding);
    }
    if (NULL != run->binding->personalized) {
        return napcoll_personalized_copy_own(run->binding->personalized);
    }
    if (1 == step->dst.count || !run->plan->scattered || !in_user_buffer) {
        return do_contiguous(run, step);
    }
    single = *step;
    single.dst.count = single.left.count = single.right.count = 1;
    for (int b = 0; b < step->dst.count && OMPI_SUCCESS == rc; b++) {
        rc = do_contiguous(run, &single);
        single.dst.first++;
        single.left.first++;
        single.right.first++;
    }
    return rc;
}

/* ---- a run ---- */

static int run_stages(run_t *run)
{
    const napcoll_plan_t *plan = run->plan;
    int rc = OMPI_SUCCESS;

    for (int s = 0; s < plan->stages && OMPI_SUCCESS == rc; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        const napcoll_step_t *work = &plan->step[stage->first + stage->messages];

        if (stage->messages > 0) {
            rc = run_messages(run, stage);
        }
        for (int i = 0; i < stage->work && OMPI_SUCCESS == rc; i++) {
            if (NAPCOLL_STEP_REDUCE != work[i].kind || !*run->truncated) {
                rc = do_work(run, &work[i]);
            }
        }
    }
    return rc;
}

int napcoll_engine_run_bound(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                             const napcoll_binding_t *binding)
{
    bool truncated = false;
    run_t run = {.engine = engine,
                 .plan = plan,
                 .binding = binding,
                 .is_whole = 1 == plan->blocks && NAPCOLL_LAYOUT_VECTOR == plan->layout,
                 .truncated = NULL == binding->personalized ? &truncated
                                                            : &binding->personalized->truncated};
    ptrdiff_t lb;
    int rc = napcoll_engine_prepare(engine, plan);

    if (OPAL_UNLIKELY(*run.truncated)) { /* in an earlier part of the call */
        run.deadline = seconds() + patience_s;
    }
    ompi_datatype_get_extent(binding->datatype, &lb, &run.extent);
    run.workspace = engine->workspace;
    if (OMPI_SUCCESS == rc) {
        rc = bind_buffers(&run);
    }
    if (OMPI_SUCCESS == rc) {
        rc = run_stages(&run);
    }
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        engine->failed = true;
        return napcoll_compat_failure(binding->comm, rc);
    }
    if (run.workspace->scratch.room > NAPCOLL_SCRATCH_KEPT && !engine->failed) {
        napcoll_buffer_give(&run.workspace->scratch);
    }
    return truncated ? MPI_ERR_TRUNCATE : OMPI_SUCCESS;
}
