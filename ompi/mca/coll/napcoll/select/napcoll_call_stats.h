/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary of a process's calls: how many of each collective and size went by which algorithm, or were left to the
 * fallback function for which reason, and what they took. Pure: no MPI in here.
 */

#ifndef NAPCOLL_CALL_STATS_H
#define NAPCOLL_CALL_STATS_H

#include "algo/napcoll_algo.h"

/** What became of a call. */
typedef struct napcoll_outcome {
    const napcoll_collective_t *collective;
    int algorithm;           /**< row of the table, or -1: the fallback function */
    napcoll_reason_t reason; /**< why, where that did it */
    size_t
        least; /**< bytes of its size class, least .. most; most is SIZE_MAX where none is known */
    size_t most;
} napcoll_outcome_t;

/** Calls of one outcome. */
typedef struct napcoll_call_stats_row {
    napcoll_outcome_t outcome;
    unsigned long long calls;
    unsigned long long bytes; /**< as decisions count them: of the vector, or of a rank's block */
    double us;                /**< from the decision to the return, of all calls */
    double setup_us; /**< before: finding the nodes, deciding, agreeing on sizes, planning */
} napcoll_call_stats_row_t;

/** All zero: no calls. */
typedef struct napcoll_call_stats {
    napcoll_call_stats_row_t *row; /**< [room], of which [rows] are used */
    int rows;
    int room;
    unsigned long long lost; /**< calls for whose row there was no memory */
} napcoll_call_stats_t;

/**
 * Count a call; where there is no memory for its row, as lost.
 *
 * @param[in,out] statistics     the summary; one caller at a time
 * @param[in]     outcome   what became of it
 * @param[in]     bytes     of it
 * @param[in]     us        microseconds that it took from the decision on
 * @param[in]     setup_us  microseconds before
 */
void napcoll_call_stats_count(napcoll_call_stats_t *stats, const napcoll_outcome_t *outcome,
                              size_t bytes, double us, double setup_us);

/** Sort the rows: by collective, size, and then algorithms before reasons. */
void napcoll_call_stats_sort(napcoll_call_stats_t *stats);

enum { NAPCOLL_CALL_STATS_LINE = 256 };

/**
 * A row as one line without its end, words and numbers after names:
 *
 *     COLLECTIVE LEAST-MOST ALGORITHM|fallback:REASON calls=N bytes=N total_us=T mean_us=T setup_us=T
 *
 * mean_us is total_us over calls; where no size class is known, LEAST-MOST is "any".
 */
void napcoll_call_stats_line(const napcoll_call_stats_row_t *row,
                             char line[NAPCOLL_CALL_STATS_LINE]);

/** Release the rows: no calls again. */
void napcoll_call_stats_release(napcoll_call_stats_t *stats);

#endif /* NAPCOLL_CALL_STATS_H */
