/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Numbers and ranges in the arguments of napcoll-plan, and the sentence that ends it where one is wrong.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

void out_of_memory(void)
{
    fputs("napcoll-plan: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

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

/* A number with an optional K, M or G from *at on, which is moved behind it; -1 where there is none or
 * it is out of range. */
static long long scaled(const char **at, int least, int most)
{
    static const char units[] = "KMG";
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
    for (int i = 0; '\0' != *end && i < 3; i++) {
        if (*end == units[i]) {
            value <<= 10 * (i + 1);
            end++;
            break;
        }
    }
    *at = end;
    return value >= least && value <= most ? value : -1;
}

int read_size(const char *option, const char *text, int value, int least, int most)
{
    const char *at = text;
    long long size = NULL == text ? value : scaled(&at, least, most);

    if (size < 0 || (NULL != at && '\0' != *at)) {
        complain("--%s %s: expected a number from %d to %d", option, text, least, most);
    }
    return (int) size;
}

void read_range(const char *option, const char *text, int value, range_t kind, int least, int most,
                values_t *values)
{
    const char *at = text;
    long long from, to, factor = RANGE_DOUBLES == kind ? 2 : 1,
                        step = RANGE_DOUBLES == kind ? 0 : 1;
    bool good;

    if (NULL == text) {
        *values = (values_t){.value = {value}, .count = 1};
        return;
    }
    from = to = scaled(&at, least, most);
    good = from >= 0;
    if (good && ':' == *at) {
        at++;
        to = scaled(&at, least, most);
        good = to >= from;
    }
    if (good && ':' == *at && to != from && ('x' == at[1] || '+' == at[1])) {
        bool times = 'x' == at[1];

        at += 2;
        step = scaled(&at, times ? 2 : 1, most);
        good = step > 0;
        factor = times ? step : 1;
        step = times ? 0 : step;
    }
    if (!good || '\0' != *at || (0 == from && from != to && 0 == step)) {
        complain("--%s %s: expected a number from %d to %d, a range FROM:TO of such, which %s, "
                 "or FROM:TO:xFACTOR or FROM:TO:+STEP",
                 option, text, least, most,
                 RANGE_DOUBLES == kind ? "doubles" : "takes each number");
    }
    for (values->count = 0; from <= to; from = from * factor + step) {
        if (MOST_VALUES == values->count) {
            complain("--%s %s: expected at most %d values; use a larger step", option, text,
                     MOST_VALUES);
        }
        values->value[values->count++] = (int) from;
        if (0 == from && 0 == step) {
            break;
        }
    }
}
