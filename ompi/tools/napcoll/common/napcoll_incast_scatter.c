/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The leap of scatter; see napcoll_incast.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_incast.h"
#include "common/napcoll_incast_scan.h"

/* Sizes on each side of the leap, at least. */
enum { LEAST_SIDE = 3 };

/* How far the times lie above the small sizes' line, at least, relative to it. */
static const double leap_share = 0.3;

/* The leap is so many times its error, at least. */
static const double times_error = 2.0;

/* What two lines leave, at most, relative to what one leaves. */
static const double two_over_one = 0.7;

/* What lines leave of the medians of the sizes from `from` to before `to`, relative to these. */
static double left_by(const napcoll_incast_scan_t *scan, const napcoll_line_t *line, int from,
                      int to)
{
    double left = 0;

    for (int i = from; i < to; i++) {
        const double median = scan->size[i].median;
        const double off = fabs(median - napcoll_robust_at(line, (double) scan->size[i].bytes));

        left += median > 0 ? off / median : 0;
    }
    return left;
}

/* Lay a line on each side of `at`; what the two leave goes to *left. */
static napcoll_incast_result_t part_at(const napcoll_incast_scan_t *scan, int at,
                                       napcoll_line_t *small, napcoll_line_t *large, double *left)
{
    napcoll_incast_result_t result;

    result = napcoll_incast_scan_line(scan, NULL, 0, at, NAPCOLL_INCAST_MEDIAN, small);
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_scan_line(scan, NULL, at, scan->num_sizes, NAPCOLL_INCAST_MEDIAN,
                                          large);
    }
    if (NAPCOLL_INCAST_OK == result) {
        *left = left_by(scan, small, 0, at) + left_by(scan, large, at, scan->num_sizes);
    }
    return result;
}

/* The first index from `from` on such that all sizes from there on lie above the line; num_sizes for none. */
static int above_from(const napcoll_incast_scan_t *scan, const napcoll_line_t *small, int from)
{
    int first = scan->num_sizes;

    for (int i = scan->num_sizes - 1; i >= from; i--) {
        const double line = napcoll_robust_at(small, (double) scan->size[i].bytes);

        if (scan->size[i].median < (1 + leap_share) * line + scan->noise) {
            break;
        }
        first = i;
    }
    return first;
}

/* Where the leap is: *at is its index, or num_sizes where there is none. */
static napcoll_incast_result_t find_leap(const napcoll_incast_scan_t *scan,
                                         const napcoll_line_t *whole, int *at)
{
    double least = two_over_one * left_by(scan, whole, 0, scan->num_sizes);
    napcoll_line_t small, large, best = {.points = 0};
    int part = 0;

    *at = scan->num_sizes;
    for (int i = LEAST_SIDE; i + LEAST_SIDE <= scan->num_sizes; i++) {
        napcoll_incast_result_t result;
        double left;

        result = part_at(scan, i, &small, &large, &left);
        if (NAPCOLL_INCAST_OK != result) {
            return result;
        }
        if (left < least && small.slope >= 0) {
            least = left;
            best = small;
            part = i;
        }
    }
    if (part > 0) {
        *at = above_from(scan, &best, part);
        if (*at + LEAST_SIDE > scan->num_sizes) {
            *at = scan->num_sizes;
        }
    }
    return NAPCOLL_INCAST_OK;
}

/* The error of a line at x; more than that, since its two errors counter each other. */
static double error_at(const napcoll_line_t *line, double x)
{
    return hypot(line->intercept_error, line->slope_error * x);
}

static napcoll_incast_result_t fit(const napcoll_incast_scan_t *scan,
                                   napcoll_incast_scatter_t *scatter)
{
    napcoll_line_t small, large;
    napcoll_incast_result_t result;
    double left, s, leap, leap_error;
    int at;

    result = napcoll_incast_scan_line(scan, NULL, 0, scan->num_sizes, NAPCOLL_INCAST_MEDIAN,
                                      &scatter->small);
    if (NAPCOLL_INCAST_OK == result) {
        result = find_leap(scan, &scatter->small, &at);
    }
    if (NAPCOLL_INCAST_OK != result || at == scan->num_sizes) {
        return result;
    }
    result = part_at(scan, at, &small, &large, &left);
    if (NAPCOLL_INCAST_OK != result) {
        return result;
    }
    s = (double) scan->size[at].bytes;
    leap = napcoll_robust_at(&large, s) - napcoll_robust_at(&small, s);
    leap_error = hypot(error_at(&small, s), error_at(&large, s));
    if (leap > times_error * leap_error) {
        scatter->leaps = true;
        scatter->s = scan->size[at].bytes;
        scatter->below_s = scan->size[at - 1].bytes;
        scatter->leap = leap;
        scatter->leap_error = leap_error;
        scatter->small = small;
        scatter->large = large;
    }
    return NAPCOLL_INCAST_OK;
}

napcoll_incast_result_t napcoll_incast_scatter(const napcoll_incast_sample_t *samples, size_t count,
                                               napcoll_incast_scatter_t *scatter)
{
    napcoll_incast_scan_t scan;
    napcoll_incast_result_t result;

    memset(scatter, 0, sizeof(*scatter));
    result = napcoll_incast_scan_open(samples, count, &scan);
    if (NAPCOLL_INCAST_OK == result) {
        result = fit(&scan, scatter);
        scatter->size = scan.size;
        scatter->num_sizes = scan.num_sizes;
        scan.size = NULL;
    }
    napcoll_incast_scan_close(&scan);
    return result;
}

void napcoll_incast_scatter_close(napcoll_incast_scatter_t *scatter)
{
    free(scatter->size);
    memset(scatter, 0, sizeof(*scatter));
}
