/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Times of things that differ in one number x: bytes of a message, or messages of a burst. Each
 * thing is measured in many turns. Pure: no MPI in here.
 *
 * Other programs add to times and never subtract. So one x is represented by the lower quartile of
 * its times: three of four may be disturbed, and one that a clock's step made too short has no
 * weight.
 */

#ifndef NAPCOLL_TIMINGS_H
#define NAPCOLL_TIMINGS_H

#include <stddef.h>

#include "common/napcoll_robust.h"

/** One measured time. */
typedef struct napcoll_timing {
    double x;
    double seconds;
    /** from 0 */
    int turn;
} napcoll_timing_t;

/** Measured times, growing. {0} is empty. */
typedef struct napcoll_timings {
    napcoll_timing_t *timing;
    size_t count;
    size_t room;
} napcoll_timings_t;

/** The turns that count. Two halves that were measured at the same time tell how good the whole
 * is. */
typedef enum { NAPCOLL_TURNS_ALL, NAPCOLL_TURNS_EVEN, NAPCOLL_TURNS_ODD } napcoll_turns_t;

/** Append a time. Returns 0; -1 when memory ran out, or if the time is below 0 or no number. */
int napcoll_timings_add(napcoll_timings_t *timings, double x, double seconds, int turn);

/** Release the times; they may be added to again. */
void napcoll_timings_close(napcoll_timings_t *timings);

/**
 * One point for each x: the lower quartile of its times, in seconds.
 *
 * @param[in]  timings  in any order
 * @param[in]  turns    that count
 * @param[out] points   ascending in x; the caller frees them; NULL if there are none
 *
 * @return how many points; -1 when memory ran out
 */
int napcoll_timings_points(const napcoll_timings_t *timings, napcoll_turns_t turns,
                           napcoll_point_t **points);

/**
 * A robust line through these points.
 *
 * @param[out] line  no line (points = 0) with fewer than two points, or after an error
 *
 * @return 0; -1 when memory ran out
 */
int napcoll_timings_line(const napcoll_timings_t *timings, napcoll_turns_t turns,
                         napcoll_line_t *line);

#endif /* NAPCOLL_TIMINGS_H */
