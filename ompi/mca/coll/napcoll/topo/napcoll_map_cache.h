/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The node maps of a process's communicators; equal ones are stored once. Pure: no MPI in here; one
 * caller at a time.
 *
 * A map is built first, with the communication that this needs, and looked up then, so that no
 * communication depends on what a process has cached. Equal maps have the same ranks on the same
 * nodes, and the same facts about the own node and the network. Communicators of different
 * processes share a map if their ranks are placed alike.
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
 * Share a new map.
 *
 * @param[in,out] cache  the maps
 * @param[in]     map    a map without other users; the cache takes it over, and may free it
 *
 * @return an equal map, the new one or an older one; the caller releases it once
 */
napcoll_node_map_t *napcoll_map_cache_share(napcoll_map_cache_t *cache, napcoll_node_map_t *map);

/** Use a map once more; the caller releases it once more. */
static inline napcoll_node_map_t *napcoll_map_cache_retain(napcoll_node_map_t *map)
{
    map->users++;
    return map;
}

/** Release a map, shared or not; the last user frees it. NULL is allowed. */
void napcoll_map_cache_release(napcoll_map_cache_t *cache, napcoll_node_map_t *map);

/** Whether two maps are equal. */
bool napcoll_node_map_equal(const napcoll_node_map_t *a, const napcoll_node_map_t *b);

/** Free the cache's memory. The maps remain; the last user of each frees it. */
void napcoll_map_cache_clear(napcoll_map_cache_t *cache);

#endif /* NAPCOLL_MAP_CACHE_H */
