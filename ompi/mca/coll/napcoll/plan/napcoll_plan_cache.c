/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans at hand (see the header).
 */

#include "plan/napcoll_plan_cache.h"

#include <stdlib.h>

static void drop_copy(napcoll_plan_cache_t *cache, int rank)
{
    napcoll_cached_plan_t *copy = cache->copy[rank];

    if (NULL == copy) {
        return;
    }
    cache->bytes -= copy->bytes;
    if (!cache->borrowed) {
        napcoll_plan_free(copy->plan);
    }
    free(copy);
    cache->copy[rank] = NULL;
}

/* Make room for plans: drop those whose turn it is, but none that are kept, and not that of `keep`. */
static void make_room(napcoll_plan_cache_t *cache, int keep)
{
    int tries = cache->hands;

    while (cache->memory > 0 && cache->bytes > cache->memory && tries-- > 0) {
        const int index = cache->next_hand < cache->hands ? cache->next_hand : 0;
        const int rank = cache->at_hand[index];

        if (rank == keep || cache->kept[rank]) {
            cache->next_hand = index + 1;
            continue;
        }
        drop_copy(cache, rank);
        cache->at_hand[index] = cache->at_hand[--cache->hands];
        cache->next_hand = index;
    }
}

static uint64_t message_key(int peer, napcoll_step_kind_t kind, int step)
{
    return (uint64_t) peer << 33 | (uint64_t) (NAPCOLL_STEP_SEND == kind) << 32 | (uint64_t) step;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Fill in a copy's lists. */
static void index_plan(napcoll_cached_plan_t *copy)
{
    const napcoll_plan_t *plan = copy->plan;
    int32_t at = 0;

    copy->messages = 0;
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        copy->outbox_at[i] = at;
        if (NAPCOLL_STEP_SEND == step->kind || NAPCOLL_STEP_PHASE == step->kind) {
            at += step->left.count;
        }
        if (step->kind <= NAPCOLL_STEP_SEND) {
            copy->order[copy->messages++] = message_key(step->peer, step->kind, i);
        }
    }
    copy->outbox_at[plan->steps] = at;
    qsort(copy->order, (size_t) copy->messages, sizeof(*copy->order), by_key);
    copy->buffer_at[0] = 0;
    for (int buffer = 0; buffer < NAPCOLL_BUFFER_TEMP + plan->temps; buffer++) {
        copy->buffer_at[buffer + 1] = copy->buffer_at[buffer]
                                      + napcoll_plan_block_range(plan, buffer).count;
    }
}

static napcoll_cached_plan_t *copy_of(napcoll_plan_t *plan)
{
    const size_t steps = (size_t) plan->steps, buffers = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;
    const size_t lists = steps * sizeof(uint64_t) + (steps + 1 + buffers + 1) * sizeof(int32_t);
    napcoll_cached_plan_t *copy = malloc(sizeof(*copy) + lists);

    if (NULL != copy) {
        copy->plan = plan;
        copy->order = (uint64_t *) (copy + 1);
        copy->outbox_at = (int32_t *) (copy->order + steps);
        copy->buffer_at = copy->outbox_at + steps + 1;
        copy->bytes = sizeof(*copy) + lists + napcoll_plan_bytes(plan);
    }
    return copy;
}

static bool remember_hand(napcoll_plan_cache_t *cache, int rank)
{
    if (cache->hands == cache->hand_room) {
        int room = cache->hand_room > 0 ? 2 * cache->hand_room : 64;
        int *more = realloc(cache->at_hand, (size_t) room * sizeof(*more));

        if (NULL == more) {
            return false;
        }
        cache->at_hand = more;
        cache->hand_room = room;
    }
    cache->at_hand[cache->hands++] = rank;
    return true;
}

bool napcoll_plan_cache_open(napcoll_plan_cache_t *cache, int size)
{
    cache->size = size;
    cache->copy = calloc((size_t) size, sizeof(*cache->copy));
    cache->kept = calloc((size_t) size, sizeof(*cache->kept));
    return NULL != cache->copy && NULL != cache->kept;
}

void napcoll_plan_cache_empty(napcoll_plan_cache_t *cache)
{
    for (int rank = 0; NULL != cache->copy && rank < cache->size; rank++) {
        drop_copy(cache, rank);
    }
    free(cache->copy);
    free(cache->kept);
    free(cache->at_hand);
    cache->copy = NULL;
    cache->kept = NULL;
    cache->at_hand = NULL;
}

bool napcoll_plan_cache_put(napcoll_plan_cache_t *cache, int rank, napcoll_plan_t *plan)
{
    napcoll_cached_plan_t *copy = copy_of(plan);

    if (NULL == copy || !remember_hand(cache, rank)) {
        free(copy);
        return false;
    }
    index_plan(copy);
    cache->copy[rank] = copy;
    cache->bytes += copy->bytes;
    make_room(cache, rank);
    return true;
}

int napcoll_plan_stage_of(const napcoll_plan_t *plan, int step)
{
    int low = 0, high = plan->stages - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;

        if (plan->stage[middle].first <= step) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The first place in the order that is not below a key. */
static int place_of(const napcoll_cached_plan_t *copy, uint64_t key)
{
    int low = 0, high = copy->messages;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (copy->order[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int napcoll_plan_cache_other_end(const napcoll_plan_cache_t *cache, int rank, int index)
{
    const napcoll_cached_plan_t *mine = cache->copy[rank];
    const napcoll_step_t *step = &mine->plan->step[index];
    const napcoll_cached_plan_t *theirs = cache->copy[step->peer];
    const napcoll_step_kind_t kind = NAPCOLL_STEP_SEND == step->kind ? NAPCOLL_STEP_RECV
                                                                     : NAPCOLL_STEP_SEND;
    const int before = place_of(mine, message_key(step->peer, step->kind, index))
                       - place_of(mine, message_key(step->peer, step->kind, 0));
    const int place = place_of(theirs, message_key(rank, kind, 0)) + before;

    if (place >= theirs->messages
        || theirs->order[place] >> 32 != message_key(rank, kind, 0) >> 32) {
        return -1;
    }
    return (int) (uint32_t) theirs->order[place];
}

const napcoll_step_t *napcoll_plan_phase_at(const napcoll_plan_t *plan, int stage)
{
    const napcoll_stage_t *s = &plan->stage[stage];
    const napcoll_step_t *step = &plan->step[s->first];

    return 0 == s->messages && s->work > 0 && NAPCOLL_STEP_PHASE == step->kind ? step : NULL;
}

int napcoll_plan_phases_before(const napcoll_plan_t *plan, int stage)
{
    int phases = 0;

    for (int s = 0; s < stage; s++) {
        phases += NULL != napcoll_plan_phase_at(plan, s);
    }
    return phases;
}

int napcoll_plan_stage_of_phase(const napcoll_plan_t *plan, int n)
{
    for (int s = 0; s < plan->stages; s++) {
        if (NULL != napcoll_plan_phase_at(plan, s) && 0 == n--) {
            return s;
        }
    }
    return -1;
}
