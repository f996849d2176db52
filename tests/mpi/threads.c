/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several threads of each process call collectives at once, every one on its own communicator,
 * under MPI_THREAD_MULTIPLE: first calls, which build node map and plan, meet each other too. A
 * thread waits for the nonblocking and persistent calls that another one has started.
 *
 *     threads [--coll NAME] [--algorithm NAME] [--expect WORDS] [--threads N] [--rounds N]
 *             [--mode blocking|nonblocking|persistent]
 *
 * COLL: a collective (default allreduce), or all, in turns.
 */
#define _XOPEN_SOURCE 600

#include <pthread.h>

#include "counters.h"
#include "each_call.h"

enum { THREADS_MAX = 16 };

/* One thread's work: on all processes, thread t meets the threads t of the others. */
struct worker {
    MPI_Comm comm;
    int thread, rounds;
    /* Of the calls, which take turns */
    int first, last;
    enum mode mode;
    /* The calls of the present round; of the one whose requests this thread waits for */
    struct each_place place[EACH_CALLS];
    struct worker *next;
    pthread_barrier_t *together;
    /* Results */
    int wrong;
};

/* Elements of a block */
static const int counts[] = {1, 300, 7, 1000, 2, 64};

enum { NUM_COUNTS = sizeof(counts) / sizeof(counts[0]) };

static void begin(struct worker *w, int call, int round)
{
    struct each_place *p = &w->place[call];

    each_enter(p, w->comm, round + w->thread, counts[(round + w->thread) % NUM_COUNTS]);
    p->mode = w->mode;
    p->salt = round + w->thread;
    each_prepare(p, &each_calls[call]);
    mpi_check(each_calls[call].make(p), each_calls[call].name);
    if (PERSISTENT == w->mode) {
        mpi_check(MPI_Start(&p->request), "MPI_Start");
    }
}

static void end(struct worker *w, int call)
{
    struct each_place *p = &w->place[call];

    w->wrong += !each_is_right(p, &each_calls[call]);
    if (PERSISTENT == w->mode) {
        mpi_check(MPI_Request_free(&p->request), "MPI_Request_free");
    }
    each_leave(p);
}

/* All threads of this process meet. */
static void meet(struct worker *w)
{
    const int rc = pthread_barrier_wait(w->together);

    if (0 != rc && PTHREAD_BARRIER_SERIAL_THREAD != rc) {
        fprintf(stderr, "# threads cannot meet\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;

    for (int round = 0; round < w->rounds; ++round) {
        for (int call = w->first; call <= w->last; ++call) {
            begin(w, call, round);
        }
        if (BLOCKING != w->mode) {
            meet(w);
            for (int call = w->last; call >= w->first; --call) {
                mpi_check(MPI_Wait(&w->next->place[call].request, MPI_STATUS_IGNORE), "MPI_Wait");
            }
            meet(w);
        }
        for (int call = w->first; call <= w->last; ++call) {
            end(w, call);
        }
    }
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
        good = good && 0 == worker[i].wrong;
        if (0 != worker[i].wrong) {
            tap_note(tap, "thread %d: %d calls gave wrong data", i, worker[i].wrong);
        }
    }
    tap_ok(tap, good, "threads_call_on_several_communicators_at_once");
}

/* Whether napcoll ran each of the calls as expected since expect_begin. */
static void check_counters(struct tap *tap, struct expectation *expectation,
                           const struct worker *worker, const char *expect)
{
    for (int call = worker->first; call <= worker->last; ++call) {
        char name[FUNCTION_NAME];

        function_name(each_calls[call].name, worker->mode, name);
        tap_ok(tap, expect_valid(expect) && expect_met(tap, &expectation[call], expect),
               "threads_%s_ran_what_was_asked_for (%s)", name, expect);
    }
}

/* The calls that --coll names: the first and the last. */
static void choose_calls(const char *name, int *first, int *last)
{
    *first = 0;
    *last = EACH_CALLS - 1;
    for (int call = 0; call < EACH_CALLS; ++call) {
        if (0 == strcmp(name, each_calls[call].name)) {
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
    static struct napcoll_counters counters[EACH_CALLS];
    static struct expectation expectation[EACH_CALLS];
    const char *algorithm = tap_option(argc, argv, "--algorithm", NULL);
    const char *expect = tap_option(argc, argv, "--expect", "any");
    int threads = (int) tap_option_number(argc, argv, "--threads", 4);
    int rounds = (int) tap_option_number(argc, argv, "--rounds", 200);
    const enum mode mode = mode_named(tap_option(argc, argv, "--mode", "blocking"));
    pthread_barrier_t together;
    int level, first, last;

    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    choose_calls(tap_option(argc, argv, "--coll", "allreduce"), &first, &last);
    if (MODES == mode || 0 != pthread_barrier_init(&together, NULL, (unsigned) threads)) {
        fprintf(stderr, "# --mode: expected blocking, nonblocking or persistent\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int call = first; call <= last; ++call) {
        char name[FUNCTION_NAME];

        function_name(each_calls[call].name, mode, name);
        mpi_check(napcoll_counters_open(&counters[call], name), "MPI_T_init_thread");
    }
    mpi_check(MPI_Query_thread(&level), "MPI_Query_thread");
    tap_ok(tap, MPI_THREAD_MULTIPLE == level, "threads_level_stays_when_counters_are_opened");
    for (int i = 0; i < threads; ++i) {
        worker[i] = (struct worker){.thread = i,
                                    .rounds = rounds,
                                    .first = first,
                                    .last = last,
                                    .mode = mode,
                                    .next = &worker[(i + 1) % threads],
                                    .together = &together};
        worker[i].comm = tap_dup(MPI_COMM_WORLD, "napcoll",
                                 NULL == algorithm ? NULL : "napcoll_allreduce_algorithm",
                                 algorithm);
    }
    for (int call = first; call <= last; ++call) {
        expect_begin(&expectation[call], &counters[call]);
    }
    run_threads(tap, worker, threads);
    check_counters(tap, expectation, worker, expect);
    (void) pthread_barrier_destroy(&together);
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
