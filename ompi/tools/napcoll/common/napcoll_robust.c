/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Robust statistics; see napcoll_robust.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_robust.h"
#include "util/napcoll_order.h"

/* Of a normal distribution: the standard deviation over the median absolute deviation. */
static const double deviations_per_mad = 1.4826;

void napcoll_robust_sort(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), napcoll_order_doubles);
}

double napcoll_robust_quantile(const double *sorted, size_t count, double share)
{
    const double place = share * (double) (count - 1);
    const size_t below = (size_t) place;

    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double) below) * (sorted[below + 1] - sorted[below]);
}

double napcoll_robust_median(double *values, size_t count)
{
    napcoll_robust_sort(values, count);
    return napcoll_robust_quantile(values, count, 0.5);
}

double napcoll_robust_middle(double *values, size_t count, double *deviation)
{
    const double median = napcoll_robust_median(values, count);

    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - median);
    }
    *deviation = deviations_per_mad * napcoll_robust_median(values, count);
    return median;
}

double napcoll_robust_at(const napcoll_line_t *line, double x)
{
    return line->intercept + line->slope * x;
}

/* The slope between two points, and their distance. */
struct slope {
    double value;
    double weight;
};

static int compare_slopes(const void *a, const void *b)
{
    return napcoll_order_doubles(&((const struct slope *) a)->value,
                                 &((const struct slope *) b)->value);
}

/* The slope at half of the weight; between two slopes if it is met exactly. */
static double weighted_median(struct slope *slopes, size_t count)
{
    double total = 0, passed = 0;

    qsort(slopes, count, sizeof(*slopes), compare_slopes);
    for (size_t i = 0; i < count; i++) {
        total += slopes[i].weight;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        passed += slopes[i].weight;
        if (passed > total / 2) {
            return slopes[i].value;
        }
        if (passed >= total / 2) {
            return (slopes[i].value + slopes[i + 1].value) / 2;
        }
    }
    return slopes[count - 1].value;
}

/* The median of unsorted values; below 0 where memory ran out. */
static double median_of_copy(const double *values, int count)
{
    double *copy = malloc((size_t) count * sizeof(*copy)), median = -1;

    if (NULL != copy) {
        memcpy(copy, values, (size_t) count * sizeof(*copy));
        median = napcoll_robust_median(copy, (size_t) count);
    }
    free(copy);
    return median;
}

/* The chance that one of two equal things is longer in `last` turns or more. */
static double chance_of(int last, int turns)
{
    /* in all turns */
    double chance = pow(0.5, turns), sum = 0;

    for (int k = turns; k >= last; k--) {
        sum += chance;
        chance *= (double) k / (turns - k + 1);
    }
    return sum;
}

bool napcoll_robust_mostly(int count, int turns)
{
    const double significance = 0.05;

    return turns >= NAPCOLL_ROBUST_LEAST_TURNS && chance_of(count, turns) <= significance;
}

bool napcoll_robust_longer(const double *one, const double *other, int turns, double share)
{
    int longer = 0;
    double median;

    if (turns < NAPCOLL_ROBUST_LEAST_TURNS) {
        return false;
    }
    for (int i = 0; i < turns; i++) {
        longer += one[i] > other[i];
    }
    median = median_of_copy(other, turns);
    return napcoll_robust_mostly(longer, turns) && median >= 0
           && median_of_copy(one, turns) > (1 + share) * median;
}

/* The slopes between all points with different x. Returns how many. */
static size_t slopes_of(const napcoll_point_t *points, int count, struct slope *slopes)
{
    size_t found = 0;

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            const double apart = points[i].x - points[j].x;

            if (apart < 0 || apart > 0) {
                slopes[found].value = (points[i].y - points[j].y) / apart;
                slopes[found++].weight = fabs(apart);
            }
        }
    }
    return found;
}

/* The standard errors of least squares, with a robust deviation of the residuals (scratch). */
static void set_errors(const napcoll_point_t *points, int count, napcoll_line_t *line,
                       double *residuals)
{
    const double n = count;
    double mean = 0, squares = 0, deviation;

    for (int i = 0; i < count; i++) {
        residuals[i] = fabs(points[i].y - napcoll_robust_at(line, points[i].x));
        mean += points[i].x / n;
    }
    for (int i = 0; i < count; i++) {
        squares += (points[i].x - mean) * (points[i].x - mean);
    }
    deviation = deviations_per_mad * napcoll_robust_median(residuals, (size_t) count);
    line->slope_error = deviation / sqrt(squares);
    line->intercept_error = deviation * sqrt(1 / n + mean * mean / squares);
}

int napcoll_robust_line(const napcoll_point_t *points, int count, napcoll_line_t *line)
{
    const size_t number = count > 0 ? (size_t) count : 0;
    struct slope *slopes = NULL;
    double *residuals = NULL;
    size_t found = 0;

    memset(line, 0, sizeof(*line));
    if (number < 2) {
        return -1;
    }
    slopes = malloc(number * (number - 1) / 2 * sizeof(*slopes));
    residuals = malloc(number * sizeof(*residuals));
    if (NULL != slopes && NULL != residuals) {
        found = slopes_of(points, count, slopes);
    }
    if (found > 0) {
        line->slope = weighted_median(slopes, found);
        for (int i = 0; i < count; i++) {
            residuals[i] = points[i].y - line->slope * points[i].x;
        }
        line->intercept = napcoll_robust_median(residuals, number);
        set_errors(points, count, line, residuals);
        line->points = count;
    }
    free(slopes);
    free(residuals);
    return found > 0 ? 0 : -1;
}
