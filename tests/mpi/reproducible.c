/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums whose rounding depends on the order of the terms, by every collective that has a way that
 * does not depend on the nodes (parameter reproducible). It prints the bits of the results of all
 * ranks as
 *
 *     # digest COLLECTIVE BYTES HEX
 *
 * for vectors of several sizes; placements.sh compares these lines between placements of the same
 * ranks.
 *
 *     reproducible [--expect WORDS]
 *
 * WORDS: see counters.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "counters.h"

struct reduction {
    const char *coll;
    int (*call)(const double *send, double *recv, int count, MPI_Comm comm);
};

static int allreduce(const double *send, double *recv, int count, MPI_Comm comm)
{
    return MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
}

/* To a rank in the middle, which is nobody's first in most placements. */
static int reduce(const double *send, double *recv, int count, MPI_Comm comm)
{
    int size;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return MPI_Reduce(send, recv, count, MPI_DOUBLE, MPI_SUM, size / 2, comm);
}

/* The count is of all blocks; where the ranks do not divide it, some at the end are left
 * out. */
static int reduce_scatter_block(const double *send, double *recv, int count, MPI_Comm comm)
{
    int size;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return MPI_Reduce_scatter_block(send, recv, count / size, MPI_DOUBLE, MPI_SUM, comm);
}

static int reduce_scatter(const double *send, double *recv, int count, MPI_Comm comm)
{
    int size, rc, *counts;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    counts = tap_alloc((size_t) size * sizeof(*counts));
    for (int rank = 0; rank < size; ++rank) {
        counts[rank] = (int) ((rank + 1LL) * count / size - (long long) rank * count / size);
    }
    rc = MPI_Reduce_scatter(send, recv, counts, MPI_DOUBLE, MPI_SUM, comm);
    free(counts);
    return rc;
}

static int scan(const double *send, double *recv, int count, MPI_Comm comm)
{
    return MPI_Scan(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
}

static int exscan(const double *send, double *recv, int count, MPI_Comm comm)
{
    return MPI_Exscan(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
}

/* All bits of the fraction are used, and the magnitudes lie within its length: nearly every sum is
 * rounded, and none swallows the rest. */
static double term(int rank, int i)
{
    uint64_t x = ((uint64_t) rank << 32) + (uint64_t) i + 1;

    /* Any mixing of the bits would do */
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    x ^= x >> 33;
    return ldexp((double) (x >> 12), (int) (x & 15)) * (0 == (x & 16) ? 1.0 : -1.0);
}

/* FNV-1a of the bytes. */
static uint64_t digest(const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* What a rank does not get counts as zeros. */
static void print_digest(const struct tap *tap, const struct reduction *r, int count, MPI_Comm comm)
{
    const size_t bytes = (size_t) count * sizeof(double);
    double *send = tap_alloc(bytes), *recv = tap_alloc(bytes);
    double *all = 0 == tap->rank ? tap_alloc(bytes * (size_t) tap->size) : NULL;

    for (int i = 0; i < count; ++i) {
        send[i] = term(tap->rank, i);
    }
    mpi_check(r->call(send, recv, count, comm), r->coll);
    mpi_check(MPI_Gather(recv, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, tap->comm),
              "MPI_Gather");
    if (0 == tap->rank) {
        printf("# digest %s %zu %016" PRIx64 "\n", r->coll, bytes,
               digest(all, bytes * (size_t) tap->size));
        fflush(stdout);
    }
    free(send);
    free(recv);
    free(all);
}

/* The sizes are of a rank's vector or, where the result is scattered, of a block. */
static void check(struct tap *tap, const struct reduction *r, MPI_Comm comm, const char *expect)
{
    static const int sizes[] = {1, 8, 12500};
    const int blocks = NULL == strstr(r->coll, "scatter") ? 1 : tap->size;
    struct napcoll_counters counters = {.num = 0};
    struct expectation expectation;

    mpi_check(napcoll_counters_open(&counters, r->coll), "MPI_T_init_thread");
    expect_begin(&expectation, &counters);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        print_digest(tap, r, sizes[i] < 1000 ? blocks * sizes[i] : sizes[i], comm);
    }
    tap_ok(tap, expect_met(tap, &expectation, expect), "reproducible_%s_ran_what_was_asked_for",
           r->coll);
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

int main(int argc, char **argv)
{
    static const struct reduction all[] = {{"allreduce", allreduce},
                                           {"reduce", reduce},
                                           {"reduce_scatter", reduce_scatter},
                                           {"reduce_scatter_block", reduce_scatter_block},
                                           {"scan", scan},
                                           {"exscan", exscan}};
    const char *expect;
    struct tap tap;
    MPI_Comm comm;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    expect = tap_option(argc, argv, "--expect", "any");
    if (!expect_valid(expect)) {
        fprintf(stderr,
                "# --expect %s: expected runs[:ALGORITHM], fallback[:REASON], none or any\n",
                expect);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", NULL, NULL);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        check(&tap, &all[i], comm, expect);
    }
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
