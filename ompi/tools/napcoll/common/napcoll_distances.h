/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Latency and rate by the number of switches between two nodes: one pair of nodes for each number.
 * Pure: no MPI in here.
 *
 *             s2            nodes 0 and 2: the switch s0 between them, distance 1
 *           .'  '.          nodes 0 and 1: s0, s2, s1, distance 3
 *         s0      s1
 *        0  2    1  3
 *
 * A machine has one latency for the network. The pairs show how good that is, and whether a switch
 * tree describes this network: a farther pair should not be faster than a nearer one.
 */

#ifndef NAPCOLL_DISTANCES_H
#define NAPCOLL_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/napcoll_timings.h"
#include "topo/napcoll_switch_tree.h"

enum {
    /** distances of a tree: from one switch to all on the path up to the root and down again */
    NAPCOLL_MOST_DISTANCES = 2 * NAPCOLL_MOST_SWITCH_DEPTH - 1,
    /** sizes of half round trips: a small one for the latency, two large ones for the rate */
    NAPCOLL_DISTANCE_SIZES = 3
};

/** A pair of nodes, and the times of messages between them. */
typedef struct napcoll_distance {
    /** between the two, at least 1; also one without a name, that only joins trees */
    int switches;
    /** nodes of the job, one < other */
    int one, other;
    /** turns that the numbers below rest on; 0: there are none */
    int turns;
    /** of a small message, in seconds, with two standard errors; NAN with one turn */
    double latency, latency_error;
    /** of large messages, in bytes per second; 0: the larger one took no longer */
    double rate, rate_error;
} napcoll_distance_t;

/** The switches on the path between two different nodes of a tree, with the switches of the two
 * nodes. */
int napcoll_distances_between(const napcoll_switch_tree_t *tree, int node, int other);

/**
 * Choose a pair for each distance: the first one in the order of nodes.
 *
 * @param[in]  tree      the switches
 * @param[in]  spot      [nodes] node of the tree, by node of the job
 * @param[in]  nodes     of the job
 * @param[out] distance  ascending in switches, without times
 *
 * @return how many distances; -1 when memory ran out
 */
int napcoll_distances_choose(const napcoll_switch_tree_t *tree, const int *spot, int nodes,
                             napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES]);

/**
 * Set the latency and the rate of a pair: medians, over all turns that have all sizes, of the lower
 * quartile of each turn. The rate is of the bytes by which the last size exceeds the one
 * before.
 *
 * @param[in]     timings   half round trips of these sizes, and perhaps of others
 * @param[in]     bytes     ascending
 * @param[in,out] distance  the pair
 *
 * @return 0; -1 when memory ran out
 */
int napcoll_distances_measure(const napcoll_timings_t *timings,
                              const size_t bytes[NAPCOLL_DISTANCE_SIZES],
                              napcoll_distance_t *distance);

/** Whether the pair that should be farther has the lower latency, by more than both errors
 * together. False if an error is unknown. */
bool napcoll_distances_contradict(const napcoll_distance_t *nearer,
                                  const napcoll_distance_t *farther);

#endif /* NAPCOLL_DISTANCES_H */
