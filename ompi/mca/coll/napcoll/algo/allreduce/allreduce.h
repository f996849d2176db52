/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of allreduce, and what the selection asks of them.
 */

#ifndef NAPCOLL_ALGO_ALLREDUCE_H
#define NAPCOLL_ALGO_ALLREDUCE_H

#include "algo/napcoll_algo.h"

/** Rows of the table. */
enum {
    NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING,
    NAPCOLL_ALLREDUCE_SMP,
    NAPCOLL_ALLREDUCE_NAP,
    NAPCOLL_ALLREDUCE_TREE,
    NAPCOLL_ALLREDUCE_RABENSEIFNER,
    NAPCOLL_ALLREDUCE_RING,
    NAPCOLL_ALLREDUCE_LANE,
    NAPCOLL_ALLREDUCE_GATHERED,
    NAPCOLL_ALLREDUCE_ALGORITHMS
};

napcoll_plan_t *napcoll_allreduce_recursive_doubling(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_smp(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_nap(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_tree(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_rabenseifner(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_ring(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_lane(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_allreduce_gathered(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_allreduce_recursive_doubling_bounds(const napcoll_node_map_t *map,
                                                             const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_smp_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_nap_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_tree_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_rabenseifner_bounds(const napcoll_node_map_t *map,
                                                       const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_ring_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_lane_bounds(const napcoll_node_map_t *map,
                                               const napcoll_params_t *params);
napcoll_bounds_t napcoll_allreduce_gathered_bounds(const napcoll_node_map_t *map,
                                                   const napcoll_params_t *params);

/**
 * Lanes that nap uses on a communicator.
 *
 * Nodes with fewer processes than lanes serve several lanes with one process. With as many lanes
 * as the emptiest node has processes nobody serves two; more lanes mean fewer levels, but more
 * messages for the processes of small nodes. The choice minimises levels * lanes per process.
 *
 * @param[in] map     the node map, max_ppn >= 2
 * @param[in] wanted  the user's choice, or 0 for the one described
 *
 * @return lanes, 2 .. nodes (2 where there are fewer nodes)
 */
int napcoll_nap_lanes(const napcoll_node_map_t *map, int wanted);

/** The radix over nodes that nap has with so many lanes: one more where that saves a level, all processes
 * of all nodes are lanes and the nodes fall into equal parts. */
int napcoll_nap_radix(const napcoll_node_map_t *map, int lanes);

/** Inter-node message steps of nap with `lanes` lanes, one after the other, for the busiest
 * process: levels * lanes per process. */
int napcoll_nap_steps(const napcoll_node_map_t *map, int lanes);

#endif /* NAPCOLL_ALGO_ALLREDUCE_H */
