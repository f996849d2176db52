/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Collectives that are called to see which algorithm is fastest: all ranks. Each contestant has a duplicate of the
 * communicator, whose info key forces it; those of the next case take their places.
 */

#include <stdlib.h>
#include <string.h>

#include "napcoll_tune.h"

/* ---- calls ---- */

static void call_allreduce(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Allreduce(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Allreduce");
}

static void call_reduce(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Reduce(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, 0, comm),
               "MPI_Reduce");
}

static void call_exscan(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Exscan(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Exscan");
}

static void call_scan(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Scan(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Scan");
}

static void call_reduce_scatter_block(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Reduce_scatter_block(send, recv, bytes / (int) sizeof(double), MPI_DOUBLE,
                                        MPI_SUM, comm),
               "MPI_Reduce_scatter_block");
}

static void call_barrier(MPI_Comm comm, int bytes, char *send, char *recv)
{
    (void) bytes;
    (void) send;
    (void) recv;
    tune_check(MPI_Barrier(comm), "MPI_Barrier");
}

static void call_bcast(MPI_Comm comm, int bytes, char *send, char *recv)
{
    (void) recv;
    tune_check(MPI_Bcast(send, bytes, MPI_BYTE, 0, comm), "MPI_Bcast");
}

static void call_allgather(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, comm), "MPI_Allgather");
}

/* Blocks of `each` elements for all ranks: their counts, which the caller frees, and in the same memory where they begin. */
static int *even_counts(MPI_Comm comm, int each, int **displacements)
{
    int ranks, *counts;

    tune_check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    counts = malloc(2 * (size_t) ranks * sizeof(*counts));
    if (NULL == counts) {
        tune_out_of_memory();
    }
    *displacements = counts + ranks;
    for (int i = 0; i < ranks; i++) {
        counts[i] = each;
        (*displacements)[i] = i * each;
    }
    return counts;
}

static void call_allgatherv(MPI_Comm comm, int bytes, char *send, char *recv)
{
    int *displacements, *counts = even_counts(comm, bytes, &displacements);

    tune_check(MPI_Allgatherv(send, bytes, MPI_BYTE, recv, counts, displacements, MPI_BYTE, comm),
               "MPI_Allgatherv");
    free(counts);
}

static void call_reduce_scatter(MPI_Comm comm, int bytes, char *send, char *recv)
{
    int *displacements, *counts = even_counts(comm, bytes / (int) sizeof(double), &displacements);

    tune_check(MPI_Reduce_scatter(send, recv, counts, MPI_DOUBLE, MPI_SUM, comm),
               "MPI_Reduce_scatter");
    free(counts);
}

static void call_alltoall(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, comm), "MPI_Alltoall");
}

/* Blocks of `bytes` in the mean, from none up to twice as many. */
static void call_alltoallv(MPI_Comm comm, int bytes, char *send, char *recv)
{
    int *displacements, *counts = even_counts(comm, bytes, &displacements), ranks, rank;

    tune_check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    tune_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    for (int i = 0, at = 0; ranks > 1 && i < ranks; at += counts[i++]) {
        counts[i] = (int) (2LL * bytes * ((rank + i) % ranks) / (ranks - 1));
        displacements[i] = at;
    }
    tune_check(MPI_Alltoallv(send, counts, displacements, MPI_BYTE, recv, counts, displacements,
                             MPI_BYTE, comm),
               "MPI_Alltoallv");
    free(counts);
}

static void call_gather(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Gather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, 0, comm), "MPI_Gather");
}

static void call_scatter(MPI_Comm comm, int bytes, char *send, char *recv)
{
    tune_check(MPI_Scatter(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, 0, comm), "MPI_Scatter");
}

/* Sizes are those of vectors, or of a rank's block where buffers hold one for each rank. */
static const size_t of_vectors[] = {8, 512, 4096, 32768, 262144, 1048576};
static const size_t of_blocks[] = {8, 512, 4096, 32768};
static const size_t of_nothing[] = {0};

#define ALL(sizes) (int) (sizeof(sizes) / sizeof(*(sizes))), sizes

static const struct {
    tune_subject_t subject;
    void (*call)(MPI_Comm comm, int bytes, char *send, char *recv);
    bool overlaps; /* who is done with one would begin the next */
} cases[] = {
    {{&napcoll_allreduce, false, false, ALL(of_vectors)}, call_allreduce, false},
    {{&napcoll_bcast, false, false, ALL(of_vectors)}, call_bcast, true},
    {{&napcoll_alltoall, true, false, ALL(of_blocks)}, call_alltoall, false},
    {{&napcoll_reduce, false, false, ALL(of_vectors)}, call_reduce, true},
    {{&napcoll_barrier, false, false, ALL(of_nothing)}, call_barrier, false},
    {{&napcoll_allgather, true, false, ALL(of_blocks)}, call_allgather, false},
    {{&napcoll_reduce_scatter_block, true, false, ALL(of_blocks)},
     call_reduce_scatter_block,
     false},
    {{&napcoll_scan, false, false, ALL(of_vectors)}, call_scan, true},
    {{&napcoll_allgatherv, true, false, ALL(of_blocks)}, call_allgatherv, false},
    {{&napcoll_reduce_scatter, true, false, ALL(of_blocks)}, call_reduce_scatter, false},
    {{&napcoll_exscan, false, false, ALL(of_vectors)}, call_exscan, true},
    {{&napcoll_alltoallv, true, true, ALL(of_blocks)}, call_alltoallv, false},
    {{&napcoll_gather, true, false, ALL(of_blocks)}, call_gather, true},
    {{&napcoll_scatter, true, false, ALL(of_blocks)}, call_scatter, true},
};

_Static_assert(sizeof(cases) / sizeof(*cases) == TUNE_SUBJECTS, "one place for each");

const tune_subject_t *tune_subject(int index)
{
    return &cases[index].subject;
}

size_t tune_subject_room(const tune_t *t, int index, size_t bytes)
{
    return cases[index].subject.blocks ? bytes * (size_t) t->ranks : bytes;
}

/* ---- contestants ---- */

/* The contestant of a place gives way to the one that t->action on rank 0 says. */
static void force(tune_t *t, int subject, int place)
{
    const napcoll_collective_t *collective = cases[subject].subject.collective;
    char key[MPI_MAX_INFO_KEY + 1];
    MPI_Info info;

    if (MPI_COMM_NULL != t->forced[place]) {
        tune_check(MPI_Comm_free(&t->forced[place]), "MPI_Comm_free");
    }
    tune_check(MPI_Bcast(t->action, TUNE_ACTION, MPI_CHAR, 0, t->comm), "MPI_Bcast");
    napcoll_collective_info_key(collective, key, MPI_MAX_INFO_KEY);
    tune_check(MPI_Info_create(&info), "MPI_Info_create");
    tune_check(MPI_Info_set(info, "ompi_comm_coll_preference", "napcoll"), "MPI_Info_set");
    tune_check(MPI_Info_set(info, key, t->action), "MPI_Info_set");
    tune_check(MPI_Comm_dup_with_info(t->comm, info, &t->forced[place]), "MPI_Comm_dup_with_info");
    tune_check(MPI_Info_free(&info), "MPI_Info_free");
}

/* Calls, one after the other; rank 0 gets what one took the slowest process. */
static void call(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    const int subject = probe->from;
    const size_t room = tune_subject_room(t, subject, probe->bytes);
    char *buffer = calloc(2, room > 0 ? room : 1);
    double mine = 0, longest = 0;

    if (NULL == buffer) {
        tune_out_of_memory();
    }
    for (int i = 0; i < probe->count; i++) {
        double start;

        if (0 == i || cases[subject].overlaps) {
            tune_check(MPI_Barrier(t->comm), "MPI_Barrier");
        }
        start = MPI_Wtime();
        cases[subject].call(t->forced[probe->to], (int) probe->bytes, buffer, buffer + room);
        mine += (MPI_Wtime() - start) / probe->count;
    }
    tune_check(MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, t->comm), "MPI_Reduce");
    if (0 == t->rank) {
        *seconds = longest;
    }
    free(buffer);
}

void tune_call_run(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    if (TUNE_FORCE == probe->kind) {
        force(t, probe->from, probe->to);
    } else {
        call(t, probe, seconds);
    }
}

void tune_calls_open(tune_t *t)
{
    for (int place = 0; place < TUNE_CONTESTANTS; place++) {
        t->forced[place] = MPI_COMM_NULL;
    }
}

void tune_calls_close(tune_t *t)
{
    for (int place = 0; place < TUNE_CONTESTANTS; place++) {
        if (MPI_COMM_NULL != t->forced[place]) {
            tune_check(MPI_Comm_free(&t->forced[place]), "MPI_Comm_free");
        }
    }
}
