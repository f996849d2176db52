/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The samples of a scan by size, for napcoll_incast*.c alone.
 */

#ifndef NAPCOLL_INCAST_SCAN_H
#define NAPCOLL_INCAST_SCAN_H

#include "common/napcoll_incast.h"

/** Sizes ascending, and the times of each. */
typedef struct napcoll_incast_scan {
    napcoll_incast_size_t *size; /**< [num_sizes] */
    int num_sizes;
    double *seconds; /**< of all sizes, one after the other, each size's ascending */
    size_t *first;   /**< [num_sizes] where a size's begin */
    double noise;    /**< see napcoll_incast_gather */
} napcoll_incast_scan_t;

/** Sort samples into a scan, which is to be closed, also after an error. */
napcoll_incast_result_t napcoll_incast_scan_open(const napcoll_incast_sample_t *samples,
                                                 size_t count, napcoll_incast_scan_t *scan);

/** Release what the scan holds. */
void napcoll_incast_scan_close(napcoll_incast_scan_t *scan);

/** Which time of a size a line is to go through. */
typedef enum { NAPCOLL_INCAST_LOW, NAPCOLL_INCAST_MEDIAN } napcoll_incast_which_t;

/**
 * Lay a line through sizes.
 *
 * @param[in]  use  [num_sizes] which sizes; NULL: all
 * @param[in]  from first index
 * @param[in]  to   index behind the last
 * @param[out] line no line where there are fewer than three sizes
 *
 * @return OK, also without a line; NO_MEMORY
 */
napcoll_incast_result_t napcoll_incast_scan_line(const napcoll_incast_scan_t *scan, const bool *use,
                                                 int from, int to, napcoll_incast_which_t which,
                                                 napcoll_line_t *line);

#endif /* NAPCOLL_INCAST_SCAN_H */
