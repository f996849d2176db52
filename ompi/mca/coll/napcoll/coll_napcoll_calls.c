/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The functions of the module. Each one fills a binding from its arguments; the rest is common:
 *
 *     a call without data         returns
 *     statistics                  begin
 *     equal buffers               the send buffer is copied
 *     decision and plan           coll_napcoll_cache.c; after an agreement on sizes where the call
 *                                 is uneven, coll_napcoll_blocks.c
 *     operation | fallback function
 *     statistics                  end
 */

#include "coll_napcoll_blocks.h"
#include "coll_napcoll_stats.h"

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

#define DEFINE_FUNCTION(ENUM, name, PREFIX)                                                       \
    int mca_coll_napcoll_##name(PREFIX##_ARGS)                                                    \
    {                                                                                             \
        napcoll_binding_t binding = {FILL_##ENUM, .comm = comm, .tag = MCA_COLL_BASE_TAG_##ENUM}; \
                                                                                                  \
        return mca_coll_napcoll_run((mca_coll_napcoll_module_t *) module, NAPCOLL_COLL_##ENUM,    \
                                    &binding);                                                    \
    }
NAPCOLL_FOR_EACH_COLLECTIVE(DEFINE_FUNCTION)

/* ---- the common path ---- */

static inline size_t bytes_of(ompi_datatype_t *type, size_t count)
{
    size_t element;

    ompi_datatype_type_size(type, &element);
    return element * count;
}

/* The elements of all ranks' blocks in a call whose recvcounts all ranks know. */
static size_t elements_of_all(const napcoll_binding_t *binding)
{
    const int size = ompi_comm_size(binding->comm);
    size_t elements = 0;

    for (int rank = 0; rank < size; rank++) {
        elements += napcoll_compat_count(binding->counts, rank);
    }
    return elements;
}

/* The bytes of the vector, or of a rank's block, of uneven blocks the mean, rounded up: the same
 * on all ranks. 0 also where only some ranks know them, or there are none. */
static size_t bytes_of_call(napcoll_coll_t coll, const napcoll_binding_t *binding)
{
    const bool root = ompi_comm_rank(binding->comm) == binding->root;
    const size_t size = (size_t) ompi_comm_size(binding->comm);

    switch (coll) {
    case NAPCOLL_COLL_ALLGATHERV:
    case NAPCOLL_COLL_REDUCE_SCATTER:
        return (bytes_of(binding->datatype, elements_of_all(binding)) + size - 1) / size;
    case NAPCOLL_COLL_GATHER:
        return root ? bytes_of(binding->datatype, binding->count)
                    : bytes_of(binding->send_type, binding->send_count);
    case NAPCOLL_COLL_SCATTER:
        return root ? bytes_of(binding->send_type, binding->send_count)
                    : bytes_of(binding->datatype, binding->count);
    case NAPCOLL_COLL_ALLTOALLV:
    case NAPCOLL_COLL_ALLTOALLW:
    case NAPCOLL_COLL_GATHERV:
    case NAPCOLL_COLL_SCATTERV:
        return 0;
    default:
        return bytes_of(binding->datatype, binding->count);
    }
}

/* Whether no rank has anything to send or to reduce, as far as all ranks know. */
static bool is_empty(napcoll_coll_t coll, size_t bytes)
{
    const napcoll_collective_t *collective = mca_coll_napcoll_collectives[coll];

    return 0 == bytes && NAPCOLL_COLL_BARRIER != coll
           && !(collective->uneven && napcoll_goal_is_personalized(collective->goal));
}

/* The elements that the send buffer has on this rank, where the call needs one that is not the
 * receive buffer. */
static size_t elements_sent(napcoll_coll_t coll, const napcoll_binding_t *binding)
{
    const bool root = ompi_comm_rank(binding->comm) == binding->root;
    const size_t size = (size_t) ompi_comm_size(binding->comm);

    switch (coll) {
    case NAPCOLL_COLL_ALLREDUCE:
    case NAPCOLL_COLL_SCAN:
    case NAPCOLL_COLL_EXSCAN:
        return binding->count;
    case NAPCOLL_COLL_REDUCE:
        return root ? binding->count : 0;
    case NAPCOLL_COLL_REDUCE_SCATTER:
        return elements_of_all(binding);
    case NAPCOLL_COLL_REDUCE_SCATTER_BLOCK:
        return size * binding->count;
    case NAPCOLL_COLL_ALLGATHER:
    case NAPCOLL_COLL_ALLGATHERV:
        return binding->send_count;
    case NAPCOLL_COLL_ALLTOALL:
        return size * binding->send_count;
    case NAPCOLL_COLL_GATHER:
    case NAPCOLL_COLL_GATHERV:
        return root ? binding->send_count : 0;
    case NAPCOLL_COLL_SCATTER:
        return root && 0 != root ? size * binding->send_count : 0;
    default:
        return 0;
    }
}

/* Where both buffers are the same memory, which is an error of the caller that Open MPI does not
 * always find: send from a copy. Each process does so by itself, the decision is not changed. */
static int separate(napcoll_coll_t coll, napcoll_binding_t *binding, napcoll_host_copy_t *copy)
{
    ompi_datatype_t *type = NULL != binding->op ? binding->datatype : binding->send_type;

    if (OPAL_LIKELY(binding->sendbuf != binding->recvbuf)
        || (NULL == binding->sendbuf && NULL == binding->op)) {
        /* blocks at MPI_BOTTOM may have different types, and be at different addresses */
        return OMPI_SUCCESS;
    }
    return napcoll_host_separate(&binding->sendbuf, binding->recvbuf, elements_sent(coll, binding),
                                 type, copy);
}

/* Run a plan on vectors or on blocks of ranks. */
static int run_plan(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, napcoll_plan_t *plan,
                    napcoll_binding_t *binding)
{
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[coll]->goal;
    const bool bcast = NAPCOLL_GOAL_BCAST == goal;
    napcoll_operation_t *operation = mca_coll_napcoll_take_operation(napcoll);
    int rc;

    if (NULL == operation) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    binding->order = napcoll->map->ranks;
    if (NAPCOLL_GOAL_REDUCE_SCATTER == goal && MPI_IN_PLACE == binding->sendbuf) {
        /* plans read all of the receive buffer before they write the result */
        binding->sendbuf = binding->recvbuf;
    }
    rc = napcoll_operation_run(
        operation, bcast ? &napcoll_buffers_stream : &napcoll_buffers_elements, plan, binding);
    mca_coll_napcoll_give_operation(napcoll, operation);
    return rc;
}

/* Decide on a call, and run its plan. *done is false where the call belongs to the fallback
 * function; nothing has been touched then. */
static int decide_and_run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll, size_t bytes,
                          napcoll_binding_t *binding, mca_coll_napcoll_call_stats_t *stats,
                          bool *done)
{
    const napcoll_goal_t goal = mca_coll_napcoll_collectives[coll]->goal;
    const bool blocks = napcoll_goal_is_personalized(goal);
    napcoll_call_t call = {.coll = coll, .bytes = bytes, .root = binding->root};
    const napcoll_cached_t *entry;
    napcoll_plan_t *plan;
    int rc;

    if (NAPCOLL_COMPAT_HETEROGENEOUS && (blocks || NAPCOLL_GOAL_BCAST == goal)) {
        /* these plans send packed bytes */
        *done = false;
        return OMPI_SUCCESS;
    }
    if (blocks) {
        return mca_coll_napcoll_run_blocks(napcoll, &call, binding, stats, done);
    }
    call.noncommutative = NULL != binding->op && !ompi_op_is_commute(binding->op);
    call.in_place = MPI_IN_PLACE == binding->sendbuf && NAPCOLL_GOAL_REDUCE_SCATTER != goal;
    rc = mca_coll_napcoll_plan_for(napcoll, &call, stats, &entry, &plan);
    *done = OMPI_SUCCESS != rc || NULL != plan;
    return OMPI_SUCCESS == rc && *done ? run_plan(napcoll, coll, plan, binding) : rc;
}

int mca_coll_napcoll_run(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                         napcoll_binding_t *binding)
{
    const bool blocks = napcoll_goal_is_personalized(mca_coll_napcoll_collectives[coll]->goal);
    const size_t bytes = bytes_of_call(coll, binding);
    napcoll_host_copy_t copy = {.user = NULL};
    mca_coll_napcoll_call_stats_t stats;
    bool done = true;
    int rc = OMPI_SUCCESS;

    if (is_empty(coll, bytes)) {
        return OMPI_SUCCESS;
    }
    mca_coll_napcoll_begin(napcoll, &stats);
    if (!blocks) { /* else the operation copies what it needs */
        rc = separate(coll, binding, &copy);
    }
    if (OMPI_SUCCESS == rc) {
        rc = decide_and_run(napcoll, coll, bytes, binding, &stats, &done);
    }
    if (!done) {
        rc = blocks ? separate(coll, binding, &copy) : OMPI_SUCCESS;
        rc = OMPI_SUCCESS == rc ? mca_coll_napcoll_fallback_corrected(napcoll, coll, binding) : rc;
    }
    napcoll_host_release(&copy);
    return mca_coll_napcoll_end(&stats, rc);
}
