/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switch tree, from the lines of a file (see the headers).
 */

#include "topo/napcoll_switch_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/napcoll_switch_file.h"
#include "util/napcoll_order.h"

/* Lines of a written file go on behind a backslash from so many bytes. */
enum { LONG_LINE = NAPCOLL_MOST_SWITCH_LINE / 2 };

/* What a file's names mean. Switches, nodes and lists by their places in the file. */
typedef struct {
    napcoll_switch_file_t *file;
    napcoll_switch_tree_t *tree;
    int *by_name;     /* [switches] in the order of their names */
    int *meant;       /* [below] switch that an entry of a Switches= list names */
    int *named_by;    /* [switches] the entry that names it, or -1 */
    int *first_node;  /* [switches + 1] of its line, among all nodes */
    int *first_below; /* [switches + 1] likewise */
    int *place;       /* [switches] its place in the tree, or -1 */
} maker_t;

/* ---- names ---- */

typedef struct {
    const char *name;
    int index;
} entry_t;

static int by_name_then_index(const void *a, const void *b)
{
    const entry_t *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return 0 != order ? order : napcoll_order(x->index, y->index);
}

/* The order of names; those that are the same stand in their own order. NULL where memory ran out. */
static int *sort_names(const napcoll_switch_names_t *names)
{
    entry_t *entries = malloc((size_t) names->count * sizeof(*entries) + 1);
    int *order = malloc((size_t) names->count * sizeof(*order) + 1);

    if (NULL == entries || NULL == order) {
        free(entries);
        free(order);
        return NULL;
    }
    for (int i = 0; i < names->count; i++) {
        entries[i] = (entry_t){.name = names->at[i].name, .index = i};
    }
    qsort(entries, (size_t) names->count, sizeof(*entries), by_name_then_index);
    for (int i = 0; i < names->count; i++) {
        order[i] = entries[i].index;
    }
    free(entries);
    return order;
}

/* The first name, in the file's order, that is there before, at *before. Returns -1 where there is none. */
static int find_repeated(const napcoll_switch_names_t *names, const int *order, int *before)
{
    int found = -1;

    for (int i = 1; i < names->count; i++) {
        if (0 == strcmp(names->at[order[i]].name, names->at[order[i - 1]].name)
            && (found < 0 || order[i] < found)) {
            found = order[i];
            *before = order[i - 1];
        }
    }
    return found;
}

static int find_switch(const maker_t *maker, const char *name)
{
    const napcoll_switch_names_t *switches = &maker->file->switches;
    int low = 0, high = switches->count;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(switches->at[maker->by_name[middle]].name, name);

        if (0 == order) {
            return maker->by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

/* ---- what the lines mean together ---- */

static int out_of_memory(maker_t *maker)
{
    return napcoll_switch_file_refuse_all(maker->file, "out of memory");
}

static int check_switches(maker_t *maker)
{
    const napcoll_switch_names_t *switches = &maker->file->switches;
    int repeated, before = 0;

    maker->by_name = sort_names(switches);
    if (NULL == maker->by_name) {
        return out_of_memory(maker);
    }
    repeated = find_repeated(switches, maker->by_name, &before);
    if (repeated < 0) {
        return 0;
    }
    return napcoll_switch_file_refuse(
        maker->file, switches->at[repeated].at,
        "switch '%s': described before, in line %d; make one line of the two, or correct the name",
        napcoll_switch_show(switches->at[repeated].name).text,
        napcoll_switch_file_line(maker->file, switches->at[before].at));
}

static int check_nodes(maker_t *maker)
{
    const napcoll_switch_file_t *file = maker->file;
    const napcoll_switch_names_t *nodes = &file->nodes;
    int *order = sort_names(nodes);
    int repeated, before = 0;

    if (NULL == order) {
        return out_of_memory(maker);
    }
    repeated = find_repeated(nodes, order, &before);
    free(order);
    if (repeated < 0) {
        return 0;
    }
    return napcoll_switch_file_refuse(
        maker->file, nodes->at[repeated].at,
        "node '%s': named before, in line %d, on switch '%s'; a node has one switch, which "
        "names it once; remove one of the two",
        napcoll_switch_show(nodes->at[repeated].name).text,
        napcoll_switch_file_line(file, nodes->at[before].at),
        napcoll_switch_show(file->switches.at[nodes->at[before].line].name).text);
}

/* Find the switch that an entry of a Switches= list names, which has no other entry. */
static int join(maker_t *maker, int entry)
{
    const napcoll_switch_file_t *file = maker->file;
    const napcoll_switch_name_t *name = &file->below.at[entry];
    const napcoll_switch_shown_t shown = napcoll_switch_show(name->name);
    const int child = find_switch(maker, name->name);
    int before;

    if (child < 0) {
        return napcoll_switch_file_refuse(maker->file, name->at,
                                          "switch '%s': no line describes it; add a line "
                                          "SwitchName=%s, or correct the name",
                                          shown.text, shown.text);
    }
    before = maker->named_by[child];
    if (before >= 0) {
        return napcoll_switch_file_refuse(
            maker->file, name->at,
            "switch '%s': below switch '%s' already, by line %d; a switch is below one "
            "other, which names it once; remove one of the two",
            shown.text,
            napcoll_switch_show(file->switches.at[file->below.at[before].line].name).text,
            napcoll_switch_file_line(file, file->below.at[before].at));
    }
    maker->meant[entry] = child;
    maker->named_by[child] = entry;
    return 0;
}

static int join_all(maker_t *maker)
{
    for (int s = 0; s < maker->file->switches.count; s++) {
        maker->named_by[s] = -1;
        maker->place[s] = -1;
    }
    for (int i = 0; i < maker->file->below.count; i++) {
        if (0 != join(maker, i)) {
            return -1;
        }
    }
    return 0;
}

/* Where the names of each line begin. */
static void count_names(const napcoll_switch_names_t *names, int lines, int *first)
{
    memset(first, 0, ((size_t) lines + 1) * sizeof(*first));
    for (int i = 0; i < names->count; i++) {
        first[names->at[i].line + 1]++;
    }
    for (int s = 0; s < lines; s++) {
        first[s + 1] += first[s];
    }
}

/* ---- making the tree ---- */

/* Give a switch its place, and its nodes theirs. */
static int place_switch(maker_t *maker, int s, int parent)
{
    napcoll_switch_file_t *file = maker->file;
    napcoll_switch_tree_t *tree = maker->tree;
    napcoll_switch_t *at = &tree->at[tree->switches];

    at->name = file->switches.at[s].name;
    file->switches.at[s].name = NULL;
    at->parent = parent;
    at->depth = parent < 0 ? 0 : tree->at[parent].depth + 1;
    at->first = tree->nodes;
    for (int i = maker->first_node[s]; i < maker->first_node[s + 1]; i++) {
        tree->node[tree->nodes] = file->nodes.at[i].name;
        file->nodes.at[i].name = NULL;
        tree->switch_of[tree->nodes++] = tree->switches;
    }
    at->nodes = tree->nodes - at->first;
    maker->place[s] = tree->switches;
    return tree->switches++;
}

/* Give a switch and all below it their places, depth first. */
static int place_all(maker_t *maker, int top, int parent)
{
    napcoll_switch_tree_t *tree = maker->tree;
    int way[NAPCOLL_MOST_SWITCH_DEPTH], next[NAPCOLL_MOST_SWITCH_DEPTH];
    int depth = 0;

    way[0] = top;
    next[0] = maker->first_below[top];
    (void) place_switch(maker, top, parent);
    while (depth >= 0) {
        napcoll_switch_t *at = &tree->at[maker->place[way[depth]]];
        int entry, child;

        if (next[depth] == maker->first_below[way[depth] + 1]) {
            at->end = tree->nodes;
            depth--;
            continue;
        }
        entry = next[depth]++;
        child = maker->meant[entry];
        if (NAPCOLL_MOST_SWITCH_DEPTH == at->depth + 1) {
            return napcoll_switch_file_refuse(
                maker->file, maker->file->below.at[entry].at,
                "switch '%s': the tree is too deep here; expected at most %d switches on a way "
                "down; leave some out",
                napcoll_switch_show(maker->file->switches.at[child].name).text,
                NAPCOLL_MOST_SWITCH_DEPTH);
        }
        depth++;
        way[depth] = child;
        next[depth] = maker->first_below[child];
        (void) place_switch(maker, child, maker->place[way[depth - 1]]);
    }
    return 0;
}

static int above(const maker_t *maker, int s)
{
    return maker->file->below.at[maker->named_by[s]].line;
}

/* Name a switch that no way down leads to: the first of a circle. */
static int refuse_circle(maker_t *maker)
{
    const napcoll_switch_file_t *file = maker->file;
    const napcoll_switch_name_t *name;
    int s = 0, first;

    while (maker->place[s] >= 0) {
        s++;
    }
    /* it may be below the circle only */
    for (int i = 0; i < file->switches.count; i++) {
        s = above(maker, s);
    }
    first = s;
    for (int other = above(maker, s); other != s; other = above(maker, other)) {
        first = other < first ? other : first;
    }
    name = &file->below.at[maker->named_by[first]];
    return napcoll_switch_file_refuse(
        maker->file, name->at,
        "switch '%s': below itself, by way of switch '%s'; expected a tree; take one of that "
        "circle out of a Switches= list",
        napcoll_switch_show(name->name).text,
        napcoll_switch_show(file->switches.at[name->line].name).text);
}

static int place_roots(maker_t *maker)
{
    const int switches = maker->file->switches.count;
    napcoll_switch_tree_t *tree = maker->tree;
    int roots = 0, parent = -1;

    for (int s = 0; s < switches; s++) {
        roots += maker->named_by[s] < 0;
    }
    if (roots > 1) {
        tree->at[0] = (napcoll_switch_t){.name = calloc(1, 1), .parent = -1};
        if (NULL == tree->at[0].name) {
            return out_of_memory(maker);
        }
        parent = 0;
        tree->switches = 1;
    }
    for (int s = 0; s < switches; s++) {
        if (maker->named_by[s] < 0 && 0 != place_all(maker, s, parent)) {
            return -1;
        }
    }
    if (tree->switches < switches + (roots > 1)) {
        return refuse_circle(maker);
    }
    tree->at[0].end = tree->nodes;
    return 0;
}

static int index_nodes(maker_t *maker)
{
    napcoll_switch_tree_t *tree = maker->tree;
    napcoll_switch_names_t names = {.count = tree->nodes};

    names.at = calloc((size_t) tree->nodes, sizeof(*names.at));
    for (int i = 0; NULL != names.at && i < tree->nodes; i++) {
        names.at[i].name = tree->node[i];
    }
    tree->by_name = NULL == names.at ? NULL : sort_names(&names);
    free(names.at);
    return NULL == tree->by_name ? out_of_memory(maker) : 0;
}

static napcoll_switch_tree_t *new_tree(int switches, int nodes)
{
    napcoll_switch_tree_t *tree = calloc(1, sizeof(*tree));

    if (NULL == tree) {
        return NULL;
    }
    tree->at = calloc((size_t) switches, sizeof(*tree->at));
    tree->node = calloc((size_t) nodes, sizeof(*tree->node));
    tree->switch_of = calloc((size_t) nodes, sizeof(*tree->switch_of));
    if (NULL == tree->at || NULL == tree->node || NULL == tree->switch_of) {
        napcoll_switch_tree_free(tree);
        return NULL;
    }
    return tree;
}

static int make_tree(maker_t *maker)
{
    const napcoll_switch_file_t *file = maker->file;
    const size_t switches = (size_t) file->switches.count;

    if (0 != check_switches(maker) || 0 != check_nodes(maker)) {
        return -1;
    }
    maker->meant = malloc((size_t) file->below.count * sizeof(int) + 1);
    maker->named_by = malloc(switches * sizeof(int));
    maker->place = malloc(switches * sizeof(int));
    maker->first_node = malloc((switches + 1) * sizeof(int));
    maker->first_below = malloc((switches + 1) * sizeof(int));
    if (NULL == maker->meant || NULL == maker->named_by || NULL == maker->place
        || NULL == maker->first_node || NULL == maker->first_below) {
        return out_of_memory(maker);
    }
    if (0 != join_all(maker)) {
        return -1;
    }
    count_names(&file->nodes, file->switches.count, maker->first_node);
    count_names(&file->below, file->switches.count, maker->first_below);
    maker->tree = new_tree(file->switches.count + 1, file->nodes.count + 1);
    if (NULL == maker->tree) {
        return out_of_memory(maker);
    }
    return 0 == place_roots(maker) ? index_nodes(maker) : -1;
}

static void drop_maker(maker_t *maker)
{
    free(maker->by_name);
    free(maker->meant);
    free(maker->named_by);
    free(maker->place);
    free(maker->first_node);
    free(maker->first_below);
}

int napcoll_switch_tree_parse(const char *text, size_t length, napcoll_switch_tree_t **tree,
                              napcoll_switch_error_t *error)
{
    napcoll_switch_file_t file = {.text = text, .length = length, .error = error};
    maker_t maker = {.file = &file};
    int rc = napcoll_switch_file_read(&file);

    if (0 == rc) {
        rc = make_tree(&maker);
    }
    if (0 != rc) {
        napcoll_switch_tree_free(maker.tree);
        maker.tree = NULL;
    }
    drop_maker(&maker);
    napcoll_switch_file_drop(&file);
    *tree = maker.tree;
    return rc;
}

int napcoll_switch_tree_read(FILE *in, napcoll_switch_tree_t **tree, napcoll_switch_error_t *error)
{
    napcoll_switch_file_t file = {.error = error};
    char *text = malloc(NAPCOLL_MOST_SWITCH_BYTES + 1);
    size_t length;
    int rc;

    *tree = NULL;
    if (NULL == text) {
        return napcoll_switch_file_refuse_all(&file, "out of memory");
    }
    /* one more, so that parse sees what is too long */
    length = fread(text, 1, NAPCOLL_MOST_SWITCH_BYTES + 1, in);
    rc = 0 != ferror(in) ? napcoll_switch_file_refuse_all(&file, "cannot be read")
                         : napcoll_switch_tree_parse(text, length, tree, error);
    free(text);
    return rc;
}

void napcoll_switch_tree_free(napcoll_switch_tree_t *tree)
{
    if (NULL == tree) {
        return;
    }
    for (int s = 0; s < tree->switches; s++) {
        free(tree->at[s].name);
    }
    for (int i = 0; i < tree->nodes; i++) {
        free(tree->node[i]);
    }
    free(tree->at);
    free(tree->node);
    free(tree->switch_of);
    free(tree->by_name);
    free(tree);
}

/* ---- asking ---- */

static int find_node(const napcoll_switch_tree_t *tree, const char *name, size_t length)
{
    int low = 0, high = tree->nodes;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        const char *node = tree->node[tree->by_name[middle]];
        int order = strncmp(node, name, length);

        if (0 == order && '\0' == node[length]) {
            return tree->by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

int napcoll_switch_tree_find(const napcoll_switch_tree_t *tree, const char *name)
{
    const size_t length = strlen(name), host = strcspn(name, ".");
    const int node = find_node(tree, name, length);

    return node >= 0 || host == length ? node : find_node(tree, name, host);
}

int napcoll_switch_tree_meet(const napcoll_switch_tree_t *tree, int node, int other)
{
    int a = tree->switch_of[node], b = tree->switch_of[other];

    while (a != b) {
        if (tree->at[a].depth >= tree->at[b].depth) {
            a = tree->at[a].parent;
        } else {
            b = tree->at[b].parent;
        }
    }
    return a;
}

/* ---- writing ---- */

typedef struct {
    char *text;
    size_t at;
    size_t begin; /* of the line */
} writer_t;

static void put(writer_t *out, const char *text)
{
    const size_t length = strlen(text);

    memcpy(out->text + out->at, text, length);
    out->at += length;
}

/* One more name of a list, behind its keyword or a comma. */
static void put_name(writer_t *out, const char *before, const char *name)
{
    put(out, before);
    if (out->at - out->begin >= LONG_LINE) {
        put(out, "\\\n");
        out->begin = out->at;
    }
    put(out, name);
}

/* Bytes enough for all lines. */
static size_t text_bound(const napcoll_switch_tree_t *tree)
{
    size_t bytes = 1;

    for (int s = 0; s < tree->switches; s++) {
        bytes += strlen("SwitchName= Nodes= Switches=\n") + 2 * (strlen(tree->at[s].name) + 1);
    }
    for (int i = 0; i < tree->nodes; i++) {
        bytes += strlen(tree->node[i]) + 1;
    }
    return bytes + bytes / LONG_LINE * strlen("\\\n");
}

/* head[s] is the first switch below s, next[s] the one beside it; 0 where there is none. */
static void put_lines(const napcoll_switch_tree_t *tree, const int *head, const int *next,
                      writer_t *out)
{
    for (int s = 0; s < tree->switches; s++) {
        const napcoll_switch_t *at = &tree->at[s];

        if ('\0' == at->name[0]) {
            continue;
        }
        out->begin = out->at;
        put_name(out, "SwitchName=", at->name);
        for (int i = 0; i < at->nodes; i++) {
            put_name(out, 0 == i ? " Nodes=" : ",", tree->node[at->first + i]);
        }
        for (int child = head[s]; 0 != child; child = next[child]) {
            put_name(out, head[s] == child ? " Switches=" : ",", tree->at[child].name);
        }
        put(out, "\n");
    }
    out->text[out->at] = '\0';
}

char *napcoll_switch_tree_text(const napcoll_switch_tree_t *tree)
{
    writer_t out = {.text = malloc(text_bound(tree))};
    int *head = calloc((size_t) tree->switches, sizeof(*head));
    int *next = calloc((size_t) tree->switches, sizeof(*next));

    if (NULL != out.text && NULL != head && NULL != next) {
        for (int s = tree->switches - 1; s > 0; s--) {
            next[s] = head[tree->at[s].parent];
            head[tree->at[s].parent] = s;
        }
        put_lines(tree, head, next, &out);
    } else {
        free(out.text);
        out.text = NULL;
    }
    free(head);
    free(next);
    return out.text;
}
