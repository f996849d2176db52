/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What is measured, in which order, until when. Rank 0 alone.
 *
 * In a turn every size is measured once with gather, scatter and a message, in an order shuffled anew, so
 * that what changes on the machine in the meantime is no size's. Three sizes to an octave. After the scan
 * come sizes between: M1 lies between the least size that escalates and the next below, M2 and S likewise,
 * and what the middle of the two does narrows that down.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_tune.h"

/* The scan has this share of the time; narrowing down has the rest. */
static const double scan_share = 0.7;

/* One thing to be measured in a turn. */
struct task {
    tune_kind_t kind;
    size_t bytes;
};

enum { MOST_TASKS = TUNE_KINDS * TUNE_MOST_SIZES };

/* A list of them, which is gone through `turns` times. */
struct plan {
    struct task task[MOST_TASKS];
    int num;
    int turns;
    const char *what; /* for the progress line */
};

/* ---- measuring ---- */

static void keep(tune_samples_t *samples, size_t bytes, double seconds)
{
    if (samples->count == samples->room) {
        const size_t room = 0 == samples->room ? 1024 : 2 * samples->room;
        napcoll_incast_sample_t *larger = realloc(samples->sample, room * sizeof(*larger));

        if (NULL == larger) {
            tune_out_of_memory();
        }
        samples->sample = larger;
        samples->room = room;
    }
    samples->sample[samples->count++] = (napcoll_incast_sample_t){.bytes = bytes,
                                                                  .seconds = seconds};
}

static void shuffle(struct plan *plan, tune_watch_t *watch)
{
    for (int i = plan->num - 1; i > 0; i--) {
        const int other = (int) (tune_random(watch) % (uint64_t) (i + 1));
        const struct task kept = plan->task[i];

        plan->task[i] = plan->task[other];
        plan->task[other] = kept;
    }
}

/* Go through the plan, turn by turn. Returns how many turns were complete when the time was over. */
static int run_plan(tune_t *t, struct plan *plan, tune_watch_t *watch)
{
    int done = 0;

    for (int turn = 0; turn < plan->turns; turn++) {
        shuffle(plan, watch);
        for (int i = 0; i < plan->num; i++) {
            const struct task *task = &plan->task[i];

            if (MPI_Wtime() >= watch->deadline) {
                t->out_of_time = true;
                tune_tell_end(watch);
                return turn;
            }
            keep(&t->samples[task->kind], task->bytes,
                 tune_measure(t, task->kind, task->bytes, t->peer[turn % t->num_peers]));
            tune_tell(watch, plan->what, ++done, plan->num * plan->turns);
        }
    }
    tune_tell_end(watch);
    return plan->turns;
}

static void add_task(struct plan *plan, tune_kind_t kind, size_t bytes)
{
    if (plan->num < MOST_TASKS) {
        plan->task[plan->num++] = (struct task){.kind = kind, .bytes = bytes};
    }
}

/* Three sizes to an octave, and the greatest; those of 64 bytes and more are multiples of 8. */
static int scan_sizes(const tune_options_t *o, size_t size[TUNE_MOST_SIZES])
{
    enum { UNIT = 8, ALIGNED_FROM = 64 };
    int num = 0;

    for (int i = 0; num + 1 < TUNE_MOST_SIZES; i++) {
        size_t bytes = (size_t) ((double) o->least * pow(2, i / 3.0) + 0.5);

        if (bytes >= ALIGNED_FROM) {
            bytes = bytes / UNIT * UNIT;
        }
        bytes = bytes < o->least ? o->least : bytes;
        if (bytes >= o->most) {
            break;
        }
        if (0 == num || bytes > size[num - 1]) {
            size[num++] = bytes;
        }
    }
    size[num++] = o->most;
    return num;
}

/* The first messages open connections, to the largest size's buffers, too. */
static void warm_up(tune_t *t)
{
    for (int i = 0; i < t->num_peers; i++) {
        (void) tune_measure(t, TUNE_MESSAGE, t->options.least, t->peer[i]);
    }
    for (int kind = TUNE_GATHER; kind <= TUNE_SCATTER; kind++) {
        (void) tune_measure(t, (tune_kind_t) kind, t->options.least, 0);
        (void) tune_measure(t, (tune_kind_t) kind, t->options.most, 0);
    }
}

/* ---- fitting ---- */

static void close_fit(tune_fit_t *fit)
{
    napcoll_incast_gather_close(&fit->gather);
    napcoll_incast_scatter_close(&fit->scatter);
}

static napcoll_incast_result_t fit(tune_t *t)
{
    const tune_samples_t *s = t->samples;
    const int others = t->ranks - 1;
    napcoll_incast_result_t result;
    tune_fit_t *f = &t->fit;

    close_fit(f);
    result = napcoll_incast_line(s[TUNE_MESSAGE].sample, s[TUNE_MESSAGE].count, &f->message);
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_scatter(s[TUNE_SCATTER].sample, s[TUNE_SCATTER].count, &f->scatter);
    }
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_gather(s[TUNE_GATHER].sample, s[TUNE_GATHER].count, others,
                                       &f->message, &f->gather);
    }
    if (NAPCOLL_INCAST_OK == result) {
        f->model = napcoll_incast_model(&f->message, &f->gather, &f->scatter, others);
    }
    return result;
}

static void add_between(struct plan *plan, tune_kind_t kind, size_t below, size_t above)
{
    const size_t bytes = napcoll_incast_between(below, above);

    if (bytes > 0) {
        add_task(plan, kind, bytes);
    }
}

/* Measure between the sizes that M1, M2 and S lie between, and fit anew, until there is nothing between or
 * the time is over. What is out by then has few samples at the last sizes, which are left out. */
static napcoll_incast_result_t narrow_down(tune_t *t, tune_watch_t *watch)
{
    enum { MOST_ROUNDS = 8 };

    for (int round = 0; round < MOST_ROUNDS && MPI_Wtime() < watch->deadline; round++) {
        struct plan plan = {.turns = t->options.repetitions, .what = "between sizes"};
        const tune_fit_t *f = &t->fit;
        napcoll_incast_result_t result;

        if (f->gather.escalates) {
            add_between(&plan, TUNE_GATHER, f->gather.below_m1, f->gather.m1);
            add_between(&plan, TUNE_GATHER, f->gather.m2, f->gather.above_m2);
        }
        if (f->scatter.leaps) {
            add_between(&plan, TUNE_SCATTER, f->scatter.below_s, f->scatter.s);
        }
        if (0 == plan.num) {
            break;
        }
        (void) run_plan(t, &plan, watch);
        result = fit(t);
        if (NAPCOLL_INCAST_OK != result) {
            return result;
        }
    }
    return NAPCOLL_INCAST_OK;
}

static void plan_scan(const tune_options_t *o, struct plan *plan)
{
    size_t size[TUNE_MOST_SIZES];
    const int sizes = scan_sizes(o, size);

    for (int i = 0; i < sizes; i++) {
        for (int kind = 0; kind < TUNE_KINDS; kind++) {
            add_task(plan, (tune_kind_t) kind, size[i]);
        }
    }
}

int tune_scan(tune_t *t, double limit, char message[TUNE_TEXT])
{
    struct plan plan = {.turns = t->options.repetitions, .what = "all sizes"};
    tune_watch_t watch = tune_watch(limit);
    napcoll_incast_result_t result;

    watch.deadline = watch.begin + scan_share * limit;
    plan_scan(&t->options, &plan);
    warm_up(t);
    t->turns = run_plan(t, &plan, &watch);
    if (t->turns < NAPCOLL_INCAST_LEAST_SAMPLES) {
        snprintf(
            message, TUNE_TEXT,
            "--time-limit %g: it takes %d turns through all sizes, and %d were complete in the "
            "%.2g s that the scan has; give more, or a smaller --max",
            t->options.time_limit, NAPCOLL_INCAST_LEAST_SAMPLES, t->turns, scan_share * limit);
        return TUNE_FAILED;
    }
    watch.deadline = watch.begin + limit;
    result = fit(t);
    if (NAPCOLL_INCAST_OK == result) {
        result = narrow_down(t, &watch);
    }
    t->seconds = MPI_Wtime() - watch.begin;
    if (NAPCOLL_INCAST_OK != result) {
        snprintf(message, TUNE_TEXT, "no model: %s", napcoll_incast_result_text(result));
        return TUNE_FAILED;
    }
    return TUNE_GOOD;
}

void tune_scan_close(tune_t *t)
{
    for (int kind = 0; kind < TUNE_KINDS; kind++) {
        free(t->samples[kind].sample);
    }
    close_fit(&t->fit);
}
