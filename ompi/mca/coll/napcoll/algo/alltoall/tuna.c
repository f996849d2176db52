/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA: all ranks are one ring, in node order (napcoll_tuna.h). Most of the short distances of the
 * first digits stay inside nodes.
 *
 *     cost   K messages of D/K blocks: with radix 2 log2 P messages and (P/2) log2 P blocks, with
 *            radix P P - 1 of each
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna.h"

static int rank_at_place(const napcoll_tuna_t *tuna, int ring, int member)
{
    (void) ring;
    return napcoll_node_map_at(tuna->args->map, member);
}

static void add_ring_blocks(const napcoll_tuna_t *tuna, napcoll_builder_t *builder,
                            napcoll_span_t *list, const napcoll_tuna_run_t *run)
{
    napcoll_span_t span = {.buffer = NAPCOLL_BUFFER_SEND, .first = run->first, .count = run->count};

    if (NAPCOLL_TUNA_TRANSIT == run->where) {
        span.buffer = tuna->temporary;
        span.first = napcoll_digits_slot(tuna->radix, run->first);
    } else if (NAPCOLL_TUNA_HOME == run->where) {
        span.buffer = NAPCOLL_BUFFER_RECV;
    }
    napcoll_builder_list_add(builder, list, span);
}

napcoll_plan_t *napcoll_alltoall_tuna(const napcoll_plan_args_t *args)
{
    const int size = args->map->size;
    const int radix = napcoll_digits_radix(args->params.tunable[0], size);
    const int slots = napcoll_digits_slots(size, radix);
    const int burst = napcoll_tuna_burst(args->params.tunable[1], size, radix);
    napcoll_tuna_t tuna = {.members = size,
                           .self = napcoll_node_map_place(args->map, args->rank),
                           .radix = radix,
                           .burst = napcoll_sketch_at_once(args->rough, burst),
                           .groups = 1,
                           .headed = napcoll_plan_args_headed(args),
                           .rank = rank_at_place,
                           .add = add_ring_blocks,
                           .args = args};
    napcoll_builder_t *builder = napcoll_alltoall_builder(args);

    if (NULL == builder) {
        return NULL;
    }
    if (slots > 0) {
        tuna.temporary = napcoll_builder_temp(builder, 0, slots).buffer;
    }
    napcoll_tuna_emit(&tuna, builder);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_alltoall_tuna_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    const int radix = napcoll_digits_radix(params->tunable[0], map->size);
    const int burst = napcoll_tuna_burst(params->tunable[1], map->size, radix);

    return (napcoll_bounds_t){.inter = burst, .all = burst};
}
