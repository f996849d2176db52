/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Allreduce by one of napcoll's algorithms: what holds for every reduction (reductions.h), and
 * that all ranks get the same bits. Options: see collective.h.
 */
#include "reductions.h"

static struct share allreduce_share(const struct way *way, int rank, int size)
{
    (void) rank;
    return (struct share){.ranks = size, .count = way->count, .length = way->count};
}

static int allreduce_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm)
{
    return MPI_Allreduce(send, recv, way->count, type, op, comm);
}

static bool identical_doubles(struct test *t, const struct group *g, int count)
{
    size_t bytes = (size_t) count * sizeof(double);
    double *send = tap_alloc(bytes), *recv = tap_alloc(bytes), *first = tap_alloc(bytes);
    bool good;

    for (int i = 0; i < count; ++i) {
        send[i] = wild(g->rank, i);
    }
    mpi_check(MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, g->comm), "MPI_Allreduce");
    memcpy(first, recv, bytes);
    mpi_check(MPI_Bcast(first, count, MPI_DOUBLE, 0, g->reference), "MPI_Bcast");
    good = 0 == memcmp(first, recv, bytes);
    if (!good) {
        tap_note(&t->tap, "sum of %d doubles has other bits than on rank 0", count);
    }
    free(send);
    free(recv);
    free(first);
    return good;
}

static bool identical_floats(struct test *t, const struct group *g)
{
    float send[SMALL], recv[SMALL], first[SMALL];
    bool good;

    for (int i = 0; i < SMALL; ++i) {
        send[i] = (float) ((i + 1) * 1e-3 + g->rank % 3 * 1e7 - g->rank % 5 * 3e6);
    }
    mpi_check(MPI_Allreduce(send, recv, SMALL, MPI_FLOAT, MPI_SUM, g->comm), "MPI_Allreduce");
    memcpy(first, recv, sizeof(recv));
    mpi_check(MPI_Bcast(first, SMALL, MPI_FLOAT, 0, g->reference), "MPI_Bcast");
    good = 0 == memcmp(first, recv, sizeof(recv));
    if (!good) {
        tap_note(&t->tap, "sum of %d floats has other bits than on rank 0", SMALL);
    }
    return good;
}

static bool identical_bits(struct test *t, const struct group *g, int count)
{
    bool good = identical_doubles(t, g, count);

    return (SMALL != count || identical_floats(t, g)) && good;
}

static void null_buffers(struct test *t)
{
    mpi_check(MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, t->all.comm), "MPI_Allreduce");
    tap_ok(&t->tap, true, "allreduce_zero_count_takes_null_buffers");
}

void test_allreduce(struct test *t)
{
    static const struct reduction allreduce = {.variants = one_variant,
                                               .share = allreduce_share,
                                               .call = allreduce_call,
                                               .bits_name = "identical_bits_on_all_ranks",
                                               .bits = identical_bits};

    t->reduction = &allreduce;
    check_reduction(t);
    null_buffers(t);
}
