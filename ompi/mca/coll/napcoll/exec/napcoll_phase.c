/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Phases: the collective that another component (sm, xhc, tuned) put on the subcommunicator of a
 * scope's members does the work.
 */

#include "exec/napcoll_operation.h"

#include "compat/napcoll_compat.h"

/* Whether tuned's allreduce would overflow its buffer: it does where the first byte of a datatype
 * is not at its address, see coll_napcoll_fallback.c. All ranks have the same type. */
static bool overflows(const ompi_communicator_t *comm, ompi_datatype_t *datatype)
{
    ptrdiff_t true_lb, true_extent;

    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    return OPAL_UNLIKELY(0 != true_lb)
           && napcoll_compat_is_tuned(comm, comm->c_coll->coll_allreduce_module);
}

static int delegate_reduce(ompi_communicator_t *comm, int root, char *dst, const char *left,
                           int count, const napcoll_binding_t *binding)
{
    const bool takes = root == ompi_comm_rank(comm);
    const void *input = takes && left == dst ? MPI_IN_PLACE : left;

    return comm->c_coll->coll_reduce(input, takes ? dst : NULL, count, binding->datatype,
                                     binding->op, root, comm, comm->c_coll->coll_reduce_module);
}

static int delegate_bcast(ompi_communicator_t *comm, int root, char *dst, int count,
                          const napcoll_binding_t *binding)
{
    return comm->c_coll->coll_bcast(dst, count, binding->datatype, root, comm,
                                    comm->c_coll->coll_bcast_module);
}

static int delegate_allreduce(ompi_communicator_t *comm, char *dst, const char *left, int count,
                              const napcoll_binding_t *binding)
{
    int rc;

    if (overflows(comm, binding->datatype)) {
        rc = delegate_reduce(comm, 0, dst, left, count, binding);
        return OMPI_SUCCESS != rc ? rc : delegate_bcast(comm, 0, dst, count, binding);
    }
    return comm->c_coll->coll_allreduce(left == dst ? MPI_IN_PLACE : left, dst, count,
                                        binding->datatype, binding->op, comm,
                                        comm->c_coll->coll_allreduce_module);
}

int napcoll_phase_delegate(const napcoll_operation_t *operation, const napcoll_step_t *step,
                           char *dst, const char *left, size_t elements)
{
    const napcoll_binding_t *binding = &operation->binding;
    ompi_communicator_t *comm = operation->subcomm[step->scope];
    /* calls of more elements have no phases */
    const int count = (int) elements;

    switch (step->phase) {
    case NAPCOLL_PHASE_REDUCE:
        return delegate_reduce(comm, step->peer, dst, left, count, binding);
    case NAPCOLL_PHASE_BCAST:
        return delegate_bcast(comm, step->peer, dst, count, binding);
    case NAPCOLL_PHASE_ALLREDUCE:
        return delegate_allreduce(comm, dst, left, count, binding);
    case NAPCOLL_PHASE_ALLGATHER:
        return comm->c_coll->coll_allgather(left, count, binding->datatype, dst, count,
                                            binding->datatype, comm,
                                            comm->c_coll->coll_allgather_module);
    case NAPCOLL_PHASE_BARRIER:
        return comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
    default:
        return OMPI_ERR_BAD_PARAM;
    }
}
