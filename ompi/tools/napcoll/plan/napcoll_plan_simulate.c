/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan simulate: predicted times over nodes and sizes, as a table, a CSV file and drawings, from
 * the plans or from the papers' closed forms.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_simulate.h"
#include "napcoll_plan_tool.h"

/* What does not change between the rows of a table. */
typedef struct {
    options_t *options;
    napcoll_machine_t machine;
    values_t nodes;
    values_t bytes;
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS];
    int algorithms;
    FILE *csv;
    FILE *table;       /* NULL: none */
    samples_t samples; /* for --svg */
} study_t;

/* All placements are checked before anything is computed or written. */
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
    map = make_map(o); /* complains of --ppn and --map */
    if (!o->closed_form) {
        require_p2p(o);
    }
    require_uniform(o, map);
    napcoll_node_map_free(map);
}

/* ---- times ---- */

static void report(study_t *study, const napcoll_algorithm_t *algorithm, int ranks, int bytes,
                   double time_us)
{
    const options_t *o = study->options;

    if (NULL != o->svg) {
        keep_sample(&study->samples, (sample_t){.algorithm = algorithm,
                                                .nodes = o->nodes,
                                                .ranks = ranks,
                                                .bytes = bytes,
                                                .time_us = time_us});
    }
    if (NULL != study->table) {
        fprintf(study->table, "%8d %8d %11d  %-20s %14.3f\n", o->nodes, ranks, bytes,
                algorithm->name, time_us);
    }
    if (NULL != study->csv) {
        const char *quote = NULL == strchr(o->ppn, ',') ? "" : "\"";

        fprintf(study->csv, "%s,%s,%d,%s%s%s,%d,%.6f\n", o->collective->name, algorithm->name,
                o->nodes, quote, o->ppn, quote, bytes, time_us);
    }
}

static void report_skipped(const study_t *study, const napcoll_algorithm_t *algorithm,
                           const napcoll_node_map_t *map, const char *reason)
{
    if (NULL != study->table) {
        fprintf(study->table, "%8d %8d %11s  %-20s %14s  %s\n", map->nodes, map->size, "any",
                algorithm->name, "-", reason);
    }
}

static void use_closed_form(study_t *study, const napcoll_algorithm_t *algorithm,
                            const napcoll_node_map_t *map)
{
    napcoll_closed_form_t form = napcoll_model_closed_form(study->options->collective->name,
                                                           algorithm->name);

    for (int i = 0; i < study->bytes.count; i++) {
        report(study, algorithm, map->size, study->bytes.value[i],
               form(&study->machine, map->nodes, map->max_ppn, study->bytes.value[i]));
    }
}

static napcoll_simulate_status_t simulate_plans(study_t *study,
                                                const napcoll_algorithm_t *algorithm,
                                                const napcoll_node_map_t *map)
{
    napcoll_generator_t generator = generator_of(study->options, algorithm, map);
    napcoll_simulation_t *simulation;
    napcoll_simulate_status_t status;

    if (guess_steps(&generator) > MOST_STEPS) {
        report_skipped(study, algorithm, map, "its plans have too many steps to be simulated");
        return NAPCOLL_SIMULATE_OK;
    }
    status = napcoll_simulation_create(map, napcoll_generator_plan, &generator, &simulation);
    for (int i = 0; NAPCOLL_SIMULATE_OK == status && i < study->bytes.count; i++) {
        double time_us;

        status = napcoll_simulation_run(simulation, &study->machine, study->bytes.value[i],
                                        &time_us);
        if (NAPCOLL_SIMULATE_OK == status) {
            report(study, algorithm, map->size, study->bytes.value[i], time_us);
        }
    }
    napcoll_simulation_free(simulation);
    return status;
}

/* All algorithms and sizes on one number of nodes. */
static int study_nodes(study_t *study, int nodes)
{
    options_t *o = study->options;
    napcoll_node_map_t *map;
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OK;

    o->nodes = nodes;
    o->ranks = 0;
    map = make_map(o);
    for (int i = 0; i < study->algorithms && NAPCOLL_SIMULATE_OK == status; i++) {
        const napcoll_algorithm_t *algorithm = study->algorithm[i];
        napcoll_reason_t reason = napcoll_algorithm_eligible(algorithm, map, &o->params);

        if (NAPCOLL_REASON_NONE != reason) {
            report_skipped(study, algorithm, map, napcoll_reason_help(reason));
        } else if (o->closed_form) {
            use_closed_form(study, algorithm, map);
        } else {
            status = simulate_plans(study, algorithm, map);
        }
        if (NAPCOLL_SIMULATE_OK != status) {
            fprintf(stderr, "napcoll-plan: %s on %d nodes: %s\n", algorithm->name, nodes,
                    napcoll_simulate_status_help(status));
        }
        if (NULL != study->table) {
            (void) fflush(study->table);
        }
    }
    napcoll_node_map_free(map);
    return NAPCOLL_SIMULATE_OK == status ? 0 : -1;
}

static void open_outputs(study_t *study)
{
    const options_t *o = study->options;

    study->csv = open_csv(o, "coll,algorithm,nodes,ppn,bytes,time_us");
    if (stdout != study->csv) {
        study->table = stdout;
        fprintf(study->table, "%s, %s ranks per node, %s, %s\n\n%8s %8s %11s  %-20s %14s\n",
                o->collective->name, o->ppn, o->machine,
                o->closed_form ? "closed forms" : "simulated plans", "nodes", "ranks", "bytes",
                "algorithm", "time us");
    }
}

int simulate(options_t *o)
{
    static study_t study; /* its ranges are large */
    unsigned drawings = 0;
    int rc = 0;

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
    for (int i = 0; i < study.nodes.count && 0 == rc; i++) {
        rc = study_nodes(&study, study.nodes.value[i]);
    }
    rc = 0 == close_csv(o, study.csv) ? rc : -1;
    if (0 == rc && NULL != o->svg) {
        rc = draw_plots(o, &study.samples, drawings);
    }
    free(study.samples.sample);
    return 0 == rc && 0 == fflush(stdout) && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
