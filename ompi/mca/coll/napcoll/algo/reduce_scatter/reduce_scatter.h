/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of reduce_scatter and reduce_scatter_block, and what the selection asks of them.
 */

#ifndef NAPCOLL_ALGO_REDUCE_SCATTER_H
#define NAPCOLL_ALGO_REDUCE_SCATTER_H

#include "algo/napcoll_algo.h"

/** Rows of the tables. */
enum {
    NAPCOLL_REDUCE_SCATTER_RECURSIVE_HALVING,
    NAPCOLL_REDUCE_SCATTER_SMP,
    NAPCOLL_REDUCE_SCATTER_LOCALITY,
    NAPCOLL_REDUCE_SCATTER_LANE_RING,
    NAPCOLL_REDUCE_SCATTER_PAIRWISE,
    NAPCOLL_REDUCE_SCATTER_ALGORITHMS
};

napcoll_plan_t *napcoll_reduce_scatter_recursive_halving(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_scatter_smp(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_scatter_locality(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_scatter_lane_ring(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_scatter_pairwise(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_reduce_scatter_recursive_halving_bounds(const napcoll_node_map_t *map,
                                                                 const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_scatter_smp_bounds(const napcoll_node_map_t *map,
                                                   const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_scatter_locality_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_scatter_lane_ring_bounds(const napcoll_node_map_t *map,
                                                         const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_scatter_pairwise_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);

/** Inter-node message steps of locality, one after the other. The tunable lanes: 0: chosen. */
int napcoll_reduce_scatter_locality_steps(const napcoll_node_map_t *map, int lanes);

#endif /* NAPCOLL_ALGO_REDUCE_SCATTER_H */
