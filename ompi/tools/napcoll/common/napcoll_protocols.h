/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where half round trips of messages change from one line to another: the sizes at which a library changes its
 * protocol. Pure: no MPI in here.
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

/** A change of line. */
typedef struct napcoll_change {
    double below; /**< the least measured size behind it; 0: there is none */
    double after; /**< the greatest measured size before it */
} napcoll_change_t;

typedef struct napcoll_protocols {
    napcoll_change_t shorts; /**< from short messages to eager ones */
    napcoll_change_t eager;  /**< from eager messages to rendezvous */
    double off; /**< how far points are from their line, on average, as a share of them */
} napcoll_protocols_t;

/** A line needs so many sizes to be one of its own. */
enum { NAPCOLL_PROTOCOLS_LEAST_SIZES = 4 };

/**
 * Find the changes of line, two at most.
 *
 * Of all ways to part the sizes in two and in three, with four sizes in each part at least, those are looked at
 * whose lines leave the least, relative to the times. A further part has to leave less than six tenths of what is left
 * without it, and there has to be more than a hundredth left: noise makes no protocol. Rendezvous begins at the last
 * change, and one before it is that from short to eager; unless only the first one is where the library is said to
 * have a limit: then the other, behind it, is of a cache that is full, for instance, and not of the protocol.
 *
 * @param[in]  points [count] ascending in x, in bytes, each x once; y above 0
 * @param[in]  count  with fewer than 8 nothing is found
 * @param[in]  limit  [limits] in bytes, at which the library is said to change its protocol
 * @param[in]  limits may be 0
 * @param[out] found  the changes
 *
 * @return 0; -1 where memory ran out
 */
int napcoll_protocols_find(const napcoll_point_t *points, int count, const double *limit,
                           int limits, napcoll_protocols_t *found);

/**
 * A line for each protocol. Without short messages theirs is the eager one; one without three sizes
 * has the line of its neighbour, and where no protocol has as many, all share one. Far from its beginning a line says
 * little about that: one that would begin below half of where the line before it does begins there, with the median of
 * the slopes that the points have from it.
 *
 * @param[in]  points      [count] ascending in x
 * @param[in]  short_below bytes; 0: none are short
 * @param[in]  eager_below bytes, at least short_below; INFINITY: none goes by rendezvous
 * @param[out] line        a line for each; no line (points = 0) with fewer than two sizes in all
 *
 * @return 0; -1 where memory ran out
 */
int napcoll_protocols_lines(const napcoll_point_t *points, int count, double short_below,
                            double eager_below, napcoll_line_t line[NAPCOLL_PROTOCOLS]);

#endif /* NAPCOLL_PROTOCOLS_H */
