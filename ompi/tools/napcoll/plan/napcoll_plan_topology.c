/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The placements and networks of napcoll-plan: which ranks are on which node, and to which
 * switches the nodes are connected.
 *
 * The i-th node of a placement is the i-th of --hosts or, without it, the i-th of all by name, as
 * schedulers list them: numbers in names count as numbers, n9 comes before n10.
 */

#define _GNU_SOURCE

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"

/* ---- the network ---- */

static napcoll_switch_tree_t *read_tree(const char *path)
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(path, NAPCOLL_MOST_SWITCH_BYTES, &why);
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *tree;

    if (NULL == in) {
        complain("--topology %s: %s", path, why.text);
    }
    if (0 != napcoll_switch_tree_read(in, &tree, &error)) {
        fprintf(stderr, "napcoll-plan: %s:", path);
        if (error.line > 0) {
            fprintf(stderr, "%d:", error.line);
        }
        if (error.column > 0) {
            fprintf(stderr, "%d:", error.column);
        }
        fprintf(stderr, " %s\n", error.text);
        exit(EXIT_USAGE);
    }
    (void) fclose(in);
    return tree;
}

/* A node of the tree, to be sorted. */
typedef struct {
    const char *name;
    int spot;
} host_t;

static int by_name(const void *a, const void *b)
{
    return strverscmp(((const host_t *) a)->name, ((const host_t *) b)->name);
}

static void take_all(options_t *o)
{
    const size_t nodes = (size_t) o->tree->nodes;
    host_t *host = napcoll_allocate(nodes, sizeof(*host));

    o->spots = o->tree->nodes;
    o->spot = napcoll_allocate(nodes, sizeof(*o->spot));
    for (int i = 0; i < o->spots; i++) {
        host[i] = (host_t){.name = o->tree->node[i], .spot = i};
    }
    qsort(host, nodes, sizeof(*host), by_name);
    for (int i = 0; i < o->spots; i++) {
        o->spot[i] = host[i].spot;
    }
    free(host);
}

/* Parse the hosts of a list as the nodes of a switch, so that lists mean the same here and in
 * files. */
static napcoll_switch_tree_t *parse_hosts(const char *list)
{
    static const char before[] = "SwitchName=--hosts Nodes=";
    const size_t good = strcspn(list, " \t\r\n\v\f#\\=");
    const int offset = (int) strlen(before);
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *hosts;
    char *text;

    if ('\0' != list[good]) {
        complain("--hosts %s: character %zu: expected names with commas between, and ranges in "
                 "brackets, as in n[0-3,8]",
                 list, good + 1);
    }
    if (asprintf(&text, "%s%s", before, list) < 0) {
        napcoll_out_of_memory();
    }
    if (0 != napcoll_switch_tree_parse(text, strlen(text), &hosts, &error)) {
        if (error.column > offset) {
            complain("--hosts %s: character %d: %s", list, error.column - offset, error.text);
        }
        complain("--hosts %s: %s", list, error.text);
    }
    free(text);
    return hosts;
}

static void take_hosts(options_t *o)
{
    napcoll_switch_tree_t *hosts = parse_hosts(o->hosts);
    bool *taken = napcoll_allocate((size_t) o->tree->nodes, sizeof(*taken));

    o->spots = hosts->nodes;
    o->spot = napcoll_allocate((size_t) hosts->nodes, sizeof(*o->spot));
    for (int i = 0; i < hosts->nodes; i++) {
        const int spot = napcoll_switch_tree_find(o->tree, hosts->node[i]);

        if (spot < 0) {
            complain("--hosts %s: %s has no node '%s'", o->hosts, o->topology, hosts->node[i]);
        }
        if (taken[spot]) {
            complain("--hosts %s: node '%s' twice", o->hosts, o->tree->node[spot]);
        }
        taken[spot] = true;
        o->spot[i] = spot;
    }
    free(taken);
    napcoll_switch_tree_free(hosts);
}

void read_network(options_t *o)
{
    if (NULL == o->topology && NULL != o->hosts) {
        complain("--hosts %s: expected --topology as well, whose nodes they are", o->hosts);
    }
    if (NULL != o->topology) {
        o->tree = read_tree(o->topology);
        (NULL == o->hosts ? take_all : take_hosts)(o);
    }
}

void free_network(options_t *o)
{
    free(o->spot);
    napcoll_switch_tree_free(o->tree);
}

void require_hosts(const options_t *o, int nodes)
{
    if (NULL == o->tree || nodes <= o->spots) {
        return;
    }
    if (NULL == o->hosts) {
        complain("--topology %s: has %d node%s, the placement has %d; expected as many or more",
                 o->topology, o->spots, plural(o->spots), nodes);
    }
    complain("--hosts %s: has %d node%s, the placement has %d; expected as many or more", o->hosts,
             o->spots, plural(o->spots), nodes);
}

/* ---- names ---- */

const char *name_of_node(const napcoll_node_map_t *map, int node, char text[NODE_NUMBER])
{
    if (NULL != map->tree) {
        return map->tree->node[map->spot[node]];
    }
    (void) snprintf(text, NODE_NUMBER, "node %d", node);
    return text;
}

const char *name_of_switch(const napcoll_node_map_t *map, int at)
{
    if (NULL == map->tree) {
        return "switch";
    }
    return '\0' == *map->tree->at[at].name ? "(root)" : map->tree->at[at].name;
}

/* ---- placements ---- */

int count_ranks(const char *list, int nodes)
{
    const char *at = list;
    long long sum = 0;

    for (int node = 0; 0 == nodes || node < nodes; node++) {
        size_t ppn;

        if (!napcoll_take_number(&at, SIZE_MAX, &ppn) || ppn < 1) {
            /* napcoll_placement_parse finds the mistake */
            return 1;
        }
        sum += ppn > MOST_RANKS ? MOST_RANKS + 1 : (long long) ppn;
        if (sum > MOST_RANKS) {
            return MOST_RANKS + 1;
        }
        if (',' != *at && 0 == nodes) {
            break;
        }
        at = ',' == *at ? at + 1 : list;
    }
    return (int) sum;
}

const char *const orders[] = {"block", "cyclic", "random:SEED", NULL};

__attribute__((noreturn)) static void refuse_order(const char *order)
{
    const napcoll_names_t names = {.at = napcoll_name_in_array, .context = orders};
    char expected[NAPCOLL_MESSAGE];

    napcoll_name_expected(expected, sizeof(expected), &names, order, strlen(order));
    complain("--map %s: %s", order, expected);
}

/* Find the neighbourhoods of all ranks of the graph. */
static void find_neighborhoods(options_t *o, const napcoll_node_map_t *map)
{
    napcoll_edge_lists_t lists;
    const napcoll_graph_t graph = {
        .map = map, .neighbors_of = napcoll_edge_lists_neighbors, .context = &lists};
    char message[NAPCOLL_MESSAGE];

    if (map->size > MOST_SIMULATED) {
        complain("--nodes and --ppn, or --ranks: %d ranks: expected at most %d with a graph",
                 map->size, MOST_SIMULATED);
    }
    if (!napcoll_graph_make(&o->graph, map->size, &lists, message)) {
        complain("--graph %s", message);
    }
    if (0 != napcoll_neighborhoods_open(&graph, &o->neighborhoods)) {
        napcoll_out_of_memory();
    }
    napcoll_edge_lists_free(&lists);
}

const char *name_graph(const options_t *o, char words[GRAPH_WORDS])
{
    size_t length;

    words[0] = '\0';
    if (!napcoll_goal_is_neighbor(o->collective->goal)) {
        return words;
    }
    (void) snprintf(words, GRAPH_WORDS, " --graph %.200s", napcoll_graph_name(&o->graph));
    length = strlen(words);
    if (o->graph.degree > 0) {
        (void) snprintf(words + length, GRAPH_WORDS - length, " --degree %d", o->graph.degree);
        length = strlen(words);
    }
    if (o->graph.seed > 0) {
        (void) snprintf(words + length, GRAPH_WORDS - length, " --seed %d", o->graph.seed);
    }
    for (char *at = words; '\0' != *at; at++) { /* the path of a file */
        *at = '\n' == *at || '\r' == *at ? '?' : *at;
    }
    return words;
}

napcoll_node_map_t *make_map(options_t *o)
{
    napcoll_node_map_t *map = NULL;
    size_t where = 0;
    int *id, rc;

    o->ranks = o->ranks > 0 ? o->ranks : count_ranks(o->ppn, o->nodes);
    if (o->ranks > MOST_RANKS) {
        complain("--nodes and --ppn: expected at most %d ranks in all", MOST_RANKS);
    }
    id = napcoll_allocate((size_t) o->ranks, sizeof(*id));
    if (NULL != o->set && o->set->placed) {
        for (int rank = 0; rank < o->ranks; rank++) {
            id[rank] = napcoll_node_map_node(o->set->map, rank);
        }
        rc = 0;
    } else {
        rc = napcoll_placement_parse(o->ppn, o->order, o->ranks, id, &where);
    }
    if (1 == rc) {
        complain("--ppn %s: character %zu: expected numbers like 3,2,1", o->ppn, where + 1);
    }
    if (2 == rc) {
        refuse_order(o->order);
    }
    if (0 != rc || 0 != napcoll_node_map_create(id, o->ranks, &map)) {
        napcoll_out_of_memory();
    }
    free(id);
    require_hosts(o, map->nodes);
    if (0 != napcoll_node_map_set_network(map, o->tree, o->spot)) {
        napcoll_out_of_memory();
    }
    if (o->rank >= o->ranks) {
        complain("--rank %d: there are %d ranks", o->rank, o->ranks);
    }
    require_root(o, o->ranks);
    if (napcoll_goal_is_neighbor(o->collective->goal)) {
        find_neighborhoods(o, map);
    }
    return map;
}

void free_map(options_t *o, napcoll_node_map_t *map)
{
    napcoll_neighborhoods_free(&o->neighborhoods);
    napcoll_node_map_free(map);
}

napcoll_node_map_t *make_map_up_to(options_t *o, int most)
{
    napcoll_node_map_t *map = make_map(o);

    if (map->size > most) {
        complain("--nodes and --ppn, or --ranks: %d ranks: expected from 1 to %d", map->size, most);
    }
    require_eligible(o, map);
    return map;
}
