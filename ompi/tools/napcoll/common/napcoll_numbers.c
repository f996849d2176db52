/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Numbers as users type them; see napcoll_numbers.h.
 */

#include "common/napcoll_numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole numbers ---- */

bool napcoll_take_number(const char **text, size_t most, size_t *number)
{
    unsigned long long value;
    char *end;

    /* strtoull would take blanks and a sign */
    if (!isdigit((unsigned char) **text)) {
        return false;
    }
    errno = 0;
    value = strtoull(*text, &end, 10);
    if (0 != errno || value > most) {
        return false;
    }
    *number = (size_t) value;
    *text = end;
    return true;
}

bool napcoll_take_size(const char **text, size_t most, size_t *size)
{
    static const char suffixes[] = "KMG";
    const char *end = *text, *suffix;
    size_t value;
    int shift;

    if (!napcoll_take_number(&end, most, &value)) {
        return false;
    }
    suffix = '\0' == *end ? NULL : strchr(suffixes, toupper((unsigned char) *end));
    if (NULL != suffix) {
        shift = 10 * (int) (suffix - suffixes + 1);
        if (value > most >> shift) {
            return false;
        }
        value <<= shift;
        end++;
    }
    *size = value;
    *text = end;
    return true;
}

bool napcoll_read_int(const char *text, int least, int most, int *number)
{
    size_t value;

    if (!napcoll_take_number(&text, (size_t) most, &value) || '\0' != *text
        || (int) value < least) {
        return false;
    }
    *number = (int) value;
    return true;
}

bool napcoll_read_size(const char *text, size_t least, size_t most, size_t *size)
{
    size_t value;

    if (!napcoll_take_size(&text, most, &value) || '\0' != *text || value < least) {
        return false;
    }
    *size = value;
    return true;
}

/* ---- real numbers ---- */

/* Read a number that strtod knows, from 0 on: no blanks, no "inf" or "nan", no hexadecimal digits.
 */
static bool take_real(const char **text, double *number)
{
    const size_t length = strspn(*text, "0123456789.eE+-");
    char *end;

    if ('-' == **text || '+' == **text) {
        return false;
    }
    *number = strtod(*text, &end);
    if (end == *text || end > *text + length || !isfinite(*number)) {
        return false;
    }
    *text = end;
    return true;
}

bool napcoll_read_real(const char *text, double least, double most, double *number)
{
    double value;

    if (!take_real(&text, &value) || '\0' != *text || value < least || value > most) {
        return false;
    }
    *number = value;
    return true;
}

bool napcoll_read_time(const char *text, double least, double most, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    double value;

    if (!take_real(&text, &value)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        const double scaled = value * units[i].seconds;

        if (0 == strcmp(text, units[i].name) && scaled >= least && scaled <= most) {
            *seconds = scaled;
            return true;
        }
    }
    return false;
}

/* ---- ranges and lists ---- */

typedef struct {
    size_t from, to, factor, step;
} range_t;

/* The part of a range behind its second colon: xFACTOR, FACTOR or +STEP. */
static bool take_steps(const char **text, const napcoll_series_t *series, range_t *range)
{
    const bool adds = '+' == **text;
    size_t number;

    *text += adds || 'x' == **text;
    if (!napcoll_take_size(text, series->most, &number) || number < (adds ? 1 : 2)) {
        return false;
    }
    range->factor = adds ? 1 : number;
    range->step = adds ? number : 0;
    return true;
}

static bool take_range(const char **text, const napcoll_series_t *series, range_t *range)
{
    *range = (range_t){.factor = series->factor, .step = series->step};
    if (!napcoll_take_size(text, series->most, &range->from) || range->from < series->least) {
        return false;
    }
    range->to = range->from;
    if (':' != **text) {
        return true;
    }
    ++*text;
    if (!napcoll_take_size(text, series->most, &range->to) || range->to < range->from) {
        return false;
    }
    if (':' == **text) {
        ++*text;
        if (!take_steps(text, series, range)) {
            return false;
        }
    }
    /* 0 times a factor stays 0 */
    return range->from > 0 || range->from == range->to || range->step > 0;
}

/* Move a value of a range to the next one; false: it is the last. */
static bool go_on(const range_t *range, bool ends_with_to, size_t *value)
{
    const bool beyond = range->step > range->to
                        || *value > (range->to - range->step) / range->factor;

    if (*value == range->to || (beyond && !ends_with_to)) {
        return false;
    }
    *value = beyond ? range->to : *value * range->factor + range->step;
    return true;
}

int napcoll_read_series(const char *text, const napcoll_series_t *series, size_t *value, int room)
{
    int count = 0;

    for (;; text++) {
        range_t range;
        size_t at;

        if (!take_range(&text, series, &range)) {
            return 0;
        }
        at = range.from;
        do {
            if (room == count) {
                return room + 1;
            }
            value[count++] = at;
        } while (go_on(&range, series->ends_with_to, &at));
        if ('\0' == *text) {
            return count;
        }
        if (',' != *text || !series->list) {
            return 0;
        }
    }
}
