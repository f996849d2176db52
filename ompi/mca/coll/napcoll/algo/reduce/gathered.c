/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reproducible reduce of small vectors: the root gathers all vectors, node-aware, and reduces them
 * by halves of the ranks (napcoll_gathered.h). Three nodes, two processes each, the root is a0:
 *
 *     b1 -> b0, c1 -> c0  |  b0 -> a0, c0 -> a1  |  a1 -> a0  |  a0 reduces a0 .. c1 by halves
 *
 *     cost   ceil(log_k L) alpha_l + ceil((n - 1) / L) alpha_n + (P - L) s beta_n
 *            + ceil(log_k L) alpha_l + P s beta_l + P s gamma
 *
 * The root keeps P vectors in memory and reduces them all, P times the size of the call: for small
 * vectors only.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_gathered.h"
#include "algo/pattern/napcoll_lanes.h"

napcoll_plan_t *napcoll_reduce_gathered(const napcoll_plan_args_t *args)
{
    return napcoll_gathered_plan(args, napcoll_plan_args_takes(args) ? args->map->size : 0);
}

/* Each process of the root's node takes its share of the other nodes; inside a node it is a
 * tree. */
napcoll_bounds_t napcoll_reduce_gathered_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int ppn = napcoll_node_map_ppn(map, napcoll_node_map_node(map, params->root));

    return napcoll_bounds_either(napcoll_max(napcoll_port_first(1, map->nodes - 1, ppn), 1),
                                 params->local_radix - 1);
}
