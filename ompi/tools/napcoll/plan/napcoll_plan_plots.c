/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The drawings of simulate, by gnuplot: time over size, time over processes, and a map of the
 * fastest algorithm over both. gnuplot reads its script from a temporary file.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_gnuplot.h"
#include "common/napcoll_output.h"
#include "napcoll_plan_tool.h"

/* The different values of a field of the samples, ascending. */
typedef struct {
    int value[MOST_VALUES];
    int count;
} axis_t;

/* What the drawings show: the algorithms with times, and the values of the samples above 0. */
typedef struct {
    const options_t *options;
    const samples_t *samples;
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS];
    int algorithms;
    axis_t nodes, ranks, bytes;
    /* The smallest size, also 0. */
    int least_bytes;
} plot_t;

/* A color-blind safe palette; an algorithm has the same color in every drawing. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#000000", "#999999"};
enum { COLORS = sizeof(colors) / sizeof(colors[0]) };

static int row_of(const plot_t *plot, int index)
{
    return (int) (plot->algorithm[index] - plot->options->collective->algorithm);
}

static const char *color_of(const plot_t *plot, int index)
{
    return colors[row_of(plot, index) % COLORS];
}

/* Samples come with ascending values, again and again. */
static void add_value(axis_t *axis, int value)
{
    if (value > 0 && axis->count < MOST_VALUES
        && (0 == axis->count || axis->value[axis->count - 1] < value)) {
        axis->value[axis->count++] = value;
    }
}

static void fill_plot(plot_t *plot, const options_t *o, const samples_t *samples)
{
    *plot = (plot_t){.options = o, .samples = samples, .least_bytes = samples->sample->bytes};
    for (size_t i = 0; i < samples->count; i++) {
        const sample_t *s = &samples->sample[i];
        int known = 0;

        add_value(&plot->nodes, s->nodes);
        add_value(&plot->ranks, s->ranks);
        add_value(&plot->bytes, s->bytes);
        while (known < plot->algorithms && plot->algorithm[known] != s->algorithm) {
            known++;
        }
        if (known == plot->algorithms) {
            plot->algorithm[plot->algorithms++] = s->algorithm;
        }
    }
}

/* ---- scripts ---- */

/* The sheet, the title after the collective's name, and the key. */
static void write_sheet(const plot_t *plot, FILE *out, const char *subject)
{
    const options_t *o = plot->options;
    const char *slash = strrchr(o->machine, '/');
    const char *machine = NULL == slash ? o->machine : slash + 1;
    char title[512];

    (void) snprintf(title, sizeof(title), "%s %s, %s (%s)", o->collective->name, subject, machine,
                    o->closed_form ? "closed forms" : "simulated plans");
    fputs("set encoding utf8\n"
          "set terminal svg size 900,500 font 'Arial,14' background rgb 'white'\n"
          "set lmargin at screen 0.12\nset rmargin at screen 0.69\nset tmargin at screen 0.88\n"
          "set label noenhanced center at screen 0.5, screen 0.95 ",
          out);
    napcoll_gnuplot_quote(out, title);
    fputs("\nset key at screen 0.71, screen 0.89 left top Left reverse samplen 2 noenhanced\n"
          "set tics out nomirror\nset border 3\n",
          out);
}

static void write_byte_axis(const plot_t *plot, FILE *out, char axis)
{
    fprintf(out,
            "set %1$clabel 'size of %2$s (bytes)'\nset logscale %1$c 2\n"
            "set format %1$c '%%.0b%%B'\n",
            axis, sized_by_rank(plot->options->collective) ? "the block of a rank" : "the vector");
}

/* Tics at the values where they are few, else gnuplot's own. */
static void write_count_axis(FILE *out, const char *label, const axis_t *axis)
{
    enum { MOST_TICS = 8 };

    fprintf(out, "set xlabel '%s'\nset logscale x 2\nset format x '%%.0f'\n", label);
    if (axis->count <= MOST_TICS) {
        for (int i = 0; i < axis->count; i++) {
            fprintf(out, "%s%d", 0 == i ? "set xtics (" : ", ", axis->value[i]);
        }
        fputs(")\n", out);
    }
}

/* Write a line for each algorithm: of the largest number of nodes over sizes, or of the smallest
 * size over processes. Returns whether there is a time that can be drawn: 0 has no logarithm. */
static bool write_lines(const plot_t *plot, FILE *out, bool over_sizes)
{
    const int nodes = plot->nodes.value[plot->nodes.count - 1];
    bool any = false;

    for (int a = 0; a < plot->algorithms; a++) {
        fprintf(out, "$data%d << END_OF_DATA\n", a);
        for (size_t i = 0; i < plot->samples->count; i++) {
            const sample_t *s = &plot->samples->sample[i];
            const int x = over_sizes ? s->bytes : s->ranks;

            if (s->algorithm == plot->algorithm[a] && x > 0 && s->time_us > 0
                && (over_sizes ? s->nodes == nodes : s->bytes == plot->least_bytes)) {
                fprintf(out, "%d %.6f\n", x, s->time_us);
                any = true;
            }
        }
        fputs("END_OF_DATA\n", out);
    }
    fputs("set grid lc rgb '#dddddd' lt 1\nset offsets graph 0.02, graph 0.02\n", out);
    for (int a = 0; a < plot->algorithms; a++) {
        fprintf(out, "%s$data%d using 1:2 with linespoints lw 2 pt %d ps 0.6 lc rgb '%s' title ",
                0 == a ? "plot " : ", ", a, 5 + 2 * (row_of(plot, a) % 5), color_of(plot, a));
        napcoll_gnuplot_quote(out, plot->algorithm[a]->name);
    }
    fputs("\n", out);
    return any;
}

static bool write_size(const plot_t *plot, FILE *out)
{
    const int nodes = plot->nodes.value[plot->nodes.count - 1];
    char subject[128];

    (void) snprintf(subject, sizeof(subject), "on %d node%s, %.60s processes per node", nodes,
                    plural(nodes), plot->options->ppn);
    write_sheet(plot, out, subject);
    write_byte_axis(plot, out, 'x');
    fputs("set ylabel 'time (\302\265s)'\nset logscale y\nset format y '%g'\n", out);
    return write_lines(plot, out, true);
}

static bool write_processes(const plot_t *plot, FILE *out)
{
    char subject[128];

    (void) snprintf(subject, sizeof(subject), "of %d bytes, %.60s processes per node",
                    plot->least_bytes, plot->options->ppn);
    write_sheet(plot, out, subject);
    write_count_axis(out, "processes", &plot->ranks);
    fputs("set ylabel 'time (\302\265s)'\nset yrange [0:*]\n", out);
    return write_lines(plot, out, false);
}

/* ---- the fastest over nodes and size ---- */

/* The square of where the cell of a value begins (side 0) or ends (1): half-way to the next value
 * on a logarithmic axis. gnuplot takes the root. */
static double cell_edge(const axis_t *axis, int index, int side)
{
    const int other = index + (0 == side ? -1 : 1);
    const double here = axis->value[index];

    if (other < 0 || other == axis->count) { /* symmetric to the other side */
        return here * here * here / axis->value[index + (0 == side ? 1 : -1)];
    }
    return here * axis->value[other];
}

static int index_of(const axis_t *axis, int value)
{
    int i = 0;

    while (i < axis->count && axis->value[i] != value) {
        i++;
    }
    return i;
}

/* The fastest sample of each cell, [nodes][bytes]; NULL: none. The caller frees the array. */
static const sample_t **find_fastest(const plot_t *plot)
{
    const size_t cells = (size_t) plot->nodes.count * (size_t) plot->bytes.count;
    const sample_t **best = napcoll_allocate(cells, sizeof(const sample_t *));

    for (size_t i = 0; i < plot->samples->count; i++) {
        const sample_t *s = &plot->samples->sample[i];
        const int n = index_of(&plot->nodes, s->nodes), b = index_of(&plot->bytes, s->bytes);
        const sample_t **cell = &best[n * plot->bytes.count + b];

        if (b < plot->bytes.count && (NULL == *cell || s->time_us < (*cell)->time_us)) {
            *cell = s;
        }
    }
    return best;
}

/* Write the cells in which an algorithm is the fastest; adjacent sizes are one cell. Returns
 * whether there are any. */
static bool write_cells(const plot_t *plot, FILE *out, const sample_t **best, int algorithm)
{
    const axis_t *nodes = &plot->nodes, *bytes = &plot->bytes;
    bool any = false;

    fprintf(out, "$data%d << END_OF_DATA\n", algorithm);
    for (int n = 0; n < nodes->count; n++, best += bytes->count) {
        for (int b = 0, end = 0; b<bytes->count; b = end> b ? end : b + 1) {
            for (end = b; end < bytes->count && NULL != best[end]
                          && best[end]->algorithm == plot->algorithm[algorithm];
                 end++) {
            }
            if (end > b) {
                any = true;
                fprintf(out, "%d %d %.9g %.9g %.9g %.9g\n", nodes->value[n], bytes->value[b],
                        cell_edge(nodes, n, 0), cell_edge(nodes, n, 1), cell_edge(bytes, b, 0),
                        cell_edge(bytes, end - 1, 1));
            }
        }
    }
    fputs("END_OF_DATA\n", out);
    return any;
}

static bool write_crossover(const plot_t *plot, FILE *out)
{
    const axis_t *nodes = &plot->nodes, *bytes = &plot->bytes;
    bool wins[MOST_ALGORITHMS];
    const sample_t **best;
    char text[128];

    if (nodes->count < 2 || bytes->count < 2) {
        return false;
    }
    (void) snprintf(text, sizeof(text), "by the fastest algorithm, %.60s processes per node",
                    plot->options->ppn);
    write_sheet(plot, out, text);
    write_byte_axis(plot, out, 'y');
    write_count_axis(out, "nodes", nodes);
    fprintf(out, "set xrange [sqrt(%.9g):sqrt(%.9g)]\nset yrange [sqrt(%.9g):sqrt(%.9g)]\n",
            cell_edge(nodes, 0, 0), cell_edge(nodes, nodes->count - 1, 1), cell_edge(bytes, 0, 0),
            cell_edge(bytes, bytes->count - 1, 1));
    best = find_fastest(plot);
    for (int a = 0; a < plot->algorithms; a++) {
        wins[a] = write_cells(plot, out, best, a);
    }
    free(best);
    for (int a = 0; a < plot->algorithms; a++) {
        fputs(0 == a ? "plot " : ", ", out);
        if (wins[a]) {
            fprintf(out,
                    "$data%d using 1:2:(sqrt($3)):(sqrt($4)):(sqrt($5)):(sqrt($6)) with boxxyerror",
                    a);
        } else {
            fputs("NaN with boxes", out);
        }
        fprintf(out, " fs solid 1 border lc rgb '%1$s' lc rgb '%1$s' title ", color_of(plot, a));
        (void) snprintf(text, sizeof(text), "%s%s", plot->algorithm[a]->name,
                        wins[a] ? "" : " (nowhere)");
        napcoll_gnuplot_quote(out, text);
    }
    fputs("\n", out);
    return true;
}

/* ---- gnuplot ---- */

/* The drawings: the file is PREFIX-NAME.svg. */
static const struct drawing {
    const char *name;
    /* It needs several sizes, several numbers of nodes, and this number of algorithms. */
    bool sizes, nodes;
    int least;
    /* Returns false where there is nothing to draw. */
    bool (*write)(const plot_t *plot, FILE *script);
} drawings[] = {{"size", true, false, 1, write_size},
                {"processes", false, true, 1, write_processes},
                {"crossover", true, true, 2, write_crossover}};

enum { DRAWINGS = sizeof(drawings) / sizeof(drawings[0]) };

static void file_name(const options_t *o, const struct drawing *drawing, char name[PATH_MAX])
{
    if (snprintf(name, PATH_MAX, "%s-%s.svg", o->svg, drawing->name) >= PATH_MAX) {
        complain("--svg %s: expected a shorter name", o->svg);
    }
}

unsigned check_plots(const options_t *o, const values_t *nodes, const values_t *bytes,
                     int algorithms)
{
    char name[PATH_MAX];
    unsigned which = 0;
    int error;

    for (int i = 0; i < DRAWINGS; i++) {
        if ((!drawings[i].sizes || bytes->count > 1) && (!drawings[i].nodes || nodes->count > 1)
            && algorithms >= drawings[i].least) {
            which |= 1U << i;
        }
    }
    if (0 == which) {
        complain("--svg %s: expected a range FROM:TO as --bytes, --nodes or both, to draw times "
                 "over",
                 o->svg);
    }
    error = napcoll_gnuplot_check();
    if (0 != error) {
        napcoll_gnuplot_report("napcoll-plan", o->svg, "--csv", error);
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < DRAWINGS; i++) {
        file_name(o, &drawings[i], name);
        error = 0 == (which & 1U << i) ? 0 : napcoll_output_check(name);
        if (0 != error) {
            complain("--svg %s: %s cannot be written (%s)", o->svg, name, strerror(error));
        }
    }
    return which;
}

static int draw_one(const plot_t *plot, const struct drawing *drawing)
{
    const options_t *o = plot->options;
    FILE *script = tmpfile(), *out;
    char name[PATH_MAX];
    int error;

    if (NULL == script) {
        fprintf(stderr, "napcoll-plan: --svg %s: no temporary file (%s)\n", o->svg,
                strerror(errno));
        return EXIT_FAILURE;
    }
    if (!drawing->write(plot, script)) {
        fprintf(stderr, "napcoll-plan: --svg %s: no times above 0 for the drawing over %s\n",
                o->svg, drawing->name);
        (void) fclose(script);
        return EXIT_FAILURE;
    }
    file_name(o, drawing, name);
    error = napcoll_output_open(name, NAPCOLL_OUTPUT_WHOLE, &out);
    if (0 == error) {
        error = napcoll_output_close(out, napcoll_gnuplot_draw(script, out));
    }
    (void) fclose(script);
    if (0 != error) {
        napcoll_gnuplot_report("napcoll-plan", o->svg, "--csv", error);
    }
    return 0 == error ? EXIT_SUCCESS : EXIT_FAILURE;
}

int draw_plots(const options_t *o, const samples_t *samples, unsigned which)
{
    /* Its axes are large */
    static plot_t plot;
    int rc = EXIT_SUCCESS;

    if (0 == which) {
        return rc;
    }
    if (0 == samples->count) {
        fprintf(stderr, "napcoll-plan: --svg %s: no times to draw\n", o->svg);
        return EXIT_FAILURE;
    }
    fill_plot(&plot, o, samples);
    for (int i = 0; i < DRAWINGS && EXIT_SUCCESS == rc; i++) {
        if (0 != (which & 1U << i)) {
            rc = draw_one(&plot, &drawings[i]);
        }
    }
    return rc;
}
