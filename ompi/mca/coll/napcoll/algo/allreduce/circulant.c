/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Allreduce on a circulant graph of all processes (napcoll_circulant.h): the vector is cut into P
 * blocks, one for each process, which are reduced as in reduce_scatter/circulant.c, and collected
 * in the same rounds backwards. Five processes; process 0, skips 1 2 3:
 *
 *     reduce-scatter   0 -> 3: blocks 3 4    0 -> 2: block 2    0 -> 1: block 1
 *     allgather        0 <- 1: block 1       0 <- 2: block 2    0 <- 3: blocks 3 4
 *
 *     cost   2 ceil(log2 P) alpha + (P - 1)/P s (2 beta + gamma)
 *
 * Both numbers are the least possible, for any P: rabenseifner takes a round of the whole vector
 * more in each direction unless P is a power of two. A run of blocks round the end of the vector is
 * two messages. Segments follow each other one stage apart. On nodes of several processes `lane`
 * with radix 2 has as many rounds and blocks between nodes, on every lane.
 *
 * J. L. Träff: "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", arXiv 2410.14234,
 * 2024.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_reduction.h"

napcoll_plan_t *napcoll_allreduce_circulant(const napcoll_plan_args_t *args)
{
    const napcoll_group_t places = napcoll_group_places(args);
    napcoll_route_t route = {0};

    napcoll_circulant_allgather(&route, &places);
    return napcoll_reduction_plan(args, &route, &route, places.members, places.self,
                                  (napcoll_block_range_t){0});
}

/* A run of blocks round the end is two messages. Segments under way are in different rounds. */
napcoll_bounds_t napcoll_allreduce_circulant_bounds(const napcoll_node_map_t *map,
                                                    const napcoll_params_t *params)
{
    const int most = (map->size > 3 ? 2 : 1) * napcoll_params_segments(params);

    return (napcoll_bounds_t){.inter = most, .all = most};
}
