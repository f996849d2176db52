/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The depth-first order from a root (see the header). The nodes below a switch are one interval of
 * the tree's nodes. So the order is a few runs of the network's order: for each switch from the
 * root's upwards, the nodes before and behind the part that is already in the order.
 */

#include "topo/napcoll_dfs_order.h"

#include <stddef.h>

/* The first place of the network's order whose spot is at least `spot`. */
static int place_of_spot(const napcoll_node_map_t *map, int spot)
{
    int low = 0, high = map->nodes;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (map->spot[map->network_order[middle]] < spot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Add the places [from, end), perhaps none. */
static void add_run(napcoll_dfs_order_t *dfs, int from, int end)
{
    napcoll_dfs_order_run_t run = {.from = from, .nodes = end - from};

    if (from >= end) {
        return;
    }
    if (dfs->runs > 0) {
        const napcoll_dfs_order_run_t *last = &dfs->run[dfs->runs - 1];

        run.node = last->node + last->nodes;
        run.process = last->process
                      + napcoll_node_map_network_first(dfs->map, last->from + last->nodes)
                      - napcoll_node_map_network_first(dfs->map, last->from);
    }
    dfs->run[dfs->runs++] = run;
}

napcoll_dfs_order_t napcoll_dfs_order_from(const napcoll_node_map_t *map, int root)
{
    napcoll_dfs_order_t dfs = {.map = map,
                               .root = root,
                               .root_node = napcoll_node_map_node(map, root),
                               .root_lane = napcoll_node_map_lane(map, root)};
    const napcoll_switch_tree_t *tree = map->tree;
    const int first = napcoll_node_map_network_place(map, dfs.root_node);
    const int own = NULL == tree ? -1 : tree->switch_of[map->spot[dfs.root_node]];
    /* the places that are in the order */
    int low = 0, high = map->nodes;

    if (own >= 0) {
        low = place_of_spot(map, tree->at[own].first);
        high = place_of_spot(map, tree->at[own].first + tree->at[own].nodes);
    }
    add_run(&dfs, first, high);
    add_run(&dfs, low, first);
    for (int s = own; s >= 0; s = tree->at[s].parent) {
        const int begin = place_of_spot(map, tree->at[s].first);
        const int end = place_of_spot(map, tree->at[s].end);

        add_run(&dfs, begin, low);
        add_run(&dfs, high, end);
        low = begin;
        high = end;
    }
    return dfs;
}

int napcoll_dfs_order_node(const napcoll_dfs_order_t *dfs, int place)
{
    const napcoll_dfs_order_run_t *run = dfs->run;

    while (place >= run->node + run->nodes) {
        run++;
    }
    return napcoll_node_map_network_order(dfs->map, run->from + place - run->node);
}

/* The run that contains a place of the network's order. */
static const napcoll_dfs_order_run_t *run_with(const napcoll_dfs_order_t *dfs, int place)
{
    const napcoll_dfs_order_run_t *run = dfs->run;

    while (place < run->from || place >= run->from + run->nodes) {
        run++;
    }
    return run;
}

int napcoll_dfs_order_place(const napcoll_dfs_order_t *dfs, int node)
{
    const int place = napcoll_node_map_network_place(dfs->map, node);
    const napcoll_dfs_order_run_t *run = run_with(dfs, place);

    return run->node + place - run->from;
}

/* The place of the network's order whose node has a process, by its number in that order. */
static int place_of_process(const napcoll_node_map_t *map, int process)
{
    int low = 0, high = map->nodes - 1;

    if (NULL == map->first && NULL == map->network_order) {
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
    int r = 0, process, node_place;

    while (r + 1 < dfs->runs && place >= dfs->run[r + 1].process) {
        r++;
    }
    process = napcoll_node_map_network_first(map, dfs->run[r].from) + place - dfs->run[r].process;
    node_place = place_of_process(map, process);
    return napcoll_dfs_order_member(dfs, napcoll_node_map_network_order(map, node_place),
                                    process - napcoll_node_map_network_first(map, node_place));
}

int napcoll_dfs_order_rank_place(const napcoll_dfs_order_t *dfs, int rank)
{
    const int node = napcoll_node_map_node(dfs->map, rank);
    const int place = napcoll_node_map_network_place(dfs->map, node);
    const napcoll_dfs_order_run_t *run = run_with(dfs, place);

    return run->process + napcoll_node_map_network_first(dfs->map, place)
           - napcoll_node_map_network_first(dfs->map, run->from)
           + napcoll_dfs_order_index(dfs, rank);
}

int napcoll_dfs_order_member(const napcoll_dfs_order_t *dfs, int node, int index)
{
    int lane = index;

    if (node == dfs->root_node && index <= dfs->root_lane) {
        lane = 0 == index ? dfs->root_lane : index - 1;
    }
    return napcoll_node_map_rank(dfs->map, node, lane);
}

int napcoll_dfs_order_index(const napcoll_dfs_order_t *dfs, int rank)
{
    const int lane = napcoll_node_map_lane(dfs->map, rank);

    if (napcoll_node_map_node(dfs->map, rank) != dfs->root_node || lane > dfs->root_lane) {
        return lane;
    }
    return lane == dfs->root_lane ? 0 : lane + 1;
}
