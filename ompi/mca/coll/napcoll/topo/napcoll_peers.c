/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Records of nodes, and the nodes of a job from them (see the header).
 */

#include "topo/napcoll_peers.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_order.h"

/* Read a number of [least, below) and move *text behind it; -1: there is none. */
static int read_number(const char **text, int least, int below)
{
    long long number;
    char *end;

    if (**text < '0' || **text > '9') {
        return -1;
    }
    number = strtoll(*text, &end, 10);
    *text = end;
    return number >= least && number < below ? (int) number : -1;
}

/* Pass a character if it comes next. */
static bool passes(const char **text, char wanted)
{
    if (wanted != **text) {
        return false;
    }
    ++*text;
    return true;
}

static int by_number(const void *a, const void *b)
{
    return napcoll_order(*(const int *) a, *(const int *) b);
}

/* Whether sorted numbers contain this one, and none twice. */
static bool has_once(const int *number, int count, int wanted)
{
    bool found = false;

    for (int i = 0; i < count; i++) {
        found = found || number[i] == wanted;
        if (i > 0 && number[i] == number[i - 1]) {
            return false;
        }
    }
    return found;
}

/* Read a list of processes, in any order. False if it is wrong. */
static bool read_list(const char *list, int self, int size, napcoll_peers_t *peers)
{
    do {
        const int next = read_number(&list, 0, size);

        if (next < 0) {
            return false;
        }
        peers->process[peers->count++] = next;
    } while (passes(&list, ','));
    qsort(peers->process, (size_t) peers->count, sizeof(int), by_number);
    return '\0' == *list && has_once(peers->process, peers->count, self);
}

int napcoll_peers_of_list(const char *list, int self, int size, napcoll_peers_t *peers)
{
    size_t room = 1;

    for (const char *c = list; NULL != c && '\0' != *c; c++) {
        room += ',' == *c;
    }
    *peers = (napcoll_peers_t){.number = -1, .process = malloc(room * sizeof(int))};
    if (NULL == peers->process) {
        return -1;
    }
    if (NULL == list || !read_list(list, self, size, peers)) {
        peers->count = 1;
        peers->process[0] = self;
    }
    return 0;
}

void napcoll_peers_free(napcoll_peers_t *peers)
{
    free(peers->process);
    peers->process = NULL;
    peers->count = 0;
}

/* How many processes from `at` on are at equal distances, if three or more, else 1. */
static int run_length(const napcoll_peers_t *peers, int at)
{
    int end = at + 1;

    while (end < peers->count
           && peers->process[end] - peers->process[end - 1]
                  == peers->process[at + 1] - peers->process[at]) {
        end++;
    }
    return end - at > 2 ? end - at : 1;
}

char *napcoll_peers_record(const napcoll_peers_t *peers)
{
    /* a run is three numbers and three signs */
    const size_t run = 3 * (sizeof("2147483647") + 1);
    const size_t room = run * ((size_t) peers->count + 1);
    char *record = malloc(room), *shorter;
    size_t used;

    if (NULL == record) {
        return NULL;
    }
    used = (size_t) snprintf(record, room, "%d", peers->number);
    for (int i = 0; i < peers->count;) {
        const int length = run_length(peers, i);

        used += (size_t) snprintf(record + used, room - used, "%c%d", 0 == i ? ' ' : ',',
                                  peers->process[i]);
        if (length > 1) {
            used += (size_t) snprintf(record + used, room - used, "-%d/%d",
                                      peers->process[i + length - 1],
                                      peers->process[i + 1] - peers->process[i]);
        }
        i += length;
    }
    shorter = realloc(record, used + 1);
    return NULL == shorter ? record : shorter;
}

/* Put the processes of one run on a node. False if one of them is on a node already. */
static bool place_run(int first, int last, int stride, int node, int *node_of)
{
    /* the last may be close to INT_MAX */
    for (long long v = first; v <= last; v += stride) {
        if (node_of[v] >= 0) {
            return false;
        }
        node_of[v] = node;
    }
    return true;
}

/* Put the processes of a record on a node. False if the record is wrong, or a process is on a node
 * already. */
static bool place(const char *record, int first, int size, int node, int *node_of, int *number)
{
    const bool unknown = passes(&record, '-');

    *number = read_number(&record, 0, INT_MAX);
    if (*number < 0 || !passes(&record, ' ')) {
        return false;
    }
    *number = unknown ? -1 : *number;
    do {
        const int low = read_number(&record, first, size);
        const int high = passes(&record, '-') ? read_number(&record, low, size) : low;
        const int stride = passes(&record, '/') ? read_number(&record, 1, INT_MAX) : 1;

        if (low < 0 || high < low || stride < 1 || !place_run(low, high, stride, node, node_of)) {
            return false;
        }
    } while (passes(&record, ','));
    return '\0' == *record && node == node_of[first];
}

bool napcoll_peers_are_distinct(const int *number, int count, int *scratch)
{
    memcpy(scratch, number, (size_t) count * sizeof(*scratch));
    qsort(scratch, (size_t) count, sizeof(*scratch), by_number);
    for (int i = 0; i < count; i++) {
        if (scratch[i] < 0 || (i > 0 && scratch[i] == scratch[i - 1])) {
            return false;
        }
    }
    return true;
}

/* See napcoll_peers_assemble. *nodes and number[] describe the nodes that were found. */
static int read_records(int size, napcoll_peers_lookup_t lookup, void *context, int *node_of,
                        int *number, int *nodes)
{
    for (int v = 0; v < size; v++) {
        char *record = NULL;
        bool good;

        if (node_of[v] >= 0) {
            continue;
        }
        if (0 != lookup(context, v, &record)) {
            return -1;
        }
        good = NULL != record && place(record, v, size, *nodes, node_of, &number[*nodes]);
        free(record);
        if (!good) {
            return 1;
        }
        ++*nodes;
    }
    return 0;
}

/* Replace the numbers of nodes by the launcher's, if these are all different. */
static void renumber(int size, int nodes, const int *number, int *room, int *node_of)
{
    if (napcoll_peers_are_distinct(number, nodes, room)) {
        for (int v = 0; v < size; v++) {
            node_of[v] = number[node_of[v]];
        }
    }
}

int napcoll_peers_assemble(int size, napcoll_peers_lookup_t lookup, void *context, int *node_of)
{
    int *number = calloc(2 * (size_t) size, sizeof(*number)), nodes = 0, rc;

    if (NULL == number) {
        return -1;
    }
    for (int v = 0; v < size; v++) {
        node_of[v] = -1;
    }
    rc = read_records(size, lookup, context, node_of, number, &nodes);
    if (0 == rc) {
        renumber(size, nodes, number, number + size, node_of);
    }
    free(number);
    return rc;
}

int napcoll_peers_connect(int size, const napcoll_peer_t *peer, int *id)
{
    int *number = calloc(2 * (size_t) size, sizeof(*number)), nodes = 0;

    if (NULL == number) {
        return -1;
    }
    /* a lower rank's node is final before a higher one asks for it */
    for (int r = 0; r < size; r++) {
        if (peer[r].lowest < 0 || peer[r].lowest >= r) {
            number[nodes] = peer[r].number;
            id[r] = nodes++;
        } else {
            id[r] = id[peer[r].lowest];
        }
    }
    renumber(size, nodes, number, number + size, id);
    free(number);
    return 0;
}
