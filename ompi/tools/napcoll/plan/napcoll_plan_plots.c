/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The drawings of simulate: time over size, time over processes, and a map of the fastest
 * algorithm over both.
 */

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_plot.h"
#include "napcoll_plan_tool.h"

/* The times of one run. */
typedef struct {
    const options_t *options;
    const samples_t *samples;
    /* Those with times or without, in the order of the table. */
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS];
    int algorithms;
    /* The largest number of nodes with a time, and the smallest size. */
    int most_nodes, least_bytes;
} study_t;

static int algorithm_of(const study_t *study, const sample_t *sample)
{
    int index = 0;

    while (index < study->algorithms && study->algorithm[index] != sample->algorithm) {
        index++;
    }
    return index;
}

static study_t study_of(const options_t *o, const samples_t *samples)
{
    study_t study = {.options = o, .samples = samples, .least_bytes = samples->sample->bytes};

    for (size_t i = 0; i < samples->count; i++) {
        const sample_t *sample = &samples->sample[i];
        const int index = algorithm_of(&study, sample);

        if (!isnan(sample->time_us) && sample->nodes > study.most_nodes) {
            study.most_nodes = sample->nodes;
        }
        if (index == study.algorithms) {
            study.algorithm[study.algorithms++] = sample->algorithm;
        }
    }
    return study;
}

/* ---- plots ---- */

static napcoll_axis_t byte_axis(const options_t *o)
{
    return (napcoll_axis_t){.unit = NAPCOLL_AXIS_BYTES,
                            .label = sized_by_rank(o->collective) ? "size of the block of a rank"
                                                                  : "size of the vector"};
}

/* A plot with a line for each algorithm; the title is the collective's name and a subject. */
static napcoll_plot_t plot_of(const study_t *study, const char *subject)
{
    const options_t *o = study->options;
    napcoll_plot_t plot = {.lines = study->algorithms};

    (void) snprintf(plot.title, sizeof(plot.title), "%s %.120s, %.40s process%s per node",
                    o->collective->name, subject, o->ppn, 0 == strcmp(o->ppn, "1") ? "" : "es");
    name_origin(o, plot.origin);
    for (int i = 0; i < study->algorithms; i++) {
        plot.line[i].name = study->algorithm[i]->name;
    }
    return plot;
}

static void add_time(napcoll_plot_t *plot, int line, int x, double time_us)
{
    napcoll_plot_add(plot, line, &(napcoll_plot_point_t){x, time_us, time_us, time_us});
}

/* Over sizes, on the largest number of nodes with a time. */
static napcoll_plot_t plot_sizes(const study_t *study)
{
    char subject[64];
    napcoll_plot_t plot;

    (void) snprintf(subject, sizeof(subject), "on %d node%s", study->most_nodes,
                    plural(study->most_nodes));
    plot = plot_of(study, subject);
    plot.x = byte_axis(study->options);
    plot.y = (napcoll_axis_t){.unit = NAPCOLL_AXIS_TIME, .label = "time"};
    for (size_t i = 0; i < study->samples->count; i++) {
        const sample_t *sample = &study->samples->sample[i];

        if (sample->nodes == study->most_nodes) {
            add_time(&plot, algorithm_of(study, sample), sample->bytes, sample->time_us);
        }
    }
    for (int i = 0; i < plot.lines; i++) {
        if (0 == plot.line[i].points) {
            (void) snprintf(plot.line[i].note, sizeof(plot.line[i].note), "(not simulated)");
        }
    }
    return plot;
}

/* Over processes, of the smallest size. */
static napcoll_plot_t plot_processes(const study_t *study)
{
    char subject[64];
    napcoll_plot_t plot;

    (void) snprintf(subject, sizeof(subject), "of %d byte%s", study->least_bytes,
                    plural(study->least_bytes));
    plot = plot_of(study, subject);
    plot.x = (napcoll_axis_t){.unit = NAPCOLL_AXIS_NUMBER, .label = "processes"};
    plot.y = (napcoll_axis_t){.unit = NAPCOLL_AXIS_TIME, .label = "time"};
    for (size_t i = 0; i < study->samples->count; i++) {
        const sample_t *sample = &study->samples->sample[i];

        if (sample->bytes == study->least_bytes) {
            add_time(&plot, algorithm_of(study, sample), sample->ranks, sample->time_us);
        }
    }
    return plot;
}

/* ---- the fastest over nodes and size ---- */

/* The fastest algorithm of the nodes and the size of a sample, the first of them; -1: an algorithm
 * was not simulated there, and nobody knows. Samples are in the order of nodes. */
static int fastest(const study_t *study, size_t first)
{
    const sample_t *best = &study->samples->sample[first], *all = study->samples->sample;

    for (size_t i = first; i < study->samples->count && all[i].nodes == all[first].nodes; i++) {
        if (all[i].bytes != all[first].bytes) {
            continue;
        }
        if (isnan(all[i].time_us)) {
            return -1;
        }
        best = all[i].time_us < best->time_us ? &all[i] : best;
    }
    return algorithm_of(study, best);
}

/* Whether a sample is the first of its nodes and size. */
static bool is_first(const study_t *study, size_t index)
{
    const sample_t *sample = &study->samples->sample[index];

    for (size_t i = index; i > 0 && study->samples->sample[i - 1].nodes == sample->nodes; i--) {
        if (study->samples->sample[i - 1].bytes == sample->bytes) {
            return false;
        }
    }
    return true;
}

static napcoll_plot_t plot_crossover(const study_t *study)
{
    napcoll_plot_t plot = plot_of(study, "by the fastest algorithm");
    const int unknown = plot.lines;

    plot.map = true;
    plot.x = (napcoll_axis_t){.unit = NAPCOLL_AXIS_NUMBER, .label = "nodes"};
    plot.y = byte_axis(study->options);
    plot.line[unknown] = (napcoll_plot_line_t){.name = "not simulated", .unknown = true};
    for (size_t i = 0; i < study->samples->count; i++) {
        const sample_t *sample = &study->samples->sample[i];

        if (is_first(study, i)) {
            const int best = fastest(study, i);

            napcoll_plot_add(&plot, best < 0 ? unknown : best,
                             &(napcoll_plot_point_t){.x = sample->nodes, .y = sample->bytes});
        }
    }
    for (int i = 0; i < study->algorithms; i++) {
        if (0 == plot.line[i].points) {
            (void) snprintf(plot.line[i].note, sizeof(plot.line[i].note), "(nowhere)");
        }
    }
    plot.lines += plot.line[unknown].points > 0 ? 1 : 0;
    return plot;
}

/* ---- files ---- */

/* The drawings: the file is PREFIX-NAME.svg. */
static const struct drawing {
    const char *name;
    /* It needs several sizes, several numbers of nodes, and this number of algorithms. */
    bool sizes, nodes;
    int least;
    napcoll_plot_t (*plot)(const study_t *study);
} drawings[] = {{"size", true, false, 1, plot_sizes},
                {"processes", false, true, 1, plot_processes},
                {"crossover", true, true, 2, plot_crossover}};

enum { DRAWINGS = sizeof(drawings) / sizeof(drawings[0]) };

static void file_name(const options_t *o, const struct drawing *drawing, char name[PATH_MAX])
{
    if (snprintf(name, PATH_MAX, "%s-%s.svg", o->svg, drawing->name) >= PATH_MAX) {
        complain("--svg %s: expected a shorter name", o->svg);
    }
}

unsigned check_plots(const options_t *o, const values_t *nodes, const values_t *bytes,
                     int algorithms)
{
    char name[PATH_MAX], message[NAPCOLL_PLOT_MESSAGE];
    unsigned which = 0;

    for (int i = 0; i < DRAWINGS; i++) {
        if ((!drawings[i].sizes || bytes->count > 1) && (!drawings[i].nodes || nodes->count > 1)
            && algorithms >= drawings[i].least) {
            which |= 1U << i;
        }
    }
    if (0 == which) {
        complain("--svg %s: expected a range FROM:TO as --bytes, --nodes or both, to draw times "
                 "over",
                 o->svg);
    }
    for (int i = 0; i < DRAWINGS; i++) {
        file_name(o, &drawings[i], name);
        if (0 != (which & 1U << i) && !napcoll_plot_check(name, message)) {
            fprintf(stderr, "napcoll-plan: %s\n", message);
            exit(EXIT_FAILURE);
        }
    }
    return which;
}

static int draw_one(const study_t *study, const struct drawing *drawing)
{
    char name[PATH_MAX], message[NAPCOLL_PLOT_MESSAGE];
    napcoll_plot_t plot = drawing->plot(study);
    bool drawn = false;

    file_name(study->options, drawing, name);
    if (napcoll_plot_points(&plot) > 0) {
        drawn = napcoll_plot_draw(&plot, name, message);
    } else {
        (void) snprintf(message, sizeof(message), "--svg %.256s: no times and sizes above 0", name);
    }
    napcoll_plot_free(&plot);
    if (!drawn) {
        fprintf(stderr, "napcoll-plan: %s\n", message);
    }
    return drawn ? EXIT_SUCCESS : EXIT_FAILURE;
}

int draw_plots(const options_t *o, const samples_t *samples, unsigned which)
{
    int rc = EXIT_SUCCESS;
    study_t study;

    if (0 == which) {
        return rc;
    }
    if (0 == samples->count) {
        fprintf(stderr, "napcoll-plan: --svg %s: no times to draw\n", o->svg);
        return EXIT_FAILURE;
    }
    study = study_of(o, samples);
    for (int i = 0; i < DRAWINGS && EXIT_SUCCESS == rc; i++) {
        if (0 != (which & 1U << i)) {
            rc = draw_one(&study, &drawings[i]);
        }
    }
    return rc;
}
