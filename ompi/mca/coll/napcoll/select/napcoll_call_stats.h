/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The statistics of a process's calls: how many of each collective and size ran by which algorithm,
 * or by the fallback function for which reason, and how long they took. Pure: no MPI in here.
 */

#ifndef NAPCOLL_CALL_STATS_H
#define NAPCOLL_CALL_STATS_H

#include "algo/napcoll_algo.h"

/** What became of a call. */
typedef struct napcoll_outcome {
    const napcoll_collective_t *collective;
    napcoll_kind_t kind;
    /** row of the table, or -1: the fallback function */
    int algorithm;
    /** why, if it is the fallback function */
    napcoll_reason_t reason;
    /** bytes of its size class, least .. most; most is SIZE_MAX if no size is known */
    size_t least;
    size_t most;
} napcoll_outcome_t;

/** Calls of one outcome. */
typedef struct napcoll_call_stats_row {
    napcoll_outcome_t outcome;
    unsigned long long calls;
    /** as decisions count them: of the vector, or of a rank's block */
    unsigned long long bytes;
    /** from the decision to the end, of all calls; of those that another component carries out
     * without waiting, to the return */
    double us;
    /** of the shortest and of the longest call */
    double least_us;
    double most_us;
    /** before: finding the nodes, deciding, agreeing on sizes, planning */
    double setup_us;
} napcoll_call_stats_row_t;

/** All zero: no calls. */
typedef struct napcoll_call_stats {
    /** [room], of which [rows] are used */
    napcoll_call_stats_row_t *row;
    int rows;
    int room;
    /** calls for whose row there was no memory */
    unsigned long long lost;
} napcoll_call_stats_t;

/** Count a call that took `us` microseconds from the decision on, and `setup_us` before. One caller
 * at a time. */
void napcoll_call_stats_count(napcoll_call_stats_t *stats, const napcoll_outcome_t *outcome,
                              size_t bytes, double us, double setup_us);

/** The order of outcomes, for qsort: by collective, size, and then algorithms before reasons. */
int napcoll_outcome_order(const napcoll_outcome_t *a, const napcoll_outcome_t *b);

enum { NAPCOLL_OUTCOME_WORDS = 160 };

/** An outcome as text: FUNCTION SIZES ALGORITHM. FUNCTION is of napcoll_function_name(), SIZES is
 * LEAST-MOST or any, ALGORITHM may be fallback:REASON. */
void napcoll_outcome_words(const napcoll_outcome_t *outcome, char words[NAPCOLL_OUTCOME_WORDS]);

/** Sort the rows by their outcomes. */
void napcoll_call_stats_sort(napcoll_call_stats_t *stats);

enum { NAPCOLL_CALL_STATS_LINE = 512 };

/**
 * A row as one line without its end:
 *
 *     OUTCOME calls=N bytes=N total_us=T mean_us=T setup_us=T
 *
 * mean_us is total_us over calls.
 */
void napcoll_call_stats_line(const napcoll_call_stats_row_t *row,
                             char line[NAPCOLL_CALL_STATS_LINE]);

/** Release the rows: no calls again. */
void napcoll_call_stats_release(napcoll_call_stats_t *stats);

#endif /* NAPCOLL_CALL_STATS_H */
