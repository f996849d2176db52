/* Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause */
/* The links of an emulated network (see the header). */
#include "netlab-routes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In ns */
static const uint64_t second = UINT64_C(1000000000);

uint64_t link_transfer(const struct link *link, uint64_t bytes)
{
    return 0 == link->rate ? 0 : bytes * 8 * second / link->rate;
}

bool link_enter(struct link *link, uint64_t earliest, uint64_t bytes, uint64_t *start)
{
    const uint64_t transfer = link_transfer(link, bytes);

    *start = earliest > link->next_free ? earliest : link->next_free;
    link->packets++;
    /* What is in the queue is what the link still has to carry. */
    if (0 != link->queue && *start - earliest + transfer > link_transfer(link, link->queue)) {
        link->dropped++;
        return false;
    }
    link->next_free = *start + (transfer > link->gap ? transfer : link->gap);
    return true;
}

static napcoll_switch_tree_t *read_tree(const char *path)
{
    napcoll_switch_error_t error;
    napcoll_switch_tree_t *tree = NULL;
    FILE *in = fopen(path, "re");

    if (NULL == in) {
        fprintf(stderr, "netlab: %s: %s\n", path, strerror(errno));
        return NULL;
    }
    if (0 != napcoll_switch_tree_read(in, &tree, &error)) {
        fprintf(stderr, "netlab: %s", path);
        if (0 != error.line) {
            fprintf(stderr, ":%d:%d", error.line, error.column);
        }
        fprintf(stderr, ": %s\n", error.text);
    }
    (void) fclose(in);
    return tree;
}

/* An array of links that are all as one. */
static struct link *new_links(size_t count, const struct link *one)
{
    struct link *links = calloc(count, sizeof(*links));

    for (size_t i = 0; NULL != links && i < count; ++i) {
        links[i] = *one;
    }
    return links;
}

/* Finds the nodes in the tree. Returns -1 if one is missing. */
static int place_nodes(struct routes *routes, const char *path, const char *const *names,
                       uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; ++i) {
        routes->place[i] = napcoll_switch_tree_find(routes->tree, names[i]);
        if (routes->place[i] < 0) {
            fprintf(stderr,
                    "netlab: %s: no switch has %s; expected all nodes from %s to %s: add it to a "
                    "switch's Nodes=\n",
                    path, names[i], names[0], names[nodes - 1]);
            return -1;
        }
    }
    return 0;
}

int routes_open(struct routes *routes, const char *path, const char *const *names, uint32_t nodes,
                const struct link *trunk, const struct link *to_node)
{
    *routes = (struct routes){.tree = read_tree(path)};
    if (NULL == routes->tree) {
        return -1;
    }
    routes->up = new_links((size_t) routes->tree->switches, trunk);
    routes->down = new_links((size_t) routes->tree->switches, trunk);
    routes->to_node = new_links(nodes, to_node);
    routes->place = calloc(nodes, sizeof(*routes->place));
    if (NULL == routes->up || NULL == routes->down || NULL == routes->to_node
        || NULL == routes->place) {
        fprintf(stderr, "netlab: %s: out of memory\n", path);
        routes_close(routes);
        return -1;
    }
    if (0 != place_nodes(routes, path, names, nodes)) {
        routes_close(routes);
        return -1;
    }
    return 0;
}

void routes_close(struct routes *routes)
{
    napcoll_switch_tree_free(routes->tree);
    free(routes->up);
    free(routes->down);
    free(routes->to_node);
    free(routes->place);
    *routes = (struct routes){.tree = NULL};
}

int routes_start(const struct routes *routes, uint32_t from)
{
    return NULL == routes->tree ? -1 : routes->tree->switch_of[routes->place[from]];
}

struct link *routes_next(const struct routes *routes, int *at, uint32_t to)
{
    const napcoll_switch_tree_t *tree = routes->tree;
    int place, here = *at, child;

    if (here < 0) {
        return NULL;
    }
    place = routes->place[to];
    child = tree->switch_of[place];
    if (here == child) {
        *at = -1;
        return &routes->to_node[to];
    }
    if (place < tree->at[here].first || place >= tree->at[here].end) {
        *at = tree->at[here].parent;
        return &routes->up[here];
    }
    while (tree->at[child].parent != here) {
        child = tree->at[child].parent;
    }
    *at = child;
    return &routes->down[child];
}

void routes_describe(const struct routes *routes, const char *path, const char *const *names,
                     uint32_t nodes)
{
    const napcoll_switch_tree_t *tree = routes->tree;

    fprintf(stderr, "netlab: %s: %d switches, %d nodes\n", path, tree->switches, tree->nodes);
    for (int s = 0; s < tree->switches; ++s) {
        const napcoll_switch_t *here = &tree->at[s];

        fprintf(stderr, "netlab: %*s%s:", 2 + 2 * here->depth, "",
                '\0' == here->name[0] ? "(unnamed)" : here->name);
        for (uint32_t i = 0; i < nodes; ++i) {
            if (tree->switch_of[routes->place[i]] == s) {
                fprintf(stderr, " %s", names[i]);
            }
        }
        fprintf(stderr, "\n");
    }
}

/* Says how many packets a link has dropped, if any. Returns their number. */
static uint64_t describe_drops(const struct link *link, const char *where, const char *name)
{
    if (0 != link->dropped) {
        fprintf(stderr, "netlab: queue %s %s: %" PRIu64 " of %" PRIu64 " packets dropped\n", where,
                '\0' == name[0] ? "(unnamed)" : name, link->dropped, link->packets);
    }
    return link->dropped;
}

void routes_describe_drops(const struct routes *routes, const char *const *names, uint32_t nodes)
{
    const napcoll_switch_tree_t *tree = routes->tree;
    uint64_t dropped = 0;

    for (int s = 0; NULL != tree && s < tree->switches; ++s) {
        dropped += describe_drops(&routes->up[s], "up from switch", tree->at[s].name);
        dropped += describe_drops(&routes->down[s], "down to switch", tree->at[s].name);
    }
    for (uint32_t i = 0; NULL != tree && i < nodes; ++i) {
        dropped += describe_drops(&routes->to_node[i], "to", names[i]);
    }
    fprintf(stderr, "netlab: %" PRIu64 " packets dropped by full queues\n", dropped);
}
