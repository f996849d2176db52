/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of gather, gatherv, scatter and scatterv. A scatter's messages are those of the gather, backwards.
 *
 * A. Lastovetsky, M. O'Flynn, V. Rychkov: "Optimization of Collective Communications in HeteroMPI", for
 * segmented and the thresholds; what those do: select/napcoll_thresholds.h.
 */

#ifndef NAPCOLL_ALGO_GATHER_H
#define NAPCOLL_ALGO_GATHER_H

#include "algo/napcoll_gather_tree.h"

/** Rows of the tables. */
enum {
    NAPCOLL_GATHER_LINEAR,
    NAPCOLL_GATHER_BINOMIAL,
    NAPCOLL_GATHER_TWO_LEVEL,
    NAPCOLL_GATHER_SEGMENTED,
    NAPCOLL_GATHER_CREDIT,
    NAPCOLL_GATHER_ALGORITHMS
};

napcoll_plan_t *napcoll_gather_linear(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_gather_binomial(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_gather_two_level(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_gather_segmented(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_gather_credit(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_gather_linear_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);
napcoll_bounds_t napcoll_gather_binomial_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);
napcoll_bounds_t napcoll_gather_two_level_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params);
napcoll_bounds_t napcoll_gather_segmented_bounds(const napcoll_node_map_t *map,
                                                 const napcoll_params_t *params);
napcoll_bounds_t napcoll_gather_credit_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);

int napcoll_gather_linear_burst(const napcoll_node_map_t *map, const napcoll_params_t *params);
int napcoll_gather_two_level_burst(const napcoll_node_map_t *map, const napcoll_params_t *params);

int napcoll_gather_binomial_slots(const napcoll_plan_args_t *args);
int napcoll_gather_two_level_slots(const napcoll_plan_args_t *args);

/** The most messages of the root in one stage where all may go at once. */
enum { NAPCOLL_GATHER_AT_ONCE = 256 };

/** The bounds of plans in which the root has so many messages at once, and others one. */
napcoll_bounds_t napcoll_gather_flat_bounds(const napcoll_node_map_t *map, int at_once);

#endif /* NAPCOLL_ALGO_GATHER_H */
