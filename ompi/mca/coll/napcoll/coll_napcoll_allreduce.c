/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Allreduce: from the arguments to a plan, and from there to the engine or to the previous
 * function. The other collectives' files go the same way.
 */

#include "coll_napcoll.h"

static int allreduce_previous(const mca_coll_napcoll_module_t *napcoll, ALLREDUCE_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_ALLREDUCE];

    (void) module;
    return ((mca_coll_base_module_allreduce_fn_t) previous->function)(ALLREDUCE_BASE_ARG_NAMES,
                                                                      previous->module);
}

int mca_coll_napcoll_allreduce(ALLREDUCE_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_plan_t *plan;
    size_t element;
    int rc;

    ompi_datatype_type_size(datatype, &element);
    if (0 == count || 0 == element) {
        return OMPI_SUCCESS; /* nothing to reduce, on any rank */
    }
    rc = mca_coll_napcoll_plan_for(napcoll,
                                   &(napcoll_call_t){.coll = NAPCOLL_COLL_ALLREDUCE,
                                                     .bytes = element * (size_t) count,
                                                     .ordered = !ompi_op_is_commute(op),
                                                     .in_place = MPI_IN_PLACE == sendbuf},
                                   &plan);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == plan) {
        return allreduce_previous(napcoll, ALLREDUCE_BASE_ARG_NAMES, module);
    }
    return napcoll_engine_run(&napcoll->engine, plan,
                              &(napcoll_binding_t){.sendbuf = sendbuf,
                                                   .recvbuf = recvbuf,
                                                   .count = (size_t) count,
                                                   .datatype = datatype,
                                                   .op = op,
                                                   .comm = comm,
                                                   .tag = MCA_COLL_BASE_TAG_ALLREDUCE});
}
