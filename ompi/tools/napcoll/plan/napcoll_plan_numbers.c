/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Numbers, ranges and files in the arguments of napcoll-plan, and the message that ends it where
 * one is wrong.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_output.h"
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
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || '\0' != *end || 0 != errno || value < least || value > most) {
        complain("--%s %s: expected a number from %d to %d", option, text, least, most);
    }
    return (int) value;
}

/* Read a number with an optional K, M or G and move *at behind it; -1 where there is none or it is
 * out of range. */
static long long scaled(const char **at, int least, int most)
{
    static const char units[] = "KMG";
    const char *unit;
    char *end;
    long long value;

    if (**at < '0' || **at > '9') {
        return -1;
    }
    errno = 0;
    value = strtoll(*at, &end, 10);
    if (0 != errno || value > most) {
        return -1;
    }
    unit = '\0' == *end ? NULL : strchr(units, *end);
    if (NULL != unit) {
        value <<= 10 * (unit - units + 1);
        end++;
    }
    *at = end;
    return value >= least && value <= most ? value : -1;
}

/* A range: value after value is times factor plus step. */
typedef struct {
    long long from, to, factor, step;
} series_t;

/* Returns whether the text is a range. */
static bool parse_range(const char *at, int least, int most, series_t *s)
{
    s->from = s->to = scaled(&at, least, most);
    if (s->from >= 0 && ':' == *at) {
        at++;
        s->to = scaled(&at, least, most);
    }
    if (s->from < 0 || s->to < s->from) {
        return false;
    }
    if (s->to != s->from && ':' == *at && ('x' == at[1] || '+' == at[1])) {
        const bool times = 'x' == at[1];
        long long number;

        at += 2;
        number = scaled(&at, times ? 2 : 1, most);
        s->factor = times ? number : 1;
        s->step = times ? 0 : number;
        if (number < 0) {
            return false;
        }
    }
    return '\0' == *at && (s->from > 0 || s->from == s->to || s->step > 0);
}

void read_range(const char *option, const char *text, int value, range_t kind, int least, int most,
                values_t *values)
{
    const bool doubles = RANGE_DOUBLES == kind;
    series_t s = {.factor = 1 + doubles, .step = !doubles};

    if (NULL == text) {
        *values = (values_t){.value = {value}, .count = 1};
        return;
    }
    if (!parse_range(text, least, most, &s)) {
        complain("--%s %s: expected a number from %d to %d, a range FROM:TO of such, which %s, "
                 "or FROM:TO:xFACTOR or FROM:TO:+STEP",
                 option, text, least, most, doubles ? "doubles" : "takes each number");
    }
    values->count = 0;
    do {
        if (MOST_VALUES == values->count) {
            complain("--%s %s: expected at most %d values; use a larger step", option, text,
                     MOST_VALUES);
        }
        values->value[values->count++] = (int) s.from;
        s.from = s.from * s.factor + s.step;
    } while (s.from > 0 && s.from <= s.to);
}

/* ---- files ---- */

FILE *open_output(const char *option, const char *path)
{
    FILE *out = stdout;
    int error = 0;

    if (NULL != path && 0 != strcmp(path, "-")) {
        error = napcoll_output_open(path, NAPCOLL_OUTPUT_WHOLE, &out);
    }
    if (0 != error) {
        complain("--%s %s: cannot be written (%s)", option, path, strerror(error));
    }
    return out;
}

int close_output(const char *option, const char *path, FILE *out)
{
    if (NULL == out || stdout == out || 0 == napcoll_output_close(out, 0)) {
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "napcoll-plan: --%s %s: could not be written\n", option, path);
    return EXIT_FAILURE;
}

FILE *open_csv(const options_t *o, const char *columns)
{
    FILE *csv = NULL == o->csv ? NULL : open_output("csv", o->csv);

    if (NULL != csv) {
        fprintf(csv, "%s\n", columns);
    }
    return csv;
}

void put_ppn(const options_t *o, FILE *csv)
{
    fprintf(csv, NULL == strchr(o->ppn, ',') ? "%s" : "\"%s\"", o->ppn);
}
