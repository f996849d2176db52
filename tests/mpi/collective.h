/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of one collective each, by one of napcoll's algorithms, have in common: options,
 * the communicators under test, and checks on communicators of other shapes. collectives.c runs
 * them. The options of a case are
 *
 *     --coll NAME [--algorithm NAME] [--expect WORDS] [--expect-large WORDS]
 *     [--expect-noncommutative WORDS] [--large COUNT] [--checks all|results]
 *
 * --algorithm goes to napcoll by info key. WORDS: see counters.h; --expect is asserted for
 * messages below 100 bytes, --expect-large for the longer ones, up to COUNT elements,
 * --expect-noncommutative for operations that do not commute. --checks results leaves out what does
 * not depend on the algorithm: every predefined operation and type, odd datatypes, other
 * communicators.
 */
#ifndef TEST_COLLECTIVE_H
#define TEST_COLLECTIVE_H

#include "counters.h"

enum { SMALL = 7, MIDDLE = 1000 };

/* A communicator twice: as the collective under test sees it, and served by Open MPI's basic. */
struct group {
    /* Under test */
    MPI_Comm comm;
    /* Basic */
    MPI_Comm reference;
    int rank, size;
};

struct reduction;

/* Words of a command line, of which the first is no option. */
struct words {
    int num;
    char **word;
};

struct test {
    struct tap tap;
    /* Options: of the present case, and of all cases */
    struct words own, common;
    struct napcoll_counters counters;
    /* What is under test, in small letters */
    const char *coll;
    const char *algorithm;
    const char *expect, *expect_large, *expect_noncommutative;
    int large;
    /* --checks results */
    bool results_only;
    /* Of all processes */
    struct group all;
    /* Of reductions.h, where there is one */
    const struct reduction *reduction;
};

/* The tests: each checks t->coll, which is one of those that it knows. */
void test_allreduce(struct test *t);
void test_alltoalls(struct test *t);
void test_barrier(struct test *t);
void test_bcast(struct test *t);
void test_gathers(struct test *t);
void test_reduce(struct test *t);
void test_reduce_scatters(struct test *t);
void test_gather_scatter(struct test *t);
void test_scans(struct test *t);

/* A check on one communicator; with false it leaves notes. */
typedef bool (*group_check)(struct test *t, const struct group *g);

/* Open MPI takes info keys of at most 35 characters. */
static inline MPI_Comm dup_tested(const struct test *t, MPI_Comm comm)
{
    char key[TAP_TEXT];

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", t->coll);
    if (strlen(key) >= MPI_MAX_INFO_KEY) {
        snprintf(key, sizeof(key), "napcoll_%s", t->coll);
    }
    return tap_dup(comm, "napcoll", NULL == t->algorithm ? NULL : key, t->algorithm);
}

/* One process alone has `self` in basic's place, which sends to a second one even so (in an
 * exscan). */
static inline void group_open(const struct test *t, struct group *g, MPI_Comm comm)
{
    mpi_check(MPI_Comm_rank(comm, &g->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &g->size), "MPI_Comm_size");
    g->comm = dup_tested(t, comm);
    g->reference = tap_dup(comm, g->size > 1 ? "basic,^napcoll" : "self,^napcoll", NULL, NULL);
}

static inline void group_close(struct group *g)
{
    mpi_check(MPI_Comm_free(&g->comm), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&g->reference), "MPI_Comm_free");
}

/* The value of an option of the present case, else of all, else the fallback. */
static inline const char *test_option(const struct test *t, const char *name, const char *fallback)
{
    return tap_option(t->own.num, t->own.word, name,
                      tap_option(t->common.num, t->common.word, name, fallback));
}

/* The same check on parts of the world whose ranks lie differently on the nodes. */
static inline void on_subcommunicators(struct test *t, group_check check)
{
    const int rank = t->tap.rank;
    const struct {
        const char *name;
        int color, key;
    } split[] = {
        {"odd_and_even", rank % 2, rank},
        {"reversed", 0, -rank},
        {"shuffled", 0, rank * 7 % 5},
        {"first_and_rest", 0 == rank, rank},
    };

    for (size_t i = 0; !t->results_only && i < sizeof(split) / sizeof(split[0]); ++i) {
        struct group g;
        MPI_Comm part;
        bool good;

        mpi_check(MPI_Comm_split(MPI_COMM_WORLD, split[i].color, split[i].key, &part),
                  "MPI_Comm_split");
        group_open(t, &g, part);
        good = check(t, &g);
        mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
        group_close(&g);
        tap_ok(&t->tap, good, "%s_on_subcommunicator_%s", t->coll, split[i].name);
    }
}

/* Calls on one communicator are followed by calls on others, which nothing holds back: messages of
 * one must not be taken for messages of another. */
static inline void on_several_communicators(struct test *t,
                                            bool (*check)(struct test *t, const struct group *g,
                                                          int round))
{
    enum { MANY = 5, ROUNDS = 20 };
    struct group g[MANY];
    bool good = true;

    if (t->results_only) {
        return;
    }
    for (int i = 0; i < MANY; ++i) {
        group_open(t, &g[i], t->all.comm);
    }
    for (int i = 0; i < ROUNDS * MANY; ++i) {
        good = check(t, &g[i * 3 % MANY], i) && good;
    }
    for (int i = 0; i < MANY; ++i) {
        group_close(&g[(i * 2 + 1) % MANY]);
    }
    tap_ok(&t->tap, good, "%s_on_several_communicators_in_turn", t->coll);
}

#endif
