/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Starting together, for tools that time collectives: napcoll-tune and collbench. Needs nothing but MPI.
 *
 * A barrier is a poor starting line: its last message arrives later on one rank than on another by as much as a
 * whole collective takes. So the ranks agree on a time instead: rank 0 announces one (its clock + `slack`, by
 * whatever message suits), and every process waits for it (napcoll_start_at) by its own clock, whose offset to rank 0's
 * napcoll_start_sync has found in two hops, from the exchange with the shortest round trip:
 *
 *     rank 0  <-->  leader of node m  <-->  lane l of node m
 *
 * Clocks drift apart: who measures for long syncs again now and then.
 *
 * All functions that return int return MPI_SUCCESS, or the error of the MPI function that failed.
 */

#ifndef NAPCOLL_START_H
#define NAPCOLL_START_H

#include <mpi.h>
#include <stdbool.h>

/** What was timed before of the same thing; all 0: nothing yet. */
typedef struct napcoll_start_before {
    double seconds; /**< one call took so long */
    int calls;      /**< of so many, one after the other */
} napcoll_start_before_t;

/** The processes that start together, as one of them sees them. Times are in seconds. */
typedef struct napcoll_start {
    MPI_Comm comm; /**< all of them; the caller's */
    MPI_Comm node; /**< those that share this one's memory, by rank */
    MPI_Comm
        leaders;   /**< the lowest rank of each node, rank 0 first; MPI_COMM_NULL on the others */
    double offset; /**< this process's clock + offset = that of rank 0 */
    double slack;  /**< rank 0: how much later than its announcement a start has to be */
} napcoll_start_t;

/**
 * Find out who shares memory, and have this process's sleeps end when they should. Collective.
 *
 * @param[in]  comm  to be kept until napcoll_start_close
 * @param[out] start clocks are not synced yet
 */
int napcoll_start_open(MPI_Comm comm, napcoll_start_t *start);

/** Free what napcoll_start_open made. Collective. */
int napcoll_start_close(napcoll_start_t *start);

/**
 * Learn the clock's offset, and, on rank 0, how long an announcement to all takes. Collective. While two processes
 * exchange messages all others sleep rather than poll: with more processes than cores polling is what one would measure.
 */
int napcoll_start_sync(napcoll_start_t *start);

/** A barrier in which those who wait sleep, the longer the longer they have waited: 5 ms at most. Collective. */
int napcoll_start_quiet_barrier(MPI_Comm comm);

/**
 * Wait until rank 0's clock says `when`: asleep, but for the last moments, as waking up takes its time where cores are
 * shared.
 *
 * @return how long before `when` the wait began; negative: too late
 */
double napcoll_start_at(const napcoll_start_t *start, double when);

/**
 * Sleep for who has done its part of what is timed before others, until it is likely to be over: where processes share
 * cores it would else take its share of them while it waits for the others, which a node's own cores do not suffer. Never
 * for longer after the start than what was timed before lasted as a whole: where one of few calls was held up by a lost
 * packet, a thousand are not.
 *
 * @param[in] when   the start, by rank 0's clock
 * @param[in] before what was timed before
 * @param[in] calls  how many were timed now
 */
void napcoll_start_rest(const napcoll_start_t *start, double when,
                        const napcoll_start_before_t *before, int calls);

/** Rank 0: an announcement came too late somewhere; the next ones get half as much time again, 5 s at most. */
void napcoll_start_was_missed(napcoll_start_t *start);

/** Rank 0: an announcement was in time everywhere; the next ones get a little less. For who can do again what began too
 * late, which then is one of 14 or so. */
void napcoll_start_was_met(napcoll_start_t *start);

#endif /* NAPCOLL_START_H */
