/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Round the faults of tuned; see coll_napcoll_faults.h. Most calls are over after a look at a type.
 */

#include "coll_napcoll_faults.h"

#include <stdlib.h>

/* Whether tuned holds the slot behind napcoll, by whatever rules it decides. */
static bool falls_back_to_tuned(const mca_coll_napcoll_module_t *napcoll, napcoll_coll_t coll)
{
    return napcoll_compat_is_tuned(napcoll->comm, napcoll->fallback[coll].module);
}

/* ---- allreduce ---- */

bool mca_coll_napcoll_allreduce_overflows(const mca_coll_napcoll_module_t *napcoll,
                                          ompi_datatype_t *datatype)
{
    ptrdiff_t true_lb, true_extent;

    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    return OPAL_UNLIKELY(0 != true_lb) && falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLREDUCE);
}

int mca_coll_napcoll_allreduce_in_two(mca_coll_napcoll_module_t *napcoll, ALLREDUCE_ARGS)
{
    const napcoll_saved_function_t *reduce = &napcoll->fallback[NAPCOLL_COLL_REDUCE];
    const napcoll_saved_function_t *bcast = &napcoll->fallback[NAPCOLL_COLL_BCAST];
    const bool root = 0 == ompi_comm_rank(comm);
    const void *input = MPI_IN_PLACE == sendbuf && !root ? recvbuf : sendbuf;
    int rc;

    (void) module;
    rc = ((mca_coll_base_module_reduce_fn_t) reduce->function)(
        input, root ? recvbuf : NULL, count, datatype, op, 0, comm, reduce->module);
    return OMPI_SUCCESS != rc ? rc
                              : ((mca_coll_base_module_bcast_fn_t) bcast->function)(
                                  recvbuf, count, datatype, 0, comm, bcast->module);
}

/* ---- alltoall ---- */

/* Whether elements lie one behind the other, from the address on. */
static bool is_plain(ompi_datatype_t *type)
{
    ptrdiff_t lb, extent, true_lb, true_extent;
    size_t size;

    ompi_datatype_type_size(type, &size);
    ompi_datatype_get_extent(type, &lb, &extent);
    ompi_datatype_get_true_extent(type, &true_lb, &true_extent);
    return 0 == true_lb && (ptrdiff_t) size == extent && extent == true_extent;
}

int mca_coll_napcoll_alltoall_copy(const mca_coll_napcoll_module_t *napcoll,
                                   const mca_coll_napcoll_blocks_t *send,
                                   const mca_coll_napcoll_blocks_t *recv, size_t bytes, void **copy,
                                   const void **base)
{
    /* By its fixed rules tuned uses Bruck below that. */
    enum { LARGE = 2048 };
    const size_t ranks = (size_t) ompi_comm_size(napcoll->comm);
    ptrdiff_t span, gap = 0;
    char *room;
    int rc;

    *copy = NULL;
    if (!NAPCOLL_COMPAT_BRUCK_MIXES_LAYOUTS || MPI_IN_PLACE == send->buffer
        || send->type == recv->type || (is_plain(send->type) && is_plain(recv->type))
        || (bytes >= LARGE && !napcoll_compat_is_set("tuned", "use_dynamic_rules"))
        || !falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLTOALL)) {
        return OMPI_SUCCESS;
    }
    span = opal_datatype_span(&recv->type->super, (int64_t) (ranks * recv->count), &gap);
    room = malloc((size_t) span);
    if (NULL == room) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = napcoll_compat_copy_types(send->buffer, ranks * send->count, send->type, room - gap,
                                   ranks * recv->count, recv->type);
    if (OMPI_SUCCESS != rc) {
        free(room);
        return rc;
    }
    *copy = room;
    *base = room - gap;
    return OMPI_SUCCESS;
}

/* ---- allgatherv ---- */

bool mca_coll_napcoll_allgatherv_differs(const mca_coll_napcoll_module_t *napcoll,
                                         const void *sendbuf, ompi_datatype_t *sendtype,
                                         ompi_datatype_t *recvtype)
{
    size_t sent, received;

    if (MPI_IN_PLACE == sendbuf) {
        return false; /* it takes the type of the receive side */
    }
    ompi_datatype_type_size(sendtype, &sent);
    ompi_datatype_type_size(recvtype, &received);
    return OPAL_UNLIKELY(sent != received) && falls_back_to_tuned(napcoll, NAPCOLL_COLL_ALLGATHERV);
}
