/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The structure of an algorithm: its messages and bytes, which hold on any machine. Pure: no MPI in
 * here.
 *
 * On a machine that was not measured the model's numbers may be far off. So auto takes an
 * algorithm there only if its structure is no worse than the structure of a reference, which any
 * MPI library
 * has:
 *
 *     allreduce, scan, exscan, barrier         recursive doubling
 *     allgather, reduce_scatter                recursive doubling of blocks, recursive halving
 *     bcast, reduce, gather, scatter           a binomial tree
 *     gatherv, scatterv                        a message for each block
 *     alltoall                                 pairwise exchange
 *
 * The size of a call is the mean message of its reference. Up to 4 KiB the messages decide, above
 * 64 KiB the bytes, in between either may. On nodes with more processes than processors messages
 * decide up to 64 KiB, and all messages of a node count, because its processors handle them one
 * after the other. If there is but one such node, steps count: at each of them a process waits for
 * others, which need its processor first; messages through node memory take little of it.
 */

#ifndef NAPCOLL_STRUCTURE_H
#define NAPCOLL_STRUCTURE_H

#include "algo/napcoll_algo.h"

typedef struct napcoll_structure {
    /** of one process to, or from, other nodes: the most */
    double messages;
    /** that the processes of one node send and receive, inside the node as well: the most */
    double node_messages;
    /** that one node sends to, or receives from, others: the most, where a call has 1 byte */
    double node_bytes;
    /** stages of one process that have messages: the most */
    double steps;
} napcoll_structure_t;

/**
 * The structure of the reference, in closed form, on contiguous nodes of map->max_ppn processes.
 *
 * @param[in]  collective     its table
 * @param[in]  map            the communicator's
 * @param[out] message_bytes  its mean message, where a call has 1 byte
 */
napcoll_structure_t napcoll_structure_reference(const napcoll_collective_t *collective,
                                                const napcoll_node_map_t *map,
                                                double *message_bytes);

/**
 * Whether an algorithm's structure is no worse than the reference's: in the plans of all ranks up
 * to 256 ranks, else of 4 processes on each of 4 nodes and of the root's node. Phases that another
 * component does count as no messages.
 *
 * @param[in]  args            of the plans; rank does not matter
 * @param[in]  bytes           of the call: of the vector, or of a rank's block
 * @param[in]  oversubscribed  nodes have more processes than processors
 * @param[out] suits           the same on all ranks if args->map comes from napcoll_plan_cost_map
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_structure_check(const napcoll_plan_args_t *args, size_t bytes, bool oversubscribed,
                            bool *suits);

#endif /* NAPCOLL_STRUCTURE_H */
