/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where the commands of napcoll-plan write to: what --output and --csv name.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"

FILE *open_output(const options_t *o)
{
    FILE *out = NULL == o->output ? stdout : fopen(o->output, "w");

    if (NULL == out) {
        complain("--output %s: cannot be written (%s)", o->output, strerror(errno));
    }
    return out;
}

int close_output(const options_t *o, FILE *out)
{
    bool failed = 0 != fflush(out) || ferror(out);

    if (stdout != out) {
        failed = 0 != fclose(out) || failed;
    }
    if (failed) {
        fprintf(stderr, "napcoll-plan: %s: could not be written\n",
                NULL == o->output ? "standard output" : o->output);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

FILE *open_csv(const options_t *o, const char *columns)
{
    FILE *csv = NULL == o->csv ? NULL : 0 == strcmp(o->csv, "-") ? stdout : fopen(o->csv, "w");

    if (NULL != o->csv && NULL == csv) {
        complain("--csv %s: cannot be written (%s)", o->csv, strerror(errno));
    }
    if (NULL != csv) {
        fprintf(csv, "%s\n", columns);
    }
    return csv;
}

int close_csv(const options_t *o, FILE *csv)
{
    int failed;

    if (NULL == csv || stdout == csv) {
        return 0;
    }
    failed = ferror(csv);
    if (0 != fclose(csv) || 0 != failed) {
        fprintf(stderr, "napcoll-plan: --csv %s: could not be written\n", o->csv);
        return -1;
    }
    return 0;
}
