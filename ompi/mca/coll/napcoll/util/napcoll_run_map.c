/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Runs of equal items (see the header).
 */

#include "util/napcoll_run_map.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Setting adds at most two runs. */
    ADDED = 2,
    LEAST_ROOM = 4
};

static bool make_room(napcoll_run_map_t *map, int room)
{
    const size_t bytes = (size_t) map->bytes;
    int32_t *first;
    char *item;

    if (room <= map->room) {
        return true;
    }
    /* there are very many maps: no more room than half as much again */
    room = map->room + map->room / 2 > room ? map->room + map->room / 2 : room;
    first = realloc(map->first, (size_t) room * sizeof(*first));
    map->first = NULL == first ? map->first : first;
    item = NULL == first ? NULL : realloc(map->item, (size_t) room * bytes);
    if (NULL == item) {
        return false;
    }
    map->item = item;
    map->room = room;
    return true;
}

bool napcoll_run_map_begin(napcoll_run_map_t *map, int length, const void *item, int bytes)
{
    *map = (napcoll_run_map_t){.length = length, .bytes = bytes};
    if (!make_room(map, LEAST_ROOM)) {
        return false;
    }
    map->first[0] = 0;
    memcpy(map->item, item, (size_t) bytes);
    map->runs = 1;
    return true;
}

void napcoll_run_map_free(napcoll_run_map_t *map)
{
    free(map->first);
    free(map->item);
    *map = (napcoll_run_map_t){0};
}

int napcoll_run_map_find(const napcoll_run_map_t *map, int index)
{
    int low = 0, high = map->runs;

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;

        if (map->first[middle] <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline char *item_of(napcoll_run_map_t *map, int run)
{
    return map->item + (size_t) run * (size_t) map->bytes;
}

static bool has_item(const napcoll_run_map_t *map, int run, const void *item)
{
    return 0 == memcmp(napcoll_run_map_item(map, run), item, (size_t) map->bytes);
}

/* Move the runs from `from` on to where `to` is. */
static void move_runs(napcoll_run_map_t *map, int from, int to)
{
    const size_t moved = (size_t) (map->runs - from);

    memmove(map->first + to, map->first + from, moved * sizeof(*map->first));
    memmove(item_of(map, to), item_of(map, from), moved * (size_t) map->bytes);
    map->runs += to - from;
}

/* Let a run begin at an index, and return it; `runs` for the length. There is room. */
static int cut_at(napcoll_run_map_t *map, int index)
{
    const int run = napcoll_run_map_find(map, index);

    if (index == map->length) {
        return map->runs;
    }
    if (map->first[run] == index) {
        return run;
    }
    move_runs(map, run, run + 1);
    map->first[run + 1] = index;
    return run + 1;
}

bool napcoll_run_map_set(napcoll_run_map_t *map, int first, int count, const void *item)
{
    int from, to;

    if (count <= 0) {
        return true;
    }
    if (!make_room(map, map->runs + ADDED)) {
        return false;
    }
    from = cut_at(map, first);
    to = cut_at(map, first + count);
    if (to < map->runs && has_item(map, to, item)) {
        to++;
    }
    if (from > 0 && has_item(map, from - 1, item)) {
        move_runs(map, to, from);
        return true;
    }
    map->first[from] = first;
    memcpy(item_of(map, from), item, (size_t) map->bytes);
    move_runs(map, to, from + 1);
    return true;
}
