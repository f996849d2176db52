/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA on two levels: what coalesced, staggered and two_level share. The ranks of N nodes may be
 * anywhere; a node has q processes, the largest one Q. First every node is a ring of its lanes, and
 * each block goes to the process of its own node that carries the receiver's lane, by the digits of
 * the distance between the lanes, the blocks for all N nodes together. Then this process has all
 * blocks that its node has for that lane of any node, and sends them there.
 *
 * Lane l of a node carries the lanes l, l + q, l + 2q, ... below Q: its rings, numbered from 0.
 * Where all nodes have Q processes, that is its own lane alone. A block for a lane that another
 * node does not have does not exist:
 *
 *     node 0: q = 2   lane 0 carries lanes 0, 2, lane 1 carries 1       node 1: q = 3
 *     blocks for node 1 go from node 0 to the lanes 0, 1, 2 in a message each; for node 0, from
 *     lane 0 of node 1 to lane 0, and from lane 1 to lane 1
 *
 *     slots   C (N - 1)(q - 1) for other nodes, with C = ceil(Q / q) rings, q - 1 - K_q for the own
 *
 * K. Fan et al. (napcoll_tuna.h), section V: the implicit strategy, TuNA_l^g, for equal nodes.
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
    /** Of this node. */
    int lanes;
    /** Slots of tuna.temporary that the exchange inside the node takes; more follow. */
    int slots;
} napcoll_tuna_nodes_t;

/** Rings of lane 0 of a node of q processes; other lanes may have one less. */
static inline int napcoll_tuna_nodes_rings(const napcoll_node_map_t *map, int q)
{
    return (map->max_ppn + q - 1) / q;
}

/**
 * Begin a plan with the exchange inside the nodes.
 *
 * @param[in] args   of the plan
 * @param[in] radix  over the lanes (napcoll_digits_radix)
 * @param[in] more   slots that the caller needs for each ring, behind the slots of the exchange
 */
napcoll_tuna_nodes_t napcoll_tuna_nodes_begin(const napcoll_plan_args_t *args, int radix, int more);

/** The most slots of any process, with the same arguments. */
int napcoll_tuna_nodes_slots(const napcoll_node_map_t *map, int radix, int more);

/** Processes of the node `distance` after this one; before it where it is negative. */
int napcoll_tuna_nodes_ppn(const napcoll_tuna_t *inside, int distance);

/** After the exchange inside the node: the block that lane `self` + i (round the end) of this node
 * has for the lane of a ring on the node `distance` before this one. */
napcoll_span_t napcoll_tuna_nodes_source(const napcoll_tuna_t *inside, int distance, int ring,
                                         int i);

/** Where the block goes that lane `self` + i (round its end) of the node `distance` after this one
 * has for this rank. */
napcoll_span_t napcoll_tuna_nodes_target(const napcoll_tuna_t *inside, int distance, int i);

/** The rank that sends to this one from the node `distance` after this one. */
int napcoll_tuna_nodes_sender(const napcoll_tuna_t *inside, int distance);

/** The rank of the lane of a ring on the node `distance` before this one; -1: it has none. */
int napcoll_tuna_nodes_receiver(const napcoll_tuna_t *inside, int distance, int ring);

/** The most messages of a stage, with a radix over the lanes, where a ring has `inter` messages
 * between nodes. */
napcoll_bounds_t napcoll_tuna_nodes_bounds(const napcoll_node_map_t *map, int radix, int inter);

/** Messages between nodes at once: the second tunable, but not more than there are. */
static inline int napcoll_tuna_nodes_at_once(const napcoll_params_t *params, int messages)
{
    const int at_once = params->tunable[1] > 0 ? params->tunable[1] : NAPCOLL_TUNA_AT_ONCE;

    return at_once < messages ? at_once : messages;
}

#endif /* NAPCOLL_TUNA_NODES_H */
