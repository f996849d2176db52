/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce by a Bine butterfly (napcoll_bine.h): a reduce-scatter that sends the halves of the
 * vector to neighbours and the small rest far, then an allgather backwards. Eight ranks, blocks 0
 * to 7; rank 0:
 *
 *     step 1     0 <-> 1     blocks 4 .. 7 for 0 .. 3      then 0 3 4 7 share 0 .. 3
 *     step 2     0 <-> 7     blocks 2 3 for 0 1            then 0 3 share 0 1
 *     step 3     0 <-> 3     block 1 for 0
 *
 *     cost   2 log2(P) alpha + 2 (P - 1)/P beta s; 2 (alpha + beta s) more unless P is a power of 2
 *
 * Where P is not a power of two, ranks are cut by halves into parts of one or two; the second of
 * two gives its vector to the first, and gets the result at the end (napcoll_halves.h). The ring is
 * in rank order.
 *
 * Conditions: an operation that commutes. A butterfly of whole vectors is no alternative: ranks
 * then reduce with different brackets, and their results differ in the last bits.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bine.h"
#include "algo/pattern/napcoll_halves.h"

static int reversed(int number, int bits)
{
    int result = 0;

    for (int bit = 0; bit < bits; bit++) {
        result |= (number >> bit & 1) << (bits - 1 - bit);
    }
    return result;
}

napcoll_plan_t *napcoll_allreduce_bine(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, steps = napcoll_halves_depth(size), parts = 1 << steps;
    const int part = napcoll_halves_of(size, steps, args->rank).part;
    const int own = reversed(napcoll_bine_bits(parts, part), steps);
    const napcoll_actors_t actors = napcoll_halves_actors(args);
    napcoll_route_t route = {.stages = steps};

    for (int stage = 0; stage < steps && args->rank == actors.actor; stage++) {
        const int partner = napcoll_bine_partner(parts, steps - 1 - stage, part);
        const int rank = actors.group.rank(&actors.group, reversed(partner, steps));
        const int count = 1 << stage, first = own / count * count;

        napcoll_route_move(&route, stage, rank, false, first ^ count, count);
        napcoll_route_move(&route, stage, rank, true, first, count);
    }
    return napcoll_halves_allreduce(args, &actors, &route, own);
}
