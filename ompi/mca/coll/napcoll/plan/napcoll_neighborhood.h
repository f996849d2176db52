/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What one process knows of a communicator's topology: its own edges, and the edges between its
 * node and others, which the processes of a node tell each other. Its memory does not depend on
 * the number of processes. Pure: no MPI in here.
 *
 * All edges from one node to another are a link. One process of each of the two nodes carries the
 * link's message in the coalesced exchange, one that has such an edge itself:
 *
 *     node a                   node b          link a -> b: edges 0 -> 4, 0 -> 5, 2 -> 5
 *     0 --+-------------> 4                    carried by rank 2, say, to rank 4
 *     1   +-------------> 5                    first edge 0 -> 4: the ranks 0 and 4 tell each
 *     2 ----------------> 5                    other which process carries it on their node
 *
 * A node's links are dealt to its processes so that each carries few. The two ends of an edge know
 * its number among the edges of these two ranks in this direction, so all order edges alike.
 */

#ifndef NAPCOLL_NEIGHBORHOOD_H
#define NAPCOLL_NEIGHBORHOOD_H

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** An edge. All of int32_t, so that processes send arrays of them. */
typedef struct napcoll_edge {
    int32_t from;
    int32_t to;
    /** among the edges from the one to the other, from 0 */
    int32_t number;
    /** of the send buffer of an edge that leaves the node, of the receive buffer of one that
     * comes */
    int32_t block;
} napcoll_edge_t;

/** The edges from one node to another. */
typedef struct napcoll_node_link {
    int node;
    /** among the list's edges */
    int first, count;
    /** that carries its message on this node, and on the other one. The latter only the former
     * knows, else it is -1 */
    int carrier, peer;
} napcoll_node_link_t;

/** The edges between this node and others, in one direction. */
typedef struct napcoll_crossing {
    /** [edges] by the other node, from, to, number */
    napcoll_edge_t *edge;
    int edges;
    size_t room;
    /** [links] by the other node */
    napcoll_node_link_t *link;
    int links;
} napcoll_crossing_t;

/** The message to and the one from one distance: direct messages are posted in the order of their
 * turns, so that the first that has not ended is posted on both of its ends. -1: there is none. */
typedef struct napcoll_turn {
    int32_t send;
    int32_t recv;
} napcoll_turn_t;

/** What one process sends and receives in a plan; the larger of both, and the most of all
 * processes where they have agreed on it. */
typedef struct napcoll_neighbor_load {
    /** to or from other nodes */
    int32_t messages;
    int32_t blocks;
    /** inside the node */
    int32_t local_messages;
    int32_t local_blocks;
    /** of the whole node, to or from others */
    int32_t node_messages;
    int32_t node_blocks;
    /** of the whole node, inside it: as if all its processes had as many edges there as this one */
    int32_t node_local_messages;
    int32_t node_local_blocks;
    /** for blocks that stop */
    int32_t slots;
} napcoll_neighbor_load_t;

enum { NAPCOLL_NEIGHBOR_ROWS = 2, NAPCOLL_NEIGHBOR_GOALS = 2 };

typedef struct napcoll_neighborhood {
    int rank;
    /** blocks of the send and of the receive buffer */
    int out, in;
    /** [out + in] of the send buffer, then of the receive buffer */
    napcoll_plan_edge_t *edge;
    /** [turns] the edges to other ranks */
    napcoll_turn_t *turn;
    int turns;
    napcoll_crossing_t leaving;
    napcoll_crossing_t coming;
    /** [0]: of an allgather, [1]: of an all-to-all; by row of the table. The most of all
     * processes */
    napcoll_neighbor_load_t load[NAPCOLL_NEIGHBOR_GOALS][NAPCOLL_NEIGHBOR_ROWS];
} napcoll_neighborhood_t;

/** The neighbours of a process, as MPI orders them. */
typedef struct napcoll_neighbors {
    /** [out], [in] ranks; -1: MPI_PROC_NULL */
    const int *to, *from;
    int out, in;
    /** of a grid: what goes in one direction comes from the other one, so block j of the sender is
     * block j ^ 1 of the receiver where both have several edges */
    bool grid;
} napcoll_neighbors_t;

/**
 * The own edges.
 *
 * @param[in]  map           node map
 * @param[in]  rank          whose
 * @param[in]  neighbors     of the rank
 * @param[out] neighborhood  to be freed, also after an error
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_neighborhood_begin(const napcoll_node_map_t *map, int rank,
                               const napcoll_neighbors_t *neighbors,
                               napcoll_neighborhood_t *neighborhood);

/** The own edges to (leaving) or from other nodes: a new array, which the caller frees; NULL when
 * memory ran out. */
napcoll_edge_t *napcoll_neighborhood_crossing(const napcoll_neighborhood_t *neighborhood,
                                              const napcoll_node_map_t *map, bool leaving,
                                              int *edges);

/** Add edges of this node, the own ones too. Returns 0, or -1 when memory ran out. */
int napcoll_neighborhood_add(napcoll_crossing_t *crossing, const napcoll_edge_t *edge, int edges);

/** Form the links when all edges of the node are there, and deal them to its processes. Their peers
 * are not known yet. Returns 0, or -1 when memory ran out. */
int napcoll_neighborhood_link(napcoll_neighborhood_t *neighborhood, const napcoll_node_map_t *map);

/** The rank of this node, and of the other one, that have a link's first edge. */
static inline int napcoll_link_meets_at(const napcoll_crossing_t *crossing,
                                        const napcoll_node_link_t *link, bool leaving)
{
    const napcoll_edge_t *edge = &crossing->edge[link->first];

    return leaving ? edge->from : edge->to;
}

/** Free the memory; all zero is allowed. */
void napcoll_neighborhood_free(napcoll_neighborhood_t *neighborhood);

#endif /* NAPCOLL_NEIGHBORHOOD_H */
