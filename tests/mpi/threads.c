/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several threads of each process call collectives at once, every one on its own communicator,
 * under MPI_THREAD_MULTIPLE: first calls, which build node map and plan, meet each other too.
 *
 *     threads [--coll NAME] [--algorithm NAME] [--expect WORDS] [--threads N] [--rounds N]
 *
 * COLL: one of the calls below (default allreduce), or all, in turns.
 */
#include <pthread.h>

#include "counters.h"

enum { THREADS_MAX = 16, COUNT_MAX = 4096, BLOCK_MAX = 64 };

/* One thread's work: on all processes, thread t meets the threads t of the others. */
struct worker {
    MPI_Comm comm;
    int thread, rounds, rank, size;
    /* Of the calls, which take turns */
    int first, last;
    /* Results */
    int wrong;
    /* A call */
    bool failed;
};

static const int counts[] = {1, 300, 7, COUNT_MAX, 2, 64};

enum { NUM_COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* Integers, so the sum over ranks is a formula. */
static long long sent(const struct worker *w, int round, int i)
{
    return (long long) w->rank * (w->thread + 1) + round + i;
}

static long long summed(const struct worker *w, int round, int i)
{
    long long p = w->size;

    return p * (p - 1) / 2 * (w->thread + 1) + p * (round + i);
}

static int count_of(const struct worker *w, int round)
{
    return counts[(round + w->thread) % NUM_COUNTS];
}

/* A block of a rank, where all ranks' blocks are in one buffer. */
static int block_of(const struct worker *w, int round)
{
    return 1 + count_of(w, round) % BLOCK_MAX;
}

static bool do_allreduce(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = count_of(w, round);
    const int rc = MPI_Allreduce(send, recv, count, MPI_LONG_LONG, MPI_SUM, w->comm);

    for (int i = 0; i < count; ++i) {
        w->wrong += recv[i] != summed(w, round, i);
    }
    return MPI_SUCCESS == rc;
}

static bool do_reduce(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = count_of(w, round), root = round % w->size;
    const int rc = MPI_Reduce(send, recv, count, MPI_LONG_LONG, MPI_SUM, root, w->comm);

    for (int i = 0; w->rank == root && i < count; ++i) {
        w->wrong += recv[i] != summed(w, round, i);
    }
    return MPI_SUCCESS == rc;
}

static bool do_barrier(struct worker *w, int round, long long *send, long long *recv)
{
    (void) round;
    (void) send;
    (void) recv;
    return MPI_SUCCESS == MPI_Barrier(w->comm);
}

static bool do_allgather(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = block_of(w, round);
    const int rc = MPI_Allgather(send, count, MPI_LONG_LONG, recv, count, MPI_LONG_LONG, w->comm);

    for (int from = 0; from < w->size; ++from) {
        struct worker other = *w;

        other.rank = from;
        for (int i = 0; i < count; ++i) {
            w->wrong += recv[from * count + i] != sent(&other, round, i);
        }
    }
    return MPI_SUCCESS == rc;
}

static bool do_reduce_scatter_block(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = block_of(w, round);
    const int rc = MPI_Reduce_scatter_block(send, recv, count, MPI_LONG_LONG, MPI_SUM, w->comm);

    for (int i = 0; i < count; ++i) {
        w->wrong += recv[i] != summed(w, round, w->rank * count + i);
    }
    return MPI_SUCCESS == rc;
}

static bool do_scan(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = count_of(w, round);
    const int rc = MPI_Scan(send, recv, count, MPI_LONG_LONG, MPI_SUM, w->comm);
    struct worker up_to_here = *w;

    up_to_here.size = w->rank + 1;
    for (int i = 0; i < count; ++i) {
        w->wrong += recv[i] != summed(&up_to_here, round, i);
    }
    return MPI_SUCCESS == rc;
}

static bool do_bcast(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = count_of(w, round);
    struct worker root = *w;
    int rc;

    root.rank = (round + w->thread) % w->size;
    rc = MPI_Bcast(root.rank == w->rank ? send : recv, count, MPI_LONG_LONG, root.rank, w->comm);
    for (int i = 0; root.rank != w->rank && i < count; ++i) {
        w->wrong += recv[i] != sent(&root, round, i);
    }
    return MPI_SUCCESS == rc;
}

static bool do_alltoall(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = block_of(w, round);
    const int rc = MPI_Alltoall(send, count, MPI_LONG_LONG, recv, count, MPI_LONG_LONG, w->comm);

    for (int from = 0; from < w->size; ++from) {
        struct worker other = *w;

        other.rank = from;
        for (int i = 0; i < count; ++i) {
            w->wrong += recv[from * count + i] != sent(&other, round, w->rank * count + i);
        }
    }
    return MPI_SUCCESS == rc;
}

static bool do_gather(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = block_of(w, round), root = (round + w->thread) % w->size;
    const int rc = MPI_Gather(send, count, MPI_LONG_LONG, recv, count, MPI_LONG_LONG, root,
                              w->comm);

    for (int from = 0; w->rank == root && from < w->size; ++from) {
        struct worker other = *w;

        other.rank = from;
        for (int i = 0; i < count; ++i) {
            w->wrong += recv[from * count + i] != sent(&other, round, i);
        }
    }
    return MPI_SUCCESS == rc;
}

static bool do_scatter(struct worker *w, int round, long long *send, long long *recv)
{
    const int count = block_of(w, round);
    struct worker root = *w;
    int rc;

    root.rank = (round + w->thread) % w->size;
    rc = MPI_Scatter(send, count, MPI_LONG_LONG, recv, count, MPI_LONG_LONG, root.rank, w->comm);
    for (int i = 0; i < count; ++i) {
        w->wrong += recv[i] != sent(&root, round, w->rank * count + i);
    }
    return MPI_SUCCESS == rc;
}

static const struct {
    const char *name;
    bool (*call)(struct worker *w, int round, long long *send, long long *recv);
} calls[] = {{"allreduce", do_allreduce},
             {"reduce", do_reduce},
             {"barrier", do_barrier},
             {"allgather", do_allgather},
             {"reduce_scatter_block", do_reduce_scatter_block},
             {"scan", do_scan},
             {"bcast", do_bcast},
             {"alltoall", do_alltoall},
             {"gather", do_gather},
             {"scatter", do_scatter}};

enum { NUM_CALLS = sizeof(calls) / sizeof(calls[0]) };

static void *work(void *argument)
{
    struct worker *w = argument;
    long long *send = tap_alloc(COUNT_MAX * sizeof(*send));
    long long *recv = tap_alloc(COUNT_MAX * sizeof(*recv));

    for (int round = 0; !w->failed && round < w->rounds; ++round) {
        for (int i = 0; i < COUNT_MAX; ++i) {
            send[i] = sent(w, round, i);
        }
        for (int call = w->first; !w->failed && call <= w->last; ++call) {
            w->failed = !calls[call].call(w, round, send, recv);
        }
    }
    free(send);
    free(recv);
    return NULL;
}

static void run_threads(struct tap *tap, struct worker *worker, int threads)
{
    pthread_t thread[THREADS_MAX];
    bool good = true;

    for (int i = 0; i < threads; ++i) {
        if (0 != pthread_create(&thread[i], NULL, work, &worker[i])) {
            fprintf(stderr, "# cannot start thread %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < threads; ++i) {
        good = 0 == pthread_join(thread[i], NULL) && good;
        good = good && 0 == worker[i].wrong && !worker[i].failed;
        if (worker[i].failed || 0 != worker[i].wrong) {
            tap_note(tap, "thread %d: %s, %d wrong elements", i,
                     worker[i].failed ? "a call failed" : "all calls returned", worker[i].wrong);
        }
    }
    tap_ok(tap, good, "threads_call_on_several_communicators_at_once");
}

/* Whether napcoll ran each of the calls as expected since expect_begin. */
static void check_counters(struct tap *tap, struct expectation *expectation, int first, int last,
                           const char *expect)
{
    for (int call = first; call <= last; ++call) {
        tap_ok(tap, expect_valid(expect) && expect_met(tap, &expectation[call], expect),
               "threads_%s_ran_what_was_asked_for (%s)", calls[call].name, expect);
    }
}

/* The calls that --coll names: the first and the last. */
static void choose_calls(const char *name, int *first, int *last)
{
    *first = 0;
    *last = NUM_CALLS - 1;
    for (int call = 0; call < NUM_CALLS; ++call) {
        if (0 == strcmp(name, calls[call].name)) {
            *first = *last = call;
        }
    }
    if (*first != *last && 0 != strcmp(name, "all")) {
        fprintf(stderr, "# --coll %s: no such call here\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void run_with_threads(struct tap *tap, int argc, char **argv)
{
    static struct worker worker[THREADS_MAX];
    static struct napcoll_counters counters[NUM_CALLS];
    static struct expectation expectation[NUM_CALLS];
    const char *algorithm = tap_option(argc, argv, "--algorithm", NULL);
    const char *expect = tap_option(argc, argv, "--expect", "any");
    int threads = (int) tap_option_number(argc, argv, "--threads", 4);
    int rounds = (int) tap_option_number(argc, argv, "--rounds", 200);
    int level, first, last;

    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    choose_calls(tap_option(argc, argv, "--coll", "allreduce"), &first, &last);
    for (int call = first; call <= last; ++call) {
        mpi_check(napcoll_counters_open(&counters[call], calls[call].name), "MPI_T_init_thread");
    }
    mpi_check(MPI_Query_thread(&level), "MPI_Query_thread");
    tap_ok(tap, MPI_THREAD_MULTIPLE == level, "threads_level_stays_when_counters_are_opened");
    for (int i = 0; i < threads; ++i) {
        worker[i] = (struct worker){.thread = i,
                                    .rounds = rounds,
                                    .rank = tap->rank,
                                    .size = tap->size,
                                    .first = first,
                                    .last = last};
        worker[i].comm = tap_dup(MPI_COMM_WORLD, "napcoll",
                                 NULL == algorithm ? NULL : "napcoll_allreduce_algorithm",
                                 algorithm);
    }
    for (int call = first; call <= last; ++call) {
        expect_begin(&expectation[call], &counters[call]);
    }
    run_threads(tap, worker, threads);
    check_counters(tap, expectation, first, last, expect);
    for (int i = 0; i < threads; ++i) {
        mpi_check(MPI_Comm_free(&worker[i].comm), "MPI_Comm_free");
    }
    for (int call = first; call <= last; ++call) {
        mpi_check(napcoll_counters_close(&counters[call]), "MPI_T_finalize");
    }
}

int main(int argc, char **argv)
{
    struct tap tap;
    int provided, status;

    mpi_check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    tap_open(&tap);
    if (provided < MPI_THREAD_MULTIPLE) {
        tap_skip(&tap, "threads_call_on_several_communicators_at_once",
                 "this MPI has no MPI_THREAD_MULTIPLE");
    } else {
        run_with_threads(&tap, argc, argv);
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
