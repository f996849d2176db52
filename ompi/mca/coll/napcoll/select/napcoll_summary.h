/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary of calls as JSON lines: one line for a process's or a job's table, then one for each
 * row. docs/user-guide.md describes the keys. Pure: no MPI in here.
 */

#ifndef NAPCOLL_SUMMARY_H
#define NAPCOLL_SUMMARY_H

#include <stdio.h>

#include "select/napcoll_job_stats.h"

/** Of what a summary is. All texts are borrowed. */
typedef struct napcoll_summary_head {
    /** the scheduler's job, and Open MPI's number of the mpirun or srun */
    const char *job;
    unsigned long launch;
    /** rank in MPI_COMM_WORLD; -1: the summary is of the whole job */
    int process;
    /** of the process that writes */
    const char *host;
    /** UTC, in the form of ISO 8601 */
    const char *ended;
    /** versions; git is "" where it is not known */
    const char *napcoll;
    const char *git;
    const char *openmpi;
    /** of the job, and those whose calls are in the summary */
    int processes;
    int counted;
    /** of MPI_COMM_WORLD; 0 where they are not known */
    int nodes;
    int min_ppn;
    int max_ppn;
    /** why napcoll does not serve MPI_COMM_WORLD; "" if it does */
    const char *not_used;
    /** calls for whose rows there was no memory */
    unsigned long long lost;
} napcoll_summary_head_t;

/** Write the first line of a summary. */
void napcoll_summary_write_head(FILE *out, const napcoll_summary_head_t *head);

/** Write a row of the process's table. */
void napcoll_summary_write_row(FILE *out, const napcoll_summary_head_t *head,
                               const napcoll_call_stats_row_t *row);

/** Write a row of the job's table. */
void napcoll_summary_write_job_row(FILE *out, const napcoll_summary_head_t *head,
                                   const napcoll_job_stats_row_t *row);

#endif /* NAPCOLL_SUMMARY_H */
