/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The placements and networks of napcoll-plan: which ranks are on which node, and which switches the nodes
 * hang on.
 *
 * The i-th node of a placement is the i-th that --hosts names or, without it, the i-th of all by name, as
 * schedulers list them: numbers in names count as numbers, so that n9 stands before n10.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "util/napcoll_file.h"

static const char digits[] = "0123456789";

/* ---- the network ---- */

__attribute__((noreturn)) static void refuse_file(const char *path,
                                                  const napcoll_switch_error_t *error)
{
    if (0 == error->line && 0 == strcmp(error->text, "out of memory")) {
        out_of_memory();
    }
    fprintf(stderr, "napcoll-plan: %s:", path);
    if (error->line > 0) {
        fprintf(stderr, "%d:", error->line);
    }
    if (error->column > 0) {
        fprintf(stderr, "%d:", error->column);
    }
    fprintf(stderr, " %s\n", error->text);
    exit(EXIT_USAGE);
}

static napcoll_switch_tree_t *read_tree(const char *path)
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(path, NAPCOLL_MOST_SWITCH_BYTES, &why);
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *tree;
    int rc;

    if (NULL == in) {
        complain("--topology %s: %s", path, why.text);
    }
    rc = napcoll_switch_tree_read(in, &tree, &error);
    (void) fclose(in);
    if (0 != rc) {
        refuse_file(path, &error);
    }
    return tree;
}

/* A node of the tree, to be sorted. */
typedef struct {
    const char *name;
    int spot;
} host_t;

/* Names byte by byte, but the numbers in them as numbers. */
static int compare_names(const char *a, const char *b)
{
    while ('\0' != *a && '\0' != *b) {
        const size_t zeros = strspn(a, "0"), others = strspn(b, "0");
        const size_t length = strspn(a + zeros, digits), other = strspn(b + others, digits);

        if (zeros + length > 0 && others + other > 0) {
            const int order = length != other ? (length < other ? -1 : 1)
                                              : strncmp(a + zeros, b + others, length);

            if (0 != order) {
                return order;
            }
            a += zeros + length;
            b += others + other;
        } else if (*a != *b) {
            return *a < *b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return ('\0' != *a) - ('\0' != *b);
}

static int by_name(const void *a, const void *b)
{
    const host_t *x = a, *y = b;
    const int order = compare_names(x->name, y->name);

    return 0 != order ? order : strcmp(x->name, y->name); /* n1 and n01 */
}

static void take_all(options_t *o)
{
    const int nodes = o->tree->nodes;
    host_t *host = malloc((size_t) nodes * sizeof(*host));

    o->spot = malloc((size_t) nodes * sizeof(*o->spot));
    if (NULL == host || NULL == o->spot) {
        out_of_memory();
    }
    for (int i = 0; i < nodes; i++) {
        host[i] = (host_t){.name = o->tree->node[i], .spot = i};
    }
    qsort(host, (size_t) nodes, sizeof(*host), by_name);
    for (int i = 0; i < nodes; i++) {
        o->spot[i] = host[i].spot;
    }
    o->spots = nodes;
    free(host);
}

/* The hosts of a list, as those of a switch: so that lists mean the same here and in files. */
static napcoll_switch_tree_t *parse_hosts(const char *list)
{
    static const char before[] = "SwitchName=--hosts Nodes=";
    const size_t length = strlen(list), good = strcspn(list, " \t\r\n\v\f#\\=");
    char *text = malloc(sizeof(before) + length);
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *hosts;
    int rc;

    if (good < length) {
        complain("--hosts %s: character %zu: expected names with commas between, and ranges in "
                 "brackets, as in n[0-3,8]",
                 list, good + 1);
    }
    if (NULL == text) {
        out_of_memory();
    }
    memcpy(text, before, sizeof(before) - 1);
    memcpy(text + sizeof(before) - 1, list, length + 1);
    rc = napcoll_switch_tree_parse(text, sizeof(before) - 1 + length, &hosts, &error);
    free(text);
    if (0 != rc && error.column >= (int) sizeof(before)) {
        complain("--hosts %s: character %d: %s", list, error.column - (int) sizeof(before) + 1,
                 error.text);
    }
    if (0 != rc) {
        complain("--hosts %s: %s", list, error.text);
    }
    return hosts;
}

static void take_hosts(options_t *o)
{
    napcoll_switch_tree_t *hosts = parse_hosts(o->hosts);
    bool *taken = calloc((size_t) o->tree->nodes, sizeof(*taken));

    o->spot = malloc((size_t) hosts->nodes * sizeof(*o->spot));
    if (NULL == taken || NULL == o->spot) {
        out_of_memory();
    }
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
    o->spots = hosts->nodes;
    free(taken);
    napcoll_switch_tree_free(hosts);
}

void read_network(options_t *o)
{
    if (NULL == o->topology) {
        if (NULL != o->hosts) {
            complain("--hosts %s: expected --topology as well, whose nodes they are", o->hosts);
        }
        return;
    }
    o->tree = read_tree(o->topology);
    if (NULL == o->hosts) {
        take_all(o);
    } else {
        take_hosts(o);
    }
}

void free_network(options_t *o)
{
    free(o->spot);
    napcoll_switch_tree_free(o->tree);
    o->spot = NULL;
    o->tree = NULL;
}

void require_hosts(const options_t *o, int nodes)
{
    if (NULL != o->tree && nodes > o->spots) {
        complain("--%s %s: has %d node%s, of which the placement takes %d; expected as many or "
                 "more",
                 NULL == o->hosts ? "topology" : "hosts", NULL == o->hosts ? o->topology : o->hosts,
                 o->spots, 1 == o->spots ? "" : "s", nodes);
    }
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
    long long sum = 0;
    int node = 0;

    for (const char *at = list; 0 == nodes || node < nodes;) {
        char *end;
        long ppn = strtol(at, &end, 10);

        if (end == at || ppn < 1 || (sum += ppn) > MOST_RANKS) {
            /* of the former napcoll_placement_parse complains, of the latter our callers */
            return end == at || ppn < 1 ? 1 : MOST_RANKS + 1;
        }
        node++;
        if (',' != *end && 0 == nodes) {
            break;
        }
        at = ',' == *end ? end + 1 : list;
    }
    return (int) sum;
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
    id = malloc((size_t) o->ranks * sizeof(*id));
    rc = NULL == id ? -1 : napcoll_placement_parse(o->ppn, o->order, o->ranks, id, &where);
    if (1 == rc) {
        complain("--ppn %s: character %zu: expected numbers like 3,2,1", o->ppn, where + 1);
    }
    if (2 == rc) {
        complain("--map %s: character %zu: expected block, cyclic or random:SEED", o->order,
                 where + 1);
    }
    if (0 != rc || 0 != napcoll_node_map_create(id, o->ranks, &map)) {
        out_of_memory();
    }
    free(id);
    require_hosts(o, map->nodes);
    if (0 != napcoll_node_map_set_network(map, o->tree, o->spot)) {
        out_of_memory();
    }
    if (o->rank >= o->ranks) {
        complain("--rank %d: there are %d ranks", o->rank, o->ranks);
    }
    require_root(o, o->ranks);
    return map;
}
