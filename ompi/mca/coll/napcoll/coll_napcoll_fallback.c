/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The fallback functions: those that supplied the collectives before napcoll. The arguments of
 * blocking ones are changed where component tuned has a fault with some datatypes:
 *
 *     call        fault                                              versions     instead
 *     allreduce   ring: its buffer has no room for the bytes before  4.1 to 6.0   reduce, bcast
 *                 or after an element (true lower bound)
 *     alltoall    Bruck: the layout of the send type is used for     4.1          the send side,
 *                 the receive buffer                                              copied to the
 *                                                                                 receive type
 *     allgather   in place it chooses by the send count, which is    4.1 to 6.0   the receive count
 *                 not significant and may differ between ranks                    as send count
 *     allgatherv  ranks whose two types differ in size choose        4.1 to 6.0   in place
 *                 another algorithm, and wait for ever
 *
 * Ranks need not agree on any of this. The datatype of a reduction is the same on all ranks; in the
 * other calls a rank changes only its own layout.
 */

#include "coll_napcoll.h"

#include <stdlib.h>

/* ---- the arguments before the communicator, each with a comma behind it ---- */

#define COUNT(number) (napcoll_compat_count_t)(b->number)
#define SEND          b->sendbuf, COUNT(send_count), b->send_type
#define RECV          b->recvbuf, COUNT(count), b->datatype
#define VECTOR        b->sendbuf, b->recvbuf, COUNT(count), b->datatype
#define SEND_EACH     b->sendbuf, b->send_counts, b->send_displs
#define RECV_EACH     b->recvbuf, b->counts, b->displs

#define PASS_ALLREDUCE            VECTOR, b->op,
#define PASS_REDUCE               VECTOR, b->op, b->root,
#define PASS_SCAN                 VECTOR, b->op,
#define PASS_EXSCAN               VECTOR, b->op,
#define PASS_REDUCE_SCATTER       b->sendbuf, b->recvbuf, b->counts, b->datatype, b->op,
#define PASS_REDUCE_SCATTER_BLOCK VECTOR, b->op,
#define PASS_BARRIER
#define PASS_BCAST               RECV, b->root,
#define PASS_ALLGATHER           SEND, RECV,
#define PASS_ALLGATHERV          SEND, RECV_EACH, b->datatype,
#define PASS_ALLTOALL            SEND, RECV,
#define PASS_ALLTOALLV           SEND_EACH, b->send_type, RECV_EACH, b->datatype,
#define PASS_ALLTOALLW           SEND_EACH, b->send_types, RECV_EACH, b->types,
#define PASS_GATHER              SEND, RECV, b->root,
#define PASS_GATHERV             SEND, RECV_EACH, b->datatype, b->root,
#define PASS_SCATTER             SEND, RECV, b->root,
#define PASS_SCATTERV            SEND_EACH, b->send_type, RECV, b->root,
#define PASS_NEIGHBOR_ALLGATHER  PASS_ALLGATHER
#define PASS_NEIGHBOR_ALLGATHERV PASS_ALLGATHERV
#define PASS_NEIGHBOR_ALLTOALL   PASS_ALLTOALL
#define PASS_NEIGHBOR_ALLTOALLV  PASS_ALLTOALLV
#define PASS_NEIGHBOR_ALLTOALLW                                                                    \
    b->sendbuf, b->send_counts, b->send_offsets, b->send_types, b->recvbuf, b->counts, b->offsets, \
        b->types,

/* Call a fallback function: request is for nonblocking and persistent ones, info for the latter. */
static int call_fallback(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                         napcoll_kind_t kind, const napcoll_binding_t *b, ompi_info_t *info,
                         ompi_request_t **request)
{
    void (*const function)(void) = napcoll->fallback[kind][coll].function;
    mca_coll_base_module_t *const module = napcoll->fallback[kind][coll].module;
    int rc = OMPI_ERR_NOT_SUPPORTED;

    if (NULL == function) {
        /* of a neighbourhood collective, which other components may not supply */
        return OMPI_ERR_NOT_SUPPORTED;
    }
    mca_coll_napcoll_fallback_enter(napcoll);
    switch (NAPCOLL_KINDS * (int) coll + (int) kind) {
#define CASE(ENUM, KIND) case NAPCOLL_KINDS *NAPCOLL_COLL_##ENUM + NAPCOLL_KIND_##KIND
#define CALL(ENUM, name, PREFIX)                                                               \
    CASE(ENUM, BLOCKING)                                                                       \
        : rc = ((mca_coll_base_module_##name##_fn_t) function)(PASS_##ENUM b->comm, module);   \
    break;                                                                                     \
    CASE(ENUM, NONBLOCKING)                                                                    \
        : rc = ((mca_coll_base_module_i##name##_fn_t) function)(PASS_##ENUM b->comm, request,  \
                                                                module);                       \
    break;                                                                                     \
    CASE(ENUM, PERSISTENT)                                                                     \
        : rc = ((mca_coll_base_module_##name##_init_fn_t) function)(PASS_##ENUM b->comm, info, \
                                                                    request, module);          \
    break;
        NAPCOLL_FOR_EACH_COLLECTIVE(CALL)
#undef CALL
#undef CASE
    default:
        break;
    }
    return mca_coll_napcoll_fallback_exit(napcoll, rc);
}

int mca_coll_napcoll_fallback(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                              const napcoll_binding_t *binding)
{
    return call_fallback(napcoll, coll, NAPCOLL_KIND_BLOCKING, binding, NULL, NULL);
}

int mca_coll_napcoll_fallback_request(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                                      napcoll_kind_t kind, const napcoll_binding_t *binding,
                                      ompi_info_t *info, ompi_request_t **request)
{
    return call_fallback(napcoll, coll, kind, binding, info, request);
}

/* ---- the faults ---- */

/* Whether tuned is the fallback component of a collective, by whatever rules it decides. */
static bool falls_back_to_tuned(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll)
{
    return napcoll_compat_is_tuned(napcoll->comm,
                                   napcoll->fallback[NAPCOLL_KIND_BLOCKING][coll].module);
}

static int fallback_allreduce(mca_coll_napcoll_module_t *napcoll, const napcoll_binding_t *binding)
{
    const bool root = 0 == ompi_comm_rank(binding->comm);
    napcoll_binding_t part = *binding;
    ptrdiff_t true_lb, true_extent;
    int rc;

    ompi_datatype_get_true_extent(binding->datatype, &true_lb, &true_extent);
    if (OPAL_LIKELY(0 == true_lb) || !falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLREDUCE)) {
        return mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_ALLREDUCE, binding);
    }
    if (!root) {
        part.sendbuf = MPI_IN_PLACE == binding->sendbuf ? binding->recvbuf : binding->sendbuf;
        part.recvbuf = NULL;
    }
    rc = mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_REDUCE, &part);
    return OMPI_SUCCESS == rc ? mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_BCAST, binding)
                              : rc;
}

static int fallback_allgather(mca_coll_napcoll_module_t *napcoll, const napcoll_binding_t *binding)
{
    napcoll_binding_t call = *binding;

    if (MPI_IN_PLACE == binding->sendbuf) {
        call.send_count = binding->count;
        call.send_type = binding->datatype;
    }
    return mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_ALLGATHER, &call);
}

/* Whether the types of an allgatherv differ in size. */
static bool types_differ(const napcoll_binding_t *binding)
{
    size_t sent, received;

    if (MPI_IN_PLACE == binding->sendbuf) {
        return false;
    }
    ompi_datatype_type_size(binding->send_type, &sent);
    ompi_datatype_type_size(binding->datatype, &received);
    return OPAL_UNLIKELY(sent != received);
}

static int fallback_allgatherv(mca_coll_napcoll_module_t *napcoll, const napcoll_binding_t *binding)
{
    const int rank = ompi_comm_rank(binding->comm);
    napcoll_binding_t call = *binding;
    ptrdiff_t lb, extent;
    int rc = OMPI_SUCCESS;

    if (types_differ(binding) && falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLGATHERV)) {
        call.sendbuf = MPI_IN_PLACE;
        ompi_datatype_get_extent(binding->datatype, &lb, &extent);
        if (binding->send_count > 0) {
            rc = napcoll_compat_copy_types(
                binding->sendbuf, binding->send_count, binding->send_type,
                napcoll_offset(binding->recvbuf,
                               napcoll_compat_displ(binding->displs, rank) * extent),
                napcoll_compat_count(binding->counts, rank), binding->datatype);
        }
    }
    return OMPI_SUCCESS == rc ? mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_ALLGATHERV, &call)
                              : rc;
}

/* Whether the elements of a type follow each other without gaps, from their address on. */
static bool is_plain(ompi_datatype_t *type)
{
    ptrdiff_t lb, extent, true_lb, true_extent;
    size_t size;

    ompi_datatype_type_size(type, &size);
    ompi_datatype_get_extent(type, &lb, &extent);
    ompi_datatype_get_true_extent(type, &true_lb, &true_extent);
    return 0 == true_lb && (ptrdiff_t) size == extent && extent == true_extent;
}

/* Whether an alltoall needs its send side in the layout of its receive side. */
static bool bruck_mixes_layouts(const mca_coll_napcoll_module_t *napcoll,
                                const napcoll_binding_t *binding)
{
    /* below this size of a block, tuned's fixed rules choose Bruck */
    enum { LARGE = 2048 };
    size_t element;

    if (!NAPCOLL_COMPAT_BRUCK_MIXES_LAYOUTS || MPI_IN_PLACE == binding->sendbuf
        || binding->send_type == binding->datatype
        || (is_plain(binding->send_type) && is_plain(binding->datatype))) {
        return false;
    }
    ompi_datatype_type_size(binding->datatype, &element);
    return (element * binding->count < LARGE || napcoll_compat_is_set("tuned", "use_dynamic_rules"))
           && falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLTOALL);
}

static int fallback_alltoall(mca_coll_napcoll_module_t *napcoll, const napcoll_binding_t *binding)
{
    const size_t ranks = (size_t) ompi_comm_size(binding->comm);
    napcoll_binding_t call = *binding;
    ptrdiff_t gap = 0, span;
    char *copy;
    int rc;

    if (!bruck_mixes_layouts(napcoll, binding)) {
        return mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_ALLTOALL, binding);
    }
    span = opal_datatype_span(&binding->datatype->super, (int64_t) (ranks * binding->count), &gap);
    copy = malloc((size_t) span);
    if (NULL == copy) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    call.sendbuf = copy - gap;
    call.send_count = binding->count;
    call.send_type = binding->datatype;
    rc = napcoll_compat_copy_types(binding->sendbuf, ranks * binding->send_count,
                                   binding->send_type, copy - gap, ranks * binding->count,
                                   binding->datatype);
    if (OMPI_SUCCESS == rc) {
        rc = mca_coll_napcoll_fallback(napcoll, NAPCOLL_COLL_ALLTOALL, &call);
    }
    free(copy);
    return rc;
}

int mca_coll_napcoll_fallback_corrected(mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll,
                                        const napcoll_binding_t *binding)
{
    switch (coll) {
    case NAPCOLL_COLL_ALLREDUCE:
        return fallback_allreduce(napcoll, binding);
    case NAPCOLL_COLL_ALLGATHER:
        return fallback_allgather(napcoll, binding);
    case NAPCOLL_COLL_ALLGATHERV:
        return fallback_allgatherv(napcoll, binding);
    case NAPCOLL_COLL_ALLTOALL:
        return fallback_alltoall(napcoll, binding);
    default:
        return mca_coll_napcoll_fallback(napcoll, coll, binding);
    }
}
