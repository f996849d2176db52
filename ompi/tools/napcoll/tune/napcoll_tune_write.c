/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The files of napcoll-tune: parameters, rules and samples. Rank 0 only.
 */

#define _GNU_SOURCE

#include <errno.h>

#include "common/napcoll_output.h"
#include "measure/napcoll_origin.h"
#include "tune/napcoll_tune.h"
#include "util/napcoll_file.h"

/* ---- names ---- */

bool tune_refuse(const char *name, int line, int column, const char *text, char message[TUNE_TEXT])
{
    char place[64] = "";

    if (line > 0 && column > 0) {
        (void) snprintf(place, sizeof(place), "%d:%d:", line, column);
    } else if (line > 0) {
        (void) snprintf(place, sizeof(place), "%d:", line);
    }
    (void) snprintf(message, TUNE_TEXT, "%.300s:%s %.500s", name, place, text);
    return false;
}

static bool can_write(const char *what, const char *name, char message[TUNE_TEXT])
{
    const int error = NULL == name ? 0 : napcoll_output_check(name);

    if (0 != error) {
        napcoll_output_explain(message, TUNE_TEXT, what, name, error);
    }
    return 0 == error;
}

bool tune_write_check(const tune_t *t, char message[TUNE_TEXT])
{
    return can_write("--output", t->options.output, message)
           && can_write("--samples", t->options.samples, message)
           && can_write("coll_napcoll_rules_file", t->cases.rules_name, message);
}

char *tune_rules_name(const char *output)
{
    const size_t room = strlen(output) + sizeof(".rules");
    char *name = napcoll_allocate(room, 1);

    (void) snprintf(name, room, "%s.rules", output);
    return name;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return NULL == slash ? path : slash + 1;
}

/* The rules are named relative to the parameter file: both may be copied together. */
static void print_rules_file(const char *rules, FILE *out)
{
    fprintf(out, "\n# Where measurement overruled the model\ncoll_napcoll_rules_file = %s\n",
            base_name(rules));
}

/* ---- where a file comes from ---- */

/* By which command a file was made, when, and by which job. */
static void print_origin(const tune_t *t, const char *title, FILE *out)
{
    fprintf(out, "# %s\n", title);
    napcoll_origin_print(out, t->argc, t->argv, t->ranks, t->node.num);
}

/* Print a report as comments. */
static void print_comments(const tune_t *t, void (*report)(const tune_t *t, FILE *out), FILE *out)
{
    char *text = NULL;
    size_t length;
    FILE *lines = open_memstream(&text, &length);

    if (NULL == lines) {
        napcoll_out_of_memory();
    }
    report(t, lines);
    if (0 != fclose(lines)) {
        napcoll_out_of_memory();
    }
    for (char *line = text, *end; NULL != (end = strchr(line, '\n')); line = end + 1) {
        fprintf(out, "# %.*s\n", (int) (end - line), line);
    }
    free(text);
}

/* ---- parameters ---- */

static bool has_rules_file(const tune_t *t)
{
    tune_rule_t rules[TUNE_CASES];

    return NULL != t->options.output && tune_rules(t, rules) > 0;
}

void tune_write_use(const tune_t *t, FILE *out)
{
    const char *file = t->options.output;

    fprintf(out,
            "For all your jobs:\n    mkdir -p ~/.openmpi && cat %s >> ~/.openmpi/mca-params.conf\n",
            file);
    if (has_rules_file(t)) {
        fprintf(out, "    cp %s.rules ~/.openmpi\n", file);
    }
    fprintf(out, "For one job: OMPI_MCA_mca_base_param_files=%s mpirun ...\n", file);
}

static void write_thresholds(const tune_t *t, FILE *out)
{
    const napcoll_thresholds_t thresholds = tune_thresholds(&t->scan);

    fprintf(
        out,
        "\n# Gathers of gather_m1 to gather_m2 bytes, and scatters of scatter_s and more, go in "
        "pieces;\n# 0: never. See napcoll-tune(1).\n"
        "coll_napcoll_gather_m1 = %zu\ncoll_napcoll_gather_m2 = %zu\n"
        "coll_napcoll_scatter_s = %zu\n",
        thresholds.gather_m1, thresholds.gather_m2, t->scan.scatter.s);
}

static void write_machine(const tune_t *t, FILE *out)
{
    tune_report_keys(t, out);
    if ('\0' == t->machine.no_thresholds[0]) {
        write_thresholds(t, out);
    } else {
        fprintf(out, "\n# No thresholds of gather and scatter: %s.\n", t->machine.no_thresholds);
    }
    if (has_rules_file(t)) {
        char *name = tune_rules_name(t->options.output);

        print_rules_file(name, out);
        free(name);
    }
}

void tune_write_parameters(const tune_t *t, FILE *out)
{
    const bool machine = TUNE_MACHINE == t->options.command;

    print_origin(t,
                 machine ? "napcoll's parameters of this machine, found by"
                         : "napcoll's parameters of gather and scatter, found by",
                 out);
    if (NULL == t->options.output) {
        print_comments(t, tune_report, out);
    } else {
        print_comments(t, tune_write_use, out);
    }
    if (machine) {
        write_machine(t, out);
    } else {
        write_thresholds(t, out);
    }
}

/* ---- files ---- */

/* What goes into a file: 0, or an error number. */
typedef int content_fn(const tune_t *t, FILE *out);

static int parameters_content(const tune_t *t, FILE *out)
{
    tune_write_parameters(t, out);
    return 0;
}

static int samples_content(const tune_t *t, FILE *out)
{
    napcoll_origin_print(out, t->argc, t->argv, t->ranks, t->node.num);
    tune_report_samples(t, out);
    return 0;
}

/* New rules, and what is left of the older ones behind them. */
static int rules_content(const tune_t *t, FILE *out)
{
    const tune_cases_t *cases = &t->cases;
    tune_rule_t rules[TUNE_CASES];
    const int count = tune_rules(t, rules);

    print_origin(t, "Rules of napcoll: where measurement overruled the model, found by", out);
    fputc('\n', out);
    tune_print_rules(rules, count, out);
    if (NULL == cases->rules) {
        return 0;
    }
    fputc('\n', out);
    return tune_print_older(cases->rules, cases->rules_bytes, rules, count, out) < 0 ? ENOMEM : 0;
}

/* The parameter file as it was, and where its rules are now. */
static int named_content(const tune_t *t, FILE *out)
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(t->options.output, NAPCOLL_MOST_FILE_BYTES, &why);
    int c, last = '\n', error;

    if (NULL == in) {
        return EIO;
    }
    while (EOF != (c = fgetc(in))) {
        fputc(c, out);
        last = c;
    }
    error = ferror(in) ? EIO : 0;
    (void) fclose(in);
    if ('\n' != last) {
        fputc('\n', out);
    }
    print_rules_file(t->cases.rules_name, out);
    return error;
}

static int write_file(const tune_t *t, const char *what, const char *name, content_fn *content)
{
    FILE *out = NULL;
    int error;

    if (NULL == name) {
        return TUNE_GOOD;
    }
    error = napcoll_output_open(name, &out);
    if (0 == error) {
        error = napcoll_output_close(out, content(t, out));
    }
    if (0 != error) {
        char message[TUNE_TEXT];

        napcoll_output_explain(message, sizeof(message), what, name, error);
        fprintf(stderr, "napcoll-tune: %s\n", message);
    }
    return 0 == error ? TUNE_GOOD : TUNE_FAILED;
}

/* --only: the rules, and their name in the parameter file if it has none. */
static int write_correction(const tune_t *t)
{
    const char *known = t->cases.parameters.rules_file;
    int status = write_file(t, "coll_napcoll_rules_file", t->cases.rules_name, rules_content);

    if (TUNE_GOOD == status && (NULL == known || '\0' == known[0])) {
        status = write_file(t, "--output", t->options.output, named_content);
    }
    return status;
}

int tune_write(const tune_t *t)
{
    const tune_options_t *o = &t->options;
    int status;

    if (NULL != o->only) {
        return write_correction(t);
    }
    status = write_file(t, "--samples", o->samples, samples_content);
    if (has_rules_file(t)) {
        char *name = tune_rules_name(o->output);

        if (TUNE_GOOD != write_file(t, "--output", name, rules_content)) {
            status = TUNE_FAILED;
        }
        free(name);
    }
    return TUNE_GOOD == write_file(t, "--output", o->output, parameters_content) ? status
                                                                                 : TUNE_FAILED;
}
