/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Nodes that are unlike the others: the numbers of HeteroMPI's point-to-point model, from messages
 * between pairs of nodes. Pure: no MPI in here.
 *
 *     T_ij(M) = C_i + C_j + (t_i + t_j + 1 / beta_ij) M
 *
 * The line of a pair has the intercept C_i + C_j, so the three pairs of three nodes tell the C of
 * each: C_i = (T_0i + T_ij - T_0j) / 2 at M = 0. Of the slope only the sum is known.
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI",
 * 2007, section 3.
 */

#ifndef NAPCOLL_DELAYS_H
#define NAPCOLL_DELAYS_H

#include <stdbool.h>

#include "common/napcoll_robust.h"

/** A pair of nodes, and the line of half round trips between them, in seconds and bytes. */
typedef struct napcoll_node_pair {
    int one, other;
    napcoll_line_t line;
} napcoll_node_pair_t;

/** The numbers of a node. */
typedef struct napcoll_delay {
    /** it is in a pair with node 0, or is node 0 */
    bool known;
    /** C_i in seconds, with half of what the link adds */
    double delay;
    /** t_0 + t_i + 1 / beta_0i; 0 for node 0 */
    double seconds_per_byte;
    /** C_i, or seconds_per_byte, is unlike the other nodes' */
    bool slow_start, slow_bytes;
} napcoll_delay_t;

/**
 * Find the numbers of nodes. C_i is the median over all triples of nodes with pairs (0, i), (0, j)
 * and (i, j); without a triple, half of the intercept of (0, i). A node is unlike the others if its
 * number is off their median by a quarter, and by four standard deviations, by the median absolute
 * deviation. With fewer than four nodes none is.
 *
 * @param[in]  pair   [pairs] in any order; a pair without a line is ignored
 * @param[in]  nodes  pairs have nodes from 0 to nodes - 1
 * @param[out] delay  [nodes]
 *
 * @return 0; -1 when memory ran out
 */
int napcoll_delays(const napcoll_node_pair_t *pair, int pairs, int nodes, napcoll_delay_t *delay);

#endif /* NAPCOLL_DELAYS_H */
