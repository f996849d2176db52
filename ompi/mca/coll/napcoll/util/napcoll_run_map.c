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
    int run = 0;

    /* no branches that depend on the index: they would be guessed wrong half of the time */
    for (int left = map->runs, half = left / 2; half > 0; left -= half, half = left / 2) {
        run += map->first[run + half] <= index ? half : 0;
    }
    return run;
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

/* Let a run, which holds an index, begin there; return it. There is room. */
static int cut_at(napcoll_run_map_t *map, int run, int index)
{
    if (map->first[run] == index) {
        return run;
    }
    move_runs(map, run, run + 1);
    map->first[run + 1] = index;
    return run + 1;
}

bool napcoll_run_map_set(napcoll_run_map_t *map, int first, int count, const void *item)
{
    const int end = first + count;
    int from, to;

    if (count <= 0) {
        return true;
    }
    if (!make_room(map, map->runs + ADDED)) {
        return false;
    }
    from = to = cut_at(map, napcoll_run_map_find(map, first), first);
    /* what lies between is removed: no need to look for the end in a better way */
    while (napcoll_run_map_end(map, to) < end) {
        to++;
    }
    to = end == napcoll_run_map_end(map, to) ? to + 1 : cut_at(map, to, end);
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
