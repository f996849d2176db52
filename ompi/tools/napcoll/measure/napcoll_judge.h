/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What follows from times that contestants took in the same turns. Pure: no MPI in here.
 */

#ifndef NAPCOLL_JUDGE_H
#define NAPCOLL_JUDGE_H

#include <stdbool.h>

/** Percentiles of samples; NAN without samples. */
typedef struct napcoll_summary {
    double p05, median, p95;
} napcoll_summary_t;

/** Summarize samples, [num] in any order. Aborts the program when memory runs out. */
napcoll_summary_t napcoll_summarize(const double *sample, int num);

/**
 * The share of a communication that computation hid, in percent, as the nonblocking benchmarks of
 * OSU define it: 100 * (1 - (overall - compute) / pure), and no less than 0.
 *
 * @param[in] pure    seconds of a call and its wait, above 0
 * @param[in] overall seconds of a call, computation and the wait
 * @param[in] compute seconds of that computation
 */
double napcoll_judge_overlap(double pure, double overall, double compute);

/**
 * The drop rule: mark each contestant that takes more than `factor` times as long as the fastest
 * one that is not marked yet. The first contestant, to which the others are compared, is never
 * marked.
 *
 * @param[in]     seconds [count] of one call
 * @param[in,out] dropped [count]
 * @param[in]     factor  0: mark none
 */
void napcoll_judge_drop(const double *seconds, bool *dropped, int count, double factor);

/**
 * Mark all but the fastest few of each pool, and what takes hardly longer. The first contestant is
 * never marked.
 *
 * @param[in]     seconds   [count] of one call
 * @param[in]     pool      [count] 0: the contestant is in none, and stays
 * @param[in,out] dropped   [count]
 * @param[in]     finalists that are not marked, of each pool; 0: mark none
 * @param[in]     margin    neither is what takes at most this many times as long as the last of
 *                          these; 1: nothing else
 */
void napcoll_judge_finalists(const double *seconds, const int *pool, bool *dropped, int count,
                             int finalists, double margin);

/**
 * The contestant that a rule should name: the fastest of those that beat the first one by a margin
 * beyond noise (napcoll_robust_longer, a sign test on paired turns).
 *
 * @param[in] seconds [count][turns] by contestant; NULL: the contestant was dropped
 * @param[in] margin  share of its time by which the first one has to be slower: 0.05 for a
 * twentieth
 *
 * @return its index; 0: none is proved to be faster than the first
 */
int napcoll_judge_best(const double *const *seconds, int count, int turns, double margin);

/** The same, but where it is contestant `spare`, another one that beats the first, too, and is not
 * proved to be slower than that. */
int napcoll_judge_best_before(const double *const *seconds, int count, int turns, double margin,
                              int spare);

/**
 * Whether more turns would hardly change the answer of napcoll_judge_best: all others take longer
 * than the contestant that it names, by the margin and beyond noise. Who asks after every turn gets
 * a yes by chance sooner or later; ask after ever more turns.
 */
bool napcoll_judge_is_clear(const double *const *seconds, int count, int turns, double margin);

/** Whether a time keeps within a factor of another one. */
typedef enum {
    NAPCOLL_VERDICT_HOLDS,
    NAPCOLL_VERDICT_VIOLATED,
    /** the turns are too few or differ too much */
    NAPCOLL_VERDICT_UNDECIDED
} napcoll_verdict_t;

/**
 * Whether one thing takes at most `factor` times as long as another that was measured in the same
 * turns: a sign test (napcoll_robust_mostly) on which side of the factor their ratios lie.
 *
 * @param[in] one    [turns] times of the one, by turn
 * @param[in] other  [turns] times of the other, above 0
 * @param[in] factor 1.1: a tenth longer is within it
 */
napcoll_verdict_t napcoll_judge_within(const double *one, const double *other, int turns,
                                       double factor);

#endif /* NAPCOLL_JUDGE_H */
