/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The pictures of times; see napcoll_plot.h. Ranges and tics of the axes are computed: gnuplot has
 * nothing to guess, and nothing to warn about.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_gnuplot.h"
#include "common/napcoll_memory.h"
#include "common/napcoll_output.h"
#include "common/napcoll_plot.h"
#include "common/napcoll_plot_axis.h"
#include "common/napcoll_version.h"

/* ---- colors ---- */

/* Distinct also for the color-blind, as far as 17 colors can be. */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#000000", "#8c8c8c", "#7b3294", "#8c510a",
                                      "#b2182b", "#8fc31f", "#1b3a6b", "#c2b000", "#00c5c7",
                                      "#ff5fd2", "#00543c"};

enum {
    BLUE,
    VERMILION,
    GREEN,
    PINK,
    ORANGE,
    SKY,
    BLACK,
    GRAY,
    PURPLE,
    BROWN,
    RED,
    LIME,
    NAVY,
    OLIVE,
    CYAN,
    MAGENTA,
    FOREST,
    COLORS
};

/* The algorithms of one collective, napcoll and Open MPI's usual components differ. */
static const struct {
    const char *name;
    int color;
} known[] = {
    {"napcoll", BLACK},
    {"tuned", VERMILION},
    {"han", PURPLE},
    {"basic", GRAY},
    {"libnbc", BROWN},
    {"xhc", NAVY},
    {"nap", BLUE},
    {"locality", BLUE},
    {"locality_bruck", BLUE},
    {"tuna_coalesced", BLUE},
    {"recursive_doubling", GREEN},
    {"recursive_halving", GREEN},
    {"binomial", GREEN},
    {"dissemination", GREEN},
    {"tuna", GREEN},
    {"smp", ORANGE},
    {"two_level", ORANGE},
    {"tuna_two_level", ORANGE},
    {"ring", PINK},
    {"pairwise", PINK},
    {"scatter_allgather", PINK},
    {"lane", SKY},
    {"lane_ring", SKY},
    {"tuna_staggered", SKY},
    {"tree", RED},
    {"bruck", RED},
    {"binary", RED},
    {"segmented", RED},
    {"rabenseifner", LIME},
    {"chain", LIME},
    {"multi_leader", LIME},
    {"credit", LIME},
    {"gathered", OLIVE},
    {"flat", OLIVE},
    {"linear", OLIVE},
    {"bine", CYAN},
    {"circulant", MAGENTA},
    {"lane_circulant", FOREST},
    {"coalesced", BLUE},
    {"direct", OLIVE},
};

/* -1: none of its own */
static int color_of_name(const char *name)
{
    const char *colon = strchr(name, ':');
    const char *key = NULL == colon ? name : colon + 1;
    size_t length = strcspn(key, " :@");

    if (NULL != colon && 4 == length && 0 == strncmp(key, "auto", length)) {
        key = name;
        length = (size_t) (colon - name);
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) == length && 0 == strncmp(key, known[i].name, length)) {
            return known[i].color;
        }
    }
    return -1;
}

const char *napcoll_plot_color(const char *name)
{
    const int color = color_of_name(name);

    return color < 0 ? NULL : palette[color];
}

/* Of gnuplot: dashes, and points that are filled. */
enum { DASHES = 5, POINTS = 5 };

/* Fill color[lines], and repeated[lines]: how many lines before have the same color. These differ
 * in their dashes, and from the sixth on in their points. */
static void choose_colors(const napcoll_plot_t *plot, int *color, int *repeated)
{
    int used[COLORS] = {0}, next = 0;

    for (int i = 0; i < plot->lines; i++) {
        color[i] = plot->line[i].unknown ? GRAY : color_of_name(plot->line[i].name);
        repeated[i] = color[i] < 0 ? 0 : used[color[i]]++;
    }
    for (int i = 0; i < plot->lines; i++) {
        if (color[i] < 0) {
            while (next < COLORS && used[next] > 0) {
                next++;
            }
            color[i] = next < COLORS ? next : i % COLORS;
            repeated[i] = used[color[i]]++;
        }
    }
}

/* ---- sheets ---- */

static void measure_axes(const napcoll_plot_t *plot, napcoll_extent_t *x, napcoll_extent_t *y)
{
    *x = *y = (napcoll_extent_t){.least = INFINITY, .most = 0};
    for (int i = 0; i < plot->lines; i++) {
        const napcoll_plot_line_t *line = &plot->line[i];

        for (size_t j = 0; j < line->points; j++) {
            napcoll_extent_add(x, line->point[j].x);
            napcoll_extent_add(y, line->point[j].y);
            y->least = plot->map ? y->least : fmin(y->least, line->point[j].low);
            y->most = plot->map ? y->most : fmax(y->most, line->point[j].high);
        }
    }
    if (plot->bound > 0) {
        y->least = fmin(y->least, plot->bound);
        y->most = fmax(y->most, plot->bound);
    }
}

/* The lines' names instead of values, at 1, 2, ... */
static void write_names(FILE *out, const napcoll_plot_t *plot)
{
    fputs("set xtics", out);
    for (int i = 0; i < plot->lines; i++) {
        fputs(0 == i ? " (" : ", ", out);
        napcoll_gnuplot_quote(out, plot->line[i].name);
        fprintf(out, " %d", i + 1);
    }
    fprintf(out, ") noenhanced rotate by -20\nset xrange [0:%d]\n", plot->lines + 1);
}

/* Where the axes are, as shares of the width: of a plot alone, of the left and of the right one. */
static void write_margins(FILE *out, double left, double right)
{
    fprintf(out, "set lmargin at screen %.3f\nset rmargin at screen %.3f\n", left, right);
}

static void write_sheet(const napcoll_plot_t *plot, FILE *out)
{
    const bool two = NULL != plot->beside;
    char origin[2 * NAPCOLL_PLOT_TEXT];

    fprintf(out,
            "set encoding utf8\n"
            "set terminal svg size %d,500 font 'Arial,14' background rgb 'white'\n",
            two ? 1300 : 900);
    fputs("set tmargin at screen 0.86\n"
          "set label 1 noenhanced center at screen 0.5, screen 0.96 ",
          out);
    napcoll_gnuplot_quote(out, plot->title);
    (void) snprintf(origin, sizeof(origin), "napcoll %s, %s", napcoll_version(), plot->origin);
    fputs("\nset label 2 noenhanced center at screen 0.5, screen 0.91 font 'Arial,12' "
          "textcolor rgb '#555555' ",
          out);
    napcoll_gnuplot_quote(out, origin);
    fprintf(out,
            "\nset key at screen %.2f, screen 0.87 left top Left reverse samplen 2 noenhanced\n"
            "set tics out nomirror\nset border 3\n",
            two ? 0.80 : 0.71);
    write_margins(out, two ? 0.07 : 0.12, two ? 0.39 : 0.69);
}

static void write_title(FILE *out, const napcoll_plot_line_t *line)
{
    char text[2 * NAPCOLL_PLOT_TEXT];

    (void) snprintf(text, sizeof(text), "%.199s%s%s", line->name, '\0' == line->note[0] ? "" : " ",
                    line->note);
    fputs(" title ", out);
    napcoll_gnuplot_quote(out, text);
}

static bool has_ranges(const napcoll_plot_line_t *line)
{
    for (size_t i = 0; i < line->points; i++) {
        if (line->point[i].low < line->point[i].high) {
            return true;
        }
    }
    return false;
}

/* A line without points has an entry in the key. */
static void write_lines(const napcoll_plot_t *plot, FILE *out)
{
    int color[NAPCOLL_PLOT_LINES], repeated[NAPCOLL_PLOT_LINES];

    choose_colors(plot, color, repeated);
    for (int i = 0; i < plot->lines; i++) {
        const napcoll_plot_line_t *line = &plot->line[i];

        fprintf(out, "$data%d << END_OF_DATA\n", i);
        for (size_t j = 0; j < line->points; j++) {
            fprintf(out, "%.9g %.6f %.6f %.6f\n", line->point[j].x, line->point[j].y,
                    line->point[j].low, line->point[j].high);
        }
        fputs("END_OF_DATA\n", out);
    }
    fputs("set grid lc rgb '#dddddd' lt 1\n", out);
    for (int i = 0; i < plot->lines; i++) {
        const napcoll_plot_line_t *line = &plot->line[i];
        const bool ranges = has_ranges(line);

        fputs(0 == i ? "plot " : ", ", out);
        if (line->points > 0) {
            fprintf(out, "$data%d using %s with %s", i, ranges ? "1:2:3:4" : "1:2",
                    ranges ? "yerrorlines" : "linespoints");
        } else {
            fputs("NaN with linespoints", out);
        }
        fprintf(out, " lw 2 pt %d ps 0.6 dt %d lc rgb '%s'",
                5 + 2 * ((color[i] + repeated[i] / DASHES) % POINTS), 1 + repeated[i] % DASHES,
                palette[color[i]]);
        write_title(out, line);
    }
    if (plot->bound > 0) {
        fprintf(out, ", %.6f with lines dt 2 lc rgb '#666666' title ", plot->bound);
        napcoll_gnuplot_quote(out, plot->bound_name);
    }
    fputs("\n", out);
}

/* ---- maps ---- */

/* Where the cell of a value begins (side 0) or ends (1): half-way to the next value on a
 * logarithmic axis. At the ends it is symmetric. */
static double cell_edge(const napcoll_extent_t *axis, double value, int side)
{
    int index = 0, other;

    while (axis->value[index] < value) {
        index++;
    }
    other = index + (0 == side ? -1 : 1);
    if (axis->values < 2) {
        return 0 == side ? value / 2 : value * 2;
    }
    if (other < 0 || other == axis->values) {
        return value * sqrt(value / axis->value[index + (0 == side ? 1 : -1)]);
    }
    return sqrt(value * axis->value[other]);
}

static void write_cells(const napcoll_plot_line_t *line, int index, const napcoll_extent_t *x,
                        const napcoll_extent_t *y, FILE *out)
{
    fprintf(out, "$data%d << END_OF_DATA\n", index);
    for (size_t j = 0; j < line->points; j++) {
        const napcoll_plot_point_t *p = &line->point[j];

        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", p->x, p->y, cell_edge(x, p->x, 0),
                cell_edge(x, p->x, 1), cell_edge(y, p->y, 0), cell_edge(y, p->y, 1));
    }
    fputs("END_OF_DATA\n", out);
}

static void write_map(const napcoll_plot_t *plot, FILE *out, const napcoll_extent_t *x,
                      const napcoll_extent_t *y)
{
    int color[NAPCOLL_PLOT_LINES], repeated[NAPCOLL_PLOT_LINES];

    choose_colors(plot, color, repeated);
    fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", cell_edge(x, x->least, 0),
            cell_edge(x, x->most, 1), cell_edge(y, y->least, 0), cell_edge(y, y->most, 1));
    for (int i = 0; i < plot->lines; i++) {
        write_cells(&plot->line[i], i, x, y, out);
    }
    for (int i = 0; i < plot->lines; i++) {
        const napcoll_plot_line_t *line = &plot->line[i];

        fputs(0 == i ? "plot " : ", ", out);
        if (line->points > 0) {
            fprintf(out, "$data%d using 1:2:3:4:5:6 with boxxyerror", i);
        } else {
            fputs("NaN with boxes", out);
        }
        fprintf(out, " fs %s border lc rgb '%s' lc rgb '%s'",
                line->unknown ? "pattern 4" : "solid 1", palette[color[i]], palette[color[i]]);
        write_title(out, line);
    }
    fputs("\n", out);
}

/* One pair of axes with what is in them. */
static void write_panel(const napcoll_plot_t *plot, FILE *out)
{
    /* Their values are many */
    static napcoll_extent_t x, y;

    measure_axes(plot, &x, &y);
    if (NAPCOLL_AXIS_NAMES == plot->x.unit) {
        write_names(out, plot);
    } else {
        napcoll_axis_write(out, 'x', &plot->x, &x);
    }
    napcoll_axis_write(out, 'y', &plot->y, &y);
    if (plot->map) {
        write_map(plot, out, &x, &y);
    } else {
        write_lines(plot, out);
    }
}

/* The plot beside has no title, and no key: its lines are the same. */
static void write_script(const napcoll_plot_t *plot, FILE *out)
{
    write_sheet(plot, out);
    if (NULL == plot->beside) {
        write_panel(plot, out);
        return;
    }
    fputs("set multiplot\n", out);
    write_panel(plot, out);
    fputs("unset key\nunset label 1\nunset label 2\n", out);
    write_margins(out, 0.47, 0.78);
    write_panel(plot->beside, out);
    fputs("unset multiplot\n", out);
}

/* ---- points ---- */

void napcoll_plot_add(napcoll_plot_t *plot, int line, const napcoll_plot_point_t *point)
{
    napcoll_plot_line_t *at = &plot->line[line];

    if (point->x > 0 && point->y > 0 && isfinite(point->x) && isfinite(point->y)
        && (plot->map || point->low > 0)) {
        at->point = napcoll_memory_grow(at->point, at->points, sizeof(*at->point));
        at->point[at->points++] = *point;
    }
}

void napcoll_plot_free(napcoll_plot_t *plot)
{
    for (int i = 0; i < plot->lines; i++) {
        free(plot->line[i].point);
        plot->line[i].point = NULL;
        plot->line[i].points = 0;
    }
}

size_t napcoll_plot_points(const napcoll_plot_t *plot)
{
    size_t points = 0;

    for (int i = 0; i < plot->lines; i++) {
        points += plot->line[i].points;
    }
    return points;
}

/* ---- files ---- */

bool napcoll_plot_check(const char *file, char *message)
{
    char reason[NAPCOLL_GNUPLOT_MESSAGE];
    const int error = napcoll_output_check(file);

    if (0 != error) {
        napcoll_output_explain(message, NAPCOLL_PLOT_MESSAGE, "--svg", file, error);
        return false;
    }
    if (!napcoll_gnuplot_check(reason)) {
        (void) snprintf(message, NAPCOLL_PLOT_MESSAGE, "--svg %.256s: %s", file, reason);
        return false;
    }
    return true;
}

bool napcoll_plot_write(FILE *script, const char *file, char *message)
{
    char reason[NAPCOLL_GNUPLOT_MESSAGE];
    FILE *out = NULL;
    int error = NULL == script ? errno : napcoll_output_open(file, &out);
    bool drawn = true;

    if (0 == error) {
        drawn = napcoll_gnuplot_draw(script, out, reason);
        error = napcoll_output_close(out, drawn ? 0 : EIO);
    }
    if (NULL != script) {
        (void) fclose(script);
    }
    if (!drawn) {
        (void) snprintf(message, NAPCOLL_PLOT_MESSAGE, "--svg %.256s: %s", file, reason);
    } else if (0 != error) {
        napcoll_output_explain(message, NAPCOLL_PLOT_MESSAGE, "--svg", file, error);
    }
    return drawn && 0 == error;
}

bool napcoll_plot_draw(const napcoll_plot_t *plot, const char *file, char *message)
{
    FILE *script = napcoll_gnuplot_script();

    if (NULL != script) {
        write_script(plot, script);
    }
    return napcoll_plot_write(script, file, message);
}
