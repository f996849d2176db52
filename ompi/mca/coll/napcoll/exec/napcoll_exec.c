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
 * Block b of B covers elements b * count / B on, the first count mod B blocks one more than the
 * others. Temporaries lie one after the other in the scratch memory, at the distance that the
 * datatype's extent asks for.
 */

#include "exec/napcoll_exec.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "compat/napcoll_compat.h"
#include "ompi/mca/pml/pml.h"

/* Scratch memory up to this size stays with the communicator between calls. */
static const size_t scratch_kept = 1024 * 1024;

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

static void drop_scratch(napcoll_engine_t *engine)
{
    free(engine->scratch);
    engine->scratch = NULL;
    engine->scratch_size = 0;
}

void napcoll_engine_release(napcoll_engine_t *engine)
{
    free(engine->request);
    free(engine->base);
    drop_scratch(engine);
    engine->request = NULL;
    engine->base = NULL;
    engine->request_room = engine->base_room = 0;
}

/* First element of a block. */
static inline size_t block_start(const napcoll_plan_t *plan, size_t count, int block)
{
    size_t blocks = (size_t) plan->blocks, larger = count % blocks, b = (size_t) block;
    return b * (count / blocks) + (b < larger ? b : larger);
}

static inline size_t span_count(const napcoll_plan_t *plan, size_t count, napcoll_span_t span)
{
    if (1 == plan->blocks) {
        return count;
    }
    return block_start(plan, count, span.first + span.count) - block_start(plan, count, span.first);
}

static inline char *span_address(const napcoll_engine_t *engine, const napcoll_plan_t *plan,
                                 const napcoll_binding_t *binding, ptrdiff_t extent,
                                 napcoll_span_t span)
{
    char *base = engine->base[span.buffer];

    if (0 == span.first) {
        return base;
    }
    return base + (ptrdiff_t) block_start(plan, binding->count, span.first) * extent;
}

/* Memory for the temporaries: *origin is where the first element of the first one begins. */
static int get_scratch(napcoll_engine_t *engine, const napcoll_binding_t *binding, size_t elements,
                       char **origin)
{
    ptrdiff_t gap = 0, true_lb, true_extent, lb, extent;
    size_t reach, size;

    ompi_datatype_get_true_extent(binding->datatype, &true_lb, &true_extent);
    ompi_datatype_get_extent(binding->datatype, &lb, &extent);
    reach = (size_t) (extent < 0 ? -extent : extent);
    reach = reach > (size_t) true_extent ? reach : (size_t) true_extent;
    if (reach > 0 && elements > PTRDIFF_MAX / reach) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    size = (size_t) opal_datatype_span(&binding->datatype->super, elements, &gap);
    if (size > engine->scratch_size) {
        drop_scratch(engine);
        engine->scratch = malloc(size);
        if (NULL == engine->scratch) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        engine->scratch_size = size;
    }
    *origin = engine->scratch - gap;
    return OMPI_SUCCESS;
}

/* Find out where every buffer's block 0 lies in this call. */
static int bind_buffers(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                        const napcoll_binding_t *binding, ptrdiff_t extent)
{
    size_t elements = 0;
    char *at = NULL;

    engine->base[NAPCOLL_BUFFER_SEND] = (char *) (uintptr_t) binding->sendbuf;
    engine->base[NAPCOLL_BUFFER_RECV] = binding->recvbuf;
    for (int t = 0; t < plan->temps; t++) {
        napcoll_span_t all = {.first = plan->temp[t].first, .count = plan->temp[t].count};
        elements += span_count(plan, binding->count, all);
    }
    if (elements > 0) {
        int rc = get_scratch(engine, binding, elements, &at);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    for (int t = 0; t < plan->temps; t++) {
        napcoll_span_t all = {.first = plan->temp[t].first, .count = plan->temp[t].count};
        size_t first = 0 == all.first ? 0 : block_start(plan, binding->count, all.first);

        engine->base[NAPCOLL_BUFFER_TEMP + t] = at - (ptrdiff_t) first * extent;
        at += (ptrdiff_t) span_count(plan, binding->count, all) * extent;
    }
    return OMPI_SUCCESS;
}

/* End the messages of a failed stage: receives are taken back, sends run out by themselves. */
static void abandon_messages(napcoll_engine_t *engine, const napcoll_step_t *step, int posted)
{
    for (int i = 0; i < posted; i++) {
        ompi_request_t **request = &engine->request[i];

        if (MPI_REQUEST_NULL == *request || NULL == *request) {
            continue;
        }
        if (NAPCOLL_STEP_RECV == step[i].kind && !REQUEST_COMPLETE(*request)) {
            (void) ompi_request_cancel(*request);
        }
        (void) ompi_request_free(request);
    }
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

static inline int post(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                       const napcoll_step_t *step, const napcoll_binding_t *binding,
                       ptrdiff_t extent, ompi_request_t **request)
{
    napcoll_span_t span = NAPCOLL_STEP_RECV == step->kind ? step->dst : step->left;
    char *at = span_address(engine, plan, binding, extent, span);
    size_t count = span_count(plan, binding->count, span);

    if (NAPCOLL_STEP_RECV == step->kind) {
        return MCA_PML_CALL(
            irecv(at, count, binding->datatype, step->peer, binding->tag, binding->comm, request));
    }
    return MCA_PML_CALL(isend(at, count, binding->datatype, step->peer, binding->tag,
                              MCA_PML_BASE_SEND_STANDARD, binding->comm, request));
}

static int exchange_messages(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                             const napcoll_stage_t *stage, const napcoll_binding_t *binding,
                             ptrdiff_t extent)
{
    const napcoll_step_t *step = &plan->step[stage->first];
    int posted, rc = OMPI_SUCCESS;

    for (posted = 0; posted < stage->messages; posted++) {
        engine->request[posted] = MPI_REQUEST_NULL;
        rc = post(engine, plan, &step[posted], binding, extent, &engine->request[posted]);
        if (OMPI_SUCCESS != rc) {
            break;
        }
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_request_wait_all((size_t) posted, engine->request, MPI_STATUSES_IGNORE);
        rc = first_error(engine, posted, rc);
        if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
            return OMPI_SUCCESS;
        }
    }
    abandon_messages(engine, step, posted);
    return rc;
}

static int do_work(napcoll_engine_t *engine, const napcoll_plan_t *plan, const napcoll_step_t *step,
                   const napcoll_binding_t *binding, ptrdiff_t extent)
{
    char *dst = span_address(engine, plan, binding, extent, step->dst);
    char *left = span_address(engine, plan, binding, extent, step->left);
    size_t count = span_count(plan, binding->count, step->dst);
    char *right;

    if (NAPCOLL_STEP_PHASE == step->kind) {
        return napcoll_phase_delegate(engine, step, dst, left, count, binding);
    }
    if (NAPCOLL_STEP_COPY == step->kind) {
        return ompi_datatype_copy_content_same_ddt(binding->datatype, count, dst, left) < 0
                   ? OMPI_ERROR
                   : OMPI_SUCCESS;
    }
    right = span_address(engine, plan, binding, extent, step->right);
    if (right != dst
        && ompi_datatype_copy_content_same_ddt(binding->datatype, count, dst, right) < 0) {
        return OMPI_ERROR;
    }
    napcoll_compat_reduce(binding->op, left, dst, count, binding->datatype);
    return OMPI_SUCCESS;
}

int napcoll_engine_run(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                       const napcoll_binding_t *binding)
{
    ptrdiff_t lb, extent;
    int rc;

    ompi_datatype_get_extent(binding->datatype, &lb, &extent);
    rc = bind_buffers(engine, plan, binding, extent);
    for (int s = 0; s < plan->stages && OMPI_SUCCESS == rc; s++) {
        const napcoll_stage_t *stage = &plan->stage[s];
        const napcoll_step_t *work = &plan->step[stage->first + stage->messages];

        if (stage->messages > 0) {
            rc = exchange_messages(engine, plan, stage, binding, extent);
        }
        for (int i = 0; i < stage->work && OMPI_SUCCESS == rc; i++) {
            rc = do_work(engine, plan, &work[i], binding, extent);
        }
    }
    if (engine->scratch_size > scratch_kept) {
        drop_scratch(engine);
    }
    return rc;
}
