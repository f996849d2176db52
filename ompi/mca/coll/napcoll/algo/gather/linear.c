/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Flat gather and scatter: every rank's block goes straight to or from the root.
 *
 *     cost   alpha + (P - 1) max(gap, beta s)
 *
 * P - 1 messages meet at the root's port: on networks that drop what does not fit there, blocks of
 * some sizes wait for retransmission.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gather_tree.h"

static int requests_of(const napcoll_params_t *params)
{
    return params->tunable[0] > 0 ? params->tunable[0] : NAPCOLL_GATHER_AT_ONCE;
}

napcoll_plan_t *napcoll_gather_linear(const napcoll_plan_args_t *args)
{
    return napcoll_gather_tree_plan(args, args->map->size, 0, requests_of(&args->params));
}

napcoll_bounds_t napcoll_gather_flat_bounds(const napcoll_node_map_t *map, int at_once)
{
    return (napcoll_bounds_t){.inter = napcoll_min(at_once, map->size - map->min_ppn),
                              .all = napcoll_min(at_once, map->size - 1)};
}

napcoll_bounds_t napcoll_gather_linear_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    return napcoll_gather_flat_bounds(map, requests_of(params));
}

int napcoll_gather_linear_burst(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return 1;
}
