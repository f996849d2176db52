/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Which nodes are unlike the others: the numbers of HeteroMPI's point-to-point model, from messages between pairs
 * of nodes. Pure: no MPI in here.
 *
 *     T_ij(M) = C_i + C_j + (t_i + t_j + 1 / beta_ij) M
 *
 * A line through the times of a pair has an intercept C_i + C_j, so three nodes, each pair of which is measured, tell
 * the C of each: C_i = (T_0i + T_ij - T_0j) / 2 at M = 0. Of the slope only the sum is known.
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI", 2007, section 3.
 */

#ifndef NAPCOLL_DELAYS_H
#define NAPCOLL_DELAYS_H

#include <stdbool.h>

#include "common/napcoll_robust.h"

/** A pair of nodes, and the line of half round trips between them, in seconds and bytes. */
typedef struct napcoll_pair {
    int one;
    int other;
    napcoll_line_t line;
} napcoll_pair_t;

/** What a node is like. */
typedef struct napcoll_delay {
    bool known;              /**< it is one of the pair with node 0, or is node 0 */
    double delay;            /**< C_i in seconds, with half of what the link takes by itself */
    double seconds_per_byte; /**< t_0 + t_i + 1 / beta_0i; 0 for node 0 */
    bool slow_start;         /**< C_i is not that of the others */
    bool slow_bytes;         /**< seconds_per_byte is not that of the others */
} napcoll_delay_t;

/**
 * Find out what nodes are like. C_i is the median of what the triples of nodes with pairs (0, i), (0, j) and (i, j)
 * tell; without such a triple, half of the intercept of (0, i). A node is unlike the others where its number is off
 * their median by a quarter, and by four standard deviations as the median absolute deviation tells them. Fewer
 * than four nodes have no others to be unlike.
 *
 * @param[in]  pair   [pairs] in any order; a pair without a line is ignored
 * @param[in]  pairs  how many
 * @param[in]  nodes  numbers in pairs are from 0 and below this
 * @param[out] delay  [nodes]
 *
 * @return 0; -1 where memory ran out
 */
int napcoll_delays(const napcoll_pair_t *pair, int personalized, int nodes, napcoll_delay_t *delay);

#endif /* NAPCOLL_DELAYS_H */
