/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter for small blocks that knows nodes: the locality-aware Bruck route (napcoll_spread.h)
 * backwards. Four nodes of three processes, one step between nodes; node 0:
 *
 *     in the node     lane 0 reduces blocks 3 4 5     lane 1 6 7 8     lane 2 9 10 11
 *     step 1          lane 0 -> node 1: 3 4 5   lane 1 -> node 2: 6 7 8   lane 2 -> node 3: 9 10 11,
 *                     and each of them reduces into 0 1 2 what one other node sends it
 *     in the node     lane 0 reduces block 0          lane 1 block 1       lane 2 block 2
 *
 *     cost   ceil(log_(L+1) n) alpha_n + (n - 1)/L ppn b beta_n, b the bytes of a block,
 *            (1 + ceil(log_(L+1) n)) ceil(log_r ppn) alpha_l + (P - 1) b (beta_l + gamma)
 *
 * Blocks are reduced in temporaries, in which they are numbered on from the node's first one.
 */

#include "algo/reduce_scatter/reduce_scatter.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_spread.h"

int napcoll_reduce_scatter_locality_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_port_levels(map, napcoll_port_lanes(map, lanes));
}

napcoll_plan_t *napcoll_reduce_scatter_locality(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_locality(&route, args, napcoll_port_lanes(args->map, args->params.tunable[0]));
    return napcoll_spread_reduce(args, &route, napcoll_spread_locality_room(args));
}

napcoll_bounds_t napcoll_reduce_scatter_locality_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    return napcoll_spread_locality_bounds(map, params, napcoll_port_lanes(map, params->tunable[0]));
}
