/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts that differ on one rank, which is a user's error: it is reported, and nobody gets
 * MPI_SUCCESS with wrong data.
 *
 *     counts [--begin | --judge] --report FILE
 *
 * A case is a collective, an algorithm, the rank with another count, and that count. Where the two
 * counts are on both sides of a rule or size class, ranks run different plans, and may wait for
 * each other for ever, as without napcoll. What each rank got is in FILE, which --begin makes. A
 * job whose ranks do not come back ends: the next one goes on behind that case. --judge, without
 * MPI, prints TAP.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters.h"
#include "tap_mpi.h"

enum { MOST = 4096, MOST_RANKS = 16 };

/* What a rank got. */
enum { IN_THE_CALL, TOLD, RIGHT, WRONG };

struct subject {
    const char *coll;
    /* NULL: by rules */
    const char *algorithm;
    int culprit;
    /* Of the others */
    int count;
    /* Of the culprit */
    int other;
    enum {
        ROOT,  /* the root is to be told, of a broadcast those behind the culprit */
        ALL,   /* all are; of a broadcast all except the root */
        OTHERS /* the culprit's plan is another one: somebody is told, or stays in the call */
    } told;
};

static const struct subject subjects[] = {
    {"bcast", "binomial", 0, 600, 1000, ALL},
    {"bcast", "binomial", 0, 1000, 600, ALL},
    {"bcast", "chain", 3, 110, 100, ROOT},
    {"bcast", "two_level", 3, 1000, 600, ROOT},
    {"bcast", "two_level", 5, 600, 1000, ROOT},
    {"reduce", "nap", 3, 1000, 500, ROOT},
    {"reduce", "binomial", 5, 110, 100, ROOT},
    {"reduce", "binomial", 0, 1000, 500, ROOT},
    {"allreduce", "nap", 4, 1000, 500, ALL},
    {"allreduce", "recursive_doubling", 1, 110, 100, ALL},
    {"allreduce", "ring", 2, 1000, 2000, ALL},
    {"gather", "two_level", 4, 1000, 500, ROOT},
    {"gather", "linear", 4, 110, 100, ROOT},
    {"gather", "binomial", 5, 1000, 2000, ROOT},
    {"gatherv", "two_level", 4, 2, 1000, ROOT}, /* more than the root has announced */
    {"allgather", "ring", 4, 1000, 500, ALL},
    {"allgather", "bruck", 1, 110, 100, ALL},
    {"allgather", "smp", 3, 1000, 2000, ALL},
    {"bcast", "binomial", 0, 1000, 2000, OTHERS}, /* in two segments, and whole */
    {"bcast", NULL, 0, 20, 4000, OTHERS},
    {"bcast", NULL, 4, 4000, 20, OTHERS},
    {"reduce", NULL, 4, 4000, 20, OTHERS},
    {"allreduce", NULL, 2, 4000, 20, OTHERS},
    {"gather", NULL, 4, 4000, 20, OTHERS},
    {"allgather", NULL, 3, 4000, 20, OTHERS},
};

enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static int in[MOST], out[MOST_RANKS * MOST];

static int value(int rank, int i)
{
    return 1000 * rank + i % 1000;
}

/* A call with this rank's count. Returns what MPI does; *right: the data are what the counts of
 * all, if they were this one, would make them. */
static int call(const char *coll, int count, MPI_Comm comm, const struct tap *tap, bool *right)
{
    const int rank = tap->rank, size = tap->size;
    const bool bcast = 0 == strcmp(coll, "bcast"), root = 0 == rank;
    const int sum = size * (size - 1) / 2 * 1000;
    int counts[MOST_RANKS], displs[MOST_RANKS], rc = MPI_SUCCESS;

    for (int i = 0; i < count; ++i) {
        in[i] = bcast && !root ? -1 : value(rank, i);
    }
    for (int r = 0; r < size; ++r) {
        counts[r] = count;
        displs[r] = r * count;
    }
    memset(out, -1, sizeof(int) * (size_t) (count * size));
    if (bcast) {
        rc = MPI_Bcast(in, count, MPI_INT, 0, comm);
    } else if (0 == strcmp(coll, "reduce")) {
        rc = MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, 0, comm);
    } else if (0 == strcmp(coll, "allreduce")) {
        rc = MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    } else if (0 == strcmp(coll, "gather")) {
        rc = MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, 0, comm);
    } else if (0 == strcmp(coll, "gatherv")) {
        rc = MPI_Gatherv(in, count, MPI_INT, out, counts, displs, MPI_INT, 0, comm);
    } else {
        rc = MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    }
    *right = true;
    for (int i = 0; i < count; ++i) {
        if (bcast) {
            *right = *right && value(0, i) == in[i];
        } else if (NULL != strstr(coll, "reduce")) {
            *right = *right && (sum + size * (i % 1000) == out[i] || (!root && 'r' == coll[0]));
        } else {
            for (int r = 0; r < size && (root || 'a' == coll[0]); ++r) {
                *right = *right && value(r, i) == out[r * count + i];
            }
        }
    }
    return rc;
}

/* What ranks got, in a file that all map; a job that hangs leaves it behind. */
struct report {
    /* Cases */
    _Atomic int started;
    struct {
        /* Napcoll, in the calls without the error */
        _Atomic int ran;
        _Atomic int got[MOST_RANKS];
        _Atomic int size;
    } on[SUBJECTS];
};

static struct report *open_report(const char *file, bool anew)
{
    const int fd = open(file, O_RDWR | (anew ? O_CREAT | O_TRUNC : 0), 0600);
    struct report *report = MAP_FAILED;

    if (fd >= 0 && 0 == ftruncate(fd, sizeof(*report))) {
        report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (MAP_FAILED == report) {
        perror(file);
        exit(2);
    }
    close(fd);
    return report;
}

/* The call with the error on a communicator of its own, after two without on which napcoll's
 * counters are looked at. A rank that stays in it for two seconds ends the job. */
static void run_counts(struct tap *tap, struct report *report, int i)
{
    static struct napcoll_counters counters;
    const struct subject *s = &subjects[i];
    const int mine = s->culprit == tap->rank ? s->other : s->count;
    struct expectation expectation;
    bool right, first, second;
    int error_class, rc;
    char key[64];
    MPI_Comm comm;

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", s->coll);
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL == s->algorithm ? NULL : key, s->algorithm);
    mpi_check(napcoll_counters_open(&counters, s->coll), "MPI_T_init_thread");
    expect_begin(&expectation, &counters);
    mpi_check(call(s->coll, s->count, comm, tap, &first), "a right call");
    mpi_check(call(s->coll, s->other, comm, tap, &second), "a right call");
    if (first && second && expect_met(tap, &expectation, "runs")) {
        atomic_fetch_add(&report->on[i].ran, 1);
    }
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    atomic_store(&report->on[i].size, tap->size);
    atomic_store(&report->started, i + 1);
    mpi_check(MPI_Barrier(tap->comm), "MPI_Barrier");
    alarm(2);
    rc = call(s->coll, mine, comm, tap, &right);
    mpi_check(MPI_Error_class(rc, &error_class), "MPI_Error_class");
    if (MPI_ERR_TRUNCATE == error_class) {
        atomic_store(&report->on[i].got[tap->rank], TOLD);
    } else {
        atomic_store(&report->on[i].got[tap->rank], MPI_SUCCESS == rc && right ? RIGHT : WRONG);
    }
    mpi_check(MPI_Barrier(tap->comm), "MPI_Barrier");
    alarm(0);
}

/* Whether a case went as it should: somebody is told, or, where ranks run different algorithms,
 * stayed in the call. */
static bool is_good(const struct report *report, int i)
{
    const struct subject *s = &subjects[i];
    const bool bcast = 0 == strcmp(s->coll, "bcast");
    const int size = atomic_load(&report->on[i].size);
    int number[WRONG + 1] = {0};

    for (int r = 0; r < size; ++r) {
        number[atomic_load(&report->on[i].got[r])]++;
    }
    printf("# case %d: %d told, %d stayed, %d right, %d wrong data\n", i + 1, number[TOLD],
           number[IN_THE_CALL], number[RIGHT], number[WRONG]);
    if (0 == size || size != atomic_load(&report->on[i].ran)) {
        return false;
    }
    if (OTHERS == s->told) {
        return number[TOLD] > 0 || number[IN_THE_CALL] > 0;
    }
    return number[TOLD] > 0 && 0 == number[IN_THE_CALL] && 0 == number[WRONG]
           && (bcast || TOLD == atomic_load(&report->on[i].got[0]))
           && (ALL != s->told || number[TOLD] >= size - bcast);
}

static int judge(const struct report *report)
{
    int failed = 0;

    for (int i = 0; i < SUBJECTS; ++i) {
        const struct subject *s = &subjects[i];
        const bool good = is_good(report, i);

        failed += !good;
        printf("%s %d - %s_%s_where_rank_%d_has_%d_and_others_%d\n", good ? "ok" : "not ok", i + 1,
               s->coll, NULL == s->algorithm ? "by_rules" : s->algorithm, s->culprit, s->other,
               s->count);
    }
    printf("1..%d\n", SUBJECTS);
    return 0 == failed ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *file = tap_option(argc, argv, "--report", "counts.report");
    const bool judges = argc > 1 && 0 == strcmp(argv[1], "--judge");
    const bool begins = argc > 1 && 0 == strcmp(argv[1], "--begin");
    struct report *report = open_report(file, begins);
    struct tap tap;

    if (judges || begins) {
        return judges ? judge(report) : 0;
    }
    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    for (int i = atomic_load(&report->started); i < SUBJECTS; ++i) {
        /* All have read where to start */
        mpi_check(MPI_Barrier(tap.comm), "MPI_Barrier");
        run_counts(&tap, report, i);
    }
    /* Messages that nobody received may keep MPI_Finalize */
    alarm(5);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return 0;
}
