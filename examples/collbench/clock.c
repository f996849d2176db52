/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the processes are, how far apart, and what their clocks say.
 *
 * A barrier is a poor starting line: its last message arrives later on one rank than on another by
 * as much as a whole collective takes. So the ranks agree on a time instead. Each process learns
 * its clock's offset to rank 0's in two hops, from the exchange with the shortest round trip:
 *
 *     rank 0  <-->  leader of node m  <-->  lane l of node m
 *
 * While two processes exchange messages all others sleep rather than poll, because on a machine
 * with more processes than cores polling is what one would measure.
 */
#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <time.h>
#if defined(__linux__)
#    include <sys/prctl.h>
#endif

#include "bench.h"

enum { SYNC_ROUNDS = 10, PING_WARMUP = 3, PING_ROUNDS = 41 };

static void nap_for(double seconds)
{
    struct timespec pause;

    pause.tv_sec = (time_t) seconds;
    pause.tv_nsec = (long) ((seconds - (double) pause.tv_sec) * 1.0e9);
    (void) nanosleep(&pause, NULL);
}

/* A barrier in which those who wait sleep, the longer the longer they have waited. */
static void quiet_barrier(MPI_Comm comm)
{
    const double longest = 5.0e-3;
    double pause = 50.0e-6;
    MPI_Request request;
    int done = 0;

    check(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    for (;;) {
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) {
            return;
        }
        nap_for(pause);
        pause = 2.0 * pause < longest ? 2.0 * pause : longest;
    }
}

/* The lowest rank r > 0 that does (or does not) share rank 0's node; -1 if there is none. */
static int lowest_rank(const struct layout *l, bool same_node)
{
    int on_node_0 = 0, mine, lowest;

    if (0 == l->rank) {
        on_node_0 = 1;
    }
    check(MPI_Allreduce(MPI_IN_PLACE, &on_node_0, 1, MPI_INT, MPI_MAX, l->node), "MPI_Allreduce");
    mine = 0 != l->rank && same_node == (1 == on_node_0) ? l->rank : l->size;
    check(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return lowest < l->size ? lowest : -1;
}

/* Sleeps end when they should. Who started this process may have allowed the kernel to end them
 * later, as netlab does: by more than what clock_wait_until() wakes up early. */
static void sleep_precisely(void)
{
#if defined(__linux__)
    const unsigned long usual = 50000; /* nanoseconds */

    (void) prctl(PR_SET_TIMERSLACK, usual, 0, 0, 0);
#endif
}

void layout_open(struct layout *l)
{
    int leader, ppn;

    sleep_precisely();
    memset(l, 0, sizeof(*l));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &l->rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &l->size), "MPI_Comm_size");
    check(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, l->rank, MPI_INFO_NULL, &l->node),
        "MPI_Comm_split_type");
    check(MPI_Comm_rank(l->node, &l->lane), "MPI_Comm_rank");
    check(MPI_Comm_size(l->node, &ppn), "MPI_Comm_size");
    check(MPI_Comm_split(MPI_COMM_WORLD, 0 == l->lane ? 0 : MPI_UNDEFINED, l->rank, &l->leaders),
          "MPI_Comm_split");
    leader = 0 == l->lane;
    check(MPI_Allreduce(&leader, &l->nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    check(MPI_Allreduce(&ppn, &l->ppn_min, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    check(MPI_Allreduce(&ppn, &l->ppn_max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    l->far_rank = lowest_rank(l, false);
    l->near_rank = lowest_rank(l, true);
}

void layout_close(struct layout *l)
{
    check(MPI_Comm_free(&l->node), "MPI_Comm_free");
    if (MPI_COMM_NULL != l->leaders) {
        check(MPI_Comm_free(&l->leaders), "MPI_Comm_free");
    }
}

/* Median half round trip in seconds between rank 0 and peer, known on rank 0. */
static double ping(const struct bench *b, int peer)
{
    double trip[PING_ROUNDS] = {0}, word = 0.0;

    for (int i = -PING_WARMUP; i < PING_ROUNDS; ++i) {
        if (0 == b->layout.rank) {
            double start = MPI_Wtime();

            check(MPI_Send(&word, 1, MPI_DOUBLE, peer, 0, b->helper), "MPI_Send");
            check(MPI_Recv(&word, 1, MPI_DOUBLE, peer, 0, b->helper, MPI_STATUS_IGNORE),
                  "MPI_Recv");
            if (i >= 0) {
                trip[i] = MPI_Wtime() - start;
            }
        } else if (peer == b->layout.rank) {
            check(MPI_Recv(&word, 1, MPI_DOUBLE, 0, 0, b->helper, MPI_STATUS_IGNORE), "MPI_Recv");
            check(MPI_Send(&word, 1, MPI_DOUBLE, 0, 0, b->helper), "MPI_Send");
        }
    }
    quiet_barrier(b->helper);
    qsort(trip, PING_ROUNDS, sizeof(trip[0]), report_order);
    return report_percentile(trip, PING_ROUNDS, 0.5) / 2.0;
}

void layout_ping(struct bench *b)
{
    struct layout *l = &b->layout;

    quiet_barrier(b->helper);
    if (l->far_rank >= 0) {
        l->alpha_far = ping(b, l->far_rank);
    }
    if (l->near_rank >= 0) {
        l->alpha_near = ping(b, l->near_rank);
    }
}

/* ceil(log_{ppn+1} nodes): after one step a node's news can be on ppn + 1 nodes and no more. */
int layout_steps(const struct layout *l)
{
    long long reached = 1;
    int steps = 0;

    while (reached < l->nodes) {
        reached *= l->ppn_max + 1;
        ++steps;
    }
    return steps;
}

/* Rank 0 of comm tells the time, its clock + offset, to each other rank in turn. */
static void sync_star(MPI_Comm comm, double *offset)
{
    int rank, size;

    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    if (0 == rank) {
        for (int peer = 1; peer < size; ++peer) {
            for (int i = 0; i < SYNC_ROUNDS; ++i) {
                double now;

                check(MPI_Recv(&now, 1, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
                now = MPI_Wtime() + *offset;
                check(MPI_Send(&now, 1, MPI_DOUBLE, peer, 0, comm), "MPI_Send");
            }
        }
    } else {
        double shortest = 1.0e30;

        for (int i = 0; i < SYNC_ROUNDS; ++i) {
            double start = MPI_Wtime(), end, theirs;

            check(MPI_Send(&start, 1, MPI_DOUBLE, 0, 0, comm), "MPI_Send");
            check(MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
            end = MPI_Wtime();
            if (end - start < shortest) {
                shortest = end - start;
                *offset = theirs - (start + end) / 2.0;
            }
        }
    }
}

void clock_sync(struct bench *b)
{
    b->offset = 0.0;
    quiet_barrier(b->helper);
    if (MPI_COMM_NULL != b->layout.leaders) {
        sync_star(b->layout.leaders, &b->offset);
    }
    quiet_barrier(b->helper);
    sync_star(b->layout.node, &b->offset);
    quiet_barrier(b->helper);
}

/* Sleeps, but for the last moments: waking up takes its time where cores are shared. */
void clock_wait_until(double local)
{
    const double awake = 2.0e-3;

    for (;;) {
        double left = local - MPI_Wtime();

        if (left <= 0.0) {
            return;
        }
        if (left > awake) {
            nap_for(left - awake);
        } else {
            (void) sched_yield();
        }
    }
}
