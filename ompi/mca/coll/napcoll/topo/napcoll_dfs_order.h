/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The depth-first order from a root: the order in which messages that start at one process best go on from node to node.
 * Pure: no MPI in here.
 *
 * It is a depth-first depth-first order through the switch tree that begins at the root's switch: the root's node, the
 * others of its switch, those of the switches below, then those of the switch above and of its other
 * branches, and so on upwards. Every directed link lies between two neighbours of the depth-first order once at most,
 * so a chain along it never sends two messages over one link at the same time. Two switches below a third,
 * root on node 5:
 *
 *     switches    s0: nodes 0 1 2     s1: nodes 3 4 5     both below s2
 *     depth-first order        5 3 4 | 0 1 2
 *
 * Whole nodes at a time: their processes stand together, in the order of their lanes, on the root's node
 * the root first.
 *
 * "MPI: Going further" (course notes on collective communication), the contention-free mapping of the
 * linear pipeline; P. Patarasu, A. Faraj, X. Yuan: "Pipelined Broadcast on Ethernet Switched Clusters",
 * JPDC 68(6), 2008.
 */

#ifndef NAPCOLL_DFS_ORDER_H
#define NAPCOLL_DFS_ORDER_H

#include "topo/napcoll_node_map.h"

enum { NAPCOLL_DFS_ORDER_RUNS = 2 * NAPCOLL_MOST_SWITCH_DEPTH + 4 };

/** A run of the network's order (napcoll_node_map_network_order). */
typedef struct napcoll_dfs_order_run {
    int from;    /**< its first place in the network's order */
    int nodes;   /**< places, at least 1 */
    int node;    /**< nodes of the depth-first order before it */
    int process; /**< processes of the depth-first order before it */
} napcoll_dfs_order_run_t;

typedef struct napcoll_dfs_order {
    const napcoll_node_map_t *map; /**< borrowed */
    int root;                      /**< rank */
    int root_node;
    int root_lane;
    int pieces;
    napcoll_dfs_order_run_t piece[NAPCOLL_DFS_ORDER_RUNS];
} napcoll_dfs_order_t;

/** The depth-first order from a root. */
napcoll_dfs_order_t napcoll_dfs_order_from(const napcoll_node_map_t *map, int root);

/** The node at a place, 0 .. nodes - 1, of the depth-first order; the root's is at 0. */
int napcoll_dfs_order_node(const napcoll_dfs_order_t *dfs, int place);

/** A node's place in the depth-first order. */
int napcoll_dfs_order_place(const napcoll_dfs_order_t *dfs, int node);

/** The rank at a place, 0 .. size - 1, of the depth-first order through all processes; the root is at 0. */
int napcoll_dfs_order_rank(const napcoll_dfs_order_t *dfs, int place);

/** A rank's place in the depth-first order through all processes. */
int napcoll_dfs_order_rank_place(const napcoll_dfs_order_t *dfs, int rank);

/** The rank of the index-th process of a node: lanes in their order, but the root before the others. */
int napcoll_dfs_order_member(const napcoll_dfs_order_t *dfs, int node, int index);

/** A rank's index on its node. */
int napcoll_dfs_order_index(const napcoll_dfs_order_t *dfs, int rank);

#endif /* NAPCOLL_DFS_ORDER_H */
