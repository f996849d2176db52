/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The node map, from node ids to tables (see the header).
 */

#include "topo/napcoll_node_map.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_order.h"
#include "util/napcoll_mix.h"

typedef struct {
    int id;
    int rank;
} member_t;

static int by_id_then_rank(const void *a, const void *b)
{
    const member_t *x = a, *y = b;

    return napcoll_order_pairs(x->id, x->rank, y->id, y->rank);
}

/* Number the nodes by their lowest rank: node_of and the number of nodes. */
static int number_nodes(const int *node_id, int size, int *node_of)
{
    member_t *members = malloc((size_t) size * sizeof(*members));
    int nodes = 0;

    if (NULL == members) {
        return -1;
    }
    for (int r = 0; r < size; r++) {
        members[r] = (member_t){.id = node_id[r], .rank = r};
    }
    qsort(members, (size_t) size, sizeof(*members), by_id_then_rank);
    /* first, every rank points to the lowest rank on its node */
    for (int i = 0, lowest = 0; i < size; i++) {
        if (0 == i || members[i].id != members[i - 1].id) {
            lowest = members[i].rank;
        }
        node_of[members[i].rank] = lowest;
    }
    free(members);
    /* the lowest rank of a node comes first, so one pass turns pointers into numbers */
    for (int r = 0; r < size; r++) {
        node_of[r] = r == node_of[r] ? nodes++ : node_of[node_of[r]];
    }
    return nodes;
}

/* Fill the tables that follow from node_of; needs map->size and map->nodes. */
static void fill_tables(napcoll_node_map_t *map)
{
    memset(map->first, 0, ((size_t) map->nodes + 1) * sizeof(int));
    for (int r = 0; r < map->size; r++) {
        map->lane_of[r] = map->first[map->node_of[r] + 1]++;
    }
    map->min_ppn = INT_MAX;
    map->max_ppn = 0;
    for (int m = 0; m < map->nodes; m++) {
        int ppn = map->first[m + 1];
        map->min_ppn = ppn < map->min_ppn ? ppn : map->min_ppn;
        map->max_ppn = ppn > map->max_ppn ? ppn : map->max_ppn;
        map->first[m + 1] += map->first[m];
    }
    map->contiguous = true;
    for (int r = 0; r < map->size; r++) {
        int slot = map->first[map->node_of[r]] + map->lane_of[r];
        map->ranks[slot] = r;
        map->contiguous = map->contiguous && slot == r;
    }
}

static void drop_tables(napcoll_node_map_t *map)
{
    free(map->node_of);
    free(map->lane_of);
    free(map->first);
    free(map->ranks);
    map->node_of = map->lane_of = map->first = map->ranks = NULL;
}

static void drop_network(napcoll_node_map_t *map)
{
    free(map->spot);
    free(map->network_order);
    free(map->network_place);
    free(map->network_first);
    map->tree = NULL;
    map->spot = map->network_order = map->network_place = map->network_first = NULL;
}

int napcoll_node_map_create(const int *node_id, int size, napcoll_node_map_t **result)
{
    napcoll_node_map_t *map = calloc(1, sizeof(*map));

    *result = NULL;
    if (NULL == map) {
        return -1;
    }
    map->size = size;
    map->users = 1;
    map->local_node = -1;
    map->node_of = malloc((size_t) size * sizeof(int));
    map->lane_of = malloc((size_t) size * sizeof(int));
    map->ranks = malloc((size_t) size * sizeof(int));
    if (NULL == map->node_of || NULL == map->lane_of || NULL == map->ranks) {
        goto error;
    }
    map->nodes = number_nodes(node_id, size, map->node_of);
    if (map->nodes < 0) {
        goto error;
    }
    map->first = malloc(((size_t) map->nodes + 1) * sizeof(int));
    if (NULL == map->first) {
        goto error;
    }
    fill_tables(map);
    if (map->contiguous && map->min_ppn == map->max_ppn) {
        drop_tables(map);
    }
    *result = map;
    return 0;

error:
    napcoll_node_map_free(map);
    return -1;
}

void napcoll_node_map_free(napcoll_node_map_t *map)
{
    if (NULL != map) {
        drop_tables(map);
        drop_network(map);
        free(map->local_order);
        free(map);
    }
}

static uint64_t hash_in(uint64_t hash, int number)
{
    return napcoll_mix(hash + (uint64_t) number);
}

uint64_t napcoll_node_map_fingerprint(const napcoll_node_map_t *map)
{
    uint64_t hash = hash_in(hash_in(0, map->size), map->nodes);

    for (int rank = 0; rank < map->size && NULL != map->node_of; rank++) {
        hash = hash_in(hash, map->node_of[rank]);
    }
    hash = hash_in(hash, NULL != map->tree);
    for (int node = 0; node < map->nodes && NULL != map->spot; node++) {
        hash = hash_in(hash, map->spot[node]);
    }
    return hash;
}

int napcoll_node_map_set_network(napcoll_node_map_t *map, const napcoll_switch_tree_t *tree,
                                 const int *spot)
{
    const size_t nodes = (size_t) map->nodes;
    member_t *members;

    drop_network(map);
    if (NULL == spot) {
        return 0;
    }
    members = malloc(nodes * sizeof(*members));
    map->spot = malloc(nodes * sizeof(int));
    map->network_order = malloc(nodes * sizeof(int));
    map->network_place = malloc(nodes * sizeof(int));
    map->network_first = malloc((nodes + 1) * sizeof(int));
    if (NULL == members || NULL == map->spot || NULL == map->network_order
        || NULL == map->network_place || NULL == map->network_first) {
        free(members);
        drop_network(map);
        return -1;
    }
    for (int node = 0; node < map->nodes; node++) {
        members[node] = (member_t){.id = spot[node], .rank = node};
        map->spot[node] = spot[node];
    }
    qsort(members, nodes, sizeof(*members), by_id_then_rank);
    map->network_first[0] = 0;
    for (int place = 0; place < map->nodes; place++) {
        const int node = members[place].rank;

        map->network_order[place] = node;
        map->network_place[node] = place;
        map->network_first[place + 1] = map->network_first[place] + napcoll_node_map_ppn(map, node);
    }
    map->tree = tree;
    free(members);
    return 0;
}

typedef struct {
    /* not on the leader's socket, socket, NUMA domain, core, hardware thread */
    long key[5];
    int lane;
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    int order = 0;

    for (int k = 0; k < 5 && 0 == order; k++) {
        order = napcoll_order(x->key[k], y->key[k]);
    }
    return 0 != order ? order : napcoll_order(x->lane, y->lane);
}

/* The index behind a two-letter level in a locality string; 0 where the level is absent. */
static long locality_index(const char *locality, const char *level)
{
    for (const char *field = locality; NULL != field && '\0' != *field;) {
        if (0 == strncmp(field, level, 2)) {
            return strtol(field + 2, NULL, 10);
        }
        field = strchr(field, ':');
        field = NULL == field ? NULL : field + 1;
    }
    return 0;
}

int napcoll_node_map_set_locality(napcoll_node_map_t *map, int node, const char *const *locality)
{
    static const char *const level[] = {"SK", "NM", "CR", "HT"};
    int ppn = napcoll_node_map_ppn(map, node);
    place_t *places = NULL;
    int *order = NULL;

    for (int lane = 0; lane < ppn; lane++) {
        if (NULL == locality[lane]) {
            return 0;
        }
    }
    places = malloc((size_t) ppn * sizeof(*places));
    order = malloc((size_t) ppn * sizeof(*order));
    if (NULL == places || NULL == order) {
        free(places);
        free(order);
        return -1;
    }
    for (int lane = 0; lane < ppn; lane++) {
        places[lane].lane = lane;
        for (int k = 0; k < 4; k++) {
            places[lane].key[k + 1] = locality_index(locality[lane], level[k]);
        }
        places[lane].key[0] = places[lane].key[1] != places[0].key[1];
    }
    /* the leader is first, whatever its core */
    places[0].key[0] = -1;
    qsort(places, (size_t) ppn, sizeof(*places), by_place);
    for (int i = 0; i < ppn; i++) {
        order[i] = places[i].lane;
    }
    free(places);
    free(map->local_order);
    map->local_order = order;
    map->local_node = node;
    return 0;
}

/* Read the numbers "a,b,c". Returns how many, or -1 with *where at the offending character. */
static int parse_list(const char *text, int *numbers, int room, size_t *where)
{
    const char *at = text;
    int count = 0;

    for (;;) {
        char *end;
        long value = (*at >= '0' && *at <= '9') ? strtol(at, &end, 10) : 0;
        if (value < 1 || value > INT_MAX || count == room) {
            *where = (size_t) (at - text);
            return -1;
        }
        numbers[count++] = (int) value;
        if ('\0' == *end) {
            return count;
        }
        if (',' != *end) {
            *where = (size_t) (end - text);
            return -1;
        }
        at = end + 1;
    }
}

/* xorshift64*: the same shuffle on every rank and every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static void shuffle(uint64_t state, int size, int *node_id)
{
    for (int r = size - 1; r > 0; r--) {
        const int other = (int) (next_random(&state) % ((uint64_t) r + 1)), swap = node_id[r];

        node_id[r] = node_id[other];
        node_id[other] = swap;
    }
}

static void place_cyclic(const int *ppn, int listed, int size, int nodes, int *node_id)
{
    int placed = 0;
    for (int round = 0; placed < size; round++) {
        for (int m = 0; m < nodes && placed < size; m++) {
            if (round < ppn[m % listed]) {
                node_id[placed++] = m;
            }
        }
    }
}

int napcoll_placement_parse(const char *ppn_list, const char *order, int size, int *node_id,
                            size_t *where)
{
    const size_t room = strlen(ppn_list) / 2 + 1;
    int *ppn = malloc(room * sizeof(*ppn));
    char *end = NULL;
    int listed, nodes = 0, rc = 0;

    *where = 0;
    if (NULL == ppn) {
        return -1;
    }
    listed = parse_list(ppn_list, ppn, (int) room, where);
    if (listed < 0) {
        free(ppn);
        return 1;
    }
    for (int r = 0; r < size; nodes++) {
        for (int lane = 0; lane < ppn[nodes % listed] && r < size; lane++) {
            node_id[r++] = nodes;
        }
    }
    if (0 == strcmp(order, "cyclic")) {
        place_cyclic(ppn, listed, size, nodes, node_id);
    } else if (0 == strncmp(order, "random:", 7) && order[7] >= '0' && order[7] <= '9') {
        const uint64_t seed = strtoull(order + 7, &end, 10);

        if ('\0' == *end) {
            shuffle(seed * 2 + 1, size, node_id);
        } else {
            *where = (size_t) (end - order);
            rc = 2;
        }
    } else if (0 != strcmp(order, "block")) {
        rc = 2;
    }
    free(ppn);
    return rc;
}
