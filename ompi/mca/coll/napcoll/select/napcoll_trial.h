/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The online check of one class of calls: napcoll and the fallback function take turns, each of them once to warm up
 * and then so many times with the clock running; the one with the lesser median is kept. Pure: no MPI in here.
 *
 *     call        0   1   2   3   4   5  ...  2n   2n+1
 *     contestant  n   p   n   p   n   p       n    p       n: napcoll, p: the fallback function
 *     timed       -   -   t0  t1  t2  t3      ..   t2n-1
 *
 * Whose turn it is depends on how many calls there were, so on nothing that ranks could see differently. Their times
 * they do: before the judgement all ranks have the same ones, of each call that of the slowest rank.
 */

#ifndef NAPCOLL_TRIAL_H
#define NAPCOLL_TRIAL_H

#include <stdbool.h>

enum {
    NAPCOLL_TRIAL_DEFAULT_CALLS = 5,
    NAPCOLL_TRIAL_MOST_CALLS = 1000, /**< of a contestant that are timed */
    NAPCOLL_TRIAL_WARM_UP = 2        /**< calls before, one of each */
};

typedef enum {
    NAPCOLL_CONTESTANT_NAPCOLL,
    NAPCOLL_CONTESTANT_PREVIOUS,
    NAPCOLL_CONTESTANTS
} napcoll_contestant_t;

typedef struct napcoll_trial {
    int calls; /**< of each contestant that are timed, at least 1 */
    int done;  /**< calls so far, those to warm up among them */
    bool over; /**< `winner` is kept */
    napcoll_contestant_t winner;
    double median_us[NAPCOLL_CONTESTANTS]; /**< once it is over */
    double *us; /**< [2 * calls] times, the contestants in turn; borrowed */
} napcoll_trial_t;

/** Whose turn the next call is, or who has won. */
static inline napcoll_contestant_t napcoll_trial_turn(const napcoll_trial_t *trial)
{
    return trial->over            ? trial->winner
           : 0 == trial->done % 2 ? NAPCOLL_CONTESTANT_NAPCOLL
                                  : NAPCOLL_CONTESTANT_PREVIOUS;
}

/**
 * What the call took whose turn it was.
 *
 * @param[in,out] trial  which is not over
 * @param[in]     us     microseconds
 *
 * @return whether it was the last one: then it is to be judged, when ranks have agreed on trial->us
 */
bool napcoll_trial_learn(napcoll_trial_t *trial, double us);

/**
 * Judge by all times, and be over. The fallback function wins where its median is less; in a tie the algorithm that
 * the model chose stays. Sorts trial->us.
 */
void napcoll_trial_judge(napcoll_trial_t *trial);

#endif /* NAPCOLL_TRIAL_H */
