/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * HeteroMPI's thresholds: block sizes between which flat gathers and scatters take longer than a
 * linear model says, and into how many pieces blocks are to be cut there. Pure: no MPI in here.
 *
 *     gather     from M1 to M2 messages that meet at the root's port may be lost, and wait for
 *                retransmission (escalations)
 *     scatter    from S on the time leaps
 *
 * A block of M bytes is cut into the m pieces for which M/m < M1 <= M/(m - 1), or S in its place.
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI",
 * sections 3 and 4.
 */

#ifndef NAPCOLL_THRESHOLDS_H
#define NAPCOLL_THRESHOLDS_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/napcoll_goal.h"

/** All in bytes of a rank's block. */
typedef struct napcoll_thresholds {
    /** 0, or more than gather_m2: gathers are never cut */
    size_t gather_m1;
    size_t gather_m2;
    /** 0: scatters are never cut */
    size_t scatter_s;
} napcoll_thresholds_t;

/** HeteroMPI's on the cluster of its section 5. */
extern const napcoll_thresholds_t napcoll_thresholds_default;

/** Into how many pieces blocks of least .. most bytes are cut. */
typedef struct napcoll_cut {
    int pieces;
    size_t least;
    size_t most;
} napcoll_cut_t;

/**
 * Into how many pieces blocks are cut.
 *
 * @param[in] thresholds   of the machine
 * @param[in] goal         of the collective; only gathers and scatters are cut
 * @param[in] bytes        of a block
 * @param[in] piece_bytes  of a piece at most, where the thresholds warn; 0: the thresholds decide
 */
napcoll_cut_t napcoll_thresholds_cut(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                                     size_t bytes, size_t piece_bytes);

/** Whether the thresholds warn of blocks of this size. */
bool napcoll_thresholds_warn(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                             size_t bytes);

/**
 * How many pieces may be under way at once where the thresholds warn: half of the bytes of which
 * they do not warn yet, but two pieces at least, so that the root never waits for an idle network.
 *
 * @param[in] thresholds  of the machine
 * @param[in] goal        of the gather or scatter
 * @param[in] ranks       of the communicator
 * @param[in] piece       its bytes, at least 1
 */
int napcoll_thresholds_window(const napcoll_thresholds_t *thresholds, napcoll_goal_t goal,
                              int ranks, size_t piece);

#endif /* NAPCOLL_THRESHOLDS_H */
