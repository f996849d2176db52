/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions at scale: which plans are estimated, and how closely, so that a decision takes a few
 * milliseconds on any number of ranks. Pure: no MPI in here.
 *
 *     plans     all variants of all algorithms: sketches (napcoll_plan.h), whose size does not grow
 *               with the ranks
 *     screen    each by a rough sample; a variant is dropped if its rough estimate is more than
 *               1.25 times the least, or if four variants are better
 *     choice    the others by the sample of napcoll_plan_cost.h
 *
 * On few ranks, where it takes no longer, all variants are estimated closely by their whole plans.
 *
 * A sketch has the messages of its plan, so its estimate is the same, except for ties between
 * events and where one stage stands for many (2 percent, mostly). On 21 shapes of 128 to 16,384
 * ranks and 7 sizes at least 96 percent of each collective's decisions are those without sketches
 * and screen, and no other one is more than 1.15 times as slow by the close estimate
 * (tests/unit/test_screen.c, tests/bench/decisions.c).
 *
 * Successive halving with one cut: K. Jamieson, A. Talwalkar: "Non-stochastic Best Arm
 * Identification and Hyperparameter Optimization", 2016.
 */

#ifndef NAPCOLL_SCREEN_H
#define NAPCOLL_SCREEN_H

#include <stdbool.h>

#include "plan/napcoll_goal.h"

enum {
    /** variants; further ones are not screened */
    NAPCOLL_SCREEN_MOST = 256,
    /** decisions on more ranks use sketches */
    NAPCOLL_SCREEN_FROM = 512,
    /** an all-to-all has the most variants and messages */
    NAPCOLL_SCREEN_ALLTOALL_FROM = 96
};

/** The rough estimates of all variants, in the order in which they are tried. */
typedef struct napcoll_screen {
    /** rough estimates are being made */
    bool rough;
    int count;
    /** the variant that is tried next */
    int next;
    double least_us;
    /** variants with a larger rough estimate are dropped */
    double limit_us;
    double cost_us[NAPCOLL_SCREEN_MOST];
} napcoll_screen_t;

/** Whether decisions on this number of ranks use sketches. */
static inline bool napcoll_screen_sketches(napcoll_goal_t goal, int ranks)
{
    const int from = NAPCOLL_GOAL_ALLTOALL == goal ? NAPCOLL_SCREEN_ALLTOALL_FROM
                                                   : NAPCOLL_SCREEN_FROM;

    return ranks > from;
}

/** Whether they are screened. Gathers and scatters are not: a rough sample does not show how deep
 * their trees are, and they have few variants. */
static inline bool napcoll_screen_is_on(napcoll_goal_t goal, int ranks)
{
    return napcoll_screen_sketches(goal, ranks) && NAPCOLL_GOAL_GATHER != goal
           && NAPCOLL_GOAL_SCATTER != goal;
}

/** Begin with rough estimates. */
void napcoll_screen_begin(napcoll_screen_t *screen);

/** A rough estimate need not be exact from here on. */
double napcoll_screen_most_us(const napcoll_screen_t *screen);

/** Keep the next variant's rough estimate. */
void napcoll_screen_add(napcoll_screen_t *screen, double cost_us);

/** All variants have a rough estimate. They are tried once more, in the same order. */
void napcoll_screen_end(napcoll_screen_t *screen);

/** Whether the next variant is dropped; *cost_us is its rough estimate then. */
bool napcoll_screen_drops(napcoll_screen_t *screen, double *cost_us);

#endif /* NAPCOLL_SCREEN_H */
