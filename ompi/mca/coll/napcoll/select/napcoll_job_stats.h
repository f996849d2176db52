/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Call statistics of a job: the tables of its processes, merged. A row has the calls of one outcome
 * on all processes, and the total time of each process that made such calls, for their median.
 *
 * A table is a list of numbers, so that processes can send it as one message of doubles:
 *
 *     processes  lost  { collective algorithm reason least most
 *                        calls bytes us setup_us least_us most_us  n  us of n processes } ...
 *
 * The rows are in the order of napcoll_outcome_order(), so that a merge walks through two tables
 * once. Pure: no MPI in here.
 */

#ifndef NAPCOLL_JOB_STATS_H
#define NAPCOLL_JOB_STATS_H

#include "select/napcoll_call_stats.h"

/** The table of some processes; all zero, except for the collectives: of none. */
typedef struct napcoll_job_stats {
    /** [collectives] the same on all processes; borrowed */
    const napcoll_collective_t *const *collective;
    int collectives;
    /** [room], of which [numbers] are used */
    double *number;
    size_t numbers;
    size_t room;
} napcoll_job_stats_t;

typedef struct napcoll_job_stats_row {
    /** sums over the processes, but setup_us is of the process with the longest; least_us and
     * most_us are of one call */
    napcoll_call_stats_row_t all;
    /** processes that made such calls */
    int processes;
    /** total times of these processes */
    double least_total_us;
    double median_total_us;
    double most_total_us;
} napcoll_job_stats_row_t;

/**
 * Make the table of one process.
 *
 * @param[in,out] job    without a table
 * @param[in]     stats  of the process, sorted
 *
 * @return 0, or -1 when memory ran out: the table is empty then
 */
int napcoll_job_stats_of(napcoll_job_stats_t *job, const napcoll_call_stats_t *stats);

/**
 * Merge another table into this one.
 *
 * @param[in,out] job      this one, unchanged after an error
 * @param[in]     number   the other one
 * @param[in]     numbers  its length
 *
 * @return 0; -1: no memory, or the numbers are not a table
 */
int napcoll_job_stats_merge(napcoll_job_stats_t *job, const double *number, size_t numbers);

/** Processes in the table. */
int napcoll_job_stats_processes(const napcoll_job_stats_t *job);

/** Calls of these processes for whose rows there was no memory. */
unsigned long long napcoll_job_stats_lost(const napcoll_job_stats_t *job);

/**
 * The next row.
 *
 * @param[in,out] job  the table
 * @param[in,out] at   0 for the first row
 * @param[out]    row  the row
 *
 * @return false: there is no further row
 */
bool napcoll_job_stats_next(napcoll_job_stats_t *job, size_t *at, napcoll_job_stats_row_t *row);

/**
 * A row as one line without its end:
 *
 *     OUTCOME calls=N bytes=N processes=N min_total_us=T median_total_us=T max_total_us=T
 *     mean_us=T max_setup_us=T
 */
void napcoll_job_stats_line(const napcoll_job_stats_row_t *row, char line[NAPCOLL_CALL_STATS_LINE]);

/** Release the table: of no process again. */
void napcoll_job_stats_release(napcoll_job_stats_t *job);

#endif /* NAPCOLL_JOB_STATS_H */
