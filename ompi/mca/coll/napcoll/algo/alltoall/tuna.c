/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA: all ranks are one ring, in the node order (algo/napcoll_tuna.h). The short ways of the first digits
 * stay inside nodes, mostly.
 *
 *     cost   K messages of D/K blocks, K rounds and D blocks as the header says: with radix 2 log2 P messages
 *            and (P/2) log2 P blocks, with radix P P - 1 of each
 */

#include "algo/alltoall/alltoall.h"

static int rank_of(const napcoll_tuna_t *tuna, int member)
{
    return napcoll_node_map_at(tuna->args->map, member);
}

static void add(const napcoll_tuna_t *tuna, napcoll_builder_t *builder, napcoll_span_t *list,
                int group, napcoll_tuna_where_t where, int first, int count)
{
    napcoll_span_t run = {.buffer = NAPCOLL_BUFFER_SEND, .first = first, .count = count};

    (void) group;
    if (NAPCOLL_TUNA_TRANSIT == where) {
        run.buffer = tuna->temporary;
        run.first = napcoll_digits_slot(tuna->radix, first);
    } else if (NAPCOLL_TUNA_HOME == where) {
        run.buffer = NAPCOLL_BUFFER_RECV;
    }
    napcoll_builder_list_add(builder, list, run);
}

static bool rests(const napcoll_tuna_t *tuna, int group)
{
    (void) tuna;
    (void) group;
    return false;
}

napcoll_plan_t *napcoll_alltoall_tuna(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, place = napcoll_node_map_place(args->map, args->rank);
    const int radix = napcoll_digits_radix(args->params.tunable[0], size);
    const int slots = napcoll_digits_slots(size, radix);
    napcoll_tuna_t tuna = {
        .members = size,
        .self = place,
        .radix = radix,
        .burst = napcoll_sketch_at_once(args->rough,
                                        napcoll_tuna_burst(args->params.tunable[1], size, radix)),
        .groups = 1,
        .sized = napcoll_alltoall_sized(args),
        .headed = napcoll_alltoall_headed(args),
        .rank = rank_of,
        .add = add,
        .rests = rests,
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

/* Blocks of one burst, and sizes of the next. */
napcoll_bounds_t napcoll_alltoall_tuna_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    const int radix = napcoll_digits_radix(params->tunable[0], map->size);
    const int burst = napcoll_tuna_burst(params->tunable[1], map->size, radix);

    return (napcoll_bounds_t){.inter = 2 * burst, .all = 2 * burst};
}
