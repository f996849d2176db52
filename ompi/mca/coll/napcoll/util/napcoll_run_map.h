/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * An array of very many equal neighbours, kept as runs: of each its first index and its item.
 *
 *     index    0 1 2 3 4 5 6 7        first  0 2 5
 *     item     a a b b b a a a        item   a b a
 *
 * Looking up takes O(log runs), setting O(runs), and neither depends on the array's length.
 */

#ifndef NAPCOLL_RUN_MAP_H
#define NAPCOLL_RUN_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct napcoll_run_map {
    /** indices, from 0 */
    int32_t length;
    int32_t runs, room;
    /** of an item */
    int32_t bytes;
    /** [room] */
    int32_t *first;
    /** [room] items; items of runs that follow each other may be equal */
    char *item;
} napcoll_run_map_t;

/**
 * Begin with one run.
 *
 * @param[out] map     free it in any case
 * @param[in]  length  at least 1
 * @param[in]  item    [bytes] of all indices; copied
 * @param[in]  bytes   of an item
 *
 * @return false when memory ran out
 */
bool napcoll_run_map_begin(napcoll_run_map_t *map, int length, const void *item, int bytes);

void napcoll_run_map_free(napcoll_run_map_t *map);

/** The run that holds an index. */
int napcoll_run_map_find(const napcoll_run_map_t *map, int index);

/** Where a run ends: the first index of the next one, or the length. */
static inline int napcoll_run_map_end(const napcoll_run_map_t *map, int run)
{
    return run + 1 < map->runs ? map->first[run + 1] : map->length;
}

/** A run's item; valid until the map is changed. */
static inline const void *napcoll_run_map_item(const napcoll_run_map_t *map, int run)
{
    return map->item + (size_t) run * (size_t) map->bytes;
}

/**
 * Set the items of some indices.
 *
 * @param[in,out] map    begun
 * @param[in]     first  the first one
 * @param[in]     count  of indices; not beyond the length
 * @param[in]     item   [bytes] copied; not an item of the map
 *
 * @return false when memory ran out; the map is unchanged then
 */
bool napcoll_run_map_set(napcoll_run_map_t *map, int first, int count, const void *item);

#endif /* NAPCOLL_RUN_MAP_H */
