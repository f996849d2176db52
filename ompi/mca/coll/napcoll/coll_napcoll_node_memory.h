/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The memory that a communicator's processes on a node share (exec/napcoll_mailbox.h): when it is
 * made, and who uses it. coll_napcoll_node_memory.c.
 */

#ifndef MCA_COLL_NAPCOLL_NODE_MEMORY_H
#define MCA_COLL_NAPCOLL_NODE_MEMORY_H

#include "coll_napcoll.h"

/** Whether a call takes large rings, where there are some; the same on all ranks. */
static inline bool mca_coll_napcoll_takes_large_rings(const napcoll_call_t *call)
{
    return call->bytes > NAPCOLL_RING_MOST
           && napcoll_goal_suits_node_memory(mca_coll_napcoll_collectives[call->coll]->goal);
}

/**
 * Count a call that may wait, the same on all ranks, and make the communicator's node memory, or
 * its large rings, when their time has come. The nodes are known.
 *
 * @param[in,out] module  of the communicator
 * @param[in]     large   the call takes large rings
 *
 * @return OMPI_SUCCESS or an error
 */
int mca_coll_napcoll_make_node_memory(mca_coll_napcoll_module_t *module, bool large);

/** Let the operation of a call use node memory, if the communicator has it. Returns OMPI_SUCCESS,
 * or an error where an operation before has left messages in it. */
int mca_coll_napcoll_use_node_memory(const mca_coll_napcoll_module_t *module,
                                     const napcoll_call_t *call, napcoll_kind_t kind,
                                     napcoll_operation_t *operation);

/** The region of a communicator; NULL: it has no node memory. */
napcoll_region_t *mca_coll_napcoll_region(const mca_coll_napcoll_module_t *module);

/** Free it, when the communicator ends. */
void mca_coll_napcoll_release_node_memory(mca_coll_napcoll_module_t *module);

#endif /* MCA_COLL_NAPCOLL_NODE_MEMORY_H */
