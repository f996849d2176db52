/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The pictures of times that napcoll's tools draw with gnuplot: lines over a size or a number, and
 * a map of the fastest over both. All have logarithmic axes with fitting units (8 B, 1 KiB; 20 us,
 * 1 ms), a title, and below it the version, the machine and whether times are simulated, emulated
 * or measured. A name has the same color in every picture.
 */

#ifndef NAPCOLL_PLOT_H
#define NAPCOLL_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    /** lines of a plot */
    NAPCOLL_PLOT_LINES = 20,
    NAPCOLL_PLOT_TEXT = 200,
    NAPCOLL_PLOT_MESSAGE = 1024
};

typedef enum {
    NAPCOLL_AXIS_NUMBER,
    NAPCOLL_AXIS_BYTES,
    /** in microseconds */
    NAPCOLL_AXIS_TIME,
    NAPCOLL_AXIS_RATIO,
    /** no values: the lines stand side by side, each with its name below */
    NAPCOLL_AXIS_NAMES
} napcoll_axis_unit_t;

typedef struct napcoll_axis {
    napcoll_axis_unit_t unit;
    const char *label;
} napcoll_axis_t;

/** A point; low and high: its range, the same where there is none. A map has neither. */
typedef struct napcoll_plot_point {
    double x, y, low, high;
} napcoll_plot_point_t;

typedef struct napcoll_plot_line {
    /** an algorithm, a component or a contestant of collbench, which decides the color; borrowed */
    const char *name;
    /** for the key, behind the name; "": nothing */
    char note[NAPCOLL_PLOT_TEXT];
    /** a map: cells of which nobody knows the fastest, gray and hatched */
    bool unknown;
    /** [points], none below or at 0 on a logarithmic axis; the plot owns them */
    napcoll_plot_point_t *point;
    size_t points;
} napcoll_plot_line_t;

typedef struct napcoll_plot napcoll_plot_t;
struct napcoll_plot {
    /** what is drawn, and where its times come from: "bluewaters.conf, simulated plans" */
    char title[NAPCOLL_PLOT_TEXT], origin[NAPCOLL_PLOT_TEXT];
    napcoll_axis_t x, y;
    /** each point is a cell in the color of its line */
    bool map;
    napcoll_plot_line_t line[NAPCOLL_PLOT_LINES];
    int lines;
    /** a bound on y, and its name; 0: none */
    double bound;
    char bound_name[NAPCOLL_PLOT_TEXT];
    /** drawn to the right of this one, with the same lines and so the same colors; borrowed, NULL:
     * none */
    const napcoll_plot_t *beside;
};

/** Add a point to a line, unless it has no place on logarithmic axes. */
void napcoll_plot_add(napcoll_plot_t *plot, int line, const napcoll_plot_point_t *point);

/** Free the points. */
void napcoll_plot_free(napcoll_plot_t *plot);

/** The number of points of all lines. */
size_t napcoll_plot_points(const napcoll_plot_t *plot);

/**
 * Draw the picture into a file.
 *
 * @param[in]  file     its name
 * @param[out] message  [NAPCOLL_PLOT_MESSAGE] what is wrong, with the option --svg and the file
 *
 * @return whether the file was written
 */
bool napcoll_plot_draw(const napcoll_plot_t *plot, const char *file, char *message);

/**
 * Run gnuplot on a script, and close it.
 *
 * @param[in] script  from napcoll_gnuplot_script; NULL: that failed, and errno says why
 *
 * Other arguments and the result are as of napcoll_plot_draw.
 */
bool napcoll_plot_write(FILE *script, const char *file, char *message);

/** Check that gnuplot runs and a picture's file can be written, before times are computed. Returns
 * as napcoll_plot_draw. */
bool napcoll_plot_check(const char *file, char *message);

/**
 * The color of a name, "#rrggbb", static: of COMPONENT, ALGORITHM or COMPONENT:ALGORITHM with any
 * settings.
 *
 * @return NULL: the name has none of its own, and gets one that the picture has not used
 */
const char *napcoll_plot_color(const char *name);

#endif /* NAPCOLL_PLOT_H */
