/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Trees of gathers and scatters (see the header).
 */

#include "algo/pattern/napcoll_gather_tree.h"

#include <stdlib.h>

#include "algo/pattern/napcoll_bine.h"

/* ---- positions ---- */

/* The root's node, its lane there, and the processes of that node. */
typedef struct {
    int node;
    int lane;
    int ppn;
} home_t;

static home_t home_of(const napcoll_plan_args_t *args)
{
    const int node = napcoll_node_map_node(args->map, args->params.root);

    return (home_t){.node = node,
                    .lane = napcoll_node_map_lane(args->map, args->params.root),
                    .ppn = napcoll_node_map_ppn(args->map, node)};
}

/* Places of the node order from the root to a position, round the end. */
static int distance_of(const napcoll_gather_tree_t *tree, int position)
{
    const home_t home = home_of(tree->args);

    if (tree->is_bine) {
        return napcoll_bine_place(tree->args->map->size, position);
    }
    if (!tree->by_nodes || position < home.ppn - home.lane) {
        return position;
    }
    return position < home.ppn ? tree->args->map->size - home.ppn + position : position - home.lane;
}

/* The position at a distance from the root's place. */
static int position_of(const napcoll_gather_tree_t *tree, int distance)
{
    const home_t home = home_of(tree->args);
    const int before = home.ppn - home.lane, others = tree->args->map->size - home.ppn;

    if (tree->is_bine) {
        return napcoll_bine_position(tree->args->map->size, distance);
    }
    if (!tree->by_nodes || distance < before) {
        return distance;
    }
    return distance < before + others ? distance + home.lane : distance - others;
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

/* The first position of the node that is k after the root's; of node `nodes` the end of the
 * last. */
static int node_start(const napcoll_plan_args_t *args, int k)
{
    const napcoll_node_map_t *map = args->map;
    const int home = home_of(args).node, node = home + k;
    const int round = node < map->nodes ? 0 : map->size;

    return round + napcoll_node_map_first(map, node - (round > 0 ? map->nodes : 0))
           - napcoll_node_map_first(map, home);
}

/* Add the children, or set the parent, of this process in one tree. Member m stands for position
 * begin + m, or, between nodes, for the node m after the root's. */
static void add_tree(napcoll_gather_tree_t *tree, const napcoll_group_t *group, bool nodes,
                     int begin)
{
    for (int level = 1; level <= napcoll_tree_levels(group); level++) {
        const napcoll_tree_level_t at = napcoll_tree_level(group, level);

        if (at.is_child) {
            tree->parent = nodes ? node_start(tree->args, at.head) : begin + at.head;
            return;
        }
        for (int part = 1; part < at.split.parts; part++) {
            const int first = napcoll_split_part_first(&at.split, part);
            const int end = first + napcoll_split_part_size(&at.split, part);
            const int from = nodes ? node_start(tree->args, first) : begin + first;
            const int to = nodes ? node_start(tree->args, end) : begin + end;

            tree->branch[tree->branches++] = (napcoll_branch_t){.first = from, .count = to - from};
        }
    }
}

/* Add the tree of ranks, or those inside this rank's node and of the nodes. */
static void add_trees(napcoll_gather_tree_t *tree, int radix, int local_radix)
{
    const napcoll_plan_args_t *args = tree->args;
    const napcoll_node_map_t *map = args->map;
    const int self = napcoll_node_map_node(map, args->rank);
    const int node = (self + map->nodes - home_of(args).node) % map->nodes;
    const int begin = node_start(args, node);

    if (!tree->by_nodes) {
        const napcoll_group_t ranks = {.members = map->size, .self = tree->self, .radix = radix};

        add_tree(tree, &ranks, false, 0);
    } else {
        const napcoll_group_t inside = {.members = node_start(args, node + 1) - begin,
                                        .self = tree->self - begin,
                                        .radix = local_radix};
        const napcoll_group_t nodes = {.members = map->nodes, .self = node, .radix = radix};

        add_tree(tree, &inside, false, begin);
        if (tree->self == begin) {
            add_tree(tree, &nodes, true, 0);
        }
    }
    tree->count = 1;
    for (int b = 0; b < tree->branches; b++) {
        tree->count += tree->branch[b].count;
    }
}

napcoll_gather_tree_t napcoll_gather_tree_begin(const napcoll_plan_args_t *args, int radix,
                                                int local_radix)
{
    const napcoll_node_map_t *map = args->map;
    const int place = napcoll_goal_place(args->collective->goal, map, args->params.root,
                                         args->rank);
    napcoll_gather_tree_t tree = {.args = args,
                                  .by_nodes = local_radix > 0,
                                  .is_bine = NAPCOLL_GATHER_TREE_BINE == local_radix,
                                  .parent = -1};
    const int children = tree.by_nodes
                             ? napcoll_gather_tree_children(map->nodes, radix)
                                   + napcoll_gather_tree_children(map->max_ppn, local_radix)
                             : napcoll_gather_tree_children(map->size, radix);

    tree.self = position_of(&tree, place);
    tree.branch = malloc(((size_t) children + 1) * sizeof(*tree.branch));
    if (NULL == tree.branch) {
        return tree;
    }
    tree.builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_PERSONALIZED, map->size);
    if (NULL != tree.builder) {
        if (args->rank == args->params.root) {
            napcoll_builder_copy(tree.builder,
                                 (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .count = 1},
                                 (napcoll_span_t){.buffer = NAPCOLL_BUFFER_SEND, .count = 1});
        }
        add_trees(&tree, radix, local_radix);
    }
    return tree;
}

napcoll_plan_t *napcoll_gather_tree_end(napcoll_gather_tree_t *tree)
{
    free(tree->branch);
    tree->branch = NULL;
    return NULL == tree->builder ? NULL : napcoll_builder_finish(tree->builder);
}

int napcoll_gather_tree_slots(const napcoll_plan_args_t *args, int radix, int local_radix)
{
    napcoll_plan_args_t root = *args;
    napcoll_gather_tree_t tree;
    int slots;

    root.rank = args->params.root;
    tree = napcoll_gather_tree_begin(&root, radix, local_radix);
    slots = NULL == tree.builder ? -1 : 0;
    for (int b = 0; b < tree.branches; b++) {
        slots = tree.branch[b].count - 1 > slots ? tree.branch[b].count - 1 : slots;
    }
    free(tree.branch);
    napcoll_builder_discard(tree.builder);
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

/* The blocks of a child's subtree on this process: at the root in the user's buffer, elsewhere in
 * slots. */
static napcoll_span_t blocks_of(const napcoll_gather_tree_t *tree, napcoll_branch_t branch)
{
    napcoll_span_t list;

    if (0 != tree->self) {
        return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_TEMP,
                                .first = branch.first - tree->self - 1,
                                .count = branch.count};
    }
    list = napcoll_builder_list(tree->builder);
    if (napcoll_builder_is_sketch(tree->builder)) {
        list.count = branch.count;
        return list;
    }
    for (int i = 0; i < branch.count; i++) {
        napcoll_builder_list_add(tree->builder, &list,
                                 napcoll_gather_tree_root_block(tree, branch.first + i));
    }
    return napcoll_builder_list_end(tree->builder, list);
}

/* All slots. */
static napcoll_span_t slots_of(const napcoll_gather_tree_t *tree)
{
    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_TEMP, .count = tree->count - 1};
}

/* The blocks of the own subtree, on a rank that is not the root. */
static napcoll_span_t own_blocks(const napcoll_gather_tree_t *tree)
{
    napcoll_span_t list = napcoll_builder_list(tree->builder);

    napcoll_builder_list_add(tree->builder, &list, napcoll_gather_tree_own_block(tree));
    napcoll_builder_list_add(tree->builder, &list, slots_of(tree));
    return napcoll_builder_list_end(tree->builder, list);
}

/* ---- messages ---- */

static void send_blocks(const napcoll_gather_tree_t *tree, napcoll_span_t blocks, int position,
                        bool headed)
{
    napcoll_builder_send_blocks(tree->builder, blocks, napcoll_gather_tree_rank(tree, position),
                                headed);
}

static void recv_blocks(const napcoll_gather_tree_t *tree, napcoll_span_t blocks, int position,
                        bool headed)
{
    napcoll_builder_recv_blocks(tree->builder, blocks, napcoll_gather_tree_rank(tree, position),
                                headed);
}

/* Begin the next stage, where this one has `at_once` messages of the root's. */
static void limit_stage(const napcoll_gather_tree_t *tree, int messages, int at_once)
{
    if (0 == tree->self && 0 == messages % at_once) {
        napcoll_builder_next_stage(tree->builder);
    }
}

static void gather_messages(const napcoll_gather_tree_t *tree, int at_once)
{
    const bool root = 0 == tree->self, headed = napcoll_plan_args_headed(tree->args);

    if (!root) {
        napcoll_builder_next_stage(tree->builder);
    }
    for (int b = 0; b < tree->branches; b++) {
        recv_blocks(tree, blocks_of(tree, tree->branch[b]), tree->branch[b].first, headed);
        limit_stage(tree, b + 1, at_once);
    }
    if (root) {
        return;
    }
    if (tree->branches > 0) {
        napcoll_builder_next_stage(tree->builder);
    }
    send_blocks(tree, own_blocks(tree), tree->parent, headed);
}

static void scatter_messages(const napcoll_gather_tree_t *tree, int at_once)
{
    const bool root = 0 == tree->self, headed = napcoll_plan_args_headed(tree->args);

    if (!root) {
        recv_blocks(tree, own_blocks(tree), tree->parent, headed);
        napcoll_builder_next_stage(tree->builder);
    }
    for (int b = tree->branches - 1; b >= 0; b--) { /* the largest subtree first */
        send_blocks(tree, blocks_of(tree, tree->branch[b]), tree->branch[b].first, headed);
        limit_stage(tree, tree->branches - b, at_once);
    }
}

void napcoll_gather_tree_messages(napcoll_gather_tree_t *tree, int at_once)
{
    if (NULL == tree->builder) {
        return;
    }
    if (0 != tree->self && tree->count > 1) {
        (void) napcoll_builder_rows(tree->builder, 1, 0, tree->count - 1);
    }
    if (is_scatter(tree)) {
        scatter_messages(tree, at_once);
    } else {
        gather_messages(tree, at_once);
    }
    napcoll_builder_next_stage(tree->builder);
}

napcoll_plan_t *napcoll_gather_tree_plan(const napcoll_plan_args_t *args, int radix,
                                         int local_radix, int at_once)
{
    napcoll_gather_tree_t tree = napcoll_gather_tree_begin(args, radix, local_radix);

    napcoll_gather_tree_messages(&tree, at_once);
    return napcoll_gather_tree_end(&tree);
}
