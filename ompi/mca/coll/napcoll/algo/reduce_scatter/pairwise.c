/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter in pairs: every rank gets its block from each of the others, and reduces by halves of the
 * ranks (napcoll_halves.h), whatever nodes they are on: for ops that do not commute on any placement,
 * and for the same bits on any. Four ranks, two messages at once; rank 2:
 *
 *     stage 0     <- 3, <- 0     2 op 3
 *     stage 1     <- 1           0 op 1, (0 op 1) op (2 op 3)
 *
 *     cost   ceil((P - 1) / burst) alpha + (P - 1) b (beta + gamma), b the bytes of a block
 *
 * Rank r gets from r + 1, r + 2, ... so that no two get from one at the same time. What has come is reduced
 * as soon as both halves of a range of ranks are there: besides the messages under way a rank keeps
 * about 2 log2(P) blocks.
 */

#include "algo/reduce_scatter/reduce_scatter.h"

#include <stdlib.h>

#include "algo/napcoll_halves.h"

enum { DEFAULT_BURST = 16 };

/* Messages at once: there are no more than other ranks. */
static int burst_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int others = map->size > 1 ? map->size - 1 : 1;
    const int burst = params->tunable[0] > 0 ? params->tunable[0] : DEFAULT_BURST;

    return burst < others ? burst : others;
}

/* What has come so far, as sums of ranges of ranks that halving leads to. */
typedef struct {
    napcoll_builder_t *builder;
    int size;
    napcoll_span_t *sum; /* [size] that of the range that begins with a rank */
    int *count;          /* [size] ranks of that range; 0: there is none */
} ranges_t;

/* high = low op high, in place where that may be overwritten. */
static napcoll_span_t reduction(napcoll_builder_t *builder, napcoll_span_t low, napcoll_span_t high)
{
    napcoll_span_t sum = high;

    if (NAPCOLL_BUFFER_SEND == high.buffer) {
        sum = napcoll_builder_temp(builder, high.first, high.count);
    }
    napcoll_builder_reduce(builder, sum, low, high);
    napcoll_builder_release(builder, low);
    return sum;
}

/* A rank's block is there: reduce it with its other half, these with theirs, and so on. */
static void take(ranges_t *ranges, int rank, napcoll_span_t value)
{
    ranges->sum[rank] = value;
    ranges->count[rank] = 1;
    for (int cuts = napcoll_halves_depth(ranges->size); cuts >= 0; cuts--) {
        int first, count, half;

        (void) napcoll_halves_piece(ranges->size, cuts, rank, &first, &count);
        half = (count + 1) / 2;
        if (1 == count) {
            continue;
        }
        if (half != ranges->count[first] || count - half != ranges->count[first + half]) {
            return;
        }
        ranges->sum[first] = reduction(ranges->builder, ranges->sum[first],
                                       ranges->sum[first + half]);
        ranges->count[first] = count;
    }
}

/* Get from the ranks that are `away` to away + messages - 1 ahead, and send to those as far behind. */
static void exchange(ranges_t *ranges, const napcoll_plan_args_t *args, int away, int messages)
{
    const napcoll_node_map_t *map = args->map;
    const int size = map->size, rank = args->rank, own = napcoll_node_map_place(map, rank);

    for (int i = away; i < away + messages; i++) {
        const int from = (rank + i) % size, to = (rank + size - i) % size;
        const napcoll_span_t theirs = {
            .buffer = NAPCOLL_BUFFER_SEND, .first = napcoll_node_map_place(map, to), .count = 1};

        ranges->sum[from] = napcoll_builder_temp(ranges->builder, own, 1);
        napcoll_builder_recv(ranges->builder, ranges->sum[from], from);
        napcoll_builder_send(ranges->builder, theirs, to);
    }
    for (int i = away; i < away + messages; i++) {
        const int from = (rank + i) % size;

        take(ranges, from, ranges->sum[from]);
    }
    napcoll_builder_next_stage(ranges->builder);
}

napcoll_plan_t *napcoll_reduce_scatter_pairwise(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, burst = burst_of(args->map, &args->params);
    const napcoll_span_t own = {.buffer = NAPCOLL_BUFFER_SEND,
                                .first = napcoll_node_map_place(args->map, args->rank),
                                .count = 1};
    const napcoll_span_t result = {NAPCOLL_BUFFER_RECV, own.first, 1};
    ranges_t ranges = {.builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size),
                       .size = size,
                       .sum = malloc((size_t) size * sizeof(*ranges.sum)),
                       .count = calloc((size_t) size, sizeof(*ranges.count))};
    napcoll_plan_t *plan = NULL;

    if (NULL == ranges.builder || NULL == ranges.sum || NULL == ranges.count) {
        napcoll_builder_discard(ranges.builder);
    } else {
        take(&ranges, args->rank, own);
        for (int away = 1; away < size; away += burst) {
            exchange(&ranges, args, away, size - away < burst ? size - away : burst);
        }
        napcoll_builder_copy(ranges.builder, result, ranges.sum[0]);
        plan = napcoll_builder_finish(ranges.builder);
    }
    free(ranges.sum);
    free(ranges.count);
    return plan;
}

napcoll_bounds_t napcoll_reduce_scatter_pairwise_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    const int burst = burst_of(map, params);
    const int away = map->nodes > 1 ? map->size - map->min_ppn : 1;

    return (napcoll_bounds_t){.inter = burst < away ? burst : away, .all = burst};
}
