/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Broadcasts as routes (see the header).
 */

#include "algo/napcoll_bcast_tree.h"

#include "algo/napcoll_split.h"

/* ---- the binary tree: the head of [first, first + size) has its two halves below it ---- */

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

static void cast_binary(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                        napcoll_load_t load)
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

/* ---- the others ---- */

static int split_arrival(int members, int radix, int member)
{
    const int levels = napcoll_split_levels(members, radix);
    int level = levels;

    while (member > 0) {
        const napcoll_split_t split = napcoll_split_at(members, radix, level, member);

        if (0 == split.position && split.part > 0) {
            break;
        }
        level--;
    }
    return 0 == member ? 0 : levels - level + 1;
}

void napcoll_bcast_tree_split(napcoll_route_t *route, const napcoll_group_t *group, int radix,
                              int stage, napcoll_load_t load)
{
    for (int level = napcoll_split_levels(group->members, radix); level >= 1; level--, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, radix, level, group->self);

        if (group->self == split.first) {
            for (int part = 1; part < split.parts; part++) {
                napcoll_route_move(route, stage,
                                   group->rank(group, napcoll_split_part_first(&split, part)), true,
                                   load.first, load.count);
            }
        } else if (0 == split.position && split.part > 0) {
            napcoll_route_move(route, stage, group->rank(group, split.first), false, load.first,
                               load.count);
        }
    }
}

static void cast_flat(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                      napcoll_load_t load)
{
    for (int member = 1; member < group->members && 0 == group->self; member++) {
        napcoll_route_move(route, stage, group->rank(group, member), true, load.first, load.count);
    }
    if (group->self > 0) {
        napcoll_route_move(route, stage, group->rank(group, 0), false, load.first, load.count);
    }
}

static void cast_chain(napcoll_route_t *route, const napcoll_group_t *group, int stage,
                       napcoll_load_t load)
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

/* ---- scatter and allgather ---- */

/* Members whose bundles a member has after the scatter: itself and those behind it. */
static int scattered_to(const napcoll_group_t *group, int member)
{
    int level = napcoll_split_levels(group->members, 2);

    for (; level >= 1; level--) {
        const napcoll_split_t split = napcoll_split_at(group->members, 2, level, member);

        if (member == split.first) {
            return split.size;
        }
        if (0 == split.position) {
            return napcoll_split_part_size(&split, split.part);
        }
    }
    return 1;
}

/* Whether a member has blocks of the scatter. */
static bool has_blocks(const napcoll_group_t *group, int member, int first, int count)
{
    return first >= group->first(group, member)
           && first + count <= group->first(group, member + scattered_to(group, member));
}

/* A ring along which nobody sends to the next what that one has. */
static int spare_ring(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int n = group->members, self = group->self;
    const int next = (self + 1) % n, before = (self + n - 1) % n;

    for (int k = 0; k < n - 1; k++, stage++) {
        const int from = (before + n - k) % n, to = (self + n - k) % n;

        if (!has_blocks(group, self, group->first(group, from), 1)) {
            napcoll_route_run(route, group, stage, group->rank(group, before), false, from, 1);
        }
        if (!has_blocks(group, next, group->first(group, to), 1)) {
            napcoll_route_run(route, group, stage, group->rank(group, next), true, to, 1);
        }
    }
    return stage;
}

/* Recursive doubling along the split of the scatter: the head of each pair of parts has both. */
static int spare_doubling(napcoll_route_t *route, const napcoll_group_t *group, int stage)
{
    const int levels = napcoll_split_levels(group->members, 2);

    for (int level = 1; level <= levels; level++, stage++) {
        const napcoll_split_t split = napcoll_split_at(group->members, 2, level, group->self);
        const int other = 1 - split.part;
        int mine, size, theirs, there, peer;

        if (split.parts < 2) {
            continue;
        }
        mine = napcoll_split_part_first(&split, split.part);
        size = napcoll_split_part_size(&split, split.part);
        theirs = napcoll_split_part_first(&split, other);
        there = napcoll_split_part_size(&split, other);
        peer = theirs + (split.position < there ? split.position : there - 1);
        if (group->self != split.first) {
            napcoll_route_run(route, group, stage, group->rank(group, peer), false, theirs, there);
        }
        if (split.position < there && theirs + split.position != split.first) {
            napcoll_route_run(route, group, stage, group->rank(group, theirs + split.position),
                              true, mine, size);
        }
        if (there > size && split.position == size - 1) { /* for the one that has no partner */
            napcoll_route_run(route, group, stage, group->rank(group, theirs + there - 1), true,
                              mine, size);
        }
    }
    return stage;
}

int napcoll_bcast_tree_scatter_allgather(napcoll_route_t *route, const napcoll_group_t *group,
                                         int stage, bool ring)
{
    stage = napcoll_route_scatter(route, group, stage, 2, 0);
    return ring ? spare_ring(route, group, stage) : spare_doubling(route, group, stage);
}

/* ---- by name ---- */

int napcoll_bcast_tree_stages(napcoll_bcast_tree_t cast, int members)
{
    if (members < 2) {
        return 0;
    }
    switch (cast) {
    case NAPCOLL_BCAST_TREE_FLAT:
        return 1;
    case NAPCOLL_BCAST_TREE_CHAIN:
        return members - 1;
    case NAPCOLL_BCAST_TREE_BINARY:
        return napcoll_split_levels(members + 1, 2) - 1;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        return napcoll_split_levels(members, 2) + members - 1;
    default:
        return napcoll_split_levels(members, 2);
    }
}

int napcoll_bcast_tree_arrival(napcoll_bcast_tree_t cast, int members, int member)
{
    int depth, parent;

    if (0 == member) {
        return 0;
    }
    switch (cast) {
    case NAPCOLL_BCAST_TREE_FLAT:
        return 1;
    case NAPCOLL_BCAST_TREE_CHAIN:
        return member;
    case NAPCOLL_BCAST_TREE_BINARY:
        (void) subtree_of(members, member, &depth, &parent);
        return depth;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        return napcoll_bcast_tree_stages(cast, members);
    default:
        return split_arrival(members, 2, member);
    }
}

int napcoll_bcast_tree_fanout(napcoll_bcast_tree_t cast, int members, int segments)
{
    const int stages = napcoll_bcast_tree_stages(cast, members);
    const int under_way = segments < stages ? segments : stages;

    if (members < 2) {
        return 0;
    }
    switch (cast) {
    case NAPCOLL_BCAST_TREE_FLAT:
        return members - 1;
    case NAPCOLL_BCAST_TREE_CHAIN:
        return 1;
    case NAPCOLL_BCAST_TREE_BINARY:
        return 2;
    default:
        return under_way;
    }
}

void napcoll_bcast_tree_among(napcoll_route_t *route, const napcoll_group_t *group,
                              napcoll_bcast_tree_t cast, int stage, napcoll_load_t load)
{
    switch (cast) {
    case NAPCOLL_BCAST_TREE_FLAT:
        cast_flat(route, group, stage, load);
        break;
    case NAPCOLL_BCAST_TREE_CHAIN:
        cast_chain(route, group, stage, load);
        break;
    case NAPCOLL_BCAST_TREE_BINARY:
        cast_binary(route, group, stage, load);
        break;
    case NAPCOLL_BCAST_TREE_SCATTER_ALLGATHER:
        (void) napcoll_bcast_tree_scatter_allgather(route, group, stage, true);
        break;
    default:
        napcoll_bcast_tree_split(route, group, 2, stage, load);
        break;
    }
}

/* ---- groups and plans ---- */

static int walk_rank(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_rank(group->dfs, member);
}

/* Of a group in which bundle m is block m. */
static int block_of(const napcoll_group_t *group, int member)
{
    return group->base + member;
}

napcoll_group_t napcoll_bcast_tree_processes(const napcoll_dfs_order_t *dfs, int rank)
{
    return (napcoll_group_t){.members = dfs->map->size,
                             .self = napcoll_dfs_order_rank_place(dfs, rank),
                             .rank = walk_rank,
                             .first = block_of,
                             .map = dfs->map,
                             .dfs = dfs};
}

static int node_rank(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_member(group->dfs, napcoll_dfs_order_node(group->dfs, member),
                                    group->lane);
}

napcoll_group_t napcoll_bcast_tree_nodes(const napcoll_dfs_order_t *dfs, int rank, int index)
{
    return (napcoll_group_t){
        .members = dfs->map->nodes,
        .self = napcoll_dfs_order_place(dfs, napcoll_node_map_node(dfs->map, rank)),
        .rank = node_rank,
        .first = block_of,
        .map = dfs->map,
        .dfs = dfs,
        .lane = index};
}

static int member_rank(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_member(group->dfs, group->node, member);
}

napcoll_group_t napcoll_bcast_tree_node(const napcoll_dfs_order_t *dfs, int rank)
{
    const int node = napcoll_node_map_node(dfs->map, rank);

    return (napcoll_group_t){.members = napcoll_node_map_ppn(dfs->map, node),
                             .self = napcoll_dfs_order_index(dfs, rank),
                             .rank = member_rank,
                             .first = block_of,
                             .map = dfs->map,
                             .dfs = dfs,
                             .node = node};
}

napcoll_plan_t *napcoll_bcast_tree_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                        int blocks)
{
    const int segments = napcoll_bcast_tree_segments(&args->params);
    const int buffer = napcoll_plan_args_takes(args) ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND;
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR,
                                                           blocks * segments);

    if (NULL == builder) {
        napcoll_route_free(route);
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    napcoll_route_pour(builder, route, buffer, segments, blocks);
    napcoll_route_free(route);
    return napcoll_builder_finish(builder);
}
