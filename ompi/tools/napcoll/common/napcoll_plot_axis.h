/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The axes of pictures: their ranges, and tics with units that fit. All are logarithmic.
 */

#ifndef NAPCOLL_PLOT_AXIS_H
#define NAPCOLL_PLOT_AXIS_H

#include <stdio.h>

#include "common/napcoll_plot.h"

enum { NAPCOLL_EXTENT_VALUES = 1000 };

/** The range of an axis, and its different values, ascending; more than NAPCOLL_EXTENT_VALUES are
 * not kept. */
typedef struct napcoll_extent {
    double least, most;
    double value[NAPCOLL_EXTENT_VALUES];
    int values;
} napcoll_extent_t;

/** Add a value above 0. An empty extent has least INFINITY and most 0. */
void napcoll_extent_add(napcoll_extent_t *extent, double value);

/** Write gnuplot's settings of an axis, 'x' or 'y'. Values that are few have a tic each. */
void napcoll_axis_write(FILE *out, char name, const napcoll_axis_t *axis,
                        const napcoll_extent_t *extent);

/** Write a value in quotes, with the unit that fits: 8 B, 64 KiB; 500 ns, 20 us, 1.5 ms. */
void napcoll_axis_put(FILE *out, napcoll_axis_unit_t unit, double value);

#endif /* NAPCOLL_PLOT_AXIS_H */
