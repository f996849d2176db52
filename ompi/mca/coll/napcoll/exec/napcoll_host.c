/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Host copies (see the header).
 */

#include "exec/napcoll_host.h"

#include <stdint.h>

#include "exec/napcoll_operation.h"

static inline ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static inline ptrdiff_t most(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

int napcoll_host_span(ompi_datatype_t *type, size_t elements, ptrdiff_t *gap, size_t *bytes)
{
    ptrdiff_t lb, extent, true_lb, true_extent, low, high, last;
    size_t reach;

    *gap = 0;
    *bytes = 0;
    if (0 == elements) {
        return OMPI_SUCCESS;
    }
    ompi_datatype_get_extent(type, &lb, &extent);
    ompi_datatype_get_true_extent(type, &true_lb, &true_extent);
    low = true_lb;
    high = true_lb + true_extent;
    /* Padding belongs to elements whose data are within their bounds. */
    if (least(lb, lb + extent) <= low && high <= most(lb, lb + extent)) {
        low = least(lb, lb + extent);
        high = most(lb, lb + extent);
    }
    reach = (size_t) most(extent < 0 ? -extent : extent, high - low);
    if (reach > 0 && elements > PTRDIFF_MAX / reach) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    last = (ptrdiff_t) (elements - 1) * extent;
    *gap = low + least(0, last);
    *bytes = (size_t) (high - low + (last < 0 ? -last : last));
    return OMPI_SUCCESS;
}

int napcoll_host_take(napcoll_host_copy_t *copy, const void *user, size_t elements,
                      ompi_datatype_t *type, bool filled)
{
    ptrdiff_t gap;
    size_t bytes;
    int rc = napcoll_host_span(type, elements, &gap, &bytes);

    *copy = (napcoll_host_copy_t){
        .user = (char *) (uintptr_t) user, .elements = elements, .type = type};
    if (OMPI_SUCCESS != rc || !napcoll_buffer_take(&copy->buffer, bytes)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy->host = napcoll_offset(copy->buffer.memory, -gap);
    return filled ? napcoll_copy_elements(type, elements, copy->host, user) : OMPI_SUCCESS;
}

int napcoll_host_end(napcoll_host_sides_t *sides, int rc)
{
    const napcoll_host_copy_t *result = &sides->side[NAPCOLL_BUFFER_RECV];

    if ((OMPI_SUCCESS == rc || MPI_ERR_TRUNCATE == rc) && NULL != result->buffer.memory) {
        const int copied = napcoll_copy_elements(result->type, result->elements, result->user,
                                                 result->host);

        rc = OMPI_SUCCESS == rc ? copied : rc;
    }
    for (int i = 0; i < NAPCOLL_BUFFER_TEMP; i++) {
        napcoll_host_release(&sides->side[i]);
    }
    return rc;
}

/* ---- vectors, and blocks of ranks ---- */

/* The elements of a user buffer: *first is the one with the lowest address. False: they are not
 * contiguous. */
static bool find_elements(const napcoll_operation_t *op, int32_t buffer, ptrdiff_t *first,
                          size_t *elements)
{
    const napcoll_block_range_t range = op->plan->user[buffer];
    const size_t *start = op->start;
    ptrdiff_t low = PTRDIFF_MAX, high = 0;

    *first = 0;
    *elements = op->binding.count;
    if (NAPCOLL_LAYOUT_RANKS != op->plan->layout) {
        return true;
    }
    if (NULL == start) {
        *elements = (size_t) range.count * op->binding.count;
        return true;
    }
    *elements = start[range.first + range.count] - start[range.first];
    if (1 == range.count) {
        return true;
    }
    for (int b = 0; b < op->plan->blocks; b++) {
        if (start[b + 1] > start[b]) {
            const ptrdiff_t place = napcoll_elements_place(op, b);

            low = least(low, place);
            high = most(high, place + (ptrdiff_t) (start[b + 1] - start[b]));
        }
    }
    *first = low;
    return *elements > 0 && (size_t) (high - low) == *elements;
}

/* Whether many small copies would touch the receive buffer. */
static bool is_scattered(const napcoll_operation_t *op, int32_t buffer, size_t elements)
{
    size_t element;

    ompi_datatype_type_size(op->binding.datatype, &element);
    return NAPCOLL_BUFFER_RECV == buffer && op->plan->scattered && op->plan->temps > 0
           && elements * element <= (size_t) op->plan->blocks * NAPCOLL_HOST_BLOCK;
}

/* Replace a user buffer by a copy on the host, where it needs one. */
static int copy_side(napcoll_operation_t *op, int32_t buffer, bool filled)
{
    ompi_datatype_t *type = op->binding.datatype;
    napcoll_host_copy_t *copy = &op->host.side[buffer];
    char **base = &op->base[buffer];
    ptrdiff_t first;
    size_t elements;
    bool whole;
    int rc;

    if (0 == op->plan->user[buffer].count || !napcoll_compat_on_device(*base)) {
        return OMPI_SUCCESS;
    }
    whole = find_elements(op, buffer, &first, &elements);
    if (!whole || 0 == elements
        || (NULL == op->binding.op && !is_scattered(op, buffer, elements))) {
        return OMPI_SUCCESS;
    }
    rc = napcoll_host_take(copy, napcoll_offset(*base, first * op->extent), elements, type, filled);
    *base = OMPI_SUCCESS == rc ? napcoll_offset(copy->host, -first * op->extent) : *base;
    return rc;
}

int napcoll_host_begin_elements(napcoll_operation_t *op)
{
    const bool in_place = MPI_IN_PLACE == op->binding.sendbuf;
    int rc = OMPI_SUCCESS;

    op->base[NAPCOLL_BUFFER_SEND] = (char *) (uintptr_t) op->binding.sendbuf;
    op->base[NAPCOLL_BUFFER_RECV] = op->binding.recvbuf;
    /* without an op only messages read the send buffer: they can read device memory */
    if (!in_place && NULL != op->binding.op) {
        rc = copy_side(op, NAPCOLL_BUFFER_SEND, true);
    }
    return OMPI_SUCCESS == rc ? copy_side(op, NAPCOLL_BUFFER_RECV, in_place) : rc;
}

/* ---- personalized blocks ---- */

/* Whether a message of the plan packs blocks of a buffer: it has several, or begins with sizes. */
static bool packs_blocks(const napcoll_plan_t *plan, int32_t buffer)
{
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];
        const napcoll_span_t *span = napcoll_step_span(step);

        if (step->kind <= NAPCOLL_STEP_SEND && (span->count > 1 || step->headed)
            && napcoll_span_meets(plan, span, buffer, buffer + 1)) {
            return true;
        }
    }
    return false;
}

/* The address of the blocks of a buffer, if they are dense and contiguous; else NULL. */
static char *find_blocks(const napcoll_personalized_t *personalized, int32_t buffer, size_t *bytes)
{
    const napcoll_block_t *block = personalized->block[buffer];
    uintptr_t low = UINTPTR_MAX, high = 0;

    *bytes = 0;
    for (int i = 0; i < personalized->range[buffer].count; i++) {
        const uintptr_t at = (uintptr_t) napcoll_offset(block[i].at, block[i].lead);

        if (0 == block[i].bytes) {
            continue;
        }
        if (!block[i].dense) {
            return NULL;
        }
        *bytes += block[i].bytes;
        low = at < low ? at : low;
        high = at + block[i].bytes > high ? at + block[i].bytes : high;
    }
    return *bytes > 0 && high - low == *bytes ? (char *) low : NULL;
}

/* Move the addresses of the blocks of a buffer. */
static void move_blocks(napcoll_personalized_t *personalized, int32_t buffer, ptrdiff_t by)
{
    for (int i = 0; i < personalized->range[buffer].count; i++) {
        napcoll_block_t *block = &personalized->block[buffer][i];

        block->at = napcoll_offset(block->at, by);
    }
}

int napcoll_host_begin_personalized(napcoll_operation_t *op)
{
    napcoll_personalized_t *personalized = &op->personalized;
    int rc = OMPI_SUCCESS;

    for (int32_t buffer = 0; buffer < NAPCOLL_BUFFER_TEMP && OMPI_SUCCESS == rc; buffer++) {
        const size_t blocks = (size_t) personalized->range[buffer].count;
        napcoll_host_copy_t *copy = &op->host.side[buffer];
        const bool sent_there = personalized->in_place && NAPCOLL_BUFFER_RECV == buffer;
        size_t bytes;
        char *at;

        if (blocks < 2 || (personalized->in_place && NAPCOLL_BUFFER_SEND == buffer)) {
            continue;
        }
        at = find_blocks(personalized, buffer, &bytes);
        if (NULL == at || !napcoll_compat_on_device(at) || bytes / blocks > NAPCOLL_HOST_BLOCK
            || !(sent_there || packs_blocks(op->plan, buffer))) {
            continue;
        }
        rc = napcoll_host_take(copy, at, bytes, &ompi_mpi_byte.dt,
                               sent_there || NAPCOLL_BUFFER_SEND == buffer);
        if (OMPI_SUCCESS == rc) {
            const ptrdiff_t by = (ptrdiff_t) ((uintptr_t) copy->host - (uintptr_t) at);

            move_blocks(personalized, buffer, by);
            if (sent_there) {
                move_blocks(personalized, NAPCOLL_BUFFER_SEND, by);
            }
        }
    }
    return rc;
}
