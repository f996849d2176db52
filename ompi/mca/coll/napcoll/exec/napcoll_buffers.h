/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What an operation asks of the buffers of its call: where the blocks of a plan are. There are
 * three kinds, one for each thing that blocks can be:
 *
 *     elements       parts of a vector, or the vectors of ranks: their addresses follow from counts
 *     stream         the packed bytes of a broadcast's vector, where that has gaps
 *     personalized   blocks of an all-to-all, gather or scatter, each with its own address, count
 *                    and datatype, and the slots in which others stop on their way
 *
 * An operation calls them in this order:
 *
 *     bind  (begin  (before  message...  after  work...) of each stage) of each piece  outside
 *     finish
 *
 * User memory may be on a device: all copies and reductions go through Open MPI's engines.
 */

#ifndef NAPCOLL_BUFFERS_H
#define NAPCOLL_BUFFERS_H

#include "ompi_config.h"

#include <stdint.h>

#include "compat/napcoll_compat.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "plan/napcoll_plan.h"

struct napcoll_operation;

/**
 * The arguments of a call, as the caller of the collective gives them. All memory is borrowed.
 *
 * Where blocks belong to ranks, block b belongs to rank order[b] and has count elements or, with
 * counts, counts[order[b]].
 */
typedef struct napcoll_binding {
    /** not read by a plan for MPI_IN_PLACE */
    const void *sendbuf;
    void *recvbuf;
    /** elements of the vector, or of a rank's block */
    size_t count;
    ompi_datatype_t *datatype;
    /** elements and datatype of the send buffer's block, where it has its own type; else 0 and
     * NULL */
    size_t send_count;
    ompi_datatype_t *send_type;
    ompi_op_t *op;
    ompi_communicator_t *comm;
    int tag;
    /** 0 where the collective has none */
    int root;
    /** [ranks] of uneven calls: of the receive buffer, and of the send buffer */
    napcoll_compat_counts_t counts;
    napcoll_compat_displs_t displs;
    ompi_datatype_t *const *types;
    napcoll_compat_counts_t send_counts;
    napcoll_compat_displs_t send_displs;
    ompi_datatype_t *const *send_types;
    /** of a neighbor_alltoallw in place of the displacements: in bytes */
    napcoll_compat_offsets_t offsets;
    napcoll_compat_offsets_t send_offsets;
    /** [ranks] NULL: block b is rank b's */
    const int *order;
} napcoll_binding_t;

/** The memory of a message. */
typedef struct napcoll_message {
    char *at;
    size_t count;
    ompi_datatype_t *type;
    /** it has no bytes and is not sent */
    bool nothing;
    /** it may bring fewer bytes than these */
    bool at_most;
    /** its bytes may stay where they have arrived until `work` has read them there */
    bool may_stay;
} napcoll_message_t;

/** A kind of buffers. Functions return OMPI_SUCCESS or an error; NULL: nothing to do. */
typedef struct napcoll_buffers {
    /** Find the addresses of the blocks, and take all memory. */
    int (*bind)(struct napcoll_operation *operation);
    /** Begin a piece: copy what must be copied before any message. */
    int (*begin)(struct napcoll_operation *operation);
    /** Prepare what a stage sends, and memory for what it receives. */
    int (*before)(struct napcoll_operation *operation, const napcoll_stage_t *stage);
    /** The message of a stage's step i: sets all of it. */
    void (*message)(const struct napcoll_operation *operation, const napcoll_step_t *step, int i,
                    napcoll_message_t *message);
    /** Take in what a stage has received. */
    int (*after)(struct napcoll_operation *operation, const napcoll_stage_t *stage);
    /** Do a step that is not a message. */
    int (*work)(struct napcoll_operation *operation, const napcoll_step_t *step);
    /** After the last stage: end the messages outside the plan, as far as they have come or, with
     * `waits`, all. */
    int (*outside)(struct napcoll_operation *operation, bool waits, bool *ended);
    /** The operation has ended with `rc`: move results to the user's buffers, unless it failed, and
     * free memory. Returns rc, or the error of that. */
    int (*finish)(struct napcoll_operation *operation, int rc);
} napcoll_buffers_t;

extern const napcoll_buffers_t napcoll_buffers_elements;
extern const napcoll_buffers_t napcoll_buffers_stream;
extern const napcoll_buffers_t napcoll_buffers_personalized;

/** The address some bytes behind another. An origin may be NULL or outside its memory, where C
 * does not define arithmetic on pointers. */
static inline char *napcoll_offset(const void *base, ptrdiff_t bytes)
{
    return (char *) ((uintptr_t) base + (uintptr_t) bytes);
}

/** Copy elements, also from and to device memory. */
static inline int napcoll_copy_elements(ompi_datatype_t *datatype, size_t count, char *to,
                                        const char *from)
{
    return to == from || 0 == count
                   || ompi_datatype_copy_content_same_ddt(datatype, count, to,
                                                          (char *) (uintptr_t) from)
                          >= 0
               ? OMPI_SUCCESS
               : OMPI_ERROR;
}

/** The first element of a block of a vector. */
static inline size_t napcoll_vector_start(size_t count, int blocks, int block)
{
    const size_t b = (size_t) block, larger = count % (size_t) blocks;

    return b * (count / (size_t) blocks) + (b < larger ? b : larger);
}

#endif /* NAPCOLL_BUFFERS_H */
