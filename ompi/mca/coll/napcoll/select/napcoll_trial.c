/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The online check of one class (see the header).
 */

#include "select/napcoll_trial.h"

#include "util/napcoll_order.h"

bool napcoll_trial_learn(napcoll_trial_t *trial, double us)
{
    const int timed = trial->done - NAPCOLL_TRIAL_WARM_UP;

    if (timed >= 0) {
        trial->us[timed] = us;
    }
    trial->done++;
    return trial->done == NAPCOLL_TRIAL_WARM_UP + NAPCOLL_CONTESTANTS * trial->calls;
}

/* Sort the times by contestant, in any order within each. */
static void part_contestants(double *us, int calls)
{
    for (int i = 1; i < calls; i++) {
        const double own = us[NAPCOLL_CONTESTANTS * i];

        us[NAPCOLL_CONTESTANTS * i] = us[i];
        us[i] = own;
    }
}

void napcoll_trial_judge(napcoll_trial_t *trial)
{
    const double *median_us = trial->median_us;

    part_contestants(trial->us, trial->calls);
    for (int c = 0; c < NAPCOLL_CONTESTANTS; c++) {
        trial->median_us[c] = napcoll_median(trial->us + c * trial->calls, trial->calls);
    }
    trial->winner = median_us[NAPCOLL_CONTESTANT_FALLBACK] < median_us[NAPCOLL_CONTESTANT_NAPCOLL]
                        ? NAPCOLL_CONTESTANT_FALLBACK
                        : NAPCOLL_CONTESTANT_NAPCOLL;
    trial->over = true;
}
