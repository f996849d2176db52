/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Groups: the processes that take part in a step of an algorithm, and the tree over a group.
 *
 * A group's members are numbered 0 .. members - 1; the group knows their ranks, and which blocks
 * each of them contributes where blocks are gathered. Three nodes of two processes, placed
 * cyclically:
 *
 *                     node 0    node 1    node 2
 *     ranks           0 3       1 4       2 5        members in rank order    0 1 2 3 4 5
 *     places          0 1       2 3       4 5        in node order            0 3 1 4 2 5
 *     leaders         0         1         2          one process of each node
 *     node            0 1                            the processes of one node
 *     lane 1            0         1         2        the lane-1 process of each node
 *
 * The tree of a group follows the balanced split (napcoll_split.h): on each level the head of a
 * group exchanges messages with the heads of the group's other parts. The head is the root where it
 * is in the group, else the first member. Radix 2, 7 members, root 5:
 *
 *     level 1   [0 1] [2 3] [4 5] [6]     1 - 0   3 - 2   4 - 5
 *     level 2   [0 1   2 3] [4 5   6]     2 - 0   6 - 5
 *     level 3   [0 1 2 3     4 5 6  ]     0 - 5
 *
 * Read upwards it gathers or reduces, read downwards it broadcasts or scatters. Root 0 gives the
 * binomial tree; a radix of the number of members gives the flat tree.
 */

#ifndef NAPCOLL_GROUP_H
#define NAPCOLL_GROUP_H

#include "algo/napcoll_algo.h"
#include "algo/pattern/napcoll_split.h"
#include "plan/napcoll_scope.h"
#include "topo/napcoll_dfs_order.h"

typedef struct napcoll_group {
    int members;
    /** This process; at least `members` where it takes no part. */
    int self;
    /** The member that is the root of the group's tree. */
    int root;
    /** Of the tree and of recursive multiplying, at least 2. */
    int radix;
    /** Rank of a member in the communicator. */
    int (*rank)(const struct napcoll_group *group, int member);
    /** First block of a member; of member `members` the end of the last one's. NULL: base +
     * member. */
    int (*first)(const struct napcoll_group *group, int member);
    /** A run of members round the end is one message: the buffer of all blocks begins with the own
     * block. Else it is two messages. */
    bool cyclic;
    /** First block of member 0, where `first` is NULL. */
    int base;
    /** The next four are for `rank` and `first`. */
    const napcoll_node_map_t *map;
    const napcoll_dfs_order_t *dfs;
    int node;
    int lane;
    /** Another component carries out its collectives, where it has all members of the scope. */
    bool delegated;
    napcoll_scope_t scope;
} napcoll_group_t;

/* Of each group of the collective's processes the root is the process closest to the collective's
 * root; a collective without a root has root rank 0. */

/** All ranks, in rank order. */
napcoll_group_t napcoll_group_ranks(const napcoll_plan_args_t *args, int radix);

/** All ranks, in node order; block m is member m's. */
napcoll_group_t napcoll_group_places(const napcoll_plan_args_t *args);

/** One process of each node, in node order: the root, or the leader; only these may use it. The
 * radix is napcoll_params_radix of the arguments. Where the group is delegated, it has no root
 * besides the leader of the root's node. */
napcoll_group_t napcoll_group_leaders(const napcoll_plan_args_t *args);

/** Bounds of plans in which leaders exchange messages with radix - 1 others at once, and the
 * processes of a node follow its tree. */
napcoll_bounds_t napcoll_group_leaders_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);

/** The process at this rank's lane of each node, in node order. */
napcoll_group_t napcoll_group_lane(const napcoll_plan_args_t *args);

/** The processes of this rank's node, leader first, in the order of the hardware; in lane order
 * where the operation does not commute. The radix is local_radix. */
napcoll_group_t napcoll_group_node(const napcoll_plan_args_t *args);

/** The same in lane order, from lane `first` on, round the end. Member 0's block is the node's
 * first. */
napcoll_group_t napcoll_group_node_lanes(const napcoll_plan_args_t *args, int first);

/** All ranks in depth-first order from the root. */
napcoll_group_t napcoll_group_dfs(const napcoll_dfs_order_t *dfs, int rank);

/** The index-th process of each node, nodes in depth-first order; self is this rank's node. */
napcoll_group_t napcoll_group_dfs_nodes(const napcoll_dfs_order_t *dfs, int rank, int index);

/** The processes of this rank's node, in the order of napcoll_dfs_order_member. */
napcoll_group_t napcoll_group_dfs_node(const napcoll_dfs_order_t *dfs, int rank, int radix);

/** The process that serves a lane of a node: nodes of fewer processes have several lanes for
 * one. */
static inline int napcoll_lane_server(const napcoll_node_map_t *map, int node, int lane)
{
    return napcoll_node_map_rank(map, node, lane % napcoll_node_map_ppn(map, node));
}

/** Let another component carry out a group's collectives where the arguments say so. Its members
 * are in the order of the scope's, or reductions among them commute. */
void napcoll_group_delegate(napcoll_group_t *group, const napcoll_plan_args_t *args,
                            napcoll_scope_t scope);

/** Whether another component carries out the group's collectives, as phases. */
bool napcoll_group_is_delegated(const napcoll_group_t *group);

/** Add a phase of a group that is delegated, in a stage of its own; of a member. */
void napcoll_group_phase(napcoll_builder_t *builder, const napcoll_group_t *group,
                         napcoll_phase_t phase, napcoll_span_t dst, napcoll_span_t left);

/** First block of a member. */
static inline int napcoll_group_first(const napcoll_group_t *group, int member)
{
    return NULL == group->first ? group->base + member : group->first(group, member);
}

/** One level of a group's tree, as this process takes part in it. */
typedef struct napcoll_tree_level {
    napcoll_split_t split;
    /** Member that is the head of the group on this level. */
    int head;
    /** This process is the head: it exchanges messages with the heads of all other parts. */
    bool is_head;
    /** This process is the head of another part: it exchanges a message with the head. */
    bool is_child;
} napcoll_tree_level_t;

static inline int napcoll_tree_levels(const napcoll_group_t *group)
{
    return napcoll_split_levels(group->members, group->radix);
}

/** A level, 1 .. napcoll_tree_levels. */
napcoll_tree_level_t napcoll_tree_level(const napcoll_group_t *group, int level);

/** Members of the subtree of which this process is the head, itself included. */
int napcoll_tree_subtree(const napcoll_group_t *group);

/** The step of a broadcast down the tree in which this process receives, from 1 on; 0 at the
 * root. */
int napcoll_tree_arrival(const napcoll_group_t *group);

#endif /* NAPCOLL_GROUP_H */
