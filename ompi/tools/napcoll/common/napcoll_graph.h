/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Graphs of neighbours, and what the set-up of a communicator finds in them without a job: the
 * neighbourhood of a rank, from the lists of its node and of the nodes with common edges.
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

/**
 * The neighbourhood of a rank, as the component finds it; the loads are its own. Takes time and
 * memory for its node and the nodes with common edges only.
 *
 * @param[in]  graph         the graph
 * @param[in]  rank          whose
 * @param[out] neighborhood  to be freed, also after an error
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_graph_neighborhood(const napcoll_graph_t *graph, int rank,
                               napcoll_neighborhood_t *neighborhood);

#endif /* NAPCOLL_GRAPH_H */
