/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Statistics of measurements of which some are wrong: quantiles, lines, and comparisons. No MPI in
 * here.
 */

#ifndef NAPCOLL_ROBUST_H
#define NAPCOLL_ROBUST_H

#include <stdbool.h>
#include <stddef.h>

/** A measured point. */
typedef struct napcoll_point {
    double x;
    double y;
} napcoll_point_t;

/** A line y = intercept + slope x with its standard errors. */
typedef struct napcoll_line {
    double intercept;
    double slope;
    double intercept_error;
    double slope_error;
    /** of which it was made; 0: there is no line */
    int points;
} napcoll_line_t;

/** Sort numbers, the least first. */
void napcoll_robust_sort(double *values, size_t count);

/**
 * The value below which a share of sorted values lies, linear between neighbours.
 *
 * @param[in] sorted [count] ascending
 * @param[in] count  at least 1
 * @param[in] share  from 0, the least, to 1, the greatest
 */
double napcoll_robust_quantile(const double *sorted, size_t count, double share);

/** The median of values; sorts them. count: at least 1. */
double napcoll_robust_median(double *values, size_t count);

/**
 * The median of values, and their standard deviation: 1.4826 times the median absolute deviation,
 * as of a normal distribution.
 *
 * @param[in,out] values    [count] overwritten
 * @param[in]     count     at least 1
 * @param[out]    deviation the standard deviation
 */
double napcoll_robust_middle(double *values, size_t count, double *deviation);

/**
 * Lay a line through points. Its slope is the median of the slopes between any two points, each
 * weighted by their distance in x; its intercept is the median of what the slope leaves. One or two
 * wrong points in ten hardly move it. That is Theil's and Sen's line with the weights of G. L.
 * Sievers: "Weighted Rank Statistics for Simple Linear Regression", 1978, so that many points close
 * together do not decide alone.
 *
 * The errors are the errors of least squares, with 1.4826 times the median absolute residual as the
 * deviation.
 *
 * @param[in]  points [count]
 * @param[in]  count  at least 2, with two different x
 * @param[out] line   the line; no line (points = 0) after an error
 *
 * @return 0; -1 when there are too few points or memory ran out
 */
int napcoll_robust_line(const napcoll_point_t *points, int count, napcoll_line_t *line);

/** With fewer turns two times cannot be told apart. */
enum { NAPCOLL_ROBUST_LEAST_TURNS = 6 };

/**
 * Whether something is the case in so large a part of the turns that chance alone, which makes it
 * so in every other turn, reaches that once in twenty times at most (all of 6 turns, 12 of 16, 22
 * of 32). With fewer than NAPCOLL_ROBUST_LEAST_TURNS: no.
 */
bool napcoll_robust_mostly(int count, int turns);

/**
 * Whether one thing takes longer than another that was measured in the same turns, so that
 * disturbances affect both. Its median must be above the other's by a share that matters, and it
 * must be longer in so large a part of the turns that chance does not explain it (a sign test,
 * napcoll_robust_mostly).
 *
 * @param[in] one    [turns] times of the one, by turn
 * @param[in] other  [turns] times of the other
 * @param[in] turns  below NAPCOLL_ROBUST_LEAST_TURNS: no
 * @param[in] share  that matters: 0.1 for a tenth
 *
 * @return no also when memory ran out
 */
bool napcoll_robust_longer(const double *one, const double *other, int turns, double share);

/** The y of the line at x. */
double napcoll_robust_at(const napcoll_line_t *line, double x);

#endif /* NAPCOLL_ROBUST_H */
