/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The trees of coll/base (see previous.h), and what goes along them: reductions, broadcasts, words, scatters. None
 * cuts vectors into segments: tuned's fixed decisions ask for none.
 *
 *     reduce     a process takes its children's values one after the other, then sends
 *     bcast      it sends to all of its children at once
 *     cost       reduce: the longest way of (alpha + beta s + gamma s), each child a step of its parent;
 *                bcast: the longest way of alpha + children * beta s
 */

#include "algo/previous/previous.h"

#include "algo/napcoll_exchange.h"

enum { KNOMIAL_RADIX = 4, CHAINS = 2 };

const char *napcoll_previous_tree_name(napcoll_previous_tree_t tree)
{
    static const char *const names[NAPCOLL_PREVIOUS_TREES] = {
        [NAPCOLL_PREVIOUS_LINEAR] = "linear",
        [NAPCOLL_PREVIOUS_CHAIN] = "chain",
        [NAPCOLL_PREVIOUS_CHAINS] = "two chains",
        [NAPCOLL_PREVIOUS_BINARY] = "binary",
        [NAPCOLL_PREVIOUS_BINOMIAL] = "binomial",
        [NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL] = "in-order binomial",
        [NAPCOLL_PREVIOUS_KNOMIAL] = "4-nomial",
        [NAPCOLL_PREVIOUS_IN_ORDER_BINARY] = "in-order binary"};

    return names[tree];
}

/* ---- shapes ---- */

/* The greatest power of two up to n, n > 0. */
static int power_below(int n)
{
    int rest;

    return napcoll_previous_power(n, &rest);
}

/* Of the two chains, that of a position behind the head, and where it begins and ends. The first is the longer one,
 * where they differ. */
static void chain_of(int size, int position, int *first, int *last)
{
    const int longer = size / CHAINS; /* ceil((size - 1) / 2) */

    *first = position <= longer ? 1 : longer + 1;
    *last = position <= longer ? longer : size - 1;
}

/* A node of the in-order binary tree: the head of ranks [first, first + count), the last of them. */
typedef struct {
    int first;
    int count;
} interval_t;

/* The children's intervals, the higher ranks first; of no ranks where there is none. */
static void split_interval(interval_t all, interval_t child[2])
{
    const int low = all.count > 2 ? all.count / 2 : 0;

    child[0] = (interval_t){all.first + low, all.count - 1 - low};
    child[1] = (interval_t){all.first, low};
}

/* The interval of which a rank is the head; *parent: whose child it is, or -1. */
static interval_t interval_of(int size, int rank, int *parent)
{
    interval_t at = {0, size}, child[2];

    *parent = -1;
    while (at.first + at.count - 1 != rank) {
        *parent = at.first + at.count - 1;
        split_interval(at, child);
        at = rank >= child[0].first ? child[0] : child[1];
    }
    return at;
}

/* The place value of the lowest digit of v that is not 0; of 0 that of the lowest digit above all of size. */
static int digit_of(int size, int v, int radix)
{
    int place = 1;

    while (place < size && 0 == v / place % radix) {
        place *= radix;
    }
    return place;
}

int napcoll_previous_parent(napcoll_previous_tree_t tree, int size, int position)
{
    int first, last, place, parent;

    if (NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree) {
        (void) interval_of(size, position, &parent);
        return parent;
    }
    if (0 == position) {
        return -1;
    }
    switch (tree) {
    case NAPCOLL_PREVIOUS_CHAIN:
        return position - 1;
    case NAPCOLL_PREVIOUS_CHAINS:
        chain_of(size, position, &first, &last);
        return position == first ? 0 : position - 1;
    case NAPCOLL_PREVIOUS_BINARY: /* on the level before, at the same place of half as many */
        place = power_below(position + 1);
        return place < 2 ? 0 : (position + 1 - place) % (place / 2) + place / 2 - 1;
    case NAPCOLL_PREVIOUS_BINOMIAL:
        return position - power_below(position);
    case NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL:
        return position & (position - 1);
    case NAPCOLL_PREVIOUS_KNOMIAL:
        place = KNOMIAL_RADIX * digit_of(size, position, KNOMIAL_RADIX);
        return position / place * place;
    default:
        return 0;
    }
}

/* The index-th child of a knomial tree: digits below the lowest one that is not 0, the highest place first. */
static int knomial_child(int size, int position, int index)
{
    for (int place = digit_of(size, position, KNOMIAL_RADIX) / KNOMIAL_RADIX; place > 0;
         place /= KNOMIAL_RADIX) {
        for (int digit = 1; digit < KNOMIAL_RADIX && digit * place < size - position; digit++) {
            if (0 == index--) {
                return position + digit * place;
            }
        }
    }
    return -1;
}

int napcoll_previous_child(napcoll_previous_tree_t tree, int size, int position, int index)
{
    interval_t child[2];
    int first, last, place, next = -1;

    switch (tree) {
    case NAPCOLL_PREVIOUS_LINEAR:
        next = 0 == position ? index + 1 : -1;
        break;
    case NAPCOLL_PREVIOUS_CHAIN:
        next = 0 == index ? position + 1 : -1;
        break;
    case NAPCOLL_PREVIOUS_CHAINS:
        chain_of(size, 0 == position ? 1 : position, &first, &last);
        if (0 == position) {
            next = 0 == index ? 1 : 1 == index && size > CHAINS ? last + 1 : -1;
        } else {
            next = 0 == index && position < last ? position + 1 : -1;
        }
        break;
    case NAPCOLL_PREVIOUS_BINARY: /* on the next level, at the same place, or as far again */
        place = power_below(position + 1);
        next = index < 2 && position < size - (index + 1) * place ? position + (index + 1) * place
                                                                  : -1;
        break;
    case NAPCOLL_PREVIOUS_BINOMIAL:
        place = (0 == position ? 1 : 2 * power_below(position)) << index;
        next = place < size - position ? position + place : -1;
        break;
    case NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL:
        place = 1 << index;
        next = (0 == position || place < (position & -position)) && place < size - position
                   ? position + place
                   : -1;
        break;
    case NAPCOLL_PREVIOUS_KNOMIAL:
        next = knomial_child(size, position, index);
        break;
    default:
        split_interval(interval_of(size, position, &place), child);
        next = index < 2 && child[index].count > 0 ? child[index].first + child[index].count - 1
                                                   : -1;
        break;
    }
    return next < size ? next : -1;
}

/* ---- one rank's place in a tree ---- */

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    napcoll_previous_tree_t shape;
    int size;
    int shift; /* rank of position 0 */
    int self;  /* position */
} tree_t;

/* The shape that a tunable says. */
static napcoll_previous_tree_t shape_of(const napcoll_plan_args_t *args, int tunable)
{
    return (napcoll_previous_tree_t) args->params.tunable[tunable];
}

static tree_t tree_of(const napcoll_plan_args_t *args, napcoll_builder_t *builder, int tunable,
                      int root)
{
    const napcoll_previous_tree_t shape = shape_of(args, tunable);
    const int size = args->map->size;
    const int shift = NAPCOLL_PREVIOUS_IN_ORDER_BINARY == shape ? 0 : root;

    return (tree_t){.args = args,
                    .builder = builder,
                    .shape = shape,
                    .size = size,
                    .shift = shift,
                    .self = (args->rank + size - shift) % size};
}

static int rank_at(const tree_t *tree, int position)
{
    return (position + tree->shift) % tree->size;
}

static int parent_of(const tree_t *tree)
{
    const int parent = napcoll_previous_parent(tree->shape, tree->size, tree->self);

    return parent < 0 ? -1 : rank_at(tree, parent);
}

static int child_of(const tree_t *tree, int index)
{
    const int child = napcoll_previous_child(tree->shape, tree->size, tree->self, index);

    return child < 0 ? -1 : rank_at(tree, child);
}

/* Fold what comes from a rank into the right operand. */
static napcoll_span_t take(napcoll_builder_t *builder, int rank, napcoll_span_t value)
{
    const napcoll_span_t come = napcoll_builder_temp(builder, value.first, value.count);
    napcoll_span_t sum;

    napcoll_builder_recv(builder, come, rank);
    sum = napcoll_exchange_join(builder, come, value);
    napcoll_builder_release(builder, come);
    napcoll_builder_next_stage(builder);
    return sum;
}

/* The root of a linear reduce reduces from the last rank down to the first. */
static napcoll_span_t take_all(const tree_t *tree, napcoll_span_t own)
{
    const int last = tree->size - 1;
    napcoll_span_t value = own;

    if (tree->args->rank != last) {
        value = napcoll_builder_temp(tree->builder, own.first, own.count);
        napcoll_builder_recv(tree->builder, value, last);
        napcoll_builder_next_stage(tree->builder);
    }
    for (int rank = last - 1; rank >= 0; rank--) {
        if (rank == tree->args->rank) {
            value = napcoll_exchange_join(tree->builder, own, value);
            napcoll_builder_next_stage(tree->builder);
        } else {
            value = take(tree->builder, rank, value);
        }
    }
    return value;
}

/* Reduce to a rank; returns where the value is there. */
static napcoll_span_t reduce_along(const tree_t *tree, napcoll_span_t own, int root)
{
    const int rank = tree->args->rank, head = rank_at(tree, tree->size - 1);
    napcoll_span_t value = own;

    if (NAPCOLL_PREVIOUS_LINEAR == tree->shape && rank == root) {
        return take_all(tree, own);
    }
    for (int i = 0, child; (child = child_of(tree, i)) >= 0; i++) {
        value = take(tree->builder, child, value);
    }
    if (parent_of(tree) >= 0) {
        napcoll_builder_send(tree->builder, value, parent_of(tree));
    } else if (rank != root) {
        napcoll_builder_send(tree->builder, value, root);
    }
    napcoll_builder_next_stage(tree->builder);
    if (NAPCOLL_PREVIOUS_IN_ORDER_BINARY == tree->shape && rank == root && head != root) {
        value = napcoll_builder_temp(tree->builder, own.first, own.count);
        napcoll_builder_recv(tree->builder, value, head);
        napcoll_builder_next_stage(tree->builder);
    }
    return value;
}

/* Broadcast along a tree: from the parent, then to all children at once. */
static void bcast_along(const tree_t *tree, napcoll_span_t data)
{
    if (parent_of(tree) >= 0) {
        napcoll_builder_recv(tree->builder, data, parent_of(tree));
        napcoll_builder_next_stage(tree->builder);
    }
    for (int i = 0, child; (child = child_of(tree, i)) >= 0; i++) {
        napcoll_builder_send(tree->builder, data, child);
    }
    napcoll_builder_next_stage(tree->builder);
}

/* ---- the collectives ---- */

napcoll_plan_t *napcoll_previous_reduce_tree(const napcoll_plan_args_t *args)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    tree_t tree;
    napcoll_span_t value;

    if (NULL == builder) {
        return NULL;
    }
    tree = tree_of(args, builder, 0, args->params.root);
    napcoll_builder_claim_recvbuf(builder);
    value = reduce_along(&tree, napcoll_plan_args_input(args), args->params.root);
    if (napcoll_plan_args_takes(args)) {
        napcoll_builder_copy(builder, recvbuf, value);
    }
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_previous_bcast_tree(const napcoll_plan_args_t *args)
{
    const bool has = args->rank == args->params.root;
    const napcoll_span_t data = {.buffer = has ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV,
                                 .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    tree_t tree;

    if (NULL == builder) {
        return NULL;
    }
    tree = tree_of(args, builder, 0, args->params.root);
    napcoll_builder_claim_recvbuf(builder);
    bcast_along(&tree, data);
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_previous_allreduce_trees(const napcoll_plan_args_t *args)
{
    const napcoll_span_t recvbuf = {.buffer = NAPCOLL_BUFFER_RECV, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    napcoll_span_t value;
    tree_t tree;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_claim_recvbuf(builder);
    tree = tree_of(args, builder, 0, 0);
    value = reduce_along(&tree, napcoll_plan_args_input(args), 0);
    if (0 == args->rank) {
        napcoll_builder_copy(builder, recvbuf, value);
        napcoll_builder_next_stage(builder);
    }
    tree = tree_of(args, builder, 1, 0);
    bcast_along(&tree, recvbuf);
    return napcoll_builder_finish(builder);
}

napcoll_plan_t *napcoll_previous_barrier_tree(const napcoll_plan_args_t *args)
{
    const napcoll_span_t word = {.buffer = NAPCOLL_BUFFER_RECV};
    const bool linear = NAPCOLL_PREVIOUS_LINEAR == shape_of(args, 0);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);
    tree_t tree;

    if (NULL == builder) {
        return NULL;
    }
    tree = tree_of(args, builder, 0, 0);
    for (int i = 0, child; (child = child_of(&tree, i)) >= 0; i++) {
        napcoll_builder_recv(builder, word, child);
        if (!linear) {
            napcoll_builder_next_stage(builder);
        }
    }
    napcoll_builder_next_stage(builder);
    if (parent_of(&tree) >= 0) {
        napcoll_builder_send(builder, word, parent_of(&tree));
        napcoll_builder_next_stage(builder);
    }
    bcast_along(&tree, word);
    return napcoll_builder_finish(builder);
}

/* Blocks come to rank 0 one after the other, and all of them go out along the tree. */
napcoll_plan_t *napcoll_previous_allgather_tree(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, rank = args->rank;
    const napcoll_span_t all = {.buffer = NAPCOLL_BUFFER_RECV, .count = size};
    const napcoll_span_t own = {NAPCOLL_BUFFER_RECV, rank, 1};
    const napcoll_span_t input = {
        .buffer = napcoll_plan_args_input_buffer(args), .first = rank, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size);
    tree_t tree;

    if (NULL == builder) {
        return NULL;
    }
    napcoll_builder_copy(builder, own, input);
    napcoll_builder_next_stage(builder);
    if (rank > 0) {
        napcoll_builder_send(builder, own, 0);
        napcoll_builder_next_stage(builder);
    }
    for (int from = 1; 0 == rank && from < size; from++) {
        napcoll_builder_recv(builder, (napcoll_span_t){NAPCOLL_BUFFER_RECV, from, 1}, from);
        napcoll_builder_next_stage(builder);
    }
    tree = tree_of(args, builder, 0, 0);
    bcast_along(&tree, all);
    return napcoll_builder_finish(builder);
}

/* Blocks from a position on that a subtree has, where subtrees stand side by side. */
static int subtree_of(const tree_t *tree, int position)
{
    const int rest = tree->size - position;
    int most = 1;

    if (0 == position) {
        return tree->size;
    }
    if (NAPCOLL_PREVIOUS_IN_ORDER_BINOMIAL == tree->shape) {
        most = position & -position;
    }
    return most < rest ? most : rest;
}

/* The vector is reduced at rank 0, which then sends each rank its block: straight, one after the other, or along an
 * in-order binomial tree. */
napcoll_plan_t *napcoll_previous_reduce_scatter_trees(const napcoll_plan_args_t *args)
{
    const int size = args->map->size, rank = args->rank;
    const napcoll_span_t result = {.buffer = NAPCOLL_BUFFER_RECV, .first = rank, .count = 1};
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_RANKS, size);
    napcoll_span_t value = {.buffer = NAPCOLL_BUFFER_SEND, .count = size};
    int children = 0;
    tree_t tree;

    if (NULL == builder) {
        return NULL;
    }
    tree = tree_of(args, builder, 0, 0);
    value = reduce_along(&tree, value, 0);
    tree = tree_of(args, builder, 1, 0);
    if (rank > 0) {
        value = napcoll_builder_temp(builder, rank, subtree_of(&tree, rank));
        napcoll_builder_recv(builder, value, parent_of(&tree));
        napcoll_builder_next_stage(builder);
    }
    while (child_of(&tree, children) >= 0) {
        children++;
    }
    for (int i = 0; i < children; i++) { /* the largest subtree first */
        const int child = child_of(&tree, children - 1 - i);

        napcoll_builder_send(
            builder, (napcoll_span_t){value.buffer, child, subtree_of(&tree, child)}, child);
        napcoll_builder_next_stage(builder);
    }
    napcoll_builder_copy(builder, result, (napcoll_span_t){value.buffer, rank, 1});
    return napcoll_builder_finish(builder);
}
