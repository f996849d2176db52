/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan rules: checks rules files, and makes them from measurements (napcoll_plan_csv.c).
 * explain reads its rules here, too.
 */

#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "plan/napcoll_rules_check.h"
#include "util/napcoll_file.h"

/* A file that is checked, and the number of findings. */
typedef struct {
    const char *path;
    int found[NAPCOLL_RULES_REMARK + 1];
} checked_t;

static bool is_standard_input(const char *path)
{
    return 0 == strcmp(path, "-");
}

/* Read a file; the caller frees the text. */
static char *load(const char *path, size_t *length)
{
    napcoll_rules_error_t error;
    napcoll_file_error_t why;
    FILE *in = is_standard_input(path) ? stdin
                                       : napcoll_file_open(path, NAPCOLL_MOST_RULES_BYTES, &why);
    char *text;
    int rc;

    if (NULL == in) {
        complain("%s: %s", path, why.text);
    }
    rc = napcoll_rules_load(in, &text, length, &error);
    if (stdin != in) {
        (void) fclose(in);
    }
    if (0 != rc) {
        complain("%s: %s", path, error.text);
    }
    return text;
}

/* Print a finding, with its place in the form that editors understand. */
static void print_finding(void *context, napcoll_rules_severity_t severity,
                          const napcoll_rules_error_t *finding)
{
    static const char *const names[] = {"error", "warning", "remark"};
    checked_t *checked = context;

    checked->found[severity]++;
    printf("%s:", checked->path);
    if (finding->line > 0) {
        printf("%d:", finding->line);
    }
    if (finding->column > 0) {
        printf("%d:", finding->column);
    }
    printf(" %s: %s\n", names[severity], finding->text);
}

/* Returns whether a file has no errors and warnings. */
static bool check_file(const char *path)
{
    checked_t checked = {.path = is_standard_input(path) ? "standard input" : path};
    size_t length;
    char *text = load(path, &length);
    const int wrong = napcoll_rules_check(text, length, print_finding, &checked);
    const int *found = checked.found;

    free(text);
    if (wrong < 0) {
        napcoll_out_of_memory();
    }
    printf("%s: %d error%s, %d warning%s, %d remark%s\n", checked.path, found[NAPCOLL_RULES_ERROR],
           plural(found[NAPCOLL_RULES_ERROR]), found[NAPCOLL_RULES_WARNING],
           plural(found[NAPCOLL_RULES_WARNING]), found[NAPCOLL_RULES_REMARK],
           plural(found[NAPCOLL_RULES_REMARK]));
    return 0 == wrong;
}

int rules_check(options_t *o)
{
    bool good = true;

    if (0 == o->operands) {
        complain("rules check: expected a rules file, or - for standard input");
    }
    for (int i = 0; i < o->operands; i++) {
        good = check_file(o->operand[i]) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int rules_make(options_t *o)
{
    if (0 == o->operands) {
        complain("rules from-csv: expected a file that collbench --csv wrote");
    }
    return rules_from_csv(o->operand, o->operands, o->margin, o->fallback, o->output);
}

napcoll_rules_t *read_rules(const char *path)
{
    napcoll_rules_error_t error;
    napcoll_rules_t *read;
    size_t length;
    char *text;

    if (NULL == path) {
        return NULL;
    }
    text = load(path, &length);
    if (0 != napcoll_rules_parse(text, length, &read, &error)) {
        if (0 == error.line) {
            complain("--rules %s: %s", path, error.text);
        }
        complain("--rules %s:%d:%d: %s", path, error.line, error.column, error.text);
    }
    free(text);
    return read;
}
