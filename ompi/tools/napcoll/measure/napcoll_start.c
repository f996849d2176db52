/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <sched.h>
#include <time.h>
#if defined(__linux__)
#    include <sys/prctl.h>
#endif

#include "measure/napcoll_check.h"
#include "measure/napcoll_start.h"

enum { SYNC_ROUNDS = 10, SLACK_ROUNDS = 4 };

/* A start comes `spare` times as long after its announcement as the slowest one of late took, which
 * is forgotten by the factor `keep` a start. */
static const double spare = 2, keep = 0.95;

static const double least_slack = 300e-6, most_slack = 5;

/* Clocks are synchronised again after so long. */
static const double sync_seconds = 10;

static void sleep_for(double seconds)
{
    struct timespec pause;

    pause.tv_sec = (time_t) seconds;
    pause.tv_nsec = (long) ((seconds - (double) pause.tv_sec) * 1e9);
    (void) nanosleep(&pause, NULL);
}

void napcoll_start_open(MPI_Comm comm, napcoll_start_t *start)
{
    int rank, lane;

#if defined(__linux__)
    /* The parent process may have allowed the kernel to end sleeps late, as netlab does. Reset that
     * to the default in nanoseconds: it may be later than napcoll_start_at can correct. */
    (void) prctl(PR_SET_TIMERSLACK, 50000UL, 0, 0, 0);
#endif
    *start = (napcoll_start_t){.comm = comm, .offset = NAN, .offset_error = -1};
    napcoll_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    napcoll_check(
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &start->node),
        "MPI_Comm_split_type");
    napcoll_check(MPI_Comm_rank(start->node, &lane), "MPI_Comm_rank");
    napcoll_check(MPI_Comm_split(comm, 0 == lane ? 0 : MPI_UNDEFINED, rank, &start->leaders),
                  "MPI_Comm_split");
}

void napcoll_start_close(napcoll_start_t *start)
{
    napcoll_check(MPI_Comm_free(&start->node), "MPI_Comm_free");
    if (MPI_COMM_NULL != start->leaders) {
        napcoll_check(MPI_Comm_free(&start->leaders), "MPI_Comm_free");
    }
}

void napcoll_start_quiet_barrier(MPI_Comm comm)
{
    const double longest = 5e-3;
    double pause = 50e-6;
    MPI_Request request;
    int done = 0;

    napcoll_check(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    for (;;) {
        napcoll_check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) {
            return;
        }
        sleep_for(pause);
        pause = fmin(2 * pause, longest);
    }
}

static void send_time(MPI_Comm comm, int peer, double time)
{
    napcoll_check(MPI_Send(&time, 1, MPI_DOUBLE, peer, 0, comm), "MPI_Send");
}

static double receive_time(MPI_Comm comm, int peer)
{
    double time;

    napcoll_check(MPI_Recv(&time, 1, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    return time;
}

/* Rank 0 of comm tells its time, its clock + *offset, to each other rank in turn; these set
 * theirs. */
static void sync_star(MPI_Comm comm, double *offset)
{
    double shortest = INFINITY;
    int rank, size;

    napcoll_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    napcoll_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    for (int i = 0; 0 == rank && i < (size - 1) * SYNC_ROUNDS; i++) {
        const int peer = 1 + i / SYNC_ROUNDS;

        (void) receive_time(comm, peer);
        send_time(comm, peer, MPI_Wtime() + *offset);
    }
    for (int i = 0; 0 != rank && i < SYNC_ROUNDS; i++) {
        const double begin = MPI_Wtime();
        double theirs, end;

        send_time(comm, 0, begin);
        theirs = receive_time(comm, 0);
        end = MPI_Wtime();
        if (end - begin < shortest) {
            shortest = end - begin;
            *offset = theirs - (begin + end) / 2;
        }
    }
}

/* An announcement took so long. The slack is limited: with one of minutes, after one late message,
 * every sample takes minutes. */
static void learn_slack(napcoll_start_t *start, double took)
{
    start->took = fmax(took, keep * start->took);
    start->slack = fmin(fmax(spare * start->took, least_slack), most_slack);
}

/* An announcement and its answer on an idle network; the first one opens connections. */
static void first_slack(napcoll_start_t *start)
{
    double longest = 0, data = 0, sum = 0;

    for (int i = 0; i < SLACK_ROUNDS; i++) {
        const double begin = MPI_Wtime();

        napcoll_check(MPI_Bcast(&data, 1, MPI_DOUBLE, 0, start->comm), "MPI_Bcast");
        napcoll_check(MPI_Reduce(&data, &sum, 1, MPI_DOUBLE, MPI_MAX, 0, start->comm),
                      "MPI_Reduce");
        longest = i > 0 ? fmax(longest, MPI_Wtime() - begin) : 0;
    }
    learn_slack(start, longest);
}

void napcoll_start_sync(napcoll_start_t *start)
{
    const double before = start->offset;
    double moved, worst = 0;

    start->offset = 0;
    napcoll_start_quiet_barrier(start->comm);
    if (MPI_COMM_NULL != start->leaders) {
        sync_star(start->leaders, &start->offset);
    }
    napcoll_start_quiet_barrier(start->comm);
    sync_star(start->node, &start->offset);
    napcoll_start_quiet_barrier(start->comm);
    /* fmax leaves the first sync, which has nothing before it, out */
    moved = fmax(-1, fabs(start->offset - before));
    napcoll_check(MPI_Reduce(&moved, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, start->comm), "MPI_Reduce");
    start->offset_error = fmax(start->offset_error, worst);
    if (isnan(before)) {
        first_slack(start);
    }
    start->synced = MPI_Wtime();
}

void napcoll_start_sync_again(napcoll_start_t *start)
{
    int due = isnan(start->offset) || MPI_Wtime() - start->synced > sync_seconds;

    napcoll_check(MPI_Bcast(&due, 1, MPI_INT, 0, start->comm), "MPI_Bcast");
    if (due) {
        napcoll_start_sync(start);
    }
}

void napcoll_start_rest(const napcoll_start_t *start, double when,
                        const napcoll_start_before_t *before, int calls)
{
    const double lasts = before->seconds * (calls < before->calls ? calls : before->calls);
    const double left = when + lasts - start->offset - MPI_Wtime();

    if (left > 0) {
        sleep_for(left);
    }
}

double napcoll_start_at(const napcoll_start_t *start, double when)
{
    const double awake = 2e-3, local = when - start->offset, early = local - MPI_Wtime();

    for (double left = early; left > 0; left = local - MPI_Wtime()) {
        if (left > awake) {
            sleep_for(left - awake);
        } else {
            (void) sched_yield();
        }
    }
    return early;
}

bool napcoll_start_count(napcoll_start_t *start, double late)
{
    const bool missed = late > 0;

    start->starts++;
    start->missed += missed ? 1 : 0;
    /* of one that came too late nothing is learnt but that it took more than the slack */
    learn_slack(start, start->slack + fmin(late, 0));
    return missed;
}
