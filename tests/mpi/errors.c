/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank gives a smaller count than others send it: the error reaches its caller, and leaves a
 * communicator that works. In an allreduce of two ranks, the first and the last, the first gives
 * it. In an alltoallv the last rank expects less of rank 0, and the others go on; likewise the root
 * of a gatherv of the last rank, and the last rank of the root of a scatterv. In a broadcast
 * rank 1 expects less, and the ranks behind it in a chain are told as well.
 *
 *     errors COLL:ALGORITHM...
 */
#include <string.h>

#include "counters.h"
#include "tap_mpi.h"

enum { SHORT = 10, LONG = 100, ROUNDS = 20, MOST_RANKS = 16 };

/* What this program does to a collective. */
struct subject {
    const char *coll;
    /* Of the first and the last rank alone */
    bool of_two;
    /* For the ranks that are not told */
    bool goes_on;
    bool (*is_told)(int rank, int size);
    /* The call with the error */
    int (*wrong)(MPI_Comm comm, int rank, int size);
    bool (*right)(MPI_Comm comm, int rank, int size);
};

/* ---- allreduce ---- */

static bool is_first(int rank, int size)
{
    (void) size;
    return 0 == rank;
}

static int wrong_allreduce(MPI_Comm comm, int rank, int size)
{
    int in[LONG] = {0}, out[LONG];

    (void) size;
    return MPI_Allreduce(in, out, 0 == rank ? SHORT : LONG, MPI_INT, MPI_SUM, comm);
}

static bool right_allreduce(MPI_Comm comm, int rank, int size)
{
    int in[LONG], out[LONG];

    for (int i = 0; i < LONG; ++i) {
        in[i] = i + rank;
    }
    if (MPI_SUCCESS != MPI_Allreduce(in, out, LONG, MPI_INT, MPI_SUM, comm)) {
        return false;
    }
    for (int i = 0; i < LONG; ++i) {
        if (size * i + size * (size - 1) / 2 != out[i]) {
            return false;
        }
    }
    return true;
}

/* ---- alltoallv ---- */

static bool is_last(int rank, int size)
{
    return size - 1 == rank;
}

/* Blocks of SHORT; rank 0 has `sent` elements for the last rank, which expects `expected`. All that
 * a rank gets is right, but on the last if it is told: there what came in the same message is lost
 * as well. Nowhere is anything but the blocks written. */
static int exchange(MPI_Comm comm, int rank, int size, int sent, int expected, bool *good)
{
    static int in[MOST_RANKS * LONG], out[MOST_RANKS * LONG];
    int sends[MOST_RANKS] = {0}, receives[MOST_RANKS] = {0}, at[MOST_RANKS] = {0}, rc;

    for (int r = 0; r < size; ++r) {
        at[r] = r * LONG;
        sends[r] = 0 == rank && size - 1 == r ? sent : SHORT;
        receives[r] = size - 1 == rank && 0 == r ? expected : SHORT;
        for (int i = 0; i < LONG; ++i) {
            in[at[r] + i] = 1000 * rank + 10 * r + i % 10;
            out[at[r] + i] = -1;
        }
    }
    rc = MPI_Alltoallv(in, sends, at, MPI_INT, out, receives, at, MPI_INT, comm);
    *good = true;
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i < LONG; ++i) {
            const int due = i < SHORT ? 1000 * r + 10 * rank + i % 10 : -1;
            const bool lost = SHORT != sent && size - 1 == rank && i < SHORT;

            *good = *good && (lost || due == out[at[r] + i]);
        }
    }
    return rc;
}

static int wrong_alltoallv(MPI_Comm comm, int rank, int size)
{
    bool good;
    const int rc = exchange(comm, rank, size, LONG, SHORT, &good);
    bool good_too;

    /* less than was expected is no error that MPI finds */
    return good && MPI_SUCCESS == exchange(comm, rank, size, SHORT, LONG, &good_too) && good_too
               ? rc
               : MPI_ERR_OTHER;
}

static bool right_alltoallv(MPI_Comm comm, int rank, int size)
{
    bool good;

    return MPI_SUCCESS == exchange(comm, rank, size, SHORT, SHORT, &good) && good;
}

/* ---- gatherv and scatterv, with root 0 ---- */

/* Blocks of SHORT between the root and each rank; of the last rank `sent` elements and `expected`
 * ones. All that the receiver of another block gets is right. */
static int collect(MPI_Comm comm, int rank, int size, int sent, int expected, bool *good)
{
    static int in[LONG], out[MOST_RANKS * LONG];
    int receives[MOST_RANKS], at[MOST_RANKS], rc;

    for (int r = 0; r < size; ++r) {
        at[r] = r * LONG;
        receives[r] = size - 1 == r ? expected : SHORT;
    }
    for (int i = 0; i < LONG; ++i) {
        in[i] = 100 * rank + i;
    }
    memset(out, 0, sizeof(out));
    rc = MPI_Gatherv(in, size - 1 == rank ? sent : SHORT, MPI_INT, out, receives, at, MPI_INT, 0,
                     comm);
    *good = true;
    for (int r = 0; 0 == rank && r < size - (sent != expected); ++r) {
        for (int i = 0; i < SHORT; ++i) {
            *good = *good && 100 * r + i == out[at[r] + i];
        }
    }
    return rc;
}

static int wrong_gatherv(MPI_Comm comm, int rank, int size)
{
    bool good;
    const int rc = collect(comm, rank, size, LONG, SHORT, &good);

    return good ? rc : MPI_ERR_OTHER;
}

static bool right_gatherv(MPI_Comm comm, int rank, int size)
{
    bool good;

    return MPI_SUCCESS == collect(comm, rank, size, SHORT, SHORT, &good) && good;
}

static int spread(MPI_Comm comm, int rank, int size, int sent, int expected, bool *good)
{
    static int in[MOST_RANKS * LONG], out[LONG];
    const int count = size - 1 == rank ? expected : SHORT;
    int sends[MOST_RANKS], at[MOST_RANKS], rc;

    for (int r = 0; r < size; ++r) {
        at[r] = r * LONG;
        sends[r] = size - 1 == r ? sent : SHORT;
        for (int i = 0; i < LONG; ++i) {
            in[at[r] + i] = 100 * r + i;
        }
    }
    memset(out, 0, sizeof(out));
    rc = MPI_Scatterv(in, sends, at, MPI_INT, out, count, MPI_INT, 0, comm);
    *good = true;
    for (int i = 0; i < SHORT && (size - 1 > rank || sent == expected); ++i) {
        *good = *good && 100 * rank + i == out[i];
    }
    return rc;
}

static int wrong_scatterv(MPI_Comm comm, int rank, int size)
{
    bool good;
    const int rc = spread(comm, rank, size, LONG, SHORT, &good);

    return good ? rc : MPI_ERR_OTHER;
}

static bool right_scatterv(MPI_Comm comm, int rank, int size)
{
    bool good;

    return MPI_SUCCESS == spread(comm, rank, size, SHORT, SHORT, &good) && good;
}

/* ---- bcast ---- */

static bool is_behind_first(int rank, int size)
{
    (void) size;
    return rank > 0;
}

static int wrong_bcast(MPI_Comm comm, int rank, int size)
{
    int data[LONG] = {0};

    (void) size;
    return MPI_Bcast(data, 1 == rank ? SHORT : LONG, MPI_INT, 0, comm);
}

static bool right_bcast(MPI_Comm comm, int rank, int size)
{
    int data[LONG];

    (void) size;
    for (int i = 0; i < LONG; ++i) {
        data[i] = 0 == rank ? i : -1;
    }
    if (MPI_SUCCESS != MPI_Bcast(data, LONG, MPI_INT, 0, comm)) {
        return false;
    }
    for (int i = 0; i < LONG; ++i) {
        if (i != data[i]) {
            return false;
        }
    }
    return true;
}

static const struct subject subjects[] = {
    {"allreduce", true, false, is_first, wrong_allreduce, right_allreduce},
    {"alltoallv", false, true, is_last, wrong_alltoallv, right_alltoallv},
    {"gatherv", false, true, is_first, wrong_gatherv, right_gatherv},
    {"scatterv", false, true, is_last, wrong_scatterv, right_scatterv},
    {"bcast", false, true, is_behind_first, wrong_bcast, right_bcast},
};

static const struct subject *subject_of(const char *coll)
{
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); ++i) {
        if (0 == strcmp(coll, subjects[i].coll)) {
            return &subjects[i];
        }
    }
    return NULL;
}

/* The calls on a communicator, in turn wrong and right; *usable: the right ones are. Returns
 * whether each wrong one gives the error to the ranks that are to be told. */
static bool errors_reach_the_callers(struct tap *tap, const struct subject *subject, MPI_Comm comm,
                                     bool *usable)
{
    int rank, size, error_class, wanted, wrong = -1;
    bool is_told;

    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    is_told = subject->is_told(rank, size);
    wanted = is_told ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    for (int i = 0; i < ROUNDS; ++i) {
        const int rc = subject->wrong(comm, rank, size);

        mpi_check(MPI_Error_class(rc, &error_class), "MPI_Error_class");
        if (wanted != error_class && (is_told || subject->goes_on)) {
            wrong = error_class;
        }
        *usable = *usable && subject->right(comm, rank, size);
    }
    if (wrong >= 0) {
        tap_note(tap, "error class %d instead of %d", wrong, wanted);
    }
    return wrong < 0;
}

static void run_errors(struct tap *tap, const struct subject *subject, const char *algorithm)
{
    static struct napcoll_counters counters;
    const bool takes_part = !subject->of_two || 0 == tap->rank || tap->size - 1 == tap->rank;
    struct expectation expectation;
    char key[TAP_TEXT], expect[TAP_TEXT];
    bool reached = true, usable = true, ran = true;
    MPI_Comm part, comm;

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", subject->coll);
    snprintf(expect, sizeof(expect), "runs:%s", algorithm);
    mpi_check(napcoll_counters_open(&counters, subject->coll), "MPI_T_init_thread");
    mpi_check(MPI_Comm_split(tap->comm, takes_part ? 0 : MPI_UNDEFINED, tap->rank, &part),
              "MPI_Comm_split");
    if (takes_part) {
        comm = tap_dup(part, "napcoll", key, algorithm);
        mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        expect_begin(&expectation, &counters);
        reached = errors_reach_the_callers(tap, subject, comm, &usable);
        ran = expect_met(tap, &expectation, expect);
        /* comm is not freed: a later communicator with its id would get late messages of wrong
         * calls */
        mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
    }
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    tap_ok(tap, reached, "%s_%s_truncation_reaches_the_caller_and_nobody_else", subject->coll,
           algorithm);
    tap_ok(tap, usable, "%s_%s_communicator_works_after_an_error", subject->coll, algorithm);
    tap_ok(tap, ran, "%s_%s_ran", subject->coll, algorithm);
}

int main(int argc, char **argv)
{
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    for (int i = 1; i < argc; ++i) {
        char coll[32] = "", algorithm[32] = "";
        const int read = sscanf(argv[i], "%31[a-z]:%31[a-z_]", coll, algorithm);

        if (2 != read || NULL == subject_of(coll) || tap.size < 2 || tap.size > MOST_RANKS) {
            fprintf(stderr, "errors %s: expected COLL:ALGORITHM, and 2 to %d processes\n", argv[i],
                    MOST_RANKS);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        run_errors(&tap, subject_of(coll), algorithm);
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
