/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "napcoll_tune_schedule.h"

#include <math.h>

/* This part of the time goes to all cases alike, the rest by what they are reckoned to need. */
static const double alike = 0.5;

/* The cases to come keep this part of their time. */
static const double kept = 0.7;

int tune_size_in_turn(bool untold, int sizes, int turn)
{
    if (!untold || 0 == turn || turn >= sizes) {
        return turn;
    }
    return 1 == turn ? sizes - 1 : turn - 1;
}

double tune_deadline(const tune_case_t *list, int i, int cases, double begin, double end)
{
    const double part = alike * (i + 1) / cases + (1 - alike) * list[i].need / list[cases - 1].need;

    return begin + (end - begin) * part;
}

double tune_late(const tune_case_t *list, int i, int cases, double begin, double now, double end)
{
    const double deadline = tune_deadline(list, i, cases, begin, end);
    const double own = deadline - (i > 0 ? tune_deadline(list, i - 1, cases, begin, end) : begin);

    return fmin(now + own + (end - begin) / cases, end - kept * (end - deadline));
}
