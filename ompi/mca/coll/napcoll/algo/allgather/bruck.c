/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Bruck's allgather over all ranks in node order, for any number of them, blind to nodes. Five
 * ranks, radix 2; rank 0, whose temporary gets the blocks in this order:
 *
 *     step 1     0 <- 1    block 1              has 0 1
 *     step 2     0 <- 2    blocks 2 3           has 0 1 2 3
 *     step 3     0 <- 4    block 4              has all
 *
 *     cost   ceil(log_radix P) alpha + (P - 1) b beta, b the bytes of a block
 *
 * Rank r's temporary begins with block r, and is copied to the receive buffer at the end. (J. Bruck
 * et al.: "Efficient algorithms for all-to-all communications in multiport message-passing
 * systems", 1997.)
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_bruck(const napcoll_plan_args_t *args)
{
    napcoll_group_t places = napcoll_group_places(args);
    napcoll_route_t route = {0};

    places.cyclic = true;
    (void) napcoll_route_bruck(&route, &places, 0, napcoll_params_radix(&args->params));
    return napcoll_spread_plan(args, &route, (napcoll_room_t){.first = places.self});
}

napcoll_bounds_t napcoll_allgather_bruck_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int most = napcoll_min(napcoll_params_radix(params) - 1, napcoll_max(map->size - 1, 1));

    return (napcoll_bounds_t){.inter = most, .all = most};
}
