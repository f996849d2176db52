/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reduce on a circulant graph of the nodes (napcoll_circulant.h), on all lanes at once: the
 * broadcast of bcast/lane_circulant.c backwards. The processes of a node give each lane their
 * values of its slice, segment by segment; each lane reduces its slice through the graph, and the
 * root gets the slices from the lanes of its node. Two lanes on each of two nodes a and b, root a0,
 * two segments in each slice:
 *
 *     stage 0   b0 <-> b1: segment 1
 *     stage 1   b0 <-> b1: segment 0    round 0: b0 -> a0, b1 -> a1: segment 1    a1 -> a0: 1
 *     stage 2                           round 1: b0 -> a0, b1 -> a1: segment 0    a1 -> a0: 0
 *     stage 3   a1 -> a0: both segments of slice 1, one after the other
 *
 *     cost   (S - 1 + ceil(log2 n)) (alpha + (beta + gamma) s/(L S)) between nodes, and inside
 *            them, at the same time, (L - 1)/L s (beta_l + gamma); twice that on the root's node
 *
 * L is the number of processes on the smallest node. No byte leaves a node twice: reduce/lane.c,
 * a reduce-scatter and a gather, sends twice as many bytes between nodes.
 *
 * J. L. Träff: arXiv 2407.18004, 2024 (see napcoll_circulant.h).
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_circulant.h"
#include "algo/pattern/napcoll_lanes.h"

napcoll_plan_t *napcoll_reduce_lane_circulant(const napcoll_plan_args_t *args)
{
    const int segments = napcoll_params_segments(&args->params);
    napcoll_route_t route = {0};

    napcoll_circulant_lanes(&route, args, segments);
    return napcoll_circulant_reduce_plan(args, &route, napcoll_slice_lanes(args->map) * segments);
}
