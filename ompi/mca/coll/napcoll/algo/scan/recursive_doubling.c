/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Scan by recursive doubling over all ranks, for any number of ranks P. Every rank has the reduction of a
 * window of ranks that ends with itself; it fetches the window that ends where its own begins:
 *
 *     P = 5     0 -> 1 -> 2 -> 3 -> 4     (one step: each has sent what it had before)
 *               0 -> 2   1 -> 3   2 -> 4
 *               0 -> 4
 *
 *     cost      ceil(log2 P) (alpha + beta s + gamma s), 2 gamma s for the exclusive scan
 *
 * The exclusive scan reduces what it fetches twice: with its own vector, for others, and without.
 * W. D. Hillis, G. L. Steele: "Data parallel algorithms", 1986.
 */

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_split.h"
#include "algo/scan/scan.h"

typedef struct {
    napcoll_builder_t *builder;
    bool inclusive;
    napcoll_span_t window; /* of the ranks up to this one */
    napcoll_span_t before; /* exclusive: the same without it; empty at the beginning */
} scan_t;

/* The window is reduced in the receive buffer; that is where the inclusive scan ends. */
static void widen_window(scan_t *scan, napcoll_span_t fetched)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};

    napcoll_builder_reduce(scan->builder, recvbuf, fetched, scan->window);
    scan->window = recvbuf;
}

static void take(scan_t *scan, napcoll_span_t fetched, bool wanted)
{
    if (scan->inclusive || wanted) {
        widen_window(scan, fetched);
    }
    if (!scan->inclusive && 0 == scan->before.count) {
        scan->before = fetched;
        return;
    }
    if (!scan->inclusive) {
        scan->before = napcoll_exchange_join(scan->builder, fetched, scan->before);
    }
    napcoll_builder_release(scan->builder, fetched);
}

int napcoll_scan_recursive_doubling_steps(const napcoll_node_map_t *map)
{
    return napcoll_split_levels(map->size, 2);
}

napcoll_plan_t *napcoll_scan_recursive_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_span_t nothing = {0};
    const int size = args->map->size, rank = args->rank;
    scan_t scan = {.builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1),
                   .inclusive = napcoll_scan_is_inclusive(args),
                   .window = napcoll_plan_args_input(args)};

    if (NULL == scan.builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(scan.builder);
    for (int step = 0; step < napcoll_scan_recursive_doubling_steps(args->map); step++) {
        const int away = 1 << step;
        napcoll_span_t fetched;

        if (away < size - rank) {
            napcoll_builder_send(scan.builder, scan.window, rank + away);
        }
        if (rank >= away) {
            fetched = napcoll_builder_temp(scan.builder, 0, 1);
            napcoll_builder_recv(scan.builder, fetched, rank - away);
            take(&scan, fetched, away < (size - rank + 1) / 2);
        }
        napcoll_builder_next_stage(scan.builder);
    }
    napcoll_scan_conclude(scan.builder, args, scan.before, scan.inclusive ? scan.window : nothing);
    return napcoll_builder_finish(scan.builder);
}

napcoll_bounds_t napcoll_scan_recursive_doubling_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
