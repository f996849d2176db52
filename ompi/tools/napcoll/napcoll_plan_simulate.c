/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan simulate: predicted times over nodes and sizes, as a table and as a CSV file, from the
 * plans or from the papers' closed forms.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_simulate.h"
#include "napcoll_plan.h"

enum {
    MOST_SIMULATED = 1 << 18, /* ranks; they take about 1 GB */
    MOST_VALUES = 1000,       /* of a range */
    MOST_BYTES = 1 << 30,
    MOST_ALGORITHMS = 16
};

/* The values of a range. */
typedef struct {
    int value[MOST_VALUES];
    int count;
} values_t;

/* What does not change between the rows of a table. */
typedef struct {
    options_t *options;
    napcoll_machine_t machine;
    values_t nodes;
    values_t bytes;
    const napcoll_algorithm_t *algorithm[MOST_ALGORITHMS];
    int algorithms;
    FILE *csv;
    FILE *table; /* NULL: none */
} study_t;

/* ---- arguments ---- */

/* A number with an optional K, M or G from *at on, which is moved behind it; -1 where there is none or
 * it is out of range. */
static long long scaled(const char **at, int least, int most)
{
    static const char units[] = "KMG";
    char *end;
    long long value;

    if (**at < '0' || **at > '9') {
        return -1;
    }
    errno = 0;
    value = strtoll(*at, &end, 10);
    if (0 != errno || value > most) {
        return -1;
    }
    for (int i = 0; '\0' != *end && i < 3; i++) {
        if (*end == units[i]) {
            value <<= 10 * (i + 1);
            end++;
            break;
        }
    }
    *at = end;
    return value >= least && value <= most ? value : -1;
}

/* Read a range N, FROM:TO, FROM:TO:xK or FROM:TO:+K. */
static void read_range(const char *option, const char *text, int least, int most, values_t *values)
{
    const char *at = text;
    long long from = scaled(&at, least, most), to = from, factor = 2, step = 0;
    bool good = from >= 0;

    if (good && ':' == *at) {
        at++;
        to = scaled(&at, least, most);
        good = to >= from;
    }
    if (good && ':' == *at && to != from && ('x' == at[1] || '+' == at[1])) {
        bool times = 'x' == at[1];

        at += 2;
        step = scaled(&at, times ? 2 : 1, most);
        good = step > 0;
        factor = times ? step : 1;
        step = times ? 0 : step;
    }
    if (!good || '\0' != *at || (0 == from && from != to && 0 == step)) {
        complain(
            "--%s %s: expected a number from %d to %d, a range FROM:TO of such, which doubles, "
            "or FROM:TO:xFACTOR or FROM:TO:+STEP",
            option, text, least, most);
    }
    for (values->count = 0; from <= to; from = from * factor + step) {
        if (MOST_VALUES == values->count) {
            complain("--%s %s: expected at most %d values; use a larger step", option, text,
                     MOST_VALUES);
        }
        values->value[values->count++] = (int) from;
    }
}

/* The folders of machine files: the user's, that beside the program's (of a build folder, or of an
 * installation that was moved), and where they are installed. The caller frees the list. */
static char *machine_folders(const char *program)
{
    const char *user = getenv("NAPCOLL_MACHINES");
    const char *slash = strrchr(program, '/');
    const int length = NULL == slash ? 0 : (int) (slash - program + 1);
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);

    if (NULL == out) {
        return NULL;
    }
    fprintf(out, "%s:", NULL == user ? "" : user);
    if (length > 0) {
        fprintf(out, "%.*s../share/napcoll/machines:", length, program);
    }
    fputs(NAPCOLL_MACHINES_FOLDER, out);
    if (0 != fclose(out)) {
        free(list);
        return NULL;
    }
    return list;
}

static void read_machine(study_t *study)
{
    const char *name = study->options->machine;
    napcoll_machine_error_t error;
    char path[PATH_MAX], *folders = machine_folders(study->options->program);
    FILE *in;
    int rc;

    if (NULL == name) {
        complain("--machine: missing; expected a machine file such as bluewaters.conf");
    }
    in = napcoll_machine_open(name, folders, path, sizeof(path));
    if (NULL == in) {
        complain("--machine %s: no such file that can be read, neither here nor in %s "
                 "(NAPCOLL_MACHINES names folders)",
                 name,
                 NULL == folders   ? ""
                 : ':' == *folders ? folders + 1
                                   : folders);
    }
    free(folders);
    rc = napcoll_machine_read(in, &study->machine, &error);
    (void) fclose(in);
    if (0 != rc && 0 == error.line) {
        complain("--machine %s: %s", path, error.text);
    }
    if (0 != rc) {
        complain("--machine %s:%d:%d: %s", path, error.line, error.column, error.text);
    }
}

static void choose_algorithms(study_t *study)
{
    const napcoll_collective_t *collective = study->options->collective;

    for (int row = 0; row < collective->algorithms && row < MOST_ALGORITHMS; row++) {
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];

        if (NULL != study->options->algorithm && algorithm != study->options->algorithm) {
            continue;
        }
        if (study->options->closed_form
            && NULL == napcoll_model_closed_form(collective->name, algorithm->name)) {
            continue;
        }
        study->algorithm[study->algorithms++] = algorithm;
    }
    if (0 == study->algorithms) {
        complain("--closed-form: there is none of %s", NULL == study->options->algorithm
                                                           ? collective->name
                                                           : study->options->algorithm->name);
    }
}

/* All placements are checked before anything is computed or written. */
static void check_placements(const study_t *study)
{
    options_t *o = study->options;
    const int largest = study->nodes.value[study->nodes.count - 1];
    const int most = o->closed_form ? MOST_RANKS : MOST_SIMULATED;

    if (count_ranks(o->ppn, largest) > most) {
        complain("--nodes %s: %d nodes of --ppn %s: expected at most %d ranks in all%s",
                 o->node_range, largest, o->ppn, most,
                 o->closed_form ? "" : " (--closed-form takes more)");
    }
    o->nodes = largest;
    napcoll_node_map_free(make_map(o)); /* complains of --ppn and --map */
    if (!o->closed_form && NAPCOLL_PROVIDER_P2P != o->params.provider) {
        complain("--provider delegate: expected p2p; what a delegate does is not in the plans");
    }
    if (o->closed_form
        && (strspn(o->ppn, "0123456789") != strlen(o->ppn) || 0 != strcmp(o->order, "block"))) {
        complain(
            "--closed-form: expected one number as --ppn, and --map block; the formulas know no "
            "other placement");
    }
}

/* ---- times ---- */

static void report(const study_t *study, const napcoll_algorithm_t *algorithm, int ranks, int bytes,
                   double time_us)
{
    const options_t *o = study->options;

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
                           const napcoll_node_map_t *map, napcoll_reason_t reason)
{
    if (NULL != study->table) {
        fprintf(study->table, "%8d %8d %11s  %-20s %14s  %s\n", map->nodes, map->size, "any",
                algorithm->name, "-", napcoll_reason_help(reason));
    }
}

static void use_closed_form(const study_t *study, const napcoll_algorithm_t *algorithm,
                            const napcoll_node_map_t *map)
{
    napcoll_closed_form_t form = napcoll_model_closed_form(study->options->collective->name,
                                                           algorithm->name);

    for (int i = 0; i < study->bytes.count; i++) {
        report(study, algorithm, map->size, study->bytes.value[i],
               form(&study->machine, map->nodes, map->max_ppn, study->bytes.value[i]));
    }
}

typedef struct {
    const napcoll_algorithm_t *algorithm;
    napcoll_request_t request;
} generator_t;

static napcoll_plan_t *generate(void *context, int rank)
{
    generator_t *generator = context;

    generator->request.rank = rank;
    return generator->algorithm->generate(&generator->request);
}

static napcoll_simulate_status_t simulate_plans(const study_t *study,
                                                const napcoll_algorithm_t *algorithm,
                                                const napcoll_node_map_t *map)
{
    generator_t generator = {.algorithm = algorithm,
                             .request = {.map = map, .params = study->options->params}};
    napcoll_simulation_t *simulation;
    napcoll_simulate_status_t status;

    if (NULL == study->options->algorithm) {
        generator.request.params.tunable[0] = algorithm->tunable[0].initial;
    }
    status = napcoll_simulation_create(map, generate, &generator, &simulation);
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
static int study_nodes(const study_t *study, int nodes)
{
    options_t *o = study->options;
    napcoll_node_map_t *map;
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OK;

    o->nodes = nodes;
    o->ranks = 0;
    map = make_map(o);
    for (int i = 0; i < study->algorithms && NAPCOLL_SIMULATE_OK == status; i++) {
        const napcoll_algorithm_t *algorithm = study->algorithm[i];
        napcoll_reason_t reason = napcoll_algorithm_eligible(algorithm, map, o->params.ordered);

        if (NAPCOLL_REASON_NONE != reason) {
            report_skipped(study, algorithm, map, reason);
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

    if (NULL != o->csv) {
        study->csv = 0 == strcmp(o->csv, "-") ? stdout : fopen(o->csv, "w");
        if (NULL == study->csv) {
            complain("--csv %s: cannot be written (%s)", o->csv, strerror(errno));
        }
        fputs("coll,algorithm,nodes,ppn,bytes,time_us\n", study->csv);
    }
    if (stdout != study->csv) {
        study->table = stdout;
        fprintf(study->table, "%s, %s ranks per node, %s, %s\n\n%8s %8s %11s  %-20s %14s\n",
                o->collective->name, o->ppn, o->machine,
                o->closed_form ? "closed forms" : "simulated plans", "nodes", "ranks", "bytes",
                "algorithm", "time us");
    }
}

/* Returns -1 where something could not be written. */
static int close_csv(const study_t *study)
{
    int failed;

    if (NULL == study->csv || stdout == study->csv) {
        return 0;
    }
    failed = ferror(study->csv);
    if (0 != fclose(study->csv) || 0 != failed) {
        fprintf(stderr, "napcoll-plan: --csv %s: could not be written\n", study->options->csv);
        return -1;
    }
    return 0;
}

int simulate(options_t *o)
{
    static study_t study; /* its ranges are large */
    int rc = 0;

    study.options = o;
    o->node_range = NULL == o->node_range ? "1" : o->node_range;
    read_range("nodes", o->node_range, 1, MOST_RANKS, &study.nodes);
    read_range("bytes", NULL == o->byte_range ? "8" : o->byte_range, 0, MOST_BYTES, &study.bytes);
    choose_algorithms(&study);
    check_placements(&study);
    read_machine(&study);
    open_outputs(&study);
    for (int i = 0; i < study.nodes.count && 0 == rc; i++) {
        rc = study_nodes(&study, study.nodes.value[i]);
    }
    rc = 0 == close_csv(&study) ? rc : -1;
    return 0 == rc && 0 == fflush(stdout) && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
