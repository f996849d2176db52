/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Host copies of the user's buffers for the time of a call: of device memory that is reduced, which
 * the host cannot read, or that many small copies would touch. A whole buffer is copied at once.
 * Each process decides this by itself: its messages are the same with and without a host copy.
 */

#ifndef NAPCOLL_HOST_H
#define NAPCOLL_HOST_H

#include "exec/napcoll_buffer_pool.h"
#include "exec/napcoll_buffers.h"

/** Consecutive elements and their copy. All zero: none. */
typedef struct napcoll_host_copy {
    /** the first element, as a pointer to a buffer of the datatype, and the same in the copy */
    char *user;
    char *host;
    size_t elements;
    ompi_datatype_t *type;
    napcoll_buffer_t buffer;
} napcoll_host_copy_t;

/** The copies of the send and the receive buffer. */
typedef struct napcoll_host_sides {
    napcoll_host_copy_t side[NAPCOLL_BUFFER_TEMP];
} napcoll_host_sides_t;

/** Blocks with more bytes than this on average stay in device memory unless they are reduced: the
 * time of their bytes counts, not the number of copies. */
enum { NAPCOLL_HOST_BLOCK = 64 * 1024 };

/**
 * The bytes that elements take in memory. Elements whose data are within their bounds count with
 * their full extent, since a user's operation may write the padding of the last element too.
 *
 * @param[in]  type      of the elements
 * @param[in]  elements  how many
 * @param[out] gap       where the bytes begin, relative to the address of the first element
 * @param[out] bytes     how many
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE where that is more than memory can be
 */
int napcoll_host_span(ompi_datatype_t *type, size_t elements, ptrdiff_t *gap, size_t *bytes);

/**
 * Make a copy.
 *
 * @param[out] copy      the copy; the caller releases it, also after an error
 * @param[in]  user      address of the first element
 * @param[in]  elements  how many, 1 or more
 * @param[in]  type      of the elements
 * @param[in]  filled    whether the copy begins with the user's data
 */
int napcoll_host_take(napcoll_host_copy_t *copy, const void *user, size_t elements,
                      ompi_datatype_t *type, bool filled);

/** Free a copy, where there is one. */
static inline void napcoll_host_release(napcoll_host_copy_t *copy)
{
    if (OPAL_UNLIKELY(NULL != copy->buffer.memory)) {
        napcoll_buffer_give(&copy->buffer);
    }
}

/**
 * Send a copy where the user gives the same memory as both buffers: an error that Open MPI does not
 * always find. The process decides as with two buffers, since others do not know of the error.
 *
 * @param[in,out] sendbuf   the send buffer, which becomes the copy
 * @param[in]     recvbuf   the receive buffer
 * @param[in]     elements  of the send buffer, consecutive
 * @param[in]     type      of the elements
 * @param[out]    copy      the copy, if any; the caller releases it, also after an error
 */
static inline int napcoll_host_separate(const void **sendbuf, const void *recvbuf, size_t elements,
                                        ompi_datatype_t *type, napcoll_host_copy_t *copy)
{
    int rc;

    copy->buffer = (napcoll_buffer_t){0};
    if (OPAL_LIKELY(*sendbuf != recvbuf) || 0 == elements) {
        return OMPI_SUCCESS;
    }
    rc = napcoll_host_take(copy, *sendbuf, elements, type, true);
    *sendbuf = OMPI_SUCCESS == rc ? copy->host : *sendbuf;
    return rc;
}

/** Make the host copies that an operation needs: of elements, and change op->base; or of measured
 * personalized blocks, before anything is packed, and move the blocks there. napcoll_host_end frees
 * the copies, also after an error. */
int napcoll_host_begin_elements(struct napcoll_operation *operation);
int napcoll_host_begin_personalized(struct napcoll_operation *operation);

/** End an operation with `rc`: copy the result back unless it failed, and free the copies. Returns
 * rc, or the error of the copy. */
int napcoll_host_end(napcoll_host_sides_t *sides, int rc);

#endif /* NAPCOLL_HOST_H */
