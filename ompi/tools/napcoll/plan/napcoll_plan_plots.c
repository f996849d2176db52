/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The drawings of simulate, by gnuplot: time over size, time over processes, and a map of the fastest
 * algorithm over both.
 *
 * gnuplot reads its script from a temporary file and writes to one beside the drawing, which takes the
 * drawing's name when it is complete. So no name is ever quoted for a shell or for gnuplot.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/napcoll_gnuplot.h"
#include "napcoll_plan_tool.h"
#include "common/napcoll_output.h"

/* A drawing to be made. */
typedef struct {
    const options_t *options;
    const samples_t *samples;
    int nodes;                                             /* the largest number of them */
    int bytes;                                             /* the smallest size */
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS]; /* those that have times */
    int algorithms;
} plot_t;

/* Colours that people who see few colours tell apart; an algorithm has the same in every drawing. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#999999"};
enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

static int row_of(const plot_t *plot, int index)
{
    return (int) (plot->algorithm[index] - plot->options->collective->algorithm);
}

static const char *colour_of(const plot_t *plot, int index)
{
    return colours[row_of(plot, index) % COLOURS];
}

/* ---- samples ---- */

void keep_sample(samples_t *samples, sample_t sample)
{
    if (samples->count == samples->room) {
        size_t room = 0 == samples->room ? 256 : 2 * samples->room;
        sample_t *larger = realloc(samples->sample, room * sizeof(*larger));

        if (NULL == larger) {
            out_of_memory();
        }
        samples->sample = larger;
        samples->room = room;
    }
    samples->sample[samples->count++] = sample;
}

static plot_t plot_of(const options_t *o, const samples_t *samples)
{
    plot_t plot = {.options = o, .samples = samples};

    for (size_t i = 0; i < samples->count; i++) {
        const sample_t *s = &samples->sample[i];
        int known = 0;

        plot.nodes = s->nodes > plot.nodes ? s->nodes : plot.nodes;
        plot.bytes = 0 == i || s->bytes < plot.bytes ? s->bytes : plot.bytes;
        while (known < plot.algorithms && plot.algorithm[known] != s->algorithm) {
            known++;
        }
        if (known == plot.algorithms) {
            plot.algorithm[plot.algorithms++] = s->algorithm;
        }
    }
    return plot;
}

/* ---- scripts ---- */

/* What all drawings have: the sheet, the title after its first words, the key. */
static void write_sheet(const plot_t *plot, FILE *out, const char *subject)
{
    const options_t *o = plot->options;
    const char *slash = strrchr(o->machine, '/');
    char *title = NULL;
    size_t size;
    FILE *text = open_memstream(&title, &size);

    if (NULL == text) {
        out_of_memory();
    }
    fprintf(text, "%s %s, %s (%s)", o->collective->name, subject,
            NULL == slash ? o->machine : slash + 1,
            o->closed_form ? "closed forms" : "simulated plans");
    if (0 != fclose(text)) {
        out_of_memory();
    }
    fputs("set encoding utf8\n"
          "set terminal svg size 900,500 font 'Arial,14' background rgb 'white'\n"
          "set lmargin at screen 0.12\nset rmargin at screen 0.69\nset tmargin at screen 0.88\n"
          "set label noenhanced center at screen 0.5, screen 0.95 ",
          out);
    napcoll_gnuplot_quote(out, title);
    fputs("\nset key at screen 0.71, screen 0.89 left top Left reverse samplen 2 noenhanced\n"
          "set tics out nomirror\nset border 3\n",
          out);
    free(title);
}

static void write_byte_axis(const plot_t *plot, FILE *out, char axis)
{
    fprintf(out,
            "set %clabel 'size of %s (bytes)'\nset logscale %c 2\n"
            "set format %c '%%.0b%%B'\n",
            axis, sized_by_rank(plot->options->collective) ? "the block of a rank" : "the vector",
            axis, axis);
}

/* The different values of a field of the samples, ascending. */
typedef struct {
    int value[MOST_VALUES];
    int count;
} axis_t;

static void add_value(axis_t *axis, int value)
{
    if (value > 0 && axis->count < MOST_VALUES
        && (0 == axis->count || axis->value[axis->count - 1] < value)) {
        axis->value[axis->count++] = value;
    }
}

/* Marks at the values themselves where they are few; gnuplot's own, at powers of two, where not. */
static void write_marks(FILE *out, const axis_t *axis)
{
    enum { MOST_MARKS = 8 };

    for (int i = 0; axis->count <= MOST_MARKS && i < axis->count; i++) {
        fprintf(out, "%s%d%s", 0 == i ? "set xtics (" : ", ", axis->value[i],
                i + 1 == axis->count ? ")\n" : "");
    }
}

/* Write a block of data for each algorithm, of the samples that `use` takes, with the time and what
 * `place` says of each. Returns whether there is a time that can be drawn: 0 has no logarithm. */
static bool write_data(const plot_t *plot, FILE *out, bool (*use)(const plot_t *, const sample_t *),
                       int (*place)(const sample_t *))
{
    bool any = false;

    for (int a = 0; a < plot->algorithms; a++) {
        fprintf(out, "$data%d << END_OF_DATA\n", a);
        for (size_t i = 0; i < plot->samples->count; i++) {
            const sample_t *s = &plot->samples->sample[i];

            if (s->algorithm == plot->algorithm[a] && use(plot, s) && place(s) > 0
                && s->time_us > 0) {
                fprintf(out, "%d %.6f\n", place(s), s->time_us);
                any = true;
            }
        }
        fputs("END_OF_DATA\n", out);
    }
    return any;
}

/* One line for each algorithm. */
static void write_lines(const plot_t *plot, FILE *out)
{
    fputs("set grid lc rgb '#dddddd' lt 1\nset offsets graph 0.02, graph 0.02\nplot ", out);
    for (int a = 0; a < plot->algorithms; a++) {
        fprintf(out, "%s$data%d using 1:2 with linespoints lw 2 pt %d ps 0.6 lc rgb '%s' title ",
                0 == a ? "" : ", ", a, 5 + 2 * (row_of(plot, a) % 5), colour_of(plot, a));
        napcoll_gnuplot_quote(out, plot->algorithm[a]->name);
    }
    fputs("\n", out);
}

/* ---- time over size ---- */

static bool on_most_nodes(const plot_t *plot, const sample_t *sample)
{
    return sample->nodes == plot->nodes;
}

static int bytes_of(const sample_t *sample)
{
    return sample->bytes;
}

static bool write_size(const plot_t *plot, FILE *out)
{
    char subject[128];

    (void) snprintf(subject, sizeof(subject), "on %d node%s, %.60s processes per node", plot->nodes,
                    1 == plot->nodes ? "" : "s", plot->options->ppn);
    write_sheet(plot, out, subject);
    write_byte_axis(plot, out, 'x');
    fputs("set ylabel 'time (\302\265s)'\nset logscale y\nset format y '%g'\n", out);
    if (!write_data(plot, out, on_most_nodes, bytes_of)) {
        return false;
    }
    write_lines(plot, out);
    return true;
}

/* ---- time over processes ---- */

static bool of_least_size(const plot_t *plot, const sample_t *sample)
{
    return sample->bytes == plot->bytes;
}

static int ranks_of(const sample_t *sample)
{
    return sample->ranks;
}

static bool write_processes(const plot_t *plot, FILE *out)
{
    axis_t ranks = {.count = 0};
    char subject[128];

    for (size_t i = 0; i < plot->samples->count; i++) {
        add_value(&ranks, plot->samples->sample[i].ranks);
    }
    (void) snprintf(subject, sizeof(subject), "of %d bytes, %.60s processes per node", plot->bytes,
                    plot->options->ppn);
    write_sheet(plot, out, subject);
    fputs("set xlabel 'processes'\nset logscale x 2\nset format x '%.0f'\n"
          "set ylabel 'time (\302\265s)'\nset yrange [0:*]\n",
          out);
    write_marks(out, &ranks);
    if (!write_data(plot, out, of_least_size, ranks_of)) {
        return false;
    }
    write_lines(plot, out);
    return true;
}

/* ---- the fastest over nodes and size ---- */

/* Where the cell of a value begins (side 0) or ends (1): half-way to the next, on a logarithmic axis.
 * Its square, of which gnuplot takes the root. */
static double cell_edge(const axis_t *axis, int index, int side)
{
    const int other = index + (0 == side ? -1 : 1);
    const double here = axis->value[index];

    if (other < 0 || other == axis->count) { /* as far out as the other edge is in */
        return here * here * here / axis->value[index + (0 == side ? 1 : -1)];
    }
    return here * axis->value[other];
}

/* The samples of one number of nodes come together: all sizes of one algorithm after another's. The
 * index of the fastest for each size, -1 for none, is left in `fastest`; returns where the next number
 * of nodes begins. */
static size_t find_fastest(const plot_t *plot, const axis_t *bytes, size_t from, int *fastest)
{
    const sample_t *s = plot->samples->sample;
    double least[MOST_VALUES];
    size_t i = from;
    int a = 0, b = 0;

    for (b = 0; b < bytes->count; b++) {
        fastest[b] = -1;
    }
    for (; i < plot->samples->count && s[i].nodes == s[from].nodes; i++) {
        if (i == from || s[i].algorithm != s[i - 1].algorithm) {
            for (a = 0; plot->algorithm[a] != s[i].algorithm; a++) {
            }
            b = 0;
        }
        while (b < bytes->count && bytes->value[b] < s[i].bytes) {
            b++;
        }
        if (b < bytes->count && bytes->value[b] == s[i].bytes
            && (fastest[b] < 0 || s[i].time_us < least[b])) {
            fastest[b] = a;
            least[b] = s[i].time_us;
        }
    }
    return i;
}

/* The cells in which an algorithm is the fastest; those of a number of nodes that touch are one. Returns
 * whether there are any. */
static bool write_cells(const plot_t *plot, FILE *out, const axis_t *nodes, const axis_t *bytes,
                        int algorithm)
{
    int fastest[MOST_VALUES];
    bool any = false;
    size_t at = 0;

    fprintf(out, "$data%d << END_OF_DATA\n", algorithm);
    for (int n = 0; n < nodes->count; n++) {
        at = find_fastest(plot, bytes, at, fastest);
        for (int b = 0, end; b < bytes->count; b = end) {
            for (end = b + 1; end < bytes->count && fastest[end] == fastest[b]; end++) {
            }
            if (fastest[b] == algorithm) {
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
    axis_t nodes = {.count = 0}, bytes = {.count = 0};
    bool wins[MOST_ALGORITHMS];
    char subject[128];

    for (size_t i = 0; i < plot->samples->count; i++) {
        add_value(&nodes, plot->samples->sample[i].nodes);
        add_value(&bytes, plot->samples->sample[i].bytes);
    }
    if (nodes.count < 2 || bytes.count < 2) {
        return false;
    }
    (void) snprintf(subject, sizeof(subject), "by the fastest algorithm, %.60s processes per node",
                    plot->options->ppn);
    write_sheet(plot, out, subject);
    write_byte_axis(plot, out, 'y');
    fprintf(out,
            "set xlabel 'nodes'\nset logscale x 2\nset format x '%%.0f'\n"
            "set xrange [sqrt(%.9g):sqrt(%.9g)]\nset yrange [sqrt(%.9g):sqrt(%.9g)]\n",
            cell_edge(&nodes, 0, 0), cell_edge(&nodes, nodes.count - 1, 1), cell_edge(&bytes, 0, 0),
            cell_edge(&bytes, bytes.count - 1, 1));
    write_marks(out, &nodes);
    for (int a = 0; a < plot->algorithms; a++) {
        wins[a] = write_cells(plot, out, &nodes, &bytes, a);
    }
    fputs("plot ", out);
    for (int a = 0; a < plot->algorithms; a++) {
        char name[128];

        (void) snprintf(name, sizeof(name), "%s%s", plot->algorithm[a]->name,
                        wins[a] ? "" : " (nowhere)");
        if (wins[a]) {
            fprintf(
                out,
                "%s$data%d using 1:2:(sqrt($3)):(sqrt($4)):(sqrt($5)):(sqrt($6)) with boxxyerror",
                0 == a ? "" : ", ", a);
        } else {
            fprintf(out, "%sNaN with boxes", 0 == a ? "" : ", ");
        }
        fprintf(out, " fs solid 1 border lc rgb '%s' lc rgb '%s' title ", colour_of(plot, a),
                colour_of(plot, a));
        napcoll_gnuplot_quote(out, name);
    }
    fputs("\n", out);
    return true;
}

/* ---- gnuplot ---- */

static const struct drawing {
    const char *name;                                /* of the file, after the prefix */
    bool sizes;                                      /* there must be several */
    bool nodes;                                      /* alike */
    int least;                                       /* algorithms */
    bool (*write)(const plot_t *plot, FILE *script); /* false: there is nothing to draw */
} drawings[] = {{"size", true, false, 1, write_size},
                {"processes", false, true, 1, write_processes},
                {"crossover", true, true, 2, write_crossover}};

enum { DRAWINGS = sizeof(drawings) / sizeof(drawings[0]) };

/* The file of a drawing; the caller frees the name. */
static char *file_name(const options_t *o, const struct drawing *drawing)
{
    const size_t size = strlen(o->svg) + strlen(drawing->name) + sizeof("-.svg");
    char *name = malloc(size);

    if (NULL == name) {
        out_of_memory();
    }
    (void) snprintf(name, size, "%s-%s.svg", o->svg, drawing->name);
    return name;
}

static void require_gnuplot(const options_t *o)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int error = null < 0 ? errno : napcoll_gnuplot_run("--version", null, null);

    if (null >= 0) {
        (void) close(null);
    }
    if (0 != error) {
        napcoll_gnuplot_report("napcoll-plan", o->svg, "--csv", error);
        exit(EXIT_FAILURE);
    }
}

static void require_writable(const options_t *o, const struct drawing *drawing)
{
    char *name = file_name(o, drawing);
    const int error = napcoll_output_check(name);

    if (0 != error) {
        complain("--svg %s: %s cannot be written (%s)", o->svg, name, strerror(error));
    }
    free(name);
}

unsigned check_plots(const options_t *o, const values_t *nodes, const values_t *bytes,
                     int algorithms)
{
    unsigned which = 0;

    for (int i = 0; i < DRAWINGS; i++) {
        if ((!drawings[i].sizes || bytes->count > 1) && (!drawings[i].nodes || nodes->count > 1)
            && algorithms >= drawings[i].least) {
            which |= 1U << i;
        }
    }
    if (0 == which) {
        complain(
            "--svg %s: expected a range FROM:TO as --bytes, --nodes or both, to draw times over",
            o->svg);
    }
    require_gnuplot(o);
    for (int i = 0; i < DRAWINGS; i++) {
        if (0 != (which & 1U << i)) {
            require_writable(o, &drawings[i]);
        }
    }
    return which;
}

/* Let gnuplot run a script, and give what it drew its name. */
static int run_script(const options_t *o, const struct drawing *drawing, FILE *script)
{
    char *name = file_name(o, drawing);
    FILE *out;
    int rc = napcoll_output_open(name, NAPCOLL_OUTPUT_WHOLE, &out);

    if (0 == rc) {
        rc = napcoll_gnuplot_run("-d", fileno(script), fileno(out));
        rc = napcoll_output_close(out, rc);
    }
    if (0 != rc) {
        napcoll_gnuplot_report("napcoll-plan", o->svg, "--csv", rc);
    }
    free(name);
    return 0 == rc ? 0 : -1;
}

static int draw_one(const plot_t *plot, const struct drawing *drawing)
{
    const options_t *o = plot->options;
    FILE *script = tmpfile();
    int rc = -1;

    if (NULL == script) {
        fprintf(stderr, "napcoll-plan: --svg %s: no temporary file (%s)\n", o->svg,
                strerror(errno));
        return -1;
    }
    if (!drawing->write(plot, script)) {
        fprintf(stderr, "napcoll-plan: --svg %s: no times above 0 for the drawing over %s\n",
                o->svg, drawing->name);
    } else if (0 != fflush(script) || ferror(script) || 0 != fseek(script, 0, SEEK_SET)) {
        fprintf(stderr, "napcoll-plan: --svg %s: the script could not be written\n", o->svg);
    } else {
        rc = run_script(o, drawing, script);
    }
    (void) fclose(script);
    return rc;
}

int draw_plots(const options_t *o, const samples_t *samples, unsigned which)
{
    const plot_t plot = plot_of(o, samples);
    int rc = 0;

    for (int i = 0; i < DRAWINGS && 0 == rc; i++) {
        if (0 != (which & 1U << i)) {
            rc = draw_one(&plot, &drawings[i]);
        }
    }
    return rc;
}
