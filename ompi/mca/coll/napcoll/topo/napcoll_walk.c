/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The walk from a root (see the header). What is below a switch is one interval of the tree's nodes, so
 * the walk is a few runs of the network's order: of each switch on the way up, what stands before and
 * behind the part that has been seen.
 */

#include "topo/napcoll_walk.h"

#include <stddef.h>

/* The first place of the network's order whose spot is not below this one. */
static int place_of_spot(const napcoll_node_map_t *map, int spot)
{
    int low = 0, high = map->nodes;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (map->spot[map->along[middle]] < spot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Add the places [from, end), perhaps none. */
static void add_piece(napcoll_walk_t *walk, int from, int end)
{
    napcoll_walk_piece_t piece = {.from = from, .nodes = end - from};

    if (from >= end) {
        return;
    }
    if (walk->pieces > 0) {
        const napcoll_walk_piece_t *last = &walk->piece[walk->pieces - 1];

        piece.node = last->node + last->nodes;
        piece.process = last->process
                        + napcoll_node_map_first_along(walk->map, last->from + last->nodes)
                        - napcoll_node_map_first_along(walk->map, last->from);
    }
    walk->piece[walk->pieces++] = piece;
}

napcoll_walk_t napcoll_walk_from(const napcoll_node_map_t *map, int root)
{
    napcoll_walk_t walk = {.map = map,
                           .root = root,
                           .root_node = napcoll_node_map_node(map, root),
                           .root_lane = napcoll_node_map_lane(map, root)};
    const int first = napcoll_node_map_place_along(map, walk.root_node);
    int low = 0, high = map->nodes; /* what has been walked */

    if (NULL != map->tree) {
        const napcoll_switch_t *own =
            &map->tree->at[map->tree->switch_of[map->spot[walk.root_node]]];

        low = place_of_spot(map, own->first);
        high = place_of_spot(map, own->first + own->nodes);
    }
    add_piece(&walk, first, high);
    add_piece(&walk, low, first);
    if (NULL == map->tree) {
        return walk;
    }
    for (int s = map->tree->switch_of[map->spot[walk.root_node]]; s >= 0;
         s = map->tree->at[s].parent) {
        const napcoll_switch_t *around = &map->tree->at[s];
        const int begin = place_of_spot(map, around->first);
        const int end = place_of_spot(map, around->end);

        add_piece(&walk, begin, low);
        add_piece(&walk, high, end);
        low = begin;
        high = end;
    }
    return walk;
}

int napcoll_walk_node(const napcoll_walk_t *walk, int place)
{
    int p = 0;

    while (place >= walk->piece[p].node + walk->piece[p].nodes) {
        p++;
    }
    return napcoll_node_map_along(walk->map, walk->piece[p].from + place - walk->piece[p].node);
}

/* The piece that has a place of the network's order. */
static const napcoll_walk_piece_t *piece_with(const napcoll_walk_t *walk, int along)
{
    const napcoll_walk_piece_t *piece = walk->piece;

    while (along < piece->from || along >= piece->from + piece->nodes) {
        piece++;
    }
    return piece;
}

int napcoll_walk_place(const napcoll_walk_t *walk, int node)
{
    const int along = napcoll_node_map_place_along(walk->map, node);
    const napcoll_walk_piece_t *piece = piece_with(walk, along);

    return piece->node + along - piece->from;
}

/* The place of the network's order whose node has the process with this number, of all in that order. */
static int along_of_process(const napcoll_node_map_t *map, int process)
{
    int low = 0, high = map->nodes - 1;

    if (NULL == map->first && NULL == map->along) {
        return process / map->max_ppn;
    }
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;

        if (napcoll_node_map_first_along(map, middle) <= process) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int napcoll_walk_rank(const napcoll_walk_t *walk, int place)
{
    const napcoll_node_map_t *map = walk->map;
    int p = 0, process, along;

    while (p + 1 < walk->pieces && place >= walk->piece[p + 1].process) {
        p++;
    }
    process = napcoll_node_map_first_along(map, walk->piece[p].from) + place
              - walk->piece[p].process;
    along = along_of_process(map, process);
    return napcoll_walk_member(walk, napcoll_node_map_along(map, along),
                               process - napcoll_node_map_first_along(map, along));
}

int napcoll_walk_rank_place(const napcoll_walk_t *walk, int rank)
{
    const int node = napcoll_node_map_node(walk->map, rank);
    const int along = napcoll_node_map_place_along(walk->map, node);
    const napcoll_walk_piece_t *piece = piece_with(walk, along);

    return piece->process + napcoll_node_map_first_along(walk->map, along)
           - napcoll_node_map_first_along(walk->map, piece->from) + napcoll_walk_index(walk, rank);
}

int napcoll_walk_member(const napcoll_walk_t *walk, int node, int index)
{
    int lane = index;

    if (node == walk->root_node) {
        lane = 0 == index ? walk->root_lane : index <= walk->root_lane ? index - 1 : index;
    }
    return napcoll_node_map_rank(walk->map, node, lane);
}

int napcoll_walk_index(const napcoll_walk_t *walk, int rank)
{
    const int lane = napcoll_node_map_lane(walk->map, rank);

    if (napcoll_node_map_node(walk->map, rank) != walk->root_node) {
        return lane;
    }
    return lane == walk->root_lane ? 0 : lane < walk->root_lane ? lane + 1 : lane;
}
