/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where the commands of napcoll-plan write to: what --output and --csv name.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "common/napcoll_output.h"

FILE *open_output(const options_t *o)
{
    FILE *out = stdout;
    const int error = NULL == o->output
                          ? 0
                          : napcoll_output_open(o->output, NAPCOLL_OUTPUT_WHOLE, &out);

    if (0 != error) {
        complain("--output %s: cannot be written (%s)", o->output, strerror(error));
    }
    return out;
}

int close_output(const options_t *o, FILE *out)
{
    const bool failed = stdout == out ? 0 != fflush(out) || ferror(out)
                                      : 0 != napcoll_output_close(out, 0);

    if (failed) {
        fprintf(stderr, "napcoll-plan: %s: could not be written\n",
                NULL == o->output ? "standard output" : o->output);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

FILE *open_csv(const options_t *o, const char *columns)
{
    FILE *csv = stdout;
    int error = 0;

    if (NULL == o->csv) {
        return NULL;
    }
    if (0 != strcmp(o->csv, "-")) {
        error = napcoll_output_open(o->csv, NAPCOLL_OUTPUT_WHOLE, &csv);
    }
    if (0 != error) {
        complain("--csv %s: cannot be written (%s)", o->csv, strerror(error));
    }
    fprintf(csv, "%s\n", columns);
    return csv;
}

int close_csv(const options_t *o, FILE *csv)
{
    if (NULL == csv || stdout == csv) {
        return 0;
    }
    if (0 != napcoll_output_close(csv, 0)) {
        fprintf(stderr, "napcoll-plan: --csv %s: could not be written\n", o->csv);
        return -1;
    }
    return 0;
}
