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

/* Of one buffer of a call. */
static const size_t most_buffer = (size_t) 16 << 20;

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

/* Blocks of `bytes` in the mean, from few up to almost twice as many on the last rank: their counts, as in even_counts. */
static int *rising_counts(MPI_Comm comm, int bytes, int *rank, int **displacements)
{
    int *counts = even_counts(comm, bytes, displacements), ranks;

    tune_check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    tune_check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank");
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = (int) (2LL * bytes * (i + 1) / (ranks + 1));
        (*displacements)[i] = at;
    }
    return counts;
}

static void call_gatherv(MPI_Comm comm, int bytes, char *send, char *recv)
{
    int rank, *displacements, *counts = rising_counts(comm, bytes, &rank, &displacements);

    tune_check(
        MPI_Gatherv(send, counts[rank], MPI_BYTE, recv, counts, displacements, MPI_BYTE, 0, comm),
        "MPI_Gatherv");
    free(counts);
}

static void call_scatterv(MPI_Comm comm, int bytes, char *send, char *recv)
{
    int rank, *displacements, *counts = rising_counts(comm, bytes, &rank, &displacements);

    tune_check(
        MPI_Scatterv(send, counts, displacements, MPI_BYTE, recv, counts[rank], MPI_BYTE, 0, comm),
        "MPI_Scatterv");
    free(counts);
}

/* Sizes are those of vectors, or of a rank's block where buffers hold one for each rank. */
static const size_t of_vectors[] = {8, 512, 4096, 32768, 262144, 1048576};
static const size_t of_blocks[] = {8, 512, 4096, 32768, 65536};
static const size_t of_nothing[] = {0};

#define ALL(of) .sizes = (int) (sizeof(of) / sizeof(*(of))), .bytes = (of)

static const struct {
    tune_subject_t subject;
    void (*call)(MPI_Comm comm, int bytes, char *send, char *recv);
} cases[] = {
    {{.collective = &napcoll_allreduce, ALL(of_vectors)}, call_allreduce},
    {{.collective = &napcoll_bcast, .overlaps = true, ALL(of_vectors)}, call_bcast},
    {{.collective = &napcoll_alltoall, .blocks = true, ALL(of_blocks)}, call_alltoall},
    {{.collective = &napcoll_reduce, .overlaps = true, ALL(of_vectors)}, call_reduce},
    {{.collective = &napcoll_barrier, ALL(of_nothing)}, call_barrier},
    {{.collective = &napcoll_allgather, .blocks = true, ALL(of_blocks)}, call_allgather},
    {{.collective = &napcoll_reduce_scatter_block, .blocks = true, ALL(of_blocks)},
     call_reduce_scatter_block},
    {{.collective = &napcoll_scan, .overlaps = true, ALL(of_vectors)}, call_scan},
    {{.collective = &napcoll_allgatherv, .blocks = true, ALL(of_blocks)}, call_allgatherv},
    {{.collective = &napcoll_reduce_scatter, .blocks = true, ALL(of_blocks)}, call_reduce_scatter},
    {{.collective = &napcoll_exscan, .overlaps = true, ALL(of_vectors)}, call_exscan},
    {{.collective = &napcoll_alltoallv,
      .blocks = true,
      .untold = true,
      ALL(of_blocks),
      .largest = 2},
     call_alltoallv},
    {{.collective = &napcoll_gather, .blocks = true, .overlaps = true, ALL(of_blocks)},
     call_gather},
    {{.collective = &napcoll_scatter, .blocks = true, .overlaps = true, ALL(of_blocks)},
     call_scatter},
    {{.collective = &napcoll_gatherv,
      .blocks = true,
      .overlaps = true,
      .untold = true,
      ALL(of_blocks),
      .largest = 2},
     call_gatherv},
    {{.collective = &napcoll_scatterv,
      .blocks = true,
      .overlaps = true,
      .untold = true,
      ALL(of_blocks),
      .largest = 2},
     call_scatterv},
};

_Static_assert(sizeof(cases) / sizeof(*cases) == TUNE_SUBJECTS, "one place for each");

const tune_subject_t *tune_subject(int index)
{
    return &cases[index].subject;
}

/* The bytes of one of its buffers. */
static size_t room_of(const tune_t *t, int index, size_t bytes)
{
    return cases[index].subject.blocks ? bytes * (size_t) t->ranks : bytes;
}

int tune_subject_sizes(const tune_t *t, int index)
{
    const tune_subject_t *subject = &cases[index].subject;
    int sizes = 0;

    while (sizes < subject->sizes && room_of(t, index, subject->bytes[sizes]) <= most_buffer) {
        sizes++;
    }
    return sizes;
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
    t->before[place] = (napcoll_start_before_t){.calls = 0};
    tune_check(MPI_Bcast(t->action, TUNE_ACTION, MPI_CHAR, 0, t->comm), "MPI_Bcast");
    napcoll_collective_info_key(collective, key, MPI_MAX_INFO_KEY);
    tune_check(MPI_Info_create(&info), "MPI_Info_create");
    tune_check(MPI_Info_set(info, "ompi_comm_coll_preference", "napcoll"), "MPI_Info_set");
    tune_check(MPI_Info_set(info, key, t->action), "MPI_Info_set");
    tune_check(MPI_Comm_dup_with_info(t->comm, info, &t->forced[place]), "MPI_Comm_dup_with_info");
    tune_check(MPI_Info_free(&info), "MPI_Info_free");
}

/* What is sent and received has been touched before: pages that are new to a process take their time. */
static void make_room(tune_t *t, size_t bytes)
{
    if (bytes <= t->called_bytes) {
        return;
    }
    free(t->called);
    t->called = malloc(bytes);
    if (NULL == t->called) {
        tune_out_of_memory();
    }
    memset(t->called, 0, bytes);
    t->called_bytes = bytes;
}

/* All wait for a time that rank 0 sets, *when. False where it was over before. Now and then, before they drift apart, clocks
 * are synced. More often, as it takes less, all sleep until all do: where processes share processors, which ones share one,
 * and with how many others, stays as it is while they are busy, and is dealt anew while they sleep; some algorithms take
 * three times as long by some deals. */
static bool start_together(tune_t *t, double *when)
{
    const double synced_for = 5, dealt_for = 1, now = MPI_Wtime(), sync = 0, deal = -1;

    *when = !(t->synced > 0) || now >= t->synced + synced_for ? sync
            : now >= t->dealt + dealt_for                     ? deal
                                                              : now + t->start.slack;
    tune_check(MPI_Bcast(when, 1, MPI_DOUBLE, 0, t->comm), "MPI_Bcast");
    if (!(*when > 0)) {
        if (*when < 0) {
            tune_check(napcoll_start_quiet_barrier(t->comm), "napcoll_start_quiet_barrier");
        } else {
            tune_check(napcoll_start_sync(&t->start), "napcoll_start_sync");
            t->synced = MPI_Wtime();
        }
        t->dealt = MPI_Wtime();
        *when = t->dealt + t->start.slack;
        tune_check(MPI_Bcast(when, 1, MPI_DOUBLE, 0, t->comm), "MPI_Bcast");
    }
    return napcoll_start_at(&t->start, *when) >= 0;
}

/* So many calls, one after the other, after a start that none has missed, or at least not again and again: what one took
 * the slowest process, in seconds; the same on all. Who is done sleeps until others are likely to be, too. */
static double call_after_start(tune_t *t, const tune_probe_t *probe, int calls)
{
    enum { SECONDS, MISSED, WORDS };
    const int tries = 5;
    char *recv = t->called + room_of(t, probe->from, probe->bytes);
    double worst[WORDS] = {0};

    for (int i = 0; i < tries; i++) {
        double mine[WORDS], when, begin;

        mine[MISSED] = start_together(t, &when) ? 0 : 1;
        begin = MPI_Wtime();
        for (int k = 0; k < calls; k++) {
            cases[probe->from].call(t->forced[probe->to], (int) probe->bytes, t->called, recv);
        }
        mine[SECONDS] = (MPI_Wtime() - begin) / calls;
        napcoll_start_rest(&t->start, when, &t->before[probe->to], calls);
        tune_check(MPI_Allreduce(mine, worst, WORDS, MPI_DOUBLE, MPI_MAX, t->comm),
                   "MPI_Allreduce");
        t->before[probe->to] = (napcoll_start_before_t){.seconds = worst[SECONDS], .calls = calls};
        if (!(worst[MISSED] > 0)) {
            napcoll_start_was_met(&t->start);
            break;
        }
        napcoll_start_was_missed(&t->start);
    }
    return worst[SECONDS];
}

/* Calls; rank 0 gets what one took the slowest process. */
static void call(tune_t *t, const tune_probe_t *probe, double *seconds)
{
    const bool apart = cases[probe->from].subject.overlaps;
    const int starts = apart ? probe->count : 1, calls = apart ? 1 : probe->count;
    double sum = 0;

    make_room(t, 2 * room_of(t, probe->from, probe->bytes));
    for (int i = 0; i < starts; i++) {
        sum += call_after_start(t, probe, calls);
    }
    if (0 == t->rank) {
        *seconds = sum / starts;
    }
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
    free(t->called);
    for (int place = 0; place < TUNE_CONTESTANTS; place++) {
        if (MPI_COMM_NULL != t->forced[place]) {
            tune_check(MPI_Comm_free(&t->forced[place]), "MPI_Comm_free");
        }
    }
}
