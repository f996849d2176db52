/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Every block goes straight to its neighbour, all at once up to a bound. All ranks post the edges
 * in the same order (napcoll_turn_t), so where a stage ends early no rank waits for ever:
 *
 *     ranks 0 .. 3 in a ring, both ways, two turns       turn      rank 1 sends to   gets from
 *                                                        +1        2                 0
 *                                                        +3        0                 2
 *
 *     cost   alpha + (d - 1) max(gap, beta s) for d edges of a process
 */

#include "algo/napcoll_generators.h"

enum { MOST_AT_ONCE = 256 };

napcoll_plan_t *napcoll_neighbor_direct(const napcoll_plan_args_t *args)
{
    const napcoll_neighborhood_t *n = args->neighborhood;
    const int requests = args->params.tunable[0];
    const int most = requests > 0 ? requests : MOST_AT_ONCE;
    napcoll_builder_t *builder = napcoll_neighbor_builder(args);
    int messages = 0;

    if (NULL == builder) {
        return NULL;
    }
    for (int t = 0; t < n->turns; t++) {
        const int recv = n->turn[t].recv, send = n->turn[t].send;

        if (messages + 2 > most && messages > 0) {
            napcoll_builder_next_stage(builder);
            messages = 0;
        }
        if (recv >= 0) {
            napcoll_builder_recv(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, recv, 1},
                                 n->edge[n->out + recv].peer);
        }
        if (send >= 0) {
            napcoll_builder_send(builder, (napcoll_span_t){NAPCOLL_BUFFER_SEND, send, 1},
                                 n->edge[send].peer);
        }
        messages += (recv >= 0) + (send >= 0);
    }
    return napcoll_builder_finish(builder);
}
