/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What Open MPI's own components tuned and basic do, as plans: shadows, which nobody runs. They are there to be
 * costed by the same simulation as napcoll's plans, so that both sides of a comparison err alike
 * (select/napcoll_previous.h), and are proven by the verifier like all others. Pure: no MPI in here.
 *
 * These algorithms know nothing of nodes: ranks count in their own order, from the root's on. Their requests
 * have a map on which all ranks share one node (napcoll_previous_map), whatever nodes the ranks are on; what a plan
 * costs is estimated on the true map. So those of napcoll's generators that go by the node order serve here as well.
 *
 * Shapes and orders are those of Open MPI 4.1, 5.0 and 6.0, ompi/mca/coll/base, as read there; messages and their sizes
 * are the same (tests/mpi/previous.c), but for a few that are close relatives:
 *
 *     Rabenseifner's, P no power of two     one of two ranks gives its vector away whole, not a half
 *     scatter and allgather of a broadcast  the root is not sent what it has
 *     Bruck's all-to-all                    blocks of the last steps go straight
 *     binomial gather and scatter           subtrees are balanced where P is no power of two
 *     butterfly of a reduce_scatter_block   has the last exchange, also where P is a power of two, for which Open MPI
 *                                           sorts blocks beforehand
 */

#ifndef NAPCOLL_ALGO_PREVIOUS_H
#define NAPCOLL_ALGO_PREVIOUS_H

#include "algo/napcoll_algo.h"

/**
 * Trees over positions: position v is the rank v places after the root, round the end; but those of the
 * in-order binary tree are ranks, and its head is the last one. Eight positions:
 *
 *     linear            0 -> 1 2 3 4 5 6 7
 *     chain             0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7
 *     chains            0 -> 1 -> 2 -> 3 -> 4    0 -> 5 -> 6 -> 7           (two of them)
 *     binary            0 -> 1 2    1 -> 3 5    2 -> 4 6    3 -> 7
 *     binomial          0 -> 1 2 4    1 -> 3 5    2 -> 6    3 -> 7           near ones first
 *     in-order binomial 0 -> 1 2 4    2 -> 3    4 -> 5 6    6 -> 7           subtrees side by side
 *     knomial           0 -> 4 1 2 3    4 -> 5 6 7                           radix 4, far ones first
 *     in-order binary   7 -> 6 3    6 -> 5 (...)    3 -> 2 1    1 -> 0
 */
typedef enum {
    NAPCOLL_PREVIOUS_LINEAR,
    NAPCOLL_PREVIOUS_CHAIN,
    NAPCOLL_PREVIOUS_CHAINS,
    NAPCOLL_PREVIOUS_BINARY,
    NAPCOLL_PREVIOUS_BINOMIAL,
    NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL,
    NAPCOLL_PREVIOUS_KNOMIAL,
    NAPCOLL_PREVIOUS_IN_ORDER_BINARY,
    NAPCOLL_PREVIOUS_TREES
} napcoll_previous_tree_t;

/** Name of a tree ("knomial"), static. */
const char *napcoll_previous_tree_name(napcoll_previous_tree_t tree);

/** Parent of a position, -1 of the head. */
int napcoll_previous_parent(napcoll_previous_tree_t tree, int size, int position);

/**
 * The index-th child of a position, in the order in which Open MPI goes through them when it broadcasts.
 *
 * @param[in] tree      which
 * @param[in] size      positions
 * @param[in] position  the parent
 * @param[in] index     from 0
 *
 * @return the child's position, -1 behind the last
 */
int napcoll_previous_child(napcoll_previous_tree_t tree, int size, int position, int index);

/** Rows of the tables, and what their tunables say. */
enum {
    NAPCOLL_PREVIOUS_ALLREDUCE_TREES, /**< tunables: the tree of the reduce, that of the broadcast */
    NAPCOLL_PREVIOUS_ALLREDUCE_RECURSIVE_DOUBLING,
    NAPCOLL_PREVIOUS_ALLREDUCE_RING,
    NAPCOLL_PREVIOUS_ALLREDUCE_RABENSEIFNER,
    NAPCOLL_PREVIOUS_ALLREDUCE_ROWS
};

enum {
    NAPCOLL_PREVIOUS_REDUCE_TREE, /**< tunable: the tree */
    NAPCOLL_PREVIOUS_REDUCE_ROWS
};

enum {
    NAPCOLL_PREVIOUS_BCAST_TREE, /**< tunable: the tree */
    NAPCOLL_PREVIOUS_BCAST_SCATTER_ALLGATHER,
    NAPCOLL_PREVIOUS_BCAST_ROWS
};

enum {
    NAPCOLL_PREVIOUS_BARRIER_TREE, /**< tunable: the tree */
    NAPCOLL_PREVIOUS_BARRIER_RECURSIVE_DOUBLING,
    NAPCOLL_PREVIOUS_BARRIER_BRUCK,
    NAPCOLL_PREVIOUS_BARRIER_ROWS
};

enum {
    NAPCOLL_PREVIOUS_ALLGATHER_TREE, /**< tunable: the tree of the broadcast after a linear gather */
    NAPCOLL_PREVIOUS_ALLGATHER_BRUCK,
    NAPCOLL_PREVIOUS_ALLGATHER_RECURSIVE_DOUBLING,
    NAPCOLL_PREVIOUS_ALLGATHER_RING,
    NAPCOLL_PREVIOUS_ALLGATHER_NEIGHBOR,
    NAPCOLL_PREVIOUS_ALLGATHER_ROWS
};

enum {
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_TREES, /**< tunables: the tree of the reduce, that of the scatter */
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_HALVING,
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_RING,
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_BUTTERFLY,
    NAPCOLL_PREVIOUS_REDUCE_SCATTER_ROWS
};

enum {
    NAPCOLL_PREVIOUS_ALLTOALL_LINEAR,
    NAPCOLL_PREVIOUS_ALLTOALL_PAIRWISE,
    NAPCOLL_PREVIOUS_ALLTOALL_BRUCK,
    NAPCOLL_PREVIOUS_ALLTOALL_ROWS
};

/** Of gathers and scatters alike. */
enum {
    NAPCOLL_PREVIOUS_ROOTED_LINEAR,  /**< one block after the other */
    NAPCOLL_PREVIOUS_ROOTED_AT_ONCE, /**< all under way at once */
    NAPCOLL_PREVIOUS_ROOTED_BINOMIAL,
    NAPCOLL_PREVIOUS_ROOTED_ROWS
};

enum { NAPCOLL_PREVIOUS_SCAN_LINEAR, NAPCOLL_PREVIOUS_SCAN_ROWS };

/** The tables: shadows of napcoll's collectives of these goals. */
extern const napcoll_collective_t napcoll_previous_allreduce;
extern const napcoll_collective_t napcoll_previous_reduce;
extern const napcoll_collective_t napcoll_previous_bcast;
extern const napcoll_collective_t napcoll_previous_barrier;
extern const napcoll_collective_t napcoll_previous_allgather;
extern const napcoll_collective_t napcoll_previous_reduce_scatter;
extern const napcoll_collective_t napcoll_previous_alltoall;
extern const napcoll_collective_t napcoll_previous_gather;
extern const napcoll_collective_t napcoll_previous_scatter;
extern const napcoll_collective_t napcoll_previous_scan;
extern const napcoll_collective_t napcoll_previous_exscan;

/** All of them; NULL after the last. */
extern const napcoll_collective_t *const napcoll_previous_collectives[];

/** A map of so many ranks on one node, without tables: nothing is to be freed. */
static inline napcoll_node_map_t napcoll_previous_map(int ranks)
{
    return (napcoll_node_map_t){.size = ranks,
                                .nodes = 1,
                                .min_ppn = ranks,
                                .max_ppn = ranks,
                                .contiguous = true,
                                .near_node = -1};
}

/* The generators that are no others' (trees.c, doubling.c, blocks.c). */
napcoll_plan_t *napcoll_previous_allreduce_trees(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_reduce_tree(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_bcast_tree(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_barrier_tree(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_allgather_tree(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_reduce_scatter_trees(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_allreduce_doubling(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_barrier_doubling(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_scan_linear(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_neighbor(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_halving(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_ring(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_butterfly(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_bruck(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_previous_one_by_one(const napcoll_plan_args_t *args);

/** The largest power of two up to size, and by how much size is larger. */
static inline int napcoll_previous_power(int size, int *rest)
{
    int power = 1;

    while (power <= size / 2) {
        power *= 2;
    }
    *rest = size - power;
    return power;
}

#endif /* NAPCOLL_ALGO_PREVIOUS_H */
