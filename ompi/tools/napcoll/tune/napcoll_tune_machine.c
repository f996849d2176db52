/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How a machine is measured. Rank 0 only.
 *
 *     explore      round trips of sizes that double, until one takes long
 *     turns        each task once, in an order shuffled anew: round trips of all sizes and levels,
 *                  bursts, round trips between pairs of nodes, reductions
 *     after some   sizes between, where the protocol changes; when the even and the odd turns make
 *     the
 *                  same machine, it is enough
 */

#include <math.h>
#include <unistd.h>

#include "tune/napcoll_tune.h"
#include "util/napcoll_mix.h"

enum {
    LEAST_TURNS = 2,  /* one in each half */
    STEADY_TURNS = 6, /* fewer turns do not prove that the halves agree */
    MOST_TURNS = 40,
    MOST_NARROWED = 10 /* sizes that are added where the protocol changes */
};

/* After this many seconds the rest of the time is for what follows: a machine that is not steady by
 * then will not be. */
static const double machine_enough = 150;

/* ---- progress ---- */

static bool has_bar(void)
{
    return 1 == isatty(STDERR_FILENO);
}

static int count_parts(const tune_options_t *o)
{
    const bool all = TUNE_MACHINE == o->command && NULL == o->only;

    return all ? 1 + o->thresholds + o->verify : 1;
}

void tune_tell(const tune_t *t, const tune_progress_t *p, double share)
{
    enum { WIDTH = 20, EVERY = 10 };
    static const char bar[] = "####################";
    static double told;
    const double now = MPI_Wtime(), left = fmax(t->end - now, 0);
    const int next = p->done < p->most ? p->done + 1 : p->most;
    const int all = p->done < p->least ? p->least : p->most;
    char text[160];

    snprintf(text, sizeof(text), "part %d of %d, %s: %s %d of %s%d, at most %.0f s left", p->part,
             count_parts(&t->options), p->name, p->step, next,
             p->done >= p->least && p->least < p->most ? "at most " : "", all, left);
    if (has_bar()) {
        fprintf(stderr, "\r[%-*.*s] %s ", WIDTH, (int) (WIDTH * fmin((p->done + share) / all, 1)),
                bar, text);
        fflush(stderr);
    } else if (now - fmax(told, t->begin) >= EVERY) {
        fprintf(stderr, "napcoll-tune: %s\n", text);
        told = now;
    }
}

void tune_tell_end(void)
{
    if (has_bar()) {
        fprintf(stderr, "\r%100s\r", "");
        fflush(stderr);
    }
}

/* ---- tasks ---- */

void tune_add_task(tune_list_t *list, const tune_task_t *task)
{
    if (list->num < TUNE_MOST_TASKS) {
        list->task[list->num++] = *task;
    }
}

static void add_time(napcoll_timings_t *timings, double x, double seconds, int turn)
{
    if (0 != napcoll_timings_add(timings, x, fmax(seconds, 0), turn)) {
        napcoll_out_of_memory();
    }
}

/* The seconds of one reduction. */
static double reduce(size_t bytes)
{
    enum { TIMES = 4 };
    char *data = napcoll_allocate(2, bytes);
    double start;

    /* touch new pages before the clock starts */
    memset(data, 0, 2 * bytes);
    start = MPI_Wtime();
    for (int i = 0; i < TIMES; i++) {
        napcoll_check(MPI_Reduce_local(data, data + bytes, (int) (bytes / sizeof(double)),
                                       MPI_DOUBLE, MPI_SUM),
                      "MPI_Reduce_local");
    }
    start = MPI_Wtime() - start;
    free(data);
    return start / TIMES;
}

static void run_task(tune_t *t, const tune_task_t *task, int turn)
{
    const tune_probe_t *probe = &task->probe;
    const bool burst = tune_is_burst(probe->kind);
    double seconds[2 * TUNE_MOST_ROUNDS];
    int times = 1;

    if (task->reduction) {
        seconds[0] = reduce(probe->bytes);
    } else {
        tune_probe(t, probe, seconds);
        times = tune_is_ping(probe->kind) ? probe->count : times;
        times = burst ? probe->inner : times;
    }
    for (int i = 0; i < times; i++) {
        add_time(task->times, (double) (burst ? (size_t) probe->count : probe->bytes), seconds[i],
                 turn);
        if (NULL != task->starts) {
            add_time(task->starts, 0, seconds[TUNE_MOST_ROUNDS + i], turn);
        }
    }
}

static void shuffle(tune_list_t *list, uint64_t *random)
{
    for (int i = list->num - 1; i > 0; i--) {
        const int other = (int) (napcoll_mix_next(random) % (uint64_t) (i + 1));
        const tune_task_t kept = list->task[i];

        list->task[i] = list->task[other];
        list->task[other] = kept;
    }
}

bool tune_take_turn(tune_t *t, tune_list_t *list, double deadline, const tune_progress_t *progress)
{
    shuffle(list, &t->random);
    for (int i = 0; i < list->num; i++) {
        if (MPI_Wtime() >= deadline) {
            return false;
        }
        run_task(t, &list->task[i], progress->done);
        tune_tell(t, progress, (i + 1.0) / list->num);
    }
    return true;
}

/* ---- fitting ---- */

/* Fit the machines of all turns, of the even and of the odd ones. */
static napcoll_calibrate_result_t fit_all(tune_machine_t *m)
{
    napcoll_calibrate_result_t result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ALL, &m->fit);

    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_EVEN, &m->half[0]);
    }
    if (NAPCOLL_CALIBRATE_OK == result) {
        result = napcoll_calibrate(&m->measured, NAPCOLL_TURNS_ODD, &m->half[1]);
    }
    m->unsteady = 0;
    for (int i = 0; NAPCOLL_CALIBRATE_OK == result && NULL != napcoll_machine_key(i); i++) {
        m->unsteady += napcoll_calibrate_apart(&m->half[0].machine, &m->half[1].machine, i)
                       > TUNE_STEADY;
    }
    return result;
}

/* Add a size half way between those that the protocol changes between, unless that is known. */
static void narrow_down(tune_machine_t *m)
{
    const double near = 1.03;
    const napcoll_change_t *cut = &m->fit.protocols[NAPCOLL_LEVEL_NETWORK].eager;

    if (cut->below > near * cut->after && !m->fit.limit_known) {
        tune_add_size(m, NAPCOLL_LEVEL_NETWORK, sqrt(cut->below * cut->after));
    }
}

/* What is no key of the machine: delays of nodes, and pairs by distance. */
static void fit_rest(tune_machine_t *m)
{
    int rc = 0;

    for (int i = 0; 0 == rc && i < m->pairs; i++) {
        rc = napcoll_timings_line(&m->pair_trip[i], NAPCOLL_TURNS_ALL, &m->pair[i].line);
    }
    if (0 == rc) {
        rc = napcoll_delays(m->pair, m->pairs, m->nodes, m->delay);
    }
    for (int i = 0; 0 == rc && i < m->distances; i++) {
        rc = napcoll_distances_measure(&m->distance_trip[i], m->distance_bytes, &m->distance[i]);
    }
    if (0 != rc) {
        napcoll_out_of_memory();
    }
}

/* ---- turns ---- */

/* A first use of everything makes connections and buffers; it does not count. */
static void warm_up(tune_t *t, tune_list_t *list)
{
    napcoll_timings_t nowhere = {0};

    for (int turn = 0; turn < t->node.num - 1 && turn < TUNE_MOST_NODES; turn++) {
        (void) tune_try_trip(t, tune_far_peer(t, turn), 65536);
    }
    tune_make_list(t, 0, list);
    for (int i = 0; i < list->num; i++) {
        tune_task_t task = list->task[i];

        task.times = &nowhere;
        task.starts = NULL;
        if (!tune_is_ping(task.probe.kind) || 8 == task.probe.bytes) {
            run_task(t, &task, 0);
        }
    }
    napcoll_timings_close(&nowhere);
}

/* Take all turns. Those without which there is no machine may take the time of what follows.
 * Returns the result of the last fit. */
static napcoll_calibrate_result_t take_turns(tune_t *t, tune_list_t *list, double deadline)
{
    tune_machine_t *m = &t->machine;
    const bool more = t->options.thresholds || t->options.verify;
    const double enough = more ? t->begin + machine_enough : deadline;
    napcoll_calibrate_result_t result = NAPCOLL_CALIBRATE_TOO_FEW;

    while (m->turns < MOST_TURNS) {
        const tune_progress_t progress = {.part = 1,
                                          .name = "machine",
                                          .step = "turn",
                                          .done = m->turns,
                                          .least = STEADY_TURNS,
                                          .most = MOST_TURNS};

        tune_make_list(t, m->turns, list);
        if (!tune_take_turn(t, list, m->turns < LEAST_TURNS ? t->end : deadline, &progress)) {
            m->out_of_time = true;
            break;
        }
        if (++m->turns < LEAST_TURNS) {
            continue;
        }
        result = fit_all(m);
        if (NAPCOLL_CALIBRATE_OK == result && m->turns >= STEADY_TURNS
            && (0 == m->unsteady || MPI_Wtime() > enough)) {
            break;
        }
        if (NAPCOLL_CALIBRATE_OK == result && m->turns < LEAST_TURNS + MOST_NARROWED) {
            narrow_down(m);
        }
    }
    tune_tell_end();
    return m->turns < LEAST_TURNS ? NAPCOLL_CALIBRATE_OK : fit_all(m);
}

int tune_machine(tune_t *t, double deadline, char message[TUNE_TEXT])
{
    tune_machine_t *m = &t->machine;
    tune_list_t *list = napcoll_allocate(1, sizeof(*list));
    napcoll_calibrate_result_t result;

    tune_prepare(t);
    warm_up(t, list);
    result = take_turns(t, list, deadline);
    free(list);
    m->seconds = MPI_Wtime() - t->begin;
    if (NAPCOLL_CALIBRATE_OK != result) {
        snprintf(message, TUNE_TEXT, "no machine: %s", napcoll_calibrate_result_text(result));
        return TUNE_FAILED;
    }
    if (m->turns < LEAST_TURNS) {
        snprintf(message, TUNE_TEXT,
                 "--time-limit %g: a machine takes %d turns, and %d were complete; give more time",
                 t->options.time_limit, LEAST_TURNS, m->turns);
        return TUNE_FAILED;
    }
    fit_rest(m);
    return TUNE_GOOD;
}

void tune_machine_close(tune_t *t)
{
    tune_machine_t *m = &t->machine;

    napcoll_measured_close(&m->measured);
    for (int i = 0; i < m->pairs; i++) {
        napcoll_timings_close(&m->pair_trip[i]);
    }
    for (int i = 0; i < m->distances; i++) {
        napcoll_timings_close(&m->distance_trip[i]);
    }
}
