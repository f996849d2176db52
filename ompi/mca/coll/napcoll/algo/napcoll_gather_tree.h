/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Trees by which the blocks of all ranks come together at a root (gather), or part there (scatter).
 *
 * Ranks have positions, the root's is 0. The ranks of a subtree have positions side by side, of which its
 * head has the first, so that a process's slots hold the blocks of its subtree in the order of positions:
 *
 *     positions   0 1 2 3 4 5 6 7
 *     radix 2     0 <- 1, 2, 4    2 <- 3    4 <- 5, 6    6 <- 7        (binomial)
 *     radix 8     0 <- 1, 2, 3, 4, 5, 6, 7                             (flat)
 *
 *     flat trees       positions are places of the node order, from the root's on, round the end
 *     trees of nodes   those of the root's node come first, from the root's lane on, round the end; then
 *                      the other nodes, in their order from the root's on
 *
 * All messages of a process to or from its children are in one stage. Where ranks do not know each other's
 * sizes (gatherv, scatterv), they are told to those processes on which blocks stop: ahead, or in front of the blocks.
 */

#ifndef NAPCOLL_GATHER_TREE_H
#define NAPCOLL_GATHER_TREE_H

#include "algo/napcoll_algo.h"

/** A subtree: positions first, ..., first + count - 1. */
typedef struct napcoll_branch {
    int first;
    int count;
} napcoll_branch_t;

/** One rank's part of a tree. */
typedef struct napcoll_gather_tree {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder; /**< of the rank's plan; NULL: memory ran out */
    bool by_nodes;              /**< positions are those of a tree of nodes */
    int self;                   /**< this rank's position */
    int parent;                 /**< position; -1 at the root */
    int count;                  /**< of the own subtree */
    int branches;
    napcoll_branch_t *branch; /**< [branches] the children's subtrees, the smallest first */
} napcoll_gather_tree_t;

/** A tree of all ranks; a radix of their number or more makes it flat. Begins the plan; the own block is copied in
 * its first stage. End it with napcoll_gather_tree_end. */
napcoll_gather_tree_t napcoll_gather_tree_ranks(const napcoll_plan_args_t *args, int radix);

/** A tree of the nodes' leaders, the root among them, and in every node one of its processes. */
napcoll_gather_tree_t napcoll_gather_tree_nodes(const napcoll_plan_args_t *args, int radix,
                                                int local_radix);

/**
 * Add the messages: of a gather, children's blocks come, then all of the subtree go to the parent; of a scatter
 * the same backwards.
 *
 * @param[in,out] tree     whose plan
 * @param[in]     at_once  messages that the root receives, or sends, in one stage, at least 1
 */
void napcoll_gather_tree_messages(napcoll_gather_tree_t *tree, int at_once);

/** The plan, owned by the caller; NULL when memory ran out. Frees what the tree holds. */
napcoll_plan_t *napcoll_gather_tree_end(napcoll_gather_tree_t *tree);

/** The slots of the process that has most, which is a child of the root; -1 when memory ran out. The tree is the
 * root's; ends it. */
int napcoll_gather_tree_slots(napcoll_gather_tree_t *tree);

/** The most children of a process in a tree of so many by a radix. */
int napcoll_gather_tree_children(int members, int radix);

/** The rank at a position. */
int napcoll_gather_tree_rank(const napcoll_gather_tree_t *tree, int position);

/** The block that goes from the rank at a position to the root, or from the root there, in the user's buffer on the
 * root. */
napcoll_span_t napcoll_gather_tree_root_block(const napcoll_gather_tree_t *tree, int position);

/** This rank's such block in its own user buffer; it is not the root. */
napcoll_span_t napcoll_gather_tree_own_block(const napcoll_gather_tree_t *tree);

#endif /* NAPCOLL_GATHER_TREE_H */
