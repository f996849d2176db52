/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The samples of a scan by size. Internal to napcoll_incast*.c.
 */

#ifndef NAPCOLL_INCAST_SCAN_H
#define NAPCOLL_INCAST_SCAN_H

#include "tune/napcoll_incast.h"

/** Sizes ascending, and the times of each. */
typedef struct napcoll_incast_scan {
    /** [num_sizes] */
    napcoll_incast_size_t *size;
    int num_sizes;
    /** Times of all sizes, one size after the other, ascending in each. */
    double *seconds;
    /** [num_sizes] index of a size's first time */
    size_t *first;
    /** See napcoll_incast_gather. */
    double noise;
} napcoll_incast_scan_t;

/** Sort samples into a scan, which the caller closes, also after an error. */
napcoll_incast_result_t napcoll_incast_scan_open(const napcoll_incast_sample_t *samples,
                                                 size_t count, napcoll_incast_scan_t *scan);

/** Free a scan. */
void napcoll_incast_scan_close(napcoll_incast_scan_t *scan);

/** Fit a line to points[count] with different x. No line with fewer than `least` points. */
napcoll_line_t napcoll_incast_fit(const napcoll_point_t *points, int count, int least);

/** Fit a line to the medians of the sizes from `from` to before `to`; no line with fewer than
 * three. */
napcoll_line_t napcoll_incast_scan_line(const napcoll_incast_scan_t *scan, int from, int to);

#endif /* NAPCOLL_INCAST_SCAN_H */
