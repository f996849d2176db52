/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw (see coll_napcoll_vector.c). Block j of a plan is that for
 * the rank j places before this one in the node order, or from the one j places after.
 *
 * In MPI_Alltoall all ranks know all sizes. In the others a decision rests on what ranks agree on in an
 * allreduce of two numbers, or on what users say:
 *
 *     mean       of the bytes of all blocks
 *     largest    block of any process: times the slots of the plan it is what transit may take; and where it is
 *                small, receives are made for it, and the sizes of blocks go with them instead of ahead
 */

#include "coll_napcoll.h"

#include "exec/napcoll_pairs.h"

typedef napcoll_compat_counts_t counts_t;
typedef napcoll_compat_displs_t displs_t;

/* One side of a call. Where there is no array, all ranks have the one value. */
typedef struct {
    char *buffer;
    const counts_t *counts;
    size_t count;
    const displs_t *displs; /* in elements, or, where there are types, in bytes */
    ompi_datatype_t *const *types;
    ompi_datatype_t *type;
} side_t;

static void fill_block(const side_t *side, int rank, napcoll_block_t *block)
{
    ptrdiff_t lb, extent, at;

    block->count = NULL == side->counts ? side->count : napcoll_compat_count(*side->counts, rank);
    block->type = NULL == side->types ? side->type : side->types[rank];
    if (NULL != side->types) {
        at = napcoll_compat_displ(*side->displs, rank);
    } else {
        ompi_datatype_get_extent(side->type, &lb, &extent);
        at = NULL == side->displs ? (ptrdiff_t) ((size_t) rank * side->count)
                                  : napcoll_compat_displ(*side->displs, rank);
        at *= extent;
    }
    block->at = side->buffer + at;
}

/* The blocks of a call, in the order of the layout. */
static int fill_blocks(mca_coll_napcoll_module_t *napcoll, const side_t *send, const side_t *recv)
{
    const napcoll_node_map_t *map = napcoll->map;
    const int size = map->size, place = napcoll_node_map_place(map, ompi_comm_rank(napcoll->comm));
    napcoll_pairs_t *pairs = napcoll_engine_pairs(&napcoll->engine);
    int rc = NULL == pairs ? OMPI_ERR_OUT_OF_RESOURCE : napcoll_pairs_ranks(pairs, size);

    for (int j = 0; j < size && OMPI_SUCCESS == rc; j++) {
        fill_block(recv, napcoll_node_map_at(map, (place + j) % size), &pairs->recv[j]);
        if (NULL != send) {
            fill_block(send, napcoll_node_map_at(map, (place + size - j) % size), &pairs->send[j]);
        }
    }
    if (OMPI_SUCCESS == rc) {
        pairs->in_place = NULL == send;
        napcoll_pairs_measure(pairs);
    }
    return rc;
}

/* Whether auto stands back, because ranks would have to agree on sizes and that would not pay. */
static int stands_back(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, bool *back)
{
    bool pays = true;
    int rc = OMPI_SUCCESS;

    if (NAPCOLL_COLL_ALLTOALL != coll && 0 == napcoll->mean_bytes
        && NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force(napcoll, coll) && napcoll->map->nodes > 1) {
        rc = mca_coll_napcoll_pays_to_agree(napcoll, coll, &pays);
    }
    *back = !pays;
    return rc;
}

/* Whether ranks must agree on sizes: for auto, and for a bound on what is in transit. */
static bool must_agree(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll)
{
    const int force = mca_coll_napcoll_force(napcoll, coll);
    const bool leaves = NAPCOLL_FORCE_PREVIOUS == force
                        || (NAPCOLL_FORCE_AUTO == force && napcoll->map->nodes < 2);
    const int row = force - NAPCOLL_FORCE_FIRST;

    return !leaves && 0 == napcoll->mean_bytes
           && (row < 0
               || (mca_coll_napcoll_component.transit_bytes > 0
                   && mca_coll_napcoll_collectives[coll]->algorithm[row].detours));
}

/* The bytes that stand for a mean. A decision holds from one power of two to the next, and reckons with the larger
 * one: means that vary about a power of two are to be taken for it. */
static size_t class_of_mean(double mean)
{
    return (size_t) (0.75 * mean + 1);
}

/* x^16 */
static double sixteenth_power(double x)
{
    for (int i = 0; i < 4; i++) {
        x *= x;
    }
    return x;
}

/* The sizes by which an uneven call is decided, the same on all ranks. Sums alone tell both of them: the 16th root
 * of the sum of the largest blocks' 16th powers is at least the largest, and at most P^(1/16) times it; the next
 * power of two is taken for it. Without agreeing, where the last call on which they agreed went straight (*agreed is
 * left as it is), they are the sizes of that. */
static int agree(mca_coll_napcoll_module_t *napcoll, const napcoll_pairs_t *pairs,
                 napcoll_call_t *call, bool *agreed)
{
    enum { SENT, LARGEST, NUMBERS };
    const double ranks = pairs->ranks;
    double number[NUMBERS] = {0, 0}, largest = 0;
    int rc;

    call->bytes = napcoll->mean_bytes;
    if (!must_agree(napcoll, call->coll)) {
        return OMPI_SUCCESS;
    }
    if (NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force(napcoll, call->coll)
        && napcoll_patience_spares(&napcoll->agreed[call->coll].patience)) {
        *call = napcoll->agreed[call->coll].call;
        return OMPI_SUCCESS;
    }
    *agreed = true;
    for (int j = 0; j < pairs->ranks; j++) {
        const double bytes = (double) pairs->send[j].bytes;

        number[SENT] += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    number[LARGEST] = sixteenth_power(largest);
    rc = mca_coll_napcoll_allreduce(MPI_IN_PLACE, number, NUMBERS, &ompi_mpi_double.dt,
                                    &ompi_mpi_op_sum.op, napcoll->comm, &napcoll->super);
    call->bytes = class_of_mean(number[SENT] / ranks / ranks);
    call->largest = 1;
    while (sixteenth_power((double) call->largest) < number[LARGEST]
           && call->largest <= SIZE_MAX / 2) {
        call->largest *= 2;
    }
    call->bounded = call->largest
                    <= mca_coll_napcoll_component.bounded_bytes / (size_t) pairs->ranks;
    return rc;
}

/* Run a call, unless it belongs to the previous function: then *done is false, and nothing has been
 * touched. Without `send` it is in place. */
static int run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, const side_t *send,
               const side_t *recv, int tag, bool *done)
{
    napcoll_call_t call = {.coll = coll};
    const napcoll_plan_t *plan;
    napcoll_pairs_t *pairs;
    bool back, agreed = false;
    int rc = mca_coll_napcoll_know_nodes(napcoll, done);

    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    if (NAPCOLL_COMPAT_HETEROGENEOUS) {
        *done = false; /* bytes are packed */
        return OMPI_SUCCESS;
    }
    rc = stands_back(napcoll, coll, &back);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (back) {
        mca_coll_napcoll_count_fallback(coll, NAPCOLL_REASON_SIZES);
        *done = false;
        return OMPI_SUCCESS;
    }
    rc = fill_blocks(napcoll, send, recv);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    pairs = napcoll->engine.pairs;
    pairs->even = NAPCOLL_COLL_ALLTOALL == coll;
    pairs->bytes = pairs->recv[0].bytes;
    if (pairs->even) {
        call.bytes = call.largest = pairs->bytes;
    } else {
        rc = agree(napcoll, pairs, &call, &agreed);
        pairs->largest = call.largest;
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_plan_for(napcoll, &call, &plan);
    }
    if (OMPI_SUCCESS == rc && agreed) {
        napcoll->agreed[coll].call = call;
        napcoll_patience_learn(&napcoll->agreed[coll].patience, NULL != plan && 0 == plan->temps);
    }
    *done = OMPI_SUCCESS != rc || NULL != plan;
    return OMPI_SUCCESS == rc && NULL != plan
               ? napcoll_engine_run_pairs(&napcoll->engine, plan, napcoll->comm, tag)
               : rc;
}

static int alltoall_previous(const mca_coll_napcoll_module_t *napcoll, ALLTOALL_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_ALLTOALL];

    (void) module;
    return ((mca_coll_base_module_alltoall_fn_t) previous->function)(ALLTOALL_BASE_ARG_NAMES,
                                                                     previous->module);
}

int mca_coll_napcoll_alltoall(ALLTOALL_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const side_t send = {
        .buffer = (char *) (uintptr_t) sendbuf, .count = (size_t) sendcount, .type = sendtype};
    const side_t recv = {.buffer = recvbuf, .count = (size_t) recvcount, .type = recvtype};
    size_t element;
    bool done;
    int rc;

    ompi_datatype_type_size(recvtype, &element);
    if (0 == recvcount || 0 == element) {
        return OMPI_SUCCESS; /* nothing to send, on any rank */
    }
    rc = run(napcoll, NAPCOLL_COLL_ALLTOALL, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv,
             MCA_COLL_BASE_TAG_ALLTOALL, &done);
    return done ? rc : alltoall_previous(napcoll, ALLTOALL_BASE_ARG_NAMES, module);
}

static int alltoallv_previous(const mca_coll_napcoll_module_t *napcoll, ALLTOALLV_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_ALLTOALLV];

    (void) module;
    return ((mca_coll_base_module_alltoallv_fn_t) previous->function)(ALLTOALLV_BASE_ARG_NAMES,
                                                                      previous->module);
}

int mca_coll_napcoll_alltoallv(ALLTOALLV_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const counts_t send_counts = sendcounts, recv_counts = recvcounts;
    const displs_t send_displs = sdispls, recv_displs = rdispls;
    const side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                         .counts = &send_counts,
                         .displs = &send_displs,
                         .type = sendtype};
    const side_t recv = {
        .buffer = recvbuf, .counts = &recv_counts, .displs = &recv_displs, .type = recvtype};
    bool done;
    int rc = run(napcoll, NAPCOLL_COLL_ALLTOALLV, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv,
                 MCA_COLL_BASE_TAG_ALLTOALLV, &done);

    return done ? rc : alltoallv_previous(napcoll, ALLTOALLV_BASE_ARG_NAMES, module);
}

static int alltoallw_previous(const mca_coll_napcoll_module_t *napcoll, ALLTOALLW_ARGS)
{
    const napcoll_holder_t *previous = &napcoll->previous[NAPCOLL_COLL_ALLTOALLW];

    (void) module;
    return ((mca_coll_base_module_alltoallw_fn_t) previous->function)(ALLTOALLW_BASE_ARG_NAMES,
                                                                      previous->module);
}

int mca_coll_napcoll_alltoallw(ALLTOALLW_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const counts_t send_counts = sendcounts, recv_counts = recvcounts;
    const displs_t send_displs = sdispls, recv_displs = rdispls;
    const side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                         .counts = &send_counts,
                         .displs = &send_displs,
                         .types = sendtypes};
    const side_t recv = {
        .buffer = recvbuf, .counts = &recv_counts, .displs = &recv_displs, .types = recvtypes};
    bool done;
    int rc = run(napcoll, NAPCOLL_COLL_ALLTOALLW, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv,
                 MCA_COLL_BASE_TAG_ALLTOALLW, &done);

    return done ? rc : alltoallw_previous(napcoll, ALLTOALLW_BASE_ARG_NAMES, module);
}
