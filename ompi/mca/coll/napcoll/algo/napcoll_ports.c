/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A node as one process of several ports (see the header).
 */

#include "algo/napcoll_ports.h"

#include "algo/napcoll_split.h"

/* Nobody has more nodes to reach than these. */
static int others(const napcoll_node_map_t *map)
{
    return map->nodes > 1 ? map->nodes - 1 : 1;
}

int napcoll_port_levels(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_split_levels(map->nodes, lanes + 1);
}

int napcoll_port_load(const napcoll_node_map_t *map, int lanes)
{
    return (lanes + map->min_ppn - 1) / map->min_ppn;
}

int napcoll_port_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_port_levels(map, lanes) * napcoll_port_load(map, lanes);
}

int napcoll_port_lanes(const napcoll_node_map_t *map, int wanted)
{
    const int limit = others(map);
    int best = 1;

    if (wanted > 0) {
        return wanted < limit ? wanted : limit;
    }
    for (int lanes = 2; lanes <= map->max_ppn && lanes <= limit; lanes++) {
        const int more = napcoll_port_steps(map, lanes) - napcoll_port_steps(map, best);

        if (more < 0
            || (0 == more && napcoll_port_levels(map, lanes) < napcoll_port_levels(map, best))) {
            best = lanes;
        }
    }
    return best;
}
