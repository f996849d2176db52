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

#include "common/napcoll_protocols.h"

enum { LEAST = NAPCOLL_PROTOCOLS_LEAST_SIZES };

/* What a further part may leave of what is left without it. */
static const double gain = 0.6;

/* What may be left of a point, on average, without any doubt of the line. */
static const double fine = 0.01;

/* A line far from its beginning says little about that; it begins at no less than this share of the one before. */
static const double least_share = 0.5;

/* A point that is off by more than its own time is wrong by itself and no reason for another line. */
static const double most_off = 0.5;

/* How far points are off their line, summed, each as a share of its time; infinite where they are too few to be a
 * part. Returns 0, or -1 where memory ran out. */
static int leftover(const napcoll_point_t *points, int count, double *off)
{
    napcoll_line_t line;

    *off = HUGE_VAL;
    if (count < LEAST) {
        return 0;
    }
    if (0 != napcoll_robust_line(points, count, &line)) {
        return -1;
    }
    *off = 0;
    for (int i = 0; i < count; i++) {
        const double share = fabs(points[i].y - napcoll_robust_at(&line, points[i].x))
                             / points[i].y;

        *off += share < most_off ? share : most_off; /* also where y is 0 */
    }
    return 0;
}

/* off[from * (count + 1) + to] of all parts. */
static int leftovers(const napcoll_point_t *points, int count, double *off)
{
    for (int from = 0; from < count; from++) {
        for (int to = from; to <= count; to++) {
            if (0 != leftover(points + from, to - from, &off[from * (count + 1) + to])) {
                return -1;
            }
        }
    }
    return 0;
}

/* The best way to part points in up to three: first and second are where the second and third part begin,
 * `count` where there is none. */
struct parting {
    int first, second;
    double off;
};

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
static struct parting part(const double *off, int count)
{
    const struct parting whole = {.first = count, .second = count, .off = off[count]};
    const struct parting two = best_of_two(off, count), three = best_of_three(off, count);
    struct parting chosen = whole;

    if (whole.off > fine * count && two.off < gain * whole.off) {
        chosen = two;
    }
    if (two.off > fine * count && three.off < gain * two.off
        && three.off < gain * gain * whole.off) {
        chosen = three;
    }
    return chosen;
}

static napcoll_change_t cut_at(const napcoll_point_t *points, int at)
{
    return (napcoll_change_t){.below = points[at].x, .after = points[at - 1].x};
}

static bool has_limit(const napcoll_change_t *cut, const double *limit, int limits)
{
    for (int i = 0; i < limits; i++) {
        if (limit[i] > cut->after && limit[i] <= cut->below) {
            return true;
        }
    }
    return false;
}

/* Which change is which. */
static void name_cuts(const napcoll_point_t *points, int count, const struct parting *parting,
                      const double *limit, int limits, napcoll_protocols_t *found)
{
    napcoll_change_t first, second;

    if (parting->first == count) {
        return;
    }
    first = found->eager = cut_at(points, parting->first);
    if (parting->second == count) {
        return;
    }
    second = cut_at(points, parting->second);
    if (!has_limit(&first, limit, limits) || has_limit(&second, limit, limits)) {
        found->shorts = first;
        found->eager = second;
    }
}

int napcoll_protocols_find(const napcoll_point_t *points, int count, const double *limit,
                           int limits, napcoll_protocols_t *found)
{
    struct parting parting;
    double *off;
    int rc = -1;

    memset(found, 0, sizeof(*found));
    if (count < 2 * LEAST) {
        return 0;
    }
    off = malloc((size_t) count * ((size_t) count + 1) * sizeof(*off));
    if (NULL != off && 0 == leftovers(points, count, off)) {
        parting = part(off, count);
        found->off = parting.off / count;
        name_cuts(points, count, &parting, limit, limits, found);
        rc = 0;
    }
    free(off);
    return rc;
}

/* A line that begins where it is said to: what the points leave is its slope. */
static int hold_start(const napcoll_point_t *points, int count, double start, napcoll_line_t *line)
{
    double *slope = malloc((size_t) count * sizeof(*slope));

    if (NULL == slope) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        slope[i] = (points[i].y - start) / points[i].x;
    }
    napcoll_robust_sort(slope, (size_t) count);
    line->intercept = start;
    line->slope = napcoll_robust_quantile(slope, (size_t) count, 0.5);
    free(slope);
    return 0;
}

int napcoll_protocols_lines(const napcoll_point_t *points, int count, double short_below,
                            double eager_below, napcoll_line_t line[NAPCOLL_PROTOCOLS])
{
    enum { FEWEST = 3 };
    int end[NAPCOLL_PROTOCOLS + 1] = {0, 0, 0, count};
    int known = 0;

    memset(line, 0, NAPCOLL_PROTOCOLS * sizeof(*line));
    for (int i = 0; i < count; i++) {
        end[1] += points[i].x < short_below;
        end[2] += points[i].x < eager_below;
    }
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        const int from = end[p], num = end[p + 1] - end[p];

        if (num >= FEWEST && 0 != napcoll_robust_line(points + from, num, &line[p])) {
            return -1;
        }
        known += line[p].points > 0;
    }
    if (0 == known) {
        if (count >= 2 && 0 != napcoll_robust_line(points, count, &line[0])) {
            return -1;
        }
    }
    for (int p = 1; p < NAPCOLL_PROTOCOLS; p++) { /* from the one before */
        line[p] = 0 == line[p].points ? line[p - 1] : line[p];
    }
    for (int p = NAPCOLL_PROTOCOLS - 1; p > 0; p--) { /* or the one behind */
        line[p - 1] = 0 == line[p - 1].points ? line[p] : line[p - 1];
    }
    for (int p = 1; p < NAPCOLL_PROTOCOLS; p++) {
        const int from = end[p], num = end[p + 1] - end[p];

        if (num >= FEWEST && line[p].intercept < least_share * line[p - 1].intercept
            && 0 != hold_start(points + from, num, line[p - 1].intercept, &line[p])) {
            return -1;
        }
    }
    return 0;
}
