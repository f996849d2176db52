/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcasts as routes (napcoll_route.h): member 0 of a group has the blocks, and the others get
 * them. They serve flat algorithms (the group is the communicator, along the depth-first order from the root), nodes
 * (one process of each) and lanes (one process of each node for a share of the vector).
 *
 *     members       0 1 2 3 4 5 6                                             arrives at stage
 *
 *     flat          0 -> 1 2 3 4 5 6                                          1
 *     binomial      0 -> 4    0 -> 2, 4 -> 6    0 -> 1, 2 -> 3, 4 -> 5        levels
 *     chain         0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6                           the member
 *     binary        0 -> 1 4    1 -> 2 3, 4 -> 5 6                            depth
 *
 * In all of them the members of a subtree stand side by side: where members follow the depth-first order through the
 * switches, few messages cross them.
 */

#ifndef NAPCOLL_BCAST_TREE_H
#define NAPCOLL_BCAST_TREE_H

#include "algo/napcoll_route.h"

/** Values of a tunable, of which 0 leaves it open. */
typedef enum {
    NAPCOLL_BCAST_TREE_OPEN,
    NAPCOLL_BCAST_TREE_FLAT,
    NAPCOLL_BCAST_TREE_BINOMIAL,
    NAPCOLL_BCAST_TREE_CHAIN,
    NAPCOLL_BCAST_TREE_BINARY,
    NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER, /**< blocks are scattered, then go round a ring */
    NAPCOLL_BCAST_TREES
} napcoll_bcast_tree_t;

/** What goes along; a scatter_allgather takes the blocks of its group instead, one for each member. */
typedef struct napcoll_load {
    int first; /**< block */
    int count; /**< blocks */
} napcoll_load_t;

/** Stages of a broadcast among so many, and messages that follow each other on the longest way. */
int napcoll_bcast_tree_stages(napcoll_bcast_tree_t cast, int members);

/** The first stage at which a member has all blocks, where member 0 has them at 0. */
int napcoll_bcast_tree_arrival(napcoll_bcast_tree_t cast, int members, int member);

/** The most messages that a member sends in one stage, where so many segments are on their way. */
int napcoll_bcast_tree_fanout(napcoll_bcast_tree_t cast, int members, int segments);

/**
 * Add a member's messages.
 *
 * @param[in,out] route  where to
 * @param[in]     group     who; of its blocks only a scatter_allgather makes use
 * @param[in]     cast      which; open: binomial
 * @param[in]     stage     the first one
 * @param[in]     load      what
 */
void napcoll_bcast_tree_among(napcoll_route_t *route, const napcoll_group_t *group,
                              napcoll_bcast_tree_t cast, int stage, napcoll_load_t load);

/** A tree along the balanced split by a radix, napcoll_split_levels(members, radix) stages, radix - 1
 * messages at once. */
void napcoll_bcast_tree_split(napcoll_route_t *route, const napcoll_group_t *group, int radix,
                              int stage, napcoll_load_t load);

/**
 * Scatter by halves, then allgather: round a ring, or by recursive doubling (for any number of members, in
 * their order). What a member has of the scatter is not sent to it again.
 *
 *     cost   log2(n) alpha + (n - 1)/n beta s, and the same again, the ring with (n - 1) alpha
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in MPICH",
 * 2005.
 *
 * @return the stage after the last
 */
int napcoll_bcast_tree_scatter_allgather(napcoll_route_t *route, const napcoll_group_t *group,
                                         int stage, bool ring);

/**
 * The plan of a broadcast: the root's vector from its buffer, the others' into theirs, in segments that
 * follow each other. Frees what the route holds.
 *
 * @param[in]     request   whose
 * @param[in,out] route  of one segment
 * @param[in]     blocks    of a segment
 *
 * @return the plan; NULL when memory ran out
 */
napcoll_plan_t *napcoll_bcast_tree_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                        int blocks);

/** Segments of a request, at least 1. */
static inline int napcoll_bcast_tree_segments(const napcoll_params_t *params)
{
    return params->segments > 1 ? params->segments : 1;
}

/** All processes, along the depth-first order. */
napcoll_group_t napcoll_bcast_tree_processes(const napcoll_dfs_order_t *dfs, int rank);

/** The index-th process of each node, nodes along the depth-first order; self is the node's place of this rank. */
napcoll_group_t napcoll_bcast_tree_nodes(const napcoll_dfs_order_t *dfs, int rank, int index);

/** The processes of this rank's node, in the order of napcoll_dfs_order_member. */
napcoll_group_t napcoll_bcast_tree_node(const napcoll_dfs_order_t *dfs, int rank);

#endif /* NAPCOLL_BCAST_TREE_H */
