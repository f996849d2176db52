/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The subcommunicator of a node's processes (see napcoll_discover.h).
 *
 * MPI_Finalize releases the remaining communicators by index, and a subcommunicator can have a
 * lower index than its parent. So it has one reference more: MPI_Finalize and the end of the parent
 * release one each, and the second destroys it.
 */

#include "topo/napcoll_discover.h"

int napcoll_subcomm_node(ompi_communicator_t *comm, const napcoll_node_map_t *map,
                         ompi_communicator_t **node_comm)
{
    const int rank = ompi_comm_rank(comm);
    opal_info_t info;
    int rc;

    *node_comm = NULL;
    OBJ_CONSTRUCT(&info, opal_info_t);
    rc = opal_info_set(&info, "ompi_comm_coll_preference", "^napcoll");
    if (OPAL_SUCCESS == rc) {
        rc = ompi_comm_split_with_info(comm, napcoll_node_map_node(map, rank), rank, &info,
                                       node_comm, false);
    }
    OBJ_DESTRUCT(&info);
    if (OMPI_SUCCESS == rc) {
        OBJ_RETAIN(*node_comm);
        rc = napcoll_compat_tie(comm, *node_comm);
    }
    return rc;
}

void napcoll_subcomm_free(ompi_communicator_t **node_comm)
{
    ompi_communicator_t *comm = *node_comm;
    int index;

    if (NULL == comm) {
        return;
    }
    napcoll_compat_untie(comm);
    index = (int) napcoll_compat_comm_id(comm);
    (void) ompi_comm_free(node_comm);
    *node_comm = NULL;
    if (comm == opal_pointer_array_get_item(&ompi_mpi_communicators, index)) {
        OBJ_RELEASE(comm);
    }
}
