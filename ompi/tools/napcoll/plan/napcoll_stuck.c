/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports of stalled calls: reads them (see the header).
 */

#include "plan/napcoll_stuck.h"

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "select/napcoll_stall.h"

/* A communicator with more ranks than this is a mistake in the line. */
static const long most_ranks = 1L << 24;

/* ---- the parts of a line; each moves *at behind what it has read, or returns false ---- */

static bool skip(const char **at, const char *text)
{
    const size_t length = strlen(text);

    if (0 != strncmp(*at, text, length)) {
        return false;
    }
    *at += length;
    return true;
}

static bool read_number(const char **at, long most, long *value)
{
    char *end;

    if (**at < '0' || **at > '9') {
        return false;
    }
    *value = strtol(*at, &end, 10);
    *at = end;
    return *value <= most;
}

static bool read_seconds(const char **at, double *value)
{
    char *end;

    if (**at < '0' || **at > '9') {
        return false;
    }
    *value = strtod(*at, &end);
    *at = end;
    return true;
}

/* Replace a text by the next `length` characters. */
static void keep(char **text, const char *at, size_t length)
{
    char *copy = napcoll_allocate(length + 1, 1);

    memcpy(copy, at, length);
    free(*text);
    *text = copy;
}

/* A text that ends before `end`, which must come. */
static bool read_until(const char **at, const char *end, char **text)
{
    const char *found = strstr(*at, end);

    if (NULL == found || found == *at) {
        return false;
    }
    keep(text, *at, (size_t) (found - *at));
    *at = found;
    return true;
}

/* The first of the characters, or the end, outside of parentheses. */
static const char *find_end(const char *at, const char *characters)
{
    int depth = 0;

    for (; '\0' != *at; at++) {
        if (0 == depth && NULL != strchr(characters, *at)) {
            return at;
        }
        depth += '(' == *at;
        depth -= ')' == *at && depth > 0;
    }
    return at;
}

/* ---- ranks ---- */

static void forget(napcoll_stuck_rank_t *rank)
{
    free(rank->node);
    free(rank->function);
    free(rank->place);
    free(rank->idle);
    free(rank->peer);
    free(rank->absent);
}

/* Forget a rank's own report, but not what others say of it. */
static void forget_report(napcoll_stuck_rank_t *rank)
{
    napcoll_stuck_rank_t kept = {.node = rank->node, .absent = rank->absent, .mates = rank->mates};

    rank->node = rank->absent = NULL;
    forget(rank);
    *rank = kept;
}

static void add_peer(napcoll_stuck_rank_t *rank, int peer)
{
    rank->peer = napcoll_memory_grow(rank->peer, (size_t) rank->peers, sizeof(*rank->peer));
    rank->peer[rank->peers++] = peer;
}

/* A list of a report: of peers, or of ranks that are absent; these count as peers where the report
 * names no others. */
typedef struct {
    napcoll_stuck_comm_t *comm;
    napcoll_stuck_rank_t *reporter;
    bool absent;
    bool peers;
} list_t;

/* "rank 4 on n2", or with what a mate says: "rank 2 on n1 (last barrier, call 16, ...)". */
static bool read_rank(const char **at, const list_t *list)
{
    napcoll_stuck_comm_t *comm = list->comm;
    napcoll_stuck_rank_t *rank;
    const char *end;
    long number;

    if (!skip(at, "rank ") || !read_number(at, comm->size - 1, &number) || !skip(at, " on ")) {
        return false;
    }
    rank = &comm->rank[number];
    end = find_end(*at, ",;");
    for (const char *and = *at; NULL != (and = strstr(and, " and ")) && and < end;) {
        end = and;
    }
    if (list->absent) {
        const char *open = strchr(*at, '(');
        const char *close = NULL == open ? NULL : find_end(open + 1, ")");

        if (NULL == close || ')' != *close || open - *at < 2) {
            return false;
        }
        keep(&rank->absent, open + 1, (size_t) (close - open - 1));
        rank->mates++;
        keep(&rank->node, *at, (size_t) (open - *at - 1));
        end = close + 1;
    } else {
        keep(&rank->node, *at, (size_t) (end - *at));
    }
    if (list->peers) {
        add_peer(list->reporter, (int) number);
    }
    *at = end;
    return true;
}

/* A list of ranks: "rank 4 on n2, rank 7 on n3 and 5 more", or "5 more". */
static bool read_ranks(const char **at, const list_t *list)
{
    long more = 0;

    if (read_number(at, most_ranks, &more)) {
        return skip(at, " more");
    }
    do {
        if (!read_rank(at, list)) {
            return false;
        }
    } while (skip(at, ", "));
    return !skip(at, " and ") || (read_number(at, most_ranks, &more) && skip(at, " more"));
}

/* ---- communicators ---- */

static napcoll_stuck_comm_t *find_comm(napcoll_stuck_t *stuck, unsigned number, const char *name,
                                       int size, unsigned first)
{
    napcoll_stuck_comm_t *comm;

    for (int c = 0; c < stuck->comms; c++) {
        comm = &stuck->comm[c];
        if (number == comm->number && size == comm->size && first == comm->first
            && 0 == strcmp(name, comm->name)) {
            return comm;
        }
    }
    stuck->comm = napcoll_memory_grow(stuck->comm, (size_t) stuck->comms, sizeof(*stuck->comm));
    comm = &stuck->comm[stuck->comms++];
    *comm = (napcoll_stuck_comm_t){.number = number,
                                   .size = size,
                                   .first = first,
                                   .rank = napcoll_allocate((size_t) size, sizeof(*comm->rank))};
    keep(&comm->name, name, strlen(name));
    return comm;
}

/* "rank 3 on n1 of communicator 0 (MPI_COMM_WORLD, 8 ranks, rank 0 is process 0): " */
static bool read_head(napcoll_stuck_t *stuck, const char **at, napcoll_stuck_comm_t **comm,
                      napcoll_stuck_rank_t **rank)
{
    long own, number, size, first;
    char *node = NULL, *name = NULL;
    bool good = skip(at, "rank ") && read_number(at, most_ranks, &own) && skip(at, " on ")
                && read_until(at, " of communicator ", &node) && skip(at, " of communicator ")
                && read_number(at, most_ranks, &number) && skip(at, " (")
                && (read_until(at, ", ", &name) || skip(at, "")) && skip(at, ", ")
                && read_number(at, most_ranks, &size) && skip(at, " ranks, rank 0 is process ")
                && read_number(at, UINT32_MAX, &first) && skip(at, "): ") && own < size;

    if (good) {
        *comm = find_comm(stuck, (unsigned) number, NULL == name ? "" : name, (int) size,
                          (unsigned) first);
        *rank = &(*comm)->rank[own];
        forget_report(*rank);
        keep(&(*rank)->node, node, strlen(node));
    }
    free(node);
    free(name);
    return good;
}

/* "10.0 s in allreduce, call 17, by nap, stage 2 of 5" */
static bool read_call(const char **at, napcoll_stuck_rank_t *rank)
{
    long number;

    if (!read_seconds(at, &rank->seconds) || !skip(at, " s in ")
        || !read_until(at, ", call ", &rank->function) || !skip(at, ", call ")
        || !read_number(at, UINT32_MAX, &number)) {
        return false;
    }
    if (skip(at, ", ")) {
        const char *end = find_end(*at, ";");

        keep(&rank->place, *at, (size_t) (end - *at));
        *at = end;
    }
    rank->number = (uint32_t) number;
    rank->waits = true;
    return true;
}

static bool read_report(napcoll_stuck_t *stuck, const char *at)
{
    napcoll_stuck_comm_t *comm;
    napcoll_stuck_rank_t *rank;
    bool good;

    if (skip(&at, "process ")) {
        stuck->idle++;
        return true;
    }
    if (!read_head(stuck, &at, &comm, &rank)) {
        return false;
    }
    if (skip(&at, "in no call; ")) {
        keep(&rank->idle, at, strlen(at));
        return true;
    }
    good = read_call(&at, rank);
    if (good && skip(&at, "; waits for ")) {
        good = read_ranks(&at, &(list_t){comm, rank, false, true});
    }
    if (good && skip(&at, "; not in the call: ")) {
        good = read_ranks(&at, &(list_t){comm, rank, true, 0 == rank->peers});
    }
    return good;
}

void napcoll_stuck_read(napcoll_stuck_t *stuck, const char *line)
{
    const char *at = strstr(line, NAPCOLL_STALL_PREFIX);
    char *copy;

    if (NULL == at) {
        return;
    }
    at += strlen(NAPCOLL_STALL_PREFIX);
    copy = napcoll_allocate(strlen(at) + 1, 1);
    memcpy(copy, at, strcspn(at, "\r\n"));
    if (read_report(stuck, copy)) {
        stuck->reports++;
    } else {
        stuck->bad++;
    }
    free(copy);
}

void napcoll_stuck_free(napcoll_stuck_t *stuck)
{
    for (int c = 0; c < stuck->comms; c++) {
        for (int r = 0; r < stuck->comm[c].size; r++) {
            forget(&stuck->comm[c].rank[r]);
        }
        free(stuck->comm[c].rank);
        free(stuck->comm[c].name);
    }
    free(stuck->comm);
    *stuck = (napcoll_stuck_t){.comm = NULL};
}
