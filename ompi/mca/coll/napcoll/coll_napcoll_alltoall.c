/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw (see coll_napcoll_vector.c). Block j of a plan is that for
 * the rank j places before this one in the node order, or from the one j places after.
 *
 * In MPI_Alltoall all ranks know all sizes. MPI_Alltoallw, in which programs mostly have few
 * blocks, goes to the fallback, unless users ask for more. Else a decision rests on what ranks
 * agree on in an allreduce of three numbers, or on what users say:
 *
 *     mean       of the bytes of all blocks
 *     largest    block of any process: times the slots of the plan it is what transit may take; and where it is
 *                small, receives are made for it, and the sizes of blocks go with them instead of ahead
 *     messages   blocks that have bytes: where these are few, each goes straight
 *
 * in this call or, where the messages of the plan can say that it does not hold any more, in an earlier one.
 */

#include "coll_napcoll_blocks.h"
#include "coll_napcoll_faults.h"
#include "coll_napcoll_stats.h"
#include "exec/napcoll_host.h"

#include <stdlib.h>

/* The bytes that stand for a mean. A decision holds from one power of two to the next, and estimates with the larger
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

/* Sums alone tell the mean and the largest: the 16th root of the sum of the largest blocks' 16th powers is at least the
 * largest, and at most P^(1/16) times it; the next power of two is taken for it. */
static int agree(mca_coll_napcoll_module_t *napcoll, const napcoll_personalized_t *personalized,
                 napcoll_call_t *call)
{
    enum { SENT, LARGEST, MESSAGES, NUMBERS };
    const int ranks = personalized->range[NAPCOLL_BUFFER_SEND].count;
    size_t sent, largest;
    double number[NUMBERS];
    int rc;

    napcoll_personalized_sum(personalized, NAPCOLL_BUFFER_SEND, 0, &sent, &largest);
    number[SENT] = (double) sent;
    number[LARGEST] = sixteenth_power((double) largest);
    number[MESSAGES] = napcoll_personalized_messages(personalized, NAPCOLL_BUFFER_SEND);
    rc = mca_coll_napcoll_allreduce(MPI_IN_PLACE, number, NUMBERS, &ompi_mpi_double.dt,
                                    &ompi_mpi_op_sum.op, napcoll->comm, &napcoll->super);
    /* the bounds of rules are meant as they are written */
    call->bytes = NAPCOLL_FORCE_BY_SIZE == mca_coll_napcoll_force_any_size(napcoll, call->coll)
                      ? (size_t) (number[SENT] / ranks / ranks + 0.5)
                      : class_of_mean(number[SENT] / ranks / ranks);
    call->largest = 1;
    while (sixteenth_power((double) call->largest) < number[LARGEST]
           && call->largest <= SIZE_MAX / 2) {
        call->largest *= 2;
    }
    call->bounded = call->largest <= mca_coll_napcoll_component.bounded_bytes / (size_t) ranks;
    call->sparse = NAPCOLL_FORCE_AUTO == mca_coll_napcoll_force_any_size(napcoll, call->coll)
                   && napcoll_agreement_finds_few((size_t) number[MESSAGES],
                                                  (size_t) ranks * (size_t) (ranks - 1),
                                                  (size_t) ranks);
    return rc;
}

/* Run a call, unless it belongs to the fallback function: then *done is false, and nothing has been
 * touched. Without `send` it is in place. `bytes` are those of every block, where all ranks know them. */
static int run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
               const mca_coll_napcoll_side_t *send, const mca_coll_napcoll_side_t *recv,
               size_t bytes, int tag, bool *done)
{
    const bool uneven = NAPCOLL_COLL_ALLTOALL != coll;
    mca_coll_napcoll_exchange_t exchange = {.call = {.coll = coll, .bytes = bytes},
                                            .uneven = uneven,
                                            .tag = tag,
                                            .agree = agree,
                                            .send = send,
                                            .recv = recv};
    int rc = mca_coll_napcoll_know_nodes(napcoll, done);

    if (OMPI_SUCCESS != rc || !*done) {
        return rc;
    }
    exchange.told_bytes = napcoll->mean_bytes;
    return mca_coll_napcoll_run_exchange(napcoll, &exchange, done);
}

static int alltoall_fallback(mca_coll_napcoll_module_t *napcoll, ALLTOALL_ARGS)
{
    const napcoll_saved_function_t *fallback;
    mca_coll_napcoll_blocks_t send = {sendbuf, (size_t) sendcount, sendtype};
    const mca_coll_napcoll_blocks_t recv = {recvbuf, (size_t) recvcount, recvtype};
    napcoll_host_copy_t separate;
    void *copy = NULL;
    size_t element;
    int rc = napcoll_host_separate_blocks(
        &sendbuf, recvbuf, (size_t) ompi_comm_size(comm) * send.count, sendtype, &separate);

    (void) module;
    send.buffer = sendbuf;
    ompi_datatype_type_size(recvtype, &element);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_alltoall_copy(napcoll, &send, &recv, element * recv.count, &copy,
                                            &sendbuf);
    }
    if (NULL != copy) {
        sendcount = recvcount;
        sendtype = recvtype;
    }
    if (OMPI_SUCCESS == rc) {
        fallback = mca_coll_napcoll_fallback_enter_for(napcoll, NAPCOLL_COLL_ALLTOALL);
        rc = mca_coll_napcoll_fallback_exit(
            napcoll, ((mca_coll_base_module_alltoall_fn_t) fallback->function)(
                         ALLTOALL_BASE_ARG_NAMES, fallback->module));
    }
    free(copy);
    napcoll_host_release(&separate);
    return rc;
}

int mca_coll_napcoll_alltoall(ALLTOALL_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const mca_coll_napcoll_side_t send = {
        .buffer = (char *) (uintptr_t) sendbuf, .count = (size_t) sendcount, .type = sendtype};
    const mca_coll_napcoll_side_t recv = {
        .buffer = recvbuf, .count = (size_t) recvcount, .type = recvtype};
    size_t element;
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    ompi_datatype_type_size(recvtype, &element);
    if (0 == recvcount || 0 == element) {
        return OMPI_SUCCESS; /* nothing to send, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_ALLTOALL, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv,
             element * (size_t) recvcount, MCA_COLL_BASE_TAG_ALLTOALL, &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = alltoall_fallback(napcoll, ALLTOALL_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}

static int alltoallv_fallback(mca_coll_napcoll_module_t *napcoll, ALLTOALLV_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_ALLTOALLV);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_alltoallv_fn_t) fallback->function)(
                     ALLTOALLV_BASE_ARG_NAMES, fallback->module));
}

int mca_coll_napcoll_alltoallv(ALLTOALLV_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_compat_counts_t send_counts = sendcounts, recv_counts = recvcounts;
    const napcoll_compat_displs_t send_displs = sdispls, recv_displs = rdispls;
    const mca_coll_napcoll_side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                                          .counts = &send_counts,
                                          .displs = &send_displs,
                                          .type = sendtype};
    const mca_coll_napcoll_side_t recv = {
        .buffer = recvbuf, .counts = &recv_counts, .displs = &recv_displs, .type = recvtype};
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_ALLTOALLV, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv, 0,
             MCA_COLL_BASE_TAG_ALLTOALLV, &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = alltoallv_fallback(napcoll, ALLTOALLV_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}

static int alltoallw_fallback(mca_coll_napcoll_module_t *napcoll, ALLTOALLW_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_ALLTOALLW);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_alltoallw_fn_t) fallback->function)(
                     ALLTOALLW_BASE_ARG_NAMES, fallback->module));
}

int mca_coll_napcoll_alltoallw(ALLTOALLW_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const napcoll_compat_counts_t send_counts = sendcounts, recv_counts = recvcounts;
    const napcoll_compat_displs_t send_displs = sdispls, recv_displs = rdispls;
    const mca_coll_napcoll_side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                                          .counts = &send_counts,
                                          .displs = &send_displs,
                                          .types = sendtypes};
    const mca_coll_napcoll_side_t recv = {
        .buffer = recvbuf, .counts = &recv_counts, .displs = &recv_displs, .types = recvtypes};
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_ALLTOALLW, MPI_IN_PLACE == sendbuf ? NULL : &send, &recv, 0,
             MCA_COLL_BASE_TAG_ALLTOALLW, &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = alltoallw_fallback(napcoll, ALLTOALLW_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}
