/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The members of a phase's scope. Three nodes of two processes, placed cyclically:
 *
 *     NAPCOLL_SCOPE_NODE      0 3 | 1 4 | 2 5     the members 0 and 1 of each node
 *     NAPCOLL_SCOPE_LEADERS   0     1     2       the members 0, 1 and 2
 */

#ifndef NAPCOLL_SCOPE_H
#define NAPCOLL_SCOPE_H

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** The number of members of a rank's scope. */
static inline int napcoll_scope_members(const napcoll_node_map_t *map, napcoll_scope_t scope,
                                        int rank)
{
    return NAPCOLL_SCOPE_LEADERS == scope
               ? map->nodes
               : napcoll_node_map_ppn(map, napcoll_node_map_node(map, rank));
}

/** The number of a rank among the members of its scope; -1: it is not a member. */
static inline int napcoll_scope_member(const napcoll_node_map_t *map, napcoll_scope_t scope,
                                       int rank)
{
    const int lane = napcoll_node_map_lane(map, rank);

    if (NAPCOLL_SCOPE_NODE == scope) {
        return lane;
    }
    return 0 == lane ? napcoll_node_map_node(map, rank) : -1;
}

/** The rank of a member of a rank's scope. */
static inline int napcoll_scope_rank(const napcoll_node_map_t *map, napcoll_scope_t scope, int rank,
                                     int member)
{
    return NAPCOLL_SCOPE_LEADERS == scope
               ? napcoll_node_map_rank(map, member, 0)
               : napcoll_node_map_rank(map, napcoll_node_map_node(map, rank), member);
}

/** Whether a member of a phase reads left. */
static inline bool napcoll_phase_reads(const napcoll_step_t *step, int member)
{
    return NAPCOLL_PHASE_BARRIER != step->phase
           && (NAPCOLL_PHASE_BCAST != step->phase || member == step->peer);
}

/** Whether a member of a phase writes to dst. */
static inline bool napcoll_phase_writes(const napcoll_step_t *step, int member)
{
    switch (step->phase) {
    case NAPCOLL_PHASE_REDUCE:
        return member == step->peer;
    case NAPCOLL_PHASE_BCAST:
        return member != step->peer;
    default:
        return NAPCOLL_PHASE_BARRIER != step->phase;
    }
}

#endif /* NAPCOLL_SCOPE_H */
