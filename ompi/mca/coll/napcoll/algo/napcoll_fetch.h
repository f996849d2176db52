/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lanes that fetch: with what a node has of w nodes, its L lanes get the same of L other runs of w
 * nodes in one step, lane l (0 .. L - 1) from the node (l + 1) w away. So a node's reach grows by the
 * factor L + 1 a step, and any number of nodes n takes
 *
 *     ceil(log_{L+1} n) steps
 *
 * of one message per lane. A node with fewer processes than lanes has some of them serve several.
 */

#ifndef NAPCOLL_FETCH_H
#define NAPCOLL_FETCH_H

#include <stdint.h>

#include "topo/napcoll_node_map.h"

/**
 * Lanes to fetch with.
 *
 * @param[in] map     the node map
 * @param[in] wanted  the user's choice, or 0 for the fewest lanes with the fewest messages one after
 *                    the other (napcoll_fetch_steps)
 *
 * @return lanes, 1 .. nodes - 1 (1 where there is one node)
 */
int napcoll_fetch_lanes(const napcoll_node_map_t *map, int wanted);

/** Messages between nodes that the busiest process sends, or receives, one after the other: steps *
 * lanes per process. */
int napcoll_fetch_steps(const napcoll_node_map_t *map, int lanes);

/** The most lanes that one process serves. */
static inline int napcoll_fetch_share(const napcoll_node_map_t *map, int lanes)
{
    return (lanes + map->min_ppn - 1) / map->min_ppn;
}

/** The width after w, which is less than the number of nodes. */
static inline int napcoll_fetch_next(int width, int nodes, int lanes)
{
    return width > nodes / (lanes + 1) ? nodes : width * (lanes + 1);
}

/** The process of a node of ppn that serves a lane, where all of its processes share `lanes` out in
 * order. */
static inline int napcoll_fetch_server(int lane, int lanes, int ppn)
{
    return (int) ((int64_t) lane * ppn / lanes);
}

/** The first lane that such a process serves; that of process ppn is where the last one's end. */
static inline int napcoll_fetch_first(int process, int lanes, int ppn)
{
    return (int) (((int64_t) process * lanes + ppn - 1) / ppn);
}

#endif /* NAPCOLL_FETCH_H */
