/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather for small blocks through the nodes' leaders (napcoll_spread_leaders). Four nodes of three
 * processes, radix 4; node 0:
 *
 *     gather      0 <- 1, 2                 has 0 1 2
 *     Bruck       0 <- 3, 6, 9              has all
 *     hand out    0 -> 1, 2
 *
 *     cost   2 ceil(log_k ppn) alpha_l + P b beta_l inside a node, ceil(log_r n) alpha_n + P b beta_n
 *            between nodes, b the bytes of a block, r the radix, k the local radix
 *
 * Bruck among leaders takes any number of nodes, and nodes may differ in size.
 */

#include "algo/allgather/allgather.h"
#include "algo/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_smp(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_leaders(&route, args, napcoll_params_radix(&args->params));
    return napcoll_spread_gather(args, &route, napcoll_spread_locality_room(args));
}

napcoll_bounds_t napcoll_allgather_smp_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    return napcoll_spread_leaders_bounds(map, params, napcoll_params_radix(params));
}
