/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune prints: the models with their numbers, and a table of the sizes.
 */

#include <math.h>

#include "napcoll_tune.h"

static const double us = 1e6, ns = 1e9, percent = 100;

/* "a line: 12.3 +- 0.1 us + 4.56 +- 0.07 ns per byte, through the medians of 9 sizes" */
static void print_line(FILE *out, const char *prefix, const char *what, const napcoll_line_t *line)
{
    if (0 == line->points) {
        fprintf(out, "%s  %s: no line, there are fewer than 3 sizes\n", prefix, what);
        return;
    }
    fprintf(out, "%s  %s: %.1f +- %.1f us + (%.3f +- %.3f ns) M, through the medians of %d sizes\n",
            prefix, what, us * line->intercept, us * line->intercept_error, ns * line->slope,
            ns * line->slope_error, line->points);
}

static void print_message(const tune_t *t, FILE *out, const char *prefix)
{
    const napcoll_incast_model_t *m = &t->fit.model;

    fprintf(
        out,
        "%spoint-to-point: C_0 + t_0 M + C_i + t_i M + M/beta, root 0 and others i, which are alike\n"
        "%s  C_0 = %.1f us, t_0 = %.3f ns per byte, C_i = %.1f us, t_i + 1/beta = %.3f ns per byte\n",
        prefix, prefix, us * m->root_delay, ns * m->root_per_byte, us * m->far_delay,
        ns * m->far_per_byte);
    print_line(out, prefix, "measured", &t->fit.message);
}

static void print_levels(const napcoll_incast_gather_t *g, FILE *out, const char *prefix)
{
    for (int i = 0; i < g->num_levels; i++) {
        fprintf(out, "%s    + %.3f s with probability %.3f (%zu samples)\n", prefix,
                g->level[i].seconds, g->level[i].probability, g->level[i].samples);
    }
}

/* Where M1 and M2 lie, by the sizes that were measured beside them. */
static void print_range(const napcoll_incast_gather_t *g, FILE *out, const char *prefix)
{
    fprintf(out, "%s  M1 = %zu bytes: ", prefix, g->m1);
    if (g->below_m1 > 0) {
        fprintf(out, "%zu bytes do not escalate\n", g->below_m1);
    } else {
        fprintf(out, "the least size that was measured; it may be less (--min)\n");
    }
    fprintf(out, "%s  M2 = %zu bytes: ", prefix, g->m2);
    if (g->above_m2 > 0) {
        fprintf(out, "%zu bytes do not escalate\n", g->above_m2);
    } else {
        fprintf(out, "the greatest size that was measured; it may be more (--max)\n");
    }
}

static void print_gather(const tune_t *t, FILE *out, const char *prefix)
{
    const napcoll_incast_gather_t *g = &t->fit.gather;

    fprintf(out, "%sgather (many-to-one), n = %d blocks of M bytes\n", prefix, t->ranks - 1);
    if (g->escalates) {
        print_range(g, out, prefix);
        fprintf(out, "%s  M1 <= M <= M2: %.1f %% of the calls escalate\n", prefix,
                percent * g->escalated);
        print_levels(g, out, prefix);
    } else {
        fprintf(out, "%s  no escalation from %zu to %zu bytes: there is no M1 and no M2\n", prefix,
                g->size[0].bytes, g->size[g->num_sizes - 1].bytes);
    }
    fprintf(
        out,
        "%s  %s: n (C_0 + t_0 M) + C_i + t_i M + M/beta + kappa1 M, kappa1 = %.3f ns per byte\n",
        prefix, g->escalates ? "M < M1, or without escalation" : "time", ns * t->fit.model.kappa1);
    print_line(out, prefix, "  measured", &g->small);
    if (g->large.points > 0) {
        fprintf(out,
                "%s  M >= %zu: n (C_0 + t_0 M) + n (C_i + t_i M + M/beta) + kappa2 M, "
                "kappa2 = %.3f ns per byte\n",
                prefix, g->large_from, ns * t->fit.model.kappa2);
        print_line(out, prefix, "  measured", &g->large);
    }
    fprintf(
        out,
        "%s  noise %.1f us; of the samples outside of M1 to M2 %.1f %% are as far off their line as "
        "escalated ones\n",
        prefix, us * g->noise, percent * g->elsewhere);
}

static void print_scatter(const tune_t *t, FILE *out, const char *prefix)
{
    const napcoll_incast_scatter_t *s = &t->fit.scatter;

    fprintf(out, "%sscatter (one-to-many), n = %d blocks of M bytes\n", prefix, t->ranks - 1);
    if (s->leaps) {
        fprintf(out,
                "%s  S = %zu bytes: %zu bytes are on the line of small sizes; the leap is "
                "%.1f +- %.1f us\n",
                prefix, s->s, s->below_s, us * s->leap, us * s->leap_error);
    } else {
        fprintf(out, "%s  no leap from %zu to %zu bytes: there is no S\n", prefix, s->size[0].bytes,
                s->size[s->num_sizes - 1].bytes);
    }
    fprintf(out, "%s  %s: C_0 + t_0 n M + C_i + t_i M + M/beta\n", prefix,
            s->leaps ? "M < S" : "time");
    print_line(out, prefix, "  measured", &s->small);
    if (s->leaps) {
        fprintf(out, "%s  M >= S: C_0 + t_0 n M + n (C_i + t_i M + M/beta)\n", prefix);
        print_line(out, prefix, "  measured", &s->large);
    }
}

void tune_report_models(const tune_t *t, FILE *out, const char *prefix)
{
    print_message(t, out, prefix);
    print_gather(t, out, prefix);
    print_scatter(t, out, prefix);
    fprintf(out, "%s%d turns of %d, %.0f s", prefix, t->turns, t->options.repetitions, t->seconds);
    if (t->out_of_time) {
        fprintf(out, ": the time limit of %g s ended it early", t->options.time_limit);
    }
    fputc('\n', out);
}

static void print_size(const napcoll_incast_size_t *size, double model, FILE *out)
{
    fprintf(out, "%9zu %7zu %10.1f %10.1f %10.1f %10.1f", size->bytes, size->samples,
            us * size->low, us * size->median, us * size->high, us * model);
}

void tune_report_sizes(const tune_t *t, FILE *out)
{
    const napcoll_incast_gather_t *g = &t->fit.gather;
    const napcoll_incast_scatter_t *s = &t->fit.scatter;

    fprintf(
        out,
        "\ntimes in us: lower quartile, median and 90th percentile of the samples, and the model\n"
        "\ngather\n%9s %7s %10s %10s %10s %10s  escalated, by level\n",
        "bytes", "samples", "low", "median", "high", "model");
    for (int i = 0; i < g->num_sizes; i++) {
        const napcoll_incast_size_t *size = &g->size[i];

        print_size(size, napcoll_incast_gather_seconds(&t->fit.model, (double) size->bytes), out);
        fprintf(out, "  %.2f", size->escalated);
        for (int l = 0; size->bytes >= g->m1 && size->bytes <= g->m2 && l < g->num_levels; l++) {
            fprintf(out, "%s%.2f", 0 == l ? " = " : " + ", size->level[l]);
        }
        fputc('\n', out);
    }
    fprintf(out, "\nscatter\n%9s %7s %10s %10s %10s %10s\n", "bytes", "samples", "low", "median",
            "high", "model");
    for (int i = 0; i < s->num_sizes; i++) {
        const napcoll_incast_size_t *size = &s->size[i];

        print_size(size, napcoll_incast_scatter_seconds(&t->fit.model, (double) size->bytes), out);
        fputc('\n', out);
    }
    fputc('\n', out);
}
