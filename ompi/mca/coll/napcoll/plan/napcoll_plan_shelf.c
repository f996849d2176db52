/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans at hand (see the header).
 */

#include "plan/napcoll_plan_shelf.h"

#include <stdlib.h>

static void drop_copy(napcoll_shelf_t *shelf, int rank)
{
    napcoll_copy_t *copy = shelf->copy[rank];

    if (NULL == copy) {
        return;
    }
    shelf->bytes -= copy->bytes;
    if (!shelf->borrowed) {
        napcoll_plan_free(copy->plan);
    }
    free(copy);
    shelf->copy[rank] = NULL;
}

/* Make room for plans: drop those whose turn it is, but none that are kept, and not that of `keep`. */
static void make_room(napcoll_shelf_t *shelf, int keep)
{
    int tries = shelf->hands;

    while (shelf->memory > 0 && shelf->bytes > shelf->memory && tries-- > 0) {
        const int index = shelf->next_hand < shelf->hands ? shelf->next_hand : 0;
        const int rank = shelf->at_hand[index];

        if (rank == keep || shelf->kept[rank]) {
            shelf->next_hand = index + 1;
            continue;
        }
        drop_copy(shelf, rank);
        shelf->at_hand[index] = shelf->at_hand[--shelf->hands];
        shelf->next_hand = index;
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
static void index_plan(napcoll_copy_t *copy)
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
                                      + napcoll_plan_hold(plan, buffer).count;
    }
}

static napcoll_copy_t *copy_of(napcoll_plan_t *plan)
{
    const size_t steps = (size_t) plan->steps, buffers = NAPCOLL_BUFFER_TEMP + (size_t) plan->temps;
    const size_t lists = steps * sizeof(uint64_t) + (steps + 1 + buffers + 1) * sizeof(int32_t);
    napcoll_copy_t *copy = malloc(sizeof(*copy) + lists);

    if (NULL != copy) {
        copy->plan = plan;
        copy->order = (uint64_t *) (copy + 1);
        copy->outbox_at = (int32_t *) (copy->order + steps);
        copy->buffer_at = copy->outbox_at + steps + 1;
        copy->bytes = sizeof(*copy) + lists + napcoll_plan_bytes(plan);
    }
    return copy;
}

static bool remember_hand(napcoll_shelf_t *shelf, int rank)
{
    if (shelf->hands == shelf->hand_room) {
        int room = shelf->hand_room > 0 ? 2 * shelf->hand_room : 64;
        int *more = realloc(shelf->at_hand, (size_t) room * sizeof(*more));

        if (NULL == more) {
            return false;
        }
        shelf->at_hand = more;
        shelf->hand_room = room;
    }
    shelf->at_hand[shelf->hands++] = rank;
    return true;
}

bool napcoll_shelf_open(napcoll_shelf_t *shelf, int size)
{
    shelf->size = size;
    shelf->copy = calloc((size_t) size, sizeof(*shelf->copy));
    shelf->kept = calloc((size_t) size, sizeof(*shelf->kept));
    return NULL != shelf->copy && NULL != shelf->kept;
}

void napcoll_shelf_empty(napcoll_shelf_t *shelf)
{
    for (int rank = 0; NULL != shelf->copy && rank < shelf->size; rank++) {
        drop_copy(shelf, rank);
    }
    free(shelf->copy);
    free(shelf->kept);
    free(shelf->at_hand);
    shelf->copy = NULL;
    shelf->kept = NULL;
    shelf->at_hand = NULL;
}

bool napcoll_shelf_put(napcoll_shelf_t *shelf, int rank, napcoll_plan_t *plan)
{
    napcoll_copy_t *copy = copy_of(plan);

    if (NULL == copy || !remember_hand(shelf, rank)) {
        free(copy);
        return false;
    }
    index_plan(copy);
    shelf->copy[rank] = copy;
    shelf->bytes += copy->bytes;
    make_room(shelf, rank);
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
static int place_of(const napcoll_copy_t *copy, uint64_t key)
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

int napcoll_shelf_other_end(const napcoll_shelf_t *shelf, int rank, int index)
{
    const napcoll_copy_t *mine = shelf->copy[rank];
    const napcoll_step_t *step = &mine->plan->step[index];
    const napcoll_copy_t *theirs = shelf->copy[step->peer];
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
