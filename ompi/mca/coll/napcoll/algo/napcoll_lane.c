/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The lanes' way of spreading a large vector (see the header).
 */

#include "algo/napcoll_lane.h"

#include "algo/napcoll_split.h"

/* With more nodes than this a message to each of them at once is too many. */
enum { MOST_AT_ONCE = 32, RADIX_BEYOND = 8 };

int napcoll_lane_radix(const napcoll_node_map_t *map, int wanted)
{
    const int radix = wanted >= 2 ? wanted : map->nodes <= MOST_AT_ONCE ? map->nodes : RADIX_BEYOND;

    return radix < 2 ? 2 : radix;
}

static int lane_rank(const napcoll_group_t *group, int node)
{
    return napcoll_node_map_rank(group->map, node, group->lane);
}

static int lane_first(const napcoll_group_t *group, int node)
{
    return group->lane * group->members + node;
}

int napcoll_lane_own(const napcoll_plan_args_t *args)
{
    const int lane = napcoll_node_map_lane(args->map, args->rank);

    return lane < napcoll_lane_count(args->map)
               ? lane * args->map->nodes + napcoll_node_map_node(args->map, args->rank)
               : -1;
}

int napcoll_lane_route(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix)
{
    const napcoll_node_map_t *map = args->map;
    const int lanes = napcoll_lane_count(map), nodes = map->nodes;
    const int node = napcoll_node_map_node(map, args->rank);
    const int lane = napcoll_node_map_lane(map, args->rank);
    const napcoll_group_t group = {.members = nodes,
                                   .self = node,
                                   .rank = lane_rank,
                                   .first = lane_first,
                                   .map = map,
                                   .lane = lane};
    const int inter = napcoll_split_levels(nodes, radix);

    if (lane < lanes) {
        (void) napcoll_route_bruck(route, &group, 0, radix);
    }
    for (int other = 0; other < napcoll_node_map_ppn(map, node); other++) {
        const int peer = napcoll_node_map_rank(map, node, other);

        if (other != lane && other < lanes) {
            napcoll_route_move(route, inter, peer, false, other * nodes, nodes);
        }
        if (other != lane && lane < lanes) {
            napcoll_route_move(route, inter, peer, true, lane * nodes, nodes);
        }
    }
    route->stages = inter + 1;
    return inter;
}

/* Slices meet at the root: one message each. */
static void collect_slices(napcoll_route_t *route, const napcoll_plan_args_t *args, int lane,
                           int stage)
{
    const napcoll_node_map_t *map = args->map;
    const int root = napcoll_plan_args_root(args), lanes = napcoll_lane_count(map);
    const int nodes = map->nodes, node = napcoll_node_map_node(map, root);

    for (int other = 0; other < lanes && args->rank == root; other++) {
        if (other != lane) {
            napcoll_route_move(route, stage, napcoll_node_map_rank(map, node, other), false,
                               other * nodes, nodes);
        }
    }
    if (args->rank != root && lane < lanes && node == napcoll_node_map_node(map, args->rank)) {
        napcoll_route_move(route, stage, root, true, lane * nodes, nodes);
    }
}

void napcoll_lane_collect(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix)
{
    const napcoll_node_map_t *map = args->map;
    const int lane = napcoll_node_map_lane(map, args->rank);
    const int root = napcoll_node_map_node(map, napcoll_plan_args_root(args));
    const napcoll_group_t group = {.members = map->nodes,
                                   .self = napcoll_node_map_node(map, args->rank),
                                   .rank = lane_rank,
                                   .first = lane_first,
                                   .map = map,
                                   .lane = lane};
    const int inter = napcoll_split_levels(map->nodes, radix);

    if (lane < napcoll_lane_count(map)) {
        (void) napcoll_route_collect(route, &group, 0, radix, root);
    }
    collect_slices(route, args, lane, inter);
    route->stages = inter + 1;
}

napcoll_bounds_t napcoll_lane_bounds(const napcoll_node_map_t *map, int radix)
{
    /* a run of blocks that goes round the end of a slice is two messages */
    const int inter = map->nodes > radix ? 2 * (radix - 1) : map->nodes - 1;
    const int all = map->max_ppn - 1 > inter ? map->max_ppn - 1 : inter;

    return (napcoll_bounds_t){.inter = inter, .all = all > 0 ? all : 1};
}
