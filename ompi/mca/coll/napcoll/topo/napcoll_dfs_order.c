/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The depth-first order from a root (see the header). What is below a switch is one interval of the tree's nodes, so
 * the depth-first order is a few runs of the network's order: of each switch on the way up, what stands before and
 * behind the part that has been seen.
 */

#include "topo/napcoll_dfs_order.h"

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
static void add_piece(napcoll_dfs_order_t *dfs, int from, int end)
{
    napcoll_dfs_order_run_t piece = {.from = from, .nodes = end - from};

    if (from >= end) {
        return;
    }
    if (dfs->pieces > 0) {
        const napcoll_dfs_order_run_t *last = &dfs->piece[dfs->pieces - 1];

        piece.node = last->node + last->nodes;
        piece.process = last->process
                        + napcoll_node_map_network_first(dfs->map, last->from + last->nodes)
                        - napcoll_node_map_network_first(dfs->map, last->from);
    }
    dfs->piece[dfs->pieces++] = piece;
}

napcoll_dfs_order_t napcoll_dfs_order_from(const napcoll_node_map_t *map, int root)
{
    napcoll_dfs_order_t dfs = {.map = map,
                               .root = root,
                               .root_node = napcoll_node_map_node(map, root),
                               .root_lane = napcoll_node_map_lane(map, root)};
    const int first = napcoll_node_map_network_place(map, dfs.root_node);
    int low = 0, high = map->nodes; /* what has been walked */

    if (NULL != map->tree) {
        const napcoll_switch_t *own =
            &map->tree->at[map->tree->switch_of[map->spot[dfs.root_node]]];

        low = place_of_spot(map, own->first);
        high = place_of_spot(map, own->first + own->nodes);
    }
    add_piece(&dfs, first, high);
    add_piece(&dfs, low, first);
    if (NULL == map->tree) {
        return dfs;
    }
    for (int s = map->tree->switch_of[map->spot[dfs.root_node]]; s >= 0;
         s = map->tree->at[s].parent) {
        const napcoll_switch_t *around = &map->tree->at[s];
        const int begin = place_of_spot(map, around->first);
        const int end = place_of_spot(map, around->end);

        add_piece(&dfs, begin, low);
        add_piece(&dfs, high, end);
        low = begin;
        high = end;
    }
    return dfs;
}

int napcoll_dfs_order_node(const napcoll_dfs_order_t *dfs, int place)
{
    int p = 0;

    while (place >= dfs->piece[p].node + dfs->piece[p].nodes) {
        p++;
    }
    return napcoll_node_map_network_order(dfs->map,
                                          dfs->piece[p].from + place - dfs->piece[p].node);
}

/* The piece that has a place of the network's order. */
static const napcoll_dfs_order_run_t *piece_with(const napcoll_dfs_order_t *dfs, int along)
{
    const napcoll_dfs_order_run_t *piece = dfs->piece;

    while (along < piece->from || along >= piece->from + piece->nodes) {
        piece++;
    }
    return piece;
}

int napcoll_dfs_order_place(const napcoll_dfs_order_t *dfs, int node)
{
    const int along = napcoll_node_map_network_place(dfs->map, node);
    const napcoll_dfs_order_run_t *piece = piece_with(dfs, along);

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

        if (napcoll_node_map_network_first(map, middle) <= process) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int napcoll_dfs_order_rank(const napcoll_dfs_order_t *dfs, int place)
{
    const napcoll_node_map_t *map = dfs->map;
    int p = 0, process, along;

    while (p + 1 < dfs->pieces && place >= dfs->piece[p + 1].process) {
        p++;
    }
    process = napcoll_node_map_network_first(map, dfs->piece[p].from) + place
              - dfs->piece[p].process;
    along = along_of_process(map, process);
    return napcoll_dfs_order_member(dfs, napcoll_node_map_network_order(map, along),
                                    process - napcoll_node_map_network_first(map, along));
}

int napcoll_dfs_order_rank_place(const napcoll_dfs_order_t *dfs, int rank)
{
    const int node = napcoll_node_map_node(dfs->map, rank);
    const int along = napcoll_node_map_network_place(dfs->map, node);
    const napcoll_dfs_order_run_t *piece = piece_with(dfs, along);

    return piece->process + napcoll_node_map_network_first(dfs->map, along)
           - napcoll_node_map_network_first(dfs->map, piece->from)
           + napcoll_dfs_order_index(dfs, rank);
}

int napcoll_dfs_order_member(const napcoll_dfs_order_t *dfs, int node, int index)
{
    int lane = index;

    if (node == dfs->root_node) {
        lane = 0 == index ? dfs->root_lane : index <= dfs->root_lane ? index - 1 : index;
    }
    return napcoll_node_map_rank(dfs->map, node, lane);
}

int napcoll_dfs_order_index(const napcoll_dfs_order_t *dfs, int rank)
{
    const int lane = napcoll_node_map_lane(dfs->map, rank);

    if (napcoll_node_map_node(dfs->map, rank) != dfs->root_node) {
        return lane;
    }
    return lane == dfs->root_lane ? 0 : lane < dfs->root_lane ? lane + 1 : lane;
}
