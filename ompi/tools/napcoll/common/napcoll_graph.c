/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Graphs of neighbours (see the header).
 */

#include "common/napcoll_graph.h"

#include <stdlib.h>

#include "algo/napcoll_generators.h"

/* What a rank knows before it meets other nodes. */
static int begin(const napcoll_graph_t *graph, int rank, napcoll_neighborhood_t *n)
{
    const napcoll_node_map_t *map = graph->map;
    const int node = napcoll_node_map_node(map, rank), ppn = napcoll_node_map_ppn(map, node);
    napcoll_neighbors_t neighbors;
    int rc;

    graph->neighbors_of(graph->context, rank, &neighbors);
    rc = napcoll_neighborhood_begin(map, rank, &neighbors, n);
    for (int lane = 0; lane < ppn && 0 == rc; lane++) {
        const int other = napcoll_node_map_rank(map, node, lane);
        napcoll_neighborhood_t theirs;

        graph->neighbors_of(graph->context, other, &neighbors);
        rc = napcoll_neighborhood_begin(map, other, &neighbors, &theirs);
        for (int leaving = 0; leaving < 2 && 0 == rc; leaving++) {
            int edges;
            napcoll_edge_t *edge = napcoll_neighborhood_crossing(&theirs, map, leaving, &edges);
            napcoll_crossing_t *crossing = leaving ? &n->leaving : &n->coming;

            rc = NULL == edge ? -1 : napcoll_neighborhood_add(crossing, edge, edges);
            free(edge);
        }
        napcoll_neighborhood_free(&theirs);
    }
    return 0 == rc ? napcoll_neighborhood_link(n, map) : rc;
}

/* Find who carries a link on the other node. */
static int meet(const napcoll_graph_t *graph, napcoll_crossing_t *crossing,
                napcoll_node_link_t *link, bool leaving)
{
    const int node = napcoll_node_map_node(graph->map,
                                           napcoll_link_meets_at(crossing, link, leaving));
    napcoll_neighborhood_t other;
    const int rc = begin(graph, napcoll_link_meets_at(crossing, link, !leaving), &other);
    const napcoll_crossing_t *theirs = leaving ? &other.coming : &other.leaving;

    for (int i = 0; i < theirs->links && 0 == rc; i++) {
        if (theirs->link[i].node == node) {
            link->peer = theirs->link[i].carrier;
        }
    }
    napcoll_neighborhood_free(&other);
    return rc;
}

int napcoll_graph_neighborhood(const napcoll_graph_t *graph, int rank, napcoll_neighborhood_t *n)
{
    int rc = begin(graph, rank, n);

    for (int leaving = 0; leaving < 2; leaving++) {
        napcoll_crossing_t *crossing = leaving ? &n->leaving : &n->coming;

        for (int i = 0; i < crossing->links && 0 == rc; i++) {
            if (crossing->link[i].carrier == rank) {
                rc = meet(graph, crossing, &crossing->link[i], leaving);
            }
        }
    }
    return 0 == rc ? napcoll_neighbor_measure(graph->map, n) : rc;
}
