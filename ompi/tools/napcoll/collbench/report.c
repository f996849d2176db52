/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What collbench prints and writes: the table and CSV files. Rank 0 only.
 */

#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "common/napcoll_version.h"
#include "measure/napcoll_origin.h"

void ppn_text(const struct layout *l, char text[32])
{
    if (l->ppn_min == l->ppn_max) {
        snprintf(text, 32, "%d", l->ppn_min);
    } else {
        snprintf(text, 32, "%d-%d", l->ppn_min, l->ppn_max);
    }
}

double lower_bound(const struct layout *l)
{
    return layout_steps(l) * l->alpha_far * 1.0e6;
}

enum { FUNCTION_TEXT = NAPCOLL_FUNCTION_NAME + 8 };

/* The name of MPI's function for a kind: MPI_Iallreduce. */
static void function_text(const struct bench *b, napcoll_kind_t kind, char text[FUNCTION_TEXT])
{
    char function[NAPCOLL_FUNCTION_NAME];

    napcoll_function_name(napcoll_collective_find(b->opt.coll->name), kind, function);
    (void) snprintf(text, FUNCTION_TEXT, "MPI_%c%s", toupper((unsigned char) function[0]),
                    function + 1);
}

/* ---- in the columns of the OSU micro-benchmarks ---- */

enum { OSU_SIZE = 10, OSU_TIME = 18 };

static bool has_sizes(const struct bench *b)
{
    return NAPCOLL_BUFFER_NOTHING != b->opt.coll->recv;
}

/* Whether the first contestant has the columns of nonblocking benchmarks. */
static bool osu_overlaps(const struct bench *b)
{
    return b->opt.overlap && NAPCOLL_KIND_BLOCKING != b->contestant[0].kind;
}

static void osu_head(const struct bench *b)
{
    char function[FUNCTION_TEXT];

    function_text(b, b->contestant[0].kind, function);
    printf("# %s Latency Test by collbench %s: %s\n", function, napcoll_version(),
           b->contestant[0].label);
    napcoll_origin_print(stdout, b->argc, b->argv, b->measure.size, b->layout.nodes);
    if (osu_overlaps(b)) {
        printf("%-*s%*s%*s%*s%*s\n", OSU_SIZE, has_sizes(b) ? "# Size" : "#", OSU_TIME,
               "Overall(us)", OSU_TIME, "Compute(us)", OSU_TIME, "Pure Comm.(us)", OSU_TIME,
               "Overlap(%)");
    } else if (has_sizes(b)) {
        printf("%-*s%*s\n", OSU_SIZE, "# Size", OSU_TIME, "Avg Latency(us)");
    } else {
        printf("# Avg Latency(us)\n");
    }
    fflush(stdout);
}

static double mean(const double *sample, int samples)
{
    double sum = 0;

    for (int i = 0; i < samples; i++) {
        sum += sample[i];
    }
    return sum / samples;
}

/* The means of the samples, each of the slowest process. */
static void osu_row(const struct bench *b, const struct row *row)
{
    double pure, overall, compute;

    if (0 == row->samples) {
        printf("# %zu: every start was missed: the machine is too busy\n", row->bytes);
        fflush(stdout);
        return;
    }
    pure = mean(row->sample, row->samples);
    if (has_sizes(b)) {
        printf("%-*zu", OSU_SIZE, row->bytes);
    } else if (osu_overlaps(b)) {
        printf("%-*s", OSU_SIZE, "");
    }
    if (osu_overlaps(b)) {
        overall = mean(row->overalls, row->samples);
        compute = mean(row->computes, row->samples);
        printf("%*.2f%*.2f%*.2f%*.2f\n", OSU_TIME, overall, OSU_TIME, compute, OSU_TIME, pure,
               OSU_TIME, napcoll_judge_overlap(pure, overall, compute));
    } else {
        printf("%*.2f\n", OSU_TIME, pure);
    }
    fflush(stdout);
}

/* ---- the table ---- */

/* What is measured of contestants that do not block. */
static void table_kinds(const struct bench *b)
{
    bool has[NAPCOLL_KINDS] = {false};
    char function[FUNCTION_TEXT];

    for (int i = 0; i < b->opt.num_contestants; i++) {
        has[b->contestant[i].kind] = true;
    }
    if (has[NAPCOLL_KIND_NONBLOCKING]) {
        function_text(b, NAPCOLL_KIND_NONBLOCKING, function);
        printf("@nonblocking: %s and MPI_Wait\n", function);
    }
    if (has[NAPCOLL_KIND_PERSISTENT]) {
        function_text(b, NAPCOLL_KIND_PERSISTENT, function);
        printf("@persistent: MPI_Start and MPI_Wait, after one %s\n", function);
    }
    if (b->opt.overlap) {
        printf(
            "overall: with computation before MPI_Wait, and %d times MPI_Test in it; compute: the "
            "computation; overlap: 100%% x (1 - (overall - compute) / median)\n",
            b->opt.tests);
    }
}

/* The graph, and the lower bound that follows from it. */
static void table_graph(const struct bench *b)
{
    const struct layout *l = &b->layout;

    printf("\ngraph: %s, %d edge%s, up to %d to or from a process",
           napcoll_graph_name(&b->opt.graph), b->graph.edges, plural(b->graph.edges),
           napcoll_edge_lists_most(&b->graph));
    if (layout_steps(l) > 0) {
        printf("\nlower bound: a message between nodes, alpha = %.1f us\n", lower_bound(l));
    } else {
        printf("\nlower bound: none, no edge leads to another node\n");
    }
}

static void table_head(const struct bench *b)
{
    const struct layout *l = &b->layout;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], ppn[32];
    int length, steps = layout_steps(l);

    napcoll_check(MPI_Get_library_version(library, &length), "MPI_Get_library_version");
    library[strcspn(library, ",\n")] = '\0';
    ppn_text(l, ppn);
    printf("%s (%s), %d processes on %d %s x %s, %s\n", b->opt.coll->name, b->opt.coll->data,
           b->measure.size, l->nodes, 1 == l->nodes ? "node" : "nodes", ppn, library);
    printf("half a round trip of 8 bytes (alpha, the median):");
    if (l->far_rank >= 0) {
        printf(" %.1f us between nodes (ranks 0 and %d)", l->alpha_far * 1.0e6, l->far_rank);
    }
    if (l->near_rank >= 0) {
        printf("%s %.1f us inside a node (ranks 0 and %d)", l->far_rank >= 0 ? "," : "",
               l->alpha_near * 1.0e6, l->near_rank);
    }
    if (b->opt.coll->neighbor) {
        table_graph(b);
    } else if (steps > 0) {
        printf("\nlower bound: %d %s between nodes (ceil(log_%d %d)) x alpha = %.1f us\n", steps,
               1 == steps ? "step" : "steps", l->ppn_max + 1, l->nodes, lower_bound(l));
    } else {
        printf("\nlower bound: none, all processes are on one node\n");
    }
    if (NAPCOLL_BUFFER_NOTHING != b->opt.coll->recv) {
        printf("bytes: of %s; ", b->opt.coll->bytes);
    }
    printf("times: in us, of the slowest process; run time: from the first entry to the last exit; "
           "ratio: time over %s's in the same turn\n",
           b->contestant[0].label);
    table_kinds(b);
    fflush(stdout);
}

void report_head(const struct bench *b)
{
    if (b->opt.osu) {
        osu_head(b);
    } else {
        table_head(b);
    }
}

static int label_width(const struct bench *b)
{
    int width = (int) strlen("contestant");

    for (int i = 0; i < b->opt.num_contestants; ++i) {
        int length = (int) strlen(b->contestant[i].label);

        width = length > width ? length : width;
    }
    return width;
}

static void table_columns(const struct bench *b)
{
    printf("\n%9s  %-*s %7s %5s %10s %10s %10s %6s %15s %7s %10s", "bytes", label_width(b),
           "contestant", "samples", "batch", "median", "p05", "p95", "ratio", "p05..p95", "x bound",
           "run time");
    if (b->opt.overlap) {
        printf(" %10s %10s %8s", "overall", "compute", "overlap");
    }
    printf("  ran\n");
}

static void table_row(const struct bench *b, const struct row *r)
{
    const double bound = lower_bound(&b->layout);
    char spread[64], times[32] = "-";

    if (0 == r->samples) {
        printf("%9zu  %-*s %7d  every start was missed: the machine is too busy\n", r->bytes,
               label_width(b), r->contestant, r->samples);
        return;
    }
    snprintf(spread, sizeof(spread), "%.3f..%.3f", r->ratio.p05, r->ratio.p95);
    if (bound > 0.0) {
        snprintf(times, sizeof(times), "%.2f", r->time.median / bound);
    }
    printf("%9zu  %-*s %7d %5d %10.1f %10.1f %10.1f %6.3f %15s %7s", r->bytes, label_width(b),
           r->contestant, r->samples, r->batch, r->time.median, r->time.p05, r->time.p95,
           r->ratio.median, spread, times);
    if (isnan(r->run)) {
        printf(" %10s", "-");
    } else {
        printf(" %10.1f", r->run);
    }
    if (r->overlaps) {
        printf(" %10.1f %10.1f %7.1f%%", r->overall, r->compute, r->overlap);
    } else if (b->opt.overlap) {
        printf(" %10s %10s %8s", "-", "-", "-");
    }
    printf("  %s\n", '\0' == r->ran[0] ? "-" : r->ran);
}

static void table_rows(const struct bench *b, const struct row *rows, bool first)
{
    if (first) {
        table_columns(b);
    } else {
        printf("\n");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        table_row(b, &rows[i]);
    }
    fflush(stdout);
}

void report_rows(const struct bench *b, const struct row *rows, bool first)
{
    if (b->opt.osu) {
        osu_row(b, rows);
    } else {
        table_rows(b, rows, first);
    }
}

void report_foot(const struct bench *b, const struct row *rows, int num_rows)
{
    double skew = 0.0;
    int fewest = b->opt.iterations;

    for (int i = 0; i < num_rows; ++i) {
        skew = rows[i].skew > skew ? rows[i].skew : skew;
        fewest = !rows[i].dropped && rows[i].samples < fewest ? rows[i].samples : fewest;
    }
    if (b->opt.osu) {
        return;
    }
    printf("\nall results verified\n"
           "start skew: processes start a sample up to %.1f us apart (median, worst size)\n",
           skew);
    napcoll_measure_clocks(&b->measure, stdout);
    if (fewest < b->opt.iterations) {
        printf("fewer than %d samples: the time limit of %g s ended some sizes early\n",
               b->opt.iterations, b->opt.time_limit);
    }
    fflush(stdout);
}

void report_csv(const struct bench *b, FILE *csv, const struct row *rows, bool first)
{
    const struct layout *l = &b->layout;
    char ppn[32];

    ppn_text(l, ppn);
    if (first) {
        fprintf(csv,
                "coll,nodes,ppn,bytes,contestant,samples,median_us,p05_us,p95_us,ratio,run_us%s,"
                "ran\n",
                b->opt.overlap ? ",overall_us,compute_us,overlap" : "");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        const struct row *r = &rows[i];

        if (0 == r->samples) {
            continue;
        }
        fprintf(csv, "%s,%d,%s,%zu,%s,%d,%.2f,%.2f,%.2f,%.4f,", b->opt.coll->name, l->nodes, ppn,
                r->bytes, r->contestant, r->samples, r->time.median, r->time.p05, r->time.p95,
                r->ratio.median);
        if (!isnan(r->run)) {
            fprintf(csv, "%.2f", r->run);
        }
        if (r->overlaps) {
            fprintf(csv, ",%.2f,%.2f,%.2f", r->overall, r->compute, r->overlap);
        } else if (b->opt.overlap) {
            fprintf(csv, ",,,");
        }
        /* what ran may have commas in it */
        fprintf(csv, ",\"%s\"\n", r->ran);
    }
}

void report_samples(const struct bench *b, FILE *csv, const struct row *rows, bool first)
{
    if (first) {
        fprintf(csv, "coll,contestant,bytes,turn,us%s\n",
                b->opt.overlap ? ",overall_us,compute_us" : "");
    }
    for (int i = 0; i < b->opt.num_contestants; ++i) {
        const struct row *r = &rows[i];

        for (int turn = 0; turn < r->samples; ++turn) {
            fprintf(csv, "%s,%s,%zu,%d,%.2f", b->opt.coll->name, r->contestant, r->bytes, turn + 1,
                    r->sample[turn]);
            if (r->overlaps) {
                fprintf(csv, ",%.2f,%.2f", r->overalls[turn], r->computes[turn]);
            } else if (b->opt.overlap) {
                fprintf(csv, ",,");
            }
            fputc('\n', csv);
        }
    }
}
