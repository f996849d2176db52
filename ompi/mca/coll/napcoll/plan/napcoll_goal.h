/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Goals: what the plans of all ranks achieve together, and what an algorithm claims of its plans.
 * The verifier proves both.
 */

#ifndef NAPCOLL_GOAL_H
#define NAPCOLL_GOAL_H

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** The result of a collective. Goals that reduce come first, see napcoll_goal_reduces. */
typedef enum {
    NAPCOLL_GOAL_ALLREDUCE,          /**< every rank: the reduction of all ranks' vectors */
    NAPCOLL_GOAL_REDUCE,             /**< the root: the reduction of all ranks' vectors */
    NAPCOLL_GOAL_SCAN,               /**< rank r: the reduction of ranks 0 to r */
    NAPCOLL_GOAL_EXSCAN,             /**< rank r > 0: the reduction of ranks 0 to r - 1 */
    NAPCOLL_GOAL_REDUCE_SCATTER,     /**< rank r: the reduction of all ranks' blocks for r */
    NAPCOLL_GOAL_ALLGATHER,          /**< every rank: all ranks' blocks */
    NAPCOLL_GOAL_BCAST,              /**< every rank except the root: the root's vector */
    NAPCOLL_GOAL_ALLTOALL,           /**< every rank: the block that each rank has for it */
    NAPCOLL_GOAL_GATHER,             /**< the root: the block that each rank has for it */
    NAPCOLL_GOAL_SCATTER,            /**< every rank: the block that the root has for it */
    NAPCOLL_GOAL_BARRIER,            /**< no rank ends before all have begun; messages are empty */
    NAPCOLL_GOAL_NEIGHBOR_ALLGATHER, /**< every rank: the block of each in-neighbour */
    NAPCOLL_GOAL_NEIGHBOR_ALLTOALL,  /**< every rank: the block that each in-neighbour has for it */
    NAPCOLL_GOALS
} napcoll_goal_t;

/** What the plans of a collective promise. */
typedef struct napcoll_claim {
    napcoll_goal_t goal;
    /** of a reduce, broadcast, gather or scatter */
    int root;
    /** inputs are in the receive buffers, see napcoll_goal_in_place */
    bool in_place;
    /** contributions are reduced in rank order */
    bool noncommutative;
    /** ranks are reduced by halves: of ranks [l, h) the first ceil((h - l) / 2) with the others,
     * and each half within itself in the same way */
    bool canonical;
    /** blocks differ in size, and only their owners know the sizes: a message that brings a block
     * into a temporary begins with the sizes of its blocks */
    bool sized;
    /** every message does */
    bool announces;
    /** whether the block of one rank for another goes straight to it, outside the plan; the
     * messages of the plan then say so in its place. NULL: none does */
    bool (*direct)(const void *context, int from, int to);
    const void *direct_context;
    /** most messages that one process sends, or receives, between nodes in one stage; 0: no
     * claim */
    int max_inter;
    /** the same for messages to and from all processes */
    int max_messages;
} napcoll_claim_t;

/**
 * What the user's buffers hold on a rank.
 *
 * @param[in]  goal    of the collective; one without edges, which the plan has
 * @param[in]  layout  of the plan
 * @param[in]  blocks  of the plan
 * @param[in]  own     see napcoll_goal_place
 * @param[in]  has     whether the rank has a receive buffer. Matters where only some ranks have
 *                     one: the root of a reduce or gather; in a broadcast all ranks except the
 *                     root; in an exclusive scan all ranks except rank 0, and in place rank 0 too
 * @param[out] user    of the send and the receive buffer
 */
void napcoll_goal_buffers(napcoll_goal_t goal, napcoll_layout_t layout, int blocks, int own,
                          bool has, napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP]);

/** A rank's place in the node order; in a gather or scatter counted from the root's (modulo the
 * size). */
static inline int napcoll_goal_place(napcoll_goal_t goal, const napcoll_node_map_t *map, int root,
                                     int rank)
{
    const int place = napcoll_node_map_place(map, rank);

    return NAPCOLL_GOAL_GATHER != goal && NAPCOLL_GOAL_SCATTER != goal
               ? place
               : (place + map->size - napcoll_node_map_place(map, root)) % map->size;
}

/** Whether one rank, the root, does what no other rank does. */
static inline bool napcoll_goal_is_rooted(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_REDUCE == goal || NAPCOLL_GOAL_BCAST == goal || NAPCOLL_GOAL_GATHER == goal
           || NAPCOLL_GOAL_SCATTER == goal;
}

/** Whether blocks go along the edges of the communicator's topology. */
static inline bool napcoll_goal_is_neighbor(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_NEIGHBOR_ALLGATHER == goal || NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == goal;
}

/** Whether each block goes from one rank to one other, or along an edge: the layout has slots. */
static inline bool napcoll_goal_is_personalized(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_ALLTOALL == goal || NAPCOLL_GOAL_GATHER == goal
           || NAPCOLL_GOAL_SCATTER == goal || napcoll_goal_is_neighbor(goal);
}

/** Whether values are reduced. */
static inline bool napcoll_goal_reduces(napcoll_goal_t goal)
{
    return goal < NAPCOLL_GOAL_ALLGATHER;
}

/** Whether large messages inside a node take no more copies through node memory than from process
 * to process: their receivers reduce where they have arrived, or several read the same bytes. Not
 * of a scan, which reduces what comes twice. */
static inline bool napcoll_goal_suits_node_memory(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_BCAST == goal
           || (napcoll_goal_reduces(goal) && NAPCOLL_GOAL_SCAN != goal
               && NAPCOLL_GOAL_EXSCAN != goal);
}

/** Whether a rank gets a result. */
static inline bool napcoll_goal_takes(napcoll_goal_t goal, int root, int rank)
{
    switch (goal) {
    case NAPCOLL_GOAL_REDUCE:
    case NAPCOLL_GOAL_GATHER:
        return rank == root;
    case NAPCOLL_GOAL_BCAST:
        return rank != root;
    default:
        return NAPCOLL_GOAL_EXSCAN != goal || rank > 0;
    }
}

/**
 * Whether the plan of a rank reads its input from the receive buffer when the user gives
 * MPI_IN_PLACE. The plan of a reduce-scatter reads the send buffer, which is the same memory then:
 * it writes the receive buffer after its last read. An all-to-all is copied before the plan begins,
 * the root's own block in a gather or scatter stays where it is, and a broadcast is never in place.
 */
static inline bool napcoll_goal_in_place(napcoll_goal_t goal, int root, int rank)
{
    if (NAPCOLL_GOAL_REDUCE == goal) {
        return rank == root;
    }
    return NAPCOLL_GOAL_REDUCE_SCATTER != goal && NAPCOLL_GOAL_BCAST != goal
           && !napcoll_goal_is_personalized(goal);
}

#endif /* NAPCOLL_GOAL_H */
