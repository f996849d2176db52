/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Neighbourhoods (see the header).
 */

#include "plan/napcoll_neighborhood.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_grow.h"
#include "util/napcoll_order.h"

/* ---- own edges ---- */

/* A block and the order of its edge among those with the same peer. */
typedef struct {
    int32_t peer;
    int32_t order;
    int32_t block;
} numbered_t;

static int compare_numbered(const void *a, const void *b)
{
    const numbered_t *x = a, *y = b;

    return x->peer != y->peer ? napcoll_order(x->peer, y->peer) : napcoll_order(x->order, y->order);
}

/* Number the edges of one buffer. `mirrored`: they are ordered by the receiver's block. */
static int number_edges(const int *peer, int count, bool mirrored, napcoll_plan_edge_t *edge)
{
    numbered_t *all = malloc(((size_t) count + 1) * sizeof(*all));

    if (NULL == all) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        all[i] = (numbered_t){.peer = peer[i], .order = mirrored ? i ^ 1 : i, .block = i};
    }
    qsort(all, (size_t) count, sizeof(*all), compare_numbered);
    for (int i = 0, number = 0; i < count; i++) {
        number = i > 0 && all[i - 1].peer == all[i].peer ? number + 1 : 0;
        edge[all[i].block] = (napcoll_plan_edge_t){.peer = all[i].peer, .number = number};
    }
    free(all);
    return 0;
}

/* A message of the rank, by its distance in the node order and its number. */
typedef struct {
    int32_t distance;
    int32_t number;
    int32_t block;
    bool sends;
} distant_t;

static int compare_distant(const void *a, const void *b)
{
    const distant_t *x = a, *y = b;

    return x->distance != y->distance
               ? napcoll_order(x->distance, y->distance)
               : napcoll_order_pairs(x->number, x->sends, y->number, y->sends);
}

/* Put the edges to other ranks in turns. */
static int take_turns(napcoll_neighborhood_t *n, const napcoll_node_map_t *map)
{
    const int place = napcoll_node_map_place(map, n->rank), size = map->size;
    const size_t edges = (size_t) n->out + (size_t) n->in;
    distant_t *all = malloc((edges + 1) * sizeof(*all));
    int count = 0;

    n->turn = malloc((edges + 1) * sizeof(*n->turn));
    if (NULL == all || NULL == n->turn) {
        free(all);
        return -1;
    }
    for (int i = 0; i < n->out + n->in; i++) {
        const bool sends = i < n->out;
        const int peer = n->edge[i].peer;
        const int other = peer < 0 ? 0 : napcoll_node_map_place(map, peer);

        if (peer >= 0 && peer != n->rank) {
            all[count++] = (distant_t){.distance = ((sends ? other - place : place - other) + size)
                                                   % size,
                                       .number = n->edge[i].number,
                                       .block = sends ? i : i - n->out,
                                       .sends = sends};
        }
    }
    qsort(all, (size_t) count, sizeof(*all), compare_distant);
    for (int i = 0; i < count; i++) {
        const bool joins = i > 0 && all[i].sends && !all[i - 1].sends
                           && all[i - 1].distance == all[i].distance
                           && all[i - 1].number == all[i].number;

        n->turns += !joins;
        if (!joins) {
            n->turn[n->turns - 1] = (napcoll_turn_t){-1, -1};
        }
        *(all[i].sends ? &n->turn[n->turns - 1].send : &n->turn[n->turns - 1].recv) = all[i].block;
    }
    free(all);
    return 0;
}

int napcoll_neighborhood_begin(const napcoll_node_map_t *map, int rank,
                               const napcoll_neighbors_t *neighbors, napcoll_neighborhood_t *n)
{
    const size_t edges = (size_t) neighbors->out + (size_t) neighbors->in;

    *n = (napcoll_neighborhood_t){.rank = rank, .out = neighbors->out, .in = neighbors->in};
    n->edge = malloc((edges + 1) * sizeof(*n->edge));
    if (NULL == n->edge || 0 != number_edges(neighbors->to, n->out, neighbors->grid, n->edge)
        || 0 != number_edges(neighbors->from, n->in, false, n->edge + n->out)) {
        return -1;
    }
    return take_turns(n, map);
}

/* ---- edges of the node ---- */

napcoll_edge_t *napcoll_neighborhood_crossing(const napcoll_neighborhood_t *n,
                                              const napcoll_node_map_t *map, bool leaving,
                                              int *edges)
{
    const int count = leaving ? n->out : n->in, node = napcoll_node_map_node(map, n->rank);
    const napcoll_plan_edge_t *own = leaving ? n->edge : n->edge + n->out;
    napcoll_edge_t *edge = malloc(((size_t) count + 1) * sizeof(*edge));

    *edges = 0;
    for (int i = 0; NULL != edge && i < count; i++) {
        if (own[i].peer >= 0 && node != napcoll_node_map_node(map, own[i].peer)) {
            edge[(*edges)++] = (napcoll_edge_t){.from = leaving ? n->rank : own[i].peer,
                                                .to = leaving ? own[i].peer : n->rank,
                                                .number = own[i].number,
                                                .block = i};
        }
    }
    return edge;
}

int napcoll_neighborhood_add(napcoll_crossing_t *crossing, const napcoll_edge_t *edge, int edges)
{
    const size_t all = (size_t) crossing->edges + (size_t) edges;

    if (!napcoll_grow(&crossing->edge, &crossing->room, all, sizeof(*edge))) {
        return -1;
    }
    if (edges > 0) {
        memcpy(crossing->edge + crossing->edges, edge, (size_t) edges * sizeof(*edge));
    }
    crossing->edges = (int) all;
    return 0;
}

/* ---- links ---- */

/* An edge with the node at its other end. */
typedef struct {
    int node;
    napcoll_edge_t edge;
} sorted_t;

static int compare_sorted(const void *a, const void *b)
{
    const sorted_t *x = a, *y = b;

    if (x->node != y->node) {
        return napcoll_order(x->node, y->node);
    }
    return x->edge.from != y->edge.from || x->edge.to != y->edge.to
               ? napcoll_order_pairs(x->edge.from, x->edge.to, y->edge.from, y->edge.to)
               : napcoll_order(x->edge.number, y->edge.number);
}

/* Sort the edges by link; returns how many links there are, or -1 when memory ran out. */
static int sort_edges(napcoll_crossing_t *crossing, const napcoll_node_map_t *map, bool leaving)
{
    sorted_t *all = malloc(((size_t) crossing->edges + 1) * sizeof(*all));
    int links = 0;

    if (NULL == all) {
        return -1;
    }
    for (int i = 0; i < crossing->edges; i++) {
        const napcoll_edge_t *edge = &crossing->edge[i];

        all[i] = (sorted_t){napcoll_node_map_node(map, leaving ? edge->to : edge->from), *edge};
    }
    qsort(all, (size_t) crossing->edges, sizeof(*all), compare_sorted);
    for (int i = 0; i < crossing->edges; i++) {
        crossing->edge[i] = all[i].edge;
        links += 0 == i || all[i - 1].node != all[i].node;
    }
    free(all);
    return links;
}

/* The process of the node that is to carry a link: of those that have an edge of it the one that
 * carries the fewest so far. carries: [ppn] links of each lane. */
static int find_carrier(const napcoll_crossing_t *crossing, const napcoll_node_link_t *link,
                        const napcoll_node_map_t *map, bool leaving, int *carries)
{
    int carrier = -1, least = 0;

    for (int i = link->first; i < link->first + link->count; i++) {
        const int rank = leaving ? crossing->edge[i].from : crossing->edge[i].to;
        const int load = carries[napcoll_node_map_lane(map, rank)];

        if (carrier < 0 || load < least || (load == least && rank < carrier)) {
            carrier = rank;
            least = load;
        }
    }
    carries[napcoll_node_map_lane(map, carrier)]++;
    return carrier;
}

static int link_edges(napcoll_crossing_t *crossing, const napcoll_node_map_t *map, bool leaving)
{
    const int links = sort_edges(crossing, map, leaving);
    int *carries = calloc((size_t) map->max_ppn, sizeof(*carries));

    crossing->link = links < 0 ? NULL : malloc(((size_t) links + 1) * sizeof(*crossing->link));
    if (NULL == crossing->link || NULL == carries) {
        free(carries);
        return -1;
    }
    for (int i = 0; i < crossing->edges; i++) {
        const napcoll_edge_t *edge = &crossing->edge[i];
        const int node = napcoll_node_map_node(map, leaving ? edge->to : edge->from);

        if (0 == crossing->links || crossing->link[crossing->links - 1].node != node) {
            crossing->link[crossing->links++] = (napcoll_node_link_t){
                .node = node, .first = i, .peer = -1};
        }
        crossing->link[crossing->links - 1].count++;
    }
    for (int i = 0; i < crossing->links; i++) {
        crossing->link[i].carrier = find_carrier(crossing, &crossing->link[i], map, leaving,
                                                 carries);
    }
    free(carries);
    return 0;
}

int napcoll_neighborhood_link(napcoll_neighborhood_t *n, const napcoll_node_map_t *map)
{
    return 0 == link_edges(&n->leaving, map, true) ? link_edges(&n->coming, map, false) : -1;
}

/* ---- memory ---- */

void napcoll_neighborhood_free(napcoll_neighborhood_t *n)
{
    free(n->edge);
    free(n->turn);
    free(n->leaving.edge);
    free(n->leaving.link);
    free(n->coming.edge);
    free(n->coming.link);
    *n = (napcoll_neighborhood_t){.rank = 0};
}
