/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of allgather and allgatherv, and what the selection asks of them.
 */

#ifndef NAPCOLL_ALGO_ALLGATHER_H
#define NAPCOLL_ALGO_ALLGATHER_H

#include "algo/napcoll_algo.h"

/** Rows of the tables. */
enum {
    NAPCOLL_ALLGATHER_RING,
    NAPCOLL_ALLGATHER_RECURSIVE_DOUBLING,
    NAPCOLL_ALLGATHER_BRUCK,
    NAPCOLL_ALLGATHER_SMP,
    NAPCOLL_ALLGATHER_LOCALITY_BRUCK,
    NAPCOLL_ALLGATHER_LANE_RING,
    NAPCOLL_ALLGATHER_ALGORITHMS
};

napcoll_plan_t *napcoll_allgather_ring(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allgather_recursive_doubling(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allgather_bruck(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allgather_smp(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allgather_locality_bruck(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allgather_lane_ring(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_allgather_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params);
napcoll_bounds_t napcoll_allgather_recursive_doubling_bounds(const napcoll_node_map_t *map,
                                                             const napcoll_params_t *params);
napcoll_bounds_t napcoll_allgather_bruck_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);
napcoll_bounds_t napcoll_allgather_smp_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);
napcoll_bounds_t napcoll_allgather_locality_bruck_bounds(const napcoll_node_map_t *map,
                                                         const napcoll_params_t *params);
napcoll_bounds_t napcoll_allgather_lane_ring_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params);

/** Inter-node message steps of locality_bruck, one after the other. The tunable lanes: 0: chosen. */
int napcoll_allgather_locality_bruck_steps(const napcoll_node_map_t *map, int lanes);

#endif /* NAPCOLL_ALGO_ALLGATHER_H */
