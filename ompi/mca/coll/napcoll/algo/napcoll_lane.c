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

int napcoll_lane_own(const napcoll_request_t *request)
{
    const int lane = napcoll_node_map_lane(request->map, request->rank);

    return lane < napcoll_lane_count(request->map)
               ? lane * request->map->nodes + napcoll_node_map_node(request->map, request->rank)
               : -1;
}

int napcoll_lane_schedule(napcoll_schedule_t *schedule, const napcoll_request_t *request, int radix)
{
    const napcoll_node_map_t *map = request->map;
    const int lanes = napcoll_lane_count(map), nodes = map->nodes;
    const int node = napcoll_node_map_node(map, request->rank);
    const int lane = napcoll_node_map_lane(map, request->rank);
    const napcoll_group_t group = {.members = nodes,
                                   .self = node,
                                   .rank = lane_rank,
                                   .first = lane_first,
                                   .map = map,
                                   .lane = lane};
    const int inter = napcoll_split_levels(nodes, radix);

    if (lane < lanes) {
        (void) napcoll_schedule_bruck(schedule, &group, 0, radix);
    }
    for (int other = 0; other < napcoll_node_map_ppn(map, node); other++) {
        const int peer = napcoll_node_map_rank(map, node, other);

        if (other != lane && other < lanes) {
            napcoll_schedule_move(schedule, inter, peer, false, other * nodes, nodes);
        }
        if (other != lane && lane < lanes) {
            napcoll_schedule_move(schedule, inter, peer, true, lane * nodes, nodes);
        }
    }
    schedule->stages = inter + 1;
    return inter;
}

/* Slices meet at the root: one message each. */
static void collect_slices(napcoll_schedule_t *schedule, const napcoll_request_t *request, int lane,
                           int stage)
{
    const napcoll_node_map_t *map = request->map;
    const int root = napcoll_request_root(request), lanes = napcoll_lane_count(map);
    const int nodes = map->nodes, node = napcoll_node_map_node(map, root);

    for (int other = 0; other < lanes && request->rank == root; other++) {
        if (other != lane) {
            napcoll_schedule_move(schedule, stage, napcoll_node_map_rank(map, node, other), false,
                                  other * nodes, nodes);
        }
    }
    if (request->rank != root && lane < lanes
        && node == napcoll_node_map_node(map, request->rank)) {
        napcoll_schedule_move(schedule, stage, root, true, lane * nodes, nodes);
    }
}

void napcoll_lane_collect(napcoll_schedule_t *schedule, const napcoll_request_t *request, int radix)
{
    const napcoll_node_map_t *map = request->map;
    const int lane = napcoll_node_map_lane(map, request->rank);
    const int root = napcoll_node_map_node(map, napcoll_request_root(request));
    const napcoll_group_t group = {.members = map->nodes,
                                   .self = napcoll_node_map_node(map, request->rank),
                                   .rank = lane_rank,
                                   .first = lane_first,
                                   .map = map,
                                   .lane = lane};
    const int inter = napcoll_split_levels(map->nodes, radix);

    if (lane < napcoll_lane_count(map)) {
        (void) napcoll_schedule_collect(schedule, &group, 0, radix, root);
    }
    collect_slices(schedule, request, lane, inter);
    schedule->stages = inter + 1;
}

napcoll_bounds_t napcoll_lane_bounds(const napcoll_node_map_t *map, int radix)
{
    /* a run of blocks that goes round the end of a slice is two messages */
    const int inter = map->nodes > radix ? 2 * (radix - 1) : map->nodes - 1;
    const int all = map->max_ppn - 1 > inter ? map->max_ppn - 1 : inter;

    return (napcoll_bounds_t){.inter = inter, .all = all > 0 ? all : 1};
}
