/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Barrier by one of napcoll's algorithms: nobody leaves before the last has entered. Each
 * process notes when it enters and leaves; all run on one machine, whose monotonic clock is the
 * same for all, so that the times can be compared afterwards. A rank that is late sleeps before it
 * enters, for the others to have the time to leave too early. Options: see collective.h; what they
 * say of sizes is of no matter.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <time.h>

#include "collective.h"

enum { ROUNDS_MAX = 256 };

/* What this process saw of barriers on one communicator. */
struct log {
    int num;
    /* Nanoseconds */
    long long entered[ROUNDS_MAX], left[ROUNDS_MAX];
};

static long long now(void)
{
    struct timespec time;

    if (0 != clock_gettime(CLOCK_MONOTONIC, &time)) {
        perror("# clock_gettime");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void nap(int microseconds)
{
    const struct timespec time = {.tv_nsec = microseconds * 1000L};

    (void) nanosleep(&time, NULL);
}

static void barrier(struct log *log, MPI_Comm comm)
{
    log->entered[log->num] = now();
    mpi_check(MPI_Barrier(comm), "MPI_Barrier");
    log->left[log->num] = now();
    ++log->num;
}

/* Whether nobody left any of the barriers before all had entered it. */
static bool held(struct test *t, const struct group *g, const struct log *log)
{
    long long last[ROUNDS_MAX];

    mpi_check(MPI_Allreduce(log->entered, last, log->num, MPI_LONG_LONG, MPI_MAX, g->reference),
              "MPI_Allreduce");
    for (int i = 0; i < log->num; ++i) {
        if (log->left[i] < last[i]) {
            tap_note(&t->tap, "left barrier %d of %d %lld ns before the last entered", i, log->num,
                     last[i] - log->left[i]);
            return false;
        }
    }
    return true;
}

/* Each is late once. */
static bool waits_on(struct test *t, const struct group *g)
{
    int rounds = g->size < ROUNDS_MAX ? g->size : ROUNDS_MAX;
    struct log log = {.num = 0};

    for (int i = 0; i < rounds; ++i) {
        if (g->rank == i) {
            nap(3000);
        }
        barrier(&log, g->comm);
    }
    return held(t, g, &log);
}

static void check_late(struct test *t)
{
    struct expectation expectation;
    bool good;

    expect_begin(&expectation, &t->counters);
    good = waits_on(t, &t->all);
    good = expect_met(&t->tap, &expectation, t->expect) && good;
    tap_ok(&t->tap, good, "barrier_holds_all_until_the_last_enters");
}

/* Some rank naps before some of the barriers, which follow each other at once. */
static void now_and_then_nap(const struct group *g, int round)
{
    if (0 == round % 9 && g->rank == round * 5 % g->size) {
        nap(1000);
    }
}

static void check_in_a_row(struct test *t)
{
    struct log log = {.num = 0};

    for (int i = 0; i < ROUNDS_MAX; ++i) {
        now_and_then_nap(&t->all, i);
        barrier(&log, t->all.comm);
    }
    tap_ok(&t->tap, held(t, &t->all, &log), "barrier_in_a_row_do_not_mix");
}

/* Nothing but the barriers themselves is between those on one communicator and those on the
 * next. */
static void check_several_communicators(struct test *t)
{
    enum { MANY = 5, ROUNDS = 20 };
    struct log log[MANY] = {{.num = 0}};
    struct group g[MANY];
    bool good = true;

    for (int i = 0; i < MANY; ++i) {
        group_open(t, &g[i], t->all.comm);
    }
    for (int i = 0; i < ROUNDS * MANY; ++i) {
        now_and_then_nap(&t->all, i);
        barrier(&log[i * 3 % MANY], g[i * 3 % MANY].comm);
    }
    for (int i = 0; i < MANY; ++i) {
        good = held(t, &g[i], &log[i]) && good;
    }
    for (int i = 0; i < MANY; ++i) {
        group_close(&g[(i * 2 + 1) % MANY]);
    }
    tap_ok(&t->tap, good, "barrier_on_several_communicators_in_turn");
}

/* Barriers of all, of each half and of each pair, in turn: who waits in the one is awaited in the
 * other. */
static void check_overlapping_communicators(struct test *t)
{
    enum { ALL, HALF, PAIR, KINDS, ROUNDS = 30 };
    struct log log[KINDS] = {{.num = 0}};
    struct group g[KINDS] = {[ALL] = t->all};
    const int color[KINDS] = {[HALF] = 2 * t->all.rank / t->all.size, [PAIR] = t->all.rank / 2};
    bool good = true;

    for (int i = HALF; i < KINDS; ++i) {
        MPI_Comm part;

        mpi_check(MPI_Comm_split(MPI_COMM_WORLD, color[i], 0, &part), "MPI_Comm_split");
        group_open(t, &g[i], part);
        mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
    }
    for (int i = 0; i < ROUNDS * KINDS; ++i) {
        now_and_then_nap(&t->all, i);
        barrier(&log[i % KINDS], g[i % KINDS].comm);
    }
    for (int i = ALL; i < KINDS; ++i) {
        good = held(t, &g[i], &log[i]) && good;
    }
    for (int i = HALF; i < KINDS; ++i) {
        group_close(&g[i]);
    }
    tap_ok(&t->tap, good, "barrier_on_overlapping_communicators_in_turn");
}

/* A receive of any message waits during the barrier; what it gets is the message of the user's that
 * is sent behind it, and none of the barrier's. */
static void check_posted_receive(struct test *t)
{
    const struct group *g = &t->all;
    int to = (g->rank + 1) % g->size, from = (g->rank + g->size - 1) % g->size;
    int sent = 100 + g->rank, got = -1;
    MPI_Request request;
    MPI_Status status;

    mpi_check(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, g->comm, &request),
              "MPI_Irecv");
    mpi_check(MPI_Barrier(g->comm), "MPI_Barrier");
    mpi_check(MPI_Send(&sent, 1, MPI_INT, to, 7, g->comm), "MPI_Send");
    mpi_check(MPI_Wait(&request, &status), "MPI_Wait");
    tap_ok(&t->tap, 100 + from == got && from == status.MPI_SOURCE && 7 == status.MPI_TAG,
           "barrier_is_not_taken_for_a_message_of_the_users");
}

void test_barrier(struct test *t)
{
    check_late(t);
    check_in_a_row(t);
    if (!t->results_only) {
        check_several_communicators(t);
        check_overlapping_communicators(t);
    }
    check_posted_receive(t);
    on_subcommunicators(t, waits_on);
}
