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
 * As many messages meet at the root's port at once: on networks that lose what does not fit there, blocks of
 * some sizes wait for retransmission.
 */

#include "algo/gather/gather.h"

static int requests_of(const napcoll_params_t *params)
{
    return params->tunable[0] > 0 ? params->tunable[0] : NAPCOLL_GATHER_AT_ONCE;
}

napcoll_plan_t *napcoll_gather_linear(const napcoll_plan_args_t *args)
{
    napcoll_gather_tree_t tree = napcoll_gather_tree_ranks(args, args->map->size);

    napcoll_gather_tree_messages(&tree, requests_of(&args->params));
    return napcoll_gather_tree_end(&tree);
}

napcoll_bounds_t napcoll_gather_flat_bounds(const napcoll_node_map_t *map, int at_once)
{
    const int others = map->size - 1, away = map->size - map->min_ppn;

    return (napcoll_bounds_t){.inter = at_once < away ? at_once : away,
                              .all = at_once < others ? at_once : others};
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
