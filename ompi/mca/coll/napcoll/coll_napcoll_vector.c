/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The reductions of a vector: MPI_Allreduce, MPI_Reduce, MPI_Scan and MPI_Exscan. From the arguments to a
 * plan, and from there to the engine or to the fallback function; the other collectives' files go the
 * same way.
 */

#include "coll_napcoll_faults.h"
#include "coll_napcoll_stats.h"

#include "exec/napcoll_host.h"

/* Run a call, unless it belongs to the fallback function: then *done is false, and nothing has been
 * touched. */
static int run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
               const napcoll_binding_t *binding, int root, bool *done)
{
    const napcoll_plan_t *plan;
    size_t element;
    int rc;

    *done = true;
    ompi_datatype_type_size(binding->datatype, &element);
    if (0 == binding->count || 0 == element) {
        return OMPI_SUCCESS; /* nothing to reduce, on any rank */
    }
    rc = mca_coll_napcoll_plan_for(
        napcoll,
        &(napcoll_call_t){.coll = coll,
                          .bytes = element * binding->count,
                          .noncommutative = !ompi_op_is_commute(binding->op),
                          .in_place = MPI_IN_PLACE == binding->sendbuf,
                          .root = root},
        &plan);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    *done = NULL != plan;
    return *done ? napcoll_engine_run(&napcoll->engine, plan, binding) : OMPI_SUCCESS;
}

static int allreduce_fallback(mca_coll_napcoll_module_t *napcoll, ALLREDUCE_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_ALLREDUCE);

    (void) module;
    if (mca_coll_napcoll_allreduce_overflows(napcoll, datatype)) {
        return mca_coll_napcoll_fallback_exit(
            napcoll, mca_coll_napcoll_allreduce_in_two(napcoll, ALLREDUCE_BASE_ARG_NAMES, module));
    }
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_allreduce_fn_t) fallback->function)(
                     ALLREDUCE_BASE_ARG_NAMES, fallback->module));
}

int mca_coll_napcoll_allreduce(ALLREDUCE_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    napcoll_binding_t binding = {.recvbuf = recvbuf,
                                 .count = (size_t) count,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_ALLREDUCE};
    mca_coll_napcoll_call_stats_t stats;
    napcoll_host_copy_t copy;
    bool done = true;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf, (size_t) count, datatype, &copy);
    binding.sendbuf = sendbuf;
    if (OMPI_SUCCESS == rc) {
        rc = run(napcoll, NAPCOLL_COLL_ALLREDUCE, &binding, 0, &done);
    }
    if (OMPI_SUCCESS == rc && !done) {
        rc = allreduce_fallback(napcoll, ALLREDUCE_BASE_ARG_NAMES, module);
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}

static int reduce_fallback(mca_coll_napcoll_module_t *napcoll, REDUCE_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_REDUCE);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_reduce_fn_t) fallback->function)(REDUCE_BASE_ARG_NAMES,
                                                                         fallback->module));
}

int mca_coll_napcoll_reduce(REDUCE_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    napcoll_binding_t binding = {.recvbuf = recvbuf,
                                 .count = (size_t) count,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_REDUCE};
    mca_coll_napcoll_call_stats_t stats;
    napcoll_host_copy_t copy;
    bool done = true;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf, root == ompi_comm_rank(comm) ? (size_t) count : 0,
                               datatype, &copy);
    binding.sendbuf = sendbuf;
    if (OMPI_SUCCESS == rc) {
        rc = run(napcoll, NAPCOLL_COLL_REDUCE, &binding, root, &done);
    }
    if (OMPI_SUCCESS == rc && !done) {
        rc = reduce_fallback(napcoll, REDUCE_BASE_ARG_NAMES, module);
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}

static int scan_fallback(mca_coll_napcoll_module_t *napcoll, SCAN_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_SCAN);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_scan_fn_t) fallback->function)(SCAN_BASE_ARG_NAMES,
                                                                       fallback->module));
}

int mca_coll_napcoll_scan(SCAN_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    napcoll_binding_t binding = {.recvbuf = recvbuf,
                                 .count = (size_t) count,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_SCAN};
    mca_coll_napcoll_call_stats_t stats;
    napcoll_host_copy_t copy;
    bool done = true;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf, (size_t) count, datatype, &copy);
    binding.sendbuf = sendbuf;
    if (OMPI_SUCCESS == rc) {
        rc = run(napcoll, NAPCOLL_COLL_SCAN, &binding, 0, &done);
    }
    if (OMPI_SUCCESS == rc && !done) {
        rc = scan_fallback(napcoll, SCAN_BASE_ARG_NAMES, module);
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}

static int exscan_fallback(mca_coll_napcoll_module_t *napcoll, EXSCAN_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_EXSCAN);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_exscan_fn_t) fallback->function)(EXSCAN_BASE_ARG_NAMES,
                                                                         fallback->module));
}

int mca_coll_napcoll_exscan(EXSCAN_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    napcoll_binding_t binding = {.recvbuf = recvbuf,
                                 .count = (size_t) count,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_EXSCAN};
    mca_coll_napcoll_call_stats_t stats;
    napcoll_host_copy_t copy;
    bool done = true;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf, (size_t) count, datatype, &copy);
    binding.sendbuf = sendbuf;
    if (OMPI_SUCCESS == rc) {
        rc = run(napcoll, NAPCOLL_COLL_EXSCAN, &binding, 0, &done);
    }
    if (OMPI_SUCCESS == rc && !done) {
        rc = exscan_fallback(napcoll, EXSCAN_BASE_ARG_NAMES, module);
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}
