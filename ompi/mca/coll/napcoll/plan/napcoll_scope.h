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

/** The blocks of a member of a rank's scope, in the layout of ranks. */
static inline napcoll_block_range_t napcoll_scope_run(const napcoll_node_map_t *map,
                                                      napcoll_scope_t scope, int rank, int member)
{
    if (NAPCOLL_SCOPE_LEADERS == scope) {
        return (napcoll_block_range_t){.first = napcoll_node_map_first(map, member),
                                       .count = napcoll_node_map_ppn(map, member)};
    }
    return (napcoll_block_range_t){
        .first = napcoll_node_map_first(map, napcoll_node_map_node(map, rank)) + member,
        .count = 1};
}

/** The blocks of all members of a rank's scope. */
static inline napcoll_block_range_t napcoll_scope_runs(const napcoll_node_map_t *map,
                                                       napcoll_scope_t scope, int rank)
{
    napcoll_block_range_t runs = napcoll_scope_run(map, scope, rank, 0);

    runs.count = NAPCOLL_SCOPE_LEADERS == scope ? map->size
                                                : napcoll_scope_members(map, scope, rank);
    return runs;
}

/** Whether a phase is one in which members have runs of their own. */
static inline bool napcoll_phase_has_runs(napcoll_phase_t phase)
{
    return phase >= NAPCOLL_PHASE_GATHER;
}

static inline bool napcoll_phase_reduces(napcoll_phase_t phase)
{
    return NAPCOLL_PHASE_REDUCE == phase || NAPCOLL_PHASE_ALLREDUCE == phase
           || NAPCOLL_PHASE_REDUCE_SCATTER == phase;
}

/** Whether a member of a phase reads left. */
static inline bool napcoll_phase_reads(const napcoll_step_t *step, int member)
{
    switch (step->phase) {
    case NAPCOLL_PHASE_BCAST:
    case NAPCOLL_PHASE_SCATTER:
        return member == step->peer;
    default:
        return NAPCOLL_PHASE_BARRIER != step->phase;
    }
}

/** Whether a member of a phase writes to dst. */
static inline bool napcoll_phase_writes(const napcoll_step_t *step, int member)
{
    switch (step->phase) {
    case NAPCOLL_PHASE_REDUCE:
    case NAPCOLL_PHASE_GATHER:
        return member == step->peer;
    case NAPCOLL_PHASE_BCAST:
    case NAPCOLL_PHASE_SCATTER:
        return member != step->peer;
    default:
        return NAPCOLL_PHASE_BARRIER != step->phase;
    }
}

#endif /* NAPCOLL_SCOPE_H */
