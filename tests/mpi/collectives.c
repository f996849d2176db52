/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives by napcoll's algorithms, in one job: case after case, each of one collective by one
 * algorithm on communicators of its own.
 *
 *     collectives [OPTION...] [--case NAME OPTION...]...
 *
 * Options: see collective.h. Those before the first case are of all, where a case has no other;
 * without a case they are the only one. The checks of a case follow a line "# case NAME".
 */
#include "collective.h"

static const struct {
    const char *coll;
    void (*test)(struct test *t);
} known[] = {{"allgather", test_gathers},
             {"allgatherv", test_gathers},
             {"allreduce", test_allreduce},
             {"alltoall", test_alltoalls},
             {"alltoallv", test_alltoalls},
             {"alltoallw", test_alltoalls},
             {"barrier", test_barrier},
             {"bcast", test_bcast},
             {"exscan", test_scans},
             {"gather", test_gather_scatter},
             {"gatherv", test_gather_scatter},
             {"reduce", test_reduce},
             {"reduce_scatter", test_reduce_scatters},
             {"reduce_scatter_block", test_reduce_scatters},
             {"scan", test_scans},
             {"scatter", test_gather_scatter},
             {"scatterv", test_gather_scatter}};

static const char *expect_option(const struct test *t, const char *name)
{
    const char *words = test_option(t, name, "any");

    if (!expect_valid(words)) {
        fprintf(stderr, "# %s %s: expected runs[:ALGORITHM], fallback[:REASON], none or any\n",
                name, words);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return words;
}

static bool results_only_option(const struct test *t)
{
    const char *checks = test_option(t, "--checks", "all");

    if (0 != strcmp(checks, "all") && 0 != strcmp(checks, "results")) {
        fprintf(stderr, "# --checks %s: expected all or results\n", checks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return 0 == strcmp(checks, "results");
}

/* Its place in `known`. */
static size_t coll_option(const struct test *t)
{
    const char *given = test_option(t, "--coll", "");

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        if (0 == strcmp(given, known[i].coll)) {
            return i;
        }
    }
    fprintf(stderr, "# --coll \"%s\": no collective that this program knows\n", given);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 0;
}

static void run_case(struct test *t)
{
    const size_t which = coll_option(t);

    t->coll = known[which].coll;
    t->algorithm = test_option(t, "--algorithm", NULL);
    t->expect = expect_option(t, "--expect");
    t->expect_large = expect_option(t, "--expect-large");
    t->expect_noncommutative = expect_option(t, "--expect-noncommutative");
    t->large = (int) tap_option_number(
        t->own.num, t->own.word, "--large",
        tap_option_number(t->common.num, t->common.word, "--large", 100000));
    t->results_only = results_only_option(t);
    mpi_check(napcoll_counters_open(&t->counters, t->coll), "MPI_T_init_thread");
    group_open(t, &t->all, MPI_COMM_WORLD);
    known[which].test(t);
    group_close(&t->all);
    mpi_check(napcoll_counters_close(&t->counters), "MPI_T_finalize");
}

/* Where the next case begins, from some word on. */
static int next_case(int argc, char **argv, int from)
{
    while (from < argc && 0 != strcmp(argv[from], "--case")) {
        ++from;
    }
    return from;
}

int main(int argc, char **argv)
{
    static struct test t;
    int begin, end, status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    /* Once for all cases: it opens every component of Open MPI, and the last finalize closes
     * them. */
    tap_open(&t.tap);
    begin = next_case(argc, argv, 1);
    t.common = (struct words){begin, argv};
    if (begin == argc) {
        run_case(&t);
    }
    for (; begin < argc; begin = end) {
        end = next_case(argc, argv, begin + 1);
        t.own = (struct words){end - begin, argv + begin};
        if (0 == t.tap.rank) {
            printf("# case %s\n", t.own.num > 1 ? t.own.word[1] : "");
            fflush(stdout);
        }
        run_case(&t);
    }
    status = tap_close(&t.tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
