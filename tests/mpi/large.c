/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce, MPI_Reduce, MPI_Allgather, MPI_Bcast, MPI_Gather or MPI_Scatter in place of one
 * long vector, by default beyond 2^31 bytes, and MPI_Allreduce of its bytes, which are beyond 2^31
 * elements, where MPI counts so far. It takes two to three times the vector of memory per process;
 * a gather or scatter takes that of the root alone, and a part of it of the others.
 *
 *     large [--coll allreduce|reduce|allgather|bcast|alltoall|gather|scatter] [--count DOUBLES]
 *           [--algorithm NAME] [--expect WORDS]
 */
#include <limits.h>

#include "counters.h"

/* Distinct over any distance that a wrapped or truncated offset might bring. */
static double own(int rank, long long i)
{
    return (double) (i % 1000003) + rank;
}

static double summed(int size, long long i)
{
    double p = size;

    return p * own(0, i) + p * (p - 1.0) / 2.0;
}

/* One collective. */
struct mode {
    const char *coll;
    /* Each rank has its part of the vector, else all of one of its own */
    bool gathers;
    /* The result is on rank 0 alone */
    bool rooted;
    /* The vector is on rank 0 alone, before */
    bool spreads;
    /* Each rank has a part for every other */
    bool trades;
    /* Each rank but 0 gets its part of that vector alone */
    bool parts;
    int (*call)(double *vector, int count, int rank, int size, MPI_Comm comm);
};

static int allreduce(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    (void) rank;
    (void) size;
    return MPI_Allreduce(MPI_IN_PLACE, vector, count, MPI_DOUBLE, MPI_SUM, comm);
}

static int reduce(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    (void) size;
    return MPI_Reduce(0 == rank ? MPI_IN_PLACE : vector, 0 == rank ? vector : NULL, count,
                      MPI_DOUBLE, MPI_SUM, 0, comm);
}

static int allgather(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    (void) rank;
    return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, vector, count / size, MPI_DOUBLE,
                         comm);
}

static int bcast(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    (void) rank;
    (void) size;
    return MPI_Bcast(vector, count, MPI_DOUBLE, 0, comm);
}

static int alltoall(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    (void) rank;
    return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, vector, count / size, MPI_DOUBLE, comm);
}

/* A rank's part lies where it is in the whole vector. */
static int gather(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    const int part = count / size;

    if (0 == rank) {
        return MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, vector, part, MPI_DOUBLE, 0, comm);
    }
    return MPI_Gather(vector + (ptrdiff_t) rank * part, part, MPI_DOUBLE, NULL, 0,
                      MPI_DATATYPE_NULL, 0, comm);
}

static int scatter(double *vector, int count, int rank, int size, MPI_Comm comm)
{
    const int part = count / size;

    if (0 == rank) {
        return MPI_Scatter(vector, part, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, comm);
    }
    return MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, vector + (ptrdiff_t) rank * part, part,
                       MPI_DOUBLE, 0, comm);
}

/* Room for what a rank has before the call, with nothing in the parts of the others. */
static double *filled(const struct tap *tap, const struct mode *mode, long long count)
{
    double *vector = tap_alloc((size_t) count * sizeof(double));
    long long part = count / tap->size;
    long long from = mode->gathers ? tap->rank * part : 0;
    long long to = mode->gathers ? from + part : mode->spreads && tap->rank > 0 ? 0 : count;

    for (long long i = from; i < to; ++i) {
        vector[i] = own(tap->rank, i);
    }
    return vector;
}

static bool matches(struct tap *tap, const struct mode *mode, const double *vector, long long count)
{
    long long part = count / tap->size;
    bool one_part = mode->parts && tap->rank > 0;
    long long from = one_part ? tap->rank * part : 0, to = one_part ? from + part : count;

    for (long long i = from; i < to && (!mode->rooted || 0 == tap->rank); ++i) {
        double expected = mode->gathers   ? own((int) (i / part), i)
                          : mode->spreads ? own(0, i)
                          : mode->trades  ? own((int) (i / part), tap->rank * part + i % part)
                                          : summed(tap->size, i);

        if (vector[i] < expected || vector[i] > expected) {
            tap_note(tap, "element %lld of %lld: got %.17g, expected %.17g", i, count, vector[i],
                     expected);
            return false;
        }
    }
    return true;
}

/* The same memory as single bytes, more than an int counts. */
static void bytewise(struct tap *tap, MPI_Comm comm, unsigned char *byte, long long count)
{
#if MPI_VERSION >= 4
    /* Bytes with the same value */
    const long long stretch = 1 << 20;
    bool right = true;

    for (long long i = 0; i < count; i += stretch) {
        memset(byte + i, (int) (i / stretch % 251) + tap->rank,
               (size_t) (count - i < stretch ? count - i : stretch));
    }
    mpi_check(MPI_Allreduce_c(MPI_IN_PLACE, byte, (MPI_Count) count, MPI_UINT8_T, MPI_MAX, comm),
              "MPI_Allreduce_c");
    for (long long i = 0; i < count; i += stretch) {
        long long last = count - i < stretch ? count - i - 1 : stretch - 1;

        right = right && byte[i] == i / stretch % 251 + tap->size - 1
                && 0 == memcmp(byte + i, byte + i + 1, (size_t) last);
    }
    tap_ok(tap, right, "large_count_of_%lld_elements", count);
#else
    (void) comm;
    (void) byte;
    (void) count;
    tap_skip(tap, "large_count", "this MPI counts in int");
#endif
}

static const struct mode *mode_option(int argc, char **argv)
{
    static const struct mode modes[] = {
        {.coll = "allreduce", .call = allreduce},
        {.coll = "reduce", .rooted = true, .call = reduce},
        {.coll = "allgather", .gathers = true, .call = allgather},
        {.coll = "bcast", .spreads = true, .call = bcast},
        {.coll = "alltoall", .trades = true, .call = alltoall},
        {.coll = "gather", .gathers = true, .rooted = true, .call = gather},
        {.coll = "scatter", .spreads = true, .parts = true, .call = scatter}};
    const char *given = tap_option(argc, argv, "--coll", modes[0].coll);

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); ++i) {
        if (0 == strcmp(given, modes[i].coll)) {
            return &modes[i];
        }
    }
    fprintf(
        stderr,
        "# --coll %s: expected allreduce, reduce, allgather, bcast, alltoall, gather or scatter\n",
        given);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

/* A duplicate of the world with an algorithm, or the default one with NULL. */
static MPI_Comm dup_world(const struct mode *mode, const char *algorithm)
{
    char key[TAP_TEXT];

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", mode->coll);
    return tap_dup(MPI_COMM_WORLD, "napcoll", NULL == algorithm ? NULL : key, algorithm);
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    const struct mode *mode;
    const char *expect;
    struct tap tap;
    MPI_Comm comm;
    long long count;
    double *vector;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    mode = mode_option(argc, argv);
    expect = tap_option(argc, argv, "--expect", "any");
    count = tap_option_number(argc, argv, "--count", (1LL << 28) + 5);
    count = count < INT_MAX ? count : INT_MAX;
    count -= mode->gathers || mode->parts || mode->trades ? count % tap.size : 0;
    mpi_check(napcoll_counters_open(&counters, mode->coll), "MPI_T_init_thread");
    comm = dup_world(mode, tap_option(argc, argv, "--algorithm", NULL));
    vector = filled(&tap, mode, count);
    expect_begin(&expectation, &counters);
    mpi_check(mode->call(vector, (int) count, tap.rank, tap.size, comm), mode->coll);
    tap_ok(&tap, matches(&tap, mode, vector, count), "large_%s_of_%lld_bytes", mode->coll,
           count * (long long) sizeof(double));
    if (allreduce == mode->call) {
        bytewise(&tap, comm, (unsigned char *) vector, count * (long long) sizeof(double));
    }
    tap_ok(&tap, expect_valid(expect) && expect_met(&tap, &expectation, expect),
           "large_ran_what_was_asked_for (%s)", expect);
    free(vector);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
