/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gathers and scatters along trees (see the header).
 */

#include "algo/napcoll_gather_tree.h"

#include <stdlib.h>

#include "algo/napcoll_split.h"

/* ---- positions ---- */

/* The root's node, its lane there, and how many processes that node has. */
typedef struct {
    int node;
    int lane;
    int ppn;
} home_t;

static home_t home_of(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int node = napcoll_node_map_node(map, args->params.root);

    return (home_t){.node = node,
                    .lane = napcoll_node_map_lane(map, args->params.root),
                    .ppn = napcoll_node_map_ppn(map, node)};
}

/* Places from the root's to that of a position, round the end. */
static int distance_of(const napcoll_gather_tree_t *tree, int position)
{
    home_t home;

    if (!tree->by_nodes) {
        return position;
    }
    home = home_of(tree->args);
    if (position < home.ppn - home.lane) {
        return position;
    }
    return position < home.ppn ? tree->args->map->size - home.ppn + position : position - home.lane;
}

/* The position at so many places from the root's. */
static int position_of(const napcoll_gather_tree_t *tree, int distance)
{
    home_t home;
    int others;

    if (!tree->by_nodes) {
        return distance;
    }
    home = home_of(tree->args);
    others = tree->args->map->size - home.ppn; /* on other nodes */
    if (distance < home.ppn - home.lane) {
        return distance;
    }
    return distance < home.ppn - home.lane + others ? distance + home.lane : distance - others;
}

int napcoll_gather_tree_rank(const napcoll_gather_tree_t *tree, int position)
{
    const napcoll_node_map_t *map = tree->args->map;
    const int root = napcoll_node_map_place(map, tree->args->params.root);

    return napcoll_node_map_at(map, (root + distance_of(tree, position)) % map->size);
}

/* ---- trees ---- */

int napcoll_gather_tree_children(int members, int radix)
{
    const int levels = napcoll_split_levels(members, radix);

    return radix > members || levels * (radix - 1) > members - 1 ? members - 1
                                                                 : levels * (radix - 1);
}

static void add_branch(napcoll_gather_tree_t *tree, int first, int count)
{
    tree->branch[tree->branches++] = (napcoll_branch_t){.first = first, .count = count};
}

/* Where the subtrees of nodes begin, counted from the root's node on. */
typedef struct {
    const napcoll_node_map_t *map;
    int home; /* the root's node */
} starts_t;

/* The first position of the node that is k after the root's; that of node `nodes` is the end. */
static int start_of(const starts_t *start, int k)
{
    const napcoll_node_map_t *map = start->map;
    const int node = start->home + k, round = node < map->nodes ? 0 : map->size;

    return round + napcoll_node_map_first(map, node - (round > 0 ? map->nodes : 0))
           - napcoll_node_map_first(map, start->home);
}

/* Find the children and the parent of a member of the split of so many, which begin at a position. Each stands for a
 * subtree that begins at the start of that node; without start, for itself. */
static void add_split(napcoll_gather_tree_t *tree, int members, int radix, int member, int begin,
                      const starts_t *start)
{
    const int levels = napcoll_split_levels(members, radix);

    for (int level = 1; level <= levels; level++) {
        const napcoll_split_t group = napcoll_split_at(members, radix, level, member);

        if (0 != group.part) {
            tree->parent = NULL == start ? begin + group.first : start_of(start, group.first);
            return;
        }
        for (int part = 1; part < group.parts; part++) {
            const int first = napcoll_split_part_first(&group, part);
            const int end = first + napcoll_split_part_size(&group, part);

            if (NULL == start) {
                add_branch(tree, begin + first, end - first);
            } else {
                add_branch(tree, start_of(start, first),
                           start_of(start, end) - start_of(start, first));
            }
        }
    }
}

/* A tree without branches; room for so many. */
static napcoll_gather_tree_t tree_of(const napcoll_plan_args_t *args, bool by_nodes, int most)
{
    const napcoll_node_map_t *map = args->map;
    const int place = napcoll_goal_place(args->collective->goal, map, args->params.root,
                                         args->rank);
    napcoll_gather_tree_t tree = {.args = args, .by_nodes = by_nodes, .parent = -1};

    tree.self = position_of(&tree, place);
    tree.branch = malloc(((size_t) most + 1) * sizeof(*tree.branch));
    if (NULL != tree.branch) {
        tree.builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_PERSONALIZED, map->size);
    }
    if (NULL != tree.builder && args->rank == args->params.root) {
        napcoll_builder_copy(tree.builder,
                             (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .count = 1},
                             (napcoll_span_t){.buffer = NAPCOLL_BUFFER_SEND, .count = 1});
    }
    return tree;
}

/* Count the own subtree, once the branches are known. */
static void count_own(napcoll_gather_tree_t *tree)
{
    tree->count = 1;
    for (int b = 0; b < tree->branches; b++) {
        tree->count += tree->branch[b].count;
    }
}

napcoll_gather_tree_t napcoll_gather_tree_ranks(const napcoll_plan_args_t *args, int radix)
{
    const int ranks = args->map->size;
    napcoll_gather_tree_t tree = tree_of(args, false, napcoll_gather_tree_children(ranks, radix));

    if (NULL != tree.builder) {
        add_split(&tree, ranks, radix, tree.self, 0, NULL);
        count_own(&tree);
    }
    return tree;
}

napcoll_gather_tree_t napcoll_gather_tree_nodes(const napcoll_plan_args_t *args, int radix,
                                                int local_radix)
{
    const napcoll_node_map_t *map = args->map;
    const home_t home = home_of(args);
    const int node = (napcoll_node_map_node(map, args->rank) + map->nodes - home.node) % map->nodes;
    napcoll_gather_tree_t tree = tree_of(
        args, true,
        napcoll_gather_tree_children(map->nodes, radix)
            + napcoll_gather_tree_children(map->max_ppn, local_radix));
    const starts_t start = {.map = map, .home = home.node};
    const int begin = start_of(&start, node);

    if (NULL != tree.builder) {
        add_split(&tree, start_of(&start, node + 1) - begin, local_radix, tree.self - begin, begin,
                  NULL);
        if (tree.self == begin) {
            add_split(&tree, map->nodes, radix, node, 0, &start);
        }
        count_own(&tree);
    }
    return tree;
}

napcoll_plan_t *napcoll_gather_tree_end(napcoll_gather_tree_t *tree)
{
    free(tree->branch);
    tree->branch = NULL;
    return NULL == tree->builder ? NULL : napcoll_builder_finish(tree->builder);
}

int napcoll_gather_tree_slots(napcoll_gather_tree_t *tree)
{
    int slots = NULL == tree->builder ? -1 : 0;

    for (int b = 0; b < tree->branches; b++) {
        slots = tree->branch[b].count - 1 > slots ? tree->branch[b].count - 1 : slots;
    }
    free(tree->branch);
    napcoll_builder_discard(tree->builder);
    return slots;
}

/* ---- blocks ---- */

static bool is_scatter(const napcoll_gather_tree_t *tree)
{
    return NAPCOLL_GOAL_SCATTER == tree->args->collective->goal;
}

/* The block of a position, which has the same number on both ends (napcoll_plan.h). */
static napcoll_span_t block_of(const napcoll_gather_tree_t *tree, int position, int32_t buffer)
{
    const int distance = distance_of(tree, position), ranks = tree->args->map->size;

    return (napcoll_span_t){.buffer = buffer,
                            .first = is_scatter(tree) ? (ranks - distance) % ranks : distance,
                            .count = 1};
}

napcoll_span_t napcoll_gather_tree_root_block(const napcoll_gather_tree_t *tree, int position)
{
    return block_of(tree, position, is_scatter(tree) ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV);
}

napcoll_span_t napcoll_gather_tree_own_block(const napcoll_gather_tree_t *tree)
{
    return block_of(tree, tree->self, is_scatter(tree) ? NAPCOLL_BUFFER_RECV : NAPCOLL_BUFFER_SEND);
}

/* The blocks of a child's subtree, but for the first `without`, here: on the root the user's, elsewhere slots. */
static napcoll_span_t blocks_of(const napcoll_gather_tree_t *tree, napcoll_branch_t branch,
                                int without)
{
    napcoll_span_t list;

    if (0 != tree->self) {
        return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_TEMP,
                                .first = branch.first - tree->self - 1 + without,
                                .count = branch.count - without};
    }
    list = napcoll_builder_list(tree->builder);
    if (napcoll_builder_is_sketch(tree->builder)) {
        list.count = branch.count - without;
        return list;
    }
    for (int position = branch.first + without; position < branch.first + branch.count;
         position++) {
        napcoll_builder_list_add(tree->builder, &list,
                                 napcoll_gather_tree_root_block(tree, position));
    }
    return napcoll_builder_list_end(tree->builder, list);
}

/* The slots. */
static napcoll_span_t stopping(const napcoll_gather_tree_t *tree)
{
    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_TEMP, .count = tree->count - 1};
}

/* The blocks of the own subtree, on a rank that is not the root. */
static napcoll_span_t own_blocks(const napcoll_gather_tree_t *tree)
{
    napcoll_span_t list = napcoll_builder_list(tree->builder);

    napcoll_builder_list_add(tree->builder, &list, napcoll_gather_tree_own_block(tree));
    napcoll_builder_list_add(tree->builder, &list, stopping(tree));
    return napcoll_builder_list_end(tree->builder, list);
}

/* ---- sizes ---- */

/* How processes on which blocks stop learn their sizes. In a scatter those that come along are in every message, for
 * what the root has to say to reach all (napcoll_algorithm_tells). */
static bool tells_ahead(const napcoll_gather_tree_t *tree)
{
    return tree->args->collective->uneven && !tree->args->params.bounded;
}

static bool tells_along(const napcoll_gather_tree_t *tree)
{
    return tree->args->collective->uneven && tree->args->params.bounded;
}

static void send(const napcoll_gather_tree_t *tree, napcoll_span_t blocks, int position,
                 bool headed)
{
    napcoll_builder_send_blocks(tree->builder, blocks, napcoll_gather_tree_rank(tree, position),
                                headed);
}

static void receive(const napcoll_gather_tree_t *tree, napcoll_span_t blocks, int position,
                    bool headed)
{
    napcoll_builder_recv_blocks(tree->builder, blocks, napcoll_gather_tree_rank(tree, position),
                                headed);
}

/* The plan's slots, where blocks stop here. */
static void make_slots(const napcoll_gather_tree_t *tree)
{
    if (0 != tree->self && tree->count > 1) {
        (void) napcoll_builder_rows(tree->builder, 1, 0, tree->count - 1);
    }
}

/* Begin the next stage, where so many messages of the root's are in this one. */
static void pace(const napcoll_gather_tree_t *tree, int messages, int at_once)
{
    if (0 == tree->self && 0 == messages % at_once) {
        napcoll_builder_next_stage(tree->builder);
    }
}

/* ---- the messages ---- */

static void gather(const napcoll_gather_tree_t *tree, int at_once)
{
    const bool root = 0 == tree->self;
    napcoll_builder_t *builder = tree->builder;

    for (int b = 0; b < tree->branches && tells_ahead(tree) && !root; b++) {
        napcoll_builder_recv_sizes(builder, blocks_of(tree, tree->branch[b], 0),
                                   napcoll_gather_tree_rank(tree, tree->branch[b].first));
    }
    if (!root) {
        napcoll_builder_next_stage(builder);
    }
    for (int b = 0; b < tree->branches; b++) {
        receive(tree, blocks_of(tree, tree->branch[b], 0), tree->branch[b].first,
                tells_along(tree) && !root);
        pace(tree, b + 1, at_once);
    }
    if (root) {
        return;
    }
    if (tells_ahead(tree) && 0 != tree->parent) {
        napcoll_builder_send_sizes(builder, own_blocks(tree),
                                   napcoll_gather_tree_rank(tree, tree->parent));
    }
    if (tree->branches > 0) { /* else there is nothing to wait for */
        napcoll_builder_next_stage(builder);
    }
    send(tree, own_blocks(tree), tree->parent, tells_along(tree) && 0 != tree->parent);
}

/* Let the children on which blocks stop know how large those are. */
static void tell_children(const napcoll_gather_tree_t *tree)
{
    for (int b = tree->branches - 1; b >= 0 && tells_ahead(tree); b--) {
        napcoll_builder_send_sizes(tree->builder, blocks_of(tree, tree->branch[b], 1),
                                   napcoll_gather_tree_rank(tree, tree->branch[b].first));
    }
}

static void scatter(const napcoll_gather_tree_t *tree, int at_once)
{
    napcoll_builder_t *builder = tree->builder;

    if (0 != tree->self) {
        if (tells_ahead(tree) && tree->count > 1) {
            napcoll_builder_recv_sizes(builder, stopping(tree),
                                       napcoll_gather_tree_rank(tree, tree->parent));
            napcoll_builder_next_stage(builder);
        }
        receive(tree, own_blocks(tree), tree->parent, tells_along(tree));
    }
    tell_children(tree);
    if (0 != tree->self || tells_ahead(tree)) {
        napcoll_builder_next_stage(builder);
    }
    for (int b = tree->branches - 1; b >= 0; b--) { /* who has most to pass on comes first */
        send(tree, blocks_of(tree, tree->branch[b], 0), tree->branch[b].first, tells_along(tree));
        pace(tree, tree->branches - b, at_once);
    }
}

void napcoll_gather_tree_messages(napcoll_gather_tree_t *tree, int at_once)
{
    if (NULL == tree->builder) {
        return;
    }
    make_slots(tree);
    if (is_scatter(tree)) {
        scatter(tree, at_once);
    } else {
        gather(tree, at_once);
    }
    napcoll_builder_next_stage(tree->builder);
}
