/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The walk from a root: the order in which messages that start at one process best go on from node to node.
 * Pure: no MPI in here.
 *
 * It is a depth-first walk through the switch tree that begins at the root's switch: the root's node, the
 * others of its switch, those of the switches below, then those of the switch above and of its other
 * branches, and so on upwards. Every directed link lies between two neighbours of the walk once at most,
 * so a chain along it never sends two messages over one link at the same time. Two switches below a third,
 * root on node 5:
 *
 *     switches    s0: nodes 0 1 2     s1: nodes 3 4 5     both below s2
 *     walk        5 3 4 | 0 1 2
 *
 * Whole nodes at a time: their processes stand together, in the order of their lanes, on the root's node
 * the root first.
 *
 * "MPI: Going further" (course notes on collective communication), the contention-free mapping of the
 * linear pipeline; P. Patarasu, A. Faraj, X. Yuan: "Pipelined Broadcast on Ethernet Switched Clusters",
 * JPDC 68(6), 2008.
 */

#ifndef NAPCOLL_WALK_H
#define NAPCOLL_WALK_H

#include "topo/napcoll_node_map.h"

enum { NAPCOLL_WALK_PIECES = 2 * NAPCOLL_MOST_SWITCH_DEPTH + 4 };

/** A run of the network's order (napcoll_node_map_along). */
typedef struct napcoll_walk_piece {
    int from;    /**< its first place in the network's order */
    int nodes;   /**< places, at least 1 */
    int node;    /**< nodes of the walk before it */
    int process; /**< processes of the walk before it */
} napcoll_walk_piece_t;

typedef struct napcoll_walk {
    const napcoll_node_map_t *map; /**< borrowed */
    int root;                      /**< rank */
    int root_node;
    int root_lane;
    int pieces;
    napcoll_walk_piece_t piece[NAPCOLL_WALK_PIECES];
} napcoll_walk_t;

/** The walk from a root. */
napcoll_walk_t napcoll_walk_from(const napcoll_node_map_t *map, int root);

/** The node at a place, 0 .. nodes - 1, of the walk; the root's is at 0. */
int napcoll_walk_node(const napcoll_walk_t *walk, int place);

/** A node's place in the walk. */
int napcoll_walk_place(const napcoll_walk_t *walk, int node);

/** The rank at a place, 0 .. size - 1, of the walk through all processes; the root is at 0. */
int napcoll_walk_rank(const napcoll_walk_t *walk, int place);

/** A rank's place in the walk through all processes. */
int napcoll_walk_rank_place(const napcoll_walk_t *walk, int rank);

/** The rank of the index-th process of a node: lanes in their order, but the root before the others. */
int napcoll_walk_member(const napcoll_walk_t *walk, int node, int index);

/** A rank's index on its node. */
int napcoll_walk_index(const napcoll_walk_t *walk, int rank);

#endif /* NAPCOLL_WALK_H */
