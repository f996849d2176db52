/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/napcoll_rule_scope.h"

#include <math.h>

#include "select/napcoll_agreement.h"

/* What one rule has to gain. */
static const double one_gain = 0.05;

static double sum_of_logs(const double *time, int sizes)
{
    double sum = 0;

    for (int i = 0; i < sizes; i++) {
        sum += log(time[i]);
    }
    return sum;
}

napcoll_rules_scope_t napcoll_rule_scope_choose(const napcoll_rule_times_t *times, int *which)
{
    napcoll_rules_scope_t scope = NAPCOLL_RULES_BY_SIZE;
    double least = sum_of_logs(times->by_size, times->sizes);

    *which = -1;
    for (int i = 0; i < times->ones; i++) {
        const double sum = sum_of_logs(&times->one[(ptrdiff_t) i * times->sizes], times->sizes);

        if (sum < least) {
            least = sum;
            scope = NAPCOLL_RULES_ONE;
            *which = i;
        }
    }
    if (NAPCOLL_RULES_ONE == scope) {
        least += times->sizes * log1p(one_gain);
    }
    if (sum_of_logs(times->silent, times->sizes) < least) {
        scope = NAPCOLL_RULES_SILENT;
        *which = -1;
    }
    return scope;
}

bool napcoll_rule_scope_may_be_one(const napcoll_algorithm_t *algorithm)
{
    return NULL == algorithm || (!algorithm->detours && !algorithm->cut);
}

double napcoll_rule_scope_share(const napcoll_collective_t *collective,
                                const napcoll_algorithm_t *algorithm, bool bounded)
{
    if (NULL != algorithm && bounded && napcoll_algorithm_tells(collective, algorithm)) {
        return 0;
    }
    if (NULL != algorithm && algorithm->detours && !(bounded && algorithm->tells)) {
        return 1;
    }
    return 1.0 / (1 + NAPCOLL_MOST_PATIENCE);
}
