/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * In which order napcoll-tune tries cases, and how it deals out its time among them. Needs no MPI: times are those of any
 * clock, in seconds.
 */

#ifndef NAPCOLL_TUNE_SCHEDULE_H
#define NAPCOLL_TUNE_SCHEDULE_H

#include "napcoll_tune_case.h"

/**
 * Put cases into the order in which they are tried: those of short calls first, so that one whose calls take seconds costs
 * no other one its turn where time is short.
 *
 * @param[in,out] list   [cases] with `need`, in any order; gets `need_until`
 */
void tune_order(tune_case_t *list, int cases);

/**
 * Until when a case may take turns, if all of them have from begin to end: half of the time is for all alike, half for
 * each by what it is estimated to need.
 *
 * @param[in] list   [cases] as tune_order left them
 * @param[in] i      the case
 */
double tune_deadline(const tune_case_t *list, int i, int cases, double begin, double end);

/**
 * By when a case has to be over, but for the turns of those contestants who matter most: it may take its own part of the
 * time, and as much again as all have alike, while the cases to come keep most of theirs. Else one whose calls take
 * seconds would have all its contestants tried, and many short ones none.
 *
 * @param[in] list   [cases] as tune_order left them
 * @param[in] i      the case
 * @param[in] begin  of all of them
 * @param[in] now    when this one begins
 * @param[in] end    of all of them
 */
double tune_late(const tune_case_t *list, int i, int cases, double begin, double now, double end);

/**
 * Drop contestants whose turns there is no time for, the slowest first: never what auto would do, the fallback function or
 * the fastest, who matter most.
 *
 * @param[in,out] c        with its calls, and what each contestant took in its first ones as its median, in seconds
 * @param[in]     turns    of each that are needed
 * @param[in]     seconds  for these turns
 */
void tune_fit_turns(tune_case_t *c, int turns, double seconds);

#endif /* NAPCOLL_TUNE_SCHEDULE_H */
