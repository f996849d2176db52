/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A call, as far as the decision on it goes: what rules, selection, caches and the component look
 * at. All ranks of a communicator say the same, except in_place where each process decides on it
 * alone (mca_coll_napcoll_in_place_alone).
 */

#ifndef NAPCOLL_CALL_H
#define NAPCOLL_CALL_H

#include "algo/napcoll_algo.h"

typedef struct napcoll_call {
    /** its table */
    const napcoll_collective_t *collective;
    /** the communicator's */
    const napcoll_node_map_t *map;
    /** of the vector or of a rank's block, packed; of an uneven call what calls before had, see
     * napcoll_uneven.h */
    size_t bytes;
    /** the op does not commute */
    bool noncommutative;
    /** MPI_IN_PLACE */
    bool in_place;
    /** of a collective that has one; else 0 */
    int root;
    /** where blocks go along edges: the own one, with what all ranks have agreed on; else NULL */
    const napcoll_neighborhood_t *neighborhood;

    /* the component's */

    /** napcoll_coll_t */
    int coll;
    /** of an uneven call: nobody needs rounds, all blocks go straight to their ranks
     * (napcoll_uneven.h) */
    bool straight;
    /** other components must not carry out phases: all messages are the plan's */
    bool own_phases;
    /** it is nonblocking or persistent, and rules tell these from blocking ones */
    bool request;
} napcoll_call_t;

/** Whether decisions on two calls are the same if their sizes are of one class. */
static inline bool napcoll_call_is_alike(const napcoll_call_t *a, const napcoll_call_t *b)
{
    return a->collective == b->collective && a->map == b->map
           && a->noncommutative == b->noncommutative && a->in_place == b->in_place
           && a->root == b->root && a->neighborhood == b->neighborhood && a->straight == b->straight
           && a->own_phases == b->own_phases && a->request == b->request;
}

#endif /* NAPCOLL_CALL_H */
