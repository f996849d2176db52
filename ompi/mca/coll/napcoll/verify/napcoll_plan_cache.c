/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The plan cache (see the header).
 */

#include "verify/napcoll_plan_cache.h"

#include <stdlib.h>

#include "util/napcoll_grow.h"
#include "util/napcoll_order.h"

static void drop_entry(napcoll_plan_cache_t *cache, int rank)
{
    napcoll_cached_plan_t *entry = cache->entry[rank];

    if (NULL == entry) {
        return;
    }
    cache->bytes -= entry->bytes;
    if (!cache->borrowed) {
        napcoll_plan_free(entry->plan);
    }
    free(entry);
    cache->entry[rank] = NULL;
}

/* Drop plans until the others fit, but none that is kept, and not the one of rank `newest`. */
static void make_room(napcoll_plan_cache_t *cache, int newest)
{
    for (size_t tries = cache->cached;
         cache->memory > 0 && cache->bytes > cache->memory && tries > 0; tries--) {
        const size_t index = cache->next < cache->cached ? cache->next : 0;
        const int rank = cache->rank[index];

        if (rank == newest || cache->kept[rank]) {
            cache->next = index + 1;
        } else {
            drop_entry(cache, rank);
            cache->rank[index] = cache->rank[--cache->cached];
            cache->next = index;
        }
    }
}

static uint64_t message_key(int peer, napcoll_step_kind_t kind, int step)
{
    return (uint64_t) peer << 33 | (uint64_t) (NAPCOLL_STEP_SEND == kind) << 32 | (uint64_t) step;
}

static int step_of(uint64_t key)
{
    return (int) (uint32_t) key;
}

/* Sort a plan's messages, and count those with the same peer before each. */
static void order_messages(napcoll_cached_plan_t *entry)
{
    napcoll_sort_keys(entry->order, entry->messages);
    for (int i = 0; i < entry->messages; i++) {
        const bool follows = i > 0 && entry->order[i - 1] >> 32 == entry->order[i] >> 32;

        entry->before[step_of(entry->order[i])] =
            follows ? 1 + entry->before[step_of(entry->order[i - 1])] : 0;
    }
}

/* An entry with its index; NULL when memory ran out. */
static napcoll_cached_plan_t *new_entry(napcoll_plan_t *plan)
{
    const size_t steps = (size_t) plan->steps, buffers = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;
    const size_t lists = steps * sizeof(uint64_t) + (3 * steps + 1 + buffers + 1) * sizeof(int32_t);
    napcoll_cached_plan_t *entry = malloc(sizeof(*entry) + lists);
    int32_t at = 0;

    if (NULL == entry) {
        return NULL;
    }
    *entry = (napcoll_cached_plan_t){.plan = plan, .order = (uint64_t *) (entry + 1)};
    entry->outbox_at = (int32_t *) (entry->order + steps);
    entry->stage_of = entry->outbox_at + steps + 1;
    entry->before = entry->stage_of + steps;
    entry->buffer_at = entry->before + steps;
    entry->bytes = sizeof(*entry) + lists + napcoll_plan_bytes(plan);
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        entry->outbox_at[i] = at;
        if (NAPCOLL_STEP_SEND == step->kind || NAPCOLL_STEP_PHASE == step->kind) {
            at += step->left.count;
        }
        if (step->kind <= NAPCOLL_STEP_SEND) {
            entry->order[entry->messages++] = message_key(step->peer, step->kind, i);
        }
    }
    entry->outbox_at[plan->steps] = at;
    for (int s = 0; s < plan->stages; s++) {
        for (int i = 0; i < plan->stage[s].messages + plan->stage[s].work; i++) {
            entry->stage_of[plan->stage[s].first + i] = s;
        }
    }
    order_messages(entry);
    entry->buffer_at[0] = 0;
    for (int buffer = 0; buffer < NAPCOLL_BUFFER_TEMP + plan->temps; buffer++) {
        entry->buffer_at[buffer + 1] = entry->buffer_at[buffer]
                                       + napcoll_plan_block_range(plan, buffer).count;
    }
    return entry;
}

bool napcoll_plan_cache_open(napcoll_plan_cache_t *cache, int size)
{
    cache->size = size;
    cache->entry = calloc((size_t) size, sizeof(*cache->entry));
    cache->kept = calloc((size_t) size, sizeof(*cache->kept));
    return NULL != cache->entry && NULL != cache->kept;
}

void napcoll_plan_cache_empty(napcoll_plan_cache_t *cache)
{
    for (int rank = 0; NULL != cache->entry && rank < cache->size; rank++) {
        drop_entry(cache, rank);
    }
    free(cache->entry);
    free(cache->kept);
    free(cache->rank);
    *cache = (napcoll_plan_cache_t){0};
}

bool napcoll_plan_cache_put(napcoll_plan_cache_t *cache, int rank, napcoll_plan_t *plan)
{
    napcoll_cached_plan_t *entry = new_entry(plan);

    if (NULL == entry
        || !napcoll_grow(&cache->rank, &cache->rank_room, cache->cached + 1, sizeof(rank))) {
        free(entry);
        return false;
    }
    cache->rank[cache->cached++] = rank;
    cache->entry[rank] = entry;
    cache->bytes += entry->bytes;
    make_room(cache, rank);
    return true;
}

/* The index of the first key in the order that is not below a key. */
static int find_key(const napcoll_cached_plan_t *entry, uint64_t key)
{
    int low = 0, high = entry->messages;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (entry->order[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int napcoll_plan_cache_end_in(const napcoll_plan_cache_t *cache, int rank, int index, int other,
                              int self)
{
    const napcoll_cached_plan_t *mine = cache->entry[rank];
    const napcoll_step_t *step = &mine->plan->step[index];
    const napcoll_cached_plan_t *theirs = cache->entry[other];
    const napcoll_step_kind_t kind = NAPCOLL_STEP_SEND == step->kind ? NAPCOLL_STEP_RECV
                                                                     : NAPCOLL_STEP_SEND;
    const uint64_t key = message_key(self, kind, 0);
    const int at = find_key(theirs, key) + mine->before[index];

    return at < theirs->messages && theirs->order[at] >> 32 == key >> 32
               ? step_of(theirs->order[at])
               : -1;
}

const napcoll_step_t *napcoll_plan_phase_at(const napcoll_plan_t *plan, int stage)
{
    const napcoll_stage_t *s = &plan->stage[stage];
    const napcoll_step_t *step = &plan->step[s->first];

    return 0 == s->messages && s->work > 0 && NAPCOLL_STEP_PHASE == step->kind ? step : NULL;
}

static bool has_phase(const napcoll_plan_t *plan, napcoll_scope_t scope, int stage)
{
    const napcoll_step_t *step = napcoll_plan_phase_at(plan, stage);

    return NULL != step && scope == step->scope;
}

int napcoll_plan_phases_before(const napcoll_plan_t *plan, napcoll_scope_t scope, int stage)
{
    int phases = 0;

    for (int s = 0; s < stage; s++) {
        phases += has_phase(plan, scope, s);
    }
    return phases;
}

int napcoll_plan_stage_of_phase(const napcoll_plan_t *plan, napcoll_scope_t scope, int n)
{
    for (int s = 0; s < plan->stages; s++) {
        if (has_phase(plan, scope, s) && 0 == n--) {
            return s;
        }
    }
    return -1;
}
