/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast on a circulant graph of the nodes (napcoll_circulant.h), on all lanes at once: the root
 * deals slices of the vector to the lanes of its node, each lane carries its slice through the
 * graph, pipelined, and the processes of a node send each other what has come. Two lanes on each of
 * five nodes a to e, two segments in each slice; the rounds of bcast/circulant.c:
 *
 *     stage 0   a0 -> a1: segment 0 of slice 1
 *     stage 1   round 0: a0 -> d0 of slice 0, a1 -> d1 of slice 1    a0 -> a1: segment 1
 *     stage 2   round 1: a0 -> b0, d0 -> e0, a1 -> b1, d1 -> e1      d0 <-> d1: segment 0
 *     stage 3   round 2                                              b0 <-> b1, e0 <-> e1
 *
 *     cost   (S - 1 + ceil(log2 n)) (alpha + beta s/(L S)) between nodes, and inside them, at the
 *            same time, (L - 1)/L s beta_l; twice that on the root's node
 *
 * L is the number of processes on the smallest node; further ones of larger nodes only receive. All
 * processes use the network, no byte comes to a node twice, and n nodes take ceil(log2 n) rounds
 * more than segments, where the chain of bcast/lane.c takes n - 1.
 *
 * J. L. Träff: arXiv 2407.18004, 2024 (see napcoll_circulant.h); lanes: Bienz, Olson, Gropp:
 * "Node-Aware Improvements to Allreduce", section VI.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_lanes.h"

napcoll_plan_t *napcoll_bcast_lane_circulant(const napcoll_plan_args_t *args)
{
    const int segments = napcoll_params_segments(&args->params);
    napcoll_route_t route = {0};

    napcoll_circulant_lanes(&route, args, segments);
    return napcoll_circulant_bcast_plan(args, &route, napcoll_slice_lanes(args->map) * segments);
}
