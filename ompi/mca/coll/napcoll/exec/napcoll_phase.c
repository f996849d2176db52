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

#include <stdlib.h>

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

/* ---- phases in which members have runs of their own ---- */

/* The runs in elements. */
typedef struct {
    napcoll_compat_counts_t counts;
    napcoll_compat_displs_t displs;
    /* all runs are alike */
    bool equal;
    /* of this process */
    int own;
    /* [2 * members] */
    int *memory;
} runs_t;

static size_t elements_before(const napcoll_operation_t *operation, int block)
{
    return NULL == operation->start ? (size_t) block * operation->binding.count
                                    : operation->start[block];
}

static int find_runs(const napcoll_operation_t *operation, napcoll_scope_t scope, runs_t *runs)
{
    const int rank = ompi_comm_rank(operation->binding.comm);
    const int members = ompi_comm_size(operation->subcomm[scope]);
    const int self = ompi_comm_rank(operation->subcomm[scope]);
    int *count = malloc(2 * (size_t) members * sizeof(*count)), *displ = count + members;
    const size_t start = elements_before(operation,
                                         napcoll_scope_runs(operation->map, scope, rank).first);

    if (NULL == count) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    runs->equal = true;
    runs->own = 0;
    for (int m = 0; m < members; m++) {
        const napcoll_block_range_t run = napcoll_scope_run(operation->map, scope, rank, m);
        const size_t first = elements_before(operation, run.first);

        count[m] = (int) (elements_before(operation, run.first + run.count) - first);
        displ[m] = (int) (first - start);
        runs->equal = runs->equal && count[m] == count[0];
        runs->own = m == self ? count[m] : runs->own;
    }
    runs->memory = count;
    runs->counts = napcoll_compat_counts_of(count);
    runs->displs = napcoll_compat_displs_of(displ);
    return OMPI_SUCCESS;
}

static int delegate_gather(ompi_communicator_t *comm, int root, char *dst, const char *left,
                           const runs_t *runs, ompi_datatype_t *type)
{
    const void *input = root == ompi_comm_rank(comm) ? MPI_IN_PLACE : left;

    return runs->equal
               ? comm->c_coll->coll_gather(input, runs->own, type, dst, runs->own, type, root, comm,
                                           comm->c_coll->coll_gather_module)
               : comm->c_coll->coll_gatherv(input, runs->own, type, dst, runs->counts, runs->displs,
                                            type, root, comm, comm->c_coll->coll_gatherv_module);
}

static int delegate_scatter(ompi_communicator_t *comm, int root, char *dst, const char *left,
                            const runs_t *runs, ompi_datatype_t *type)
{
    void *output = root == ompi_comm_rank(comm) ? MPI_IN_PLACE : dst;

    return runs->equal ? comm->c_coll->coll_scatter(left, runs->own, type, output, runs->own, type,
                                                    root, comm, comm->c_coll->coll_scatter_module)
                       : comm->c_coll->coll_scatterv(left, runs->counts, runs->displs, type, output,
                                                     runs->own, type, root, comm,
                                                     comm->c_coll->coll_scatterv_module);
}

static int delegate_share(ompi_communicator_t *comm, char *dst, const runs_t *runs,
                          ompi_datatype_t *type)
{
    return runs->equal
               ? comm->c_coll->coll_allgather(MPI_IN_PLACE, runs->own, type, dst, runs->own, type,
                                              comm, comm->c_coll->coll_allgather_module)
               : comm->c_coll->coll_allgatherv(MPI_IN_PLACE, runs->own, type, dst, runs->counts,
                                               runs->displs, type, comm,
                                               comm->c_coll->coll_allgatherv_module);
}

static int delegate_reduce_scatter(ompi_communicator_t *comm, char *dst, const char *left,
                                   const runs_t *runs, const napcoll_binding_t *binding)
{
    return runs->equal
               ? comm->c_coll->coll_reduce_scatter_block(
                   left, dst, runs->own, binding->datatype, binding->op, comm,
                   comm->c_coll->coll_reduce_scatter_block_module)
               : comm->c_coll->coll_reduce_scatter(left, dst, runs->counts, binding->datatype,
                                                   binding->op, comm,
                                                   comm->c_coll->coll_reduce_scatter_module);
}

static int delegate_runs(const napcoll_operation_t *operation, const napcoll_step_t *step,
                         char *dst, const char *left)
{
    const napcoll_binding_t *binding = &operation->binding;
    ompi_communicator_t *comm = operation->subcomm[step->scope];
    runs_t runs;
    int rc = find_runs(operation, step->scope, &runs);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    switch (step->phase) {
    case NAPCOLL_PHASE_GATHER:
        rc = delegate_gather(comm, step->peer, dst, left, &runs, binding->datatype);
        break;
    case NAPCOLL_PHASE_SCATTER:
        rc = delegate_scatter(comm, step->peer, dst, left, &runs, binding->datatype);
        break;
    case NAPCOLL_PHASE_SHARE:
        rc = delegate_share(comm, dst, &runs, binding->datatype);
        break;
    default:
        rc = delegate_reduce_scatter(comm, dst, left, &runs, binding);
        break;
    }
    free(runs.memory);
    return rc;
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
        return delegate_runs(operation, step, dst, left);
    }
}
