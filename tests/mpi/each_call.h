/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One call of each collective that napcoll has, on blocks of a number of ints, and whether its
 * result is right: blocking, or one that each_run() starts and waits for.
 */
#ifndef TEST_EACH_CALL_H
#define TEST_EACH_CALL_H

#include "modes.h"
#include "tap_mpi.h"

/* The buffers of a rank: room for a block of every rank on each side. */
struct each_place {
    MPI_Comm comm;
    /* each_enter() makes it BLOCKING; another may be set then */
    enum mode mode;
    MPI_Request request;
    int rank, size, root, count;
    /* Part of each number that is sent */
    int salt;
    int *send, *recv;
    int *counts, *displs,
        /* Of every rank: elements, where its block begins, the same in bytes */
        *bytes;
    MPI_Datatype *types;
};

/* What a collective does with blocks. */
enum each_kind {
    EACH_NOTHING,
    EACH_SUM,        /* of a block, for all ranks */
    EACH_SUM_ROOT,   /* for the root */
    EACH_SUM_BEFORE, /* of the ranks up to this one */
    EACH_SUM_BELOW,  /* of the ranks before this one */
    EACH_SUM_BLOCK,  /* of the block with this rank's number */
    EACH_BCAST,
    EACH_GATHER,
    EACH_ALLGATHER,
    EACH_SCATTER,
    EACH_ALLTOALL
};

struct each_call {
    const char *name;
    enum each_kind kind;
    /* The function of p->mode: it sets p->request unless that is BLOCKING */
    int (*make)(struct each_place *p);
};

static int each_barrier(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Barrier, barrier, p->comm);
}

static int each_allreduce(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Allreduce, allreduce, p->send, p->recv, p->count, MPI_INT,
                MPI_SUM, p->comm);
}

static int each_reduce(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Reduce, reduce, p->send, p->recv, p->count, MPI_INT, MPI_SUM,
                p->root, p->comm);
}

static int each_scan(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Scan, scan, p->send, p->recv, p->count, MPI_INT, MPI_SUM,
                p->comm);
}

static int each_exscan(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Exscan, exscan, p->send, p->recv, p->count, MPI_INT, MPI_SUM,
                p->comm);
}

static int each_reduce_scatter(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Reduce_scatter, reduce_scatter, p->send, p->recv, p->counts,
                MPI_INT, MPI_SUM, p->comm);
}

static int each_reduce_scatter_block(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Reduce_scatter_block, reduce_scatter_block, p->send, p->recv,
                p->count, MPI_INT, MPI_SUM, p->comm);
}

static int each_bcast(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Bcast, bcast, p->recv, p->count, MPI_INT, p->root, p->comm);
}

static int each_gather(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Gather, gather, p->send, p->count, MPI_INT, p->recv, p->count,
                MPI_INT, p->root, p->comm);
}

static int each_gatherv(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Gatherv, gatherv, p->send, p->count, MPI_INT, p->recv,
                p->counts, p->displs, MPI_INT, p->root, p->comm);
}

static int each_allgather(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Allgather, allgather, p->send, p->count, MPI_INT, p->recv,
                p->count, MPI_INT, p->comm);
}

static int each_allgatherv(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Allgatherv, allgatherv, p->send, p->count, MPI_INT, p->recv,
                p->counts, p->displs, MPI_INT, p->comm);
}

static int each_scatter(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Scatter, scatter, p->send, p->count, MPI_INT, p->recv,
                p->count, MPI_INT, p->root, p->comm);
}

static int each_scatterv(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Scatterv, scatterv, p->send, p->counts, p->displs, MPI_INT,
                p->recv, p->count, MPI_INT, p->root, p->comm);
}

static int each_alltoall(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Alltoall, alltoall, p->send, p->count, MPI_INT, p->recv,
                p->count, MPI_INT, p->comm);
}

static int each_alltoallv(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Alltoallv, alltoallv, p->send, p->counts, p->displs, MPI_INT,
                p->recv, p->counts, p->displs, MPI_INT, p->comm);
}

static int each_alltoallw(struct each_place *p)
{
    return MAKE(p->mode, &p->request, Alltoallw, alltoallw, p->send, p->counts, p->bytes, p->types,
                p->recv, p->counts, p->bytes, p->types, p->comm);
}

/* Those that most programs use come first. */
static const struct each_call each_calls[] = {
    {"allreduce", EACH_SUM, each_allreduce},
    {"reduce", EACH_SUM_ROOT, each_reduce},
    {"barrier", EACH_NOTHING, each_barrier},
    {"bcast", EACH_BCAST, each_bcast},
    {"allgather", EACH_ALLGATHER, each_allgather},
    {"alltoall", EACH_ALLTOALL, each_alltoall},
    {"allgatherv", EACH_ALLGATHER, each_allgatherv},
    {"reduce_scatter", EACH_SUM_BLOCK, each_reduce_scatter},
    {"reduce_scatter_block", EACH_SUM_BLOCK, each_reduce_scatter_block},
    {"scan", EACH_SUM_BEFORE, each_scan},
    {"exscan", EACH_SUM_BELOW, each_exscan},
    {"alltoallv", EACH_ALLTOALL, each_alltoallv},
    {"alltoallw", EACH_ALLTOALL, each_alltoallw},
    {"gather", EACH_GATHER, each_gather},
    {"gatherv", EACH_GATHER, each_gatherv},
    {"scatter", EACH_SCATTER, each_scatter},
    {"scatterv", EACH_SCATTER, each_scatterv},
};

enum { EACH_COMMON = 6, EACH_CALLS = sizeof(each_calls) / sizeof(each_calls[0]) };

/* Element i of what rank `from` has for rank `to`. */
static int each_value(int from, int to, int i)
{
    return from * 1000 + to * 10 + i % 7;
}

/* Buffers for calls on a communicator, with blocks of a number of ints; to be given back by
 * each_leave(). */
static void each_enter(struct each_place *p, MPI_Comm comm, int root, int count)
{
    *p = (struct each_place){.comm = comm, .request = MPI_REQUEST_NULL, .count = count};
    mpi_check(MPI_Comm_rank(comm, &p->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &p->size), "MPI_Comm_size");
    p->root = root % p->size;
    p->send = tap_alloc((size_t) p->size * (size_t) count * sizeof(int));
    p->recv = tap_alloc((size_t) p->size * (size_t) count * sizeof(int));
    p->counts = tap_alloc(3 * (size_t) p->size * sizeof(int));
    p->displs = p->counts + p->size;
    p->bytes = p->displs + p->size;
    p->types = tap_alloc((size_t) p->size * sizeof(MPI_Datatype));
    for (int r = 0; r < p->size; ++r) {
        p->counts[r] = count;
        p->displs[r] = r * count;
        p->bytes[r] = r * count * (int) sizeof(int);
        p->types[r] = MPI_INT;
    }
}

static void each_leave(struct each_place *p)
{
    free(p->send);
    free(p->recv);
    free(p->counts);
    free(p->types);
}

/* Sum over the first ranks of what each has for rank `to`, element i. */
static int each_sum(const struct each_place *p, int ranks, int to, int i)
{
    return 1000 * (ranks * (ranks - 1) / 2) + ranks * (each_value(0, to, i) + p->salt);
}

/* What element i of block b of the result has to be. */
static int each_due(const struct each_place *p, enum each_kind kind, int b, int i)
{
    switch (kind) {
    case EACH_SUM:
    case EACH_SUM_ROOT:
        return each_sum(p, p->size, 0, i);
    case EACH_SUM_BEFORE:
        return each_sum(p, p->rank + 1, 0, i);
    case EACH_SUM_BELOW:
        return each_sum(p, p->rank, 0, i);
    case EACH_SUM_BLOCK:
        return each_sum(p, p->size, p->rank, i);
    case EACH_BCAST:
        return each_value(p->root, 0, i) + p->salt;
    case EACH_SCATTER:
        return each_value(p->root, p->rank, i) + p->salt;
    case EACH_ALLTOALL:
        return each_value(b, p->rank, i) + p->salt;
    default:
        return each_value(b, 0, i) + p->salt;
    }
}

/* How many blocks of the result this rank has. */
static int each_blocks(const struct each_place *p, enum each_kind kind)
{
    const bool is_root = p->rank == p->root;

    switch (kind) {
    case EACH_NOTHING:
        return 0;
    case EACH_SUM_ROOT:
        return is_root ? 1 : 0;
    case EACH_SUM_BELOW:
        return 0 == p->rank ? 0 : 1;
    case EACH_GATHER:
        return is_root ? p->size : 0;
    case EACH_ALLGATHER:
    case EACH_ALLTOALL:
        return p->size;
    default:
        return 1;
    }
}

/* Buffers as before a call. */
static void each_prepare(struct each_place *p, const struct each_call *call)
{
    const size_t block = (size_t) p->count * sizeof(int);

    for (int r = 0; r < p->size; ++r) {
        for (int i = 0; i < p->count; ++i) {
            p->send[r * p->count + i] = each_value(p->rank, r, i) + p->salt;
        }
    }
    memset(p->recv, -1, block * (size_t) p->size);
    if (EACH_BCAST == call->kind && p->rank == p->root) {
        memcpy(p->recv, p->send, block);
    }
}

/* Whether the buffers are as after a call. */
static bool each_is_right(const struct each_place *p, const struct each_call *call)
{
    bool good = true;

    for (int b = 0; b < each_blocks(p, call->kind); ++b) {
        for (int i = 0; i < p->count; ++i) {
            good = good && each_due(p, call->kind, b, i) == p->recv[b * p->count + i];
        }
    }
    return good;
}

/* The call, and with the nonblocking and persistent ones the wait for it; returns the first
 * error. */
static int each_complete(struct each_place *p, const struct each_call *call)
{
    int rc = call->make(p), freed = MPI_SUCCESS;

    if (BLOCKING == p->mode || MPI_SUCCESS != rc) {
        return rc;
    }
    if (PERSISTENT == p->mode) {
        rc = MPI_Start(&p->request);
    }
    if (MPI_SUCCESS == rc) {
        rc = MPI_Wait(&p->request, MPI_STATUS_IGNORE);
    }
    if (PERSISTENT == p->mode) {
        freed = MPI_Request_free(&p->request);
    }
    return MPI_SUCCESS == rc ? freed : rc;
}

/* Make a call; *good: where it succeeds, whether the result is right. Returns what the call
 * does. */
static inline int each_run(struct each_place *p, const struct each_call *call, bool *good)
{
    int rc;

    each_prepare(p, call);
    rc = each_complete(p, call);
    *good = MPI_SUCCESS != rc || each_is_right(p, call);
    return rc;
}

/* The first `calls` collectives, once each; whether this rank's results are right. */
static inline bool each_of(MPI_Comm comm, int calls, int count, int root)
{
    struct each_place p;
    bool all = true;

    each_enter(&p, comm, root, count);
    for (int i = 0; i < calls; ++i) {
        bool good;

        mpi_check(each_run(&p, &each_calls[i], &good), each_calls[i].name);
        all = all && good;
    }
    each_leave(&p);
    return all;
}

#endif
