/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan simulate: predicted times over nodes and sizes, as a table, a CSV file and
 * drawings, from the plans or from the papers' closed forms.
 */

#include <math.h>
#include <stdlib.h>

#include "common/napcoll_closed_form.h"
#include "model/napcoll_simulate.h"
#include "napcoll_plan_tool.h"

const char *napcoll_simulate_status_help(napcoll_simulate_status_t status)
{
    static const char *const help[NAPCOLL_SIMULATE_STATUSES] = {
        [NAPCOLL_SIMULATE_OK] = "no error",
        [NAPCOLL_SIMULATE_OUT_OF_MEMORY] = "out of memory",
        [NAPCOLL_SIMULATE_UNMATCHED] = "a message has no receive, or a receive no message",
        [NAPCOLL_SIMULATE_DEADLOCK] = "ranks wait for one another",
        [NAPCOLL_SIMULATE_PHASE] = "the plans have phases of another component"};

    return help[status];
}

/* What does not change between the rows of a table. */
typedef struct {
    options_t *options;
    napcoll_machine_t machine;
    values_t nodes;
    values_t bytes;
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS];
    int algorithms;
    /* NULL: none */
    FILE *csv, *table;
    /* For --svg. */
    samples_t samples;
    /* Progress: the ranks of all numbers of nodes, with each size and the plans; and those done. */
    napcoll_progress_t progress;
    double work, done;
} study_t;

/* Check all placements before anything is computed or written. */
static void check_placements(const study_t *study)
{
    options_t *o = study->options;
    const int largest = study->nodes.value[study->nodes.count - 1];
    const int most = o->closed_form ? MOST_RANKS : MOST_SIMULATED;
    napcoll_node_map_t *map;

    if (count_ranks(o->ppn, largest) > most) {
        complain("--nodes %s: %d nodes of --ppn %s: expected at most %d ranks in all%s",
                 o->node_range, largest, o->ppn, most,
                 o->closed_form ? "" : " (--closed-form takes more)");
    }
    o->nodes = largest;
    /* Checks --ppn and --map */
    map = make_map(o);
    if (!o->closed_form) {
        require_own_phases(o);
    }
    require_uniform(o, map);
    free_map(o, map);
}

/* ---- times ---- */

/* Keep a time for --svg. */
static void keep_sample(study_t *study, const sample_t *sample)
{
    samples_t *all = &study->samples;

    if (NULL != study->options->svg) {
        all->sample = napcoll_memory_grow(all->sample, all->count, sizeof(*all->sample));
        all->sample[all->count++] = *sample;
    }
}

static void report(study_t *study, sample_t sample)
{
    const options_t *o = study->options;

    keep_sample(study, &sample);
    napcoll_progress_clear(&study->progress);
    if (NULL != study->table) {
        fprintf(study->table, "%8d %8d %11d  %-20s %14.3f\n", sample.nodes, sample.ranks,
                sample.bytes, sample.algorithm->name, sample.time_us);
    }
    if (NULL != study->csv) {
        fprintf(study->csv, "%s,%s,%d,", o->collective->name, sample.algorithm->name, sample.nodes);
        put_ppn(o, study->csv);
        fprintf(study->csv, ",%d,%.6f\n", sample.bytes, sample.time_us);
    }
}

static void report_skipped(study_t *study, const napcoll_algorithm_t *algorithm,
                           const napcoll_node_map_t *map, const char *reason)
{
    napcoll_progress_clear(&study->progress);
    if (NULL != study->table) {
        fprintf(study->table, "%8d %8d %11s  %-20s %14s  %s\n", map->nodes, map->size, "any",
                algorithm->name, "-", reason);
    }
}

/* An algorithm that takes too long to be simulated might be the fastest. */
static void report_unknown(study_t *study, const napcoll_algorithm_t *algorithm,
                           const napcoll_node_map_t *map)
{
    report_skipped(study, algorithm, map, "its plans have too many steps to be simulated");
    for (int i = 0; i < study->bytes.count; i++) {
        keep_sample(study, &(sample_t){.algorithm = algorithm,
                                       .nodes = map->nodes,
                                       .ranks = map->size,
                                       .bytes = study->bytes.value[i],
                                       .time_us = NAN});
    }
}

/* Prepare the simulation of an algorithm, and show how far that is. */
static napcoll_simulate_status_t prepare(study_t *study, napcoll_generator_t *generator,
                                         napcoll_simulation_t **simulation)
{
    const napcoll_node_map_t *map = generator->args.map;
    watched_t watched = {.generator = generator,
                         .progress = &study->progress,
                         .before = study->done / study->work,
                         .after = (study->done + map->size) / study->work};

    return napcoll_simulation_create(map, make_watched_plan, &watched, simulation);
}

/* Some work is done: the plans of all ranks, or a size. */
static void advance(study_t *study, const napcoll_node_map_t *map,
                    const napcoll_algorithm_t *algorithm, int sizes)
{
    study->done += map->size;
    napcoll_progress_tell(&study->progress, study->done / study->work,
                          "%d nodes, %s, %d of %d sizes", map->nodes, algorithm->name, sizes,
                          study->bytes.count);
}

/* Report all sizes of an algorithm, by its closed form or by simulation. */
static napcoll_simulate_status_t study_algorithm(study_t *study,
                                                 const napcoll_algorithm_t *algorithm,
                                                 const napcoll_node_map_t *map)
{
    const options_t *o = study->options;
    const napcoll_closed_form_t form = napcoll_model_closed_form(o->collective->name,
                                                                 algorithm->name);
    napcoll_generator_t generator = generator_of(o, algorithm, map);
    napcoll_simulation_t *simulation = NULL;
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OK;

    if (!o->closed_form) {
        if (has_too_many_steps(&generator, false)) {
            report_unknown(study, algorithm, map);
            return status;
        }
        status = prepare(study, &generator, &simulation);
        advance(study, map, algorithm, 0);
    }
    for (int i = 0; NAPCOLL_SIMULATE_OK == status && i < study->bytes.count; i++) {
        sample_t sample = {.algorithm = algorithm,
                           .nodes = map->nodes,
                           .ranks = map->size,
                           .bytes = study->bytes.value[i]};

        if (o->closed_form) {
            sample.time_us = form(&study->machine, map->nodes, map->max_ppn, sample.bytes);
        } else {
            status = napcoll_simulation_run(simulation, &study->machine, sample.bytes,
                                            &sample.time_us);
        }
        if (NAPCOLL_SIMULATE_OK == status) {
            report(study, sample);
        }
        advance(study, map, algorithm, i + 1);
    }
    napcoll_simulation_free(simulation);
    return status;
}

/* Report all algorithms on one number of nodes; returns the exit status. */
static int study_nodes(study_t *study, int nodes)
{
    options_t *o = study->options;
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OK;
    napcoll_node_map_t *map;

    o->nodes = nodes;
    o->ranks = 0;
    map = make_map(o);
    for (int i = 0; i < study->algorithms && NAPCOLL_SIMULATE_OK == status; i++) {
        const napcoll_algorithm_t *algorithm = study->algorithm[i];
        const double done = study->done + (1.0 + study->bytes.count) * map->size;
        const napcoll_reason_t reason = napcoll_algorithm_eligible(algorithm, map, &o->params);

        if (NAPCOLL_REASON_NONE != reason) {
            report_skipped(study, algorithm, map, napcoll_reason_help(reason));
        } else {
            status = study_algorithm(study, algorithm, map);
        }
        study->done = done;
        if (NAPCOLL_SIMULATE_OK != status) {
            napcoll_progress_clear(&study->progress);
            fprintf(stderr, "napcoll-plan: %s on %d nodes: %s\n", algorithm->name, nodes,
                    napcoll_simulate_status_help(status));
        }
        if (NULL != study->table) {
            (void) fflush(study->table);
        }
    }
    free_map(o, map);
    return NAPCOLL_SIMULATE_OK == status ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void open_outputs(study_t *study)
{
    const options_t *o = study->options;
    char origin[ORIGIN], graph[GRAPH_WORDS];

    name_origin(o, origin);
    study->csv = open_csv(o, origin, "coll,algorithm,nodes,ppn,bytes,time_us");
    if (stdout != study->csv) {
        study->table = stdout;
        fprintf(study->table, "%s%s, %s ranks per node, %s, %s\n\n%8s %8s %11s  %-20s %14s\n",
                o->collective->name, name_graph(o, graph), o->ppn, o->machine,
                o->closed_form ? "closed forms" : "simulated plans", "nodes", "ranks", "bytes",
                "algorithm", "time us");
    }
}

int simulate(options_t *o)
{
    /* Its ranges are large */
    static study_t study;
    unsigned drawings = 0;
    int rc = EXIT_SUCCESS, closed;

    study.options = o;
    o->node_range = NULL == o->node_range ? "1" : o->node_range;
    read_range("nodes", o->node_range, 1, RANGE_DOUBLES, 1, MOST_RANKS, &study.nodes);
    read_range("bytes", o->byte_range, default_bytes(o), RANGE_DOUBLES, 0, MOST_BYTES,
               &study.bytes);
    study.algorithms = choose_algorithms(o, study.algorithm);
    check_placements(&study);
    read_machine(o, &study.machine);
    if (NULL != o->svg) {
        drawings = check_plots(o, &study.nodes, &study.bytes, study.algorithms);
    }
    open_outputs(&study);
    napcoll_progress_begin(&study.progress, false);
    for (int i = 0; i < study.nodes.count; i++) {
        study.work += (1.0 + study.bytes.count) * study.algorithms
                      * count_ranks(o->ppn, study.nodes.value[i]);
    }
    for (int i = 0; i < study.nodes.count && EXIT_SUCCESS == rc; i++) {
        rc = study_nodes(&study, study.nodes.value[i]);
    }
    napcoll_progress_clear(&study.progress);
    closed = close_output("csv", o->csv, study.csv);
    rc = EXIT_SUCCESS == rc ? closed : rc;
    if (EXIT_SUCCESS == rc) {
        rc = draw_plots(o, &study.samples, drawings);
    }
    free(study.samples.sample);
    return rc;
}
