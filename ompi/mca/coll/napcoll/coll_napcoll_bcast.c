/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Bcast (see coll_napcoll_vector.c). Datatypes may differ between ranks, signatures may not: plans
 * cut the bytes of the packed vector (exec/napcoll_stream.h).
 */

#include "coll_napcoll_stats.h"

#include "exec/napcoll_stream.h"

static int bcast_fallback(mca_coll_napcoll_module_t *napcoll, BCAST_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_BCAST);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_bcast_fn_t) fallback->function)(BCAST_BASE_ARG_NAMES,
                                                                        fallback->module));
}

int mca_coll_napcoll_bcast(BCAST_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan;
    size_t element;
    int rc;

    if (NAPCOLL_COMPAT_HETEROGENEOUS) {
        return bcast_fallback(napcoll, BCAST_BASE_ARG_NAMES, module);
    }
    ompi_datatype_type_size(datatype, &element);
    if (0 == count || 0 == element) {
        return OMPI_SUCCESS; /* nothing to send, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = mca_coll_napcoll_plan_for(napcoll,
                                   &(napcoll_call_t){.coll = NAPCOLL_COLL_BCAST,
                                                     .bytes = element * (size_t) count,
                                                     .root = root},
                                   &plan);
    if (OMPI_SUCCESS == rc) {
        rc = NULL == plan
                 ? bcast_fallback(napcoll, BCAST_BASE_ARG_NAMES, module)
                 : napcoll_engine_run_stream(&napcoll->engine, plan, buffer, (size_t) count,
                                             datatype, comm, MCA_COLL_BASE_TAG_BCAST);
    }
    return mca_coll_napcoll_end(&stats, rc);
}
