/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Scan or MPI_Exscan by one of napcoll's algorithms: what holds for every reduction
 * (reductions.h). Each process chooses for itself whether it works in place. Nobody reduces for
 * rank 0 of an exscan, whose receive buffer is seen to be left alone throughout. Options: see
 * collective.h.
 */
#include "reductions.h"

static struct share scan_share(const struct way *way, int rank, int size)
{
    (void) size;
    return (struct share){.ranks = rank + 1, .count = way->count, .length = way->count};
}

static int scan_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm)
{
    return MPI_Scan(send, recv, way->count, type, op, comm);
}

static struct share exscan_share(const struct way *way, int rank, int size)
{
    (void) size;
    return (struct share){.ranks = rank, .count = way->count, .length = way->count};
}

static int exscan_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    return MPI_Exscan(send, recv, way->count, type, op, comm);
}

/* The receive buffer means nothing on rank 0. */
static void exscan_on_rank_0(struct test *t)
{
    const int rank = t->all.rank, sent = rank + 1, sum = rank * (rank + 1) / 2;
    int apart = -1, in_place = sent, null = -1;
    bool good;

    mpi_check(MPI_Exscan(&sent, &apart, 1, MPI_INT, MPI_SUM, t->all.comm), "MPI_Exscan");
    mpi_check(MPI_Exscan(MPI_IN_PLACE, &in_place, 1, MPI_INT, MPI_SUM, t->all.comm), "MPI_Exscan");
    good = 0 == rank ? -1 == apart && sent == in_place : sum == apart && sum == in_place;
    tap_ok(&t->tap, good, "exscan_leaves_recvbuf_of_rank_0_untouched");
    mpi_check(MPI_Exscan(&sent, 0 == rank ? NULL : &null, 1, MPI_INT, MPI_SUM, t->all.comm),
              "MPI_Exscan");
    tap_ok(&t->tap, 0 == rank || sum == null, "exscan_takes_null_recvbuf_on_rank_0");
}

void test_scans(struct test *t)
{
    static const struct reduction scan = {.chooses = true,
                                          .variants = one_variant,
                                          .share = scan_share,
                                          .call = scan_call,
                                          .bits_name = "repeats_its_bits",
                                          .bits = bits_repeat};
    static const struct reduction exscan = {.chooses = true,
                                            .variants = one_variant,
                                            .share = exscan_share,
                                            .call = exscan_call,
                                            .bits_name = "repeats_its_bits",
                                            .bits = bits_repeat};
    const bool exclusive = 0 == strcmp(t->coll, "exscan");

    t->reduction = exclusive ? &exscan : &scan;
    check_reduction(t);
    if (exclusive) {
        exscan_on_rank_0(t);
    }
}
