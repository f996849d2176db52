/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce-scatter on a circulant graph of all processes in node order (napcoll_circulant.h), for any
 * number of them. Five processes, skips 1 2 3; process 0:
 *
 *     round 0   0 -> 3: blocks 3 4    2 -> 0: blocks 0 1    reduces its values of 0 and 1
 *     round 1   0 -> 2: block 2       3 -> 0: block 0
 *     round 2   0 -> 1: block 1       4 -> 0: block 0       has block 0 of all
 *
 *     cost   ceil(log2 P) alpha + (P - 1) b (beta + gamma), b the bytes of a block
 *
 * Both numbers are the least possible. It is an allgather backwards: one that has as many rounds
 * and blocks as Bruck's with radix 2, which has skips 1 2 4 (allgather/bruck.c), so allgather has
 * no circulant. Process r's buffer begins with block r, so that a message is one run of blocks.
 *
 * J. L. Träff: "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", arXiv 2410.14234,
 * 2024.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_spread.h"

napcoll_plan_t *napcoll_reduce_scatter_circulant(const napcoll_plan_args_t *args)
{
    napcoll_group_t places = napcoll_group_places(args);
    napcoll_route_t route = {0};

    places.cyclic = true;
    napcoll_circulant_allgather(&route, &places);
    return napcoll_spread_plan(args, &route, (napcoll_room_t){.first = places.self});
}
