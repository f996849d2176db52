/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels: what coalesced, staggered and two_level share. P = N nodes of Q processes
 * each, wherever their ranks are. First every node is a ring of its lanes, and each block goes to
 * the process of its own node that has the receiver's lane, by the digits of the distance between
 * the lanes, the blocks for all N nodes together. Then lane l of node n has all blocks that its
 * node has for lane l of any node g, and sends them there.
 *
 *     slots   (N - 1)(Q - 1) for other nodes, Q - 1 - K_Q for the own one
 *
 * K. Fan et al. (napcoll_tuna.h), section V: the implicit strategy, TuNA_l^g.
 */

#ifndef NAPCOLL_TUNA_NODES_H
#define NAPCOLL_TUNA_NODES_H

#include "algo/pattern/napcoll_tuna.h"

/** A plan under construction; its first phase is emitted. */
typedef struct napcoll_tuna_nodes {
    /** NULL: memory ran out. */
    napcoll_builder_t *builder;
    /** The exchange inside the node. */
    napcoll_tuna_t tuna;
    int nodes;
    int lanes;
    /** Slots of tuna.temporary that the exchange inside the node takes; more follow. */
    int slots;
} napcoll_tuna_nodes_t;

/**
 * Begin a plan with the exchange inside the nodes.
 *
 * @param[in] args   of the plan
 * @param[in] radix  over the lanes (napcoll_digits_radix)
 * @param[in] more   slots that the caller needs behind the slots of the exchange
 */
napcoll_tuna_nodes_t napcoll_tuna_nodes_begin(const napcoll_plan_args_t *args, int radix, int more);

/** After the exchange inside the node: the block that lane `self` + i (round the end) of this node
 * has for this lane of the node `distance` before this one. */
napcoll_span_t napcoll_tuna_nodes_source(const napcoll_tuna_t *inside, int distance, int i);

/** Where the block goes that lane `self` + i of the node `distance` after this one has for this
 * rank. */
napcoll_span_t napcoll_tuna_nodes_target(const napcoll_tuna_t *inside, int distance, int i);

/** The rank of this lane on the node `distance` after this one; before it where it is negative. */
int napcoll_tuna_nodes_peer(const napcoll_tuna_nodes_t *plan, int distance);

/** The most messages of a stage, with a radix over the lanes and `inter` messages between nodes. */
napcoll_bounds_t napcoll_tuna_nodes_bounds(const napcoll_node_map_t *map, int radix, int inter);

/** Messages between nodes at once: the second tunable, but not more than there are. */
static inline int napcoll_tuna_nodes_at_once(const napcoll_params_t *params, int messages)
{
    const int at_once = params->tunable[1] > 0 ? params->tunable[1] : NAPCOLL_TUNA_AT_ONCE;

    return at_once < messages ? at_once : messages;
}

#endif /* NAPCOLL_TUNA_NODES_H */
