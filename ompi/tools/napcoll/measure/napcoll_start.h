/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Starting together, for tools that time collectives. Needs nothing but MPI.
 *
 * After a barrier some ranks leave later than others by as much as a collective takes. So rank 0
 * announces a time instead (its clock + `slack`), and every process waits for it by its own clock.
 * napcoll_start_sync finds the offsets of clocks in two steps, from the exchange with the shortest
 * round trip:
 *
 *     rank 0  <-->  leader of node m  <-->  lane l of node m
 *
 * Clocks drift apart, so long measurements sync again now and then. Where MPI fails, all functions
 * abort the job.
 */

#ifndef NAPCOLL_START_H
#define NAPCOLL_START_H

#include <mpi.h>
#include <stdbool.h>

/** The sample before of the same contestant; all 0: there was none. */
typedef struct napcoll_start_before {
    /** of one call */
    double seconds;
    /** in a row */
    int calls;
} napcoll_start_before_t;

/** The processes that start together, as one of them sees them. Times are in seconds. */
typedef struct napcoll_start {
    /** all of them; the caller's */
    MPI_Comm comm;
    /** the processes that share memory with this one, by rank */
    MPI_Comm node;
    /** the lowest rank of each node, rank 0 first; MPI_COMM_NULL on other ranks */
    MPI_Comm leaders;
    /** this process's clock + offset = the clock of rank 0 */
    double offset;
    /** rank 0: by how much a start has to be later than its announcement */
    double slack;
    /** rank 0: how long the slowest announcement of late took; when clocks were synced, by its own
     * clock */
    double took, synced;
    /** rank 0: the most by which a process's offset differed from the one found at the next sync,
     * that is the errors of both and the drift between them; below 0: there was one sync at most */
    double offset_error;
    /** rank 0: starts, and those that were too late on some process */
    unsigned long long starts, missed;
} napcoll_start_t;

/**
 * Find out which processes share memory, and make the sleeps of this process precise. Collective.
 *
 * @param[in]  comm  the caller keeps it until napcoll_start_close
 * @param[out] start clocks are not synced yet
 */
void napcoll_start_open(MPI_Comm comm, napcoll_start_t *start);

/** Free what napcoll_start_open made. Collective. */
void napcoll_start_close(napcoll_start_t *start);

/**
 * Find the clock's offset, and at first, on rank 0, how long an announcement to all takes.
 * Collective. While two processes exchange messages the others sleep: polling would disturb them
 * where cores are shared.
 */
void napcoll_start_sync(napcoll_start_t *start);

/** napcoll_start_sync, unless the last one was a few seconds ago. Collective. */
void napcoll_start_sync_again(napcoll_start_t *start);

/** A barrier in which waiting processes sleep, up to 5 ms at a time. Collective. */
void napcoll_start_quiet_barrier(MPI_Comm comm);

/**
 * Sleep until shortly before rank 0's clock says `when`, then poll the clock: waking up takes time.
 *
 * @return how long before `when` the wait began; negative: too late
 */
double napcoll_start_at(const napcoll_start_t *start, double when);

/**
 * Called by a process that has done its part of a sample: sleep until the others are likely to be
 * done. Where processes share cores, it would disturb them while it waits. It never sleeps longer
 * than the whole sample before lasted: one slow call there does not make this one as slow.
 *
 * @param[in] when   the start, by rank 0's clock
 * @param[in] before the sample before
 * @param[in] calls  calls of this sample
 */
void napcoll_start_rest(const napcoll_start_t *start, double when,
                        const napcoll_start_before_t *before, int calls);

/**
 * Rank 0: count a start, and learn how long announcements take: as long as the slowest of late.
 *
 * @param[in] late by how much the announcement came after the start on the slowest process;
 *                 negative: before it
 * @return         whether it came too late
 */
bool napcoll_start_count(napcoll_start_t *start, double late);

#endif /* NAPCOLL_START_H */
