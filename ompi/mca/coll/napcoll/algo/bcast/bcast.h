/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The broadcast algorithms: generators, bounds and ways. Each file has the picture and the cost of its
 * algorithm; bcast.c is the table. In all of them a message is one hop between two members of a group that
 * follows the depth-first order from the root (topo/napcoll_dfs_order.h).
 */

#ifndef NAPCOLL_BCAST_H
#define NAPCOLL_BCAST_H

#include "algo/napcoll_bcast_tree.h"

/** Rows of the table. */
enum {
    NAPCOLL_BCAST_FLAT,
    NAPCOLL_BCAST_BINARY,
    NAPCOLL_BCAST_BINOMIAL,
    NAPCOLL_BCAST_SCATTER_ALLGATHER,
    NAPCOLL_BCAST_CHAIN,
    NAPCOLL_BCAST_TWO_LEVEL,
    NAPCOLL_BCAST_NAP,
    NAPCOLL_BCAST_LANE,
    NAPCOLL_BCAST_ALGORITHMS
};

napcoll_plan_t *napcoll_bcast_flat(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_flat_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);

napcoll_plan_t *napcoll_bcast_binary(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_binary_bounds(const napcoll_node_map_t *map,
                                             const napcoll_params_t *params);
napcoll_hops_t napcoll_bcast_binary_hops(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params);

napcoll_plan_t *napcoll_bcast_binomial(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_binomial_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params);
napcoll_hops_t napcoll_bcast_binomial_hops(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);

napcoll_plan_t *napcoll_bcast_scatter_allgather(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_scatter_allgather_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);

napcoll_plan_t *napcoll_bcast_chain(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_chain_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);
napcoll_hops_t napcoll_bcast_chain_hops(const napcoll_node_map_t *map,
                                        const napcoll_params_t *params);

/** Names of what can go between nodes, by napcoll_bcast_tree_t - 1. */
extern const char *const napcoll_bcast_two_level_between[];
napcoll_plan_t *napcoll_bcast_two_level(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_two_level_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);
napcoll_hops_t napcoll_bcast_two_level_hops(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params);

napcoll_plan_t *napcoll_bcast_nap(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_nap_bounds(const napcoll_node_map_t *map,
                                          const napcoll_params_t *params);

/** The same of the lanes, in an order of their own: binomial, chain. */
extern const char *const napcoll_bcast_lane_between[];
napcoll_plan_t *napcoll_bcast_lane(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_bcast_lane_bounds(const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);
napcoll_hops_t napcoll_bcast_lane_hops(const napcoll_node_map_t *map,
                                       const napcoll_params_t *params);

#endif /* NAPCOLL_BCAST_H */
