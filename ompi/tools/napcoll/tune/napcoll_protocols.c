/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Protocols found in half round trips; see napcoll_protocols.h.
 */

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "tune/napcoll_protocols.h"

enum {
    LEAST = NAPCOLL_PROTOCOLS_LEAST_SIZES,
    /* Points of a line once the protocols are known. */
    FEWEST = 3
};

/* Residuals of a further part, relative to those without it; mean residual that needs no further
 * part. */
static const double gain = 0.6, fine = 0.01;

/* The least beginning of a line, relative to the one before. */
static const double least_share = 0.5;

/* The most residual of a point, relative to the point: a single wrong one is no reason for another
 * line. */
static const double most_off = 0.5;

static napcoll_line_t fit_line(const napcoll_point_t *points, int count)
{
    napcoll_line_t line;

    if (0 != napcoll_robust_line(points, count, &line)) {
        napcoll_out_of_memory();
    }
    return line;
}

/* ---- changes ---- */

/* Sum of the relative residuals of a part; infinite where it has too few points. */
static double residuals(const napcoll_point_t *points, int count)
{
    napcoll_line_t line;
    double sum = 0;

    if (count < LEAST) {
        return HUGE_VAL;
    }
    line = fit_line(points, count);
    for (int i = 0; i < count; i++) {
        const double off = fabs(points[i].y - napcoll_robust_at(&line, points[i].x)) / points[i].y;

        /* most_off also for y = 0 */
        sum += off < most_off ? off : most_off;
    }
    return sum;
}

/* The sum of the residuals of up to three parts; first and second are where the second and third
 * part begin, `count` where there is none. */
struct parting {
    int first, second;
    double off;
};

/* off[from * (count + 1) + to] are the residuals of all parts. */
static struct parting best_of_two(const double *off, int count)
{
    struct parting best = {.first = count, .second = count, .off = HUGE_VAL};

    for (int at = LEAST; at + LEAST <= count; at++) {
        const double sum = off[at] + off[at * (count + 1) + count];

        if (sum < best.off) {
            best = (struct parting){.first = at, .second = count, .off = sum};
        }
    }
    return best;
}

static struct parting best_of_three(const double *off, int count)
{
    struct parting best = {.first = count, .second = count, .off = HUGE_VAL};

    for (int first = LEAST; first + 2 * LEAST <= count; first++) {
        for (int second = first + LEAST; second + LEAST <= count; second++) {
            const double sum = off[first] + off[first * (count + 1) + second]
                               + off[second * (count + 1) + count];

            if (sum < best.off) {
                best = (struct parting){.first = first, .second = second, .off = sum};
            }
        }
    }
    return best;
}

/* As few parts as explain the points. */
static struct parting part(const napcoll_point_t *points, int count)
{
    double *off = napcoll_allocate((size_t) count * ((size_t) count + 1), sizeof(*off));
    struct parting chosen = {.first = count, .second = count}, two, three;

    for (int from = 0; from < count; from++) {
        for (int to = from; to <= count; to++) {
            off[from * (count + 1) + to] = residuals(points + from, to - from);
        }
    }
    chosen.off = off[count];
    two = best_of_two(off, count);
    three = best_of_three(off, count);
    free(off);
    if (two.off > fine * count && three.off < gain * two.off
        && three.off < gain * gain * chosen.off) {
        return three;
    }
    return chosen.off > fine * count && two.off < gain * chosen.off ? two : chosen;
}

static napcoll_change_t change_at(const napcoll_point_t *points, int at)
{
    return (napcoll_change_t){.below = points[at].x, .after = points[at - 1].x};
}

static bool has_limit(const napcoll_change_t *change, const double *limit, int limits)
{
    for (int i = 0; i < limits; i++) {
        if (limit[i] > change->after && limit[i] <= change->below) {
            return true;
        }
    }
    return false;
}

napcoll_protocols_t napcoll_protocols_find(const napcoll_point_t *points, int count,
                                           const double *limit, int limits)
{
    napcoll_protocols_t found = {.off = 0};
    struct parting parting;

    if (count < 2 * LEAST) {
        return found;
    }
    parting = part(points, count);
    found.off = parting.off / count;
    if (parting.first < count) {
        found.eager = change_at(points, parting.first);
    }
    if (parting.second < count) {
        const napcoll_change_t second = change_at(points, parting.second);

        if (!has_limit(&found.eager, limit, limits) || has_limit(&second, limit, limits)) {
            found.shorts = found.eager;
            found.eager = second;
        }
    }
    return found;
}

/* ---- lines ---- */

/* Let a line begin at `start`, with the median slope to its points. */
static void fix_start(const napcoll_point_t *points, int count, double start, napcoll_line_t *line)
{
    double *slope = napcoll_allocate((size_t) count, sizeof(*slope));

    for (int i = 0; i < count; i++) {
        slope[i] = (points[i].y - start) / points[i].x;
    }
    line->intercept = start;
    line->slope = napcoll_robust_median(slope, (size_t) count);
    free(slope);
}

void napcoll_protocols_lines(const napcoll_point_t *points, int count, double short_below,
                             double eager_below, napcoll_line_t line[NAPCOLL_PROTOCOLS])
{
    int end[NAPCOLL_PROTOCOLS + 1] = {0, 0, 0, count};
    bool known = false;

    memset(line, 0, NAPCOLL_PROTOCOLS * sizeof(*line));
    for (int i = 0; i < count; i++) {
        end[1] += points[i].x < short_below;
        end[2] += points[i].x < eager_below;
    }
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        if (end[p + 1] - end[p] >= FEWEST) {
            line[p] = fit_line(points + end[p], end[p + 1] - end[p]);
            known = true;
        }
    }
    if (!known && count >= 2) {
        line[0] = fit_line(points, count);
    }
    /* Missing lines: from the one before, or the one behind. */
    for (int p = 1; p < NAPCOLL_PROTOCOLS; p++) {
        line[p] = 0 == line[p].points ? line[p - 1] : line[p];
    }
    for (int p = NAPCOLL_PROTOCOLS - 1; p > 0; p--) {
        line[p - 1] = 0 == line[p - 1].points ? line[p] : line[p - 1];
    }
    for (int p = 1; p < NAPCOLL_PROTOCOLS; p++) {
        const int num = end[p + 1] - end[p];

        if (num >= FEWEST && line[p].intercept < least_share * line[p - 1].intercept) {
            fix_start(points + end[p], num, line[p - 1].intercept, &line[p]);
        }
    }
}
