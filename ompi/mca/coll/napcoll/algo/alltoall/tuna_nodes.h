/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels, what coalesced and staggered share. P = N nodes of Q processes each, wherever their ranks
 * are. First every node is a ring of its lanes, and each block goes to the lane that its receiver has on its own
 * node: the blocks for all N nodes together, by the digits of the way between the lanes. Then lane l of node
 * n has all that its node has for lane l of any node g, and sends it there.
 *
 *     slots   of other nodes (N - 1)(Q - 1), of the own one Q - 1 - K_Q
 *
 * K. Fan et al., section V: the implicit strategy, TuNA_l^g.
 */

#ifndef NAPCOLL_ALGO_TUNA_NODES_H
#define NAPCOLL_ALGO_TUNA_NODES_H

#include "algo/alltoall/alltoall.h"

/** A plan of this kind under construction; its first phase is emitted. */
typedef struct napcoll_tuna_nodes {
    napcoll_builder_t *builder; /**< NULL: memory ran out */
    napcoll_tuna_t tuna;        /**< the exchange inside the node */
    int nodes;
    int lanes;
    int slots; /**< of tuna.temporary that this takes; more follow */
} napcoll_tuna_nodes_t;

/**
 * Begin a plan with what happens inside the nodes.
 *
 * @param[in] request  what the plan is for
 * @param[in] radix    over the lanes; made fit
 * @param[in] more     slots that the caller needs behind those of the exchange
 */
napcoll_tuna_nodes_t napcoll_tuna_nodes_begin(const napcoll_plan_args_t *args, int radix, int more);

/** Where the block is, after the exchange inside the node, that lane `self` + i (round the end) of this node has for this
 * lane of the node `distance` before this one. */
napcoll_span_t napcoll_tuna_nodes_source(const napcoll_tuna_t *inside, int distance, int i);

/** Where the block goes that lane `self` + i of the node `distance` after this one has for this rank. */
napcoll_span_t napcoll_tuna_nodes_target(const napcoll_tuna_t *inside, int distance, int i);

/** The rank of this lane on the node `distance` after this one, or before it where it is negative. */
int napcoll_tuna_nodes_peer(const napcoll_tuna_nodes_t *plan, int distance);

/** The most messages of a stage: inside a node, by that radix over the lanes, and between nodes, where they are `inter`. */
napcoll_bounds_t napcoll_tuna_nodes_bounds(const napcoll_node_map_t *map, int radix, int inter);

/** Messages between nodes that go at once, of so many. */
static inline int napcoll_tuna_nodes_at_once(const napcoll_params_t *params, int messages)
{
    const int at_once = params->tunable[1] > 0 ? params->tunable[1] : 256;

    return at_once < messages ? at_once : messages;
}

#endif /* NAPCOLL_ALGO_TUNA_NODES_H */
