/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Scan and MPI_Exscan (see coll_napcoll_allreduce.c). Each process decides by itself whether it is
 * in place.
 */

#include "coll_napcoll.h"

static bool nothing_to_do(size_t count, ompi_datatype_t *datatype)
{
    size_t element;

    ompi_datatype_type_size(datatype, &element);
    return 0 == count || 0 == element;
}

/* The plan for a call, where there is something to do. */
static int prefix_plan(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, const void *sendbuf,
                       size_t count, ompi_datatype_t *datatype, ompi_op_t *op,
                       const napcoll_plan_t **plan)
{
    size_t element;

    if (nothing_to_do(count, datatype)) {
        return OMPI_SUCCESS;
    }
    ompi_datatype_type_size(datatype, &element);
    return mca_coll_napcoll_plan_for(napcoll,
                                     &(napcoll_call_t){.coll = coll,
                                                       .bytes = element * count,
                                                       .ordered = !ompi_op_is_commute(op),
                                                       .in_place = MPI_IN_PLACE == sendbuf},
                                     plan);
}

static int scan_previous(const mca_coll_napcoll_module_t *napcoll, SCAN_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_SCAN];

    (void) module;
    return ((mca_coll_base_module_scan_fn_t) previous->function)(SCAN_BASE_ARG_NAMES,
                                                                 previous->module);
}

int mca_coll_napcoll_scan(SCAN_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_plan_t *plan = NULL;
    int rc = prefix_plan(napcoll, NAPCOLL_COLL_SCAN, sendbuf, (size_t) count, datatype, op, &plan);

    if (OMPI_SUCCESS != rc || nothing_to_do((size_t) count, datatype)) {
        return rc;
    }
    if (NULL == plan) {
        return scan_previous(napcoll, SCAN_BASE_ARG_NAMES, module);
    }
    return napcoll_engine_run(&napcoll->engine, plan,
                              &(napcoll_binding_t){.sendbuf = sendbuf,
                                                   .recvbuf = recvbuf,
                                                   .count = (size_t) count,
                                                   .datatype = datatype,
                                                   .op = op,
                                                   .comm = comm,
                                                   .tag = MCA_COLL_BASE_TAG_SCAN});
}

static int exscan_previous(const mca_coll_napcoll_module_t *napcoll, EXSCAN_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_EXSCAN];

    (void) module;
    return ((mca_coll_base_module_exscan_fn_t) previous->function)(EXSCAN_BASE_ARG_NAMES,
                                                                   previous->module);
}

int mca_coll_napcoll_exscan(EXSCAN_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_plan_t *plan = NULL;
    int rc = prefix_plan(napcoll, NAPCOLL_COLL_EXSCAN, sendbuf, (size_t) count, datatype, op,
                         &plan);

    if (OMPI_SUCCESS != rc || nothing_to_do((size_t) count, datatype)) {
        return rc;
    }
    if (NULL == plan) {
        return exscan_previous(napcoll, EXSCAN_BASE_ARG_NAMES, module);
    }
    return napcoll_engine_run(&napcoll->engine, plan,
                              &(napcoll_binding_t){.sendbuf = sendbuf,
                                                   .recvbuf = recvbuf,
                                                   .count = (size_t) count,
                                                   .datatype = datatype,
                                                   .op = op,
                                                   .comm = comm,
                                                   .tag = MCA_COLL_BASE_TAG_EXSCAN});
}
