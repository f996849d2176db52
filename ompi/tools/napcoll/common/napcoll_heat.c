/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Heat maps; see napcoll_heat.h.
 */

#include <math.h>
#include <stdio.h>

#include "common/napcoll_gnuplot.h"
#include "common/napcoll_heat.h"
#include "common/napcoll_version.h"

/* Of the picture, in pixels: a cell, and what is around all of them. */
enum { CELL_WIDTH = 66, CELL_HEIGHT = 26, LEFT = 215, RIGHT = 30, TOP = 80, BOTTOM = 60 };

/* Ratios of this factor and its inverse have the full colors. */
static const double full = 2;

unsigned napcoll_heat_color(double ratio)
{
    static const int blue[] = {0x00, 0x72, 0xb2}, red[] = {0xd5, 0x5e, 0x00};
    const int *end = ratio < 1 ? blue : red;
    unsigned color = 0;
    double share;

    if (isnan(ratio)) {
        return 0xe8e8e8;
    }
    share = fmin(1, fabs(log(ratio)) / log(full));
    for (int i = 0; i < 3; i++) {
        color = color << 8 | (unsigned) lround(0xff + share * (end[i] - 0xff));
    }
    return color;
}

/* A number on a dark cell is white. */
static void write_cell(FILE *out, const napcoll_heat_t *heat, int row, int column, int number)
{
    const double value = heat->value[row][column];
    const unsigned color = napcoll_heat_color(value);

    fprintf(out,
            "set object %d rectangle from %d, %d to %d, %d fc rgb '#%06x' fs solid border lc rgb "
            "'white'\n",
            number, column, row, column + 1, row + 1, color);
    if (!isnan(value)) {
        fprintf(out, "set label %d '%.2f' at %d.5, %d.5 center font 'Arial,12' tc rgb '%s'\n",
                number + 2, value, column, row, (color >> 8 & 0xff) < 0xa0 ? "white" : "black");
    }
}

static void write_names(FILE *out, char axis, const char *const *name, int num)
{
    fprintf(out, "set %ctics scale 0", axis);
    for (int i = 0; i < num; i++) {
        fputs(0 == i ? " (" : ", ", out);
        napcoll_gnuplot_quote(out, name[i]);
        fprintf(out, " %d.5", i);
    }
    fprintf(out, ") noenhanced\n");
}

static void write_script(const napcoll_heat_t *heat, FILE *out)
{
    const int width = LEFT + RIGHT + heat->columns * CELL_WIDTH;
    const int height = TOP + BOTTOM + heat->rows * CELL_HEIGHT;
    char origin[2 * NAPCOLL_PLOT_TEXT];

    fprintf(out,
            "set encoding utf8\n"
            "set terminal svg size %d,%d font 'Arial,13' background rgb 'white'\n"
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "set tmargin at screen %.4f\nset bmargin at screen %.4f\n"
            "set label 1 noenhanced center font 'Arial,15' at screen 0.5, screen %.4f ",
            width, height, (double) LEFT / width, 1 - (double) RIGHT / width,
            1 - (double) TOP / height, (double) BOTTOM / height, 1 - 25.0 / height);
    napcoll_gnuplot_quote(out, heat->title);
    (void) snprintf(origin, sizeof(origin), "napcoll %s, %s", napcoll_version(), heat->origin);
    fprintf(
        out,
        "\nset label 2 noenhanced center font 'Arial,12' textcolor rgb '#555555' at screen 0.5, "
        "screen %.4f ",
        1 - 50.0 / height);
    napcoll_gnuplot_quote(out, origin);
    fputs("\nset xlabel ", out);
    napcoll_gnuplot_quote(out, heat->label);
    fputs(" noenhanced\nunset border\nunset key\n", out);
    write_names(out, 'x', heat->column, heat->columns);
    write_names(out, 'y', heat->row, heat->rows);
    for (int i = 0; i < heat->rows * heat->columns; i++) {
        write_cell(out, heat, i / heat->columns, i % heat->columns, i + 1);
    }
    fprintf(out, "set xrange [0:%d]\nset yrange [%d:0]\nplot NaN\n", heat->columns, heat->rows);
}

bool napcoll_heat_draw(const napcoll_heat_t *heat, const char *file, char *message)
{
    FILE *script = napcoll_gnuplot_script();

    if (NULL != script) {
        write_script(heat, script);
    }
    return napcoll_plot_write(script, file, message);
}
