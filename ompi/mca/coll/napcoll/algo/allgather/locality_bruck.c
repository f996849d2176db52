/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather for small blocks that knows nodes: the locality-aware Bruck route (napcoll_spread.h). Four
 * nodes of three processes, one step between nodes; node 0:
 *
 *     in the node     all three have blocks 0 1 2
 *     step 1          lane 0 <- node 1: 3 4 5   lane 1 <- node 2: 6 7 8   lane 2 <- node 3: 9 10 11
 *     in the node     all three have all blocks
 *
 *     cost   ceil(log_(L+1) n) alpha_n + (n - 1)/L ppn b beta_n, b the bytes of a block,
 *            (1 + ceil(log_(L+1) n)) ceil(log_r ppn) alpha_l + (P - 1) b beta_l
 *
 * A process's temporary begins with its node's first block, and is copied to its places at the end.
 */

#include "algo/allgather/allgather.h"
#include "algo/napcoll_ports.h"
#include "algo/napcoll_spread.h"

int napcoll_allgather_locality_bruck_steps(const napcoll_node_map_t *map, int lanes)
{
    return napcoll_port_levels(map, napcoll_port_lanes(map, lanes));
}

napcoll_plan_t *napcoll_allgather_locality_bruck(const napcoll_plan_args_t *args)
{
    napcoll_route_t route = {0};

    napcoll_spread_locality(&route, args, napcoll_port_lanes(args->map, args->params.tunable[0]));
    return napcoll_spread_gather(args, &route, napcoll_spread_locality_room(args));
}

napcoll_bounds_t napcoll_allgather_locality_bruck_bounds(const napcoll_node_map_t *map,
                                                         const napcoll_params_t *params)
{
    return napcoll_spread_locality_bounds(map, params, napcoll_port_lanes(map, params->tunable[0]));
}
