/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The generators of the inclusive and the exclusive scan: one table's rows serve both collectives, and
 * a generator asks its request which of them it is about.
 *
 * Folds are in rank order, always: a scan is ordered by its nature, and its op may not commute.
 *
 * Rank 0 has no receive buffer in an exclusive scan. In place it has one, with its input in it, which
 * is never written. Every process may say for itself whether it is in place, so the messages of a plan
 * do not depend on it.
 */

#ifndef NAPCOLL_ALGO_SCAN_H
#define NAPCOLL_ALGO_SCAN_H

#include "algo/napcoll_algo.h"

/** Rows of the tables. */
enum {
    NAPCOLL_SCAN_RECURSIVE_DOUBLING,
    NAPCOLL_SCAN_NAP,
    NAPCOLL_SCAN_GATHERED,
    NAPCOLL_SCAN_ALGORITHMS
};

napcoll_plan_t *napcoll_scan_recursive_doubling(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_scan_nap(const napcoll_plan_args_t *args);
napcoll_plan_t *napcoll_scan_gathered(const napcoll_plan_args_t *args);

napcoll_bounds_t napcoll_scan_recursive_doubling_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params);
napcoll_bounds_t napcoll_scan_nap_bounds(const napcoll_node_map_t *map,
                                         const napcoll_params_t *params);
napcoll_bounds_t napcoll_scan_gathered_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params);

/** Whether a request is for the inclusive scan. */
static inline bool napcoll_scan_is_inclusive(const napcoll_plan_args_t *args)
{
    return NAPCOLL_GOAL_SCAN == args->collective->goal;
}

/** Inter-node message steps of nap with `lanes` lanes (napcoll_port_lanes), one after the other, for the
 * busiest process: ceil(log_{lanes + 1} nodes) * lanes per process. */
int napcoll_scan_nap_steps(const napcoll_node_map_t *map, int lanes);

/** Steps of recursive doubling: ceil(log2 ranks). */
int napcoll_scan_recursive_doubling_steps(const napcoll_node_map_t *map);

/**
 * Fold what stands before this process into what it has, as the result; nothing where the process takes
 * none.
 *
 * @param[in,out] builder  the plan
 * @param[in]     request  whose
 * @param[in]     before   of lower ranks, not in the receive buffer, or empty
 * @param[in]     own      of the ranks that follow them, up to the last one of the result, or empty
 */
void napcoll_scan_conclude(napcoll_builder_t *builder, const napcoll_plan_args_t *args,
                           napcoll_span_t before, napcoll_span_t own);

#endif /* NAPCOLL_ALGO_SCAN_H */
