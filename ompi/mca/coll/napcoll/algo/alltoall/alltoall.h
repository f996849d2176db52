/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of alltoall, alltoallv and alltoallw. All three have the same plans, but that only in
 * alltoall ranks know the sizes of others' blocks.
 */

#ifndef NAPCOLL_ALGO_ALLTOALL_H
#define NAPCOLL_ALGO_ALLTOALL_H

#include "algo/napcoll_tuna.h"

/** Rows of the tables. */
enum {
    NAPCOLL_ALLTOALL_LINEAR,
    NAPCOLL_ALLTOALL_PAIRWISE,
    NAPCOLL_ALLTOALL_TUNA,
    NAPCOLL_ALLTOALL_TUNA_COALESCED,
    NAPCOLL_ALLTOALL_TUNA_STAGGERED,
    NAPCOLL_ALLTOALL_TUNA_TWO_LEVEL,
    NAPCOLL_ALLTOALL_ALGORITHMS
};

napcoll_plan_t *napcoll_alltoall_linear(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_alltoall_pairwise(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_alltoall_tuna(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_alltoall_tuna_coalesced(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_alltoall_tuna_staggered(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_alltoall_tuna_two_level(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_alltoall_linear_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);
napcoll_bounds_t napcoll_alltoall_pairwise_bounds(const napcoll_node_map_t *map,
                                                  const napcoll_params_t *params);
napcoll_bounds_t napcoll_alltoall_tuna_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);
napcoll_bounds_t napcoll_alltoall_tuna_coalesced_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);
napcoll_bounds_t napcoll_alltoall_tuna_staggered_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);
napcoll_bounds_t napcoll_alltoall_tuna_two_level_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);

/** The builder of a plan, whose first stage copies the rank's own block. */
napcoll_builder_t *napcoll_alltoall_builder(const napcoll_plan_args_t *args);

/** Whether sizes must be told ahead of the blocks. */
static inline bool napcoll_alltoall_sized(const napcoll_plan_args_t *args)
{
    return args->collective->uneven && !args->params.bounded;
}

/** Whether sizes are told along with the blocks. */
static inline bool napcoll_alltoall_headed(const napcoll_plan_args_t *args)
{
    return args->collective->uneven && args->params.bounded;
}

/** Every rank sends its blocks straight to those that they are for, so many at once. */
napcoll_plan_t *napcoll_alltoall_direct(const napcoll_plan_args_t *args, int at_once);

#endif /* NAPCOLL_ALGO_ALLTOALL_H */
