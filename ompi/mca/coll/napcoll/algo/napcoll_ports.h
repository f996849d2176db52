/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A node as one process of several ports: in a step each of its lanes, the ports, reaches another node, so
 * that one more step takes word to, or brings values from, (lanes + 1) times as many nodes. The number
 * of lanes is chosen here, for algorithms that send and receive by all of them, in contrast to those
 * where one lane's part stays at home (napcoll_nap_lanes).
 *
 * The multiport model: J. Bruck et al.: "Efficient algorithms for all-to-all communications in multiport
 * message-passing systems", 1997.
 */

#ifndef NAPCOLL_PORTS_H
#define NAPCOLL_PORTS_H

#include <stdint.h>

#include "topo/napcoll_node_map.h"

/**
 * Lanes that are ports.
 *
 * Nodes with fewer processes than lanes serve several lanes with one process. With as many lanes as the
 * emptiest node has processes nobody serves two; more lanes mean fewer steps, but more messages for the
 * processes of small nodes. The choice minimises napcoll_port_steps; among equals it takes what needs
 * the fewest levels, and then the fewest lanes, which have to tell each other what they got.
 *
 * @param[in] map     the node map
 * @param[in] wanted  the user's choice, or 0 for the one described
 *
 * @return lanes, 1 .. nodes - 1 (1 where there are fewer nodes)
 */
int napcoll_port_lanes(const napcoll_node_map_t *map, int wanted);

/** Levels of inter-node messages with so many lanes: ceil(log_(lanes + 1) nodes). */
int napcoll_port_levels(const napcoll_node_map_t *map, int lanes);

/** Inter-node message steps, one after the other, for the busiest process: levels * lanes per process. */
int napcoll_port_steps(const napcoll_node_map_t *map, int lanes);

/** The most lanes at work on one level that one process serves. */
int napcoll_port_load(const napcoll_node_map_t *map, int lanes);

/** The process of a node of ppn that serves a lane, where all of its processes share `lanes` out in
 * order. */
static inline int napcoll_port_server(int lane, int lanes, int ppn)
{
    return (int) ((int64_t) lane * ppn / lanes);
}

/** The first lane that such a process serves; that of process ppn is where the last one's end. */
static inline int napcoll_port_first(int process, int lanes, int ppn)
{
    return (int) (((int64_t) process * lanes + ppn - 1) / ppn);
}

#endif /* NAPCOLL_PORTS_H */
