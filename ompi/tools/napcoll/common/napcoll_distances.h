/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the way through the switches costs: one pair of nodes for each number of switches that lie between two nodes
 * of a job, and what messages between them take. Pure: no MPI in here.
 *
 *             s2            nodes 0 and 2: the switch s0 between them, distance 1
 *           .'  '.          nodes 0 and 1: s0, s2, s1, distance 3
 *         s0      s1
 *        0  2    1  3
 *
 * A machine has one latency for the network. Pairs by distance say how far that is from the truth, and whether a switch
 * tree is that of the machine: a farther pair is not to be faster than a nearer one.
 */

#ifndef NAPCOLL_DISTANCES_H
#define NAPCOLL_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/napcoll_timings.h"
#include "topo/napcoll_switch_tree.h"

/** Distances that a tree can have: from one switch to the way up to the root and down again. */
enum { NAPCOLL_MOST_DISTANCES = 2 * NAPCOLL_MOST_SWITCH_DEPTH - 1 };

/** The sizes of half round trips between a pair: a small one for the latency, and two for the rate. */
enum { NAPCOLL_DISTANCE_SIZES = 3 };

/** A pair of nodes, and what messages between them take. Errors are two standard errors; NAN with one turn. */
typedef struct napcoll_distance {
    int switches; /**< on the way, at least 1; one without a name joins trees that nothing else does */
    int one;      /**< node of the job */
    int other;    /**< node of the job, above one */
    int turns;    /**< that the numbers below rest on; 0: there are none */
    double latency;       /**< of a small message, in seconds */
    double latency_error; /**< in seconds */
    double
        rate; /**< of large messages, in bytes per second; 0: the larger took no longer than the smaller */
    double rate_error; /**< in bytes per second */
} napcoll_distance_t;

/**
 * How many switches lie on the way between two nodes of a tree, those that the nodes hang on among them.
 *
 * @param[in] node, other  nodes of the tree, not the same
 */
int napcoll_distances_between(const napcoll_switch_tree_t *tree, int node, int other);

/**
 * Choose a pair for each distance: the first one in the order of nodes.
 *
 * @param[in]  tree      the switches
 * @param[in]  spot      [nodes] the tree's node that each node of a job is, each another one
 * @param[in]  nodes     of the job
 * @param[out] distance  ascending in switches, without times
 *
 * @return how many distances; -1 where memory ran out
 */
int napcoll_distances_choose(const napcoll_switch_tree_t *tree, const int *spot, int nodes,
                             napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES]);

/**
 * What messages between a pair take: of each turn the lower quartile for each size, of all turns the median. The rate is
 * that of the bytes by which the last size is larger than the one before.
 *
 * @param[in]     timings   half round trips, of these sizes and perhaps others
 * @param[in]     bytes     ascending
 * @param[in,out] distance  the pair; its times are set. Turns without some size do not count
 *
 * @return 0; -1 where memory ran out
 */
int napcoll_distances_measure(const napcoll_timings_t *timings,
                              const size_t bytes[NAPCOLL_DISTANCE_SIZES],
                              napcoll_distance_t *distance);

/** Whether the pair that should be farther has the lower latency, by more than both errors together. No where an error is
 * not known. */
bool napcoll_distances_contradict(const napcoll_distance_t *nearer,
                                  const napcoll_distance_t *farther);

#endif /* NAPCOLL_DISTANCES_H */
