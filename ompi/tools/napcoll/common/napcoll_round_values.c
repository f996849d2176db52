/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Values of proofs in rounds (see the header).
 */

#include "common/napcoll_round_values.h"

#include <stdatomic.h>
#include <string.h>

#include "util/napcoll_grow.h"

/* A value that is equal bit by bit where its parts are equal. */
static value_t without_gaps(value_t value)
{
    value_t all;

    memset(&all, 0, sizeof(all));
    all.sum = value.sum;
    all.bracketing = value.bracketing;
    all.count = value.count;
    all.low = value.low;
    all.high = value.high;
    all.in_order = value.in_order;
    return all;
}

static value_t value_of(const napcoll_run_map_t *map, int run)
{
    value_t value;

    memcpy(&value, napcoll_run_map_item(map, run), sizeof(value));
    return value;
}

static int bytes_of(const napcoll_run_map_t *map)
{
    return map->room * (map->bytes + (int) sizeof(*map->first));
}

bool napcoll_round_values_begin(napcoll_round_values_t *all, napcoll_run_map_t *map, int blocks)
{
    const value_t none = without_gaps((value_t){.count = 0});
    const bool ok = napcoll_run_map_begin(map, blocks > 0 ? blocks : 1, &none, sizeof(none));

    (void) atomic_fetch_add_explicit(&all->bytes, (size_t) bytes_of(map), memory_order_relaxed);
    return ok;
}

bool napcoll_round_values_set(napcoll_round_values_t *all, napcoll_run_map_t *map, int index,
                              int count, value_t value)
{
    const value_t bits = without_gaps(value);
    const int before = bytes_of(map);
    const bool ok = napcoll_run_map_set(map, index, count, &bits);

    if (before != bytes_of(map)) {
        (void) atomic_fetch_add_explicit(&all->bytes, (size_t) (bytes_of(map) - before),
                                         memory_order_relaxed);
    }
    return ok;
}

bool napcoll_round_values_take(const napcoll_run_map_t *from, int left, int dst, int count,
                               napcoll_round_arrival_t **arrival, size_t *arrivals, size_t *room)
{
    const int end = left + count;

    for (int at = left, run = napcoll_run_map_find(from, left); at < end; run++) {
        const value_t value = value_of(from, run);
        const int run_end = napcoll_run_map_end(from, run);
        const int next = run_end < end ? run_end : end;

        if (0 == value.count || !napcoll_grow(arrival, room, *arrivals + 1, sizeof(**arrival))) {
            return false;
        }
        (*arrival)[(*arrivals)++] = (napcoll_round_arrival_t){
            .index = dst + at - left, .count = next - at, .value = value};
        at = next;
    }
    return true;
}

/* Note complete values of blocks, by the number of the first one. False: a block has one with other
 * bits. */
static bool note_complete(napcoll_round_values_t *all, int number, int count, value_t value)
{
    for (int b = number; b < number + count; b++) {
        uint64_t known = 0;

        if (b < 0 || b >= all->blocks
            || (!atomic_compare_exchange_strong(&all->complete[b], &known, value.bracketing)
                && known != value.bracketing)) {
            return false;
        }
    }
    return true;
}

/* Where the runs end that hold two indices: how many blocks from there on, at most, have the same
 * values. */
static int same_from(const napcoll_run_map_t *map, int left_run, int left, int right_run, int right,
                     int most)
{
    const int of_left = napcoll_run_map_end(map, left_run) - left;
    const int of_right = napcoll_run_map_end(map, right_run) - right;
    const int least = of_left < of_right ? of_left : of_right;

    return least < most ? least : most;
}

bool napcoll_round_values_work(napcoll_round_values_t *all, napcoll_run_map_t *map,
                               const napcoll_like_buffers_t *buffers,
                               const napcoll_like_work_t *work, int32_t shift)
{
    const bool reduces = NAPCOLL_STEP_REDUCE == work->kind;
    const bool slots = NAPCOLL_LAYOUT_SLOTS == buffers->layout;
    const int dst = napcoll_like_index(buffers, &work->dst, shift);
    const int left = napcoll_like_index(buffers, &work->left, shift);
    const int right = reduces ? napcoll_like_index(buffers, &work->right, shift) : left;

    for (int done = 0, next; done < work->dst.count; done += next) {
        const int left_run = napcoll_run_map_find(map, left + done);
        const int right_run = reduces ? napcoll_run_map_find(map, right + done) : left_run;
        value_t value = value_of(map, left_run);

        next = same_from(map, left_run, left + done, right_run, right + done,
                         work->dst.count - done);
        if (reduces
            && NAPCOLL_VERIFY_OK
                   != napcoll_prover_reduce(all->claim, value, value_of(map, right_run), &value)) {
            return false;
        }
        if (reduces && value.count == all->size && value.sum == all->sum) {
            if (!note_complete(all, slots ? 0 : work->dst.first + shift + done, slots ? 1 : next,
                               value)) {
                return false;
            }
            value = (value_t){
                .sum = all->sum, .count = all->size, .high = all->size, .in_order = value.in_order};
        }
        if (0 == value.count || !napcoll_round_values_set(all, map, dst + done, next, value)) {
            return false;
        }
    }
    return true;
}
