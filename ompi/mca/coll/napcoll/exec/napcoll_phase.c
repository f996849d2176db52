/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Local phases by delegation: the collective that another component (sm, xhc, tuned) put on the
 * subcommunicator of this node's processes does the work.
 */

#include "exec/napcoll_operation.h"

#include <limits.h>

#include "compat/napcoll_compat.h"

/* Most elements per call: before 6.0 the interfaces count in int, and in 6.0.0rc2 code behind them
 * still does (tuned's reduce crashes on more). A multiple of a page keeps parts aligned. */
static const size_t most_elements = (size_t) INT_MAX / 4096 * 4096;

/* Whether tuned's allreduce would overflow its buffer: it does where the first byte of a datatype
 * is not at its address, see coll_napcoll_fallback.c. All ranks have the same type. */
static bool overflows(const ompi_communicator_t *comm, ompi_datatype_t *datatype)
{
    ptrdiff_t true_lb, true_extent;

    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    return OPAL_UNLIKELY(0 != true_lb)
           && napcoll_compat_is_tuned(comm, comm->c_coll->coll_allreduce_module);
}

static int delegate_reduce(ompi_communicator_t *comm, int root, const void *input, char *dst,
                           const char *left, int count, const napcoll_binding_t *binding)
{
    if (root != ompi_comm_rank(comm)) {
        input = left;
        dst = NULL;
    }
    return comm->c_coll->coll_reduce(input, dst, count, binding->datatype, binding->op, root, comm,
                                     comm->c_coll->coll_reduce_module);
}

static int delegate_bcast(ompi_communicator_t *comm, int root, char *dst, int count,
                          const napcoll_binding_t *binding)
{
    return comm->c_coll->coll_bcast(dst, count, binding->datatype, root, comm,
                                    comm->c_coll->coll_bcast_module);
}

static int delegate_part(ompi_communicator_t *comm, const napcoll_step_t *step, char *dst,
                         const char *left, int count, const napcoll_binding_t *binding)
{
    const void *input = left == dst ? MPI_IN_PLACE : left;
    int rc;

    switch (step->phase) {
    case NAPCOLL_PHASE_REDUCE:
        return delegate_reduce(comm, step->peer, input, dst, left, count, binding);
    case NAPCOLL_PHASE_BCAST:
        return delegate_bcast(comm, step->peer, dst, count, binding);
    case NAPCOLL_PHASE_ALLREDUCE:
        if (overflows(comm, binding->datatype)) {
            rc = delegate_reduce(comm, 0, input, dst, left, count, binding);
            return OMPI_SUCCESS != rc ? rc : delegate_bcast(comm, 0, dst, count, binding);
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

int napcoll_phase_delegate(const napcoll_operation_t *operation, const napcoll_step_t *step,
                           char *dst, const char *left, size_t count)
{
    const napcoll_binding_t *binding = &operation->binding;
    ptrdiff_t lb, extent;

    ompi_datatype_get_extent(binding->datatype, &lb, &extent);
    /* rows are count elements apart: an allgather cannot be done in parts */
    if (NAPCOLL_PHASE_ALLGATHER == step->phase && count > most_elements) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    for (size_t done = 0; done < count; done += most_elements) {
        size_t part = count - done < most_elements ? count - done : most_elements;
        ptrdiff_t offset = (ptrdiff_t) done * extent;
        int rc = delegate_part(operation->node_comm, step, napcoll_offset(dst, offset),
                               napcoll_offset(left, offset), (int) part, binding);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    return OMPI_SUCCESS;
}
