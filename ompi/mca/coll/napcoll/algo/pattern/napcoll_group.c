/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Groups and their trees (see the header).
 */

#include "algo/pattern/napcoll_group.h"

/* ---- over all ranks ---- */

static int rank_in_rank_order(const napcoll_group_t *group, int member)
{
    (void) group;
    return member;
}

napcoll_group_t napcoll_group_ranks(const napcoll_plan_args_t *args, int radix)
{
    return (napcoll_group_t){.members = args->map->size,
                             .self = args->rank,
                             .root = napcoll_plan_args_root(args),
                             .radix = radix,
                             .rank = rank_in_rank_order,
                             .map = args->map};
}

static int rank_at_place(const napcoll_group_t *group, int place)
{
    return napcoll_node_map_at(group->map, place);
}

napcoll_group_t napcoll_group_places(const napcoll_plan_args_t *args)
{
    return (napcoll_group_t){.members = args->map->size,
                             .self = napcoll_node_map_place(args->map, args->rank),
                             .radix = 2,
                             .rank = rank_at_place,
                             .map = args->map};
}

static int rank_in_dfs_order(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_rank(group->dfs, member);
}

napcoll_group_t napcoll_group_dfs(const napcoll_dfs_order_t *dfs, int rank)
{
    return (napcoll_group_t){.members = dfs->map->size,
                             .self = napcoll_dfs_order_rank_place(dfs, rank),
                             .radix = 2,
                             .rank = rank_in_dfs_order,
                             .map = dfs->map,
                             .dfs = dfs};
}

/* ---- one process of each node ---- */

static int rank_of_leader(const napcoll_group_t *group, int node)
{
    return napcoll_node_map_rank(group->map, node, node == group->root ? group->lane : 0);
}

napcoll_group_t napcoll_group_leaders(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int root = napcoll_plan_args_root(args);
    napcoll_group_t group = {.members = map->nodes,
                             .self = napcoll_node_map_node(map, args->rank),
                             .root = napcoll_node_map_node(map, root),
                             .radix = napcoll_params_radix(&args->params),
                             .rank = rank_of_leader,
                             .map = map,
                             .lane = napcoll_node_map_lane(map, root)};

    napcoll_group_delegate(&group, args, NAPCOLL_SCOPE_LEADERS);
    if (group.delegated) {
        group.lane = 0;
    }
    return group;
}

napcoll_bounds_t napcoll_group_leaders_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    const int radix = napcoll_params_radix(params);

    return napcoll_bounds_either(radix - 1, napcoll_min(params->local_radix, map->max_ppn) - 1);
}

static int rank_on_lane(const napcoll_group_t *group, int node)
{
    return napcoll_node_map_rank(group->map, node, group->lane);
}

napcoll_group_t napcoll_group_lane(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;

    return (napcoll_group_t){.members = map->nodes,
                             .self = napcoll_node_map_node(map, args->rank),
                             .root = napcoll_node_map_node(map, napcoll_plan_args_root(args)),
                             .radix = 2,
                             .rank = rank_on_lane,
                             .map = map,
                             .lane = napcoll_node_map_lane(map, args->rank)};
}

static int rank_of_dfs_node(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_member(group->dfs, napcoll_dfs_order_node(group->dfs, member),
                                    group->lane);
}

napcoll_group_t napcoll_group_dfs_nodes(const napcoll_dfs_order_t *dfs, int rank, int index)
{
    const int node = napcoll_node_map_node(dfs->map, rank);

    return (napcoll_group_t){.members = dfs->map->nodes,
                             .self = napcoll_dfs_order_place(dfs, node),
                             .radix = 2,
                             .rank = rank_of_dfs_node,
                             .map = dfs->map,
                             .dfs = dfs,
                             .lane = index};
}

/* ---- inside a node ---- */

static int rank_by_hardware(const napcoll_group_t *group, int member)
{
    const int lane = napcoll_node_map_local_order(group->map, group->node, member);

    return napcoll_node_map_rank(group->map, group->node, lane);
}

static int rank_by_lane(const napcoll_group_t *group, int member)
{
    const int ppn = napcoll_node_map_ppn(group->map, group->node);

    return napcoll_node_map_rank(group->map, group->node, (group->lane + member) % ppn);
}

/* The member of a node's group that has a rank. */
static int member_with_rank(const napcoll_group_t *group, int rank)
{
    int member = 0;

    while (group->rank(group, member) != rank) {
        member++;
    }
    return member;
}

static napcoll_group_t group_of_node(const napcoll_plan_args_t *args, bool by_hardware, int first)
{
    const napcoll_node_map_t *map = args->map;
    const int root = napcoll_plan_args_root(args), node = napcoll_node_map_node(map, args->rank);
    napcoll_group_t group = {.members = napcoll_node_map_ppn(map, node),
                             .radix = args->params.local_radix,
                             .rank = by_hardware ? rank_by_hardware : rank_by_lane,
                             .base = napcoll_node_map_first(map, node),
                             .map = map,
                             .node = node,
                             .lane = first};

    group.self = member_with_rank(&group, args->rank);
    if (node == napcoll_node_map_node(map, root)) {
        group.root = member_with_rank(&group, root);
    }
    if (0 == first) {
        napcoll_group_delegate(&group, args, NAPCOLL_SCOPE_NODE);
    }
    return group;
}

napcoll_group_t napcoll_group_node(const napcoll_plan_args_t *args)
{
    return group_of_node(args, !args->params.noncommutative, 0);
}

napcoll_group_t napcoll_group_node_lanes(const napcoll_plan_args_t *args, int first)
{
    return group_of_node(args, false, first);
}

static int rank_by_dfs_index(const napcoll_group_t *group, int member)
{
    return napcoll_dfs_order_member(group->dfs, group->node, member);
}

napcoll_group_t napcoll_group_dfs_node(const napcoll_dfs_order_t *dfs, int rank, int radix)
{
    const int node = napcoll_node_map_node(dfs->map, rank);

    return (napcoll_group_t){.members = napcoll_node_map_ppn(dfs->map, node),
                             .self = napcoll_dfs_order_index(dfs, rank),
                             .radix = radix,
                             .rank = rank_by_dfs_index,
                             .map = dfs->map,
                             .dfs = dfs,
                             .node = node};
}

/* ---- delegation ---- */

void napcoll_group_delegate(napcoll_group_t *group, const napcoll_plan_args_t *args,
                            napcoll_scope_t scope)
{
    group->delegated = napcoll_plan_args_delegates(args, scope);
    group->scope = scope;
}

bool napcoll_group_is_delegated(const napcoll_group_t *group)
{
    return group->delegated && group->members > 1
           && group->members
                  == napcoll_scope_members(group->map, group->scope, group->rank(group, 0));
}

void napcoll_group_phase(napcoll_builder_t *builder, const napcoll_group_t *group,
                         napcoll_phase_t phase, napcoll_span_t dst, napcoll_span_t left)
{
    const int root = napcoll_scope_member(group->map, group->scope,
                                          group->rank(group, group->root));

    napcoll_builder_phase(builder, group->scope, phase, root, dst, left);
}

/* ---- trees ---- */

napcoll_tree_level_t napcoll_tree_level(const napcoll_group_t *group, int level)
{
    napcoll_tree_level_t at = {.head = -1};

    if (group->self < group->members) {
        at.split = napcoll_split_at(group->members, group->radix, level, group->self);
        at.head = napcoll_split_head(at.split.first, at.split.size, group->root);
        at.is_head = group->self == at.head;
        at.is_child = !at.is_head
                      && group->self
                             == napcoll_split_part_head(&at.split, at.split.part, group->root);
    }
    return at;
}

int napcoll_tree_subtree(const napcoll_group_t *group)
{
    for (int level = napcoll_tree_levels(group); level >= 1; level--) {
        const napcoll_tree_level_t at = napcoll_tree_level(group, level);

        if (at.is_child) {
            return napcoll_split_part_size(&at.split, at.split.part);
        }
    }
    return group->members;
}

int napcoll_tree_arrival(const napcoll_group_t *group)
{
    const int levels = napcoll_tree_levels(group);

    for (int level = levels; level >= 1; level--) {
        if (napcoll_tree_level(group, level).is_child) {
            return levels - level + 1;
        }
    }
    return 0;
}
