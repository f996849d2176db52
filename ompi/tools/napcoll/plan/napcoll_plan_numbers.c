/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Numbers, ranges and files in the arguments of napcoll-plan, and the message that ends it where
 * one is wrong.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_output.h"
#include "common/napcoll_provenance.h"
#include "napcoll_plan_tool.h"

void complain(const char *format, ...)
{
    va_list args;

    fputs("napcoll-plan: ", stderr);
    va_start(args, format);
    (void) vfprintf(stderr, format, args);
    va_end(args);
    fputs("; see napcoll-plan --help\n", stderr);
    exit(EXIT_USAGE);
}

/* ---- numbers ---- */

int read_number(const char *option, const char *text, int least, int most)
{
    int value;

    if (!napcoll_read_int(text, least, most, &value)) {
        complain("--%s %s: expected a number from %d to %d", option, text, least, most);
    }
    return value;
}

void read_range(const char *option, const char *text, int value, range_t kind, int least, int most,
                values_t *values)
{
    const bool doubles = RANGE_DOUBLES == kind;
    const napcoll_series_t series = {.least = (size_t) least,
                                     .most = (size_t) most,
                                     .factor = doubles ? 2 : 1,
                                     .step = doubles ? 0 : 1,
                                     .list = true};
    size_t read[MOST_VALUES];

    if (NULL == text) {
        *values = (values_t){.value = {value}, .count = 1};
        return;
    }
    values->count = napcoll_read_series(text, &series, read, MOST_VALUES);
    if (0 == values->count) {
        complain("--%s %s: expected a number from %d to %d, a range FROM:TO (which %s), "
                 "FROM:TO:xFACTOR or FROM:TO:+STEP, or a list; " NAPCOLL_SUFFIXES,
                 option, text, least, most, doubles ? "doubles" : "takes each number");
    }
    if (values->count > MOST_VALUES) {
        complain("--%s %s: expected at most %d values; use a larger step", option, text,
                 MOST_VALUES);
    }
    for (int i = 0; i < values->count; i++) {
        values->value[i] = (int) read[i];
        if (i > 0 && read[i] <= read[i - 1]) {
            complain("--%s %s: expected values in rising order", option, text);
        }
    }
}

/* ---- files ---- */

static int say_unwritable(const char *option, const char *path, int error, int status)
{
    char name[16], text[512];

    (void) snprintf(name, sizeof(name), "--%s", option);
    napcoll_output_explain(text, sizeof(text), name, path, error);
    fprintf(stderr, "napcoll-plan: %s\n", text);
    return status;
}

FILE *open_output(const char *option, const char *path)
{
    FILE *out = stdout;
    int error = 0;

    if (NULL != path && 0 != strcmp(path, "-")) {
        error = napcoll_output_open(path, &out);
    }
    if (0 != error) {
        exit(say_unwritable(option, path, error, EXIT_USAGE));
    }
    return out;
}

int close_output(const char *option, const char *path, FILE *out)
{
    const int error = NULL == out || stdout == out ? 0 : napcoll_output_close(out, 0);

    return 0 == error ? EXIT_SUCCESS : say_unwritable(option, path, error, EXIT_FAILURE);
}

FILE *open_csv(const options_t *o, const char *origin, const char *columns)
{
    FILE *csv = NULL == o->csv ? NULL : open_output("csv", o->csv);

    if (NULL != csv) {
        napcoll_provenance_print(csv, o->argc, o->argv, origin);
        fprintf(csv, "%s\n", columns);
    }
    return csv;
}

void put_ppn(const options_t *o, FILE *csv)
{
    fprintf(csv, NULL == strchr(o->ppn, ',') ? "%s" : "\"%s\"", o->ppn);
}
