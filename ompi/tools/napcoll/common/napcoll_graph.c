/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Neighbourhoods of all ranks of a graph (see the header).
 *
 *     own edges of each rank -> edges of each node, links -> the peers of links -> ranks
 */

#include "common/napcoll_graph.h"

#include <stdlib.h>

#include "algo/napcoll_generators.h"

/* ---- nodes ---- */

/* The own edges of a rank, which are also edges of its node. */
static int begin_rank(const napcoll_graph_t *graph, int rank, napcoll_neighborhoods_t *all)
{
    const int node = napcoll_node_map_node(graph->map, rank);
    napcoll_neighbors_t neighbors;
    int rc;

    graph->neighbors_of(graph->context, rank, &neighbors);
    rc = napcoll_neighborhood_begin(graph->map, rank, &neighbors, &all->of[rank]);
    for (int leaving = 0; leaving < 2 && 0 == rc; leaving++) {
        int edges;
        napcoll_crossing_t *crossing = leaving ? &all->leaving[node] : &all->coming[node];
        napcoll_edge_t *edge = napcoll_neighborhood_crossing(&all->of[rank], graph->map, leaving,
                                                             &edges);

        rc = NULL == edge ? -1 : napcoll_neighborhood_add(crossing, edge, edges);
        free(edge);
    }
    return rc;
}

/* Form the links of a node when all its edges are there. */
static int link_node(const napcoll_graph_t *graph, int node, napcoll_neighborhoods_t *all)
{
    napcoll_neighborhood_t n = {.leaving = all->leaving[node], .coming = all->coming[node]};
    const int rc = napcoll_neighborhood_link(&n, graph->map);

    all->leaving[node] = n.leaving;
    all->coming[node] = n.coming;
    return rc;
}

/* ---- links ---- */

/* A link by the other node; links are in this order. There is one. */
static napcoll_node_link_t *find_link(const napcoll_crossing_t *crossing, int node)
{
    int low = 0, high = crossing->links - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (crossing->link[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &crossing->link[low];
}

/* The ends of all links that leave a node tell each other who carries them. */
static void meet(const napcoll_neighborhoods_t *all, int node)
{
    for (int i = 0; i < all->leaving[node].links; i++) {
        napcoll_node_link_t *link = &all->leaving[node].link[i];
        napcoll_node_link_t *other = find_link(&all->coming[link->node], node);

        link->peer = other->carrier;
        other->peer = link->carrier;
    }
}

/* ---- all ---- */

int napcoll_neighborhoods_open(const napcoll_graph_t *graph, napcoll_neighborhoods_t *all)
{
    const int ranks = graph->map->size, nodes = graph->map->nodes;
    int rc = 0;

    *all = (napcoll_neighborhoods_t){.of = calloc((size_t) ranks, sizeof(*all->of)),
                                     .leaving = calloc((size_t) nodes, sizeof(*all->leaving)),
                                     .coming = calloc((size_t) nodes, sizeof(*all->coming))};
    if (NULL == all->of || NULL == all->leaving || NULL == all->coming) {
        return -1;
    }
    all->ranks = ranks;
    all->nodes = nodes;
    for (int rank = 0; rank < ranks && 0 == rc; rank++) {
        rc = begin_rank(graph, rank, all);
    }
    for (int node = 0; node < nodes && 0 == rc; node++) {
        rc = link_node(graph, node, all);
    }
    for (int node = 0; node < nodes && 0 == rc; node++) {
        meet(all, node);
    }
    for (int rank = 0; rank < ranks && 0 == rc; rank++) {
        const int node = napcoll_node_map_node(graph->map, rank);

        all->of[rank].leaving = all->leaving[node];
        all->of[rank].coming = all->coming[node];
    }
    return rc;
}

/* Make each number of a load the larger one of two. */
static void enlarge(int32_t *most, const int32_t *load, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) {
        most[i] = most[i] > load[i] ? most[i] : load[i];
    }
}

int napcoll_neighborhoods_agree(const napcoll_node_map_t *map, napcoll_neighborhoods_t *all)
{
    const size_t numbers = sizeof(all->of[0].load) / sizeof(int32_t);
    int32_t *most = calloc(numbers, sizeof(*most));
    int rc = NULL == most ? -1 : 0;

    for (int rank = 0; rank < all->ranks && 0 == rc; rank++) {
        rc = napcoll_neighbor_measure(map, &all->of[rank]);
        enlarge(most, &all->of[rank].load[0][0].messages, numbers);
    }
    for (int rank = 0; rank < all->ranks && 0 == rc; rank++) {
        enlarge(&all->of[rank].load[0][0].messages, most, numbers);
    }
    free(most);
    return rc;
}

static void free_crossings(napcoll_crossing_t *crossing, int nodes)
{
    for (int node = 0; node < nodes; node++) {
        free(crossing[node].edge);
        free(crossing[node].link);
    }
    free(crossing);
}

void napcoll_neighborhoods_free(napcoll_neighborhoods_t *all)
{
    for (int rank = 0; rank < all->ranks; rank++) {
        all->of[rank].leaving = all->of[rank].coming = (napcoll_crossing_t){.edges = 0};
        napcoll_neighborhood_free(&all->of[rank]);
    }
    free(all->of);
    free_crossings(all->leaving, all->nodes);
    free_crossings(all->coming, all->nodes);
    *all = (napcoll_neighborhoods_t){.ranks = 0};
}
