/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Lines through measured points of which some are wrong. Pure: no MPI in here.
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

/** A line y = intercept + slope x with its standard errors. points is 0 where there is no line. */
typedef struct napcoll_line {
    double intercept;
    double slope;
    double intercept_error;
    double slope_error;
    int points; /**< through how many it was laid */
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

/**
 * Lay a line through points: its slope is the median of the slopes of all pairs of points, each weighted by
 * how far the two are apart in x; its intercept is the median of what the slope leaves. That is Theil's and
 * Sen's line with weights as in G. L. Sievers: "Weighted Rank Statistics for Simple Linear Regression", 1978:
 * points that crowd together do not have all the say. A wrong point or two in ten hardly move it.
 *
 * The errors are those of least squares, with 1.4826 times the median absolute residual for the deviation.
 *
 * @param[in]  points [count]
 * @param[in]  count  at least 2, with two different x
 * @param[out] line   the line; no line (points = 0) after an error
 *
 * @return 0; -1 where there are too few points, or there is no memory
 */
int napcoll_robust_line(const napcoll_point_t *points, int count, napcoll_line_t *line);

/** Fewer turns do not tell two times apart. */
enum { NAPCOLL_ROBUST_LEAST_TURNS = 6 };

/**
 * Whether one thing takes longer than another, which was measured in the same turns, so that what disturbs a turn
 * disturbs both: its median is above the other's by a share that matters, and it took longer in so many turns that
 * equal things would do so by chance once in twenty times at most (a sign test: in all of 6 turns, 12 of 16, 22 of 32).
 *
 * @param[in] one    [turns] what one took, by turn
 * @param[in] other  [turns] what the other did
 * @param[in] turns  below NAPCOLL_ROBUST_LEAST_TURNS: no
 * @param[in] share  that matters: 0.1 for a tenth
 *
 * @return no also where memory ran out
 */
bool napcoll_robust_longer(const double *one, const double *other, int turns, double share);

/** The y of the line at x. */
double napcoll_robust_at(const napcoll_line_t *line, double x);

#endif /* NAPCOLL_ROBUST_H */
