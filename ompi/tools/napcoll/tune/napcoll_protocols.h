/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The sizes at which a library changes its protocol, found in half round trips. Pure: no MPI.
 *
 *     seconds                          _-
 *        |                          _-
 *        |                       _-      rendezvous: the receiver is asked first
 *        |                      :
 *        |                ___---:
 *        |       .____----      :        eager
 *        |____---:              :
 *        |       : short        :
 *        +-------+--------------+------- bytes
 *         short_below      eager_below
 */

#ifndef NAPCOLL_PROTOCOLS_H
#define NAPCOLL_PROTOCOLS_H

#include "model/napcoll_machine.h"
#include "common/napcoll_robust.h"

/** A change from one line to another. */
typedef struct napcoll_change {
    /** The least measured size behind it, and the greatest before it; 0: there is no change. */
    double below, after;
} napcoll_change_t;

typedef struct napcoll_protocols {
    /** From short messages to eager ones, and from eager ones to rendezvous. */
    napcoll_change_t shorts, eager;
    /** Mean distance of the points from their lines, as a share of the points. */
    double off;
} napcoll_protocols_t;

/** Sizes of a line, at least. */
enum { NAPCOLL_PROTOCOLS_LEAST_SIZES = 4 };

/**
 * Find the changes of line, two at most.
 *
 * The sizes are cut into two and into three parts of four sizes at least, where the lines of the
 * parts have the least relative residuals. A further part must reduce the residuals to less than
 * six tenths, and more than one percent must be left without it: noise is no protocol. Rendezvous
 * begins at the last change; a change before it is from short to eager. But if the library
 * documents a limit at the first change only, the second one is not of the protocol (a full cache,
 * for instance).
 *
 * @param[in]  points [count] ascending in x, in bytes, each x once; y above 0
 * @param[in]  count  with fewer than 8 nothing is found
 * @param[in]  limit  [limits] documented limits in bytes
 * @param[in]  limits may be 0
 */
napcoll_protocols_t napcoll_protocols_find(const napcoll_point_t *points, int count,
                                           const double *limit, int limits);

/**
 * Fit a line for each protocol. A protocol with fewer than three sizes takes the line of its
 * neighbour; where none has three, all share one line. A line says little far below its first
 * point: if it would begin below half of the beginning of the line before, it begins there, with
 * the median of the slopes from there to its points.
 *
 * @param[in]  points      [count] ascending in x
 * @param[in]  count       with fewer than 2 there is no line (points = 0)
 * @param[in]  short_below bytes; 0: none are short
 * @param[in]  eager_below bytes, at least short_below; INFINITY: no rendezvous
 * @param[out] line        one line for each protocol
 */
void napcoll_protocols_lines(const napcoll_point_t *points, int count, double short_below,
                             double eager_below, napcoll_line_t line[NAPCOLL_PROTOCOLS]);

#endif /* NAPCOLL_PROTOCOLS_H */
