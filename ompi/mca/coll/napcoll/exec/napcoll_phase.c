/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Local phases by delegation: the collective that another component (sm, xhc, tuned) put on the
 * subcommunicator of this node's processes does the work.
 */

#include "exec/napcoll_exec.h"

#include <limits.h>

#include "compat/napcoll_compat.h"

/* Elements per call: the interfaces count in int before 6.0, and what is behind those of 6.0.0rc2 does
 * in places (tuned's reduce crashes on more). A multiple of a page stays aligned. */
static const size_t most_elements = (size_t) INT_MAX / 4096 * 4096;

/* tuned's allreduce overflows where the first byte of a type is not at its address: see
 * coll_napcoll_fallback.c. All ranks of a reduction have the same type. */
static bool overflows(const ompi_communicator_t *comm, ompi_datatype_t *datatype)
{
    ptrdiff_t true_lb, true_extent;

    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    return OPAL_UNLIKELY(0 != true_lb)
           && napcoll_compat_is_tuned(comm, comm->c_coll->coll_allreduce_module);
}

static int allreduce_in_two(ompi_communicator_t *comm, const void *input, char *dst,
                            const char *left, int count, const napcoll_binding_t *binding)
{
    const bool root = 0 == ompi_comm_rank(comm);
    int rc = comm->c_coll->coll_reduce(root ? input : left, root ? dst : NULL, count,
                                       binding->datatype, binding->op, 0, comm,
                                       comm->c_coll->coll_reduce_module);

    return OMPI_SUCCESS != rc ? rc
                              : comm->c_coll->coll_bcast(dst, count, binding->datatype, 0, comm,
                                                         comm->c_coll->coll_bcast_module);
}

static int delegate_part(ompi_communicator_t *comm, const napcoll_step_t *step, char *dst,
                         const char *left, int count, const napcoll_binding_t *binding)
{
    bool root = ompi_comm_rank(comm) == step->peer;
    const void *input = left == dst ? MPI_IN_PLACE : left;

    switch (step->phase) {
    case NAPCOLL_PHASE_REDUCE:
        return comm->c_coll->coll_reduce(root ? input : left, root ? dst : NULL, count,
                                         binding->datatype, binding->op, step->peer, comm,
                                         comm->c_coll->coll_reduce_module);
    case NAPCOLL_PHASE_BCAST:
        return comm->c_coll->coll_bcast(dst, count, binding->datatype, step->peer, comm,
                                        comm->c_coll->coll_bcast_module);
    case NAPCOLL_PHASE_ALLREDUCE:
        if (overflows(comm, binding->datatype)) {
            return allreduce_in_two(comm, input, dst, left, count, binding);
        }
        return comm->c_coll->coll_allreduce(input, dst, count, binding->datatype, binding->op, comm,
                                            comm->c_coll->coll_allreduce_module);
    case NAPCOLL_PHASE_ALLGATHER:
        return comm->c_coll->coll_allgather(left, count, binding->datatype, dst, count,
                                            binding->datatype, comm,
                                            comm->c_coll->coll_allgather_module);
    default:
        return OMPI_ERR_BAD_PARAM;
    }
}

int napcoll_phase_delegate(const napcoll_engine_t *engine, const napcoll_step_t *step, char *dst,
                           const char *left, size_t count, const napcoll_binding_t *binding)
{
    ptrdiff_t lb, extent;

    ompi_datatype_get_extent(binding->datatype, &lb, &extent);
    if (NAPCOLL_PHASE_ALLGATHER == step->phase && count > most_elements) {
        return OMPI_ERR_NOT_SUPPORTED; /* rows lie count elements apart: no parts of them */
    }
    for (size_t done = 0; done < count; done += most_elements) {
        size_t part = count - done < most_elements ? count - done : most_elements;
        ptrdiff_t offset = (ptrdiff_t) done * extent;
        int rc = delegate_part(engine->node_comm, step, napcoll_offset(dst, offset),
                               napcoll_offset(left, offset), (int) part, binding);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    return OMPI_SUCCESS;
}
