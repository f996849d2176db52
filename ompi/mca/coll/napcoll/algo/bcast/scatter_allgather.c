/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcast by scatter and allgather, for large vectors: the vector is cut into P blocks, which the
 * processes get by recursive halving and then collect from each other. Four processes:
 *
 *     scatter      0 -> 2: blocks 2 3    0 -> 1: block 1, 2 -> 3: block 3
 *     ring         0 -> 1: block 0, 2 -> 3: block 2, 1 -> 2: block 1 ...       P - 1 steps
 *     or doubling  0 -> 1: block 0, 2 -> 3: block 2; 0 -> 2, 1 <-> 3           ceil(log2 P) steps
 *
 *     cost   (log2(P) + P - 1) alpha + 2 (P - 1)/P beta s with the ring
 *            2 log2(P) alpha + 2 (P - 1)/P beta s with recursive doubling
 *
 * What a process has of the scatter is not sent to it again: the root receives nothing. "MPI: Going
 * further", scatter-allgather; R. Thakur, R. Rabenseifner, W. Gropp: "Optimization of Collective
 * Communication Operations in MPICH", 2005.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"

enum { DOUBLING = 1 };

static bool is_ring(const napcoll_params_t *params)
{
    return DOUBLING != params->tunable[0];
}

/* Recursive doubling in the parts of the scatter: the first member of both parts has both already.
 * The last member of a smaller part sends twice. */
static void add_doubling(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    for (int level = 1; level <= napcoll_split_levels(group->members, 2); level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, 2, level, group->self);
        const int other = 1 - split.part;
        int own, size, theirs, there, peer;

        if (split.parts < 2) {
            continue;
        }
        own = napcoll_split_part_first(&split, split.part);
        size = napcoll_split_part_size(&split, split.part);
        theirs = napcoll_split_part_first(&split, other);
        there = napcoll_split_part_size(&split, other);
        peer = theirs + (split.position < there ? split.position : there - 1);
        if (group->self != split.first) {
            napcoll_route_run(route, group, stage, group->rank(group, peer), false, theirs, there);
        }
        if (split.position < there && theirs + split.position != split.first) {
            napcoll_route_run(route, group, stage, group->rank(group, theirs + split.position),
                              true, own, size);
        }
        if (there > size && split.position == size - 1) {
            napcoll_route_run(route, group, stage, group->rank(group, theirs + there - 1), true,
                              own, size);
        }
    }
}

napcoll_plan_t *napcoll_bcast_scatter_allgather(const napcoll_plan_args_t *args)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_group_dfs(&dfs, args->rank);
    napcoll_route_t route = {0};
    const int stage = napcoll_route_tree(&route, &all, 0, NAPCOLL_ROUTE_DOWN, NULL);

    if (is_ring(&args->params)) {
        (void) napcoll_route_ring(&route, &all, stage, true);
    } else {
        add_doubling(&route, &all, stage);
    }
    return napcoll_bcast_tree_plan(args, &route, all.members);
}

napcoll_bounds_t napcoll_bcast_scatter_allgather_bounds(const napcoll_node_map_t *map,
                                                        const napcoll_params_t *params)
{
    const int sends = is_ring(params) || 0 == (map->size & (map->size - 1)) ? 1 : 2;

    return (napcoll_bounds_t){.inter = sends, .all = sends};
}
