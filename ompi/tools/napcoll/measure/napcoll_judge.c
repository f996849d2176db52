/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "measure/napcoll_judge.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_robust.h"

napcoll_summary_t napcoll_summarize(const double *sample, int num)
{
    const size_t count = num > 0 ? (size_t) num : 0;
    napcoll_summary_t summary = {.p05 = NAN, .median = NAN, .p95 = NAN};
    double *sorted;

    if (0 == count) {
        return summary;
    }
    sorted = malloc(count * sizeof(*sorted));
    if (NULL == sorted) {
        abort();
    }
    memcpy(sorted, sample, count * sizeof(*sorted));
    napcoll_robust_sort(sorted, count);
    summary.p05 = napcoll_robust_quantile(sorted, count, 0.05);
    summary.median = napcoll_robust_quantile(sorted, count, 0.5);
    summary.p95 = napcoll_robust_quantile(sorted, count, 0.95);
    free(sorted);
    return summary;
}

double napcoll_judge_overlap(double pure, double overall, double compute)
{
    return fmax(0.0, 100.0 * (1.0 - (overall - compute) / pure));
}

void napcoll_judge_drop(const double *seconds, bool *dropped, int count, double factor)
{
    double fastest = INFINITY;

    for (int i = 0; i < count; i++) {
        fastest = dropped[i] ? fastest : fmin(fastest, seconds[i]);
    }
    for (int i = 1; i < count && factor > 0; i++) {
        dropped[i] = dropped[i] || seconds[i] > factor * fastest;
    }
}

void napcoll_judge_finalists(const double *seconds, const int *pool, bool *dropped, int count,
                             int finalists, double margin)
{
    for (int i = 1; i < count && finalists > 0; i++) {
        int faster = 0;

        /* those that are marked here are no faster than one that stays */
        for (int j = 0; j < count; j++) {
            const double most = margin * seconds[j];

            faster += !dropped[j] && pool[j] == pool[i]
                      && (most < seconds[i] || (j < i && most <= seconds[i]));
        }
        dropped[i] = dropped[i] || (0 != pool[i] && faster >= finalists);
    }
}

/* The best of all but one; -1: of all. */
static int best_but(const double *const *seconds, int count, int turns, double margin, int without)
{
    double least = INFINITY;
    int best = 0;

    for (int i = 1; i < count; i++) {
        if (i != without && NULL != seconds[i]
            && napcoll_robust_longer(seconds[0], seconds[i], turns, margin)) {
            const double median = napcoll_summarize(seconds[i], turns).median;

            if (median < least) {
                least = median;
                best = i;
            }
        }
    }
    return best;
}

int napcoll_judge_best(const double *const *seconds, int count, int turns, double margin)
{
    return best_but(seconds, count, turns, margin, -1);
}

int napcoll_judge_best_before(const double *const *seconds, int count, int turns, double margin,
                              int spare)
{
    const int best = best_but(seconds, count, turns, margin, -1);
    const int other = best_but(seconds, count, turns, margin, spare);

    return other > 0 && best == spare
                   && !napcoll_robust_longer(seconds[other], seconds[best], turns, margin)
               ? other
               : best;
}

bool napcoll_judge_is_clear(const double *const *seconds, int count, int turns, double margin)
{
    const int best = napcoll_judge_best(seconds, count, turns, margin);
    bool clear = true;

    for (int i = 0; i < count; i++) {
        clear = clear
                && (best == i || NULL == seconds[i]
                    || napcoll_robust_longer(seconds[i], seconds[best], turns, margin));
    }
    return clear;
}

napcoll_verdict_t napcoll_judge_within(const double *one, const double *other, int turns,
                                       double factor)
{
    int above = 0, below = 0;

    for (int i = 0; i < turns; i++) {
        above += one[i] > factor * other[i];
        below += one[i] < factor * other[i];
    }
    if (napcoll_robust_mostly(above, turns)) {
        return NAPCOLL_VERDICT_VIOLATED;
    }
    return napcoll_robust_mostly(below, turns) ? NAPCOLL_VERDICT_HOLDS : NAPCOLL_VERDICT_UNDECIDED;
}
