/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a turn through a machine has, and how one thing of it is done. Rank 0 alone.
 */

#include <stdlib.h>

#include "napcoll_tune_machine.h"

enum { SEVERAL = 3 /* bursts of different lengths: what a line takes */ };

/* ---- what a turn has ---- */

void tune_add_task(tune_list_t *list, const tune_task_t *task)
{
    if (list->num < TUNE_MOST_TASKS) {
        list->task[list->num++] = *task;
    }
}

/* How often something is done in a turn that takes so many seconds. */
static int times_of(double seconds)
{
    const double enough = 20e-3;
    const int least = 2;

    if (seconds * TUNE_MOST_ROUNDS <= enough) {
        return TUNE_MOST_ROUNDS;
    }
    return seconds * least >= enough ? least : (int) (enough / seconds);
}

/* Short ones are repeated until the clock can tell them. */
static void add_trips(const tune_t *t, tune_list_t *list, int level, int peer)
{
    tune_machine_t *m = t->machine;

    for (int i = 0; i < m->sizes[level]; i++) {
        const size_t bytes = m->size[level][i];
        const bool small = NAPCOLL_LEVEL_NETWORK != level && bytes <= 4096;

        tune_add_task(
            list,
            &(tune_task_t){.probe = {.kind = TUNE_PING,
                                     .bytes = bytes,
                                     .count = bytes <= 65536 ? times_of(2 * m->about[level]) : 2,
                                     .inner = small ? 16 : 1,
                                     .from = m->pinger,
                                     .to = peer},
                           .kept = &m->measured.half_trip[level],
                           .reduction = -1});
    }
}

/* Bursts of n, 2 n and 4 n messages. */
static void add_bursts(tune_list_t *list, const tune_probe_t *probe, napcoll_timings_t *kept,
                       napcoll_timings_t *starts)
{
    for (int i = 0; i < SEVERAL; i++) {
        tune_task_t task = {.probe = *probe, .kept = kept, .starts = starts, .reduction = -1};

        task.probe.count = probe->count << i;
        tune_add_task(list, &task);
    }
}

static void add_streams(const tune_t *t, tune_list_t *list, napcoll_streams_t *streams, int count,
                        int bursts, napcoll_timings_t *starts)
{
    const tune_machine_t *m = t->machine;
    const int times = times_of(4 * m->about[NAPCOLL_LEVEL_NETWORK]);

    for (int i = 0; i < streams->num; i++) {
        napcoll_stream_t *stream = &streams->stream[i];

        add_bursts(list,
                   &(tune_probe_t){.kind = TUNE_STREAM,
                                   .bytes = (size_t) stream->bytes,
                                   .count = count,
                                   .inner = bursts < times ? bursts : times,
                                   .active = stream->active,
                                   .from = t->options.all_nodes ? -1 : m->from,
                                   .to = m->to},
                   &stream->sent, 0 == i ? starts : NULL);
    }
}

static void add_near(const tune_t *t, tune_list_t *list, napcoll_stream_t *stream, int count)
{
    if (stream->active > 0) {
        add_bursts(list,
                   &(tune_probe_t){.kind = TUNE_NEAR,
                                   .bytes = (size_t) stream->bytes,
                                   .count = count,
                                   .inner = TUNE_MOST_ROUNDS,
                                   .active = stream->active,
                                   .from = t->options.all_nodes ? -1 : t->machine->from},
                   &stream->sent, NULL);
    }
}

static void add_pairs(const tune_t *t, tune_list_t *list)
{
    static const size_t size[] = {8, 4096, 16384};
    const tune_nodes_t *n = &t->node;
    tune_machine_t *m = t->machine;

    for (int i = 0; i < m->personalized; i++) {
        for (size_t s = 0; s < sizeof(size) / sizeof(*size); s++) {
            tune_add_task(
                list, &(tune_task_t){.probe = {.kind = TUNE_PING,
                                               .bytes = size[s],
                                               .count = 4,
                                               .inner = 1,
                                               .from = tune_rank_at(n, m->node[m->pair[i].one], 0),
                                               .to = tune_rank_at(n, m->node[m->pair[i].other], 0)},
                                     .kept = &m->pair_trip[i],
                                     .reduction = -1});
        }
    }
}

static void add_folds(tune_machine_t *m, tune_list_t *list)
{
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        for (size_t bytes = (size_t) 64 << 10; bytes <= (size_t) 256 << 10; bytes *= 2) {
            tune_add_task(list, &(tune_task_t){.probe = {.bytes = bytes},
                                               .kept = &m->reduction[kind],
                                               .reduction = kind});
        }
    }
}

void tune_make_list(const tune_t *t, int turn, tune_list_t *list)
{
    tune_machine_t *m = t->machine;

    list->num = 0;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        const int peer = NAPCOLL_LEVEL_NETWORK == level ? tune_far_peer(t, turn) : m->peer[level];

        if (peer >= 0) {
            add_trips(t, list, level, peer);
        }
    }
    add_streams(t, list, &m->measured.large, 1, 2, NULL);
    add_streams(t, list, &m->measured.eager, 8, 3, NULL);
    add_streams(t, list, &m->measured.small, 16, TUNE_MOST_ROUNDS, &m->measured.start);
    add_near(t, list, &m->measured.near_large, 2);
    add_near(t, list, &m->measured.near_small, 64);
    add_pairs(t, list);
    tune_add_distances(t, list);
    add_folds(m, list);
}

/* ---- reduces ---- */

/* A user's own operation, as simple as can be. */
static void add_doubles(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *from = in;
    double *to = inout;

    (void) type;
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

/* Seconds of one reduction of so many bytes. */
static double reduction(int kind, size_t bytes, char *room)
{
    enum { TIMES = 4 };
    const MPI_Datatype type = 1 == kind ? MPI_INT : MPI_DOUBLE;
    const int count = (int) (bytes / (1 == kind ? sizeof(int) : sizeof(double)));
    MPI_Op op = 2 == kind ? MPI_MAX : MPI_SUM;
    double start, seconds;

    if (3 == kind) {
        tune_check(MPI_Op_create(add_doubles, 1, &op), "MPI_Op_create");
    }
    start = MPI_Wtime();
    for (int i = 0; i < TIMES; i++) {
        tune_check(MPI_Reduce_local(room, room + bytes, count, type, op), "MPI_Reduce_local");
    }
    seconds = (MPI_Wtime() - start) / TIMES;
    if (3 == kind) {
        tune_check(MPI_Op_free(&op), "MPI_Op_free");
    }
    return seconds;
}

/* ---- one task ---- */

static void keep(napcoll_timings_t *timings, double x, double seconds, int turn)
{
    if (0 != napcoll_timings_add(timings, x, seconds > 0 ? seconds : 0, turn)) {
        tune_out_of_memory();
    }
}

void tune_run_task(tune_t *t, const tune_task_t *task, int turn, char *room)
{
    const tune_probe_t *probe = &task->probe;
    double seconds[2 * TUNE_MOST_ROUNDS];

    if (task->reduction >= 0) {
        keep(task->kept, (double) probe->bytes, reduction(task->reduction, probe->bytes, room),
             turn);
        return;
    }
    tune_probe(t, probe, seconds);
    if (TUNE_PING == probe->kind) {
        for (int i = 0; i < probe->count; i++) {
            keep(task->kept, (double) probe->bytes, seconds[i], turn);
        }
        return;
    }
    for (int i = 0; i < probe->inner; i++) {
        keep(task->kept, probe->count, seconds[i], turn);
        if (NULL != task->starts) {
            keep(task->starts, 0, seconds[TUNE_MOST_ROUNDS + i], turn);
        }
    }
}
