/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Scans, the leap of scatter, and the models with their numbers; see napcoll_incast.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/napcoll_incast.h"
#include "tune/napcoll_incast_scan.h"
#include "common/napcoll_memory.h"

enum {
    /* Points of a line, and sizes on each side of the leap, at least. */
    LEAST_POINTS = 3,
    /* Neighbouring sizes whose spread gives the noise. */
    NOISE_SIZES = 4
};

/* Behind the leap all times are this share above the small line. */
static const double leap_share = 0.3;

/* The leap is at least this many times its error. */
static const double times_error = 2.0;

/* Most residuals of two lines, relative to the residuals of one. */
static const double two_over_one = 0.7;

const char *napcoll_incast_result_text(napcoll_incast_result_t result)
{
    static const char *const text[] = {
        [NAPCOLL_INCAST_OK] = "fitted",
        [NAPCOLL_INCAST_TOO_FEW] = "too few samples: expected 8 sizes with 5 samples each",
        [NAPCOLL_INCAST_BAD_TIME] = "a time is negative or not a number"};

    return text[result];
}

/* ---- a scan ---- */

static int compare_samples(const void *a, const void *b)
{
    const napcoll_incast_sample_t *x = a, *y = b;

    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes ? -1 : 1;
    }
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Add one size's samples, which are sorted. */
static void add_size(napcoll_incast_scan_t *scan, const napcoll_incast_sample_t *samples,
                     size_t count, size_t *used)
{
    double *seconds = scan->seconds + *used;

    for (size_t i = 0; i < count; i++) {
        seconds[i] = samples[i].seconds;
    }
    scan->size[scan->num_sizes] = (napcoll_incast_size_t){
        .bytes = samples[0].bytes,
        .samples = count,
        .low = napcoll_robust_quantile(seconds, count, 0.25),
        .median = napcoll_robust_quantile(seconds, count, 0.5),
        .high = napcoll_robust_quantile(seconds, count, 0.9)};
    scan->first[scan->num_sizes++] = *used;
    *used += count;
}

static double noise_of(const napcoll_incast_scan_t *scan)
{
    double least = HUGE_VAL;

    for (int from = 0; from + NOISE_SIZES <= scan->num_sizes; from++) {
        double spread[NOISE_SIZES];

        for (int i = 0; i < NOISE_SIZES; i++) {
            spread[i] = scan->size[from + i].high - scan->size[from + i].low;
        }
        least = fmin(least, napcoll_robust_median(spread, NOISE_SIZES));
    }
    return least;
}

static napcoll_incast_result_t fill_scan(const napcoll_incast_sample_t *sorted, size_t count,
                                         napcoll_incast_scan_t *scan)
{
    size_t used = 0;

    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && sorted[to].bytes == sorted[from].bytes; to++) {
            if (!(sorted[to].seconds >= 0) || isinf(sorted[to].seconds)) {
                return NAPCOLL_INCAST_BAD_TIME;
            }
        }
        if (to - from >= NAPCOLL_INCAST_LEAST_SAMPLES) {
            add_size(scan, sorted + from, to - from, &used);
        }
    }
    scan->noise = noise_of(scan);
    return scan->num_sizes < NAPCOLL_INCAST_LEAST_SIZES ? NAPCOLL_INCAST_TOO_FEW
                                                        : NAPCOLL_INCAST_OK;
}

napcoll_incast_result_t napcoll_incast_scan_open(const napcoll_incast_sample_t *samples,
                                                 size_t count, napcoll_incast_scan_t *scan)
{
    napcoll_incast_sample_t *sorted = napcoll_allocate(count, sizeof(*sorted));
    napcoll_incast_result_t result;

    *scan = (napcoll_incast_scan_t){.seconds = napcoll_allocate(count, sizeof(*scan->seconds)),
                                    .size = napcoll_allocate(count, sizeof(*scan->size)),
                                    .first = napcoll_allocate(count, sizeof(*scan->first))};
    if (count > 0) {
        memcpy(sorted, samples, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_samples);
    }
    result = fill_scan(sorted, count, scan);
    free(sorted);
    return result;
}

void napcoll_incast_scan_close(napcoll_incast_scan_t *scan)
{
    free(scan->seconds);
    free(scan->size);
    free(scan->first);
}

/* ---- lines ---- */

napcoll_line_t napcoll_incast_fit(const napcoll_point_t *points, int count, int least)
{
    napcoll_line_t line = {.points = 0};

    if (count >= least && 0 != napcoll_robust_line(points, count, &line)) {
        /* The x differ */
        napcoll_out_of_memory();
    }
    return line;
}

napcoll_line_t napcoll_incast_scan_line(const napcoll_incast_scan_t *scan, int from, int to)
{
    napcoll_point_t *points = napcoll_allocate((size_t) scan->num_sizes, sizeof(*points));
    napcoll_line_t line;

    for (int i = from; i < to; i++) {
        points[i - from] = (napcoll_point_t){(double) scan->size[i].bytes, scan->size[i].median};
    }
    line = napcoll_incast_fit(points, to - from, LEAST_POINTS);
    free(points);
    return line;
}

napcoll_incast_result_t napcoll_incast_line(const napcoll_incast_sample_t *samples, size_t count,
                                            napcoll_line_t *line)
{
    napcoll_incast_scan_t scan;
    napcoll_incast_result_t result = napcoll_incast_scan_open(samples, count, &scan);

    *line = (napcoll_line_t){.points = 0};
    if (NAPCOLL_INCAST_OK == result) {
        *line = napcoll_incast_scan_line(&scan, 0, scan.num_sizes);
    }
    napcoll_incast_scan_close(&scan);
    return result;
}

/* ---- the leap of scatter ---- */

/* Sum of the residuals of the medians of the sizes from `from` to before `to`, each relative to its
 * median. */
static double residuals(const napcoll_incast_scan_t *scan, const napcoll_line_t *line, int from,
                        int to)
{
    double sum = 0;

    for (int i = from; i < to; i++) {
        const double median = scan->size[i].median;
        const double off = fabs(median - napcoll_robust_at(line, (double) scan->size[i].bytes));

        sum += median > 0 ? off / median : 0;
    }
    return sum;
}

/* The first index from `from` on such that all sizes from there on lie above the line; num_sizes
 * for none. */
static int above_from(const napcoll_incast_scan_t *scan, const napcoll_line_t *small, int from)
{
    int first = scan->num_sizes;

    while (first > from) {
        const napcoll_incast_size_t *size = &scan->size[first - 1];
        const double line = napcoll_robust_at(small, (double) size->bytes);

        if (size->median < (1 + leap_share) * line + scan->noise) {
            break;
        }
        first--;
    }
    return first;
}

/* The index of S, or num_sizes where there is none. */
static int find_leap(const napcoll_incast_scan_t *scan, const napcoll_line_t *whole)
{
    const int num = scan->num_sizes;
    double least = two_over_one * residuals(scan, whole, 0, num);
    napcoll_line_t best = {.points = 0};
    int cut = num, at;

    for (int i = LEAST_POINTS; i + LEAST_POINTS <= num; i++) {
        const napcoll_line_t small = napcoll_incast_scan_line(scan, 0, i);
        const napcoll_line_t large = napcoll_incast_scan_line(scan, i, num);
        const double sum = residuals(scan, &small, 0, i) + residuals(scan, &large, i, num);

        if (sum < least && small.slope >= 0) {
            least = sum;
            best = small;
            cut = i;
        }
    }
    at = above_from(scan, &best, cut);
    return at + LEAST_POINTS > num ? num : at;
}

/* At least the error of a line at x: its two errors counter each other. */
static double error_at(const napcoll_line_t *line, double x)
{
    return hypot(line->intercept_error, line->slope_error * x);
}

static void fit_scatter(const napcoll_incast_scan_t *scan, napcoll_incast_scatter_t *scatter)
{
    napcoll_line_t small, large;
    double s, leap, leap_error;
    int at;

    scatter->small = napcoll_incast_scan_line(scan, 0, scan->num_sizes);
    at = find_leap(scan, &scatter->small);
    if (at == scan->num_sizes) {
        return;
    }
    small = napcoll_incast_scan_line(scan, 0, at);
    large = napcoll_incast_scan_line(scan, at, scan->num_sizes);
    s = (double) scan->size[at].bytes;
    leap = napcoll_robust_at(&large, s) - napcoll_robust_at(&small, s);
    leap_error = hypot(error_at(&small, s), error_at(&large, s));
    if (leap > times_error * leap_error) {
        *scatter = (napcoll_incast_scatter_t){.leaps = true,
                                              .s = scan->size[at].bytes,
                                              .below_s = scan->size[at - 1].bytes,
                                              .leap = leap,
                                              .leap_error = leap_error,
                                              .small = small,
                                              .large = large};
    }
}

napcoll_incast_result_t napcoll_incast_scatter(const napcoll_incast_sample_t *samples, size_t count,
                                               napcoll_incast_scatter_t *scatter)
{
    napcoll_incast_scan_t scan;
    const napcoll_incast_result_t result = napcoll_incast_scan_open(samples, count, &scan);

    *scatter = (napcoll_incast_scatter_t){.leaps = false};
    if (NAPCOLL_INCAST_OK == result) {
        fit_scatter(&scan, scatter);
        scatter->size = scan.size;
        scatter->num_sizes = scan.num_sizes;
        scan.size = NULL;
    }
    napcoll_incast_scan_close(&scan);
    return result;
}

void napcoll_incast_scatter_close(napcoll_incast_scatter_t *scatter)
{
    free(scatter->size);
    memset(scatter, 0, sizeof(*scatter));
}

/* ---- models ---- */

/* The root's part of a message's delay or time per byte, where n messages of the root have
 * `all`. */
static double part_of_root(double message, const napcoll_line_t *line, double all, int others)
{
    const double part = others > 1 && line->points > 0 ? (all - message) / (others - 1)
                                                       : message / 2;

    return fmin(fmax(part, 0), message);
}

napcoll_incast_model_t napcoll_incast_model(const napcoll_line_t *message,
                                            const napcoll_incast_gather_t *gather,
                                            const napcoll_incast_scatter_t *scatter, int others)
{
    const double delay = fmax(message->intercept, 0), per_byte = fmax(message->slope, 0);
    napcoll_incast_model_t model = {
        .others = others, .large_from = gather->large_from, .s = scatter->leaps ? scatter->s : 0};

    model.root_delay = part_of_root(delay, &gather->small, gather->small.intercept, others);
    model.root_per_byte = part_of_root(per_byte, &scatter->small, scatter->small.slope, others);
    model.far_delay = delay - model.root_delay;
    model.far_per_byte = per_byte - model.root_per_byte;
    if (gather->small.points > 0) {
        model.kappa1 = gather->small.slope - others * model.root_per_byte - model.far_per_byte;
    }
    if (gather->large.points > 0) {
        model.kappa2 = gather->large.slope - others * (model.root_per_byte + model.far_per_byte);
    }
    return model;
}

/* C_i + t_i M + M / beta_0i: a process other than the root, with its link. */
static double far_end(const napcoll_incast_model_t *model, double bytes)
{
    return model->far_delay + model->far_per_byte * bytes;
}

double napcoll_incast_gather_seconds(const napcoll_incast_model_t *model, double bytes)
{
    const double root = model->others * (model->root_delay + model->root_per_byte * bytes);

    if (model->large_from > 0 && bytes >= (double) model->large_from) {
        return root + model->others * far_end(model, bytes) + model->kappa2 * bytes;
    }
    return root + far_end(model, bytes) + model->kappa1 * bytes;
}

double napcoll_incast_scatter_seconds(const napcoll_incast_model_t *model, double bytes)
{
    const double root = model->root_delay + model->others * model->root_per_byte * bytes;

    if (model->s > 0 && bytes >= (double) model->s) {
        return root + model->others * far_end(model, bytes);
    }
    return root + far_end(model, bytes);
}

/* ---- measuring more ---- */

size_t napcoll_incast_between(size_t below, size_t above)
{
    enum { UNIT = 64 };
    const double near = 1.125;
    size_t middle;

    if (0 == below || (double) above <= near * (double) below) {
        return 0;
    }
    middle = (size_t) sqrt((double) below * (double) above);
    if (middle / UNIT * UNIT > below) {
        middle = middle / UNIT * UNIT;
    }
    return middle > below && middle < above ? middle : 0;
}
