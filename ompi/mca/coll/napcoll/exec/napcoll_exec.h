/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine: runs a plan over the PML. Each communicator has one, which holds memory during calls alone: a workspace of
 * the process's pool (exec/napcoll_workspace.c). So a call allocates nothing unless its temporaries are large.
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
#include "plan/napcoll_plan.h"

/** The blocks of an all-to-all, gather or scatter, see exec/napcoll_personalized.h. */
typedef struct napcoll_personalized napcoll_personalized_t;

/** Scratch memory up to this size stays with the workspace between calls; for more see exec/napcoll_buffer_pool.h. */
enum { NAPCOLL_SCRATCH_KEPT = 1024 * 1024 };

/** What plans of one communicator run with. */
typedef struct napcoll_engine {
    ompi_communicator_t *node_comm; /**< processes of this node, for local phases; may be NULL */
    size_t *start;    /**< [ranks_room] for napcoll_binding_t; see napcoll_engine_ranks */
    ptrdiff_t *place; /**< [ranks_room] likewise */
    int ranks_room;
    ompi_request_t **request; /**< [request_room] */
    int request_room;
    /** [request_room] the bytes that each of these must bring; SIZE_MAX: any number */
    size_t *due;
    ompi_status_public_t *status; /**< [request_room] of these */
    char **base; /**< [base_room] where each buffer's block 0 is in the current call */
    int base_room;
    char *scratch; /**< temporaries */
    size_t scratch_size;
    napcoll_personalized_t *personalized; /**< NULL before the first call that needs them */
    /** whose memory this is during a call; NULL: it has none */
    struct napcoll_engine *workspace;
    /** a run has failed: messages may be under way to its memory, which stays with the communicator */
    bool failed;
} napcoll_engine_t;

/** The packed bytes of a broadcast's vector, see exec/napcoll_stream.h. */
typedef struct napcoll_stream napcoll_stream_t;

/**
 * The arguments of a call, as the caller of the collective gives them, and what a plan needs
 * besides. All memory is borrowed, except `kept`.
 *
 * Where blocks belong to ranks, block b to rank order[b], they have count elements each, or, where
 * start is given, start[b + 1] - start[b]. In the larger of the user's buffers block b begins at
 * element place[b]; without place, at order[b] * count.
 */
typedef struct napcoll_binding {
    /** not read by a plan for MPI_IN_PLACE */
    const void *sendbuf;
    void *recvbuf;
    /** elements of the vector, or of a rank's block */
    size_t count;
    ompi_datatype_t *datatype;
    /** elements of the send buffer's block, and their type, where it has one of its own */
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
    /** of a plan in the layout of personalized blocks, or NULL */
    napcoll_personalized_t *personalized;
    /** fills the send buffer, empties the receive buffer; or NULL */
    napcoll_stream_t *stream;
    /** packed copy of what personalized blocks send, where the user gives one buffer for both
     * sides; the pool's, or NULL */
    char *kept;
    size_t kept_room;
} napcoll_binding_t;

/** The address `bytes` behind another one. That of an empty buffer may be NULL, and an origin
 * may lie outside of its memory: there arithmetic on pointers is not defined. */
static inline char *napcoll_offset(const void *base, ptrdiff_t bytes)
{
    return (char *) ((uintptr_t) base + (uintptr_t) bytes);
}

/** Have a workspace for a call, where the engine has none. For those below, which do that by themselves. */
int napcoll_engine_take_workspace(napcoll_engine_t *engine);

/** Give the workspace back, when a call and all calls inside it have ended. */
void napcoll_engine_give_workspace(napcoll_engine_t *engine);

/** Free the workspaces that no call has; when the component closes. */
void napcoll_workspaces_free(void);

/** Make room for a plan's requests and buffers; a run does that by itself. */
int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan);

/** Make room for the engine's lists of ranks, which the caller fills for a binding: start has one element
 * more than there are ranks. */
int napcoll_engine_ranks(napcoll_engine_t *engine, int ranks);

/**
 * Scratch memory of the engine, for so many elements of a datatype: until the next call of this, or the
 * end of a run. Plans have their temporaries there.
 *
 * @param[in]  engine    the engine
 * @param[in]  datatype  of the elements
 * @param[in]  elements  how many
 * @param[out] origin    where the first element begins, as a pointer to a buffer of the datatype
 */
int napcoll_engine_scratch(napcoll_engine_t *engine, ompi_datatype_t *datatype, size_t elements,
                           char **origin);

/** The engine's blocks of plans in the layout of personalized blocks, made at their first use; NULL where memory ran out. */
napcoll_personalized_t *napcoll_engine_personalized(napcoll_engine_t *engine);

/** Give the memory of napcoll_engine_scratch back. */
void napcoll_engine_drop_scratch(napcoll_engine_t *engine);

/** Release what the engine holds; the subcommunicator is not its own. */
void napcoll_engine_release(napcoll_engine_t *engine);

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
 * Carry out a local phase through the collectives of the node's subcommunicator.
 *
 * @param[in] engine    with node_comm
 * @param[in] step      the phase
 * @param[in] dst,left  where the step's spans are
 * @param[in] count     elements of the span
 * @param[in] binding   datatype and op
 */
int napcoll_phase_delegate(const napcoll_engine_t *engine, const napcoll_step_t *step, char *dst,
                           const char *left, size_t count, const napcoll_binding_t *binding);

#endif /* NAPCOLL_EXEC_H */
