/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans at hand, of the verifier and of whoever else looks for the other ends of messages: those of some
 * ranks, with what is looked up in them. Where they take too much memory some are dropped, in turn; the
 * verifier has them made again when it needs them.
 */

#ifndef NAPCOLL_PLAN_CACHE_H
#define NAPCOLL_PLAN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/napcoll_plan.h"

/** A plan at hand. */
typedef struct napcoll_cached_plan {
    napcoll_plan_t *plan;
    uint64_t *order;    /**< [messages] (peer, kind, step), sorted */
    int32_t *outbox_at; /**< [steps + 1] blocks that sends and phases before a step give away */
    int32_t
        *buffer_at; /**< [buffers + 1] where a buffer's blocks begin, one buffer after the other */
    int messages;
    size_t bytes; /**< of all this */
} napcoll_cached_plan_t;

/** All that is at hand. Set borrowed and memory, the rest to 0, before it is opened. */
typedef struct napcoll_plan_cache {
    bool borrowed;                /**< plans are somebody else's, and not freed */
    size_t memory;                /**< bytes that plans may take; 0: no limit */
    size_t bytes;                 /**< that they take */
    int size;                     /**< ranks */
    napcoll_cached_plan_t **copy; /**< [size] NULL: not at hand */
    bool *kept;                   /**< [size] not to be dropped */
    int *at_hand;                 /**< [hands] ranks whose plans are at hand */
    int hands;
    int hand_room;
    int next_hand; /**< whose turn it is to be dropped */
} napcoll_plan_cache_t;

/** Open a plan cache for the plans of so many ranks. False: no memory; empty it in any case. */
bool napcoll_plan_cache_open(napcoll_plan_cache_t *cache, int size);

/** Drop all plans, and free the plan cache's lists. */
void napcoll_plan_cache_empty(napcoll_plan_cache_t *cache);

/** Put a rank's plan there, whose messages have peers that there are. The plan cache owns it then, unless plans are
 * borrowed. False: no memory, and the plan stays the caller's. Others may be dropped. */
bool napcoll_plan_cache_put(napcoll_plan_cache_t *cache, int rank, napcoll_plan_t *plan);

/** The step of the other end of a rank's message, in the plan of its peer; both plans are at hand. -1:
 * there is none. */
int napcoll_plan_cache_other_end(const napcoll_plan_cache_t *cache, int rank, int index);

/** The stage of a step. */
int napcoll_plan_stage_of(const napcoll_plan_t *plan, int step);

/** The phase that a stage consists of, or NULL. */
const napcoll_step_t *napcoll_plan_phase_at(const napcoll_plan_t *plan, int stage);

/** Phases of a plan before a stage. */
int napcoll_plan_phases_before(const napcoll_plan_t *plan, int stage);

/** The stage of the n-th phase, from 0; -1: there is none. */
int napcoll_plan_stage_of_phase(const napcoll_plan_t *plan, int n);

#endif /* NAPCOLL_PLAN_CACHE_H */
