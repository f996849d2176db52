/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * All-to-all through leaders. Node n has q_n processes, in k_n = min(L, q_n) groups of successive
 * lanes; group a begins at lane floor(a q_n / k_n), whose process is its leader. A block from lane
 * s of node n for lane m of node g, in group a there, takes three messages:
 *
 *     1   lane s of n            -> leader a mod k_n of n    all blocks that this leader carries
 *     2   leader a mod k_n of n  -> leader a of g            the blocks of n for the group
 *     3   leader a of g          -> lane m of g              the blocks of all nodes for the lane
 *
 *     q = 4, L = 2   lanes  0 1 | 2 3     leaders 0 and 2
 *     from lane 1 of node 0 to lane 3 of node 1:   (0, 1) -> (0, 2) -> (1, 2) -> (1, 3)
 *
 * With L = q a process leads itself alone, and these are the messages of tuna_coalesced with radix
 * q; with L = 1 one process of each node talks to other nodes. In between, a node has L (N - 1)
 * messages of q^2 / L blocks, and a leader stores q^2 / L blocks for each node. Blocks for the own
 * node take the first and the third message.
 *
 *     cost    1   L messages of P/L blocks from each process, q - 1 to a leader
 *             2   N - 1 messages of q^2/L blocks from each leader
 *             3   q/L - 1 messages of P blocks from each leader
 *     slots   at a leader, with R blocks that it carries from each lane of its node
 *             (q_n - 1) R, and (group - 1)(P - q_n) that have come
 *
 * S. Kinkead, J. Wesley, W. Schonbein, D. DeBonis, M. Dosanjh, A. Bienz: "Scaling All-to-all
 * Operations Across Emerging Many-Core Supercomputers", 2025. There a leader gathers from its own
 * group and another exchange among the leaders of a node follows; here the first message already
 * goes to the leader for the receiver.
 */

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_tuna_nodes.h"

typedef struct {
    const napcoll_plan_args_t *args;
    napcoll_builder_t *builder;
    int leaders;
    int place;
    int node;
    int lane;
    /** Processes of this node, and its leaders. */
    int ppn;
    int groups;
    /** The own group, its first lane and its lanes. */
    int group;
    int first;
    int members;
    /** Blocks that this leader carries from each lane. */
    int rows;
    bool headed;
} leading_t;

/* ---- groups ---- */

static int groups_of(int ppn, int leaders)
{
    return napcoll_min(ppn, leaders);
}

static int group_first(int ppn, int groups, int group)
{
    return (int) ((int64_t) group * ppn / groups);
}

static int group_size(int ppn, int groups, int group)
{
    return group_first(ppn, groups, group + 1) - group_first(ppn, groups, group);
}

static int group_of(int ppn, int groups, int lane)
{
    return (int) (((int64_t) (lane + 1) * groups - 1) / ppn);
}

static int leaders_of(const napcoll_params_t *params)
{
    return params->tunable[0] > 0 ? params->tunable[0] : 1;
}

/* The blocks from each lane that leader `leader` of `groups` carries for a node of ppn lanes. */
static int rows_for(int ppn, int leaders, int groups, int leader)
{
    const int there = groups_of(ppn, leaders);
    int rows = 0;

    for (int group = leader; group < there; group += groups) {
        rows += group_size(ppn, there, group);
    }
    return rows;
}

/* The same for all nodes. */
static int rows_for_all(const napcoll_node_map_t *map, int leaders, int groups, int leader)
{
    int rows = 0;

    if (map->min_ppn == map->max_ppn) {
        return map->nodes * rows_for(map->max_ppn, leaders, groups, leader);
    }
    for (int node = 0; node < map->nodes; node++) {
        rows += rows_for(napcoll_node_map_ppn(map, node), leaders, groups, leader);
    }
    return rows;
}

/* At least the rows of the leader with the most, of a node with this number of groups. */
static int most_rows(const napcoll_node_map_t *map, int leaders, int groups)
{
    int rows = 0;

    for (int node = 0; node < map->nodes; node++) {
        const int ppn = napcoll_node_map_ppn(map, node), there = groups_of(ppn, leaders);

        rows += (there + groups - 1) / groups * ((ppn + there - 1) / there);
    }
    return rows;
}

static leading_t begin(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    leading_t own = {.args = args,
                     .builder = napcoll_alltoall_builder(args),
                     .leaders = leaders_of(&args->params),
                     .place = napcoll_node_map_place(map, args->rank),
                     .node = napcoll_node_map_node(map, args->rank),
                     .lane = napcoll_node_map_lane(map, args->rank),
                     .headed = napcoll_plan_args_headed(args)};

    own.ppn = napcoll_node_map_ppn(map, own.node);
    own.groups = groups_of(own.ppn, own.leaders);
    own.group = group_of(own.ppn, own.groups, own.lane);
    own.first = group_first(own.ppn, own.groups, own.group);
    own.members = group_size(own.ppn, own.groups, own.group);
    /* the own block of the leader is not stored */
    own.rows = rows_for_all(map, own.leaders, own.groups, own.group) - 1;
    return own;
}

static bool is_leader(const leading_t *own)
{
    return own->lane == own->first;
}

/* The node `distance` after the own one. */
static int node_at(const leading_t *own, int distance)
{
    const int nodes = own->args->map->nodes;

    return (own->node + nodes + distance) % nodes;
}

/* ---- blocks ---- */

/* The block of the send buffer for a lane of a node. */
static napcoll_span_t sent(const leading_t *own, int node, int lane)
{
    const napcoll_node_map_t *map = own->args->map;
    const int place = napcoll_node_map_first(map, node) + lane;

    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_SEND,
                            .first = (own->place + map->size - place) % map->size,
                            .count = 1};
}

/* Blocks of the receive buffer from lanes [lane, lane + count) of a node. */
static napcoll_span_t received(const leading_t *own, int node, int lane, int count)
{
    const napcoll_node_map_t *map = own->args->map;
    const int place = napcoll_node_map_first(map, node) + lane;

    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV,
                            .first = (place + map->size - own->place) % map->size,
                            .count = count};
}

/* What this leader carries from another lane of its node: rows [row, row + count). */
static napcoll_span_t carried(const leading_t *own, int lane, int row, int count)
{
    const int from = lane > own->lane ? lane - 1 : lane;

    return (napcoll_span_t){
        .buffer = NAPCOLL_BUFFER_TEMP, .first = from * own->rows + row, .count = count};
}

/* What has come to this leader for another member, from the node `distance` after this one. */
static napcoll_span_t arrived(const leading_t *own, int lane, int distance)
{
    const napcoll_node_map_t *map = own->args->map;
    const int node = node_at(own, distance), others = map->size - own->ppn;
    const int before = napcoll_node_map_first(map, node)
                       - napcoll_node_map_first(map, own->node + 1);

    return (napcoll_span_t){.buffer = NAPCOLL_BUFFER_TEMP,
                            .first = (own->ppn - 1) * own->rows + (lane - own->first - 1) * others
                                     + (node > own->node ? before : before + map->size),
                            .count = napcoll_node_map_ppn(map, node)};
}

/* ---- messages ---- */

static void send_list(const leading_t *own, napcoll_span_t list, int node, int lane)
{
    list = napcoll_builder_list_end(own->builder, list);
    napcoll_builder_send_blocks(own->builder, list,
                                napcoll_node_map_rank(own->args->map, node, lane), own->headed);
}

static void recv_list(const leading_t *own, napcoll_span_t list, int node, int lane)
{
    list = napcoll_builder_list_end(own->builder, list);
    napcoll_builder_recv_blocks(own->builder, list,
                                napcoll_node_map_rank(own->args->map, node, lane), own->headed);
}

/* Add what a leader carries for a node from this process, the last lane first: in this order blocks
 * of the send buffer follow each other. */
static void add_rows(const leading_t *own, napcoll_span_t *list, int node, int leader)
{
    const int ppn = napcoll_node_map_ppn(own->args->map, node);
    const int groups = groups_of(ppn, own->leaders);

    for (int group = groups - 1; group >= 0; group--) {
        if (group % own->groups != leader) {
            continue;
        }
        for (int i = group_size(ppn, groups, group) - 1; i >= 0; i--) {
            const int lane = group_first(ppn, groups, group) + i;

            if (node != own->node || lane != own->lane) {
                napcoll_builder_list_add(own->builder, list, sent(own, node, lane));
            }
        }
    }
}

/* The first message: to every leader of the node. */
static void send_to_leaders(const leading_t *own)
{
    const napcoll_node_map_t *map = own->args->map;

    for (int leader = 0; leader < own->groups; leader++) {
        napcoll_span_t list = napcoll_builder_list(own->builder);

        if (is_leader(own) && leader == own->group) {
            continue;
        }
        if (napcoll_builder_is_sketch(own->builder)) {
            list.count = rows_for_all(map, own->leaders, own->groups, leader)
                         - (leader == own->group);
        }
        for (int k = 0; k < map->nodes && !napcoll_builder_is_sketch(own->builder); k++) {
            add_rows(own, &list, node_at(own, -k), leader);
        }
        send_list(own, list, own->node, group_first(own->ppn, own->groups, leader));
    }
}

/* Of these a leader keeps the rows. The block for itself is the last of the own node; a member has
 * none for itself. */
static void recv_from_lanes(const leading_t *own)
{
    const int before = own->members - 1;

    for (int lane = 0; lane < own->ppn && is_leader(own); lane++) {
        const bool is_member = lane > own->first && lane < own->first + own->members;
        const int skipped = is_member ? own->first + before - lane : before;
        napcoll_span_t list = napcoll_builder_list(own->builder);

        if (lane == own->lane) {
            continue;
        }
        napcoll_builder_list_add(own->builder, &list, carried(own, lane, 0, skipped));
        if (is_member) {
            napcoll_builder_list_add(own->builder, &list,
                                     carried(own, lane, skipped + 1, before - skipped - 1));
        }
        napcoll_builder_list_add(own->builder, &list, received(own, own->node, lane, 1));
        napcoll_builder_list_add(own->builder, &list,
                                 carried(own, lane, before, own->rows - before));
        recv_list(own, list, own->node, lane);
    }
}

/* The second message, to the leader of a group of the node `distance` before this one, whose last
 * lane has row `row`. */
static void send_to_group(const leading_t *own, int distance, int group, int row)
{
    const int node = node_at(own, -distance), ppn = napcoll_node_map_ppn(own->args->map, node);
    const int groups = groups_of(ppn, own->leaders), first = group_first(ppn, groups, group);
    const int members = group_size(ppn, groups, group);
    napcoll_span_t list = napcoll_builder_list(own->builder);

    if (napcoll_builder_is_sketch(own->builder)) {
        list.count = members * own->ppn;
    }
    for (int i = 0; i < members && !napcoll_builder_is_sketch(own->builder); i++) {
        for (int lane = 0; lane < own->ppn; lane++) {
            napcoll_builder_list_add(own->builder, &list,
                                     lane == own->lane
                                         ? sent(own, node, first + i)
                                         : carried(own, lane, row + members - 1 - i, 1));
        }
    }
    send_list(own, list, node, first);
}

/* All second messages to the node `distance` before this one, with rows from `row` on. Returns the
 * row behind them. */
static int send_to_node(const leading_t *own, int distance, int row)
{
    const int ppn = napcoll_node_map_ppn(own->args->map, node_at(own, -distance));
    const int groups = groups_of(ppn, own->leaders);

    for (int group = groups - 1; group >= 0; group--) {
        if (group % own->groups == own->group) {
            send_to_group(own, distance, group, row);
            row += group_size(ppn, groups, group);
        }
    }
    return row;
}

static void recv_from_node(const leading_t *own, int distance)
{
    const int node = node_at(own, distance), ppn = napcoll_node_map_ppn(own->args->map, node);
    const int groups = groups_of(ppn, own->leaders);
    napcoll_span_t list = napcoll_builder_list(own->builder);

    napcoll_builder_list_add(own->builder, &list, received(own, node, 0, ppn));
    for (int lane = own->first + 1; lane < own->first + own->members; lane++) {
        napcoll_builder_list_add(own->builder, &list, arrived(own, lane, distance));
    }
    recv_list(own, list, node, group_first(ppn, groups, own->group % groups));
}

static int at_once_of(const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    return napcoll_tuna_nodes_at_once(params, map->nodes - 1);
}

/* The messages between nodes. */
static void exchange_groups(const leading_t *own)
{
    const napcoll_plan_args_t *args = own->args;
    const int nodes = args->map->nodes;
    const int at_once = napcoll_sketch_at_once(args->rough, at_once_of(args->map, &args->params));
    const int stages = nodes > 1 && is_leader(own) ? (nodes - 2) / at_once + 1 : 0;
    int row = own->members - 1;

    for (napcoll_sketch_t at = napcoll_sketch_first(args->shortened, stages, 1); at.stage < stages;
         napcoll_sketch_next(&at)) {
        const int first = 1 + at.stage * at_once;

        for (int k = first; k < first + at_once && k < nodes; k++) {
            recv_from_node(own, k);
            row = send_to_node(own, k, row);
        }
        napcoll_builder_repeat(own->builder, at.times);
        napcoll_builder_next_stage(own->builder);
    }
}

/* The third message, of the blocks from all lanes of all nodes for a member. */
static void send_to_member(const leading_t *own, int member)
{
    const int row = own->first + own->members - 1 - member;
    napcoll_span_t list = napcoll_builder_list(own->builder);

    for (int lane = 0; lane < own->ppn; lane++) {
        if (lane != member) {
            napcoll_builder_list_add(own->builder, &list,
                                     lane == own->lane ? sent(own, own->node, member)
                                                       : carried(own, lane, row, 1));
        }
    }
    if (own->args->map->nodes > 1) {
        napcoll_span_t others = arrived(own, member, 1);

        others.count = own->args->map->size - own->ppn;
        napcoll_builder_list_add(own->builder, &list, others);
    }
    send_list(own, list, own->node, member);
}

static void recv_from_leader(const leading_t *own)
{
    const int others = own->args->map->size - own->ppn, after = own->ppn - 1 - own->lane;
    napcoll_span_t list = napcoll_builder_list(own->builder);

    napcoll_builder_list_add(own->builder, &list, received(own, own->node, 0, own->lane));
    napcoll_builder_list_add(
        own->builder, &list,
        (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .first = 1, .count = after});
    napcoll_builder_list_add(
        own->builder, &list,
        (napcoll_span_t){.buffer = NAPCOLL_BUFFER_RECV, .first = 1 + after, .count = others});
    recv_list(own, list, own->node, own->first);
}

napcoll_plan_t *napcoll_alltoall_multi_leader(const napcoll_plan_args_t *args)
{
    const leading_t own = begin(args);
    const int slots = (own.ppn - 1) * own.rows + (own.members - 1) * (args->map->size - own.ppn);

    if (NULL == own.builder) {
        return NULL;
    }
    if (is_leader(&own) && slots > 0) {
        (void) napcoll_builder_temp(own.builder, 0, slots);
    }
    recv_from_lanes(&own);
    send_to_leaders(&own);
    napcoll_builder_next_stage(own.builder);
    exchange_groups(&own);
    for (int lane = own.first + 1; lane < own.first + own.members && is_leader(&own); lane++) {
        send_to_member(&own, lane);
    }
    if (!is_leader(&own)) {
        recv_from_leader(&own);
    }
    return napcoll_builder_finish(own.builder);
}

napcoll_bounds_t napcoll_alltoall_multi_leader_bounds(const napcoll_node_map_t *map,
                                                      const napcoll_params_t *params)
{
    const int leaders = leaders_of(params);
    const int most = groups_of(map->max_ppn, leaders), least = groups_of(map->min_ppn, leaders);
    const int sends = (most + least - 1) / least;

    return napcoll_bounds_either(sends * at_once_of(map, params), map->max_ppn - 1);
}

int napcoll_alltoall_multi_leader_slots(const napcoll_plan_args_t *args)
{
    const napcoll_node_map_t *map = args->map;
    const int leaders = leaders_of(&args->params);
    const int end = groups_of(map->max_ppn, leaders);
    int most = 0;

    /* nodes with fewer groups than `leaders` have one for each process */
    for (int groups = groups_of(map->min_ppn, leaders); groups <= end; groups++) {
        const int ppn = groups < leaders ? groups : map->max_ppn;
        const int others = map->size - napcoll_max(groups, map->min_ppn);
        const int rows = most_rows(map, leaders, groups) - 1;

        most = napcoll_max(most, (ppn - 1) * rows + ((ppn + groups - 1) / groups - 1) * others);
    }
    return most;
}
