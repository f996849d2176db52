/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Allreduce: from the arguments to a decision, and from there to the engine or to the previous
 * function.
 */

#include "coll_napcoll.h"

static int call_previous(const mca_coll_napcoll_module_t *napcoll, ALLREDUCE_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_ALLREDUCE];

    (void) module;
    return ((mca_coll_base_module_allreduce_fn_t) previous->function)(ALLREDUCE_BASE_ARG_NAMES,
                                                                      previous->module);
}

int mca_coll_napcoll_allreduce(ALLREDUCE_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    napcoll_counters_t *counters = &mca_coll_napcoll_component.counters;
    const bool in_place = MPI_IN_PLACE == sendbuf;
    const napcoll_cached_t *cached;
    size_t element;
    int rc;

    ompi_datatype_type_size(datatype, &element);
    if (0 == count || 0 == element) {
        return OMPI_SUCCESS; /* nothing to reduce, on any rank */
    }
    rc = mca_coll_napcoll_decide(napcoll, NAPCOLL_COLL_ALLREDUCE, element * (size_t) count,
                                 !ompi_op_is_commute(op), in_place, &cached);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == cached) {
        return call_previous(napcoll, ALLREDUCE_BASE_ARG_NAMES, module);
    }
    if (NULL == cached->plan) {
        atomic_fetch_add_explicit(
            &counters->fallbacks[NAPCOLL_COLL_ALLREDUCE][cached->decision.reason], 1,
            memory_order_relaxed);
        return call_previous(napcoll, ALLREDUCE_BASE_ARG_NAMES, module);
    }
    atomic_fetch_add_explicit(&counters->runs[NAPCOLL_COLL_ALLREDUCE][cached->decision.algorithm],
                              1, memory_order_relaxed);
    return napcoll_engine_run(&napcoll->engine, cached->plan,
                              &(napcoll_binding_t){.sendbuf = sendbuf,
                                                   .recvbuf = recvbuf,
                                                   .count = (size_t) count,
                                                   .datatype = datatype,
                                                   .op = op,
                                                   .comm = comm,
                                                   .tag = MCA_COLL_BASE_TAG_ALLREDUCE});
}
