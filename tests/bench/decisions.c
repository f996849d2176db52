/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What decisions of auto take at scale, and what the screen (model/napcoll_screen.h) costs
 * them: every collective, size and shape is decided twice, as in a job, and closely, from whole
 * plans without a screen. No MPI.
 *
 *     decisions [-v] [-c COLLECTIVE] [-m MACHINE_FILE] [-n MOST_RANKS] [-o RANKS] [-u PROCESSORS]
 *
 * -v prints every case, -n leaves out larger shapes, -o N decides closely up to N ranks only
 * (65536), -u N decides as on an unmeasured machine of N processors per node. Prints for each
 * collective how many cases were decided alike, how much slower the worst of the others is than
 * what is chosen closely, by the close estimate, and the most CPU time of either way.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "select/napcoll_select.h"
#include "common/napcoll_machine_file.h"

static const struct {
    const char *ppn;
    const char *order;
    int ranks;
} shapes[] = {
    {"8", "block", 128},           {"16", "block", 256},        {"16", "cyclic", 240},
    {"16,12", "block", 448},       {"64", "block", 512},        {"16", "block", 768},
    {"16", "block", 1024},         {"64", "block", 1024},       {"16", "cyclic", 1024},
    {"16", "random:1", 1008},      {"64,48,63", "block", 1400}, {"48", "cyclic", 2304},
    {"32", "block", 4096},         {"128", "block", 4096},      {"24,32,8", "block", 4000},
    {"2", "block", 4096},          {"64", "block", 16384},      {"64", "cyclic", 16384},
    {"48", "random:2", 14400},     {"64,32", "block", 12288},   {"1", "block", 8192},
    {"64", "block", 65536},        {"64", "cyclic", 65536},     {"96,95", "block", 65000},
    {"64", "block", 262144},       {"64", "block", 1048576},    {"64", "cyclic", 1048576},
    {"64,48", "random:3", 1000000}};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static const size_t sizes[] = {8, 64, 512, 4096, 32768, 262144, 1048576};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

typedef struct {
    int cases;
    int alike;
    /* More than 1.2 times as slow */
    int over;
    double worst;
    double job_ms;
    double close_ms;
} sum_t;

typedef struct {
    bool verbose;
    const char *collective;
    int most_ranks;
    int most_close;
    /* of a node of an unmeasured machine, or 0 */
    int processors;
    napcoll_machine_t machine;
} options_t;

static void fail(const char *what)
{
    fprintf(stderr, "decisions: %s\n", what);
    exit(EXIT_FAILURE);
}

static double cpu_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec * 1e-6;
}

static double decide(const napcoll_settings_t *settings, const napcoll_call_t *call,
                     napcoll_decision_t *decision)
{
    const double begin = cpu_ms();

    if (0 != napcoll_select(settings, call, decision)) {
        fail("out of memory");
    }
    return cpu_ms() - begin;
}

/* The close estimate of what was decided. */
static double close_us(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                       const napcoll_call_t *call, const napcoll_decision_t *decision)
{
    const napcoll_node_map_t map = napcoll_plan_cost_map(call->map);
    napcoll_generator_t generator = {
        .args = {.collective = collective, .map = &map, .params = decision->params}};
    double lead_us = 0;

    if (decision->algorithm < 0) {
        return NAN;
    }
    generator.args.algorithm = &collective->algorithm[decision->algorithm];
    if (NULL != generator.args.algorithm->hops) {
        const napcoll_hops_t hops = generator.args.algorithm->hops(&map, &decision->params);

        lead_us = napcoll_model_lead_us(
            settings->machine, &hops, decision->params.segments > 1 ? decision->params.segments : 1,
            (double) decision->most);
    }
    return napcoll_plan_cost_us(&map, napcoll_generator_plan, &generator,
                                napcoll_goal_is_rooted(collective->goal) ? 0 : -1,
                                settings->machine, (double) decision->most, lead_us, INFINITY);
}

static bool same(const napcoll_decision_t *a, const napcoll_decision_t *b)
{
    return a->algorithm == b->algorithm
           && (a->algorithm < 0
               || (a->params.local_radix == b->params.local_radix
                   && a->params.segments == b->params.segments
                   && 0
                          == memcmp(a->params.tunable, b->params.tunable,
                                    sizeof(a->params.tunable))));
}

static void print_decision(const napcoll_collective_t *collective, const napcoll_decision_t *d)
{
    if (d->algorithm < 0) {
        printf("  %s", napcoll_reason_name(d->reason));
        return;
    }
    printf("  %s radix %d, %d, segments %d: %.1f us", collective->algorithm[d->algorithm].name,
           d->params.local_radix, d->params.tunable[0], d->params.segments, d->cost_us);
}

/* Count a case that is decided closely as well. */
static void compare(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                    const napcoll_call_t *call, const options_t *o, const napcoll_decision_t *job,
                    sum_t *sum)
{
    napcoll_settings_t closely = *settings;
    napcoll_decision_t decision;
    double ratio = 1;

    closely.closely = true;
    sum->close_ms = fmax(sum->close_ms, decide(&closely, call, &decision));
    sum->cases++;
    if (same(job, &decision)) {
        sum->alike++;
        return;
    }
    ratio = close_us(collective, settings, call, job)
            / close_us(collective, settings, call, &decision);
    sum->worst = fmax(sum->worst, ratio);
    sum->over += ratio > 1.2;
    if (o->verbose) {
        print_decision(collective, &decision);
        printf("  OTHER %.3f", ratio);
    }
}

static void try_case(const napcoll_collective_t *collective, const napcoll_node_map_t *map,
                     int shape, size_t bytes, const options_t *o, sum_t *sum)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);
    const napcoll_call_t call = {.collective = collective, .map = map, .bytes = bytes};
    napcoll_decision_t decision;
    double ms;

    settings.machine = &o->machine;
    settings.unmeasured = o->processors > 0;
    settings.processors = o->processors;
    ms = decide(&settings, &call, &decision);
    sum->job_ms = fmax(sum->job_ms, ms);
    if (o->verbose) {
        printf("%s %zu bytes, %d ranks, %s %s: %.1f ms", collective->name, bytes, map->size,
               shapes[shape].ppn, shapes[shape].order, ms);
        print_decision(collective, &decision);
    }
    if (map->size <= o->most_close) {
        compare(collective, &settings, &call, o, &decision, sum);
    }
    if (o->verbose) {
        printf("\n");
    }
}

static napcoll_node_map_t *map_of(int shape)
{
    int *node = malloc((size_t) shapes[shape].ranks * sizeof(*node));
    napcoll_node_map_t *map;
    size_t where;

    if (NULL == node
        || 0
               != napcoll_placement_parse(shapes[shape].ppn, shapes[shape].order,
                                          shapes[shape].ranks, node, &where)
        || 0 != napcoll_node_map_create(node, shapes[shape].ranks, &map)) {
        fail("no node map");
    }
    free(node);
    return map;
}

static options_t parse(int argc, char **argv)
{
    options_t o = {
        .most_ranks = 1 << 20, .most_close = 1 << 16, .machine = napcoll_machine_default};
    FILE *file;

    for (int option; (option = getopt(argc, argv, "vc:m:n:o:u:")) >= 0;) {
        if ('v' == option) {
            o.verbose = true;
        } else if ('c' == option) {
            o.collective = optarg;
        } else if ('n' == option) {
            o.most_ranks = atoi(optarg);
        } else if ('o' == option) {
            o.most_close = atoi(optarg);
        } else if ('u' == option) {
            o.processors = atoi(optarg);
        } else if ('m' == option) {
            napcoll_machine_error_t error;

            file = fopen(optarg, "r");
            if (NULL == file || 0 != napcoll_machine_read(file, &o.machine, &error)) {
                fail("no machine file");
            }
            (void) fclose(file);
        } else {
            fail("[-v] [-c COLLECTIVE] [-m MACHINE_FILE] [-n MOST_RANKS] [-o RANKS] "
                 "[-u PROCESSORS]");
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    const options_t o = parse(argc, argv);
    napcoll_node_map_t *map[SHAPES] = {NULL};

    for (int shape = 0; shape < SHAPES; shape++) {
        map[shape] = shapes[shape].ranks <= o.most_ranks ? map_of(shape) : NULL;
    }
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        const napcoll_collective_t *collective = napcoll_collectives[c];
        sum_t sum = {.worst = 1};

        if (NULL != o.collective && 0 != strcmp(o.collective, collective->name)) {
            continue;
        }
        for (int shape = 0; shape < SHAPES; shape++) {
            for (int s = 0; s < SIZES && NULL != map[shape]; s++) {
                try_case(collective, map[shape], shape, sizes[s], &o, &sum);
            }
        }
        printf("%-20s %3d of %3d cases alike, others at most %.3f times as slow, %d above 1.2; "
               "at most %.1f ms, closely %.1f ms\n",
               collective->name, sum.alike, sum.cases, sum.worst, sum.over, sum.job_ms,
               sum.close_ms);
        (void) fflush(stdout);
    }
    for (int shape = 0; shape < SHAPES; shape++) {
        napcoll_node_map_free(map[shape]);
    }
    return EXIT_SUCCESS;
}
