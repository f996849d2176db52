/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of reduce. How many lanes and inter-node steps nap needs: napcoll_ports.h.
 */

#ifndef NAPCOLL_ALGO_REDUCE_H
#define NAPCOLL_ALGO_REDUCE_H

#include "algo/napcoll_algo.h"

/** Rows of the table. */
enum {
    NAPCOLL_REDUCE_BINOMIAL,
    NAPCOLL_REDUCE_SMP,
    NAPCOLL_REDUCE_NAP,
    NAPCOLL_REDUCE_RABENSEIFNER,
    NAPCOLL_REDUCE_LANE,
    NAPCOLL_REDUCE_GATHERED,
    NAPCOLL_REDUCE_ALGORITHMS
};

napcoll_plan_t *napcoll_reduce_binomial(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_smp(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_nap(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_rabenseifner(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_reduce_lane(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_reduce_binomial_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_smp_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_nap_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params);
napcoll_bounds_t napcoll_reduce_lane_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);

#endif /* NAPCOLL_ALGO_REDUCE_H */
