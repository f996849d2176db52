/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Faults of the fallback component tuned with some datatypes, and how calls of napcoll's get round them.
 *
 *     call        fault                                              versions      instead
 *     allreduce   ring: its buffer has no room for what lies before  4.1 to 6.0    reduce, then bcast
 *                 or behind the first byte (true lower bound)
 *     alltoall    Bruck: the layout of the send side is taken for    4.1           the send side in the
 *                 that of the receive buffer                                       other's layout
 *     allgather   in place it chooses by the send count, which has   4.1 to 6.0    the receive count
 *                 no meaning and may differ between ranks                          as send count
 *     allgatherv  ranks whose two types differ in size take          4.1 to 6.0    in place
 *                 different algorithms, and wait for ever
 *
 * Ranks need not agree on any of this. Standard MPI has the same datatype on all ranks of a reduction;
 * in the others a rank changes only how its own data lie.
 */

#ifndef MCA_COLL_NAPCOLL_FAULTS_H
#define MCA_COLL_NAPCOLL_FAULTS_H

#include "coll_napcoll.h"

/** Whether the fallback allreduce would overflow its buffer. */
bool mca_coll_napcoll_allreduce_overflows(const mca_coll_napcoll_module_t *napcoll,
                                          ompi_datatype_t *datatype);

/** MPI_Allreduce by the fallback functions of reduce and bcast; in the midst of a fallback call. */
int mca_coll_napcoll_allreduce_in_two(mca_coll_napcoll_module_t *napcoll, ALLREDUCE_ARGS);

/** One side of an alltoall. */
typedef struct mca_coll_napcoll_blocks {
    const void *buffer;
    /** elements of a block */
    size_t count;
    ompi_datatype_t *type;
} mca_coll_napcoll_blocks_t;

/**
 * A copy of an alltoall's send side in the layout of its receive side, where the fallback needs one.
 *
 * @param[in]  napcoll the module
 * @param[in]  send    send side
 * @param[in]  recv    receive side
 * @param[in]  bytes   of a block
 * @param[out] copy    memory, to be freed by the caller; NULL: no copy is needed
 * @param[out] base    what to send from, where there is a copy
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_alltoall_copy(const mca_coll_napcoll_module_t *napcoll,
                                   const mca_coll_napcoll_blocks_t *send,
                                   const mca_coll_napcoll_blocks_t *recv, size_t bytes, void **copy,
                                   const void **base);

/** Whether the fallback allgatherv would choose by the size of a type that is not the same everywhere. */
bool mca_coll_napcoll_allgatherv_differs(const mca_coll_napcoll_module_t *napcoll,
                                         const void *sendbuf, ompi_datatype_t *sendtype,
                                         ompi_datatype_t *recvtype);

#endif /* MCA_COLL_NAPCOLL_FAULTS_H */
