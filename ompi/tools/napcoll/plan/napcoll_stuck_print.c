/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports of stalled calls in words (see the header).
 *
 * A rank of a communicator is missing where its node mates say so, where it says itself that it is
 * in another call or in none, or where a rank waits for it and it has not reported. A rank depends
 * on those for which it waits, and on all on which these depend.
 */

#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_numbers.h"
#include "plan/napcoll_stuck.h"

/* Ranks of the communicator, and the call in which most of them wait. */
typedef struct {
    const napcoll_stuck_comm_t *comm;
    /* one rank in that call; -1: none waits */
    int example;
    int waiting;
    double seconds;
} case_t;

static bool is_same_call(const napcoll_stuck_rank_t *a, const napcoll_stuck_rank_t *b)
{
    return a->waits && b->waits && a->number == b->number && 0 == strcmp(a->function, b->function);
}

static bool waits_in_call(const case_t *c, int rank)
{
    return c->example >= 0 && is_same_call(&c->comm->rank[rank], &c->comm->rank[c->example]);
}

/* Find the call in which most ranks wait; of several the earliest. */
static case_t find_call(const napcoll_stuck_comm_t *comm)
{
    case_t found = {.comm = comm, .example = -1};

    for (int r = 0; r < comm->size; r++) {
        const napcoll_stuck_rank_t *rank = &comm->rank[r];
        int same = 0;
        double seconds = 0;

        if (!rank->waits || (found.example >= 0 && waits_in_call(&found, r))) {
            continue;
        }
        for (int s = 0; s < comm->size; s++) {
            if (is_same_call(rank, &comm->rank[s])) {
                same++;
                seconds = comm->rank[s].seconds > seconds ? comm->rank[s].seconds : seconds;
            }
        }
        if (same > found.waiting
            || (same == found.waiting && rank->number < comm->rank[found.example].number)) {
            found = (case_t){comm, r, same, seconds};
        }
    }
    return found;
}

/* ---- who depends on whom ---- */

static bool waits_for(const napcoll_stuck_rank_t *rank, int peer)
{
    for (int i = 0; i < rank->peers; i++) {
        if (peer == rank->peer[i]) {
            return true;
        }
    }
    return false;
}

/* Set [rank] to 1 for the ranks that wait for `missing`, and to 2 for those that depend on these.
 * Returns how many there are in all. */
static int find_dependents(const case_t *c, int missing, char *dependent)
{
    const napcoll_stuck_comm_t *comm = c->comm;
    int count = 0, before = -1;

    memset(dependent, 0, (size_t) comm->size);
    for (int r = 0; r < comm->size; r++) {
        if (r != missing && waits_for(&comm->rank[r], missing)) {
            dependent[r] = 1;
            count++;
        }
    }
    while (before != count) {
        before = count;
        for (int r = 0; r < comm->size; r++) {
            const napcoll_stuck_rank_t *rank = &comm->rank[r];

            for (int i = 0; i < rank->peers && 0 == dependent[r] && r != missing; i++) {
                if (0 != dependent[rank->peer[i]]) {
                    dependent[r] = 2;
                    count++;
                }
            }
        }
    }
    return count;
}

/* Print the ranks that have a value, as "0-3,7"; returns how many. */
static int print_ranks(FILE *out, const char *mark, int size, char value)
{
    int count = 0;

    for (int r = 0; r < size; r++) {
        const int from = r;

        if (value != mark[r]) {
            continue;
        }
        while (r + 1 < size && value == mark[r + 1]) {
            r++;
        }
        fprintf(out, "%s%d", count > 0 ? "," : "", from);
        if (r > from) {
            fprintf(out, "-%d", r);
        }
        count += r - from + 1;
    }
    return count;
}

static int count_ranks(const char *mark, int size, char value)
{
    int count = 0;

    for (int r = 0; r < size; r++) {
        count += value == mark[r];
    }
    return count;
}

static void print_dependents(const case_t *c, int missing, FILE *out)
{
    const int size = c->comm->size;
    char *dependent = napcoll_allocate((size_t) size, 1);
    const int all = find_dependents(c, missing, dependent);
    const int direct = count_ranks(dependent, size, 1);

    if (direct > 0) {
        fprintf(out, "    %d rank%s wait%s for it: ", direct, plural(direct),
                1 == direct ? "s" : "");
        print_ranks(out, dependent, size, 1);
        fprintf(out, "\n");
    }
    if (all > direct) {
        fprintf(out, "    %d more depend%s on %s: ", all - direct, 1 == all - direct ? "s" : "",
                1 == direct ? "that one" : "these");
        print_ranks(out, dependent, size, 2);
        fprintf(out, "\n");
    }
    if (0 == all) {
        fprintf(out, "    no report names it among the ranks that it waits for\n");
    }
    free(dependent);
}

/* ---- who is missing ---- */

/* If a rank is missing, say why. */
static bool print_missing(const case_t *c, int r, bool is_awaited, FILE *out)
{
    const napcoll_stuck_rank_t *rank = &c->comm->rank[r];
    const napcoll_stuck_rank_t *example = &c->comm->rank[c->example];
    const char *node = NULL == rank->node ? "a node that no report names" : rank->node;

    if (waits_in_call(c, r)
        || (NULL == rank->absent && !rank->waits && NULL == rank->idle && !is_awaited)) {
        return false;
    }
    fprintf(out, "  Missing: rank %d on %s", r, node);
    if (rank->waits) {
        fprintf(out, ", which is in %s, call %u, instead: for %.1f s", rank->function, rank->number,
                rank->seconds);
    } else if (NULL != rank->idle) {
        fprintf(out, ", which is in no call: %s", rank->idle);
    } else if (NULL != rank->absent) {
        fprintf(out, ": %s; so %d rank%s of its node say%s", rank->absent, rank->mates,
                plural(rank->mates), 1 == rank->mates ? "s" : "");
    } else {
        fprintf(out, ", which has not reported: it is not in %s, call %u, or not in MPI",
                example->function, example->number);
    }
    fprintf(out, "\n");
    print_dependents(c, r, out);
    return true;
}

/* Follow the ranks that wait for each other from one of them. */
static void print_circle(const case_t *c, FILE *out)
{
    const napcoll_stuck_comm_t *comm = c->comm;
    char *seen = napcoll_allocate((size_t) comm->size, 1);
    int r = c->example, first;

    while (0 == seen[r] && comm->rank[r].peers > 0) {
        seen[r] = 1;
        r = comm->rank[r].peer[0];
    }
    first = r;
    fprintf(out, "  No rank is missing in these reports");
    if (0 != seen[r]) {
        fprintf(out, ": ranks wait for each other: %d", first);
        do {
            r = comm->rank[r].peer[0];
            fprintf(out, " -> %d", r);
        } while (r != first);
    }
    fprintf(out, ".\n");
    free(seen);
}

static void print_comm(const napcoll_stuck_comm_t *comm, FILE *out)
{
    const case_t c = find_call(comm);
    char *awaited = napcoll_allocate((size_t) comm->size, 1);
    int missing = 0;

    fprintf(out, "Communicator %u (%s, %d ranks, rank 0 is process %u): ", comm->number, comm->name,
            comm->size, comm->first);
    if (c.example < 0) {
        fprintf(out, "no rank waits in a call\n");
        free(awaited);
        return;
    }
    fprintf(out, "%d rank%s wait%s in %s, call %u%s%s, for up to %.1f s\n", c.waiting,
            plural(c.waiting), 1 == c.waiting ? "s" : "", comm->rank[c.example].function,
            comm->rank[c.example].number, NULL == comm->rank[c.example].place ? "" : ", ",
            NULL == comm->rank[c.example].place ? "" : comm->rank[c.example].place, c.seconds);
    for (int r = 0; r < comm->size; r++) {
        for (int i = 0; i < comm->rank[r].peers; i++) {
            awaited[comm->rank[r].peer[i]] = 1;
        }
    }
    for (int r = 0; r < comm->size; r++) {
        missing += print_missing(&c, r, 0 != awaited[r], out);
    }
    if (0 == missing) {
        print_circle(&c, out);
    }
    free(awaited);
}

void napcoll_stuck_print(const napcoll_stuck_t *stuck, FILE *out)
{
    for (int c = 0; c < stuck->comms; c++) {
        print_comm(&stuck->comm[c], out);
    }
    if (stuck->idle > 0) {
        fprintf(out, "%d process%s had no call of napcoll\n", stuck->idle,
                1 == stuck->idle ? " has" : "es have");
    }
    if (stuck->bad > 0) {
        fprintf(out, "%d report%s cut off or changed, and not read\n", stuck->bad,
                1 == stuck->bad ? " is" : "s are");
    }
}
