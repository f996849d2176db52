/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter in pairs: every rank receives its block from each of the others, and reduces by
 * halves of the ranks (napcoll_halves.h), whatever nodes they are on: for operations that do not
 * commute on any placement, and for the same bits on any. Four ranks, two messages at once; rank 2:
 *
 *     stage 0     <- 3, <- 0     2 op 3
 *     stage 1     <- 1           0 op 1, (0 op 1) op (2 op 3)
 *
 *     cost   ceil((P - 1) / burst) alpha + (P - 1) b (beta + gamma), b the bytes of a block
 *
 * Rank r receives from r + 1, r + 2, ... so that no two receive from one at the same time. Blocks
 * are reduced as soon as both halves of a range of ranks have come: besides the messages under way
 * a rank keeps about 2 log2(P) blocks.
 */

#include <stdlib.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_halves.h"

enum { DEFAULT_BURST = 16 };

/* Messages at once: not more than there are other ranks. */
static int burst_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const int others = map->size > 1 ? map->size - 1 : 1;
    const int burst = params->tunable[0] > 0 ? params->tunable[0] : DEFAULT_BURST;

    return burst < others ? burst : others;
}

/* What has come so far, as sums of ranges of ranks that come of halving. */
typedef struct {
    napcoll_builder_t *builder;
    int size;
    /* [size] of the range that begins with a rank. */
    napcoll_span_t *sum;
    /* [size] ranks of that range; 0: there is none. */
    int *count;
} ranges_t;

/* A rank's block has come: reduce it with its other half, the sum with its other half, and so
 * on. */
static void add_block(ranges_t *ranges, int rank, napcoll_span_t value)
{
    ranges->sum[rank] = value;
    ranges->count[rank] = 1;
    for (int cuts = napcoll_halves_depth(ranges->size); cuts >= 0; cuts--) {
        const napcoll_half_t range = napcoll_halves_of(ranges->size, cuts, rank);
        const int half = (range.count + 1) / 2, low = range.first, high = low + half;

        if (1 == range.count) {
            continue;
        }
        if (half != ranges->count[low] || range.count - half != ranges->count[high]) {
            return;
        }
        ranges->sum[low] = napcoll_exchange_join_last(ranges->builder, ranges->sum[low],
                                                      ranges->sum[high]);
        ranges->count[low] = range.count;
    }
}

/* Receive from the ranks that are `away` to away + messages - 1 after this one, and send to those
 * as far before. */
static void exchange_blocks(ranges_t *ranges, const napcoll_plan_args_t *args, int away,
                            int messages)
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

        add_block(ranges, from, ranges->sum[from]);
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
        add_block(&ranges, args->rank, own);
        for (int away = 1; away < size; away += burst) {
            exchange_blocks(&ranges, args, away, size - away < burst ? size - away : burst);
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
