/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All 17 collectives once each, with a number of elements for each rank, and whether their results are right.
 */
#ifndef EVERY_COLLECTIVE_H
#define EVERY_COLLECTIVE_H

#include "tap_mpi.h"

/* One process's part in calls on a communicator. */
struct every {
    MPI_Comm comm;
    int rank, size, root, count;
    long long *send, *recv;            /* [size * (count + 1)] */
    int *counts, *bytes, *displs, *at; /* of ranks' blocks: elements, and bytes for alltoallw */
    MPI_Datatype *type;
    bool good;
};

/* Element i of what a rank has for another one. */
static inline long long every_element(int from, int to, int i)
{
    return 1000003LL * from + 1009LL * to + i;
}

static inline void every_fill(struct every *e)
{
    for (int to = 0; to < e->size; ++to) {
        for (int i = 0; i < e->count; ++i) {
            e->send[to * e->count + i] = every_element(e->rank, to, i);
            e->recv[to * e->count + i] = -1;
        }
    }
}

/* Whether block `place` of what was received is that of a rank for another one. */
static inline void every_is(struct every *e, int place, int from, int to)
{
    for (int i = 0; i < e->count; ++i) {
        e->good = e->good && e->recv[place * e->count + i] == every_element(from, to, i);
    }
}

/* Whether what was received is the sum over ranks first .. last of their blocks for a rank. */
static inline void every_is_sum(struct every *e, int first, int last, int to)
{
    for (int i = 0; i < e->count; ++i) {
        long long sum = 0;

        for (int from = first; from <= last; ++from) {
            sum += every_element(from, to, i);
        }
        e->good = e->good && e->recv[i] == sum;
    }
}

static inline void every_reduction(struct every *e)
{
    const int n = e->count;

    every_fill(e);
    mpi_check(MPI_Allreduce(e->send, e->recv, n, MPI_LONG_LONG, MPI_SUM, e->comm), "MPI_Allreduce");
    every_is_sum(e, 0, e->size - 1, 0);
    every_fill(e);
    mpi_check(MPI_Reduce(e->send, e->recv, n, MPI_LONG_LONG, MPI_SUM, e->root, e->comm),
              "MPI_Reduce");
    if (e->rank == e->root) {
        every_is_sum(e, 0, e->size - 1, 0);
    }
    every_fill(e);
    mpi_check(MPI_Reduce_scatter(e->send, e->recv, e->counts, MPI_LONG_LONG, MPI_SUM, e->comm),
              "MPI_Reduce_scatter");
    every_is_sum(e, 0, e->size - 1, e->rank);
    every_fill(e);
    mpi_check(MPI_Reduce_scatter_block(e->send, e->recv, n, MPI_LONG_LONG, MPI_SUM, e->comm),
              "MPI_Reduce_scatter_block");
    every_is_sum(e, 0, e->size - 1, e->rank);
    every_fill(e);
    mpi_check(MPI_Scan(e->send, e->recv, n, MPI_LONG_LONG, MPI_SUM, e->comm), "MPI_Scan");
    every_is_sum(e, 0, e->rank, 0);
    every_fill(e);
    mpi_check(MPI_Exscan(e->send, e->recv, n, MPI_LONG_LONG, MPI_SUM, e->comm), "MPI_Exscan");
    if (e->rank > 0) {
        every_is_sum(e, 0, e->rank - 1, 0);
    }
}

static inline void every_gathering(struct every *e)
{
    const int n = e->count;

    for (int uneven = 0; uneven < 2; ++uneven) {
        every_fill(e);
        mpi_check(
            uneven ? MPI_Allgatherv(e->send, n, MPI_LONG_LONG, e->recv, e->counts, e->displs,
                                    MPI_LONG_LONG, e->comm)
                   : MPI_Allgather(e->send, n, MPI_LONG_LONG, e->recv, n, MPI_LONG_LONG, e->comm),
            "MPI_Allgather or MPI_Allgatherv");
        for (int from = 0; from < e->size; ++from) {
            every_is(e, from, from, 0);
        }
        every_fill(e);
        mpi_check(uneven ? MPI_Gatherv(e->send, n, MPI_LONG_LONG, e->recv, e->counts, e->displs,
                                       MPI_LONG_LONG, e->root, e->comm)
                         : MPI_Gather(e->send, n, MPI_LONG_LONG, e->recv, n, MPI_LONG_LONG, e->root,
                                      e->comm),
                  "MPI_Gather or MPI_Gatherv");
        for (int from = 0; from < e->size && e->rank == e->root; ++from) {
            every_is(e, from, from, 0);
        }
        every_fill(e);
        mpi_check(uneven ? MPI_Scatterv(e->send, e->counts, e->displs, MPI_LONG_LONG, e->recv, n,
                                        MPI_LONG_LONG, e->root, e->comm)
                         : MPI_Scatter(e->send, n, MPI_LONG_LONG, e->recv, n, MPI_LONG_LONG,
                                       e->root, e->comm),
                  "MPI_Scatter or MPI_Scatterv");
        every_is(e, 0, e->root, e->rank);
    }
    every_fill(e);
    if (e->rank == e->root) {
        memcpy(e->recv, e->send, (size_t) n * sizeof(*e->recv));
    }
    mpi_check(MPI_Bcast(e->recv, n, MPI_LONG_LONG, e->root, e->comm), "MPI_Bcast");
    every_is(e, 0, e->root, 0);
}

static inline void every_exchange(struct every *e)
{
    const int n = e->count;

    for (int form = 0; form < 3; ++form) {
        every_fill(e);
        if (0 == form) {
            mpi_check(MPI_Alltoall(e->send, n, MPI_LONG_LONG, e->recv, n, MPI_LONG_LONG, e->comm),
                      "MPI_Alltoall");
        } else if (1 == form) {
            mpi_check(MPI_Alltoallv(e->send, e->counts, e->displs, MPI_LONG_LONG, e->recv,
                                    e->counts, e->displs, MPI_LONG_LONG, e->comm),
                      "MPI_Alltoallv");
        } else {
            mpi_check(MPI_Alltoallw(e->send, e->counts, e->at, e->type, e->recv, e->counts, e->at,
                                    e->type, e->comm),
                      "MPI_Alltoallw");
        }
        for (int from = 0; from < e->size; ++from) {
            every_is(e, from, from, e->rank);
        }
    }
    mpi_check(MPI_Barrier(e->comm), "MPI_Barrier");
}

static inline void every_open(struct every *e, MPI_Comm comm, int count, int root)
{
    size_t ranks;

    *e = (struct every){.comm = comm, .count = count, .good = true};
    mpi_check(MPI_Comm_rank(comm, &e->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &e->size), "MPI_Comm_size");
    ranks = (size_t) e->size;
    e->root = root % e->size;
    e->send = tap_alloc(ranks * (size_t) count * sizeof(*e->send));
    e->recv = tap_alloc(ranks * (size_t) count * sizeof(*e->recv));
    e->counts = tap_alloc(3 * ranks * sizeof(*e->counts));
    e->displs = e->counts + ranks;
    e->at = e->displs + ranks;
    e->type = tap_alloc(ranks * sizeof(*e->type));
    for (int i = 0; i < e->size; ++i) {
        e->counts[i] = count;
        e->displs[i] = i * count;
        e->at[i] = i * count * (int) sizeof(*e->send);
        e->type[i] = MPI_LONG_LONG;
    }
}

static inline bool every_close(struct every *e)
{
    free(e->send);
    free(e->recv);
    free(e->counts);
    free(e->type);
    return e->good;
}

/* All collectives on a communicator; whether this rank's results are right. */
static inline bool call_every_collective(MPI_Comm comm, int count, int root)
{
    struct every e;

    every_open(&e, comm, count, root);
    every_reduction(&e);
    every_gathering(&e);
    every_exchange(&e);
    return every_close(&e);
}

/* Six of them that programs mostly use. */
static inline bool call_six_collectives(MPI_Comm comm, int count)
{
    struct every e;

    every_open(&e, comm, count, 0);
    every_fill(&e);
    mpi_check(MPI_Allreduce(e.send, e.recv, count, MPI_LONG_LONG, MPI_SUM, comm), "MPI_Allreduce");
    every_is_sum(&e, 0, e.size - 1, 0);
    mpi_check(MPI_Allgather(e.send, count, MPI_LONG_LONG, e.recv, count, MPI_LONG_LONG, comm),
              "MPI_Allgather");
    every_is(&e, e.size - 1, e.size - 1, 0);
    mpi_check(MPI_Alltoall(e.send, count, MPI_LONG_LONG, e.recv, count, MPI_LONG_LONG, comm),
              "MPI_Alltoall");
    every_is(&e, e.size - 1, e.size - 1, e.rank);
    mpi_check(MPI_Bcast(e.recv, count, MPI_LONG_LONG, 0, comm), "MPI_Bcast");
    mpi_check(MPI_Reduce(e.send, e.recv, count, MPI_LONG_LONG, MPI_SUM, 0, comm), "MPI_Reduce");
    mpi_check(MPI_Barrier(comm), "MPI_Barrier");
    return every_close(&e);
}

#endif
