/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether what was measured of a collective whose sizes no rank knows alone is worth rules on these. For such rules ranks
 * agree on the sizes; one rule whatever the size needs no agreement, and auto agrees where the model says that
 * this pays. Pure: no MPI in here.
 */

#ifndef NAPCOLL_RULE_SCOPE_H
#define NAPCOLL_RULE_SCOPE_H

#include <stddef.h>

#include "select/napcoll_rules.h"

/** What calls take, in any one unit, with all that it takes to know their sizes; INFINITY: not known, or not to be had. */
typedef struct napcoll_rule_times {
    int sizes;             /**< that were measured, at least 1 */
    const double *by_size; /**< [sizes] by the rules on each */
    const double *silent;  /**< [sizes] without rules */
    int ones;              /**< algorithms, and the fallback function, that one rule could name */
    const double *one;     /**< [ones][sizes] by each of them */
} napcoll_rule_times_t;

/**
 * What takes least: the geometric mean over the sizes counts, so that a size is worth as much as any other.
 *
 * @param[out] which  of `ones`, for NAPCOLL_RULES_ONE; else -1
 *
 * @return where two take the same, rules on sizes before one rule, and that before none; but none where one rule gains
 *         less than a twentieth, as it is for all sizes that were not measured, too
 */
napcoll_rules_scope_t napcoll_rule_scope_choose(const napcoll_rule_times_t *times, int *which);

/**
 * Whether one rule may have an algorithm do all sizes: it sends each block straight to its end, whole. One that detours
 * would do so with larger blocks, too, than any that were measured.
 *
 * @param[in] algorithm  NULL: the fallback function
 */
bool napcoll_rule_scope_may_be_one(const napcoll_algorithm_t *algorithm);

/**
 * How much of an agreement a call takes, on average over many like it, in which an algorithm is chosen by sizes.
 *
 * @param[in] collective  whose sizes not all ranks know
 * @param[in] algorithm   of its table; NULL: the fallback function
 * @param[in] bounded     blocks are so small that messages could tell whether sizes hold (NAPCOLL_BOUNDED_BYTES)
 *
 * @return 0 where messages do tell, and ranks rely on the sizes of earlier calls; 1 where they agree in each call, as
 *         blocks detour and their sizes go ahead; else, where they go straight, and in a gather where sizes go along, what
 *         is left with patience, one in NAPCOLL_MOST_PATIENCE + 1
 */
double napcoll_rule_scope_share(const napcoll_collective_t *collective,
                                const napcoll_algorithm_t *algorithm, bool bounded);

#endif /* NAPCOLL_RULE_SCOPE_H */
