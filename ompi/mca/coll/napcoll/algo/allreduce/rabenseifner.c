/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rabenseifner's allreduce: reduce-scatter by recursive halving of the vector, neighbours first,
 * then allgather by recursive doubling, neighbours last. Four ranks, blocks 0 to 3:
 *
 *     0 <-> 1   0 reduces blocks 0 1, 1 blocks 2 3       2 <-> 3   likewise
 *     0 <-> 2   0 reduces block 0, 2 block 1             1 <-> 3   blocks 2 and 3
 *
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; 2 (alpha + beta s) more unless P is a power of 2
 *
 * Neighbours first keeps rank order, and moves most bytes between neighbours, which often share a
 * node. Where P is not a power of two, the ranks are cut by halves into parts of one or two
 * (napcoll_halves.h); the second of two gives its vector to the first, and gets the result at the
 * end.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective Communication Operations in
 * MPICH", 2005.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_halves.h"

napcoll_plan_t *napcoll_allreduce_rabenseifner(const napcoll_plan_args_t *args)
{
    const napcoll_actors_t actors = napcoll_halves_actors(args);
    napcoll_route_t route = {0};

    if (args->rank == actors.actor) {
        (void) napcoll_route_multiplying(&route, &actors.group, 0, 2);
    }
    return napcoll_halves_allreduce(args, &actors, &route, actors.group.self);
}
