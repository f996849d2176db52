/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans of many ranks, indexed so that the two ends of a message find each other. When the plans
 * take too much memory, some are dropped in turn.
 */

#ifndef NAPCOLL_PLAN_CACHE_H
#define NAPCOLL_PLAN_CACHE_H

#include "plan/napcoll_plan.h"

/** A plan in the cache. */
typedef struct napcoll_cached_plan {
    napcoll_plan_t *plan;
    /** [messages] (peer, kind, step), sorted */
    uint64_t *order;
    /** [steps + 1] how many blocks the sends and phases before a step give away */
    int32_t *outbox_at;
    /** [steps] the stage of each */
    int32_t *stage_of;
    /** [steps] of a message: how many of its kind with its peer come before it */
    int32_t *before;
    /** [buffers + 1] index of a buffer's first block among the blocks of all buffers */
    int32_t *buffer_at;
    int messages;
    /** memory of all this */
    size_t bytes;
} napcoll_cached_plan_t;

/** The cache. Set borrowed and memory, and all else to 0, before it is opened. */
typedef struct napcoll_plan_cache {
    /** the plans belong to others, who free them */
    bool borrowed;
    /** bytes that the plans may take; 0: no limit */
    size_t memory;
    /** bytes that the plans take */
    size_t bytes;
    /** ranks */
    int size;
    /** [size] NULL: not in the cache */
    napcoll_cached_plan_t **entry;
    /** [size] must not be dropped */
    bool *kept;
    /** [cached] the ranks whose plans are in the cache, in the order in which they are dropped */
    int *rank;
    size_t cached, rank_room;
    /** index of the next rank to be dropped */
    size_t next;
} napcoll_plan_cache_t;

/** Open a cache for the plans of ranks 0 .. size - 1. False: no memory; empty the cache in any
 * case. */
bool napcoll_plan_cache_open(napcoll_plan_cache_t *cache, int size);

/** Drop all plans, and free the cache's memory. */
void napcoll_plan_cache_empty(napcoll_plan_cache_t *cache);

/** Add a rank's plan; its messages must have valid peers. The cache owns it then, unless plans are
 * borrowed. Others may be dropped. False: no memory, and the plan stays the caller's. */
bool napcoll_plan_cache_put(napcoll_plan_cache_t *cache, int rank, napcoll_plan_t *plan);

/** The step at the other end of a rank's message in the plan of rank `other`, where the peer at
 * that end is rank `self`; -1: there is none. Both plans are in the cache. */
int napcoll_plan_cache_end_in(const napcoll_plan_cache_t *cache, int rank, int index, int other,
                              int self);

/** The same in the plan of its peer. */
static inline int napcoll_plan_cache_other_end(const napcoll_plan_cache_t *cache, int rank,
                                               int index)
{
    return napcoll_plan_cache_end_in(cache, rank, index, cache->entry[rank]->plan->step[index].peer,
                                     rank);
}

/** The phase of a stage, or NULL. */
const napcoll_step_t *napcoll_plan_phase_at(const napcoll_plan_t *plan, int stage);

/** The number of a scope's phases before a stage. */
int napcoll_plan_phases_before(const napcoll_plan_t *plan, napcoll_scope_t scope, int stage);

/** The stage of a scope's n-th phase, from 0; -1: there is none. */
int napcoll_plan_stage_of_phase(const napcoll_plan_t *plan, napcoll_scope_t scope, int n);

#endif /* NAPCOLL_PLAN_CACHE_H */
