/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several threads of each process allreduce at once, every one on its own communicator, under
 * MPI_THREAD_MULTIPLE: first calls, which build node map and plan, meet each other too.
 *
 *     threads [--algorithm NAME] [--expect WORDS] [--threads N] [--rounds N]
 */
#include <pthread.h>

#include "counters.h"

enum { THREADS_MAX = 16, COUNT_MAX = 4096 };

/* One thread's work: on all processes, thread t meets the threads t of the others. */
struct worker {
    MPI_Comm comm;
    int thread, rounds, rank, size;
    int wrong;   /* results */
    bool failed; /* a call */
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

static bool one_allreduce(struct worker *w, MPI_Comm comm, int round, long long *send,
                          long long *recv)
{
    int count = counts[(round + w->thread) % NUM_COUNTS];

    for (int i = 0; i < count; ++i) {
        send[i] = sent(w, round, i);
    }
    if (MPI_SUCCESS != MPI_Allreduce(send, recv, count, MPI_LONG_LONG, MPI_SUM, comm)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        w->wrong += recv[i] != summed(w, round, i);
    }
    return true;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    long long *send = tap_alloc(COUNT_MAX * sizeof(*send));
    long long *recv = tap_alloc(COUNT_MAX * sizeof(*recv));

    for (int round = 0; !w->failed && round < w->rounds; ++round) {
        w->failed = !one_allreduce(w, w->comm, round, send, recv);
    }
    free(send);
    free(recv);
    return NULL;
}

static void run(struct tap *tap, struct worker *worker, int threads)
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
    tap_ok(tap, good, "threads_allreduce_on_several_communicators_at_once");
}

static void run_with_threads(struct tap *tap, int argc, char **argv)
{
    static struct worker worker[THREADS_MAX];
    static struct napcoll_counters counters;
    struct expectation expectation;
    const char *algorithm = tap_option(argc, argv, "--algorithm", NULL);
    const char *expect = tap_option(argc, argv, "--expect", "any");
    int threads = (int) tap_option_number(argc, argv, "--threads", 4);
    int rounds = (int) tap_option_number(argc, argv, "--rounds", 200);
    int level;

    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    mpi_check(MPI_Query_thread(&level), "MPI_Query_thread");
    tap_ok(tap, MPI_THREAD_MULTIPLE == level, "threads_level_stays_when_counters_are_opened");
    for (int i = 0; i < threads; ++i) {
        worker[i] = (struct worker){
            .thread = i, .rounds = rounds, .rank = tap->rank, .size = tap->size};
        worker[i].comm = tap_dup(MPI_COMM_WORLD, "napcoll",
                                 NULL == algorithm ? NULL : "napcoll_allreduce_algorithm",
                                 algorithm);
    }
    expect_begin(&expectation, &counters);
    run(tap, worker, threads);
    tap_ok(tap, expect_valid(expect) && expect_met(tap, &expectation, expect),
           "threads_ran_what_was_asked_for (%s)", expect);
    for (int i = 0; i < threads; ++i) {
        mpi_check(MPI_Comm_free(&worker[i].comm), "MPI_Comm_free");
    }
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

int main(int argc, char **argv)
{
    struct tap tap;
    int provided, status;

    mpi_check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    tap_open(&tap);
    if (provided < MPI_THREAD_MULTIPLE) {
        tap_skip(&tap, "threads_allreduce_on_several_communicators_at_once",
                 "this MPI has no MPI_THREAD_MULTIPLE");
    } else {
        run_with_threads(&tap, argc, argv);
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
