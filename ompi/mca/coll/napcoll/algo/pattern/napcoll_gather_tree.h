/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Trees by which the blocks of all ranks are gathered at a root, or scattered from it.
 *
 * Ranks have positions; the root's is 0. The ranks of a subtree have successive positions, its head
 * the first of them, so a process has slots for the blocks of its subtree in the order of
 * positions:
 *
 *     positions   0 1 2 3 4 5 6 7
 *     radix 2     0 <- 1, 2, 4    2 <- 3    4 <- 5, 6    6 <- 7        (binomial)
 *     radix 8     0 <- 1, 2, 3, 4, 5, 6, 7                             (flat)
 *
 *     trees of ranks   positions are places of the node order from the root's on, round the end
 *     trees of nodes   the root's node comes first, from the root's lane on, round the end; then
 *                      the other nodes, in node order from the root's on
 *
 *     Bine trees       of radix 2, places of the node order as napcoll_bine_place says
 *
 * All messages of a process to or from its children are in one stage. Where ranks do not know each
 * other's sizes (gatherv, scatterv), messages begin with them.
 */

#ifndef NAPCOLL_GATHER_TREE_H
#define NAPCOLL_GATHER_TREE_H

#include "algo/napcoll_algo.h"

/** The most messages of the root in one stage, unless the user says otherwise. */
enum { NAPCOLL_GATHER_AT_ONCE = 256 };

/** In place of a local radix: a Bine tree of ranks. */
enum { NAPCOLL_GATHER_TREE_BINE = -1 };

/** A subtree: positions first, ..., first + count - 1. */
typedef struct napcoll_branch {
    int first;
    int count;
} napcoll_branch_t;

/** One rank's part of a tree. */
typedef struct napcoll_gather_tree {
    const napcoll_plan_args_t *args;
    /** Of the rank's plan; NULL: memory ran out. */
    napcoll_builder_t *builder;
    /** It is a tree of nodes. */
    bool by_nodes;
    /** It is a Bine tree. */
    bool is_bine;
    /** This rank's position. */
    int self;
    /** Position of the parent; -1 at the root. */
    int parent;
    /** Ranks of the own subtree. */
    int count;
    int branches;
    /** [branches] the children's subtrees, the smallest first. */
    napcoll_branch_t *branch;
} napcoll_gather_tree_t;

/**
 * Begin a plan and its tree; the own block is copied in the first stage. End it with
 * napcoll_gather_tree_end.
 *
 * @param[in] args         of the plan
 * @param[in] radix        of the tree; the number of ranks makes a tree of ranks flat
 * @param[in] local_radix  of the trees inside nodes, whose roots (the root, or the leader) are the
 *                         members of the tree of nodes; 0: a tree of ranks, or
 *                         NAPCOLL_GATHER_TREE_BINE
 */
napcoll_gather_tree_t napcoll_gather_tree_begin(const napcoll_plan_args_t *args, int radix,
                                                int local_radix);

/**
 * Add the messages: in a gather the children's blocks come, then all blocks of the subtree go to
 * the parent; a scatter does the reverse.
 *
 * @param[in,out] tree     the tree
 * @param[in]     at_once  messages that the root receives, or sends, in one stage, at least 1
 */
void napcoll_gather_tree_messages(napcoll_gather_tree_t *tree, int at_once);

/** The plan, owned by the caller; NULL when memory ran out. Frees the tree. */
napcoll_plan_t *napcoll_gather_tree_end(napcoll_gather_tree_t *tree);

/** Begin, messages and end. */
napcoll_plan_t *napcoll_gather_tree_plan(const napcoll_plan_args_t *args, int radix,
                                         int local_radix, int at_once);

/** The most slots of any process, which is a child of the root; -1 when memory ran out. */
int napcoll_gather_tree_slots(const napcoll_plan_args_t *args, int radix, int local_radix);

/** The most children of a process in a tree. */
int napcoll_gather_tree_children(int members, int radix);

/** The rank at a position. */
int napcoll_gather_tree_rank(const napcoll_gather_tree_t *tree, int position);

/** The block between the rank at a position and the root, in the root's user buffer. */
napcoll_span_t napcoll_gather_tree_root_block(const napcoll_gather_tree_t *tree, int position);

/** This rank's block in its own user buffer; it is not the root. */
napcoll_span_t napcoll_gather_tree_own_block(const napcoll_gather_tree_t *tree);

#endif /* NAPCOLL_GATHER_TREE_H */
