/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Barrier (see coll_napcoll_vector.c): empty messages.
 */

#include "coll_napcoll_stats.h"

static int barrier_fallback(mca_coll_napcoll_module_t *napcoll, BARRIER_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_BARRIER);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_barrier_fn_t) fallback->function)(BARRIER_BASE_ARG_NAMES,
                                                                          fallback->module));
}

int mca_coll_napcoll_barrier(BARRIER_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_binding_t binding = {
        .datatype = MPI_BYTE, .comm = comm, .tag = MCA_COLL_BASE_TAG_BARRIER};
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = mca_coll_napcoll_plan_for(napcoll, &(napcoll_call_t){.coll = NAPCOLL_COLL_BARRIER}, &plan);
    if (OMPI_SUCCESS == rc) {
        rc = NULL == plan ? barrier_fallback(napcoll, BARRIER_BASE_ARG_NAMES, module)
                          : napcoll_engine_run(&napcoll->engine, plan, &binding);
    }
    return mca_coll_napcoll_end(&stats, rc);
}
