/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Bruck's allgather over all ranks in node order, for any number of them, blind to nodes. Five ranks,
 * radix 2; rank 0, whose blocks are gathered in a temporary in this order:
 *
 *     step 1     0 <- 1    block 1              has 0 1
 *     step 2     0 <- 2    blocks 2 3           has 0 1 2 3
 *     step 3     0 <- 4    block 4              has all
 *
 *     cost   ceil(log_radix P) alpha + (P - 1) b beta, b the bytes of a block; radix - 1 messages at once
 *
 * (J. Bruck et al.: "Efficient algorithms for all-to-all communications in multiport message-passing
 * systems", 1997.) Rank r's temporary begins with block r, and is copied to its places at the end.
 */

#include "algo/allgather/allgather.h"
#include "algo/napcoll_spread.h"

static int radix_of(const napcoll_params_t *params)
{
    return params->tunable[0] < 2 ? 2 : params->tunable[0];
}

napcoll_plan_t *napcoll_allgather_bruck(const napcoll_plan_args_t *args)
{
    napcoll_group_t places = napcoll_spread_places(args);
    const napcoll_room_t room = {.first = places.self};
    napcoll_route_t route = {0};

    places.cyclic = true;
    (void) napcoll_route_bruck(&route, &places, 0, radix_of(&args->params));
    return napcoll_spread_gather(args, &route, room);
}

napcoll_bounds_t napcoll_allgather_bruck_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params)
{
    const int radix = radix_of(params), others = map->size > 1 ? map->size - 1 : 1;
    const int most = radix - 1 < others ? radix - 1 : others;

    return (napcoll_bounds_t){.inter = most, .all = most};
}
