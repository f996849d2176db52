/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions at scale: which plans are estimated, how closely, so that a decision takes a few milliseconds on any
 * number of ranks. Pure: no MPI in here.
 *
 *     plans     all variants of all algorithms: sketches (napcoll_plan.h), whose size does not grow with the ranks
 *     screen    each by a rough sample; those are out whose rough estimate is more than 1.25 times the least, or
 *               that have four better ones
 *     choice    the others as ever, by the sample of napcoll_plan_cost.h
 *
 * On few ranks, where that takes as little, all variants are estimated closely by their whole plans, and
 * decisions are what they would be without this file.
 *
 * Sketches have the messages of the plans that they stand for, so an estimate by a sketch is that of the plan,
 * except where one stage stands for many like it (within 2 percent, mostly) and ties between events. A screen
 * errs where a rough sample is that far off the closer one. On 21 shapes of 128 to 16,384 ranks and 7 sizes, 96
 * percent or more of each collective's decisions are the same, and no other one is more than 1.15 times as slow by
 * the close estimate. tests/unit/test_screen.c compares the decisions with
 * those without sketches and screen, and tests/bench/decisions.c does so on a larger grid.
 *
 * To look at all candidates roughly and at the best ones closely is successive halving (K. Jamieson,
 * A. Talwalkar: "Non-stochastic Best Arm Identification and Hyperparameter Optimization", 2016) with one cut.
 */

#ifndef NAPCOLL_SCREEN_H
#define NAPCOLL_SCREEN_H

#include <stdbool.h>

#include "plan/napcoll_goal.h"

enum {
    NAPCOLL_SCREEN_MOST = 256, /**< variants; further ones are not screened */
    NAPCOLL_SCREEN_FROM = 512, /**< on more ranks decisions are screened, and */
    NAPCOLL_SCREEN_ALLTOALL_FROM =
        96 /**< those on an all-to-all, which has the most variants and messages */
};

/** The rough estimates of all variants, in the order in which they are tried. */
typedef struct napcoll_screen {
    bool rough; /**< they are being made */
    int count;
    int next; /**< which variant is tried next */
    double least_us;
    double limit_us; /**< that of those that are kept is this at most */
    double cost_us[NAPCOLL_SCREEN_MOST];
} napcoll_screen_t;

/** Whether decisions on this number of ranks rest on sketches. */
static inline bool napcoll_screen_sketches(napcoll_goal_t goal, int ranks)
{
    return ranks
           > (NAPCOLL_GOAL_ALLTOALL == goal ? NAPCOLL_SCREEN_ALLTOALL_FROM : NAPCOLL_SCREEN_FROM);
}

/** Whether they are screened: not those on gathers and scatters. A rough sample does not show how deep their trees
 * are, and they have few variants. */
static inline bool napcoll_screen_is_on(napcoll_goal_t goal, int ranks)
{
    return napcoll_screen_sketches(goal, ranks) && NAPCOLL_GOAL_GATHER != goal
           && NAPCOLL_GOAL_SCATTER != goal;
}

/** Begin with rough estimates. */
void napcoll_screen_begin(napcoll_screen_t *screen);

/** From where on a rough estimate is of no interest. */
double napcoll_screen_most_us(const napcoll_screen_t *screen);

/** Keep the next variant's rough estimate. */
void napcoll_screen_add(napcoll_screen_t *screen, double cost_us);

/** All have one: now the variants are tried once more, in the same order. */
void napcoll_screen_end(napcoll_screen_t *screen);

/** Whether the next variant is out; *cost_us is its rough estimate then. */
bool napcoll_screen_drops(napcoll_screen_t *screen, double *cost_us);

#endif /* NAPCOLL_SCREEN_H */
