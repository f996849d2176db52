/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rows of the tables, and the generators of all algorithms: the plans of row
 * NAPCOLL_COLL_ALGORITHM are made by napcoll_COLL_ALGORITHM in algo/COLL/ALGORITHM.c, or by a
 * generator of algo/pattern/ that two collectives share. Each file has the picture, the cost and
 * the source of its algorithm.
 */

#ifndef NAPCOLL_GENERATORS_H
#define NAPCOLL_GENERATORS_H

#include "algo/napcoll_algo.h"

/* ---- allreduce ---- */

enum {
    NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING,
    NAPCOLL_ALLREDUCE_SMP,
    NAPCOLL_ALLREDUCE_NAP,
    NAPCOLL_ALLREDUCE_TREE,
    NAPCOLL_ALLREDUCE_RABENSEIFNER,
    NAPCOLL_ALLREDUCE_RING,
    NAPCOLL_ALLREDUCE_LANE,
    NAPCOLL_ALLREDUCE_GATHERED,
    NAPCOLL_ALLREDUCE_BINE,
    NAPCOLL_ALLREDUCE_CIRCULANT,
    NAPCOLL_ALLREDUCE_ALGORITHMS
};

napcoll_generate_t napcoll_allreduce_recursive_doubling, napcoll_allreduce_smp,
    napcoll_allreduce_nap, napcoll_allreduce_tree, napcoll_allreduce_rabenseifner,
    napcoll_allreduce_ring, napcoll_allreduce_lane, napcoll_allreduce_gathered,
    napcoll_allreduce_bine, napcoll_allreduce_circulant;
napcoll_claim_bounds_t napcoll_allreduce_recursive_doubling_bounds, napcoll_allreduce_smp_bounds,
    napcoll_allreduce_nap_bounds, napcoll_allreduce_ring_bounds, napcoll_allreduce_lane_bounds,
    napcoll_allreduce_circulant_bounds;

/**
 * Lanes that nap uses on a communicator.
 *
 * @param[in] map     the node map, max_ppn >= 2
 * @param[in] wanted  the user's choice. 0: least napcoll_nap_steps
 *
 * @return lanes, 2 .. nodes (2 where there are fewer nodes)
 */
int napcoll_nap_lanes(const napcoll_node_map_t *map, int wanted);

/** The radix over nodes that nap has with these lanes: one more where that saves a level, all
 * processes of all nodes are lanes and the nodes fall into equal parts. */
int napcoll_nap_radix(const napcoll_node_map_t *map, int lanes);

/** Inter-node messages one after the other of the process with the most: levels * lanes per
 * process. */
int napcoll_nap_steps(const napcoll_node_map_t *map, int lanes);

/* ---- reduce ---- */

enum {
    NAPCOLL_REDUCE_BINOMIAL,
    NAPCOLL_REDUCE_SMP,
    NAPCOLL_REDUCE_NAP,
    NAPCOLL_REDUCE_RABENSEIFNER,
    NAPCOLL_REDUCE_LANE,
    NAPCOLL_REDUCE_GATHERED,
    NAPCOLL_REDUCE_BINE,
    NAPCOLL_REDUCE_CIRCULANT,
    NAPCOLL_REDUCE_LANE_CIRCULANT,
    NAPCOLL_REDUCE_ALGORITHMS
};

napcoll_generate_t napcoll_reduce_binomial, napcoll_reduce_smp, napcoll_reduce_nap,
    napcoll_reduce_rabenseifner, napcoll_reduce_lane, napcoll_reduce_gathered, napcoll_reduce_bine,
    napcoll_reduce_circulant, napcoll_reduce_lane_circulant;
napcoll_claim_bounds_t napcoll_reduce_nap_bounds, napcoll_reduce_lane_bounds,
    napcoll_reduce_gathered_bounds;

/* ---- bcast ---- */

enum {
    NAPCOLL_BCAST_FLAT,
    NAPCOLL_BCAST_BINARY,
    NAPCOLL_BCAST_BINOMIAL,
    NAPCOLL_BCAST_SCATTER_ALLGATHER,
    NAPCOLL_BCAST_CHAIN,
    NAPCOLL_BCAST_TWO_LEVEL,
    NAPCOLL_BCAST_NAP,
    NAPCOLL_BCAST_LANE,
    NAPCOLL_BCAST_BINE,
    NAPCOLL_BCAST_CIRCULANT,
    NAPCOLL_BCAST_LANE_CIRCULANT,
    NAPCOLL_BCAST_ALGORITHMS
};

napcoll_generate_t napcoll_bcast_flat, napcoll_bcast_binary, napcoll_bcast_binomial,
    napcoll_bcast_scatter_allgather, napcoll_bcast_chain, napcoll_bcast_two_level,
    napcoll_bcast_nap, napcoll_bcast_lane, napcoll_bcast_bine, napcoll_bcast_circulant,
    napcoll_bcast_lane_circulant;
napcoll_claim_bounds_t napcoll_bcast_flat_bounds, napcoll_bcast_binary_bounds,
    napcoll_bcast_binomial_bounds, napcoll_bcast_scatter_allgather_bounds,
    napcoll_bcast_two_level_bounds, napcoll_bcast_nap_bounds, napcoll_bcast_lane_bounds;
napcoll_path_t napcoll_bcast_binary_hops, napcoll_bcast_binomial_hops, napcoll_bcast_chain_hops,
    napcoll_bcast_two_level_hops, napcoll_bcast_lane_hops;

/* ---- barrier ---- */

enum {
    NAPCOLL_BARRIER_DISSEMINATION,
    NAPCOLL_BARRIER_SMP,
    NAPCOLL_BARRIER_NAP,
    NAPCOLL_BARRIER_ALGORITHMS
};

napcoll_generate_t napcoll_barrier_dissemination, napcoll_barrier_smp, napcoll_barrier_nap;
napcoll_claim_bounds_t napcoll_barrier_nap_bounds;

/* ---- scan and exscan ---- */

enum {
    NAPCOLL_SCAN_RECURSIVE_DOUBLING,
    NAPCOLL_SCAN_NAP,
    NAPCOLL_SCAN_GATHERED,
    NAPCOLL_SCAN_ALGORITHMS
};

napcoll_generate_t napcoll_scan_recursive_doubling, napcoll_scan_nap, napcoll_scan_gathered;
napcoll_claim_bounds_t napcoll_scan_nap_bounds;

/** One table serves both collectives; a generator asks its arguments which of them it is for. */
static inline bool napcoll_scan_is_inclusive(const napcoll_plan_args_t *args)
{
    return NAPCOLL_GOAL_SCAN == args->collective->goal;
}

/**
 * Reduce `before`, of lower ranks, and `own`, of the ranks after them up to the last one of the
 * result, into the receive buffer; either may be empty. `before` is not in the receive buffer. A
 * process without a result (rank 0 of an exclusive scan) does nothing.
 */
void napcoll_scan_conclude(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                           napcoll_span_t before, napcoll_span_t own);

/* ---- allgather and allgatherv ---- */

enum {
    NAPCOLL_ALLGATHER_RING,
    NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING,
    NAPCOLL_ALLGATHER_BRUCK,
    NAPCOLL_ALLGATHER_SMP,
    NAPCOLL_ALLGATHER_LOCALITY_BRUCK,
    NAPCOLL_ALLGATHER_LANE_RING,
    NAPCOLL_ALLGATHER_BINE,
    NAPCOLL_ALLGATHER_ALGORITHMS
};

napcoll_generate_t napcoll_allgather_ring, napcoll_allgather_recursive_doubling,
    napcoll_allgather_bruck;
napcoll_claim_bounds_t napcoll_allgather_bruck_bounds, napcoll_allgather_lane_ring_bounds;

/* ---- reduce_scatter and reduce_scatter_block ---- */

enum {
    NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING,
    NAPCOLL_REDUCE_SCATTER_SMP,
    NAPCOLL_REDUCE_SCATTER_LOCALITY,
    NAPCOLL_REDUCE_SCATTER_LANE_RING,
    NAPCOLL_REDUCE_SCATTER_PAIRWISE,
    NAPCOLL_REDUCE_SCATTER_BINE,
    NAPCOLL_REDUCE_SCATTER_CIRCULANT,
    NAPCOLL_REDUCE_SCATTER_ALGORITHMS
};

napcoll_generate_t napcoll_reduce_scatter_recursive_halving, napcoll_reduce_scatter_pairwise,
    napcoll_reduce_scatter_circulant;
napcoll_claim_bounds_t napcoll_reduce_scatter_lane_ring_bounds,
    napcoll_reduce_scatter_pairwise_bounds;

/* ---- gather, gatherv, scatter and scatterv ---- */

enum {
    NAPCOLL_GATHER_LINEAR,
    NAPCOLL_GATHER_BINOMIAL,
    NAPCOLL_GATHER_TWO_LEVEL,
    NAPCOLL_GATHER_SEGMENTED,
    NAPCOLL_GATHER_CREDIT,
    NAPCOLL_GATHER_BINE,
    NAPCOLL_GATHER_ALGORITHMS
};

napcoll_generate_t napcoll_gather_linear, napcoll_gather_binomial, napcoll_gather_two_level,
    napcoll_gather_segmented, napcoll_gather_credit, napcoll_gather_bine;
napcoll_claim_bounds_t napcoll_gather_linear_bounds, napcoll_gather_binomial_bounds,
    napcoll_gather_two_level_bounds, napcoll_gather_segmented_bounds, napcoll_gather_credit_bounds;
int napcoll_gather_binomial_slots(const napcoll_plan_args_t *args);
int napcoll_gather_two_level_slots(const napcoll_plan_args_t *args);
int napcoll_gather_linear_burst(const napcoll_node_map_t *map, const napcoll_params_t *params);
int napcoll_gather_two_level_burst(const napcoll_node_map_t *map, const napcoll_params_t *params);

/** Bounds of plans in which the root has a number of messages at once, and others one. */
napcoll_bounds_t napcoll_gather_flat_bounds(const napcoll_node_map_t *map, int at_once);

/* ---- alltoall, alltoallv and alltoallw ---- */

enum {
    NAPCOLL_ALLTOALL_LINEAR,
    NAPCOLL_ALLTOALL_PAIRWISE,
    NAPCOLL_ALLTOALL_TUNA,
    NAPCOLL_ALLTOALL_TUNA_COALESCED,
    NAPCOLL_ALLTOALL_TUNA_STAGGERED,
    NAPCOLL_ALLTOALL_TUNA_TWO_LEVEL,
    NAPCOLL_ALLTOALL_MULTI_LEADER,
    NAPCOLL_ALLTOALL_ALGORITHMS
};

napcoll_generate_t napcoll_alltoall_linear, napcoll_alltoall_pairwise, napcoll_alltoall_tuna,
    napcoll_alltoall_tuna_coalesced, napcoll_alltoall_tuna_staggered,
    napcoll_alltoall_tuna_two_level, napcoll_alltoall_multi_leader;
napcoll_claim_bounds_t napcoll_alltoall_linear_bounds, napcoll_alltoall_tuna_bounds,
    napcoll_alltoall_tuna_coalesced_bounds, napcoll_alltoall_tuna_staggered_bounds,
    napcoll_alltoall_tuna_two_level_bounds, napcoll_alltoall_multi_leader_bounds;
int napcoll_alltoall_tuna_coalesced_slots(const napcoll_plan_args_t *args);
int napcoll_alltoall_tuna_staggered_slots(const napcoll_plan_args_t *args);
int napcoll_alltoall_tuna_two_level_slots(const napcoll_plan_args_t *args);
int napcoll_alltoall_multi_leader_slots(const napcoll_plan_args_t *args);

/** The builder of a plan, whose first stage copies the rank's own block. */
napcoll_builder_t *napcoll_alltoall_builder(const napcoll_plan_args_t *args);

/** Every rank sends its blocks straight to those that they are for, a number of them at once. */
napcoll_plan_t *napcoll_alltoall_direct(const napcoll_plan_args_t *args, int at_once);

/* ---- neighbor_allgather, _allgatherv, _alltoall, _alltoallv and _alltoallw ---- */

enum { NAPCOLL_NEIGHBOR_DIRECT, NAPCOLL_NEIGHBOR_COALESCED, NAPCOLL_NEIGHBOR_ALGORITHMS };

napcoll_generate_t napcoll_neighbor_direct, napcoll_neighbor_coalesced;
napcoll_claim_bounds_t napcoll_neighbor_bounds;

/** The most slots of any process in the plans of the arguments' row. */
int napcoll_neighbor_slots(const napcoll_plan_args_t *args);

/** The builder of a plan, whose first stage copies the blocks of the rank for itself. */
napcoll_builder_t *napcoll_neighbor_builder(const napcoll_plan_args_t *args);

/** Set what this process sends and receives in the plans of all rows (napcoll_neighborhood_t).
 * Returns 0, or -1 when memory ran out. */
int napcoll_neighbor_measure(const napcoll_node_map_t *map, napcoll_neighborhood_t *neighborhood);

#endif /* NAPCOLL_GENERATORS_H */
