/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lanes that fetch (see the header).
 */

#include "algo/napcoll_fetch.h"

#include "algo/napcoll_split.h"

int napcoll_fetch_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_split_levels(map->nodes, lanes + 1) * napcoll_fetch_share(map, lanes);
}

int napcoll_fetch_lanes(const napcoll_node_map_t *map, int wanted)
{
    const int limit = map->nodes > 2 ? map->nodes - 1 : 1;
    int best = 1;

    if (wanted > 0) {
        return wanted < limit ? wanted : limit;
    }
    for (int lanes = 2; lanes <= map->max_ppn && lanes <= limit; lanes++) {
        if (napcoll_fetch_steps(map, lanes) < napcoll_fetch_steps(map, best)) {
            best = lanes;
        }
    }
    return best;
}
