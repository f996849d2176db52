/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers of streams (see napcoll_stream.h). The bytes go through one convertor of the datatype
 * engine, from the first to the last; those that come early wait in the scratch memory. Blocks are
 * elements of the packed bytes.
 */

#include "exec/napcoll_operation.h"

#include <stdint.h>
#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"
#include "util/napcoll_grow.h"

static bool is_packing(const napcoll_stream_t *stream)
{
    return 0 != (stream->convertor.flags & CONVERTOR_SEND);
}

/* Pack or unpack up to `end`. Packing goes a little beyond it: the convertor does not split an
 * element. */
static int convert_until(napcoll_stream_t *stream, size_t end)
{
    const size_t slack = 64;

    while (stream->done < end) {
        const size_t left = stream->bytes - stream->done, wanted = end - stream->done;
        struct iovec iov = {.iov_base = stream->packed + stream->done, .iov_len = wanted};
        uint32_t pieces = 1;
        size_t converted;
        int32_t rc;

        if (is_packing(stream)) {
            iov.iov_len = left - wanted < slack ? left : wanted + slack;
        }
        converted = iov.iov_len;
        rc = is_packing(stream)
                 ? opal_convertor_pack(&stream->convertor, &iov, &pieces, &converted)
                 : opal_convertor_unpack(&stream->convertor, &iov, &pieces, &converted);
        if (rc < 0 || 0 == converted) {
            return OMPI_ERROR;
        }
        stream->done += converted;
    }
    return OMPI_SUCCESS;
}

/* Pack at least up to the end of a span. */
static int fill(napcoll_operation_t *op, napcoll_span_t span)
{
    napcoll_stream_t *stream = &op->stream;
    const int end = span.first + span.count;

    return is_packing(stream)
               ? convert_until(stream, napcoll_vector_start(stream->bytes, op->plan->blocks, end))
               : OMPI_SUCCESS;
}

/* A span has come: unpack all blocks up to the first that has not. */
static int empty(napcoll_operation_t *op, napcoll_span_t span)
{
    napcoll_stream_t *stream = &op->stream;
    const int blocks = op->plan->blocks;

    memset(stream->came + span.first, true, (size_t) span.count * sizeof(*stream->came));
    while (stream->next < blocks && stream->came[stream->next]) {
        stream->next++;
    }
    return convert_until(stream, napcoll_vector_start(stream->bytes, blocks, stream->next));
}

/* Fill or empty the spans of a stage's messages of one kind. */
static int convert_stage(napcoll_operation_t *op, const napcoll_stage_t *stage,
                         napcoll_step_kind_t kind,
                         int (*convert)(napcoll_operation_t *op, napcoll_span_t span))
{
    int rc = OMPI_SUCCESS;

    for (int i = stage->first; i < stage->first + stage->messages && OMPI_SUCCESS == rc; i++) {
        if (kind == op->plan->step[i].kind) {
            rc = convert(op, *napcoll_step_span(&op->plan->step[i]));
        }
    }
    return rc;
}

static int stream_before(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    return convert_stage(op, stage, NAPCOLL_STEP_SEND, fill);
}

static int stream_after(napcoll_operation_t *op, const napcoll_stage_t *stage)
{
    return convert_stage(op, stage, NAPCOLL_STEP_RECV, empty);
}

/* The binding becomes one of packed bytes: in the user's buffer, or in the scratch memory. */
static int stream_bind(napcoll_operation_t *op)
{
    napcoll_binding_t *binding = &op->binding;
    const opal_datatype_t *type = &binding->datatype->super;
    napcoll_stream_t *stream = &op->stream;
    const size_t room = (size_t) op->plan->blocks;
    ptrdiff_t true_lb, true_extent;
    size_t element;
    int rc;

    ompi_datatype_get_true_extent(binding->datatype, &true_lb, &true_extent);
    ompi_datatype_type_size(binding->datatype, &element);
    stream->vector = binding->recvbuf;
    stream->datatype = binding->datatype;
    stream->count = binding->count;
    stream->bytes = binding->count = element * binding->count;
    binding->datatype = &ompi_mpi_byte.dt;
    if (opal_datatype_is_contiguous_memory_layout(type, (int32_t) (stream->count > 1 ? 2 : 1))) {
        op->buffers = &napcoll_buffers_elements;
        binding->sendbuf = binding->recvbuf = napcoll_offset(stream->vector, true_lb);
        return op->buffers->bind(op);
    }
    rc = napcoll_operation_scratch(op, binding->datatype, stream->bytes, &stream->packed);
    if (OMPI_SUCCESS != rc
        || !napcoll_grow(&stream->came, &stream->came_room, room, sizeof(*stream->came))) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    binding->sendbuf = binding->recvbuf = stream->packed;
    return napcoll_buffers_elements.bind(op);
}

static int stream_begin(napcoll_operation_t *op)
{
    const bool sends = op->plan->user[NAPCOLL_BUFFER_SEND].count > 0;
    napcoll_stream_t *stream = &op->stream;
    const opal_datatype_t *type = &stream->datatype->super;

    stream->done = 0;
    stream->next = 0;
    memset(stream->came, false, (size_t) op->plan->blocks * sizeof(*stream->came));
    OBJ_CONSTRUCT(&stream->convertor, opal_convertor_t);
    return sends ? opal_convertor_copy_and_prepare_for_send(
               ompi_mpi_local_convertor, type, stream->count, stream->vector, 0, &stream->convertor)
                 : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, type,
                                                            stream->count, stream->vector, 0,
                                                            &stream->convertor);
}

static void stream_message(const napcoll_operation_t *op, const napcoll_step_t *step, int i,
                           napcoll_message_t *message)
{
    napcoll_buffers_elements.message(op, step, i, message);
}

/* The work is a broadcast by another component, of the packed bytes. */
static int stream_work(napcoll_operation_t *op, const napcoll_step_t *step)
{
    int rc = fill(op, step->left);

    if (OMPI_SUCCESS == rc) {
        rc = napcoll_buffers_elements.work(op, step);
    }
    return OMPI_SUCCESS != rc || napcoll_phase_is_root(op, step) ? rc : empty(op, step->dst);
}

static int stream_finish(napcoll_operation_t *op, int rc)
{
    OBJ_DESTRUCT(&op->stream.convertor);
    return napcoll_buffers_elements.finish(op, rc);
}

const napcoll_buffers_t napcoll_buffers_stream = {.bind = stream_bind,
                                                  .begin = stream_begin,
                                                  .before = stream_before,
                                                  .message = stream_message,
                                                  .after = stream_after,
                                                  .work = stream_work,
                                                  .finish = stream_finish};
