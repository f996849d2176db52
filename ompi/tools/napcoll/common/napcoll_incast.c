/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the fits of gather and scatter have in common, and the models with their numbers; see
 * napcoll_incast.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_incast.h"
#include "common/napcoll_incast_scan.h"

/* A line through fewer sizes than this says nothing. */
enum { LEAST_POINTS = 3 };

/* The noise is that of the quietest stretch of so many sizes. */
enum { STRETCH = 4 };

const char *napcoll_incast_result_text(napcoll_incast_result_t result)
{
    switch (result) {
    case NAPCOLL_INCAST_OK:
        return "fitted";
    case NAPCOLL_INCAST_TOO_FEW:
        return "too few samples: it takes 8 sizes with 5 samples each";
    case NAPCOLL_INCAST_BAD_TIME:
        return "a time is negative or not a number";
    case NAPCOLL_INCAST_NO_MEMORY:
        break;
    }
    return "no memory";
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

/* Take one size's samples, which are sorted, into the scan. */
static void add_size(napcoll_incast_scan_t *scan, const napcoll_incast_sample_t *samples,
                     size_t count, size_t *used)
{
    napcoll_incast_size_t *size = &scan->size[scan->num_sizes];
    double *seconds = scan->seconds + *used;

    for (size_t i = 0; i < count; i++) {
        seconds[i] = samples[i].seconds;
    }
    *size = (napcoll_incast_size_t){.bytes = samples[0].bytes,
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

    for (int from = 0; from + STRETCH <= scan->num_sizes; from++) {
        double spread[STRETCH], middle;

        for (int i = 0; i < STRETCH; i++) {
            spread[i] = scan->size[from + i].high - scan->size[from + i].low;
        }
        napcoll_robust_sort(spread, STRETCH);
        middle = napcoll_robust_quantile(spread, STRETCH, 0.5);
        least = middle < least ? middle : least;
    }
    return least;
}

static napcoll_incast_result_t fill_scan(napcoll_incast_sample_t *sorted, size_t count,
                                         napcoll_incast_scan_t *scan)
{
    size_t used = 0;

    qsort(sorted, count, sizeof(*sorted), compare_samples);
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
    if (scan->num_sizes < NAPCOLL_INCAST_LEAST_SIZES) {
        return NAPCOLL_INCAST_TOO_FEW;
    }
    scan->noise = noise_of(scan);
    return NAPCOLL_INCAST_OK;
}

napcoll_incast_result_t napcoll_incast_scan_open(const napcoll_incast_sample_t *samples,
                                                 size_t count, napcoll_incast_scan_t *scan)
{
    const size_t most = count / NAPCOLL_INCAST_LEAST_SAMPLES;
    napcoll_incast_result_t result = NAPCOLL_INCAST_NO_MEMORY;
    napcoll_incast_sample_t *sorted;

    memset(scan, 0, sizeof(*scan));
    if (most < NAPCOLL_INCAST_LEAST_SIZES) {
        return NAPCOLL_INCAST_TOO_FEW;
    }
    sorted = malloc(count * sizeof(*sorted));
    scan->seconds = malloc(count * sizeof(*scan->seconds));
    scan->size = malloc(most * sizeof(*scan->size));
    scan->first = malloc(most * sizeof(*scan->first));
    if (NULL != sorted && NULL != scan->seconds && NULL != scan->size && NULL != scan->first) {
        memcpy(sorted, samples, count * sizeof(*sorted));
        result = fill_scan(sorted, count, scan);
    }
    free(sorted);
    return result;
}

void napcoll_incast_scan_close(napcoll_incast_scan_t *scan)
{
    free(scan->seconds);
    free(scan->size);
    free(scan->first);
    memset(scan, 0, sizeof(*scan));
}

napcoll_incast_result_t napcoll_incast_scan_line(const napcoll_incast_scan_t *scan, const bool *use,
                                                 int from, int to, napcoll_incast_which_t which,
                                                 napcoll_line_t *line)
{
    napcoll_incast_result_t result = NAPCOLL_INCAST_OK;
    napcoll_point_t *points = malloc((size_t) scan->num_sizes * sizeof(*points));
    int count = 0;

    memset(line, 0, sizeof(*line));
    if (NULL == points) {
        return NAPCOLL_INCAST_NO_MEMORY;
    }
    for (int i = from; i < to; i++) {
        if (NULL == use || use[i]) {
            const napcoll_incast_size_t *size = &scan->size[i];

            points[count].x = (double) size->bytes;
            points[count++].y = NAPCOLL_INCAST_LOW == which ? size->low : size->median;
        }
    }
    if (count >= LEAST_POINTS && 0 != napcoll_robust_line(points, count, line)) {
        result = NAPCOLL_INCAST_NO_MEMORY; /* the sizes differ */
    }
    free(points);
    return result;
}

napcoll_incast_result_t napcoll_incast_line(const napcoll_incast_sample_t *samples, size_t count,
                                            napcoll_line_t *line)
{
    napcoll_incast_scan_t scan;
    napcoll_incast_result_t result = napcoll_incast_scan_open(samples, count, &scan);

    memset(line, 0, sizeof(*line));
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_scan_line(&scan, NULL, 0, scan.num_sizes, NAPCOLL_INCAST_MEDIAN,
                                          line);
    }
    napcoll_incast_scan_close(&scan);
    return result;
}

/* ---- models ---- */

/* The root's part of what a message has, where n messages of the root's have `all`. */
static double part_of_root(double message, const napcoll_line_t *line, double all, int others)
{
    const double part = others > 1 && line->points > 0 ? (all - message) / (others - 1)
                                                       : message / 2;

    return part < 0 ? 0 : (part > message ? message : part);
}

napcoll_incast_model_t napcoll_incast_model(const napcoll_line_t *message,
                                            const napcoll_incast_gather_t *gather,
                                            const napcoll_incast_scatter_t *scatter, int others)
{
    const double delay = message->intercept > 0 ? message->intercept : 0;
    const double per_byte = message->slope > 0 ? message->slope : 0;
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

/* C_i + t_i M + M / beta_0i: what a processor other than the root does, and the link to it. */
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
