/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The depth-first order of nodes and processes from a root, in which messages best travel from node
 * to node. Pure: no MPI in here.
 *
 * It begins at the root's switch: the root's node, the other nodes of that switch, the switches
 * below it, then the switch above and its other branches, and so on upwards. Every directed link
 * lies between two neighbours of the order at most once, so a chain in this order never sends two
 * messages over one link at the same time. Two switches below a third, the root on node 5:
 *
 *     switches             s0: nodes 0 1 2     s1: nodes 3 4 5     both below s2
 *     depth-first order    5 3 4 | 0 1 2
 *
 * The processes of a node follow one another by their lanes; on the root's node the root is first.
 *
 * "MPI: Going further" (course notes on collective communication), the contention-free mapping of
 * the linear pipeline; P. Patarasu, A. Faraj, X. Yuan: "Pipelined Broadcast on Ethernet Switched
 * Clusters", JPDC 68(6), 2008.
 */

#ifndef NAPCOLL_DFS_ORDER_H
#define NAPCOLL_DFS_ORDER_H

#include "topo/napcoll_node_map.h"

enum { NAPCOLL_DFS_ORDER_RUNS = 2 * NAPCOLL_MOST_SWITCH_DEPTH + 4 };

/** A part of the network's order (napcoll_node_map_network_order) that the order contains
 * unchanged. */
typedef struct napcoll_dfs_order_run {
    /** its first place in the network's order */
    int from;
    /** places, at least 1 */
    int nodes;
    /** nodes of the depth-first order before it */
    int node;
    /** processes of the depth-first order before it */
    int process;
} napcoll_dfs_order_run_t;

typedef struct napcoll_dfs_order {
    /** borrowed */
    const napcoll_node_map_t *map;
    /** rank */
    int root;
    int root_node;
    int root_lane;
    int runs;
    napcoll_dfs_order_run_t run[NAPCOLL_DFS_ORDER_RUNS];
} napcoll_dfs_order_t;

/** The depth-first order from a root. */
napcoll_dfs_order_t napcoll_dfs_order_from(const napcoll_node_map_t *map, int root);

/** The node at a place, 0 .. nodes - 1; the root's node is at 0. */
int napcoll_dfs_order_node(const napcoll_dfs_order_t *dfs, int place);

/** A node's place. */
int napcoll_dfs_order_place(const napcoll_dfs_order_t *dfs, int node);

/** The rank at a place, 0 .. size - 1, in the order of all processes; the root is at 0. */
int napcoll_dfs_order_rank(const napcoll_dfs_order_t *dfs, int place);

/** A rank's place in the order of all processes. */
int napcoll_dfs_order_rank_place(const napcoll_dfs_order_t *dfs, int rank);

/** The rank of the index-th process of a node: by lane, but the root first. */
int napcoll_dfs_order_member(const napcoll_dfs_order_t *dfs, int node, int index);

/** A rank's index on its node. */
int napcoll_dfs_order_index(const napcoll_dfs_order_t *dfs, int rank);

#endif /* NAPCOLL_DFS_ORDER_H */
