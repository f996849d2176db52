/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The engine: runs a plan over the PML. One engine per communicator holds what calls reuse, so
 * that a call allocates nothing unless its temporaries are large.
 */

#ifndef NAPCOLL_EXEC_H
#define NAPCOLL_EXEC_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/request/request.h"

#include "plan/napcoll_plan.h"

/** What plans of one communicator run with. */
typedef struct napcoll_engine {
    ompi_communicator_t *node_comm; /**< processes of this node, for local phases; may be NULL */
    ompi_request_t **request;       /**< [request_room] */
    int request_room;
    char **base; /**< [base_room] where each buffer's block 0 is in the current call */
    int base_room;
    char *scratch; /**< temporaries */
    size_t scratch_size;
} napcoll_engine_t;

/** What a plan is bound to in a call; all of it borrowed. */
typedef struct napcoll_binding {
    const void *sendbuf; /**< not read by a plan for MPI_IN_PLACE */
    void *recvbuf;
    size_t count; /**< elements of the vector */
    ompi_datatype_t *datatype;
    ompi_op_t *op;
    ompi_communicator_t *comm;
    int tag;
} napcoll_binding_t;

/** Make room for a plan's requests and buffers; before its first run. */
int napcoll_engine_prepare(napcoll_engine_t *engine, const napcoll_plan_t *plan);

/** Release what the engine holds; the subcommunicator is not its own. */
void napcoll_engine_release(napcoll_engine_t *engine);

/**
 * Run a plan, blocking.
 *
 * @return OMPI_SUCCESS or the first error; no request is left behind then
 */
int napcoll_engine_run(napcoll_engine_t *engine, const napcoll_plan_t *plan,
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
