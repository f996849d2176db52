/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The axes of pictures; see napcoll_plot_axis.h.
 */

#include <math.h>
#include <string.h>

#include "common/napcoll_gnuplot.h"
#include "common/napcoll_plot_axis.h"

enum { MOST_TICS = 9 };

typedef struct {
    double least, most;
} range_t;

void napcoll_extent_add(napcoll_extent_t *extent, double value)
{
    int at = 0;

    extent->least = fmin(extent->least, value);
    extent->most = fmax(extent->most, value);
    while (at < extent->values && extent->value[at] < value) {
        at++;
    }
    if ((at < extent->values && extent->value[at] <= value)
        || NAPCOLL_EXTENT_VALUES == extent->values) {
        return;
    }
    memmove(&extent->value[at + 1], &extent->value[at],
            (size_t) (extent->values - at) * sizeof(extent->value[0]));
    extent->value[at] = value;
    extent->values++;
}

void napcoll_axis_put(FILE *out, napcoll_axis_unit_t unit, double value)
{
    static const char *const bytes[] = {"B", "KiB", "MiB", "GiB"};
    static const char *const times[] = {"ns", "\302\265s", "ms", "s"};
    enum { UNITS = 4 };
    const double factor = NAPCOLL_AXIS_BYTES == unit ? 1024 : 1000;
    const char *const *name = NAPCOLL_AXIS_BYTES == unit ? bytes : times;
    int at = 0;

    if (NAPCOLL_AXIS_NUMBER == unit) {
        fprintf(out, "'%.0f'", value);
        return;
    }
    if (NAPCOLL_AXIS_RATIO == unit) {
        fprintf(out, "'%.4g'", value);
        return;
    }
    value *= NAPCOLL_AXIS_TIME == unit ? 1000 : 1;
    /* 1000 us that lack a rounding error are 1 ms */
    while (at + 1 < UNITS && value >= factor * (1 - 1e-9)) {
        value /= factor;
        at++;
    }
    fprintf(out, "'%.4g %s'", value, name[at]);
}

static void put_tic(FILE *out, napcoll_axis_unit_t unit, double value, int *tics)
{
    fputs(0 == *tics ? " (" : ", ", out);
    napcoll_axis_put(out, unit, value);
    fprintf(out, " %.9g", value);
    (*tics)++;
}

/* Tics at every step-th power of two. */
static void put_powers(FILE *out, napcoll_axis_unit_t unit, const napcoll_extent_t *extent,
                       int *tics)
{
    const int first = (int) ceil(log2(extent->least) - 1e-9);
    const int last = (int) floor(log2(extent->most) + 1e-9);
    const int step = 1 + (last - first) / MOST_TICS;

    for (int power = first; power <= last; power += step) {
        put_tic(out, unit, ldexp(1, power), tics);
    }
}

/* How many tics of the form digit * 10^n lie in a range, in every decades-th decade; digits: as in
 * "125". Puts them, unless out is NULL. */
static int put_decimals(FILE *out, napcoll_axis_unit_t unit, const char *digits, int decades,
                        const range_t *range)
{
    int tics = 0;

    for (int power = (int) floor(log10(range->least)); power <= log10(range->most);
         power += decades) {
        for (const char *digit = digits; '\0' != *digit; digit++) {
            const double value = (*digit - '0') * pow(10, power);

            if (value >= range->least && value <= range->most && NULL != out) {
                put_tic(out, unit, value, &tics);
            } else if (value >= range->least && value <= range->most) {
                tics++;
            }
        }
    }
    return tics;
}

enum { ENOUGH_TICS = 4 };

/* Tics of a narrow range: multiples of the largest step of the form 1, 2 or 5 times 10^n that has
 * enough of them. */
static void put_multiples(FILE *out, napcoll_axis_unit_t unit, const range_t *range, int *tics)
{
    static const double digit[] = {1, 0.5, 0.2};
    const double decade = pow(10, ceil(log10(range->most - range->least)));
    double step = decade;

    for (int i = 0; floor(range->most / step) - ceil(range->least / step) + 1 < ENOUGH_TICS; i++) {
        step = decade * digit[i % 3] * pow(10, -(i / 3));
    }
    for (double n = ceil(range->least / step); n <= floor(range->most / step); n++) {
        put_tic(out, unit, n * step, tics);
    }
}

/* Tics of times and ratios: decades, or fractions of them where these are few. */
static void put_times(FILE *out, napcoll_axis_unit_t unit, const range_t *range, int *tics)
{
    const int decades = 1 + (int) (log10(range->most / range->least) / MOST_TICS);

    if (put_decimals(NULL, unit, "1", decades, range) >= ENOUGH_TICS) {
        *tics = put_decimals(out, unit, "1", decades, range);
    } else if (put_decimals(NULL, unit, "125", 1, range) >= ENOUGH_TICS) {
        *tics = put_decimals(out, unit, "125", 1, range);
    } else {
        put_multiples(out, unit, range, tics);
    }
}

/* Leave some room at both ends; a single value gets a range around it. */
static void widen(range_t *range)
{
    const double room = range->most > range->least ? pow(range->most / range->least, 0.04) : 2;

    range->least /= room;
    range->most *= room;
}

/* A tic at each value, but the labels of two need some room. */
static void put_values(FILE *out, napcoll_axis_unit_t unit, const napcoll_extent_t *extent,
                       int *tics)
{
    const double room = pow(extent->most / extent->least, 0.09);
    double last = 0;

    for (int i = 0; i < extent->values; i++) {
        if (extent->value[i] >= last * room) {
            last = extent->value[i];
            put_tic(out, unit, last, tics);
        }
    }
}

void napcoll_axis_write(FILE *out, char name, const napcoll_axis_t *axis,
                        const napcoll_extent_t *extent)
{
    range_t wide = {extent->least, extent->most};
    int tics = 0;

    widen(&wide);
    fprintf(out, "set %clabel ", name);
    napcoll_gnuplot_quote(out, axis->label);
    fprintf(out, " noenhanced\nset logscale %c\nset %ctics", name, name);
    if (NAPCOLL_AXIS_TIME == axis->unit || NAPCOLL_AXIS_RATIO == axis->unit) {
        put_times(out, axis->unit, &wide, &tics);
    } else if (extent->values <= MOST_TICS) {
        put_values(out, axis->unit, extent, &tics);
    } else {
        put_powers(out, axis->unit, extent, &tics);
    }
    fprintf(out, ")\nset %crange [%.9g:%.9g]\n", name, wide.least, wide.most);
}
