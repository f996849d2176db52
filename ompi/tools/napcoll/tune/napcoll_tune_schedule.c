/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "napcoll_tune_schedule.h"

#include <math.h>
#include <stdlib.h>

/* This part of the time goes to all cases alike, the rest by what they are estimated to need. */
static const double alike = 0.5;

/* The cases to come keep this part of their time. */
static const double kept = 0.7;

/* Of two that need as much, or of which it is not known, the smaller one comes first. */
static int by_need(const void *a, const void *b)
{
    const tune_case_t *one = a, *other = b;

    if (one->need < other->need || one->need > other->need) {
        return one->need < other->need ? -1 : 1;
    }
    return one->size != other->size ? one->size - other->size : one->subject - other->subject;
}

void tune_order(tune_case_t *list, int cases)
{
    double need = 1; /* else there might be none at all */

    qsort(list, (size_t) cases, sizeof(*list), by_need);
    for (int i = 0; i < cases; i++) {
        need += list[i].need;
        list[i].need_until = need;
    }
}

double tune_deadline(const tune_case_t *list, int i, int cases, double begin, double end)
{
    const double part = alike * (i + 1) / cases
                        + (1 - alike) * list[i].need_until / list[cases - 1].need_until;

    return begin + (end - begin) * part;
}

double tune_late(const tune_case_t *list, int i, int cases, double begin, double now, double end)
{
    const double deadline = tune_deadline(list, i, cases, begin, end);
    const double own = deadline - (i > 0 ? tune_deadline(list, i - 1, cases, begin, end) : begin);

    return fmin(now + own + (end - begin) / cases, end - kept * (end - deadline));
}

/* The contestant who takes longest of those that need not have turns; -1: none. */
static int slowest_to_spare(const tune_case_t *c)
{
    int fastest = 0, slowest = -1;

    for (int i = 1; i < c->contestants; i++) {
        fastest = c->contestant[i].median < c->contestant[fastest].median ? i : fastest;
    }
    for (int i = 1; i < c->contestants; i++) {
        const tune_contestant_t *k = &c->contestant[i];

        if (!k->dropped && k->row >= 0 && i != fastest
            && (slowest < 0 || k->median > c->contestant[slowest].median)) {
            slowest = i;
        }
    }
    return slowest;
}

void tune_fit_turns(tune_case_t *c, int turns, double seconds)
{
    double turn = 0;

    for (int i = 0; i < c->contestants; i++) {
        turn += c->contestant[i].dropped ? 0 : c->calls * c->contestant[i].median;
    }
    for (int spare; turns * turn > seconds && (spare = slowest_to_spare(c)) >= 0;) {
        c->contestant[spare].dropped = true;
        turn -= c->calls * c->contestant[spare].median;
    }
}
