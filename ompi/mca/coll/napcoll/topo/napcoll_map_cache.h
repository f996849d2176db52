/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The node maps of a process's communicators, equal ones once. A map is built first, with whatever communication that
 * takes, and looked up then: whether a process has seen its like decides on memory alone. Pure: no MPI in here; one caller
 * at a time.
 *
 * Equal maps have the same ranks on the same nodes, and know the same of the own node and of the network. Which processes
 * the ranks are does not matter to plans, so communicators of different groups share a map where they are placed alike.
 */

#ifndef NAPCOLL_MAP_CACHE_H
#define NAPCOLL_MAP_CACHE_H

#include "topo/napcoll_node_map.h"
#include "util/napcoll_table.h"

/** All zero: no maps. */
typedef struct napcoll_map_cache {
    napcoll_table_t table;
} napcoll_map_cache_t;

/**
 * Share a map that nobody else uses.
 *
 * @param[in,out] cache  the maps
 * @param[in]     map    a new one; the cache takes it over, and may free it
 *
 * @return an equal map, the new one or an older one; the caller releases it once
 */
napcoll_node_map_t *napcoll_map_cache_share(napcoll_map_cache_t *cache, napcoll_node_map_t *map);

/** Use a map once more, which has to be released once more. */
static inline napcoll_node_map_t *napcoll_map_cache_retain(napcoll_node_map_t *map)
{
    map->users++;
    return map;
}

/** Release a map, shared or not; the last user frees it. NULL is allowed. */
void napcoll_map_cache_release(napcoll_map_cache_t *cache, napcoll_node_map_t *map);

/** Whether two maps are equal. */
bool napcoll_node_map_equal(const napcoll_node_map_t *a, const napcoll_node_map_t *b);

/** Let go of the maps that are in use, which their users free, and free the cache's memory. */
void napcoll_map_cache_clear(napcoll_map_cache_t *cache);

#endif /* NAPCOLL_MAP_CACHE_H */
