/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lanes: the processes of a node that use the network at the same time. Either they are the ports
 * of their node, which reaches one other node by each of them in a step; or each of them owns a
 * slice of a large vector.
 *
 * Ports (the multiport model; J. Bruck et al.: "Efficient algorithms for all-to-all communications
 * in multiport message-passing systems", 1997): with L lanes a step reaches L + 1 times as many
 * nodes, so n nodes take ceil(log_(L + 1) n) levels. A node of fewer processes than lanes serves
 * several lanes with one process. As many lanes as the smallest node has processes avoids that;
 * more lanes mean fewer levels, but more messages for the processes of small nodes.
 *
 * Slices: with L lanes (the processes of the smallest node) and n nodes the vector is cut into L
 * slices of n blocks; lane l of node m owns block l n + m. Forwards (an allgather):
 *
 *     between nodes   lane l of every node gets slice l from lane l of the others
 *     in the node     every lane gives its slice to all others
 *
 *     cost   ceil(log_r n) alpha + (n - 1)/n s/L beta between nodes,
 *            alpha + (L - 1)/L s beta inside
 *
 * Processes beyond lane L own nothing: they only receive. No byte crosses the network twice.
 */

#ifndef NAPCOLL_LANES_H
#define NAPCOLL_LANES_H

#include "algo/pattern/napcoll_route.h"

/**
 * Lanes that are ports.
 *
 * @param[in] map     the node map
 * @param[in] wanted  the user's choice. 0: least napcoll_port_steps, then least levels and lanes
 *
 * @return lanes, 1 .. nodes - 1 (1 where there are fewer nodes)
 */
int napcoll_port_lanes(const napcoll_node_map_t *map, int wanted);

/** Levels of inter-node messages with a number of lanes: ceil(log_(lanes + 1) nodes). */
int napcoll_port_levels(const napcoll_node_map_t *map, int lanes);

/** The most lanes that one process serves on a level. */
int napcoll_port_load(const napcoll_node_map_t *map, int lanes);

/** Inter-node messages one after the other of the process with the most: levels * load. */
int napcoll_port_steps(const napcoll_node_map_t *map, int lanes);

/** The process that serves a lane, where the ppn processes of a node have successive lanes each. */
static inline int napcoll_port_server(int lane, int lanes, int ppn)
{
    return (int) ((int64_t) lane * ppn / lanes);
}

/** The first lane of such a process; of process ppn the end of the last one's. */
static inline int napcoll_port_first(int process, int lanes, int ppn)
{
    return (int) (((int64_t) process * lanes + ppn - 1) / ppn);
}

/** Lanes that own slices. */
static inline int napcoll_slice_lanes(const napcoll_node_map_t *map)
{
    return map->min_ppn;
}

/** The radix between nodes: the one wanted; for 0 all nodes at once where they are few. */
int napcoll_slice_radix(const napcoll_node_map_t *map, int wanted);

/** The block that a process owns, or -1. */
int napcoll_slice_own(const napcoll_plan_args_t *args);

/** The allgather above as a route, by Bruck's algorithm between nodes. */
void napcoll_slice_route(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix);

/**
 * The route that gathers at the root what the lanes own: the lanes of the root's node gather their
 * slices from other nodes, and the root gathers them there. The cost is the same.
 */
void napcoll_slice_gather(napcoll_route_t *route, const napcoll_plan_args_t *args, int radix);

/**
 * In a broadcast: member 0 of a node gives each other lane the block of its slice.
 *
 * @param[in,out] route  this process's
 * @param[in]     node   the processes of the node, lanes first
 * @param[in]     lanes  that own slices
 * @param[in]     stage  of the messages
 * @param[in]     first  the block of lane 0
 * @param[in]     apart  blocks from one lane's block to the next lane's
 */
void napcoll_slice_deal(napcoll_route_t *route, const napcoll_group_t *node, int lanes, int stage,
                        int first, int apart);

/** In a broadcast: each lane sends its block to all others of the node; not to member 0 where that
 * is the root. For the arguments see napcoll_slice_deal. */
void napcoll_slice_share(napcoll_route_t *route, const napcoll_group_t *node, int lanes, int stage,
                         int first, int apart, bool with_root);

/** The most messages that a process sends, or receives, in a stage of either route. */
napcoll_bounds_t napcoll_slice_bounds(const napcoll_node_map_t *map, int radix);

#endif /* NAPCOLL_LANES_H */
