/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible reduce of small vectors: the root gathers all vectors, node-aware, and reduces them by
 * halves of the ranks (see napcoll_gathered.h). Three nodes, two processes each, the root is a0:
 *
 *     b1 -> b0, c1 -> c0  |  b0 -> a0, c0 -> a1  |  a1 -> a0  |  a0 reduces a0 .. c1 by halves
 *
 *     cost   ceil(log_k L) alpha_l + ceil((n - 1) / L) alpha_n + (P - L) s beta_n
 *            + ceil(log_k L) alpha_l + P s beta_l + P s gamma
 *
 * The root holds P vectors in memory and reduces them all, P times the size of the call: for small
 * vectors only.
 */

#include <stdlib.h>

#include "algo/napcoll_exchange.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_gathered.h"

napcoll_plan_t *napcoll_reduce_gathered(const napcoll_plan_args_t *args)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    const int size = args->map->size;
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_SLOTS, 1);
    napcoll_span_t *value = malloc((size_t) size * sizeof(*value));

    if (NULL == builder || NULL == value) {
        free(value);
        napcoll_builder_discard(builder);
        return NULL;
    }
    napcoll_gather_at_root(builder, args, value);
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, napcoll_exchange_combine(builder, size, 2, value));
    }
    free(value);
    return napcoll_builder_finish(builder);
}

/* The root's node takes in all others, each process its share; inside a node along the split. */
napcoll_bounds_t napcoll_reduce_gathered_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int ppn = napcoll_node_map_ppn(map, napcoll_node_map_node(map, params->root));
    const int share = napcoll_port_first(1, map->nodes - 1, ppn), inter = share > 0 ? share : 1;
    const int fan = params->local_radix - 1;

    return (napcoll_bounds_t){.inter = inter, .all = fan > inter ? fan : inter};
}
