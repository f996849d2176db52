/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lanes (see the header).
 */

#include "algo/pattern/napcoll_lanes.h"

/* ---- ports ---- */

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
    const int limit = map->nodes > 1 ? map->nodes - 1 : 1;
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

/* ---- slices ---- */

/* Up to this number of nodes a lane sends to all of them at once; beyond, the radix is smaller. */
enum { MOST_AT_ONCE = 32, RADIX_BEYOND = 8 };

int napcoll_slice_radix(const napcoll_node_map_t *map, int wanted)
{
    int radix = wanted;

    if (wanted < 2) {
        radix = map->nodes <= MOST_AT_ONCE ? map->nodes : RADIX_BEYOND;
    }
    return radix < 2 ? 2 : radix;
}

int napcoll_slice_own(const napcoll_plan_args_t *args)
{
    const int lane = napcoll_node_map_lane(args->map, args->rank);

    return lane < napcoll_slice_lanes(args->map)
               ? lane * args->map->nodes + napcoll_node_map_node(args->map, args->rank)
               : -1;
}

/* The owners of a slice. */
static napcoll_group_t owners(const napcoll_plan_args_t *args, int radix)
{
    napcoll_group_t group = napcoll_group_lane(args);

    group.radix = radix;
    group.base = group.lane * group.members;
    return group;
}

void napcoll_slice_route(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_group_t group = owners(args, radix);
    const int lanes = napcoll_slice_lanes(map), nodes = map->nodes, lane = group.lane;
    const int inter = napcoll_split_levels(nodes, radix);

    if (lane < lanes) {
        (void) napcoll_route_bruck(route, &group, 0, radix);
    }
    for (int other = 0; other < napcoll_node_map_ppn(map, group.self); other++) {
        const int peer = napcoll_node_map_rank(map, group.self, other);

        if (other != lane && other < lanes) {
            napcoll_route_move(route, inter, peer, false, other * nodes, nodes);
        }
        if (other != lane && lane < lanes) {
            napcoll_route_move(route, inter, peer, true, lane * nodes, nodes);
        }
    }
    route->stages = inter + 1;
}

void napcoll_slice_gather(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix)
{
    const napcoll_node_map_t *map = args->map;
    const napcoll_group_t group = owners(args, radix);
    const int lanes = napcoll_slice_lanes(map), nodes = map->nodes, lane = group.lane;
    const int root = napcoll_plan_args_root(args), inter = napcoll_split_levels(nodes, radix);

    if (lane < lanes) {
        (void) napcoll_route_tree(route, &group, 0, NAPCOLL_ROUTE_UP, NULL);
    }
    for (int other = 0; other < lanes && args->rank == root; other++) {
        if (other != lane) {
            napcoll_route_move(route, inter, napcoll_node_map_rank(map, group.root, other), false,
                               other * nodes, nodes);
        }
    }
    if (args->rank != root && lane < lanes && group.self == group.root) {
        napcoll_route_move(route, inter, root, true, lane * nodes, nodes);
    }
    route->stages = inter + 1;
}

void napcoll_slice_deal(napcoll_route_t *route, const napcoll_group_t *node, int lanes, int stage,
                        int first, int apart)
{
    for (int lane = 1; lane < lanes && 0 == node->self; lane++) {
        napcoll_route_move(route, stage, node->rank(node, lane), true, first + lane * apart, 1);
    }
    if (node->self > 0 && node->self < lanes) {
        napcoll_route_move(route, stage, node->rank(node, 0), false, first + node->self * apart, 1);
    }
}

void napcoll_slice_share(napcoll_route_t *route, const napcoll_group_t *node, int lanes, int stage,
                         int first, int apart, bool with_root)
{
    const int self = node->self;

    for (int away = 1; away < node->members; away++) {
        const int from = (self + node->members - away) % node->members;
        const int to = (self + away) % node->members;

        if (from < lanes && !(with_root && 0 == self)) {
            napcoll_route_move(route, stage, node->rank(node, from), false, first + from * apart,
                               1);
        }
        if (self < lanes && !(with_root && 0 == to)) {
            napcoll_route_move(route, stage, node->rank(node, to), true, first + self * apart, 1);
        }
    }
}

napcoll_bounds_t napcoll_slice_bounds(const napcoll_node_map_t *map, int radix)
{
    /* A run of blocks round the end of a slice is two messages. */
    const int inter = map->nodes > radix ? 2 * (radix - 1) : map->nodes - 1;

    return napcoll_bounds_either(inter, napcoll_max(map->max_ppn - 1, 1));
}
