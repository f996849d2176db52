/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Allgather and MPI_Allgatherv (see coll_napcoll_vector.c). Block b of a plan is that of the rank
 * at place b of the node order.
 */

#include "coll_napcoll_faults.h"
#include "coll_napcoll_stats.h"

#include "exec/napcoll_host.h"

static int allgather_fallback(mca_coll_napcoll_module_t *napcoll, ALLGATHER_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_ALLGATHER);

    (void) module;
    if (MPI_IN_PLACE == sendbuf) {
        /* tuned chooses by the count, which means nothing in place and may differ between ranks */
        sendcount = recvcount;
        sendtype = recvtype;
    }
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_allgather_fn_t) fallback->function)(
                     ALLGATHER_BASE_ARG_NAMES, fallback->module));
}

int mca_coll_napcoll_allgather(ALLGATHER_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan = NULL;
    napcoll_host_copy_t copy;
    size_t element;
    int rc;

    ompi_datatype_type_size(recvtype, &element);
    if (0 == recvcount || 0 == element) {
        return OMPI_SUCCESS; /* nothing to gather, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate_blocks(&sendbuf, recvbuf, (size_t) sendcount, sendtype, &copy);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(napcoll,
                                       &(napcoll_call_t){.coll = NAPCOLL_COLL_ALLGATHER,
                                                         .bytes = element * (size_t) recvcount,
                                                         .in_place = MPI_IN_PLACE == sendbuf},
                                       &plan);
    }
    if (OMPI_SUCCESS == rc && NULL == plan) {
        rc = allgather_fallback(napcoll, ALLGATHER_BASE_ARG_NAMES, module);
    } else if (OMPI_SUCCESS == rc) {
        rc = napcoll_engine_run(&napcoll->engine, plan,
                                &(napcoll_binding_t){.sendbuf = sendbuf,
                                                     .recvbuf = recvbuf,
                                                     .count = (size_t) recvcount,
                                                     .datatype = recvtype,
                                                     .send_count = (size_t) sendcount,
                                                     .send_type = sendtype,
                                                     .comm = comm,
                                                     .tag = MCA_COLL_BASE_TAG_ALLGATHER,
                                                     .order = napcoll->map->ranks});
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}

/* Put a rank's own block where an allgatherv in place has it. */
static int copy_own_block(const void *sendbuf, size_t sendcount, ompi_datatype_t *sendtype,
                          void *recvbuf, napcoll_compat_counts_t recvcounts,
                          napcoll_compat_displs_t displs, ompi_datatype_t *recvtype,
                          ompi_communicator_t *comm)
{
    const int rank = ompi_comm_rank(comm);
    ptrdiff_t lb, extent;

    if (0 == sendcount) {
        return OMPI_SUCCESS;
    }
    ompi_datatype_get_extent(recvtype, &lb, &extent);
    return napcoll_compat_copy_types(sendbuf, sendcount, sendtype,
                                     (char *) recvbuf + napcoll_compat_displ(displs, rank) * extent,
                                     napcoll_compat_count(recvcounts, rank), recvtype);
}

static int allgatherv_fallback(mca_coll_napcoll_module_t *napcoll, ALLGATHERV_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_ALLGATHERV);
    int rc = OMPI_SUCCESS;

    (void) module;
    if (mca_coll_napcoll_allgatherv_differs(napcoll, sendbuf, sendtype, recvtype)) {
        rc = copy_own_block(sendbuf, (size_t) sendcount, sendtype, recvbuf, recvcounts, displs,
                            recvtype, comm);
        sendbuf = MPI_IN_PLACE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = ((mca_coll_base_module_allgatherv_fn_t) fallback->function)(ALLGATHERV_BASE_ARG_NAMES,
                                                                         fallback->module);
    }
    return mca_coll_napcoll_fallback_exit(napcoll, rc);
}

/* Where the blocks of all ranks are, in the order of the plan. */
static int find_blocks(mca_coll_napcoll_module_t *napcoll, napcoll_compat_counts_t counts,
                       napcoll_compat_displs_t displs)
{
    const napcoll_node_map_t *map = napcoll->map;
    napcoll_engine_t *engine = &napcoll->engine;
    int rc = napcoll_engine_ranks(engine, map->size);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    engine->start[0] = 0;
    for (int b = 0; b < map->size; b++) {
        const int rank = napcoll_node_map_at(map, b);

        engine->place[b] = napcoll_compat_displ(displs, rank);
        engine->start[b + 1] = engine->start[b] + napcoll_compat_count(counts, rank);
    }
    return OMPI_SUCCESS;
}

int mca_coll_napcoll_allgatherv(ALLGATHERV_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const size_t size = (size_t) ompi_comm_size(comm);
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan = NULL;
    size_t element, elements = 0;
    napcoll_host_copy_t copy;
    int rc;

    ompi_datatype_type_size(recvtype, &element);
    for (size_t rank = 0; rank < size; rank++) {
        elements += napcoll_compat_count(recvcounts, (int) rank);
    }
    if (0 == elements || 0 == element) {
        return OMPI_SUCCESS; /* nothing to gather, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate_blocks(&sendbuf, recvbuf, (size_t) sendcount, sendtype, &copy);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(
            napcoll,
            &(napcoll_call_t){.coll = NAPCOLL_COLL_ALLGATHERV,
                              .bytes = (elements * element + size - 1) / size,
                              .in_place = MPI_IN_PLACE == sendbuf},
            &plan);
    }
    if (OMPI_SUCCESS == rc && NULL != plan) {
        rc = find_blocks(napcoll, recvcounts, displs);
    }
    if (OMPI_SUCCESS == rc && NULL == plan) {
        rc = allgatherv_fallback(napcoll, ALLGATHERV_BASE_ARG_NAMES, module);
    } else if (OMPI_SUCCESS == rc) {
        rc = napcoll_engine_run(&napcoll->engine, plan,
                                &(napcoll_binding_t){.sendbuf = sendbuf,
                                                     .recvbuf = recvbuf,
                                                     .datatype = recvtype,
                                                     .send_count = (size_t) sendcount,
                                                     .send_type = sendtype,
                                                     .comm = comm,
                                                     .tag = MCA_COLL_BASE_TAG_ALLGATHERV,
                                                     .start = napcoll->engine.start,
                                                     .place = napcoll->engine.place});
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}
