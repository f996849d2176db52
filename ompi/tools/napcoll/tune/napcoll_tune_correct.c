/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Rules of a parameter file are corrected: collectives are tried that a benchmark, or an owner, has doubts about, all of the
 * time being theirs, and what is found comes before the rules that are there. Rank 0 alone.
 *
 * The machine and the thresholds are the file's, and stay as they are.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_tune.h"
#include "common/napcoll_rules_rest.h"
#include "select/napcoll_rules.h"
#include "util/napcoll_file.h"
#include "common/napcoll_machine_file.h"

/* ---- the file ---- */

static FILE *open_file(const char *name, char message[TUNE_TEXT])
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(name, NAPCOLL_MOST_FILE_BYTES, &why);

    if (NULL == in) {
        (void) snprintf(message, TUNE_TEXT, "%.256s: %s", name, why.text);
    }
    return in;
}

static bool read_machine(FILE *in, const char *name, tune_corrected_t *corrected,
                         char message[TUNE_TEXT])
{
    napcoll_parameters_error_t other;
    napcoll_machine_error_t error;

    if (0 != napcoll_machine_read(in, &corrected->machine, &error)) {
        return tune_file_refuse("", name, error.line, error.column, error.text, message);
    }
    rewind(in);
    return 0 == napcoll_parameters_read(in, &corrected->parameters, &other)
           || tune_file_refuse("", name, other.line, 0, other.text, message);
}

/* The rules that there are; they have to be good ones. */
static bool read_rules(tune_corrected_t *corrected, char message[TUNE_TEXT])
{
    FILE *in = open_file(corrected->rules_name, message);
    napcoll_rules_t *rules = NULL;
    napcoll_rules_error_t error;
    bool good;

    if (NULL == in) {
        return false;
    }
    good = 0 == napcoll_rules_load(in, &corrected->rules, &corrected->rules_bytes, &error)
           && 0 == napcoll_rules_parse(corrected->rules, corrected->rules_bytes, &rules, &error);
    (void) fclose(in);
    napcoll_rules_free(rules);
    return good
           || tune_file_refuse("", corrected->rules_name, error.line, error.column, error.text,
                               message);
}

/* Whether the file names rules. */
static bool names_rules(const tune_corrected_t *corrected)
{
    const char *name = corrected->parameters.rules_file;

    return NULL != name && '\0' != name[0];
}

bool tune_correct_open(tune_t *t, char message[TUNE_TEXT])
{
    const char *name = t->options.corrected;
    tune_corrected_t *corrected = &t->corrected;
    bool good;
    FILE *in;

    if (TUNE_CORRECT != t->options.command) {
        return true;
    }
    if (t->node.least_ppn * t->node.num != t->ranks) {
        (void) snprintf(message, TUNE_TEXT,
                        "there are different numbers of processes on the nodes, which no rule is "
                        "about; start as many on each");
        return false;
    }
    in = open_file(name, message);
    if (NULL == in) {
        return false;
    }
    good = read_machine(in, name, corrected, message);
    (void) fclose(in);
    if (!good) {
        return false;
    }
    corrected->rules_name = names_rules(corrected) ? strdup(corrected->parameters.rules_file)
                                                   : tune_file_of_rules(name);
    if (NULL == corrected->rules_name) {
        tune_out_of_memory();
    }
    return (!names_rules(corrected) || read_rules(corrected, message))
           && tune_file_check("coll_napcoll_rules_file", corrected->rules_name, message)
           && tune_file_check("parameter file", names_rules(corrected) ? NULL : name, message);
}

void tune_correct_close(tune_t *t)
{
    napcoll_parameters_close(&t->corrected.parameters);
    free(t->corrected.rules_name);
    free(t->corrected.rules);
    t->corrected = (tune_corrected_t){.rules_name = NULL};
}

/* ---- measuring ---- */

int tune_correct(tune_t *t, char message[TUNE_TEXT])
{
    tune_watch_t watch = tune_watch(t->options.time_limit);
    tune_machine_t *m = calloc(1, sizeof(*m));

    if (NULL == m) {
        tune_out_of_memory();
        return TUNE_FAILED;
    }
    t->machine = m;
    m->fit.machine = t->corrected.machine;
    m->thresholds = t->corrected.parameters.thresholds;
    tune_verify(t, &watch);
    m->seconds = MPI_Wtime() - watch.begin;
    if ('\0' != m->no_cases[0]) {
        (void) snprintf(message, TUNE_TEXT, "nothing was tried: %.900s", m->no_cases);
        return TUNE_FAILED;
    }
    if (0 == tune_count_rules(t)) {
        (void) snprintf(
            message, TUNE_TEXT,
            "--time-limit %g: nothing was measured in six turns that rules can be about, so "
            "they stay; give more, or fewer collectives with --only",
            t->options.time_limit);
        return TUNE_FAILED;
    }
    return TUNE_GOOD;
}

/* ---- writing ---- */

static int rules_content(const tune_t *t, FILE *out)
{
    const tune_corrected_t *corrected = &t->corrected;
    tune_rule_t list[TUNE_MOST_RULES];
    napcoll_rule_t first[TUNE_MOST_RULES];
    const int rules = tune_list_rules(t, list);

    for (int i = 0; i < rules; i++) {
        first[i] = list[i].rule;
    }
    tune_file_origin(t, "Rules of napcoll, corrected by", out);
    fputc('\n', out);
    tune_report_rules(t, out);
    if (NULL == corrected->rules) {
        return 0;
    }
    fputs("\n", out);
    if (napcoll_rules_print_rest(corrected->rules, corrected->rules_bytes, first, rules, out) < 0) {
        return 0 != ferror(out) ? EIO : ENOMEM; /* there is no mistake in it */
    }
    return 0;
}

/* The file as it was, and where its rules are now. */
static int parameters_content(const tune_t *t, FILE *out)
{
    napcoll_file_error_t why;
    FILE *in = napcoll_file_open(t->options.corrected, NAPCOLL_MOST_FILE_BYTES, &why);
    int c, last = '\n';
    bool failed;

    if (NULL == in) {
        return EIO; /* it was read before */
    }
    while (EOF != (c = fgetc(in))) {
        fputc(c, out);
        last = c;
    }
    failed = 0 != ferror(in);
    (void) fclose(in);
    fprintf(out, "%s\n# Where measurement overruled the model\ncoll_napcoll_rules_file = %s\n",
            '\n' == last ? "" : "\n", t->corrected.rules_name);
    return failed ? EIO : 0;
}

int tune_correct_write(const tune_t *t)
{
    const tune_corrected_t *corrected = &t->corrected;
    const int status = tune_file_write(t, "coll_napcoll_rules_file", corrected->rules_name,
                                       rules_content);

    if (TUNE_GOOD != status || names_rules(corrected)) {
        return status;
    }
    return tune_file_write(t, "parameter file", t->options.corrected, parameters_content);
}
