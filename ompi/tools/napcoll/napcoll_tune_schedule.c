/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "napcoll_tune_schedule.h"

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

double tune_late(double deadline, double end)
{
    return end - kept * (end - deadline);
}
