/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Shared node maps (see the header).
 */

#include "topo/napcoll_map_cache.h"

#include <string.h>

static napcoll_node_map_t *map_of(napcoll_table_link_t *link)
{
    return (napcoll_node_map_t *) (void *) ((char *) link - offsetof(napcoll_node_map_t, link));
}

/* Whether two lists are equal, or both missing. */
static bool are_equal(const int *a, const int *b, int count)
{
    if (NULL == a || NULL == b) {
        return a == b;
    }
    return 0 == memcmp(a, b, (size_t) count * sizeof(*a));
}

bool napcoll_node_map_equal(const napcoll_node_map_t *a, const napcoll_node_map_t *b)
{
    /* the other tables follow from node_of and spot */
    return a->size == b->size && a->nodes == b->nodes && a->max_ppn == b->max_ppn
           && a->oversubscribed == b->oversubscribed && a->local_node == b->local_node
           && a->tree == b->tree && are_equal(a->node_of, b->node_of, a->size)
           && are_equal(a->spot, b->spot, a->nodes)
           && (a->local_node < 0
               || are_equal(a->local_order, b->local_order,
                            napcoll_node_map_ppn(a, a->local_node)));
}

napcoll_node_map_t *napcoll_map_cache_share(napcoll_map_cache_t *cache, napcoll_node_map_t *map)
{
    const uint64_t hash = napcoll_node_map_fingerprint(map);
    napcoll_table_link_t *link;

    for (link = napcoll_table_chain(&cache->table, hash); NULL != link; link = link->next) {
        if (hash == link->hash && napcoll_node_map_equal(map, map_of(link))) {
            napcoll_node_map_free(map);
            return napcoll_map_cache_retain(map_of(link));
        }
    }
    map->shared = 0 == napcoll_table_add(&cache->table, &map->link, hash);
    return map;
}

void napcoll_map_cache_release(napcoll_map_cache_t *cache, napcoll_node_map_t *map)
{
    if (NULL == map || --map->users > 0) {
        return;
    }
    if (map->shared) {
        napcoll_table_remove(&cache->table, &map->link);
    }
    napcoll_node_map_free(map);
}

void napcoll_map_cache_clear(napcoll_map_cache_t *cache)
{
    napcoll_table_link_t *link;

    while (NULL != (link = napcoll_table_take(&cache->table))) {
        map_of(link)->shared = false;
    }
    napcoll_table_release(&cache->table);
}
