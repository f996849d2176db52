/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Streams (see the header). The bytes go through one convertor of the datatype engine, from the
 * first to the last; those that come early wait in the scratch memory.
 */

#include "exec/napcoll_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

struct napcoll_stream {
    opal_convertor_t convertor;
    char *packed;
    size_t bytes;
    /* bytes that are packed, or unpacked */
    size_t done;
    /* [blocks] what has come, and the first block that has not, or is not unpacked */
    bool *came;
    int blocks, next;
};

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

int napcoll_stream_fill(napcoll_stream_t *stream, napcoll_span_t span)
{
    const int end = span.first + span.count;

    if (!is_packing(stream)) {
        return OMPI_SUCCESS;
    }
    return convert_until(stream, napcoll_vector_start(stream->bytes, stream->blocks, end));
}

int napcoll_stream_empty(napcoll_stream_t *stream, napcoll_span_t span)
{
    memset(stream->came + span.first, true, (size_t) span.count * sizeof(*stream->came));
    while (stream->next < stream->blocks && stream->came[stream->next]) {
        stream->next++;
    }
    return convert_until(stream, napcoll_vector_start(stream->bytes, stream->blocks, stream->next));
}

/* Run a plan on a vector that is not contiguous. */
static int run_converted(napcoll_engine_t *engine, const napcoll_plan_t *plan, void *buffer,
                         size_t count, ompi_datatype_t *datatype, napcoll_binding_t *binding)
{
    napcoll_stream_t stream = {.bytes = binding->count, .blocks = plan->blocks};
    const bool sends = plan->user[NAPCOLL_BUFFER_SEND].count > 0;
    int rc = napcoll_engine_scratch(engine, binding->datatype, binding->count, &stream.packed);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    stream.came = calloc((size_t) plan->blocks, sizeof(*stream.came));
    if (NULL == stream.came) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OBJ_CONSTRUCT(&stream.convertor, opal_convertor_t);
    rc = sends
             ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super,
                                                        count, buffer, 0, &stream.convertor)
             : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &datatype->super,
                                                        count, buffer, 0, &stream.convertor);
    if (OMPI_SUCCESS == rc) {
        binding->sendbuf = binding->recvbuf = stream.packed;
        binding->stream = &stream;
        rc = napcoll_engine_run(engine, plan, binding);
    }
    OBJ_DESTRUCT(&stream.convertor);
    free(stream.came);
    return rc;
}

int napcoll_engine_run_stream(napcoll_engine_t *engine, const napcoll_plan_t *plan, void *buffer,
                              size_t count, ompi_datatype_t *datatype, ompi_communicator_t *comm,
                              int tag)
{
    napcoll_binding_t binding = {.datatype = &ompi_mpi_byte.dt, .comm = comm, .tag = tag};
    ptrdiff_t true_lb, true_extent;
    size_t element;

    ompi_datatype_type_size(datatype, &element);
    binding.count = element * count;
    if (!opal_datatype_is_contiguous_memory_layout(&datatype->super,
                                                   (int32_t) (count > 1 ? 2 : 1))) {
        return run_converted(engine, plan, buffer, count, datatype, &binding);
    }
    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    binding.sendbuf = binding.recvbuf = napcoll_offset(buffer, true_lb);
    return napcoll_engine_run(engine, plan, &binding);
}
