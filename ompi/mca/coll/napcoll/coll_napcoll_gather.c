/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * MPI_Gather, MPI_Gatherv, MPI_Scatter and MPI_Scatterv (see coll_napcoll_vector.c). What only the root's arguments
 * say is read on the root alone.
 *
 * In MPI_Gather and MPI_Scatter all ranks know the size of every block. In the others only the root
 * does: where the decision rests on them, it tells the others the mean and the largest, in a small
 * broadcast; not in every call (see coll_napcoll_blocks.c). Where few blocks have bytes, or most of
 * them, it says so, and all go straight.
 */

#include "coll_napcoll_blocks.h"
#include "coll_napcoll_stats.h"
#include "exec/napcoll_host.h"

typedef mca_coll_napcoll_side_t side_t;

/* What the root announces of the other ranks' blocks: their mean, rounded up, and the largest, of which the next
 * power of two leaves room for later calls. */
enum { MEAN, LARGEST, NUMBERS };

/* What it says besides, in the mean: few blocks have bytes, or most of them; all go straight. */
#define STRAIGHT (UINT64_C(1) << 63)

/* Smaller blocks are not hot. */
enum { HOT_BYTES = 16 * 1024 };

/* Whether few blocks are far larger than the others, on so few ranks that the root had better have
 * a message of each: `mean` of all of them. */
static bool few_are_hot(const napcoll_block_t *block, size_t others, size_t mean)
{
    enum { MOST_OTHERS = 64, FAR = 8 };
    size_t hot = 0;

    for (size_t i = 1; i <= others && others < MOST_OTHERS; i++) {
        hot += block[i].bytes > mean / FAR;
    }
    return others < MOST_OTHERS && hot <= (others < 4 ? 1 : others / 4);
}

/* The root's numbers. */
static void measure(mca_coll_napcoll_module_t *napcoll, const napcoll_personalized_t *personalized,
                    napcoll_coll_t coll, uint64_t number[NUMBERS])
{
    const bool gather = NAPCOLL_GOAL_GATHER == mca_coll_napcoll_collectives[coll]->goal;
    const int buffer = gather ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    const size_t ranks = (size_t) napcoll->map->size, others = ranks > 1 ? ranks - 1 : 1;
    size_t sum, largest;

    napcoll_personalized_sum(personalized, buffer, 1, &sum, &largest);
    number[MEAN] = sum / others + (0 != sum % others);
    number[LARGEST] = largest;
    if (NAPCOLL_FORCE_AUTO != mca_coll_napcoll_force_any_size(napcoll, coll)) {
        return;
    }
    if (napcoll_agreement_finds_few((size_t) napcoll_personalized_messages(personalized, buffer),
                                    others, 1)
        || (largest > HOT_BYTES
            && few_are_hot(personalized->block[buffer], others, sum / others))) {
        number[MEAN] |= STRAIGHT;
    }
}

static int announce(mca_coll_napcoll_module_t *napcoll, const napcoll_personalized_t *personalized,
                    napcoll_call_t *call)
{
    const size_t ranks = (size_t) napcoll->map->size;
    uint64_t number[NUMBERS] = {0};
    int rc;

    if (ompi_comm_rank(napcoll->comm) == call->root) {
        measure(napcoll, personalized, call->coll, number);
    }
    rc = mca_coll_napcoll_bcast(number, sizeof(number), &ompi_mpi_byte.dt, call->root,
                                napcoll->comm, &napcoll->super);
    call->unsized = 0 != (number[MEAN] & STRAIGHT);
    call->bytes = (size_t) (number[MEAN] & ~STRAIGHT);
    call->largest = 1; /* 0 would say that nobody knows */
    while (call->largest < number[LARGEST] && call->largest <= SIZE_MAX / 2) {
        call->largest *= 2;
    }
    call->bounded = call->largest <= mca_coll_napcoll_component.bounded_bytes / ranks;
    return rc;
}

/* Run a call, unless it belongs to the fallback function: then *done is false, and nothing has been touched. `bytes`
 * are those of every block, where all ranks know them; a side that the rank has not got is NULL. */
static int run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, int root,
               const side_t *send, const side_t *recv, size_t bytes, int tag, bool *done)
{
    mca_coll_napcoll_exchange_t exchange = {.call = {.coll = coll, .bytes = bytes, .root = root},
                                            .uneven = NAPCOLL_COLL_GATHERV == coll
                                                      || NAPCOLL_COLL_SCATTERV == coll,
                                            .tag = tag,
                                            .agree = announce,
                                            .send = send,
                                            .recv = recv};

    return mca_coll_napcoll_run_exchange(napcoll, &exchange, done);
}

/* The bytes of so many elements. */
static size_t bytes_of(ompi_datatype_t *type, size_t count)
{
    size_t element;

    ompi_datatype_type_size(type, &element);
    return element * count;
}

static int gather_fallback(mca_coll_napcoll_module_t *napcoll, GATHER_ARGS)
{
    const napcoll_saved_function_t *fallback;
    napcoll_host_copy_t copy;
    int rc = napcoll_host_separate_blocks(
        &sendbuf, recvbuf, root == ompi_comm_rank(comm) ? (size_t) sendcount : 0, sendtype, &copy);

    (void) module;
    if (OMPI_SUCCESS == rc) {
        fallback = mca_coll_napcoll_fallback_enter_for(napcoll, NAPCOLL_COLL_GATHER);
        rc = mca_coll_napcoll_fallback_exit(
            napcoll, ((mca_coll_base_module_gather_fn_t) fallback->function)(GATHER_BASE_ARG_NAMES,
                                                                             fallback->module));
    }
    napcoll_host_release(&copy);
    return rc;
}

int mca_coll_napcoll_gather(GATHER_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const bool is_root = ompi_comm_rank(comm) == root;
    const side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                         .single = true,
                         .count = (size_t) sendcount,
                         .type = sendtype};
    const side_t recv = {.buffer = recvbuf, .count = (size_t) recvcount, .type = recvtype};
    const size_t bytes = is_root ? bytes_of(recvtype, (size_t) recvcount)
                                 : bytes_of(sendtype, (size_t) sendcount);
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    if (0 == bytes) {
        return OMPI_SUCCESS; /* nothing to send, on any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_GATHER, root, is_root && MPI_IN_PLACE == sendbuf ? &recv : &send,
             is_root ? &recv : NULL, bytes, MCA_COLL_BASE_TAG_GATHER, &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = gather_fallback(napcoll, GATHER_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}

static int gatherv_fallback(mca_coll_napcoll_module_t *napcoll, GATHERV_ARGS)
{
    const napcoll_saved_function_t *fallback;
    napcoll_host_copy_t copy;
    int rc = napcoll_host_separate_blocks(
        &sendbuf, recvbuf, root == ompi_comm_rank(comm) ? (size_t) sendcount : 0, sendtype, &copy);

    (void) module;
    if (OMPI_SUCCESS == rc) {
        fallback = mca_coll_napcoll_fallback_enter_for(napcoll, NAPCOLL_COLL_GATHERV);
        rc = mca_coll_napcoll_fallback_exit(
            napcoll, ((mca_coll_base_module_gatherv_fn_t) fallback->function)(
                         GATHERV_BASE_ARG_NAMES, fallback->module));
    }
    napcoll_host_release(&copy);
    return rc;
}

int mca_coll_napcoll_gatherv(GATHERV_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const bool is_root = ompi_comm_rank(comm) == root;
    const napcoll_compat_counts_t counts = recvcounts;
    const napcoll_compat_displs_t places = displs;
    const side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                         .single = true,
                         .count = (size_t) sendcount,
                         .type = sendtype};
    const side_t recv = {.buffer = recvbuf, .counts = &counts, .displs = &places, .type = recvtype};
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_GATHERV, root,
             is_root && MPI_IN_PLACE == sendbuf ? &recv : &send, is_root ? &recv : NULL, 0,
             MCA_COLL_BASE_TAG_GATHERV, &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = gatherv_fallback(napcoll, GATHERV_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}

static int scatter_fallback(mca_coll_napcoll_module_t *napcoll, SCATTER_ARGS)
{
    const napcoll_saved_function_t *fallback;
    napcoll_host_copy_t copy;
    int rc = napcoll_host_separate_blocks(&sendbuf, recvbuf,
                                          root == ompi_comm_rank(comm) && 0 != root
                                              ? (size_t) ompi_comm_size(comm) * (size_t) sendcount
                                              : 0,
                                          sendtype, &copy);

    (void) module;
    if (OMPI_SUCCESS == rc) {
        fallback = mca_coll_napcoll_fallback_enter_for(napcoll, NAPCOLL_COLL_SCATTER);
        rc = mca_coll_napcoll_fallback_exit(
            napcoll, ((mca_coll_base_module_scatter_fn_t) fallback->function)(
                         SCATTER_BASE_ARG_NAMES, fallback->module));
    }
    napcoll_host_release(&copy);
    return rc;
}

int mca_coll_napcoll_scatter(SCATTER_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const bool is_root = ompi_comm_rank(comm) == root;
    const side_t send = {
        .buffer = (char *) (uintptr_t) sendbuf, .count = (size_t) sendcount, .type = sendtype};
    const side_t recv = {
        .buffer = recvbuf, .single = true, .count = (size_t) recvcount, .type = recvtype};
    const size_t bytes = is_root ? bytes_of(sendtype, (size_t) sendcount)
                                 : bytes_of(recvtype, (size_t) recvcount);
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    if (0 == bytes) {
        return OMPI_SUCCESS; /* nothing to send, to any rank */
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_SCATTER, root, is_root ? &send : NULL,
             is_root && MPI_IN_PLACE == recvbuf ? &send : &recv, bytes, MCA_COLL_BASE_TAG_SCATTER,
             &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = scatter_fallback(napcoll, SCATTER_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}

static int scatterv_fallback(mca_coll_napcoll_module_t *napcoll, SCATTERV_ARGS)
{
    const napcoll_saved_function_t *fallback = mca_coll_napcoll_fallback_enter_for(
        napcoll, NAPCOLL_COLL_SCATTERV);

    (void) module;
    return mca_coll_napcoll_fallback_exit(
        napcoll, ((mca_coll_base_module_scatterv_fn_t) fallback->function)(SCATTERV_BASE_ARG_NAMES,
                                                                           fallback->module));
}

int mca_coll_napcoll_scatterv(SCATTERV_ARGS)
{
    mca_coll_napcoll_module_t *napcoll = (mca_coll_napcoll_module_t *) module;
    const bool is_root = ompi_comm_rank(comm) == root;
    const napcoll_compat_counts_t counts = sendcounts;
    const napcoll_compat_displs_t places = displs;
    const side_t send = {.buffer = (char *) (uintptr_t) sendbuf,
                         .counts = &counts,
                         .displs = &places,
                         .type = sendtype};
    const side_t recv = {
        .buffer = recvbuf, .single = true, .count = (size_t) recvcount, .type = recvtype};
    mca_coll_napcoll_call_stats_t stats;
    bool done;
    int rc;

    mca_coll_napcoll_begin(napcoll, &stats);
    rc = run(napcoll, NAPCOLL_COLL_SCATTERV, root, is_root ? &send : NULL,
             is_root && MPI_IN_PLACE == recvbuf ? &send : &recv, 0, MCA_COLL_BASE_TAG_SCATTERV,
             &done);
    if (OMPI_SUCCESS == rc && !done) {
        rc = scatterv_fallback(napcoll, SCATTERV_BASE_ARG_NAMES, module);
    }
    return mca_coll_napcoll_end(&stats, rc);
}
