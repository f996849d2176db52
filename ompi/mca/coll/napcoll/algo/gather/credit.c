/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Gather and scatter with credit: a window of ranks have pieces under way to or from the root at
 * once, so its port never gets more. No rank waits for a barrier of all. Window 4, five others; an
 * empty message (->) says that a piece may come or, in a scatter, that it has come:
 *
 *     gather    stage 0   0 -> 1, 2
 *               stage 1   0 -> 3, 4    0 <= 1, 2
 *               stage 2   0 -> 5       0 <= 3, 4
 *               stage 3                0 <= 5
 *
 *     cost   m (alpha + (P - 1) max(gap, beta s/m, 2 alpha / window)) in m pieces
 *
 * Without a window it is the flat algorithm.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_exchange.h"
#include "algo/pattern/napcoll_gather_tree.h"

/* The ranks of a batch; a window of two or more has two batches under way. */
static int batch_of(const napcoll_params_t *params)
{
    return params->tunable[0] < 2 ? 1 : params->tunable[0] / 2;
}

/* The root's messages with a batch that begins at a position: empty ones, or pieces. */
static void add_batch(const napcoll_gather_tree_t *tree, int first, bool empty, bool sends)
{
    const int end = first + batch_of(&tree->args->params);

    for (int position = first; position < end && position < tree->count; position++) {
        const int rank = napcoll_gather_tree_rank(tree, position);
        const napcoll_span_t span = empty ? napcoll_empty()
                                          : napcoll_gather_tree_root_block(tree, position);

        if (sends) {
            napcoll_builder_send(tree->builder, span, rank);
        } else {
            napcoll_builder_recv(tree->builder, span, rank);
        }
    }
}

/* The root's stages. It sends first to a batch (an empty message of a gather, a piece of a
 * scatter), and except with a window of one it does so while the batch before has still to
 * answer. */
static void serve(const napcoll_gather_tree_t *tree, bool scatters)
{
    const int batch = batch_of(&tree->args->params);
    const bool ahead = tree->args->params.tunable[0] > 1;

    for (int first = 1; first < tree->count; first += batch) {
        if (ahead && first > 1) {
            add_batch(tree, first - batch, scatters, false);
        }
        add_batch(tree, first, !scatters, true);
        napcoll_builder_next_stage(tree->builder);
        if (!ahead || first + batch >= tree->count) {
            add_batch(tree, first, scatters, false);
            napcoll_builder_next_stage(tree->builder);
        }
    }
}

/* The stages of any other rank. */
static void answer(const napcoll_gather_tree_t *tree, bool scatters)
{
    const napcoll_span_t own = napcoll_gather_tree_own_block(tree), empty = napcoll_empty();
    const int root = tree->args->params.root;

    napcoll_builder_recv(tree->builder, scatters ? own : empty, root);
    napcoll_builder_next_stage(tree->builder);
    napcoll_builder_send(tree->builder, scatters ? empty : own, root);
}

napcoll_plan_t *napcoll_gather_credit(const napcoll_plan_args_t *args)
{
    const bool scatters = NAPCOLL_GOAL_SCATTER == args->collective->goal;
    const int pieces = args->params.segments;
    napcoll_gather_tree_t tree = napcoll_gather_tree_begin(args, args->map->size, 0);

    if (NULL != tree.builder && pieces > 1) {
        napcoll_builder_pieces(tree.builder, pieces);
    }
    if (NULL == tree.builder || args->params.tunable[0] < 1) {
        napcoll_gather_tree_messages(&tree, NAPCOLL_GATHER_AT_ONCE);
    } else if (0 == tree.self) {
        serve(&tree, scatters);
    } else {
        answer(&tree, scatters);
    }
    return napcoll_gather_tree_end(&tree);
}

napcoll_bounds_t napcoll_gather_credit_bounds(const napcoll_node_map_t *map,
                                              const napcoll_params_t *params)
{
    return napcoll_gather_flat_bounds(map, params->tunable[0] < 1 ? NAPCOLL_GATHER_AT_ONCE
                                                                  : batch_of(params));
}
