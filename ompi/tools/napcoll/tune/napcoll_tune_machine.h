/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the rooms of measuring a machine share, rank 0 alone: napcoll_tune_machine.c takes turns,
 * napcoll_tune_prepare.c says between whom and of which sizes, napcoll_tune_tasks.c what a turn has, and
 * napcoll_tune_fit.c makes numbers of it. napcoll_tune_network.c has all that depends on switches.
 */

#ifndef NAPCOLL_TUNE_MACHINE_H
#define NAPCOLL_TUNE_MACHINE_H

#include "napcoll_tune.h"

enum { TUNE_MOST_TASKS = 1024 };

/** One thing to be measured: a probe, or a reduction by rank 0. */
typedef struct tune_task {
    tune_probe_t probe;
    napcoll_timings_t *kept;   /**< where its time goes */
    napcoll_timings_t *starts; /**< where that of starting a message goes, or NULL */
    int reduction;             /**< kind; -1: a probe */
} tune_task_t;

/** What a turn has. */
typedef struct tune_list {
    tune_task_t task[TUNE_MOST_TASKS];
    int num;
} tune_list_t;

/* ---- napcoll_tune_prepare.c ---- */

/** Choose who takes part, try some messages, and choose sizes by what they take. */
void tune_prepare(tune_t *t);

/** Add a size, in bytes, to the round trips of a level, unless it is there or there is no room. */
void tune_add_size(tune_machine_t *m, int level, double bytes);

/** The pinger's peer on the network: another node's first process in each turn. */
int tune_far_peer(const tune_t *t, int turn);

/** How long half a round trip of the pinger takes, about, in seconds. */
double tune_try_trip(tune_t *t, int peer, size_t bytes);

/* ---- napcoll_tune_tasks.c ---- */

/** List what a turn has. */
void tune_make_list(const tune_t *t, int turn, tune_list_t *list);

/** Add a task, unless there is no room. */
void tune_add_task(tune_list_t *list, const tune_task_t *task);

/**
 * Do one thing and keep what it took.
 *
 * @param[in] turn  from 0
 * @param     room  for reduces: twice the bytes of the largest
 */
void tune_run_task(tune_t *t, const tune_task_t *task, int turn, char *room);

/* ---- napcoll_tune_fit.c ---- */

/** The machine that all turns make, and those that the even and the odd ones make, in m->fit, m->half and m->unsteady. */
napcoll_calibrate_result_t tune_fit_all(tune_machine_t *m);

/** Add a size half way between those that the protocol changes between, unless it is known where that is. */
void tune_narrow_down(tune_machine_t *m);

/** What is no key of the machine: delays of nodes, pairs by distance, and all kinds of reduces. */
void tune_fit_rest(tune_machine_t *m);

/* ---- napcoll_tune_network.c ---- */

/** Choose a pair for each distance, and sizes, once it is known which sizes the network's round trips have. */
void tune_choose_distances(tune_t *t);

/** Add the round trips between these pairs to a turn. */
void tune_add_distances(const tune_t *t, tune_list_t *list);

/** What all turns' times between these pairs come to. */
void tune_fit_distances(tune_machine_t *m);

#endif /* NAPCOLL_TUNE_MACHINE_H */
