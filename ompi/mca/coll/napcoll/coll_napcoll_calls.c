/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The functions of the module. Each one fills a binding from its arguments; the rest is common
 * (coll_napcoll_run.h).
 */

#include "coll_napcoll_run.h"

/* ---- arguments, as coll_base_functions.h names them, to a binding ---- */

#define VECTOR             .sendbuf = sendbuf, RECV(count, datatype)
#define SEND(number, type) .sendbuf = sendbuf, .send_count = (size_t) (number), .send_type = (type)
#define RECV_AT(buffer, number, type) \
    .recvbuf = (buffer), .count = (size_t) (number), .datatype = (type)
#define RECV(number, type) RECV_AT(recvbuf, number, type)
#define SEND_EACH(offsets) .sendbuf = sendbuf, .send_counts = sendcounts, .send_displs = (offsets)
#define RECV_EACH(offsets) .recvbuf = recvbuf, .counts = recvcounts, .displs = (offsets)

#define FILL_ALLREDUCE VECTOR, .op = op
#define FILL_REDUCE    VECTOR, .op = op, .root = root
#define FILL_SCAN      VECTOR, .op = op
#define FILL_EXSCAN    VECTOR, .op = op
#define FILL_BARRIER   .datatype = MPI_BYTE
#define FILL_BCAST     RECV_AT(buffer, count, datatype), .root = root
#define FILL_REDUCE_SCATTER \
    .sendbuf = sendbuf, .recvbuf = recvbuf, .counts = recvcounts, .datatype = datatype, .op = op
#define FILL_REDUCE_SCATTER_BLOCK .sendbuf = sendbuf, RECV(recvcount, datatype), .op = op
#define FILL_ALLGATHER            SEND(sendcount, sendtype), RECV(recvcount, recvtype)
#define FILL_ALLGATHERV           SEND(sendcount, sendtype), RECV_EACH(displs), .datatype = recvtype
#define FILL_ALLTOALL             SEND(sendcount, sendtype), RECV(recvcount, recvtype)
#define FILL_ALLTOALLV \
    SEND_EACH(sdispls), .send_type = sendtype, RECV_EACH(rdispls), .datatype = recvtype
#define FILL_ALLTOALLW \
    SEND_EACH(sdispls), .send_types = sendtypes, RECV_EACH(rdispls), .types = recvtypes
#define FILL_GATHER SEND(sendcount, sendtype), RECV(recvcount, recvtype), .root = root
#define FILL_GATHERV \
    SEND(sendcount, sendtype), RECV_EACH(displs), .datatype = recvtype, .root = root
#define FILL_SCATTER SEND(sendcount, sendtype), RECV(recvcount, recvtype), .root = root
#define FILL_SCATTERV \
    SEND_EACH(displs), .send_type = sendtype, RECV(recvcount, recvtype), .root = root

#define FILL_NEIGHBOR_ALLGATHER  FILL_ALLGATHER
#define FILL_NEIGHBOR_ALLGATHERV FILL_ALLGATHERV
#define FILL_NEIGHBOR_ALLTOALL   FILL_ALLTOALL
#define FILL_NEIGHBOR_ALLTOALLV  FILL_ALLTOALLV
#define FILL_NEIGHBOR_ALLTOALLW                                                            \
    .sendbuf = sendbuf, .send_counts = sendcounts, .send_offsets = sdispls,                \
    .send_types = sendtypes, .recvbuf = recvbuf, .counts = recvcounts, .offsets = rdispls, \
    .types = recvtypes

/* The framework has no tag for each of them: blocking ones do not overlap. */
#define MCA_COLL_BASE_TAG_NEIGHBOR_ALLGATHER  MCA_COLL_BASE_TAG_NEIGHBOR_BASE
#define MCA_COLL_BASE_TAG_NEIGHBOR_ALLGATHERV MCA_COLL_BASE_TAG_NEIGHBOR_BASE
#define MCA_COLL_BASE_TAG_NEIGHBOR_ALLTOALL   MCA_COLL_BASE_TAG_NEIGHBOR_BASE
#define MCA_COLL_BASE_TAG_NEIGHBOR_ALLTOALLV  MCA_COLL_BASE_TAG_NEIGHBOR_BASE
#define MCA_COLL_BASE_TAG_NEIGHBOR_ALLTOALLW  MCA_COLL_BASE_TAG_NEIGHBOR_BASE

#define FILL_RUN(ENUM, kind)                                                                       \
    run.binding = (napcoll_binding_t){FILL_##ENUM, .comm = comm, .tag = MCA_COLL_BASE_TAG_##ENUM}; \
    mca_coll_napcoll_run_init(&run, module, NAPCOLL_COLL_##ENUM, NAPCOLL_KIND_##kind)

#define DEFINE_FUNCTIONS(ENUM, name, PREFIX)                      \
    int mca_coll_napcoll_##name(PREFIX##_ARGS)                    \
    {                                                             \
        mca_coll_napcoll_run_t run;                               \
                                                                  \
        FILL_RUN(ENUM, BLOCKING);                                 \
        return mca_coll_napcoll_run_blocking(&run);               \
    }                                                             \
                                                                  \
    int mca_coll_napcoll_i##name(I##PREFIX##_ARGS)                \
    {                                                             \
        mca_coll_napcoll_run_t run;                               \
                                                                  \
        FILL_RUN(ENUM, NONBLOCKING);                              \
        return mca_coll_napcoll_run_request(&run, NULL, request); \
    }                                                             \
                                                                  \
    int mca_coll_napcoll_##name##_init(PREFIX##_INIT_ARGS)        \
    {                                                             \
        mca_coll_napcoll_run_t run;                               \
                                                                  \
        FILL_RUN(ENUM, PERSISTENT);                               \
        return mca_coll_napcoll_run_request(&run, info, request); \
    }
NAPCOLL_FOR_EACH_COLLECTIVE(DEFINE_FUNCTIONS)
