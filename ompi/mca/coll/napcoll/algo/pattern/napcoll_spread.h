/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What allgather and reduce-scatter share: routes over the blocks of all ranks, and the plans that
 * come of a route, forwards or backwards.
 *
 *     allgather        own block -> room, the route forwards, room -> receive buffer
 *     reduce-scatter   send buffer -> room, the route backwards, own block -> receive buffer
 *
 * The room is a temporary for all blocks, which begins with any block, or the user's buffer itself.
 * A reduce-scatter reduces values where they are in the send buffer; it copies them all to the room
 * only where the blocks there are not in the order of their numbers.
 */

#ifndef NAPCOLL_SPREAD_H
#define NAPCOLL_SPREAD_H

#include "algo/pattern/napcoll_route.h"

/** Where blocks are while a route is carried out. */
typedef struct napcoll_room {
    /** In the user's buffer of all blocks; else in a temporary. */
    bool user;
    /** The block that the temporary begins with. */
    int first;
} napcoll_room_t;

/** The plan of an allgather, or of a reduce-scatter, which takes the route backwards. Frees the
 * route. NULL: memory ran out. */
napcoll_plan_t *napcoll_spread_plan(const napcoll_plan_args_t *args, napcoll_route_t *route,
                                    napcoll_room_t room);

/**
 * The locality-aware Bruck plan: the lanes of a node fetch blocks from L nodes at once. Nine nodes,
 * two lanes; node 0:
 *
 *     in the node     all processes have the blocks of node 0
 *     step 1          lane 0 <- node 1: its blocks             lane 1 <- node 2: its blocks
 *     in the node     all have the blocks of nodes 0 to 2
 *     step 2          lane 0 <- node 3: nodes 3 to 5           lane 1 <- node 6: nodes 6 to 8
 *     in the node     all have the blocks of nodes 0 to 8
 *
 * Lane j of a node talks to lanes j; a node of fewer processes than lanes gives lane j to its
 * process j mod ppn. In the last step the lanes share the rest evenly. Inside a node blocks are
 * exchanged by recursive multiplying, in the fewest steps, or, with params.local_tree, gathered at
 * the leader and broadcast, in the fewest messages.
 *
 *     cost   ceil(log_(L+1) n) alpha_n + (n - 1)/L ppn b beta_n, b the bytes of a block,
 *            (1 + ceil(log_(L+1) n)) ceil(log_r ppn) alpha_l + (P - 1) b beta_l
 *
 * The room begins with the first block of the own node. (A. Bienz, S. Gautam, A. Kharel: "A
 * Locality-Aware Bruck Allgather", 2022.) The first tunable is the number of lanes
 * (napcoll_port_lanes).
 */
napcoll_plan_t *napcoll_spread_locality(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_spread_locality_bounds(const napcoll_node_map_t *map,
                                                const napcoll_params_t *params);

/**
 * The plan through leaders: the leader of a node gathers its blocks, then fetches the blocks of
 * other nodes, each time radix - 1 times the number it has, and broadcasts all. Four nodes of three
 * processes, radix 4:
 *
 *     in the node     0 <- 1, 2
 *     one step        0 <- 3: blocks 3 4 5    0 <- 6: 6 7 8    0 <- 9: 9 10 11
 *     in the node     0 -> 1, 2
 *
 *     cost   2 ceil(log_k ppn) alpha_l + ((ppn - 1) + (P - 1)) b beta_l inside a node, k the local
 *            radix, ceil(log_radix n) alpha_n + (n - 1) ppn b beta_n between nodes
 *
 * One process per node talks to other nodes, so each message has the node's whole rate: the fewest
 * messages of all routes. The room begins with the first block of the own node.
 */
napcoll_plan_t *napcoll_spread_leaders(const napcoll_plan_args_t *args);

/**
 * The plan of the lane ring, for large blocks: each of the L lanes (the processes of the smallest
 * node) passes bundles of blocks round a ring of nodes, and gives to its node what the stage before
 * has brought. Two lanes; node 1 of four, where a bundle is one block:
 *
 *     stage   lane 0 <- node 0   lane 0 -> node 2   in the node
 *       0       node 0's           node 1's         node 1's: all to all
 *       1       node 3's           node 0's         node 0's: each lane to the others
 *       2       node 2's           node 3's         node 3's
 *       3                                           node 2's
 *
 * The blocks of a node with more processes than lanes are dealt to the lanes as balanced bundles;
 * such a node first shares its blocks, in one more stage.
 *
 *     cost   n alpha + (n - 1) ppn/L b beta_n between nodes, and inside them at the same time
 *            n (ppn - 1) ppn/L b beta_l
 *
 * Messages are single blocks where the user's are scattered. The room is the user's buffer. (Lanes:
 * J. L. Träff, S. Hunold: "Decomposing MPI Collectives for Exploiting Multi-lane Communication",
 * 2020.)
 */
napcoll_plan_t *napcoll_spread_lane_ring(const napcoll_plan_args_t *args);
napcoll_bounds_t napcoll_spread_lane_ring_bounds(const napcoll_node_map_t *map, bool scattered);

/** The plan of a Bine butterfly, see algo/allgather/bine.c. */
napcoll_plan_t *napcoll_spread_bine(const napcoll_plan_args_t *args);
napcoll_claim_bounds_t napcoll_spread_bine_bounds;

#endif /* NAPCOLL_SPREAD_H */
