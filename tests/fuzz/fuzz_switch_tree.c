/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Fuzz target for switch trees: no input crashes the reader, an error says where and what in plain
 * letters, a tree is one, and what is accepted reads back the same from its written form.
 * driver.c and `make -C build/tests/fuzz fuzz` run it.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"

#include "topo/napcoll_switch_tree.h"

static void demand_error(const napcoll_switch_error_t *error)
{
    demand_text(error->line, error->column, error->text, sizeof(error->text) - 1);
}

static void demand_tree(const napcoll_switch_tree_t *tree)
{
    demand(tree->switches >= 1 && tree->nodes >= 1 && tree->nodes <= NAPCOLL_MOST_SWITCH_NODES);
    demand(0 == tree->at[0].first && tree->at[0].end == tree->nodes && tree->at[0].parent < 0);
    for (int s = 1; s < tree->switches; s++) {
        const napcoll_switch_t *at = &tree->at[s];

        demand(at->parent >= 0 && at->parent < s);
        demand(at->depth == tree->at[at->parent].depth + 1);
        demand(at->depth < NAPCOLL_MOST_SWITCH_DEPTH && at->first + at->nodes <= at->end);
        demand(tree->at[at->parent].first <= at->first && at->end <= tree->at[at->parent].end);
        demand(at->first < at->end && '\0' != at->name[0]);
    }
    for (int i = 0; i < tree->nodes; i++) {
        const napcoll_switch_t *at = &tree->at[tree->switch_of[i]];

        demand(at->first <= i && i < at->first + at->nodes);
        demand(i == napcoll_switch_tree_find(tree, tree->node[i]));
    }
}

static void demand_same(const napcoll_switch_tree_t *a, const napcoll_switch_tree_t *b)
{
    demand(a->switches == b->switches && a->nodes == b->nodes);
    for (int s = 0; s < a->switches; s++) {
        demand(0 == strcmp(a->at[s].name, b->at[s].name) && a->at[s].parent == b->at[s].parent);
        demand(a->at[s].first == b->at[s].first && a->at[s].nodes == b->at[s].nodes);
        demand(a->at[s].end == b->at[s].end);
    }
    for (int i = 0; i < a->nodes; i++) {
        demand(0 == strcmp(a->node[i], b->node[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    napcoll_switch_error_t error = {.line = -1, .column = -1};
    napcoll_switch_tree_t *tree, *again;
    char *text;

    if (0 != napcoll_switch_tree_parse((const char *) data, size, &tree, &error)) {
        demand(NULL == tree);
        demand_error(&error);
        return 0;
    }
    demand_tree(tree);
    text = napcoll_switch_tree_text(tree);
    demand(NULL != text && strlen(text) <= NAPCOLL_MOST_SWITCH_BYTES);
    demand(0 == napcoll_switch_tree_parse(text, strlen(text), &again, &error));
    demand_same(tree, again);
    free(text);
    napcoll_switch_tree_free(tree);
    napcoll_switch_tree_free(again);
    return 0;
}
