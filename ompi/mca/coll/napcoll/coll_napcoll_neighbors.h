/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The neighbours of a process on a communicator with a topology.
 */

#ifndef MCA_COLL_NAPCOLL_NEIGHBORS_H
#define MCA_COLL_NAPCOLL_NEIGHBORS_H

#include "coll_napcoll.h"

/** Find the neighbourhood of a process, which the module owns. Collective. */
int mca_coll_napcoll_find_neighbors(mca_coll_napcoll_module_t *module);

/**
 * Agree on the sizes of an uneven call. Collective.
 *
 * @param[in]     module    of the communicator, whose neighbourhood is known
 * @param[in]     coll      collective
 * @param[in]     sizes     of this process
 * @param[in,out] uneven    gets what the next calls rest on
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_agree_on_sizes(mca_coll_napcoll_module_t *module, napcoll_coll_t coll,
                                    napcoll_neighbor_sizes_t *sizes, napcoll_uneven_t *uneven);

void mca_coll_napcoll_release_neighbors(mca_coll_napcoll_module_t *module);

/** The bytes of a block; 0 of uneven calls. A process without in-neighbours has them from its send
 * side; one without any neighbour may have others, but sends nothing. */
size_t mca_coll_napcoll_neighbor_bytes(napcoll_coll_t coll, const napcoll_binding_t *binding);

#endif /* MCA_COLL_NAPCOLL_NEIGHBORS_H */
