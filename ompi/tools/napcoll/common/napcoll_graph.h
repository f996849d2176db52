/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Graphs of neighbours, and what the set-up of a communicator finds in them without a job: the
 * neighbourhoods of all ranks. What the ranks of a node know alike, its edges to and from other
 * nodes, is kept once for the node.
 */

#ifndef NAPCOLL_GRAPH_H
#define NAPCOLL_GRAPH_H

#include "plan/napcoll_neighborhood.h"

/** Tells the neighbours of any rank, in MPI's order. The lists are valid until the next call. */
typedef void (*napcoll_neighbors_of_t)(void *context, int rank, napcoll_neighbors_t *neighbors);

/** A graph, and the map of its ranks. */
typedef struct napcoll_graph {
    const napcoll_node_map_t *map;
    napcoll_neighbors_of_t neighbors_of;
    void *context;
} napcoll_graph_t;

/** The neighbourhoods of all ranks. */
typedef struct napcoll_neighborhoods {
    int ranks, nodes;
    /** [ranks]; leaving and coming belong to the node */
    napcoll_neighborhood_t *of;
    /** [nodes] */
    napcoll_crossing_t *leaving;
    napcoll_crossing_t *coming;
} napcoll_neighborhoods_t;

/**
 * Find the neighbourhoods of all ranks as the component finds them, except two things: the peers of
 * all links of a node are known, not only of those that the rank carries, and nothing is agreed on
 * yet. Takes time for all edges.
 *
 * @param[in]  graph  the graph
 * @param[out] all    to be freed, also after an error
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_neighborhoods_open(const napcoll_graph_t *graph, napcoll_neighborhoods_t *all);

/** Let all ranks agree on the most that any of them sends or receives, on which estimates rest.
 * Makes the plans of all ranks. Returns 0, or -1 when memory ran out. */
int napcoll_neighborhoods_agree(const napcoll_node_map_t *map, napcoll_neighborhoods_t *all);

/** Free the memory; all zero is allowed. */
void napcoll_neighborhoods_free(napcoll_neighborhoods_t *all);

#endif /* NAPCOLL_GRAPH_H */
