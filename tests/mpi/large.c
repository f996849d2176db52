/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce in place of one long vector, by default beyond 2^31 bytes, and of its bytes, which
 * are beyond 2^31 elements, where MPI counts so far. It takes two to three times the vector of
 * memory per process.
 *
 *     large [--count DOUBLES] [--algorithm NAME] [--expect WORDS]
 */
#include <limits.h>

#include "counters.h"

/* Distinct over any distance that a wrapped or truncated offset might bring. */
static double own(int rank, long long i)
{
    return (double) (i % 1000003) + rank;
}

static bool matches(struct tap *tap, const double *sum, long long count)
{
    double p = tap->size;

    for (long long i = 0; i < count; ++i) {
        double expected = p * own(0, i) + p * (p - 1.0) / 2.0;

        if (sum[i] < expected || sum[i] > expected) {
            tap_note(tap, "element %lld of %lld: got %.17g, expected %.17g", i, count, sum[i],
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
    const long long stretch = 1 << 20; /* bytes with the same value */
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

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    const char *algorithm, *expect;
    struct tap tap;
    MPI_Comm comm;
    long long count;
    double *vector;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    algorithm = tap_option(argc, argv, "--algorithm", NULL);
    expect = tap_option(argc, argv, "--expect", "any");
    count = tap_option_number(argc, argv, "--count", (1LL << 28) + 3);
    count = count < INT_MAX ? count : INT_MAX;
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    comm = tap_dup(MPI_COMM_WORLD, "napcoll",
                   NULL == algorithm ? NULL : "napcoll_allreduce_algorithm", algorithm);
    vector = tap_alloc((size_t) count * sizeof(double));
    for (long long i = 0; i < count; ++i) {
        vector[i] = own(tap.rank, i);
    }
    expect_begin(&expectation, &counters);
    mpi_check(MPI_Allreduce(MPI_IN_PLACE, vector, (int) count, MPI_DOUBLE, MPI_SUM, comm),
              "MPI_Allreduce");
    tap_ok(&tap, matches(&tap, vector, count), "large_allreduce_of_%lld_bytes",
           count * (long long) sizeof(double));
    bytewise(&tap, comm, (unsigned char *) vector, count * (long long) sizeof(double));
    tap_ok(&tap, expect_valid(expect) && expect_met(&tap, &expectation, expect),
           "large_ran_what_was_asked_for (%s)", expect);
    free(vector);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
