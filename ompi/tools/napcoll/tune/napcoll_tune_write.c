/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is in the files that napcoll-tune writes: parameters, rules, samples and a drawing.
 */

#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/napcoll_gnuplot.h"
#include "napcoll_tune.h"

static const char *const kind_names[TUNE_KINDS] = {"gather", "scatter", "message"};

/* ---- before measuring ---- */

static bool check_gnuplot(const char *svg, char message[TUNE_TEXT])
{
    const int null = NULL == svg ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
    int error = 0;

    if (null >= 0) {
        error = napcoll_gnuplot_run("--version", null, null);
        (void) close(null);
    }
    if (0 != error) {
        snprintf(message, TUNE_TEXT, "--svg %.256s: %s", svg,
                 ENOENT == error
                     ? "gnuplot is missing; install it (Debian: gnuplot-nox), or use --samples"
                     : "gnuplot fails");
    }
    return 0 == error;
}

bool tune_write_check(const tune_options_t *options, char message[TUNE_TEXT])
{
    return tune_file_check("--output", options->output, message)
           && tune_file_check("--samples", options->samples, message)
           && tune_file_check("--svg", options->svg, message)
           && check_gnuplot(options->svg, message);
}

/* ---- parameters ---- */

/* Of what a gather in pieces is to have less than: messages just below M1 escalate now and then, and a gather of many
 * pieces takes the chance as often. */
static size_t safe(size_t m1)
{
    return m1 - m1 / 5 * 2;
}

/* Escalation that costs a call less than so many times what it takes without is not avoided: pieces and steps that avoid
 * it cost time as well. */
static const double worth_avoiding = 1;

napcoll_thresholds_t tune_thresholds(const tune_fit_t *fit)
{
    napcoll_thresholds_t thresholds = {.scatter_s = fit->scatter.s};

    if (napcoll_incast_gather_loss(&fit->gather) >= worth_avoiding) {
        thresholds.gather_m1 = safe(fit->gather.m1);
        thresholds.gather_m2 = fit->gather.m2;
    }
    return thresholds;
}

static void write_gather(const napcoll_incast_gather_t *g, const napcoll_thresholds_t *thresholds,
                         FILE *out)
{
    if (thresholds->gather_m2 > 0) {
        fprintf(
            out,
            "# Gather: blocks from m1 to m2 bytes go in pieces smaller than m1, each after a barrier. m1 is "
            "three fifths\n# of M1: of several pieces just below M1 one may escalate.\n");
    } else if (g->escalates) {
        fprintf(
            out,
            "# Gather: from M1 to M2 escalation costs a call %.2f of what it takes without, on average, and "
            "pieces\n# may cost as much. 0 and 0: never in pieces.\n",
            napcoll_incast_gather_loss(g));
    } else {
        fprintf(
            out,
            "# Gather: no escalation was found from %zu to %zu bytes. 0 and 0: never in pieces.\n",
            g->size[0].bytes, g->size[g->num_sizes - 1].bytes);
    }
    fprintf(out, "coll_napcoll_gather_m1 = %zu\ncoll_napcoll_gather_m2 = %zu\n\n",
            thresholds->gather_m1, thresholds->gather_m2);
}

static void write_scatter(const napcoll_incast_scatter_t *s, FILE *out)
{
    if (s->leaps) {
        fputs("# Scatter: blocks of s bytes and more go in pieces smaller than s.\n", out);
    } else {
        fprintf(out, "# Scatter: no leap was found from %zu to %zu bytes. 0: never in pieces.\n",
                s->size[0].bytes, s->size[s->num_sizes - 1].bytes);
    }
    fprintf(out, "coll_napcoll_scatter_s = %zu\n", s->s);
}

static void write_header(const tune_t *t, const char *title, FILE *out)
{
    tune_file_origin(t, title, out);
    fputs(
        "# They take effect in a parameter file of Open MPI, such as ~/.openmpi/mca-params.conf, or by\n"
        "#     mpirun --tune FILE ...\n#\n",
        out);
}

static void write_thresholds(const tune_t *t, FILE *out)
{
    const napcoll_thresholds_t thresholds = tune_thresholds(&t->fit);

    tune_report_models(t, out, "# ");
    fputc('\n', out);
    write_gather(&t->fit.gather, &thresholds, out);
    write_scatter(&t->fit.scatter, out);
}

/* Each line behind a #. */
static void print_rules_as_comments(const tune_t *t, FILE *out)
{
    FILE *rules = tmpfile();
    int c, before = '\n';

    if (NULL == rules) {
        return;
    }
    tune_report_rules(t, rules);
    rewind(rules);
    while (EOF != (c = fgetc(rules))) {
        if ('\n' == before) {
            fputs("#   ", out);
        }
        fputc(c, out);
        before = c;
    }
    (void) fclose(rules);
}

static void write_cases(const tune_t *t, FILE *out)
{
    fputc('\n', out);
    tune_report_cases(t, out, "# ");
    if (0 == tune_count_rules(t)) {
        return;
    }
    if (NULL == t->options.output) {
        fputs("# With --output these rules would go to a file:\n#\n", out);
        print_rules_as_comments(t, out);
    } else {
        char *name = tune_file_of_rules(t->options.output);

        fprintf(out, "\n# Where measurement overruled the model\ncoll_napcoll_rules_file = %s\n",
                name);
        free(name);
    }
}

void tune_write_parameters(const tune_t *t, FILE *out)
{
    if (TUNE_GATHER_SCATTER == t->options.command) {
        write_header(t, "napcoll's parameters of gather and scatter, found by", out);
        write_thresholds(t, out);
        return;
    }
    write_header(t, "napcoll's parameters of this machine, found by", out);
    tune_report_machine(t, out, "# ");
    tune_report_keys(t, out);
    fputc('\n', out);
    if ('\0' == t->machine->no_thresholds[0]) {
        write_thresholds(t, out);
    } else {
        fprintf(out, "# Thresholds of gather and scatter (M1, M2 and S) are not among them: %s.\n",
                t->machine->no_thresholds);
    }
    write_cases(t, out);
}

/* ---- samples ---- */

static void write_samples(const tune_t *t, FILE *out)
{
    if (TUNE_MACHINE == t->options.command) {
        tune_report_samples(t, out);
        return;
    }
    fputs("collective,bytes,seconds\n", out);
    for (int kind = 0; kind < TUNE_KINDS; kind++) {
        for (size_t i = 0; i < t->samples[kind].count; i++) {
            const napcoll_incast_sample_t *s = &t->samples[kind].sample[i];

            fprintf(out, "%s,%zu,%.9f\n", kind_names[kind], s->bytes, s->seconds);
        }
    }
}

/* ---- the drawing ---- */

static void draw_data(const tune_t *t, tune_kind_t kind, FILE *out)
{
    fprintf(out, "$%s << END_OF_DATA\n", kind_names[kind]);
    for (size_t i = 0; i < t->samples[kind].count; i++) {
        const napcoll_incast_sample_t *s = &t->samples[kind].sample[i];

        fprintf(out, "%zu %.9f\n", s->bytes, s->seconds);
    }
    fputs("END_OF_DATA\n", out);
}

/* What the model says, at the sizes that were measured, with a gap between its two lines. */
static void draw_model(const tune_t *t, tune_kind_t kind, FILE *out)
{
    const tune_fit_t *f = &t->fit;
    const napcoll_incast_size_t *size = TUNE_GATHER == kind ? f->gather.size : f->scatter.size;
    const int num = TUNE_GATHER == kind ? f->gather.num_sizes : f->scatter.num_sizes;
    const size_t other = TUNE_GATHER == kind ? f->gather.large_from : f->scatter.s;

    fprintf(out, "$%s_model << END_OF_DATA\n", kind_names[kind]);
    for (int i = 0; i < num; i++) {
        const double bytes = (double) size[i].bytes;
        const double seconds = TUNE_GATHER == kind
                                   ? napcoll_incast_gather_seconds(&f->model, bytes)
                                   : napcoll_incast_scatter_seconds(&f->model, bytes);

        fprintf(out, "%s%.0f %.9f\n", i > 0 && size[i].bytes == other ? "\n" : "", bytes, seconds);
    }
    fputs("END_OF_DATA\n", out);
}

static void draw_mark(FILE *out, const char *name, size_t bytes)
{
    fprintf(out,
            "set arrow from %zu, graph 0 to %zu, graph 1 nohead dt 2 lc rgb '#d55e00'\n"
            "set label '%s = %zu' at %zu, graph 0.96 offset 0.5, 0 textcolor rgb '#d55e00'\n",
            bytes, bytes, name, bytes, bytes);
}

static void draw_panel(const tune_t *t, tune_kind_t kind, FILE *out)
{
    fprintf(out, "unset arrow\nunset label\nset title '%s, %d processes on %d node%s'\n",
            kind_names[kind], t->ranks, t->nodes, 1 == t->nodes ? "" : "s");
    if (TUNE_GATHER == kind && t->fit.gather.escalates) {
        draw_mark(out, "M1", t->fit.gather.m1);
        draw_mark(out, "M2", t->fit.gather.m2);
    }
    if (TUNE_SCATTER == kind && t->fit.scatter.leaps) {
        draw_mark(out, "S", t->fit.scatter.s);
    }
    fprintf(out,
            "plot $%s using 1:2 with points pt 7 ps 0.25 lc rgb '#0072b2' title 'samples', "
            "$%s_model using 1:2 with lines lw 1.5 lc rgb '#000000' title 'model'\n",
            kind_names[kind], kind_names[kind]);
}

static void write_script(const tune_t *t, FILE *out)
{
    for (int kind = TUNE_GATHER; kind <= TUNE_SCATTER; kind++) {
        draw_data(t, (tune_kind_t) kind, out);
        draw_model(t, (tune_kind_t) kind, out);
    }
    fputs("set encoding utf8\n"
          "set terminal svg size 900,900 font 'Arial,14' background rgb 'white'\n"
          "set multiplot layout 2,1\n"
          "set logscale xy\nset logscale x 2\nset format x '%.0b%B'\nset format y '%g'\n"
          "set xlabel 'block of a process (bytes)'\nset ylabel 'time (s)'\n"
          "set offsets graph 0.02, graph 0.02\nset grid lc rgb '#dddddd' lt 1\n"
          "set tics out nomirror\nset border 3\nset key bottom right\n",
          out);
    draw_panel(t, TUNE_GATHER, out);
    draw_panel(t, TUNE_SCATTER, out);
    fputs("unset multiplot\n", out);
}

/* The script goes through a file of its own, the drawing to out. Returns 0, or an error as
 * napcoll_gnuplot_run. */
static int draw(const tune_t *t, FILE *out)
{
    FILE *script = tmpfile();
    int error = 0;

    if (NULL == script) {
        return errno;
    }
    write_script(t, script);
    if (0 != fflush(script) || 0 != fseek(script, 0, SEEK_SET)
        || lseek(fileno(script), 0, SEEK_SET) < 0) {
        error = errno;
    } else {
        error = napcoll_gnuplot_run("-d", fileno(script), fileno(out));
    }
    return 0 != fclose(script) && 0 == error ? errno : error;
}

/* ---- files ---- */

static int parameters_content(const tune_t *t, FILE *out)
{
    tune_write_parameters(t, out);
    return 0;
}

static int rules_content(const tune_t *t, FILE *out)
{
    tune_file_origin(t, "Rules of napcoll, found by", out);
    fputs("# The measured times overruled the model there.\n\n", out);
    tune_report_rules(t, out);
    return 0;
}

static int samples_content(const tune_t *t, FILE *out)
{
    write_samples(t, out);
    return 0;
}

int tune_write_files(const tune_t *t)
{
    const tune_options_t *o = &t->options;
    int status = tune_file_write(t, "--samples", o->samples, samples_content);

    if (TUNE_GOOD != tune_file_write(t, "--svg", o->svg, draw)) {
        status = TUNE_FAILED;
    }
    if (TUNE_MACHINE == o->command && NULL != o->output && tune_count_rules(t) > 0) {
        char *name = tune_file_of_rules(o->output);

        if (TUNE_GOOD != tune_file_write(t, "--output", name, rules_content)) {
            status = TUNE_FAILED;
        }
        free(name);
    }
    if (TUNE_GOOD != tune_file_write(t, "--output", o->output, parameters_content)) {
        status = TUNE_FAILED;
    }
    return status;
}
