/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What collbench prints and writes: the table, the CSV file and, through gnuplot, the drawing.
 * Only rank 0 comes here.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "common/napcoll_gnuplot.h"
#include "common/napcoll_output.h"

int report_order(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

/* Linear between the two nearest samples; NaN if there is none. */
double report_percentile(const double *sorted, int num, double p)
{
    double place;
    int below;

    if (num < 1) {
        return NAN;
    }
    place = p * (num - 1);
    below = (int) place;
    if (below >= num - 1) {
        return sorted[num - 1];
    }
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
}

static void ppn_text(const struct layout *l, char text[32])
{
    if (l->ppn_min == l->ppn_max) {
        snprintf(text, 32, "%d", l->ppn_min);
    } else {
        snprintf(text, 32, "%d-%d", l->ppn_min, l->ppn_max);
    }
}

static double lower_bound(const struct layout *l)
{
    return layout_steps(l) * l->alpha_far * 1.0e6;
}

void report_head(const struct bench *b)
{
    const struct layout *l = &b->layout;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], ppn[32];
    int length, steps = layout_steps(l);

    check(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
    library[strcspn(library, ",\n")] = '\0';
    ppn_text(l, ppn);
    printf("%s (%s), %d processes on %d %s x %s, %s\n", b->opt.coll->name, b->opt.coll->data,
           l->size, l->nodes, 1 == l->nodes ? "node" : "nodes", ppn, library);
    printf("alpha, median half round trip of 8 bytes:");
    if (l->far_rank >= 0) {
        printf(" %.1f us inter-node (ranks 0 and %d)", l->alpha_far * 1.0e6, l->far_rank);
    }
    if (l->near_rank >= 0) {
        printf("%s %.1f us intra-node (ranks 0 and %d)", l->far_rank >= 0 ? "," : "",
               l->alpha_near * 1.0e6, l->near_rank);
    }
    if (steps > 0) {
        printf("\nlower bound: ceil(log_%d %d) = %d inter-node %s x alpha = %.1f us\n",
               l->ppn_max + 1, l->nodes, steps, 1 == steps ? "step" : "steps", lower_bound(l));
    } else {
        printf("\nlower bound: none, all processes are on one node\n");
    }
    if (HOLDS_NOTHING != b->opt.coll->recv) {
        printf("bytes of %s; ", b->opt.coll->bytes);
    }
    printf("times in us of the slowest rank; ratio: to %s in the same turn\n",
           b->contestant[0].label);
    fflush(stdout);
}

void report_rows(const struct bench *b, const struct row *rows, bool first)
{
    double bound = lower_bound(&b->layout);
    int width = (int) strlen("contestant");

    for (int i = 0; i < b->opt.num_contestants; ++i) {
        int length = (int) strlen(b->contestant[i].label);

        width = length > width ? length : width;
    }
    if (b->opt.progress) {
        fprintf(stderr, "\r%70s\r", "");
        fflush(stderr);
    }
    if (first) {
        printf("\n%9s  %-*s %7s %5s %10s %10s %10s %6s %15s %7s  %s\n", "bytes", width,
               "contestant", "samples", "batch", "median", "p05", "p95", "ratio", "p05..p95",
               "x bound", "ran");
    } else {
        printf("\n");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        const struct row *r = &rows[i];
        char spread[64], times[32] = "-";

        if (0 == r->samples) {
            printf("%9zu  %-*s %7d  every start was missed: the machine is too busy\n", r->bytes,
                   width, r->contestant, r->samples);
            continue;
        }
        snprintf(spread, sizeof(spread), "%.3f..%.3f", r->ratio_p05, r->ratio_p95);
        if (bound > 0.0) {
            snprintf(times, sizeof(times), "%.2f", r->median / bound);
        }
        printf("%9zu  %-*s %7d %5d %10.1f %10.1f %10.1f %6.3f %15s %7s  %s\n", r->bytes, width,
               r->contestant, r->samples, r->batch, r->median, r->p05, r->p95, r->ratio, spread,
               times, '\0' == r->ran[0] ? "-" : r->ran);
    }
    fflush(stdout);
}

void report_foot(const struct bench *b, const struct row *rows, int num_rows)
{
    double skew = 0.0;
    int fewest = b->opt.iterations;

    for (int i = 0; i < num_rows; ++i) {
        skew = rows[i].skew > skew ? rows[i].skew : skew;
        fewest = !rows[i].dropped && rows[i].samples < fewest ? rows[i].samples : fewest;
    }
    printf("\nstart skew: median %.1f us at the worst size; all results verified\n", skew);
    if (fewest < b->opt.iterations) {
        printf("fewer than %d samples: the time limit of %g s ended some sizes early\n",
               b->opt.iterations, b->opt.time_limit);
    }
    fflush(stdout);
}

bool report_csv(const struct bench *b, FILE *csv, const struct row *rows, bool first)
{
    const struct layout *l = &b->layout;
    char ppn[32];

    ppn_text(l, ppn);
    if (first) {
        fprintf(csv, "coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,ran\n");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        const struct row *r = &rows[i];

        if (0 == r->samples) {
            continue;
        }
        /* what ran may have commas in it */
        fprintf(csv, "%s,%d,%s,%zu,%s,%d,%.2f,%.2f,%.2f,%.4f,\"%s\"\n", b->opt.coll->name, l->nodes,
                ppn, r->bytes, r->contestant, r->samples, r->median, r->p05, r->p95, r->ratio,
                r->ran);
    }
    return 0 == fflush(csv) && !ferror(csv);
}

bool report_samples(const struct bench *b, FILE *csv, const struct row *rows, bool first)
{
    if (first) {
        fprintf(csv, "coll,contestant,bytes,turn,us\n");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        const struct row *r = &rows[i];

        for (int turn = 0; turn < r->samples; ++turn) {
            fprintf(csv, "%s,%s,%zu,%d,%.2f\n", b->opt.coll->name, r->contestant, r->bytes,
                    turn + 1, r->sample[turn]);
        }
    }
    return 0 == fflush(csv) && !ferror(csv);
}

/* A gnuplot string constant: in single quotes, with those inside doubled. */
static void quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; '\0' != *text; ++text) {
        if ('\'' == *text) {
            fputc('\'', out);
        }
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* The axes of both drawings: the time, and the size where the collective has one. */
static void write_axes(const struct bench *b, FILE *out, const char *time)
{
    fprintf(out, "set ylabel 'time of the slowest rank, us%s'\nset logscale y\nset grid\n", time);
    if (HOLDS_NOTHING != b->opt.coll->recv) {
        fprintf(out,
                "set xlabel 'bytes of %s'\nset logscale x 2\nset format x '%%.0b%%B'\n"
                "set offsets graph 0.05, graph 0.05\n",
                b->opt.coll->bytes);
    } else {
        fprintf(out, "unset xtics\nset xrange [-1:1]\n");
    }
}

static void write_table(const struct bench *b, FILE *out, const struct row *rows, int num_rows)
{
    const struct layout *l = &b->layout;
    int contestants = b->opt.num_contestants;
    double bound = lower_bound(l);
    char ppn[32];

    ppn_text(l, ppn);
    for (int i = 0; i < contestants; ++i) {
        fprintf(out, "$c%d << EOD\n", i);
        for (int j = i; j < num_rows; j += contestants) {
            if (rows[j].samples > 0) {
                fprintf(out, "%zu %.3f %.3f %.3f\n", rows[j].bytes, rows[j].median, rows[j].p05,
                        rows[j].p95);
            }
        }
        fprintf(out, "EOD\n");
    }
    fprintf(out, "set terminal svg size 800,500 enhanced background rgb 'white'\n");
    fprintf(out, "set title '%s, %d nodes x %s processes' noenhanced\n", b->opt.coll->name,
            l->nodes, ppn);
    fprintf(out, "set key left top noenhanced\n");
    write_axes(b, out, " (p05, median, p95)");
    fprintf(out, "plot ");
    for (int i = 0; i < contestants; ++i) {
        fprintf(out, "%s$c%d using 1:2:3:4 with yerrorlines lw 1.5 pt 7 ps 0.6 title ",
                0 == i ? "" : ", ", i);
        quoted(out, b->contestant[i].label);
    }
    if (bound > 0.0) {
        fprintf(out, ", %.3f with lines dt 2 lc rgb 'gray40' title 'lower bound, %d x alpha'",
                bound, layout_steps(l));
    }
    fprintf(out, "\n");
}

/* The least and the greatest of all samples; false if there is none. */
static bool extremes(const struct row *rows, int num_rows, double *least, double *greatest)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    for (int i = 0; i < num_rows; ++i) {
        for (int turn = 0; turn < rows[i].samples; ++turn) {
            *least = fmin(*least, rows[i].sample[turn]);
            *greatest = fmax(*greatest, rows[i].sample[turn]);
        }
    }
    return *least <= *greatest;
}

/* A dot for every sample, and a panel for every contestant: dots of several would hide each other. */
static void write_dots(const struct bench *b, FILE *out, const struct row *rows, int num_rows)
{
    const struct layout *l = &b->layout;
    int contestants = b->opt.num_contestants;
    int columns = (int) ceil(sqrt(contestants)), lines = (contestants + columns - 1) / columns;
    double least, greatest;
    char ppn[32];

    ppn_text(l, ppn);
    fprintf(out, "set terminal svg size %d,%d enhanced background rgb 'white'\n",
            80 + 420 * columns, 60 + 320 * lines);
    fprintf(out,
            "set multiplot layout %d,%d title '%s, %d nodes x %s processes, every sample' "
            "noenhanced\nunset key\n",
            lines, columns, b->opt.coll->name, l->nodes, ppn);
    write_axes(b, out, "");
    if (extremes(rows, num_rows, &least, &greatest)) {
        fprintf(out, "set yrange [%.3f:%.3f]\n", 0.8 * least, 1.25 * greatest);
    }
    for (int i = 0; i < contestants; ++i) {
        fprintf(out, "set title ");
        quoted(out, b->contestant[i].label);
        fprintf(out, " noenhanced\nplot '-' using 1:2 with points pt 7 ps 0.3 lt %d\n", i + 1);
        for (int j = i; j < num_rows; j += contestants) {
            for (int turn = 0; turn < rows[j].samples; ++turn) {
                fprintf(out, "%zu %.3f\n", rows[j].bytes, rows[j].sample[turn]);
            }
        }
        fprintf(out, "e\n");
    }
    fprintf(out, "unset multiplot\n");
}

typedef void writer_fn(const struct bench *b, FILE *out, const struct row *rows, int num_rows);

/* The script goes through a file of its own, the drawing to out. Returns as napcoll_gnuplot_run. */
static int run_script(FILE *script, FILE *out)
{
    if (0 != fflush(script) || 0 != ferror(script) || 0 != fseek(script, 0, SEEK_SET)
        || lseek(fileno(script), 0, SEEK_SET) < 0) {
        return 0 != errno ? errno : EIO;
    }
    return napcoll_gnuplot_run("-d", fileno(script), fileno(out));
}

/* Has gnuplot draw what `write` tells it; `option` and `file` are for the message if that fails. */
static bool draw(const struct bench *b, const struct row *rows, int num_rows, writer_fn *write,
                 const char *option, const char *file)
{
    FILE *script = tmpfile(), *out = NULL;
    int error = NULL == script ? errno : 0;

    if (0 == error) {
        write(b, script, rows, num_rows);
        error = napcoll_output_open(file, NAPCOLL_OUTPUT_WHOLE, &out);
    }
    if (0 == error) {
        error = napcoll_output_close(out, run_script(script, out));
    }
    if (NULL != script) {
        (void) fclose(script);
    }
    if (0 == error) {
        return true;
    }
    if (ENOENT == error && NULL != out) {
        fprintf(stderr,
                "collbench: %s %s: gnuplot is missing; install it (Debian: "
                "gnuplot-nox) or use --csv or --samples\n",
                option, file);
    } else if (error > 0) {
        fprintf(stderr, "collbench: %s %s: %s\n", option, file, strerror(error));
    } else {
        fprintf(stderr, "collbench: %s %s: gnuplot failed\n", option, file);
    }
    return false;
}

bool report_svg(const struct bench *b, const struct row *rows, int num_rows)
{
    return draw(b, rows, num_rows, write_table, "--svg", b->opt.svg);
}

bool report_dots(const struct bench *b, const struct row *rows, int num_rows)
{
    return draw(b, rows, num_rows, write_dots, "--dots", b->opt.dots);
}
