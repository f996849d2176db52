/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Scan by recursive doubling over all ranks, for any number of ranks P. Every rank has the
 * reduction of a window of ranks that ends with itself; it receives the window that ends where its
 * own begins:
 *
 *     P = 5     0 -> 1 -> 2 -> 3 -> 4     (one step: each sends what it had before)
 *               0 -> 2   1 -> 3   2 -> 4
 *               0 -> 4
 *
 *     cost      ceil(log2 P) (alpha + beta s + gamma s), 2 gamma s for the exclusive scan
 *
 * The exclusive scan reduces what it receives twice: with its own vector, for others, and without.
 * W. D. Hillis, G. L. Steele: "Data parallel algorithms", 1986.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"

napcoll_plan_t *napcoll_scan_recursive_doubling(const napcoll_plan_args_t *args)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    const int size = args->map->size, rank = args->rank;
    const bool inclusive = napcoll_scan_is_inclusive(args);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t window = napcoll_plan_args_input(args), before = {0};

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    for (int step = 0; step < napcoll_split_levels(size, 2); step++) {
        const int away = 1 << step;

        if (away < size - rank) {
            napcoll_builder_send(builder, window, rank + away);
        }
        if (rank >= away) {
            const napcoll_span_t received = napcoll_builder_temp(builder, 0, 1);

            napcoll_builder_recv(builder, received, rank - away);
            if (inclusive || away < (size - rank + 1) / 2) { /* the window is sent again */
                napcoll_builder_reduce(builder, recvbuf, received, window);
                window = recvbuf;
            }
            if (inclusive) {
                napcoll_builder_release(builder, received);
            } else if (0 == before.count) {
                before = received;
            } else {
                before = napcoll_exchange_join_last(builder, received, before);
            }
        }
        napcoll_builder_next_stage(builder);
    }
    napcoll_scan_conclude(builder, args, before, inclusive ? window : (napcoll_span_t){0});
    return napcoll_builder_finish(builder);
}
