/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter for small blocks through the nodes' leaders: napcoll_spread_leaders backwards. Four nodes
 * of three processes, radix 4; node 0:
 *
 *     reduce      0 <- 1, 2                 all blocks
 *     exchange    0 -> 3: blocks 3 4 5   0 -> 6: 6 7 8   0 -> 9: 9 10 11, and reduces what they send
 *     scatter     0 -> 1: block 1   0 -> 2: block 2
 *
 *     cost   2 ceil(log_k ppn) alpha_l + P b (beta_l + gamma) inside a node, ceil(log_r n) alpha_n
 *            + P b (beta_n + gamma) between nodes, b the bytes of a block, r the radix, k the local
 *            radix
 */

#include "algo/napcoll_spread.h"
#include "algo/reduce_scatter/reduce_scatter.h"

napcoll_plan_t *napcoll_reduce_scatter_smp(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_leaders(&route, args, napcoll_params_radix(&args->params));
    return napcoll_spread_reduce(args, &route, napcoll_spread_locality_room(args));
}

napcoll_bounds_t napcoll_reduce_scatter_smp_bounds(const napcoll_node_map_t *map,
                                                   const napcoll_params_t *params)
{
    return napcoll_spread_leaders_bounds(map, params, napcoll_params_radix(params));
}
