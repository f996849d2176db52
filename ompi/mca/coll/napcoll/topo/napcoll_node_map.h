/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The node map: which process of a communicator sits on which node. Pure: no MPI in here.
 *
 * Nodes are numbered by their lowest rank, from 0. The processes of a node are its lanes,
 * numbered from 0 in rank order; lane 0 is the node's leader.
 *
 *     rank        0  1  2  3  4  5          node  lanes (ranks)
 *     node id    70 42 70 42 70 42    ->      0   0 2 4
 *                                             1   1 3 5
 *
 * Where every node has the same number of processes and each node's ranks are one interval
 * (the usual block placement), the map is three integers and no table; any other placement
 * is kept in tables of O(size) integers.
 */

#ifndef NAPCOLL_NODE_MAP_H
#define NAPCOLL_NODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/napcoll_switch_tree.h"
#include "util/napcoll_table.h"

typedef struct napcoll_node_map {
    /** processes */
    int size;
    int nodes;
    /** processes on the emptiest node, and on the fullest */
    int min_ppn;
    int max_ppn;
    /** each node's ranks are one interval */
    bool contiguous;

    /* these four are NULL where the map is regular */
    /** [size] node of a rank */
    int *node_of;
    /** [size] lane of a rank */
    int *lane_of;
    /** [nodes + 1] index of a node's first rank in ranks */
    int *first;
    /** [size] ranks, node by node, lane by lane */
    int *ranks;

    /** the own node has more processes than processors; false where that is unknown */
    bool oversubscribed;
    /** the node of local_order, or -1 */
    int local_node;
    /** [ppn of local_node] its lanes in the order of the hardware, or NULL */
    int *local_order;

    /* the network, see napcoll_node_map_set_network; NULL: nodes in their order on one switch */
    /** borrowed; NULL: one switch */
    const napcoll_switch_tree_t *tree;
    /** [nodes] where a node is in the network */
    int *spot;
    /** [nodes] nodes by ascending spot */
    int *network_order;
    /** [nodes] a node's place in that order */
    int *network_place;
    /** [nodes + 1] processes before a place */
    int *network_first;

    /* from here on of the cache, see topo/napcoll_map_cache.h */
    int users;
    /** it is in the cache, by its link */
    bool shared;
    napcoll_table_link_t link;
} napcoll_node_map_t;

/**
 * Build a node map.
 *
 * @param[in]  node_id  [size] any number that two ranks share if and only if they share a node
 * @param[in]  size     processes, at least 1
 * @param[out] map      the map; the caller frees it with napcoll_node_map_free
 *
 * @return 0, or -1 when memory ran out (then *map is NULL)
 */
int napcoll_node_map_create(const int *node_id, int size, napcoll_node_map_t **map);

/** Free a map; NULL is allowed. */
void napcoll_node_map_free(napcoll_node_map_t *map);

/** A hash of the ranks on each node and of the network. It depends on nothing that only the own
 * node knows. */
uint64_t napcoll_node_map_fingerprint(const napcoll_node_map_t *map);

/** Processes on a node. */
static inline int napcoll_node_map_ppn(const napcoll_node_map_t *map, int node)
{
    return NULL == map->first ? map->max_ppn : map->first[node + 1] - map->first[node];
}

/** Node of a rank. */
static inline int napcoll_node_map_node(const napcoll_node_map_t *map, int rank)
{
    return NULL == map->node_of ? rank / map->max_ppn : map->node_of[rank];
}

/** Lane of a rank on its node. */
static inline int napcoll_node_map_lane(const napcoll_node_map_t *map, int rank)
{
    return NULL == map->lane_of ? rank % map->max_ppn : map->lane_of[rank];
}

/** Rank of a lane of a node. */
static inline int napcoll_node_map_rank(const napcoll_node_map_t *map, int node, int lane)
{
    return NULL == map->ranks ? node * map->max_ppn + lane : map->ranks[map->first[node] + lane];
}

/** Rank at a place of the node order: node after node, lane after lane. */
static inline int napcoll_node_map_at(const napcoll_node_map_t *map, int place)
{
    return NULL == map->ranks ? place : map->ranks[place];
}

/** Place of a node's first lane in the node order; map->size for node map->nodes. */
static inline int napcoll_node_map_first(const napcoll_node_map_t *map, int node)
{
    return NULL == map->first ? node * map->max_ppn : map->first[node];
}

/** Place of a rank in the node order. */
static inline int napcoll_node_map_place(const napcoll_node_map_t *map, int rank)
{
    return NULL == map->first
               ? rank
               : map->first[napcoll_node_map_node(map, rank)] + napcoll_node_map_lane(map, rank);
}

/**
 * Order the lanes of one node by the hardware: the leader first, then the leader's socket, then the
 * other sockets, each by NUMA domain, core and hardware thread. Only communication inside that node
 * may depend on this order: no other node knows it.
 *
 * @param[in,out] map       the map
 * @param[in]     node      the node
 * @param[in]     locality  [ppn of node] PMIx locality strings ("NM0:SK0:L30:L20:L10:CR0:HT0"); if
 *                          one is NULL (a process that is not bound) the lanes keep rank order
 *
 * @return 0, or -1 when memory ran out (the lanes then keep rank order)
 */
int napcoll_node_map_set_locality(napcoll_node_map_t *map, int node, const char *const *locality);

/**
 * Tell where the nodes are in the network: their depth-first order. Messages that follow this order
 * load the links of a tree of switches least (topo/napcoll_dfs_order.h).
 *
 * @param[in,out] map   the map
 * @param[in]     tree  the tree whose nodes the spots are; borrowed for the life of the map. NULL:
 *                      all nodes are on one switch, and spots are only an order
 * @param[in]     spot  [nodes] of each node, all different. NULL: forget the network
 *
 * @return 0, or -1 when memory ran out (the map then knows no network)
 */
int napcoll_node_map_set_network(napcoll_node_map_t *map, const napcoll_switch_tree_t *tree,
                                 const int *spot);

/** The node at a place of the network's order. */
static inline int napcoll_node_map_network_order(const napcoll_node_map_t *map, int place)
{
    return NULL == map->network_order ? place : map->network_order[place];
}

/** A node's place in the network's order. */
static inline int napcoll_node_map_network_place(const napcoll_node_map_t *map, int node)
{
    return NULL == map->network_place ? node : map->network_place[node];
}

/** Processes of the nodes before a place of the network's order. */
static inline int napcoll_node_map_network_first(const napcoll_node_map_t *map, int place)
{
    return NULL == map->network_first ? napcoll_node_map_first(map, place)
                                      : map->network_first[place];
}

/** The lane at a position of a node's hardware order; rank order where that is not known. */
static inline int napcoll_node_map_local_order(const napcoll_node_map_t *map, int node,
                                               int position)
{
    return node == map->local_node ? map->local_order[position] : position;
}

/**
 * Parse a placement, as the parameters fake_ppn and fake_map give it, into node ids.
 *
 * @param[in]  ppn_list  processes per node, "3,2,1"; the list repeats until all ranks have a node
 * @param[in]  order     "block" (fill node after node), "cyclic" (deal the ranks round the nodes)
 *                       or "random:SEED" (a shuffle of the block order)
 * @param[in]  size      ranks to place
 * @param[out] node_id   [size] the node of each rank
 * @param[out] where     on a syntax error, the offset of the offending character
 *
 * @return 0; -1 when memory ran out; 1 for a bad ppn_list; 2 for a bad order
 */
int napcoll_placement_parse(const char *ppn_list, const char *order, int size, int *node_id,
                            size_t *where);

#endif /* NAPCOLL_NODE_MAP_H */
