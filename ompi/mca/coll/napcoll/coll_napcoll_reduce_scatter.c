/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Reduce_scatter and MPI_Reduce_scatter_block (see coll_napcoll_vector.c). In place, the input
 * is in the receive buffer, whose beginning the result overwrites: plans read the input from what
 * they take for the send buffer, and write the result when they have read all of it.
 */

#include "coll_napcoll_stats.h"

#include "exec/napcoll_host.h"

static int reduce_scatter_block_fallback(mca_coll_napcoll_module_t *napcoll,
                                         REDUCESCATTERBLOCK_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_REDUCE_SCATTER_BLOCK);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_reduce_scatter_block_fn_t) fallback->function)(
                     REDUCESCATTERBLOCK_BASE_ARG_NAMES, fallback->module));
}

int mca_coll_napcoll_reduce_scatter_block(REDUCESCATTERBLOCK_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan = NULL;
    napcoll_host_copy_t copy;
    size_t element;
    int rc;

    ompi_datatype_type_size(datatype, &element);
    if (0 == recvcount || 0 == element) {
        return OMPI_SUCCESS; /* nothing to reduce, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf,
                               (size_t) ompi_comm_size(comm) * (size_t) recvcount, datatype, &copy);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(napcoll,
                                       &(napcoll_call_t){.coll = NAPCOLL_COLL_REDUCE_SCATTER_BLOCK,
                                                         .bytes = element * (size_t) recvcount,
                                                         .noncommutative = !ompi_op_is_commute(op)},
                                       &plan);
    }
    if (OMPI_SUCCESS == rc && NULL == plan) {
        rc = reduce_scatter_block_fallback(napcoll, REDUCESCATTERBLOCK_BASE_ARG_NAMES, module);
    } else if (OMPI_SUCCESS == rc) {
        rc = napcoll_engine_run(
            &napcoll->engine, plan,
            &(napcoll_binding_t){.sendbuf = MPI_IN_PLACE == sendbuf ? recvbuf : sendbuf,
                                 .recvbuf = recvbuf,
                                 .count = (size_t) recvcount,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_REDUCE_SCATTER_BLOCK,
                                 .order = napcoll->map->ranks});
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}

static int reduce_scatter_fallback(mca_coll_napcoll_module_t *napcoll, REDUCESCATTER_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_REDUCE_SCATTER);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_reduce_scatter_fn_t) fallback->function)(
                     REDUCESCATTER_BASE_ARG_NAMES, fallback->module));
}

/* Where the blocks of all ranks are, in the order of the plan; in the send buffer they follow each other
 * in rank order. */
static int find_blocks(mca_coll_napcoll_module_t *napcoll, napcoll_compat_counts_t counts)
{
    const napcoll_node_map_t *map = napcoll->map;
    napcoll_engine_t *engine = &napcoll->engine;
    ptrdiff_t at = 0;
    int rc = napcoll_engine_ranks(engine, map->size);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    for (int rank = 0; rank < map->size; rank++) {
        engine->place[napcoll_node_map_place(map, rank)] = at;
        at += (ptrdiff_t) napcoll_compat_count(counts, rank);
    }
    engine->start[0] = 0;
    for (int b = 0; b < map->size; b++) {
        engine->start[b + 1] = engine->start[b]
                               + napcoll_compat_count(counts, napcoll_node_map_at(map, b));
    }
    return OMPI_SUCCESS;
}

int mca_coll_napcoll_reduce_scatter(REDUCESCATTER_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const size_t size = (size_t) ompi_comm_size(comm);
    mca_coll_napcoll_call_stats_t stats;
    const napcoll_plan_t *plan = NULL;
    size_t element, elements = 0;
    napcoll_host_copy_t copy;
    int rc;

    ompi_datatype_type_size(datatype, &element);
    for (size_t rank = 0; rank < size; rank++) {
        elements += napcoll_compat_count(recvcounts, (int) rank);
    }
    if (0 == elements || 0 == element) {
        return OMPI_SUCCESS; /* nothing to reduce, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = napcoll_host_separate(&sendbuf, recvbuf, elements, datatype, &copy);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(
            napcoll,
            &(napcoll_call_t){.coll = NAPCOLL_COLL_REDUCE_SCATTER,
                              .bytes = (elements * element + size - 1) / size,
                              .noncommutative = !ompi_op_is_commute(op)},
            &plan);
    }
    if (OMPI_SUCCESS == rc && NULL != plan) {
        rc = find_blocks(napcoll, recvcounts);
    }
    if (OMPI_SUCCESS == rc && NULL == plan) {
        rc = reduce_scatter_fallback(napcoll, REDUCESCATTER_BASE_ARG_NAMES, module);
    } else if (OMPI_SUCCESS == rc) {
        rc = napcoll_engine_run(
            &napcoll->engine, plan,
            &(napcoll_binding_t){.sendbuf = MPI_IN_PLACE == sendbuf ? recvbuf : sendbuf,
                                 .recvbuf = recvbuf,
                                 .datatype = datatype,
                                 .op = op,
                                 .comm = comm,
                                 .tag = MCA_COLL_BASE_TAG_REDUCE_SCATTER,
                                 .start = napcoll->engine.start,
                                 .place = napcoll->engine.place});
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}
