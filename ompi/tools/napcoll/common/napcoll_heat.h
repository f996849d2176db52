/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Heat maps: a table of ratios, of which each cell has a color and its number. White is 1; the
 * darker blue, the further below 1, and the darker red, the further above, up to a factor of 2.
 * Title, version and origin are as in the pictures of napcoll_plot.h.
 */

#ifndef NAPCOLL_HEAT_H
#define NAPCOLL_HEAT_H

#include <stdbool.h>

#include "common/napcoll_plot.h"

enum { NAPCOLL_HEAT_ROWS = 64, NAPCOLL_HEAT_COLUMNS = 32 };

typedef struct napcoll_heat {
    char title[NAPCOLL_PLOT_TEXT], origin[NAPCOLL_PLOT_TEXT];
    /** of the columns' names */
    const char *label;
    int rows, columns;
    /** borrowed; the first row is at the top */
    const char *row[NAPCOLL_HEAT_ROWS], *column[NAPCOLL_HEAT_COLUMNS];
    /** ratios above 0; NAN: gray, without a number */
    double value[NAPCOLL_HEAT_ROWS][NAPCOLL_HEAT_COLUMNS];
} napcoll_heat_t;

/** Draw the map into a file. Arguments and result are as of napcoll_plot_draw. */
bool napcoll_heat_draw(const napcoll_heat_t *heat, const char *file, char *message);

/** The color of a ratio, 0xrrggbb. */
unsigned napcoll_heat_color(double ratio);

#endif /* NAPCOLL_HEAT_H */
