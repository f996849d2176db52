/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcasts as routes (napcoll_route.h): member 0 of a group has the blocks, and the others get
 * them. They serve flat algorithms (all ranks in depth-first order from the root), nodes (one
 * process of each) and lanes (one process of each node for a share of the vector).
 *
 *     members       0 1 2 3 4 5 6                                             arrives at stage
 *
 *     flat          0 -> 1 2 3 4 5 6                                          1
 *     binomial      0 -> 4    0 -> 2, 4 -> 6    0 -> 1, 2 -> 3, 4 -> 5        level of the tree
 *     knomial       0 -> 2 4 6    0 -> 1, 2 -> 3, 4 -> 5                      level of the tree
 *     chain         0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6                           the member
 *     binary        0 -> 1 4    1 -> 2 3, 4 -> 5 6                            depth
 *
 * The members of a subtree have successive numbers. In depth-first order through the switches few
 * messages then cross a switch.
 */

#ifndef NAPCOLL_BCAST_TREE_H
#define NAPCOLL_BCAST_TREE_H

#include "algo/pattern/napcoll_route.h"

/** Values of a tunable; 0 leaves the choice to the model. */
typedef enum {
    NAPCOLL_BCAST_TREE_OPEN,
    NAPCOLL_BCAST_TREE_FLAT,
    NAPCOLL_BCAST_TREE_BINOMIAL,
    NAPCOLL_BCAST_TREE_CHAIN,
    NAPCOLL_BCAST_TREE_BINARY,
    NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER, /**< blocks are scattered, then passed round a ring */
    NAPCOLL_BCAST_TREE_KNOMIAL,           /**< of radix NAPCOLL_BCAST_TREE_RADIX */
    NAPCOLL_BCAST_TREES
} napcoll_bcast_tree_t;

/** Of a k-nomial tree: a member sends to three others on each level. */
enum { NAPCOLL_BCAST_TREE_RADIX = 4 };

/** Stages of a broadcast, and messages one after the other on its longest path. */
int napcoll_bcast_tree_stages(napcoll_bcast_tree_t tree, int members);

/** The first stage at which this process has all blocks, where member 0 has them at 0. */
int napcoll_bcast_tree_arrival(napcoll_bcast_tree_t tree, const napcoll_group_t *group);

/** The most messages that a member sends in one stage of a pipeline of segments. */
int napcoll_bcast_tree_fanout(napcoll_bcast_tree_t tree, int members, int segments);

/** The longest path of a broadcast in depth-first order: between nodes first, then inside. */
napcoll_hops_t napcoll_bcast_tree_hops(napcoll_bcast_tree_t tree, const napcoll_node_map_t *map);

/** Add this process's messages from a stage on. Each carries the load; a scatter_allgather carries
 * the blocks of the group instead, one of each member. */
void napcoll_bcast_tree_route(napcoll_route_t *route, const napcoll_group_t *group,
                              napcoll_bcast_tree_t tree, int stage, napcoll_block_range_t load);

/**
 * The plan of a broadcast: from the root's buffer into the other ranks' buffers, in segments that
 * follow each other. Frees the route.
 *
 * @param[in]     args    of the plan
 * @param[in,out] route   of one segment
 * @param[in]     blocks  of a segment
 *
 * @return the plan; NULL when memory ran out
 */
napcoll_plan_t *napcoll_bcast_tree_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                        int blocks);

/** The plan of a broadcast over all ranks in depth-first order. */
napcoll_plan_t *napcoll_bcast_tree_ranks(const napcoll_plan_args_t *args,
                                         napcoll_bcast_tree_t tree);

#endif /* NAPCOLL_BCAST_TREE_H */
