/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * M1, M2 and S of gather and scatter. Rank 0 only.
 *
 * A turn measures every size with gather, scatter and a message, in an order shuffled anew. There
 * are three sizes to an octave. Then come sizes between: M1 lies between the least size that
 * escalates and the next below it, M2 and S likewise, and the size half way narrows that down.
 */

#include <math.h>

#include "tune/napcoll_tune.h"

enum { MOST_SIZES = 80 };

/* The scan has this share of the time; narrowing down has the rest. */
static const double scan_share = 0.7;

/* ---- tasks ---- */

/* Rank 0's peer in a turn: the first process of another node; on a single node any other
 * process. */
static int peer_of(const tune_t *t, int turn)
{
    const tune_nodes_t *n = &t->node;

    return 1 == n->num ? 1 + turn % (t->ranks - 1) : tune_rank_at(n, 1 + turn % (n->num - 1), 0);
}

static void add(tune_list_t *list, tune_kind_t kind, size_t bytes, napcoll_timings_t *times)
{
    tune_add_task(list, &(tune_task_t){.probe = {.kind = kind, .bytes = bytes}, .times = times});
}

static void add_size(tune_t *t, tune_list_t *list, size_t bytes)
{
    add(list, TUNE_GATHER, bytes, &t->scan.gathers);
    add(list, TUNE_SCATTER, bytes, &t->scan.scatters);
    add(list, TUNE_PING, bytes, &t->scan.messages);
}

/* Take turns until the deadline. Returns how many were complete. */
static int take_turns(tune_t *t, tune_list_t *list, double deadline, const char *name)
{
    tune_progress_t progress = {.part = TUNE_MACHINE == t->options.command ? 2 : 1,
                                .name = name,
                                .step = "turn",
                                .least = t->options.repetitions,
                                .most = t->options.repetitions};
    int turn = 0;

    for (; turn < t->options.repetitions; turn++) {
        for (int i = 0; i < list->num; i++) {
            tune_probe_t *probe = &list->task[i].probe;

            if (TUNE_PING == probe->kind) {
                probe->count = probe->inner = 1;
                probe->to = peer_of(t, turn);
            }
        }
        progress.done = turn;
        if (!tune_take_turn(t, list, deadline, &progress)) {
            t->scan.out_of_time = true;
            break;
        }
    }
    tune_tell_end();
    return turn;
}

/* Three sizes to an octave, and the greatest; sizes of 64 bytes and more are multiples of 8. */
static void add_sizes(tune_t *t, tune_list_t *list)
{
    enum { UNIT = 8, ALIGNED_FROM = 64 };
    const tune_options_t *o = &t->options;
    size_t last = 0;

    for (int i = 0; i + 1 < MOST_SIZES; i++) {
        size_t bytes = (size_t) ((double) o->least * pow(2, i / 3.0) + 0.5);

        if (bytes >= ALIGNED_FROM) {
            bytes = bytes / UNIT * UNIT;
        }
        bytes = bytes < o->least ? o->least : bytes;
        if (bytes >= o->most) {
            break;
        }
        if (bytes > last) {
            add_size(t, list, bytes);
        }
        last = bytes;
    }
    add_size(t, list, o->most);
}

/* The first messages open connections, and make buffers for the largest size. */
static void warm_up(tune_t *t)
{
    const size_t size[] = {t->options.least, t->options.most};
    double seconds[2 * TUNE_MOST_ROUNDS];

    for (int i = 0; i < 2; i++) {
        tune_probe(t, &(tune_probe_t){.kind = TUNE_GATHER, .bytes = size[i]}, seconds);
        tune_probe(t, &(tune_probe_t){.kind = TUNE_SCATTER, .bytes = size[i]}, seconds);
    }
}

/* ---- fitting ---- */

static void close_fit(tune_scan_t *scan)
{
    napcoll_incast_gather_close(&scan->gather);
    napcoll_incast_scatter_close(&scan->scatter);
}

/* Samples as the fits want them; the caller frees them. */
static napcoll_incast_sample_t *samples_of(const napcoll_timings_t *timings)
{
    napcoll_incast_sample_t *sample = napcoll_allocate(timings->count + 1, sizeof(*sample));

    for (size_t i = 0; i < timings->count; i++) {
        sample[i].bytes = (size_t) timings->timing[i].x;
        sample[i].seconds = timings->timing[i].seconds;
    }
    return sample;
}

static napcoll_incast_result_t fit(tune_t *t)
{
    const int others = t->ranks - 1;
    tune_scan_t *s = &t->scan;
    napcoll_incast_sample_t *messages = samples_of(&s->messages);
    napcoll_incast_sample_t *gathers = samples_of(&s->gathers);
    napcoll_incast_sample_t *scatters = samples_of(&s->scatters);
    napcoll_incast_result_t result;

    close_fit(s);
    result = napcoll_incast_line(messages, s->messages.count, &s->message);
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_scatter(scatters, s->scatters.count, &s->scatter);
    }
    if (NAPCOLL_INCAST_OK == result) {
        result = napcoll_incast_gather(gathers, s->gathers.count, others, &s->message, &s->gather);
    }
    if (NAPCOLL_INCAST_OK == result) {
        s->model = napcoll_incast_model(&s->message, &s->gather, &s->scatter, others);
    }
    free(messages);
    free(gathers);
    free(scatters);
    return result;
}

/* Measure between the sizes that M1, M2 and S lie between, and fit anew, until there is nothing
 * between or the time is over. Sizes with few samples are left out by the fits. */
static napcoll_incast_result_t narrow_down(tune_t *t, tune_list_t *list, double deadline)
{
    enum { MOST_ROUNDS = 8 };
    const napcoll_incast_gather_t *g = &t->scan.gather;
    const napcoll_incast_scatter_t *s = &t->scan.scatter;
    napcoll_incast_result_t result = NAPCOLL_INCAST_OK;

    for (int round = 0;
         NAPCOLL_INCAST_OK == result && round < MOST_ROUNDS && MPI_Wtime() < deadline; round++) {
        const size_t m1 = g->escalates ? napcoll_incast_between(g->below_m1, g->m1) : 0;
        const size_t m2 = g->escalates ? napcoll_incast_between(g->m2, g->above_m2) : 0;
        const size_t leap = s->leaps ? napcoll_incast_between(s->below_s, s->s) : 0;

        list->num = 0;
        if (m1 > 0) {
            add(list, TUNE_GATHER, m1, &t->scan.gathers);
        }
        if (m2 > 0) {
            add(list, TUNE_GATHER, m2, &t->scan.gathers);
        }
        if (leap > 0) {
            add(list, TUNE_SCATTER, leap, &t->scan.scatters);
        }
        if (0 == list->num) {
            break;
        }
        (void) take_turns(t, list, deadline, "between sizes");
        result = fit(t);
    }
    return result;
}

int tune_scan(tune_t *t, double deadline, char message[TUNE_TEXT])
{
    const double begin = MPI_Wtime(), limit = scan_share * (deadline - begin);
    tune_list_t *list = napcoll_allocate(1, sizeof(*list));
    tune_scan_t *scan = &t->scan;
    napcoll_incast_result_t result = NAPCOLL_INCAST_TOO_FEW;

    add_sizes(t, list);
    warm_up(t);
    scan->turns = take_turns(t, list, begin + limit, "all sizes");
    if (scan->turns >= NAPCOLL_INCAST_LEAST_SAMPLES) {
        result = fit(t);
        if (NAPCOLL_INCAST_OK == result) {
            result = narrow_down(t, list, deadline);
        }
    }
    free(list);
    scan->seconds = MPI_Wtime() - begin;
    if (scan->turns < NAPCOLL_INCAST_LEAST_SAMPLES) {
        snprintf(
            message, TUNE_TEXT,
            "--time-limit %g: it takes %d turns through all sizes, and %d were complete in the "
            "%.2g s that the scan has; give more time, or a smaller --max",
            t->options.time_limit, NAPCOLL_INCAST_LEAST_SAMPLES, scan->turns, limit);
    } else if (NAPCOLL_INCAST_OK != result) {
        snprintf(message, TUNE_TEXT, "no model: %s", napcoll_incast_result_text(result));
    }
    return NAPCOLL_INCAST_OK == result ? TUNE_GOOD : TUNE_FAILED;
}

/* M1 less two fifths: messages just below M1 escalate now and then, and a gather in many pieces
 * takes that chance as often. Escalation that costs less than the call itself is not avoided, as
 * pieces cost time, too. */
napcoll_thresholds_t tune_thresholds(const tune_scan_t *scan)
{
    const size_t m1 = scan->gather.m1;
    napcoll_thresholds_t thresholds = {.scatter_s = scan->scatter.s};

    if (napcoll_incast_gather_loss(&scan->gather) >= 1) {
        thresholds.gather_m1 = m1 - m1 / 5 * 2;
        thresholds.gather_m2 = scan->gather.m2;
    }
    return thresholds;
}

void tune_scan_close(tune_t *t)
{
    napcoll_timings_close(&t->scan.gathers);
    napcoll_timings_close(&t->scan.scatters);
    napcoll_timings_close(&t->scan.messages);
    close_fit(&t->scan);
}
