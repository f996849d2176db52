/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The lanes' way of spreading a large vector: every process of a node owns blocks of its lane's slice,
 * and all of them use the network at once.
 *
 * With L lanes (the processes of the smallest node) and n nodes the vector is cut into L slices of n
 * blocks; block l n + m belongs to lane l of node m. Forwards (an allgather):
 *
 *     between nodes   lane l of every node gets slice l from the lane l of the others
 *     in the node     every lane gives its slice to all others
 *
 * Processes beyond lane L own nothing: they only get. No byte crosses the network twice.
 *
 *     cost   ceil(log_r n) alpha + (n - 1)/n s/L beta between nodes, alpha + (L - 1)/L s beta inside
 */

#ifndef NAPCOLL_LANE_H
#define NAPCOLL_LANE_H

#include "algo/napcoll_route.h"

/** Lanes of a map: slices of the vector. */
static inline int napcoll_lane_count(const napcoll_node_map_t *map)
{
    return map->min_ppn;
}

/** The radix between nodes: the one wished for, or, for 0, all nodes at once where they are few. */
int napcoll_lane_radix(const napcoll_node_map_t *map, int wanted);

/**
 * The route of one process.
 *
 * @param[out] route  where to; begun empty
 * @param[in]  request   map and rank
 * @param[in]  radix     between nodes (napcoll_route_bruck)
 *
 * @return stages between nodes: the route has one more
 */
int napcoll_lane_route(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix);

/**
 * The route that gathers to the root what the lanes own: the lanes of the root's node collect their
 * slices, and the root collects them from there.
 *
 *     between nodes   lane l of the root's node gets slice l from the lane l of the others
 *     in the node     every lane gives its slice to the root
 *
 *     cost   ceil(log_r n) alpha + (n - 1)/n s/L beta between nodes, alpha + (L - 1)/L s beta inside
 *
 * @param[out] route  where to; begun empty
 * @param[in]  request   map, rank and root
 * @param[in]  radix     between nodes (napcoll_route_collect)
 */
void napcoll_lane_collect(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix);

/** The block that a process owns, or -1. */
int napcoll_lane_own(const napcoll_plan_args_t *args);

/** The most messages that a process sends, or receives, in a stage of either route. */
napcoll_bounds_t napcoll_lane_bounds(const napcoll_node_map_t *map, int radix);

#endif /* NAPCOLL_LANE_H */
