/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is measured of a machine, in which order, until when. Rank 0 alone. The rooms are napcoll_tune_prepare.c,
 * napcoll_tune_tasks.c and napcoll_tune_fit.c; the turns are here.
 *
 *     explore      round trips of sizes that double, until one takes long: they tell how large messages of bursts are
 *     turns        each thing once, in an order shuffled anew: round trips of all sizes on each level, bursts of
 *                  few and of many messages by few and by many processes, round trips between pairs of nodes, by
 *                  distance as well where switches are known, reduces
 *     after some   sizes between, where the protocol changes; then whether the even turns and the odd ones say the
 *                  same: then it is enough
 *     at last      M1, M2 and S of gather and scatter, and whether algorithms are in the machine's order
 */

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "napcoll_tune_machine.h"

enum {
    LEAST_TURNS = 2,  /* one in each half */
    STEADY_TURNS = 6, /* fewer do not say that the halves agree by more than chance */
    MOST_TURNS = 40,
    MOST_NARROWED = 10 /* sizes that are added where the protocol changes */
};

/* Thresholds and algorithms have these shares of the time, where they are wanted; the machine has the rest. */
static const double thresholds_share = 0.3, verify_share = 0.4;

/* After so many seconds, and turns that could say that it is steady, it leaves the rest of its time to them: what is not
 * steady by then will not be. */
static const double machine_enough = 150;

/* ---- turns ---- */

static void shuffle(tune_list_t *list, tune_watch_t *watch)
{
    for (int i = list->num - 1; i > 0; i--) {
        const int other = (int) (tune_random(watch) % (uint64_t) (i + 1));
        const tune_task_t kept = list->task[i];

        list->task[i] = list->task[other];
        list->task[other] = kept;
    }
}

/* Whether all of a turn was measured before the time was over. */
static bool take_turn(tune_t *t, tune_list_t *list, tune_watch_t *watch, char *room)
{
    tune_machine_t *m = t->machine;

    tune_make_list(t, m->turns, list);
    shuffle(list, watch);
    for (int i = 0; i < list->num; i++) {
        const double passed = MPI_Wtime() - watch->begin, all = watch->deadline - watch->begin;

        if (passed >= all) {
            m->out_of_time = true;
            return false;
        }
        tune_run_task(t, &list->task[i], m->turns, room);
        tune_tell(watch, "machine", (int) (1000 * passed / all), 1000);
    }
    m->turns++;
    return true;
}

/* A first use of everything, which does not count: connections and buffers are made. */
static void warm_up(tune_t *t, tune_list_t *list, char *room)
{
    tune_machine_t *m = t->machine;
    napcoll_timings_t nowhere = {0};

    for (int turn = 0; turn < t->node.num - 1 && turn < TUNE_MOST_NODES; turn++) {
        (void) tune_try_trip(t, tune_far_peer(t, turn), 65536);
    }
    tune_make_list(t, 0, list);
    for (int i = 0; i < list->num; i++) {
        tune_task_t task = list->task[i];
        const bool first = TUNE_PING != task.probe.kind || 8 == task.probe.bytes;

        if (first || task.reduction >= 0) {
            task.kept = &nowhere;
            task.starts = NULL;
            tune_run_task(t, &task, 0, room);
        }
    }
    napcoll_timings_close(&nowhere);
    m->turns = 0;
}

/* All turns; returns what is wrong, or NULL. */
static const char *take_turns(tune_t *t, tune_list_t *list, tune_watch_t *watch, char *room)
{
    tune_machine_t *m = t->machine;
    const double enough = t->options.thresholds || t->options.verify ? watch->begin + machine_enough
                                                                     : watch->deadline;
    napcoll_calibrate_result_t result = NAPCOLL_CALIBRATE_TOO_FEW;
    int narrowed = 0;

    while (m->turns < MOST_TURNS && take_turn(t, list, watch, room)) {
        if (m->turns < LEAST_TURNS) {
            continue;
        }
        result = tune_fit_all(m);
        if (NAPCOLL_CALIBRATE_OK == result && m->turns >= STEADY_TURNS
            && (0 == m->unsteady || MPI_Wtime() > enough)) {
            break;
        }
        if (NAPCOLL_CALIBRATE_OK == result && narrowed++ < MOST_NARROWED) {
            tune_narrow_down(m);
        }
    }
    tune_tell_end(watch);
    if (m->turns >= LEAST_TURNS) {
        result = tune_fit_all(m);
    }
    return NAPCOLL_CALIBRATE_OK == result || m->turns < LEAST_TURNS
               ? NULL
               : napcoll_calibrate_result_text(result);
}

/* M1, M2 and S; without them there still is a machine. */
static void find_thresholds(tune_t *t, const tune_watch_t *watch)
{
    tune_machine_t *m = t->machine;
    const double kept = t->options.verify ? verify_share * t->options.time_limit : 0;
    double left;

    m->thresholds = napcoll_thresholds_default;
    if (!t->options.thresholds) {
        snprintf(m->no_thresholds, TUNE_TEXT,
                 "left out by --no-thresholds, or there are too few processes, or too many");
        return;
    }
    left = watch->end - kept - MPI_Wtime();
    if (!(left > 0)) {
        snprintf(m->no_thresholds, TUNE_TEXT, "no time was left");
    } else if (TUNE_GOOD != tune_scan(t, left, m->no_thresholds) && '\0' == m->no_thresholds[0]) {
        snprintf(m->no_thresholds, TUNE_TEXT, "they were not found");
    }
    if ('\0' == m->no_thresholds[0]) {
        m->thresholds = tune_thresholds(&t->fit);
    }
}

int tune_machine(tune_t *t, char message[TUNE_TEXT])
{
    const double limit = t->options.time_limit;
    tune_watch_t watch = tune_watch(limit);
    tune_list_t *list = calloc(1, sizeof(*list));
    char *room = calloc(2, (size_t) 256 << 10);
    const char *wrong;
    tune_machine_t *m;

    t->machine = m = calloc(1, sizeof(*m));
    if (NULL == list || NULL == room || NULL == m) {
        tune_out_of_memory();
        return TUNE_FAILED;
    }
    watch.deadline -= limit
                      * ((t->options.thresholds ? thresholds_share : 0)
                         + (t->options.verify ? verify_share : 0));
    tune_prepare(t);
    warm_up(t, list, room);
    wrong = take_turns(t, list, &watch, room);
    free(list);
    free(room);
    if (NULL != wrong) {
        snprintf(message, TUNE_TEXT, "no machine: %s", wrong);
        return TUNE_FAILED;
    }
    if (m->turns < LEAST_TURNS) {
        snprintf(message, TUNE_TEXT,
                 "--time-limit %g: it takes %d turns through all that is measured, and %d were "
                 "complete; give more%s",
                 limit, LEAST_TURNS, m->turns, t->options.thresholds ? ", or --no-thresholds" : "");
        return TUNE_FAILED;
    }
    tune_fit_rest(m);
    find_thresholds(t, &watch);
    tune_verify(t, &watch);
    m->seconds = MPI_Wtime() - watch.begin;
    return TUNE_GOOD;
}

void tune_machine_close(tune_t *t)
{
    tune_machine_t *m = t->machine;

    if (NULL == m) {
        return;
    }
    napcoll_measured_close(&m->measured);
    for (int i = 0; i < m->personalized; i++) {
        napcoll_timings_close(&m->pair_trip[i]);
    }
    for (int i = 0; i < m->distances; i++) {
        napcoll_timings_close(&m->distance_trip[i]);
    }
    for (int kind = 0; kind < TUNE_FOLDS; kind++) {
        napcoll_timings_close(&m->reduction[kind]);
    }
    free(m);
    t->machine = NULL;
}
