/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All blocks of a node for another node in one message. Each link, the edges from one node to
 * another, has a carrier on both (napcoll_neighborhood.h). Edges 0 -> 4, 0 -> 5 and 2 -> 5 between
 * the nodes {0, 1, 2} and {4, 5}, and 0 -> 1 inside a node:
 *
 *     gather    rank 0 gives its blocks to the carrier 2, and rank 1 its block
 *     exchange  rank 2 sends 0 -> 4, 0 -> 5, 2 -> 5 to the carrier 4
 *     spread    rank 4 gives 0 -> 5 and 2 -> 5 to rank 5
 *
 * In the first and in the last stage two processes exchange one message at most in each direction.
 * In an allgather the block of a process is in each of these messages once, whatever its edges.
 *
 *     cost     links of a process between nodes, and in each of two stages at most ppn - 1 messages
 *              inside the node
 *     source   A. Bienz, W. Gropp, L. Olson, "Node aware sparse matrix-vector multiplication"
 *              (2019), and the locality-aware neighbourhood collectives of MPI Advance
 */

#include <stdlib.h>

#include "algo/napcoll_generators.h"

typedef struct {
    const napcoll_plan_args_t *args;
    const napcoll_neighborhood_t *n;
    napcoll_builder_t *builder;
    bool alltoall;
    bool headed;
    int rank;
    /* [edges of the node's crossing] the slot of an edge's block on this rank, or -1 */
    int *leaving_slot;
    int *coming_slot;
    int slots;
} coalesced_t;

static napcoll_span_t block(int32_t buffer, int number)
{
    return (napcoll_span_t){buffer, number, 1};
}

/* The slot of an edge's block that is forwarded: its own, or a new one. */
static napcoll_span_t slot_of(coalesced_t *c, int *slot, int edge)
{
    if (slot[edge] < 0) {
        slot[edge] = c->slots++;
    }
    return block(NAPCOLL_BUFFER_TEMP, slot[edge]);
}

/* Whether an edge of a link is the first of its sender there. */
static bool is_first(const napcoll_crossing_t *crossing, const napcoll_node_link_t *link, int i)
{
    return i == link->first || crossing->edge[i - 1].from != crossing->edge[i].from;
}

/* ---- gather ---- */

/* Add the blocks of an all-to-all that rank `from` has for rank `to` of its node: of their edges,
 * in the order of their numbers, and of the links that `to` carries. This rank is one of both. */
static void add_gathered(coalesced_t *c, int from, int to, napcoll_span_t *list)
{
    const napcoll_neighborhood_t *n = c->n;
    const napcoll_crossing_t *leaving = &n->leaving;
    const bool sends = from == c->rank;

    for (int t = 0; t < n->turns; t++) {
        const int b = sends ? n->turn[t].send : n->turn[t].recv;

        if (b >= 0 && (sends ? n->edge[b].peer == to : n->edge[n->out + b].peer == from)) {
            napcoll_builder_list_add(c->builder, list,
                                     block(sends ? NAPCOLL_BUFFER_SEND : NAPCOLL_BUFFER_RECV, b));
        }
    }
    for (int l = 0; l < leaving->links; l++) {
        const napcoll_node_link_t *link = &leaving->link[l];

        for (int i = link->first; link->carrier == to && i < link->first + link->count; i++) {
            if (leaving->edge[i].from == from) {
                napcoll_builder_list_add(c->builder, list,
                                         sends ? block(NAPCOLL_BUFFER_SEND, leaving->edge[i].block)
                                               : slot_of(c, c->leaving_slot, i));
            }
        }
    }
}

/* The first own block for, or from, a rank; -1: there is none. *count: how many. */
static int first_block(const coalesced_t *c, bool sends, int peer, int *count)
{
    const napcoll_neighborhood_t *n = c->n;
    const napcoll_plan_edge_t *edge = sends ? n->edge : n->edge + n->out;
    int first = -1;

    *count = 0;
    for (int b = 0; b < (sends ? n->out : n->in); b++) {
        if (edge[b].peer == peer) {
            first = first < 0 ? b : first;
            (*count)++;
        }
    }
    return first;
}

/* Copy a block in a slot to all own places of an in-neighbour. */
static void copy_out(coalesced_t *c, int from, napcoll_span_t slot)
{
    const napcoll_plan_edge_t *edge = c->n->edge + c->n->out;

    for (int b = 0; b < c->n->in; b++) {
        if (edge[b].peer == from) {
            napcoll_builder_copy(c->builder, block(NAPCOLL_BUFFER_RECV, b), slot);
        }
    }
}

/* Where the one block of an allgather that comes from a rank goes: to its place, or into a slot, if
 * it has several or is forwarded. */
static napcoll_span_t land(coalesced_t *c, int from, bool forwarded)
{
    int places;
    const int first = first_block(c, false, from, &places);
    napcoll_span_t slot;

    if (!forwarded && 1 == places) {
        return block(NAPCOLL_BUFFER_RECV, first);
    }
    slot = block(NAPCOLL_BUFFER_TEMP, c->slots++);
    copy_out(c, from, slot);
    return slot;
}

/* Whether a rank's block goes into a link that another one carries; its slot there is set. */
static bool forwards(coalesced_t *c, int from, int carrier, int slot)
{
    const napcoll_crossing_t *leaving = &c->n->leaving;
    bool any = false;

    for (int l = 0; l < leaving->links; l++) {
        const napcoll_node_link_t *link = &leaving->link[l];

        for (int i = link->first; link->carrier == carrier && i < link->first + link->count; i++) {
            if (leaving->edge[i].from == from) {
                any = true;
                c->leaving_slot[i] = slot;
            }
        }
    }
    return any;
}

/* A block of the send buffer for another rank, of which there is one: in an allgather all hold the
 * same. */
static int any_block(const napcoll_neighborhood_t *n)
{
    int b = 0;

    while (n->edge[b].peer < 0 || n->edge[b].peer == n->rank) {
        b++;
    }
    return b;
}

/* The block of an allgather that rank `from` has for rank `to` of its node. */
static void add_gathered_once(coalesced_t *c, int from, int to, napcoll_span_t *list)
{
    const bool sends = from == c->rank;
    const bool forwarded = forwards(c, from, to, -1);
    int edges;
    napcoll_span_t where;

    (void) first_block(c, sends, sends ? to : from, &edges);
    if (!forwarded && 0 == edges) {
        return;
    }
    if (sends) {
        where = block(NAPCOLL_BUFFER_SEND, any_block(c->n));
    } else {
        where = land(c, from, forwarded);
        if (forwarded) {
            (void) forwards(c, from, to, where.first);
        }
    }
    napcoll_builder_list_add(c->builder, list, where);
}

/* Add a message with the blocks of a list, if there are any. */
static void add_message(coalesced_t *c, napcoll_span_t list, int peer, bool sends)
{
    if (0 == list.count) {
        return;
    }
    list = napcoll_builder_list_end(c->builder, list);
    if (sends) {
        napcoll_builder_send_blocks(c->builder, list, peer, c->headed);
    } else {
        napcoll_builder_recv_blocks(c->builder, list, peer, c->headed);
    }
}

/* Exchange messages with all other processes of the node. */
static void exchange_inside(coalesced_t *c,
                            void (*add)(coalesced_t *c, int from, int to, napcoll_span_t *list))
{
    const napcoll_node_map_t *map = c->args->map;
    const int node = napcoll_node_map_node(map, c->rank), ppn = napcoll_node_map_ppn(map, node);
    const int lane = napcoll_node_map_lane(map, c->rank);

    for (int j = 1; j < ppn; j++) {
        const int from = napcoll_node_map_rank(map, node, (lane + ppn - j) % ppn);
        const int to = napcoll_node_map_rank(map, node, (lane + j) % ppn);
        napcoll_span_t list = napcoll_builder_list(c->builder);

        add(c, from, c->rank, &list);
        add_message(c, list, from, false);
        list = napcoll_builder_list(c->builder);
        add(c, c->rank, to, &list);
        add_message(c, list, to, true);
    }
    napcoll_builder_next_stage(c->builder);
}

/* ---- exchange ---- */

static void send_link(coalesced_t *c, const napcoll_node_link_t *link)
{
    const napcoll_crossing_t *leaving = &c->n->leaving;
    napcoll_span_t list = napcoll_builder_list(c->builder);

    for (int i = link->first; i < link->first + link->count; i++) {
        if (c->alltoall || is_first(leaving, link, i)) {
            napcoll_builder_list_add(c->builder, &list,
                                     leaving->edge[i].from == c->rank
                                         ? block(NAPCOLL_BUFFER_SEND, leaving->edge[i].block)
                                         : slot_of(c, c->leaving_slot, i));
        }
    }
    add_message(c, list, link->peer, true);
}

/* Where the block of an allgather goes that comes with the edges from `i` on. */
static napcoll_span_t land_link(coalesced_t *c, const napcoll_node_link_t *link, int i)
{
    const napcoll_edge_t *edge = c->n->coming.edge;
    const int from = edge[i].from;
    bool forwarded = false;
    napcoll_span_t where;

    for (int k = i; k < link->first + link->count && edge[k].from == from; k++) {
        forwarded = forwarded || edge[k].to != c->rank;
    }
    where = land(c, from, forwarded);
    for (int k = i; forwarded && k < link->first + link->count && edge[k].from == from; k++) {
        c->coming_slot[k] = where.first;
    }
    return where;
}

static void receive_link(coalesced_t *c, const napcoll_node_link_t *link)
{
    const napcoll_crossing_t *coming = &c->n->coming;
    napcoll_span_t list = napcoll_builder_list(c->builder);

    for (int i = link->first; i < link->first + link->count; i++) {
        if (!c->alltoall && is_first(coming, link, i)) {
            napcoll_builder_list_add(c->builder, &list, land_link(c, link, i));
        } else if (c->alltoall) {
            napcoll_builder_list_add(c->builder, &list,
                                     coming->edge[i].to == c->rank
                                         ? block(NAPCOLL_BUFFER_RECV, coming->edge[i].block)
                                         : slot_of(c, c->coming_slot, i));
        }
    }
    add_message(c, list, link->peer, false);
}

static void exchange_links(coalesced_t *c)
{
    const napcoll_crossing_t *leaving = &c->n->leaving, *coming = &c->n->coming;

    for (int l = 0; l < coming->links; l++) {
        if (coming->link[l].carrier == c->rank) {
            receive_link(c, &coming->link[l]);
        }
    }
    for (int l = 0; l < leaving->links; l++) {
        if (leaving->link[l].carrier == c->rank) {
            send_link(c, &leaving->link[l]);
        }
    }
    napcoll_builder_next_stage(c->builder);
}

/* ---- spread ---- */

/* Add the blocks that came to the carrier `from` for rank `to` of its node. */
static void add_spread(coalesced_t *c, int from, int to, napcoll_span_t *list)
{
    const napcoll_crossing_t *coming = &c->n->coming;
    const bool sends = from == c->rank;

    for (int l = 0; l < coming->links; l++) {
        const napcoll_node_link_t *link = &coming->link[l];
        int before = -1;

        for (int i = link->first; link->carrier == from && i < link->first + link->count; i++) {
            const napcoll_edge_t *edge = &coming->edge[i];
            napcoll_span_t where;

            if (edge->to != to || (!c->alltoall && before == edge->from)) {
                continue;
            }
            before = edge->from;
            if (sends) {
                where = block(NAPCOLL_BUFFER_TEMP, c->coming_slot[i]);
            } else {
                where = c->alltoall ? block(NAPCOLL_BUFFER_RECV, edge->block)
                                    : land(c, edge->from, false);
            }
            napcoll_builder_list_add(c->builder, list, where);
        }
    }
}

/* ---- the plan ---- */

static int *no_slots(int edges)
{
    int *slot = malloc(((size_t) edges + 1) * sizeof(*slot));

    for (int i = 0; NULL != slot && i < edges; i++) {
        slot[i] = -1;
    }
    return slot;
}

napcoll_plan_t *napcoll_neighbor_coalesced(const napcoll_plan_args_t *args)
{
    const napcoll_neighborhood_t *n = args->neighborhood;
    coalesced_t c = {.args = args,
                     .n = n,
                     .builder = napcoll_neighbor_builder(args),
                     .alltoall = NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == args->collective->goal,
                     .headed = napcoll_plan_args_headed(args),
                     .rank = args->rank,
                     .leaving_slot = no_slots(n->leaving.edges),
                     .coming_slot = no_slots(n->coming.edges)};

    if (NULL == c.builder) {
        free(c.leaving_slot);
        free(c.coming_slot);
        return NULL;
    }
    if (NULL == c.leaving_slot || NULL == c.coming_slot) {
        napcoll_builder_fail(c.builder);
    } else {
        exchange_inside(&c, c.alltoall ? add_gathered : add_gathered_once);
        exchange_links(&c);
        exchange_inside(&c, add_spread);
        (void) napcoll_builder_temp(c.builder, 0, c.slots);
    }
    free(c.leaving_slot);
    free(c.coming_slot);
    return napcoll_builder_finish(c.builder);
}
