/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives in place of one long vector, by default beyond 2^31 bytes, and MPI_Allreduce of its
 * bytes, which are beyond 2^31 elements, where MPI counts that far. All cases use the same vector,
 * because a page of memory that is new costs more than a call. An algorithm takes up to two vectors
 * of memory in addition; in a gather or a scatter the root alone needs the whole vector.
 *
 *     large COLL:ALGORITHM[:DOUBLES]...
 *
 * COLL: allreduce, reduce, allgather, bcast, alltoall, gather or scatter.
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
    bool at_root;
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

/* What a rank has before the call, with nothing in the parts of the others. */
static void fill(const struct tap *tap, const struct mode *mode, double *vector, long long count)
{
    const long long part = count / tap->size;
    const long long from = mode->gathers ? tap->rank * part : 0;
    long long to = mode->gathers ? from + part : count;

    if (mode->spreads && tap->rank > 0) {
        to = 0;
    }
    memset(vector, 0, (size_t) from * sizeof(double));
    for (long long i = from; i < to; ++i) {
        vector[i] = own(tap->rank, i);
    }
    memset(vector + to, 0, (size_t) (count - to) * sizeof(double));
}

/* What element i of the result has to be. */
static double due(const struct tap *tap, const struct mode *mode, long long part, long long i)
{
    if (mode->gathers) {
        return own((int) (i / part), i);
    }
    if (mode->spreads) {
        return own(0, i);
    }
    if (mode->trades) {
        return own((int) (i / part), tap->rank * part + i % part);
    }
    return summed(tap->size, i);
}

static bool matches(struct tap *tap, const struct mode *mode, const double *vector, long long count)
{
    const long long part = count / tap->size;
    const bool one_part = mode->parts && tap->rank > 0;
    const long long from = one_part ? tap->rank * part : 0, to = one_part ? from + part : count;

    for (long long i = from; i < to && (!mode->at_root || 0 == tap->rank); ++i) {
        const double expected = due(tap, mode, part, i);

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

static const struct mode *mode_named(const char *coll)
{
    static const struct mode modes[] = {
        {.coll = "allreduce", .call = allreduce},
        {.coll = "reduce", .at_root = true, .call = reduce},
        {.coll = "allgather", .gathers = true, .call = allgather},
        {.coll = "bcast", .spreads = true, .call = bcast},
        {.coll = "alltoall", .trades = true, .call = alltoall},
        {.coll = "gather", .gathers = true, .at_root = true, .call = gather},
        {.coll = "scatter", .spreads = true, .parts = true, .call = scatter}};

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); ++i) {
        if (0 == strcmp(coll, modes[i].coll)) {
            return &modes[i];
        }
    }
    return NULL;
}

/* One case. */
struct subject {
    const struct mode *mode;
    char algorithm[32];
    long long count;
};

/* Read COLL:ALGORITHM[:DOUBLES]; a count that the ranks do not divide is cut. */
static struct subject subject_of(const char *word, int size)
{
    struct subject s = {.count = (1LL << 28) + 5};
    char coll[32] = "";
    const int read = sscanf(word, "%31[a-z]:%31[a-z_]:%lld", coll, s.algorithm, &s.count);

    s.mode = mode_named(coll);
    if (read < 2 || NULL == s.mode || s.count < size || s.count > INT_MAX) {
        fprintf(stderr, "# %s: expected COLL:ALGORITHM or COLL:ALGORITHM:DOUBLES\n", word);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    s.count -= s.count % size;
    return s;
}

static void run_large(struct tap *tap, const struct subject *s, double *vector)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    char key[TAP_TEXT], expect[TAP_TEXT];
    MPI_Comm comm;

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", s->mode->coll);
    snprintf(expect, sizeof(expect), "runs:%s", s->algorithm);
    mpi_check(napcoll_counters_open(&counters, s->mode->coll), "MPI_T_init_thread");
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", key, s->algorithm);
    fill(tap, s->mode, vector, s->count);
    expect_begin(&expectation, &counters);
    mpi_check(s->mode->call(vector, (int) s->count, tap->rank, tap->size, comm), s->mode->coll);
    tap_ok(tap, matches(tap, s->mode, vector, s->count), "large_%s_%s_of_%lld_bytes", s->mode->coll,
           s->algorithm, s->count * (long long) sizeof(double));
    if (allreduce == s->mode->call) {
        bytewise(tap, comm, (unsigned char *) vector, s->count * (long long) sizeof(double));
    }
    tap_ok(tap, expect_met(tap, &expectation, expect), "large_%s_ran_%s", s->mode->coll,
           s->algorithm);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

int main(int argc, char **argv)
{
    long long most = 0;
    struct tap tap;
    double *vector;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    for (int i = 1; i < argc; ++i) {
        const long long count = subject_of(argv[i], tap.size).count;

        most = count > most ? count : most;
    }
    vector = tap_alloc((size_t) most * sizeof(double));
    for (int i = 1; i < argc; ++i) {
        const struct subject subject = subject_of(argv[i], tap.size);

        run_large(&tap, &subject, vector);
    }
    free(vector);
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
