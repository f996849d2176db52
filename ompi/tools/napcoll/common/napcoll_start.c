/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <time.h>
#if defined(__linux__)
#    include <sys/prctl.h>
#endif

#include "common/napcoll_start.h"

enum { SYNC_ROUNDS = 10, SLACK_ROUNDS = 4 };

static const double slack_least = 300e-6, slack_most = 5, slack_spare = 1.25, slack_growth = 1.5,
                    slack_decay = 0.97;

static void sleep_for(double seconds)
{
    struct timespec pause;

    pause.tv_sec = (time_t) seconds;
    pause.tv_nsec = (long) ((seconds - (double) pause.tv_sec) * 1e9);
    (void) nanosleep(&pause, NULL);
}

/* Who started this process may have allowed the kernel to end its sleeps later, as netlab does: by more than what
 * napcoll_start_at wakes up early. */
static void sleep_precisely(void)
{
#if defined(__linux__)
    const unsigned long usual = 50000; /* nanoseconds */

    (void) prctl(PR_SET_TIMERSLACK, usual, 0, 0, 0);
#endif
}

int napcoll_start_open(MPI_Comm comm, napcoll_start_t *start)
{
    int rank, lane, rc;

    sleep_precisely();
    *start = (napcoll_start_t){.comm = comm, .node = MPI_COMM_NULL, .leaders = MPI_COMM_NULL};
    rc = MPI_Comm_rank(comm, &rank);
    if (MPI_SUCCESS == rc) {
        rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &start->node);
    }
    if (MPI_SUCCESS == rc) {
        rc = MPI_Comm_rank(start->node, &lane);
    }
    if (MPI_SUCCESS == rc) {
        rc = MPI_Comm_split(comm, 0 == lane ? 0 : MPI_UNDEFINED, rank, &start->leaders);
    }
    return rc;
}

int napcoll_start_close(napcoll_start_t *start)
{
    int rc = MPI_SUCCESS;

    if (MPI_COMM_NULL != start->node) {
        rc = MPI_Comm_free(&start->node);
    }
    if (MPI_SUCCESS == rc && MPI_COMM_NULL != start->leaders) {
        rc = MPI_Comm_free(&start->leaders);
    }
    return rc;
}

int napcoll_start_quiet_barrier(MPI_Comm comm)
{
    const double longest = 5e-3;
    double pause = 50e-6;
    MPI_Request request;
    int done = 0, rc = MPI_Ibarrier(comm, &request);

    while (MPI_SUCCESS == rc) {
        rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (MPI_SUCCESS == rc && done) {
            break;
        }
        sleep_for(pause);
        pause = 2 * pause < longest ? 2 * pause : longest;
    }
    return rc;
}

/* Rank 0 of comm tells the time, its clock + offset, to one other rank. */
static int tell_time(MPI_Comm comm, int peer, double offset)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < SYNC_ROUNDS; ++i) {
        double now;

        rc = MPI_Recv(&now, 1, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE);
        if (MPI_SUCCESS == rc) {
            now = MPI_Wtime() + offset;
            rc = MPI_Send(&now, 1, MPI_DOUBLE, peer, 0, comm);
        }
    }
    return rc;
}

static int ask_time(MPI_Comm comm, double *offset)
{
    double shortest = 1e30;
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < SYNC_ROUNDS; ++i) {
        double begin = MPI_Wtime(), end, theirs;

        rc = MPI_Send(&begin, 1, MPI_DOUBLE, 0, 0, comm);
        if (MPI_SUCCESS == rc) {
            rc = MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
        }
        end = MPI_Wtime();
        if (MPI_SUCCESS == rc && end - begin < shortest) {
            shortest = end - begin;
            *offset = theirs - (begin + end) / 2;
        }
    }
    return rc;
}

/* From rank 0 of comm to each other rank in turn. */
static int sync_star(MPI_Comm comm, double *offset)
{
    int rank, size, rc;

    if (MPI_COMM_NULL == comm) {
        return MPI_SUCCESS;
    }
    rc = MPI_Comm_rank(comm, &rank);
    if (MPI_SUCCESS == rc) {
        rc = MPI_Comm_size(comm, &size);
    }
    if (MPI_SUCCESS == rc && 0 != rank) {
        return ask_time(comm, offset);
    }
    for (int peer = 1; MPI_SUCCESS == rc && peer < size; ++peer) {
        rc = tell_time(comm, peer, *offset);
    }
    return rc;
}

/* However long a message was held up: with a slack of minutes every sample would take minutes. */
static void set_slack(napcoll_start_t *start, double slack)
{
    start->slack = slack < slack_least ? slack_least : slack < slack_most ? slack : slack_most;
}

/* There and back again, on an idle network; the first one opens connections. */
static int find_slack(napcoll_start_t *start)
{
    double longest = 0, word = 0, worst;
    int rc = MPI_SUCCESS;

    for (int i = 0; MPI_SUCCESS == rc && i < SLACK_ROUNDS; ++i) {
        double begin = MPI_Wtime(), seconds;

        rc = MPI_Bcast(&word, 1, MPI_DOUBLE, 0, start->comm);
        if (MPI_SUCCESS == rc) {
            rc = MPI_Reduce(&word, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, start->comm);
        }
        seconds = MPI_Wtime() - begin;
        longest = i > 0 && seconds > longest ? seconds : longest;
    }
    set_slack(start, longest * slack_spare);
    return rc;
}

int napcoll_start_sync(napcoll_start_t *start)
{
    int rc;

    start->offset = 0;
    rc = napcoll_start_quiet_barrier(start->comm);
    if (MPI_SUCCESS == rc) {
        rc = sync_star(start->leaders, &start->offset);
    }
    if (MPI_SUCCESS == rc) {
        rc = napcoll_start_quiet_barrier(start->comm);
    }
    if (MPI_SUCCESS == rc) {
        rc = sync_star(start->node, &start->offset);
    }
    if (MPI_SUCCESS == rc) {
        rc = napcoll_start_quiet_barrier(start->comm);
    }
    return MPI_SUCCESS == rc ? find_slack(start) : rc;
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

void napcoll_start_was_missed(napcoll_start_t *start)
{
    set_slack(start, start->slack * slack_growth);
}

void napcoll_start_was_met(napcoll_start_t *start)
{
    set_slack(start, start->slack * slack_decay);
}
