/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Host copies of the user's buffers, for the time of a call: of device memory that must be reduced,
 * which the host cannot read, or that many small copies would touch. A whole side is copied at
 * once.
 *
 * Each process decides this by itself: its messages are the same with and without a host copy.
 */

#ifndef NAPCOLL_HOST_H
#define NAPCOLL_HOST_H

#include "exec/napcoll_exec.h"
#include "exec/napcoll_buffer_pool.h"

/** A run of elements and its copy; all zero: none. */
typedef struct napcoll_host_copy {
    /** address of the first element, as a pointer to a buffer of the datatype */
    char *user;
    /** the same in the copy */
    char *host;
    size_t elements;
    ompi_datatype_t *type;
    char *memory;
    size_t room;
} napcoll_host_copy_t;

/** Blocks above this size on average stay in device memory, where nothing must be reduced: then the
 * time of their bytes counts, not the number of copies. */
enum { NAPCOLL_HOST_BLOCK = 64 * 1024 };

/**
 * The bytes that elements take in memory. Those whose data lie within their bounds count with their
 * full extent, since operations of users may write the padding of the last element as well.
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
 * @param[out] copy      the copy; to be released, also after an error
 * @param[in]  user      address of the first element
 * @param[in]  elements  how many, 1 or more
 * @param[in]  type      of the elements
 * @param[in]  filled    whether the copy begins with the data of the user's elements
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_host_take(napcoll_host_copy_t *copy, const void *user, size_t elements,
                      ompi_datatype_t *type, bool filled);

/** Copy the data back to the user's elements; gaps between them stay as they are. */
int napcoll_host_return(const napcoll_host_copy_t *copy);

/** Free a copy, where there is one. */
static inline void napcoll_host_release(napcoll_host_copy_t *copy)
{
    if (OPAL_UNLIKELY(NULL != copy->memory)) {
        napcoll_buffer_pool_give(copy->memory, copy->room);
        copy->memory = NULL;
    }
}

/**
 * Where a call's two buffers are the same memory, which is an error of the user's that Open MPI
 * does not always find, let what is sent be a copy: the call then does what it does with two
 * buffers.
 *
 * Each process does this by itself, for its decisions must be those of the others: where all must
 * be in place together, one cannot be so alone.
 *
 * @param[in,out] sendbuf   the send buffer, which becomes the copy
 * @param[in]     recvbuf   the receive buffer
 * @param[in]     elements  in the send buffer, one behind the other
 * @param[in]     type      of the elements
 * @param[out]    copy      the copy, if any; to be released, also after an error
 *
 * @return OMPI_SUCCESS or an error
 */
static inline int napcoll_host_separate(const void **sendbuf, const void *recvbuf, size_t elements,
                                        ompi_datatype_t *type, napcoll_host_copy_t *copy)
{
    int rc;

    copy->memory = NULL;
    if (OPAL_LIKELY(*sendbuf != recvbuf) || 0 == elements) {
        return OMPI_SUCCESS;
    }
    rc = napcoll_host_take(copy, *sendbuf, elements, type, true);
    *sendbuf = OMPI_SUCCESS == rc ? copy->host : *sendbuf;
    return rc;
}

/** The same for blocks, of which datatypes may differ: those at MPI_BOTTOM need not be the same. */
static inline int napcoll_host_separate_blocks(const void **sendbuf, const void *recvbuf,
                                               size_t elements, ompi_datatype_t *type,
                                               napcoll_host_copy_t *copy)
{
    return napcoll_host_separate(sendbuf, recvbuf, NULL == recvbuf ? 0 : elements, type, copy);
}

/** The host copies that a run of a plan needs. */
typedef struct napcoll_host_sides {
    napcoll_host_copy_t side[NAPCOLL_BUFFER_TEMP];
} napcoll_host_sides_t;

/**
 * Make the host copies that a plan of personalized blocks needs, and let the blocks lie there.
 *
 * @param[in]     plan   this rank's
 * @param[in,out] pairs  measured blocks, before anything is packed
 * @param[out]    sides  the copies; to be released, also after an error
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_host_bind_personalized(const napcoll_plan_t *plan, napcoll_personalized_t *personalized,
                                   napcoll_host_sides_t *sides);

/** End a run: copy the result back unless it failed, and free the copies. Returns rc, or the error
 * of the copy. */
int napcoll_host_end(napcoll_host_sides_t *sides, int rc);

#endif /* NAPCOLL_HOST_H */
