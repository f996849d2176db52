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

void mca_coll_napcoll_release_neighbors(mca_coll_napcoll_module_t *module);

/** The bytes of a block; 0 of uneven calls. A process without in-neighbours has them from its send
 * side; one without any neighbour may have others, but sends nothing. */
size_t mca_coll_napcoll_neighbor_bytes(napcoll_coll_t coll, const napcoll_binding_t *binding);

#endif /* MCA_COLL_NAPCOLL_NEIGHBORS_H */
