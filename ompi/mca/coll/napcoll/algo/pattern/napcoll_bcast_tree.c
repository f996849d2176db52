/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcasts as routes (see the header).
 */

#include "algo/pattern/napcoll_bcast_tree.h"

/* ---- the binary tree: below the head of [first, first + size) are its two halves ---- */

typedef struct {
    int first;
    int size;
} range_t;

static range_t left_of(range_t tree)
{
    return (range_t){.first = tree.first + 1, .size = tree.size / 2};
}

static range_t right_of(range_t tree)
{
    return (range_t){.first = tree.first + 1 + tree.size / 2,
                     .size = tree.size - 1 - tree.size / 2};
}

/* The subtree of a member, with its depth and its parent. */
static range_t subtree_of(int members, int member, int *depth, int *parent)
{
    range_t tree = {.size = members};

    *depth = 0;
    *parent = -1;
    while (tree.first != member) {
        const range_t right = right_of(tree);

        *parent = tree.first;
        tree = member < right.first ? left_of(tree) : right;
        (*depth)++;
    }
    return tree;
}

/* ---- trees by levels: each member that has the blocks sends them to radix - 1 others ---- */

/* The radix of such a tree; scatter_allgather scatters on a binomial one. */
static int radix_of(napcoll_bcast_tree_t tree, int members)
{
    switch (tree) {
    case NAPCOLL_BCAST_TREE_FLAT:
        return members > 2 ? members : 2;
    case NAPCOLL_BCAST_TREE_KNOMIAL:
        return NAPCOLL_BCAST_TREE_RADIX;
    default:
        return 2;
    }
}

static napcoll_group_t with_radix(const napcoll_group_t *group, napcoll_bcast_tree_t tree)
{
    napcoll_group_t with = *group;

    with.radix = radix_of(tree, group->members);
    return with;
}

/* ---- routes ---- */

static void add_binary(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       napcoll_block_range_t load)
{
    int depth, parent;
    const range_t tree = subtree_of(group->members, group->self, &depth, &parent);
    const range_t below[] = {left_of(tree), right_of(tree)};

    if (parent >= 0) {
        napcoll_route_move(route, stage + depth - 1, group->rank(group, parent), false, load.first,
                           load.count);
    }
    for (int i = 0; i < 2; i++) {
        if (below[i].size > 0) {
            napcoll_route_move(route, stage + depth, group->rank(group, below[i].first), true,
                               load.first, load.count);
        }
    }
}

static void add_chain(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                      napcoll_block_range_t load)
{
    const int self = group->self;

    if (self > 0) {
        napcoll_route_move(route, stage + self - 1, group->rank(group, self - 1), false, load.first,
                           load.count);
    }
    if (self + 1 < group->members) {
        napcoll_route_move(route, stage + self, group->rank(group, self + 1), true, load.first,
                           load.count);
    }
}

void napcoll_bcast_tree_route(napcoll_route_t *route, const napcoll_group_t *group,
                              napcoll_bcast_tree_t tree, int stage, napcoll_block_range_t load)
{
    const napcoll_group_t levels = with_radix(group, tree);

    switch (tree) {
    case NAPCOLL_BCAST_TREE_CHAIN:
        add_chain(route, group, stage, load);
        break;
    case NAPCOLL_BCAST_TREE_BINARY:
        add_binary(route, group, stage, load);
        break;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        stage = napcoll_route_tree(route, &levels, stage, NAPCOLL_ROUTE_DOWN, NULL);
        (void) napcoll_route_ring(route, group, stage, true);
        break;
    default:
        (void) napcoll_route_tree(route, &levels, stage, NAPCOLL_ROUTE_DOWN, &load);
        break;
    }
}

/* ---- numbers ---- */

int napcoll_bcast_tree_stages(napcoll_bcast_tree_t tree, int members)
{
    if (members < 2) {
        return 0;
    }
    switch (tree) {
    case NAPCOLL_BCAST_TREE_CHAIN:
        return members - 1;
    case NAPCOLL_BCAST_TREE_BINARY:
        return napcoll_split_levels(members + 1, 2) - 1;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        return napcoll_split_levels(members, 2) + members - 1;
    default:
        return napcoll_split_levels(members, radix_of(tree, members));
    }
}

int napcoll_bcast_tree_arrival(napcoll_bcast_tree_t tree, const napcoll_group_t *group)
{
    const napcoll_group_t levels = with_radix(group, tree);
    int depth, parent;

    if (0 == group->self) {
        return 0;
    }
    switch (tree) {
    case NAPCOLL_BCAST_TREE_CHAIN:
        return group->self;
    case NAPCOLL_BCAST_TREE_BINARY:
        (void) subtree_of(group->members, group->self, &depth, &parent);
        return depth;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        return napcoll_bcast_tree_stages(tree, group->members);
    default:
        return napcoll_tree_arrival(&levels);
    }
}

int napcoll_bcast_tree_fanout(napcoll_bcast_tree_t tree, int members, int segments)
{
    const int stages = napcoll_bcast_tree_stages(tree, members);

    if (members < 2) {
        return 0;
    }
    switch (tree) {
    case NAPCOLL_BCAST_TREE_CHAIN:
        return 1;
    case NAPCOLL_BCAST_TREE_BINARY:
        return 2;
    default:
        return (radix_of(tree, members) - 1) * (segments < stages ? segments : stages);
    }
}

napcoll_hops_t napcoll_bcast_tree_hops(napcoll_bcast_tree_t tree, const napcoll_node_map_t *map)
{
    /* of a segment on each level */
    const int sends = NAPCOLL_BCAST_TREE_BINARY == tree ? 2 : 1;
    const int all = napcoll_bcast_tree_stages(tree, map->size);
    const int nodes = napcoll_bcast_tree_stages(tree, map->nodes);

    return (napcoll_hops_t){.network = sends * nodes, .local = sends * (all - nodes), .lanes = 1};
}

/* ---- plans ---- */

napcoll_plan_t *napcoll_bcast_tree_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                        int blocks)
{
    const int segments = napcoll_params_segments(&args->params);
    const int buffer = napcoll_plan_args_takes(args) ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR,
                                                           blocks * segments);

    if (NULL != builder) {
        napcoll_builder_claim_recvbuf(builder);
        napcoll_route_emit_segments(builder, route, buffer, segments, blocks);
    }
    napcoll_route_free(route);
    return NULL == builder ? NULL : napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_bcast_tree_ranks(const napcoll_plan_args_t *args, napcoll_bcast_tree_t tree)
{
    const napcoll_dfs_order_t dfs = napcoll_dfs_order_from(args->map, args->params.root);
    const napcoll_group_t all = napcoll_group_dfs(&dfs, args->rank);
    napcoll_route_t route = {0};

    napcoll_bcast_tree_route(&route, &all, tree, 0, (napcoll_block_range_t){.count = 1});
    return napcoll_bcast_tree_plan(args, &route, 1);
}
