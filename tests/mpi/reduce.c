/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Reduce by one of napcoll's algorithms: what holds for every reduction (reductions.h), to
 * every root or, of many ranks, to some spread over them; in place is at the root alone. The
 * receive buffers of the other ranks are seen to be left alone throughout. Options: see
 * collective.h.
 */
#include "reductions.h"

enum { ROOTS_MAX = 9 };

static int num_roots(int size)
{
    return size < ROOTS_MAX ? size : ROOTS_MAX;
}

/* Among them are the first, the last and the middle one. */
static int root_of(int variant, int size)
{
    return size <= ROOTS_MAX ? variant : (size - 1) * variant / (ROOTS_MAX - 1);
}

static struct share reduce_share(const struct way *way, int rank, int size)
{
    return (struct share){.ranks = rank == root_of(way->variant, size) ? size : 0,
                          .count = way->count,
                          .length = way->count};
}

static int reduce_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    int size;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return MPI_Reduce(send, recv, way->count, type, op, root_of(way->variant, size), comm);
}

/* Sums the ranks and one each, to each root, apart and in place; the other ranks give a receive
 * buffer or none. */
static bool sums_at(struct test *t, int root, bool null_elsewhere)
{
    const int size = t->all.size, sent = t->all.rank + 1;
    bool is_root = t->all.rank == root;
    int apart = -1, in_place = is_root ? sent : -1, expected = is_root ? size * (size + 1) / 2 : -1;

    mpi_check(MPI_Reduce(&sent, is_root || !null_elsewhere ? &apart : NULL, 1, MPI_INT, MPI_SUM,
                         root, t->all.comm),
              "MPI_Reduce");
    mpi_check(MPI_Reduce(is_root ? MPI_IN_PLACE : &sent,
                         is_root || !null_elsewhere ? &in_place : NULL, 1, MPI_INT, MPI_SUM, root,
                         t->all.comm),
              "MPI_Reduce");
    if (apart != expected || in_place != expected) {
        tap_note(&t->tap, "root %d: expected %d, got %d and, in place, %d", root, expected, apart,
                 in_place);
        return false;
    }
    return true;
}

static void each_root(struct test *t)
{
    static const char *const name[] = {"leaves_recvbuf_elsewhere_untouched",
                                       "takes_null_recvbuf_elsewhere"};

    for (int null = 0; null < 2; ++null) {
        bool good = true;

        for (int variant = 0; variant < num_roots(t->all.size); ++variant) {
            good = sums_at(t, root_of(variant, t->all.size), 1 == null) && good;
        }
        tap_ok(&t->tap, good, "reduce_to_each_root_%s", name[null]);
    }
}

void test_reduce(struct test *t)
{
    static const struct reduction reduce = {.rooted = true,
                                            .variants = num_roots,
                                            .share = reduce_share,
                                            .call = reduce_call,
                                            .bits_name = "repeats_its_bits",
                                            .bits = bits_repeat};

    t->reduction = &reduce;
    check_reduction(t);
    each_root(t);
}
