/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Times by turns; see napcoll_timings.h.
 */

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_timings.h"

/* The share of the times of one x that are shorter than its point. */
static const double share = 0.25;

int napcoll_timings_add(napcoll_timings_t *timings, double x, double seconds, int turn)
{
    if (!(seconds >= 0) || isinf(seconds)) {
        return -1;
    }
    if (timings->count == timings->room) {
        const size_t room = 0 == timings->room ? 64 : 2 * timings->room;
        napcoll_timing_t *larger = realloc(timings->timing, room * sizeof(*larger));

        if (NULL == larger) {
            return -1;
        }
        timings->timing = larger;
        timings->room = room;
    }
    timings->timing[timings->count++] = (napcoll_timing_t){
        .x = x, .seconds = seconds, .turn = turn};
    return 0;
}

void napcoll_timings_close(napcoll_timings_t *timings)
{
    free(timings->timing);
    memset(timings, 0, sizeof(*timings));
}

static bool counts(const napcoll_timing_t *timing, napcoll_turns_t turns)
{
    switch (turns) {
    case NAPCOLL_TURNS_EVEN:
        return 0 == timing->turn % 2;
    case NAPCOLL_TURNS_ODD:
        return 0 != timing->turn % 2;
    default:
        return true;
    }
}

/* By x, and by time where x is the same. */
static int compare_points(const void *a, const void *b)
{
    const napcoll_point_t *p = a, *q = b;

    if (p->x < q->x || p->x > q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (p->y > q->y) - (p->y < q->y);
}

/* Sorted times of one x become one point, in place: what is written lies before what is still to be
 * read. */
static int merge(napcoll_point_t *sorted, size_t count, double *seconds)
{
    int merged = 0;

    for (size_t from = 0, to; from < count; from = to) {
        const double x = sorted[from].x;

        for (to = from; to < count && !(sorted[to].x > x); to++) {
            seconds[to - from] = sorted[to].y;
        }
        sorted[merged++] = (napcoll_point_t){
            .x = x, .y = napcoll_robust_quantile(seconds, to - from, share)};
    }
    return merged;
}

int napcoll_timings_points(const napcoll_timings_t *timings, napcoll_turns_t turns,
                           napcoll_point_t **points)
{
    napcoll_point_t *sorted;
    double *seconds;
    size_t used = 0;
    int merged = -1;

    *points = NULL;
    if (0 == timings->count) {
        return 0;
    }
    sorted = malloc(timings->count * sizeof(*sorted));
    seconds = malloc(timings->count * sizeof(*seconds));
    if (NULL != sorted && NULL != seconds) {
        for (size_t i = 0; i < timings->count; i++) {
            if (counts(&timings->timing[i], turns)) {
                sorted[used++] = (napcoll_point_t){.x = timings->timing[i].x,
                                                   .y = timings->timing[i].seconds};
            }
        }
        qsort(sorted, used, sizeof(*sorted), compare_points);
        merged = merge(sorted, used, seconds);
    }
    free(seconds);
    if (merged <= 0) {
        free(sorted);
        return merged;
    }
    *points = sorted;
    return merged;
}

int napcoll_timings_line(const napcoll_timings_t *timings, napcoll_turns_t turns,
                         napcoll_line_t *line)
{
    napcoll_point_t *points;
    const int count = napcoll_timings_points(timings, turns, &points);
    int rc = count < 0 ? -1 : 0;

    memset(line, 0, sizeof(*line));
    if (count >= 2) {
        rc = napcoll_robust_line(points, count, line);
    }
    free(points);
    return rc;
}
