/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The subcommunicators that carry out phases: a node's processes, and the leaders (see
 * napcoll_discover.h).
 *
 * MPI_Finalize releases the remaining communicators by index, and a subcommunicator can have a
 * lower index than its parent. So it has one reference more: MPI_Finalize and the end of the parent
 * release one each, and the second destroys it.
 */

#include "plan/napcoll_scope.h"
#include "topo/napcoll_discover.h"

int napcoll_subcomm_make(ompi_communicator_t *comm, const napcoll_node_map_t *map,
                         napcoll_scope_t scope, ompi_communicator_t **subcomm)
{
    const int rank = ompi_comm_rank(comm), member = napcoll_scope_member(map, scope, rank);
    /* the members of a scope share their member 0 */
    const int color = member < 0 ? MPI_UNDEFINED : napcoll_scope_rank(map, scope, rank, 0);
    opal_info_t info;
    int rc;

    *subcomm = NULL;
    OBJ_CONSTRUCT(&info, opal_info_t);
    rc = opal_info_set(&info, "ompi_comm_coll_preference", "^napcoll");
    if (OPAL_SUCCESS == rc) {
        rc = ompi_comm_split_with_info(comm, color, member, &info, subcomm, false);
    }
    OBJ_DESTRUCT(&info);
    if (OMPI_SUCCESS == rc && MPI_UNDEFINED != color) {
        OBJ_RETAIN(*subcomm);
        rc = napcoll_compat_tie(comm, *subcomm);
    }
    if (MPI_UNDEFINED == color) {
        /* it is MPI_COMM_NULL */
        *subcomm = NULL;
    }
    return rc;
}

void napcoll_subcomm_free(ompi_communicator_t **subcomm)
{
    ompi_communicator_t *comm = *subcomm;
    int index;

    if (NULL == comm) {
        return;
    }
    napcoll_compat_untie(comm);
    index = (int) napcoll_compat_comm_id(comm);
    (void) ompi_comm_free(subcomm);
    *subcomm = NULL;
    if (comm == opal_pointer_array_get_item(&ompi_mpi_communicators, index)) {
        OBJ_RELEASE(comm);
    }
}
