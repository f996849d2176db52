/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs have in common that test one collective each, by one of napcoll's algorithms:
 * options, the communicators under test, and checks on communicators of other shapes.
 *
 *     PROGRAM [--coll NAME] [--algorithm NAME] [--expect WORDS] [--expect-large WORDS]
 *             [--expect-noncommutative WORDS] [--large COUNT]
 *
 * --coll is for programs that know several collectives. --algorithm goes to napcoll by info key.
 * WORDS are those of counters.h; --expect is asserted for messages below 100 bytes, --expect-large
 * for the longer ones, up to COUNT elements, --expect-noncommutative for operations that do not
 * commute.
 */
#ifndef TEST_COLLECTIVE_H
#define TEST_COLLECTIVE_H

#include "counters.h"

enum { SMALL = 7, MIDDLE = 1000 };

/* A communicator twice: as the collective under test sees it, and served by Open MPI's basic. */
struct group {
    MPI_Comm comm;      /* under test */
    MPI_Comm reference; /* basic */
    int rank, size;
};

struct reduction;

struct test {
    struct tap tap;
    struct napcoll_counters counters;
    const char *coll; /* what is under test, in small letters */
    const char *algorithm;
    const char *expect, *expect_large, *expect_noncommutative;
    int large;
    struct group all;                  /* of all processes */
    const struct reduction *reduction; /* of reductions.h, in the programs that reduce */
};

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

/* One process alone has `self` in basic's place, which sends to a second one even so (in an exscan). */
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

static inline const char *words_option(int argc, char **argv, const char *name)
{
    const char *words = tap_option(argc, argv, name, "any");

    if (!expect_valid(words)) {
        fprintf(stderr, "# %s %s: expected runs[:ALGORITHM], fallback[:REASON], none or any\n",
                name, words);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return words;
}

/* One of the names, which end with NULL; the first if the option is not given. */
static inline const char *coll_option(int argc, char **argv, const char *const *names)
{
    const char *given = tap_option(argc, argv, "--coll", names[0]);
    char text[TAP_TEXT] = "";

    for (int i = 0; NULL != names[i]; ++i) {
        size_t used = strlen(text);

        if (0 == strcmp(given, names[i])) {
            return names[i];
        }
        snprintf(text + used, sizeof(text) - used, "%s%s", 0 == i ? "" : " or ", names[i]);
    }
    fprintf(stderr, "# --coll %s: expected %s\n", given, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

/* MPI_Init and everything that the checks need. colls are what the program knows, NULL at the end. */
static inline void test_open(struct test *t, int *argc, char ***argv, const char *const *colls)
{
    mpi_check(MPI_Init(argc, argv), "MPI_Init");
    tap_open(&t->tap);
    t->coll = coll_option(*argc, *argv, colls);
    t->algorithm = tap_option(*argc, *argv, "--algorithm", NULL);
    t->expect = words_option(*argc, *argv, "--expect");
    t->expect_large = words_option(*argc, *argv, "--expect-large");
    t->expect_noncommutative = words_option(*argc, *argv, "--expect-noncommutative");
    t->large = (int) tap_option_number(*argc, *argv, "--large", 100000);
    mpi_check(napcoll_counters_open(&t->counters, t->coll), "MPI_T_init_thread");
    group_open(t, &t->all, MPI_COMM_WORLD);
}

/* Undoes it all; returns the exit status. */
static inline int test_close(struct test *t)
{
    int status;

    group_close(&t->all);
    mpi_check(napcoll_counters_close(&t->counters), "MPI_T_finalize");
    status = tap_close(&t->tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
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

    for (size_t i = 0; i < sizeof(split) / sizeof(split[0]); ++i) {
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
 * the one must not be taken for those of another. */
static inline void on_several_communicators(struct test *t,
                                            bool (*check)(struct test *t, const struct group *g,
                                                          int round))
{
    enum { MANY = 5, ROUNDS = 20 };
    struct group g[MANY];
    bool good = true;

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
