/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allgather on a ring of all processes, for large blocks. The ring visits node after node, so each
 * node's link carries one block per step. Three ranks:
 *
 *     step 1     block 0: 0 -> 1     block 1: 1 -> 2     block 2: 2 -> 0
 *     step 2     block 0: 1 -> 2     block 1: 2 -> 0     block 2: 0 -> 1
 *
 *     cost   (P - 1) (alpha + b beta), b the bytes of a block
 *
 * No block is copied on the way: blocks go straight to and from the receive buffer, wherever they
 * are in it. (R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication
 * Operations in MPICH", 2005.)
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_allgather_ring(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    napcoll_route_t route = {0};

    (void) napcoll_route_ring(&route, &places, 0, false);
    return napcoll_spread_plan(args, &route, (napcoll_room_t){.user = true});
}
