/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The online check of one class of calls: napcoll and the fallback function take turns, each of
 * them once to warm up and then several times with the clock running. The one with the lesser
 * median is kept. Pure: no MPI in here.
 *
 *     call        0   1   2   3   4   5  ...  2n   2n+1
 *     contestant  n   f   n   f   n   f       n    f       n: napcoll, f: the fallback function
 *     timed       -   -   t0  t1  t2  t3      ..   t2n-1
 *
 * Whose turn it is depends on the number of calls only, which is the same on all ranks. Before the
 * verdict ranks agree on the times: each call took as long as on its slowest rank.
 */

#ifndef NAPCOLL_TRIAL_H
#define NAPCOLL_TRIAL_H

#include <stdbool.h>

enum {
    NAPCOLL_TRIAL_DEFAULT_CALLS = 5,
    /** of a contestant that are timed */
    NAPCOLL_TRIAL_MOST_CALLS = 1000,
    /** calls before, one of each contestant */
    NAPCOLL_TRIAL_WARM_UP = 2
};

typedef enum {
    NAPCOLL_CONTESTANT_NAPCOLL,
    NAPCOLL_CONTESTANT_FALLBACK,
    NAPCOLL_CONTESTANTS
} napcoll_contestant_t;

typedef struct napcoll_trial {
    /** of each contestant that are timed, at least 1 */
    int calls;
    /** calls so far, with those to warm up */
    int done;
    /** `winner` is kept */
    bool over;
    napcoll_contestant_t winner;
    /** once it is over */
    double median_us[NAPCOLL_CONTESTANTS];
    /** [2 * calls] times, the contestants in turn; borrowed */
    double *us;
} napcoll_trial_t;

/** Who runs the next call. */
static inline napcoll_contestant_t napcoll_trial_turn(const napcoll_trial_t *trial)
{
    if (trial->over) {
        return trial->winner;
    }
    return 0 == trial->done % 2 ? NAPCOLL_CONTESTANT_NAPCOLL : NAPCOLL_CONTESTANT_FALLBACK;
}

/**
 * Learn the time of a call.
 *
 * @param[in,out] trial  which is not over
 * @param[in]     us     microseconds
 *
 * @return whether it was the last call: ranks then agree on trial->us and judge
 */
bool napcoll_trial_learn(napcoll_trial_t *trial, double us);

/** Judge by all times: the fallback function wins if its median is less. Sorts trial->us. */
void napcoll_trial_judge(napcoll_trial_t *trial);

#endif /* NAPCOLL_TRIAL_H */
