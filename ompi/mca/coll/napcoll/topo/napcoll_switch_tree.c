/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Makes the switch tree of the names in a topology file, and writes it (see the headers).
 */

#include "topo/napcoll_switch_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/napcoll_switch_file.h"
#include "util/napcoll_order.h"

/* Switches, nodes and entries of Switches= lists are numbered in the file's order. */
typedef struct {
    napcoll_switch_file_t *file;
    napcoll_switch_tree_t *tree;
    /* of all that follows */
    int *memory;
    /* [switches] in the order of their names */
    int *switch_by_name;
    /* [nodes] likewise */
    int *node_by_name;
    /* [entries] the switch that an entry names */
    int *child;
    /* [switches] the entry that names a switch, or -1 */
    int *entry_of;
    /* [switches + 1] the first node of a switch's line */
    int *first_node;
    /* [switches + 1] likewise its first entry */
    int *first_entry;
    /* [switches] place in the tree, or -1 */
    int *place;
    /* [nodes] place in the tree */
    int *node_place;
} builder_t;

/* ---- names ---- */

typedef struct {
    const char *name;
    int index;
} sorted_t;

static int by_name_then_index(const void *a, const void *b)
{
    const sorted_t *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return 0 != order ? order : napcoll_order(x->index, y->index);
}

/* Sort names into `order`, and find the first one, in the file's order, that another one has before
 * it. Returns its index, and the other's in *before; -1: there is none; -2: memory ran out. */
static int sort_names(const napcoll_switch_names_t *names, int *order, int *before)
{
    sorted_t *sorted = malloc((size_t) names->count * sizeof(*sorted) + 1);
    int repeated = -1;

    if (NULL == sorted) {
        return -2;
    }
    for (int i = 0; i < names->count; i++) {
        sorted[i] = (sorted_t){.name = names->at[i].name, .index = i};
    }
    qsort(sorted, (size_t) names->count, sizeof(*sorted), by_name_then_index);
    for (int i = 0; i < names->count; i++) {
        order[i] = sorted[i].index;
        if (i > 0 && 0 == strcmp(sorted[i].name, sorted[i - 1].name)
            && (repeated < 0 || order[i] < repeated)) {
            repeated = order[i];
            *before = order[i - 1];
        }
    }
    free(sorted);
    return repeated;
}

static int line_of(const builder_t *builder, const napcoll_switch_name_t *name)
{
    return napcoll_switch_file_line(builder->file, name->at);
}

/* The name of the switch on whose line a name stands. */
static napcoll_switch_shown_t switch_of(const builder_t *builder, const napcoll_switch_name_t *name)
{
    return napcoll_switch_show(builder->file->switches.at[name->line].name);
}

/* Sort switches and nodes; each name may be used once. */
static int check_names(builder_t *builder)
{
    const napcoll_switch_names_t *switches = &builder->file->switches;
    const napcoll_switch_names_t *nodes = &builder->file->nodes;
    int before = 0, repeated = sort_names(switches, builder->switch_by_name, &before);

    if (repeated >= 0) {
        return napcoll_switch_refuse(builder->file, switches->at[repeated].at,
                                     "switch '%s': described before, in line %d; make one line of "
                                     "the two, or correct the name",
                                     napcoll_switch_show(switches->at[repeated].name).text,
                                     line_of(builder, &switches->at[before]));
    }
    if (-1 == repeated) {
        repeated = sort_names(nodes, builder->node_by_name, &before);
    }
    if (repeated >= 0) {
        return napcoll_switch_refuse(builder->file, nodes->at[repeated].at,
                                     "node '%s': named before, in line %d, on switch '%s'; a node "
                                     "has one switch, which names it once; remove one of the two",
                                     napcoll_switch_show(nodes->at[repeated].name).text,
                                     line_of(builder, &nodes->at[before]),
                                     switch_of(builder, &nodes->at[before]).text);
    }
    return -1 == repeated ? 0 : napcoll_switch_no_memory(builder->file);
}

static int find_switch(const builder_t *builder, const char *name)
{
    const napcoll_switch_names_t *switches = &builder->file->switches;
    int low = 0, high = switches->count;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(switches->at[builder->switch_by_name[middle]].name, name);

        if (0 == order) {
            return builder->switch_by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

/* Find the switch that an entry of a Switches= list names. It must have no other entry. */
static int link_entry(builder_t *builder, int entry)
{
    const napcoll_switch_name_t *name = &builder->file->below.at[entry];
    const napcoll_switch_shown_t shown = napcoll_switch_show(name->name);
    const int child = find_switch(builder, name->name);

    if (child < 0) {
        return napcoll_switch_refuse(builder->file, name->at,
                                     "switch '%s': no line describes it; add a line SwitchName=%s, "
                                     "or correct the name",
                                     shown.text, shown.text);
    }
    if (builder->entry_of[child] >= 0) {
        const napcoll_switch_name_t *other = &builder->file->below.at[builder->entry_of[child]];

        return napcoll_switch_refuse(builder->file, name->at,
                                     "switch '%s': below switch '%s' already, by line %d; a switch "
                                     "is below one other, which names it once; remove one of the "
                                     "two",
                                     shown.text, switch_of(builder, other).text,
                                     line_of(builder, other));
    }
    builder->child[entry] = child;
    builder->entry_of[child] = entry;
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

/* ---- the tree ---- */

/* Put a switch and all below it into the tree, depth first. */
static int place_switch(builder_t *builder, int s, int parent)
{
    napcoll_switch_file_t *file = builder->file;
    napcoll_switch_tree_t *tree = builder->tree;
    const int place = tree->switches++;
    napcoll_switch_t *at = &tree->at[place];

    *at = (napcoll_switch_t){.name = file->switches.at[s].name,
                             .parent = parent,
                             .depth = parent < 0 ? 0 : tree->at[parent].depth + 1,
                             .first = tree->nodes};
    file->switches.at[s].name = NULL;
    builder->place[s] = place;
    for (int i = builder->first_node[s]; i < builder->first_node[s + 1]; i++) {
        builder->node_place[i] = tree->nodes;
        tree->switch_of[tree->nodes] = place;
        tree->node[tree->nodes++] = file->nodes.at[i].name;
        file->nodes.at[i].name = NULL;
    }
    at->nodes = tree->nodes - at->first;
    for (int i = builder->first_entry[s]; i < builder->first_entry[s + 1]; i++) {
        if (NAPCOLL_MOST_SWITCH_DEPTH == at->depth + 1) {
            return napcoll_switch_refuse(
                file, file->below.at[i].at,
                "switch '%s': the tree is too deep here; expected at most %d switches above one "
                "another; leave some out",
                napcoll_switch_show(file->below.at[i].name).text, NAPCOLL_MOST_SWITCH_DEPTH);
        }
        if (0 != place_switch(builder, builder->child[i], place)) {
            return -1;
        }
    }
    at->end = tree->nodes;
    return 0;
}

static int above(const builder_t *builder, int s)
{
    return builder->file->below.at[builder->entry_of[s]].line;
}

/* No root leads to some switch: name the first switch of a circle. */
static int refuse_circle(builder_t *builder)
{
    const napcoll_switch_name_t *name;
    int s = 0, first;

    while (builder->place[s] >= 0) {
        s++;
    }
    /* it may be below the circle, not part of it */
    for (int i = 0; i < builder->file->switches.count; i++) {
        s = above(builder, s);
    }
    first = s;
    for (int other = above(builder, s); other != s; other = above(builder, other)) {
        first = other < first ? other : first;
    }
    name = &builder->file->below.at[builder->entry_of[first]];
    return napcoll_switch_refuse(builder->file, name->at,
                                 "switch '%s': below itself, by way of switch '%s'; expected a "
                                 "tree; take one of that circle out of a Switches= list",
                                 napcoll_switch_show(name->name).text,
                                 switch_of(builder, name).text);
}

/* Several switches without a parent get one that has no name. */
static int place_roots(builder_t *builder)
{
    const int switches = builder->file->switches.count;
    napcoll_switch_tree_t *tree = builder->tree;
    int roots = 0, parent = -1;

    for (int s = 0; s < switches; s++) {
        roots += builder->entry_of[s] < 0;
    }
    if (roots > 1) {
        tree->at[0] = (napcoll_switch_t){.name = calloc(1, 1), .parent = -1};
        if (NULL == tree->at[0].name) {
            return napcoll_switch_no_memory(builder->file);
        }
        parent = 0;
        tree->switches = 1;
    }
    for (int s = 0; s < switches; s++) {
        if (builder->entry_of[s] < 0 && 0 != place_switch(builder, s, parent)) {
            return -1;
        }
    }
    if (tree->switches < switches + (roots > 1)) {
        return refuse_circle(builder);
    }
    tree->at[0].end = tree->nodes;
    for (int i = 0; i < tree->nodes; i++) {
        tree->by_name[i] = builder->node_place[builder->node_by_name[i]];
    }
    return 0;
}

/* The next array of `count` numbers. */
static int *carve(int **memory, size_t count)
{
    int *array = *memory;

    *memory += count;
    return array;
}

static bool allocate(builder_t *builder)
{
    const size_t switches = (size_t) builder->file->switches.count;
    const size_t nodes = (size_t) builder->file->nodes.count;
    const size_t entries = (size_t) builder->file->below.count;
    napcoll_switch_tree_t *tree = calloc(1, sizeof(*tree));
    int *memory = malloc((5 * (switches + 1) + 2 * nodes + entries) * sizeof(*memory));

    builder->tree = tree;
    builder->memory = memory;
    if (NULL == tree || NULL == memory) {
        return false;
    }
    builder->switch_by_name = carve(&memory, switches);
    builder->entry_of = carve(&memory, switches);
    builder->place = carve(&memory, switches);
    builder->first_node = carve(&memory, switches + 1);
    builder->first_entry = carve(&memory, switches + 1);
    builder->node_by_name = carve(&memory, nodes);
    builder->node_place = carve(&memory, nodes);
    builder->child = carve(&memory, entries);
    tree->at = calloc(switches + 1, sizeof(*tree->at));
    tree->node = calloc(nodes + 1, sizeof(*tree->node));
    tree->switch_of = calloc(nodes + 1, sizeof(*tree->switch_of));
    tree->by_name = calloc(nodes + 1, sizeof(*tree->by_name));
    return NULL != tree->at && NULL != tree->node && NULL != tree->switch_of
           && NULL != tree->by_name;
}

static int make_tree(builder_t *builder)
{
    const napcoll_switch_file_t *file = builder->file;

    if (!allocate(builder)) {
        return napcoll_switch_no_memory(builder->file);
    }
    if (0 != check_names(builder)) {
        return -1;
    }
    for (int s = 0; s < file->switches.count; s++) {
        builder->entry_of[s] = builder->place[s] = -1;
    }
    for (int i = 0; i < file->below.count; i++) {
        if (0 != link_entry(builder, i)) {
            return -1;
        }
    }
    count_names(&file->nodes, file->switches.count, builder->first_node);
    count_names(&file->below, file->switches.count, builder->first_entry);
    return place_roots(builder);
}

int napcoll_switch_tree_parse(const char *text, size_t length, napcoll_switch_tree_t **tree,
                              napcoll_switch_error_t *error)
{
    napcoll_switch_file_t file = {.text = text, .length = length, .error = error};
    builder_t builder = {.file = &file};
    int rc = napcoll_switch_file_read(&file);

    if (0 == rc) {
        rc = make_tree(&builder);
    }
    if (0 != rc) {
        napcoll_switch_tree_free(builder.tree);
        builder.tree = NULL;
    }
    free(builder.memory);
    napcoll_switch_file_free(&file);
    *tree = builder.tree;
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
        return napcoll_switch_no_memory(&file);
    }
    /* one byte more, so that napcoll_switch_tree_parse sees that a file is too long */
    length = fread(text, 1, NAPCOLL_MOST_SWITCH_BYTES + 1, in);
    rc = 0 != ferror(in) ? napcoll_switch_refuse(&file, NAPCOLL_SWITCH_WHOLE_FILE, "cannot be read")
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

/* ---- writing ---- */

/* Bytes of a line from which it goes on behind a backslash. */
enum { LONG_LINE = NAPCOLL_MOST_SWITCH_LINE / 2 };

/* Put one name behind its keyword or a comma. *bytes counts the line's bytes. */
static void put_name(FILE *out, int *bytes, const char *before, const char *name)
{
    *bytes += fprintf(out, "%s", before);
    if (*bytes >= LONG_LINE) {
        *bytes = fprintf(out, "\\\n") - 2;
    }
    *bytes += fprintf(out, "%s", name);
}

static void put_switch(FILE *out, const napcoll_switch_tree_t *tree, int s)
{
    const napcoll_switch_t *at = &tree->at[s];
    const char *before = " Nodes=";
    int bytes = 0;

    put_name(out, &bytes, "SwitchName=", at->name);
    for (int i = at->first; i < at->first + at->nodes; i++, before = ",") {
        put_name(out, &bytes, before, tree->node[i]);
    }
    before = " Switches=";
    /* the switches below one follow it */
    for (int below = s + 1; below < tree->switches && tree->at[below].depth > at->depth; below++) {
        if (s == tree->at[below].parent) {
            put_name(out, &bytes, before, tree->at[below].name);
            before = ",";
        }
    }
    (void) fputc('\n', out);
}

char *napcoll_switch_tree_text(const napcoll_switch_tree_t *tree)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    bool good;

    if (NULL == out) {
        return NULL;
    }
    for (int s = 0; s < tree->switches; s++) {
        if ('\0' != tree->at[s].name[0]) {
            put_switch(out, tree, s);
        }
    }
    good = 0 == ferror(out);
    if (0 != fclose(out) || !good) {
        free(text);
        text = NULL;
    }
    return text;
}
