/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather, and backwards reduce-scatter, by a Bine butterfly over the ring of ranks in node order
 * (napcoll_bine.h). Eight ranks; rank 0:
 *
 *     step 1     0 <-> 1     block 0 for 1
 *     step 2     0 <-> 7     blocks 0 1 for 6 7
 *     step 3     0 <-> 3     blocks 6 7 0 1 for 2 3 4 5
 *
 *     cost   log2(P) alpha + (P - 1) b beta, b the bytes of a block
 *
 * A run of blocks that goes round the end of the ring is two messages. Conditions: a power of two
 * of ranks; a reduce-scatter needs an operation that commutes, for a run of one rank meets the run
 * after it or the one before.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bine.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_spread_bine(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    const napcoll_room_t room = {.user = !napcoll_plan_args_scattered(args)};
    const int n = places.members;
    napcoll_route_t route = {0};

    for (int k = 0; 1 << k < n; k++) {
        const int partner = napcoll_bine_partner(n, k, places.self);
        const int rank = places.rank(&places, partner);

        napcoll_route_run(&route, &places, k, rank, false, napcoll_bine_run(n, k, partner), 1 << k);
        napcoll_route_run(&route, &places, k, rank, true, napcoll_bine_run(n, k, places.self),
                          1 << k);
        route.stages = k + 1;
    }
    return napcoll_spread_plan(args, &route, room);
}

napcoll_bounds_t napcoll_spread_bine_bounds(const napcoll_node_map_t *map,
                                            const napcoll_params_t *params)
{
    const int runs = napcoll_min(2, map->size - 1);

    (void) params;
    return (napcoll_bounds_t){.inter = runs, .all = runs};
}
