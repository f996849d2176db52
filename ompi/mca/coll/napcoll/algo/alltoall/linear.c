/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-all with direct messages: block j goes straight to the rank j places before. Linear sends
 * many at once, pairwise one. Neighbours in node order come first.
 *
 *     cost   linear: alpha + (P - 1) max(gap, beta s)     pairwise: (P - 1) (alpha + beta s)
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_sketch.h"

enum { MOST_AT_ONCE = 256 };

/* Stages of pairwise in a run of a sketch: enough to show the share of messages inside nodes. */
enum { SHORT_RUN = 16 };

napcoll_plan_t *napcoll_alltoall_direct(const napcoll_plan_args_t *args, int at_once)
{
    const napcoll_node_map_t *map = args->map;
    const int place = napcoll_node_map_place(map, args->rank), size = map->size;
    const int stages = (size - 2 + at_once) / at_once, run = at_once > 1 ? 1 : SHORT_RUN;
    napcoll_builder_t *builder = napcoll_alltoall_builder(args);

    if (NULL == builder) {
        return NULL;
    }
    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, stages, run);
         at.stage < stages; napcoll_sketch_next(&at)) {
        const int first = 1 + at.stage * at_once;

        for (int j = first; j < size && j - first < at_once; j++) {
            const napcoll_span_t from = {.buffer = NAPCOLL_BUFFER_SEND, .first = j, .count = 1};
            const napcoll_span_t to = {.buffer = NAPCOLL_BUFFER_RECV, .first = j, .count = 1};

            napcoll_builder_recv(builder, to, napcoll_node_map_at(map, (place + j) % size));
            napcoll_builder_send(builder, from,
                                 napcoll_node_map_at(map, (place + size - j) % size));
        }
        napcoll_builder_repeat(builder, at.times);
        napcoll_builder_next_stage(builder);
    }
    return napcoll_builder_finish(builder);
}

static int requests_of(const napcoll_params_t *params)
{
    return params->tunable[0] > 0 ? params->tunable[0] : MOST_AT_ONCE;
}

napcoll_plan_t *napcoll_alltoall_linear(const napcoll_plan_args_t *args)
{
    return napcoll_alltoall_direct(args,
                                   napcoll_sketch_at_once(args->rough, requests_of(&args->params)));
}

napcoll_bounds_t napcoll_alltoall_linear_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    return napcoll_gather_flat_bounds(map, requests_of(params));
}
