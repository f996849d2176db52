/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The choice for neighbourhood collectives: no rank knows the plans of others, so the estimate
 * rests on what all ranks have agreed on, the most that any process sends or receives. Pure: no MPI
 * in here.
 *
 *     between nodes   alpha + max((m - 1) g, (b - b/m) beta, the same of the node)
 *     inside          stages alpha_l + (m_l - 1) 2 o + b_l beta_l
 *     processors      M_l max(g_l, G s_l) + M max(g, s / R) where processes share them
 *
 * m messages of b bytes of a process, M of a node, each of s bytes. Direct messages are all under
 * way together; coalesced ones in three stages, one after the other. The processors of a node
 * handle one message after the other, as in the simulation of plans. Blocks of uneven calls that
 * are too large to be forwarded are direct in both rows.
 */

#ifndef NAPCOLL_NEIGHBOR_H
#define NAPCOLL_NEIGHBOR_H

#include "algo/napcoll_algo.h"
#include "model/napcoll_machine.h"

/** Of uneven calls: larger blocks go straight to their ranks, where users do not say. */
enum { NAPCOLL_NEIGHBOR_INLINE_BYTES = 4096 };

/** The sizes of a call: what one process sends or receives, the larger of both, and the most of all
 * processes where they have agreed on it. All of int64_t, so that processes send it. */
typedef struct napcoll_neighbor_sizes {
    /** bytes to or from other nodes, of blocks that may be forwarded */
    int64_t bytes;
    /** blocks to or from other nodes that are too large for that, and their bytes */
    int64_t large_blocks;
    int64_t large_bytes;
    /** bytes inside the node */
    int64_t local_bytes;
} napcoll_neighbor_sizes_t;

enum { NAPCOLL_NEIGHBOR_SIZES = sizeof(napcoll_neighbor_sizes_t) / sizeof(int64_t) };

/** What the rows of a collective send, [NAPCOLL_NEIGHBOR_ROWS]. */
static inline const napcoll_neighbor_load_t *napcoll_neighbor_loads(
    const napcoll_collective_t *collective, const napcoll_neighborhood_t *neighborhood)
{
    return neighborhood->load[NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == collective->goal];
}

/** The sizes of a call whose blocks all have some bytes. */
napcoll_neighbor_sizes_t napcoll_neighbor_even_sizes(const napcoll_neighbor_load_t *load,
                                                     size_t bytes);

/** The mean block that may be forwarded, rounded up. */
size_t napcoll_neighbor_mean(const napcoll_neighbor_load_t *load,
                             const napcoll_neighbor_sizes_t *sizes);

/**
 * Estimate a call.
 *
 * @param[in] machine  the machine
 * @param[in] load     [NAPCOLL_NEIGHBOR_ROWS] of the goal
 * @param[in] row      of the table
 * @param[in] sizes    of the call
 *
 * @return microseconds
 */
double napcoll_neighbor_cost_us(const napcoll_machine_t *machine,
                                const napcoll_neighbor_load_t *load, int row,
                                const napcoll_neighbor_sizes_t *sizes);

/** Whether coalescing can help at all on any machine: it sends fewer messages between nodes, of one
 * process or of a node. */
bool napcoll_neighbor_saves(const napcoll_neighbor_load_t *load);

#endif /* NAPCOLL_NEIGHBOR_H */
