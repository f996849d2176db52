/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine: runs a plan over the PML. Each communicator has one. Its memory is a workspace, which
 * it takes from the process's pool for the time of a call: a communicator has no memory between its
 * calls, and a call allocates nothing unless its temporaries are large.
 */

#ifndef NAPCOLL_EXEC_H
#define NAPCOLL_EXEC_H

#include "ompi_config.h"

#include <stdint.h>

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/request/request.h"

#include "compat/napcoll_compat.h"
#include "exec/napcoll_buffer_pool.h"
#include "plan/napcoll_plan.h"

/** The user's blocks in an all-to-all, gather or scatter, see exec/napcoll_personalized.h. */
typedef struct napcoll_personalized napcoll_personalized_t;

/** The packed bytes of a broadcast's vector, see exec/napcoll_stream.h. */
typedef struct napcoll_stream napcoll_stream_t;

/** A workspace keeps larger buffers than this during a call only. */
enum { NAPCOLL_SCRATCH_KEPT = 1024 * 1024 };

/** The memory of a call: arrays that grow to the largest plan, and buffers. */
typedef struct napcoll_workspace {
    /** of the messages of a stage; due: the bytes that each must bring, SIZE_MAX: any number */
    ompi_request_t **request;
    size_t request_room;
    size_t *due;
    size_t due_room;
    ompi_status_public_t *status;
    size_t status_room;
    /** per buffer of the plan: where block 0 is in this call */
    char **base;
    size_t base_room;
    /** arrays of ranks for napcoll_binding_t */
    size_t *start;
    size_t start_room;
    ptrdiff_t *place;
    size_t place_room;
    /** temporaries */
    napcoll_buffer_t scratch;
    /** NULL before the first call with personalized blocks */
    napcoll_personalized_t *personalized;
} napcoll_workspace_t;

/** What runs the plans of one communicator. All zero, except node_comm. */
typedef struct napcoll_engine {
    /** processes of this node, for local phases; may be NULL */
    ompi_communicator_t *node_comm;
    /** NULL between calls */
    napcoll_workspace_t *workspace;
    /** parts of the workspace, after napcoll_engine_ranks and napcoll_engine_personalized */
    size_t *start;
    ptrdiff_t *place;
    napcoll_personalized_t *personalized;
    /** a run has failed: messages to its memory may be under way, so the workspace is not given
     * back */
    bool failed;
} napcoll_engine_t;

/**
 * The arguments of a call, as the caller of the collective gives them, and what a plan needs
 * besides. All memory is borrowed, except `kept`.
 *
 * Where blocks belong to ranks, block b belongs to rank order[b] and has count elements or, with
 * start, start[b + 1] - start[b]. In the larger of the user's buffers it begins at element
 * place[b], or, without place, at order[b] * count.
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
    /** [blocks] NULL: block b is rank b's */
    const int *order;
    /** [blocks + 1] NULL: all blocks have count elements */
    const size_t *start;
    /** [blocks] may be NULL without start */
    const ptrdiff_t *place;
    /** of a plan of personalized blocks, or NULL */
    napcoll_personalized_t *personalized;
    /** fills the send buffer and empties the receive buffer, or NULL */
    napcoll_stream_t *stream;
    /** packed copy of the personalized blocks that are sent, where the user gives one buffer for
     * both sides */
    napcoll_buffer_t kept;
} napcoll_binding_t;

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

/* ---- napcoll_workspace.c ---- */

/** Make room for a plan's messages and buffers. Takes a workspace when there is none, as do the
 * next three functions. */
int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan);

/** Make room in engine->start [ranks + 1] and engine->place [ranks], which the caller fills. */
int napcoll_engine_ranks(napcoll_engine_t *engine, int ranks);

/**
 * Scratch memory, until the next call of this function or the end of the run.
 *
 * @param[in]  engine    the engine
 * @param[in]  datatype  of the elements
 * @param[in]  elements  how many
 * @param[out] origin    the first element, as a pointer to a buffer of the datatype
 */
int napcoll_engine_scratch(napcoll_engine_t *engine, ompi_datatype_t *datatype, size_t elements,
                           char **origin);

/** The engine's personalized blocks; NULL when memory ran out. */
napcoll_personalized_t *napcoll_engine_personalized(napcoll_engine_t *engine);

/** Give the workspace back, when a call and all calls inside it have ended. */
void napcoll_engine_give_workspace(napcoll_engine_t *engine);

/** Free the workspace of an engine whose communicator ends. */
void napcoll_engine_release(napcoll_engine_t *engine);

/** Free the workspaces in the pool; when the component closes. */
void napcoll_workspaces_free(void);

/* ---- running plans ---- */

/**
 * Run a plan, blocking.
 *
 * @return OMPI_SUCCESS or the first error; no request is left behind then
 */
int napcoll_engine_run(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                       const napcoll_binding_t *binding);

/** The same, where no buffer must be copied to the host first. */
int napcoll_engine_run_bound(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                             const napcoll_binding_t *binding);

/**
 * Carry out a local phase by the collectives of the node's subcommunicator.
 *
 * @param[in] engine     with node_comm
 * @param[in] step       the phase
 * @param[in] dst, left  addresses of the step's spans
 * @param[in] count      elements of a span
 * @param[in] binding    datatype and op
 */
int napcoll_phase_delegate(const napcoll_engine_t *engine, const napcoll_step_t *step, char *dst,
                           const char *left, size_t count, const napcoll_binding_t *binding);

#endif /* NAPCOLL_EXEC_H */
