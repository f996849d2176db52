/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The options of napcoll-plan: one table says which commands take an option, where its value goes
 * and what --help prints.
 */

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/napcoll_model.h"
#include "napcoll_plan_tool.h"
#include "select/napcoll_select.h"
#include "common/napcoll_names.h"

/* ---- the table ---- */

enum {
    TIMES = COMMAND_EXPLAIN | COMMAND_SIMULATE,
    NOT_EXPLAIN = COMMAND_ALL & ~COMMAND_EXPLAIN,
    NOT_SIMULATE = COMMAND_ALL & ~COMMAND_SIMULATE
};

/* How a value is stored: as const char *, int or bool. */
typedef enum { TEXT, NUMBER, FLAG } kind_t;

static const struct {
    const char *name;
    /* NULL: a flag; else the name of its value in --help */
    const char *argument;
    unsigned commands;
    kind_t kind;
    /* Offset in options_t; the range of a number. */
    size_t at;
    int least, most;
    const char *help;
} known[] = {
    {"coll", "NAME", COMMAND_ALL, TEXT, offsetof(options_t, coll_name), 0, 0,
     "a collective that \"napcoll-plan list\" names (allreduce)"},
    {"algorithm", "NAME", NOT_EXPLAIN, TEXT, offsetof(options_t, algorithm_name), 0, 0,
     "algorithm; \"napcoll-plan list\" names them (the node-aware one for small\n"
     "sizes, such as nap; simulate: all; not with explain)"},
    {"ppn", "LIST", COMMAND_ALL, TEXT, offsetof(options_t, ppn), 0, 0,
     "processes per node, as in 4 or 3,2,1; the list repeats; verify also takes a\n"
     "range (4)"},
    {"nodes", "N", COMMAND_ALL, TEXT, offsetof(options_t, node_range), 0, 0,
     "nodes; verify and simulate also take a range: N, FROM:TO (each; simulate:\n"
     "doubling), FROM:TO:xK or FROM:TO:+K (the length of the --ppn list)"},
    {"ranks", "N", NOT_SIMULATE, NUMBER, offsetof(options_t, ranks), 1, MOST_RANKS,
     "processes, instead of --nodes (not with simulate)"},
    {"map", "ORDER", COMMAND_ALL, TEXT, offsetof(options_t, order), 0, 0,
     "block, cyclic or random:SEED (block)"},
    {"topology", "FILE", COMMAND_ALL, TEXT, offsetof(options_t, topology), 0, 0,
     "the network's switches, as in Slurm's topology.conf"},
    {"hosts", "LIST", COMMAND_ALL, TEXT, offsetof(options_t, hosts), 0, 0,
     "the nodes of the network to use, in this order, as in n[0-3,8] (all, by\n"
     "their names)"},
    {"rank", "R", COMMAND_SHOW | COMMAND_EXPLAIN, NUMBER, offsetof(options_t, rank), 0, MOST_RANKS,
     "the plan of rank R (show, explain)"},
    {"provider", "NAME", COMMAND_ALL, TEXT, offsetof(options_t, provider_name), 0, 0,
     "local phases: p2p or delegate (p2p)"},
    {"local-radix", "N", COMMAND_ALL, NUMBER, offsetof(options_t, params.local_radix), 2, INT_MAX,
     "fan-out of local phases with p2p, 2 or more (8)"},
    {"tunable", "[NAME=]V,...", NOT_EXPLAIN, TEXT, offsetof(options_t, tunables), 0, 0,
     "values of the algorithm's own tunables (their defaults)"},
    {"root", "R", COMMAND_ALL, NUMBER, offsetof(options_t, params.root), 0, MOST_RANKS - 1,
     "root of a reduce, broadcast, gather or scatter (0)"},
    {"segments", "N", NOT_EXPLAIN, NUMBER, offsetof(options_t, params.segments), 1,
     NAPCOLL_MODEL_MOST_SEGMENTS,
     "segments of the vector, where the algorithm has a pipeline, or pieces of\n"
     "each block, 1 to 1024 (1)"},
    {"in-place", NULL, COMMAND_ALL, FLAG, offsetof(options_t, params.in_place), 0, 0,
     "MPI_IN_PLACE"},
    {"noncommutative", NULL, COMMAND_ALL, FLAG, offsetof(options_t, params.noncommutative), 0, 0,
     "a noncommutative operation"},
    {"reproducible", NULL, COMMAND_ALL, FLAG, offsetof(options_t, params.reproducible), 0, 0,
     "only algorithms that reduce by halves of the ranks, on any nodes"},
    {"machine", "FILE", TIMES | COMMAND_GOAL, TEXT, offsetof(options_t, machine), 0, 0,
     "a machine file; also by name, from NAPCOLL_MACHINES and napcoll's own: bluewaters.conf,\n"
     "netlab.conf, ... (goal: the time of reductions)"},
    {"bytes", "RANGE", TIMES | COMMAND_GOAL, TEXT, offsetof(options_t, byte_range), 0, 0,
     "size of a rank's vector or, where ranks have or send blocks, of a block; K, M and G are\n"
     "2^10, 2^20, 2^30 (8); simulate also takes a range, which doubles"},
    {"rules", "FILE", COMMAND_EXPLAIN, TEXT, offsetof(options_t, rules), 0, 0,
     "rules that the component would have (explain)"},
    {"closed-form", NULL, TIMES, FLAG, offsetof(options_t, closed_form), 0, 0,
     "the papers' formulas instead of the plans (explain, simulate)"},
    {"processors", "N", COMMAND_EXPLAIN, NUMBER, offsetof(options_t, processors), 1, INT_MAX,
     "explain: nobody has measured the machine, its nodes have N processors: auto tries no\n"
     "algorithm with more messages or bytes than usual ones"},
    {"csv", "FILE", COMMAND_SIMULATE | COMMAND_LINKS, TEXT, offsetof(options_t, csv), 0, 0,
     "write the times (links: the loads) to FILE as well, \"-\": to standard output only"},
    {"svg", "PREFIX", COMMAND_SIMULATE, TEXT, offsetof(options_t, svg), 0, 0,
     "draw the times with gnuplot: PREFIX-size.svg, PREFIX-processes.svg,\n"
     "PREFIX-crossover.svg (simulate)"},
    {"output", "FILE", COMMAND_DRAW | COMMAND_GOAL, TEXT, offsetof(options_t, output), 0, 0,
     "write the picture or text to FILE (draw, goal)"},
    {"sample", "N", COMMAND_VERIFY, NUMBER, offsetof(options_t, sample), 1, MOST_RANKS,
     "prove the results of N ranks, with all that they depend on; for plans of up to 1048576\n"
     "ranks (verify)"},
    {"jobs", "N", COMMAND_VERIFY, NUMBER, offsetof(options_t, jobs), 1, 1024,
     "threads that share the placements (verify; one per processor)"},
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

void print_options(FILE *out)
{
    for (int i = 0; i < KNOWN; i++) {
        const char *line = known[i].help, *end;
        int width = fprintf(out, "  --%s %s", known[i].name,
                            NULL == known[i].argument ? "" : known[i].argument);

        while (NULL != (end = strchr(line, '\n'))) {
            fprintf(out, "%*s%.*s\n", 25 - width, "", (int) (end - line), line);
            line = end + 1;
            width = 0;
        }
        fprintf(out, "%*s%s\n", 25 - width, "", line);
    }
    fprintf(out, "  --%-21s  this text\n", "help");
}

/* Store the value of the i-th option. */
static void set_option(options_t *o, int i)
{
    void *at = (char *) o + known[i].at;

    if (0 == (known[i].commands & o->bit)) {
        complain("--%s: not an option of %s", known[i].name, o->command);
    }
    if (TEXT == known[i].kind) {
        *(const char **) at = optarg;
    } else if (NUMBER == known[i].kind) {
        *(int *) at = read_number(known[i].name, optarg, known[i].least, known[i].most);
    } else {
        *(bool *) at = true;
    }
}

/* ---- names ---- */

/* The default of commands that study one algorithm: the node-aware one for small sizes. */
static const char *default_algorithm(const napcoll_collective_t *collective)
{
    static const char *const node_aware[] = {"nap", "locality_bruck", "locality"};

    for (size_t i = 0; i < sizeof(node_aware) / sizeof(*node_aware); i++) {
        if (napcoll_algorithm_find(collective, node_aware[i]) >= 0) {
            return node_aware[i];
        }
    }
    return collective->algorithm[0].name;
}

static napcoll_provider_t find_provider(const char *name)
{
    if (0 == strcmp(name, "p2p")) {
        return NAPCOLL_PROVIDER_P2P;
    }
    if (0 == strcmp(name, "delegate")) {
        return NAPCOLL_PROVIDER_DELEGATE;
    }
    complain("--provider %s: expected p2p or delegate", name);
}

/* The value of a tunable: a number, or one of its names. */
static int tunable_value(const napcoll_tunable_t *tunable, const char *text)
{
    for (int v = 0; NULL != tunable->names && NULL != tunable->names[v]; v++) {
        if (0 == strcmp(text, tunable->names[v])) {
            return v + 1;
        }
    }
    if (NULL != tunable->names) {
        complain("--tunable %s: expected a name that napcoll-plan list gives for %s", text,
                 tunable->name);
    }
    return read_number("tunable", text, tunable->least, INT_MAX);
}

/* Set one tunable: VALUE of the first one, or NAME=VALUE. */
static void set_tunable(options_t *o, const char *text)
{
    const napcoll_tunable_t *tunable = o->algorithm->tunable;
    const char *equals = strchr(text, '=');
    const size_t length = NULL == equals ? 0 : (size_t) (equals - text);
    int t = 0;

    while (NULL != equals && NULL != tunable[t].name
           && (strlen(tunable[t].name) != length || 0 != strncmp(tunable[t].name, text, length))) {
        t++;
    }
    if (NULL == tunable[t].name) {
        complain("--tunable %s: %s has %s", text, o->algorithm->name,
                 NULL == tunable[0].name ? "none" : "none of that name");
    }
    o->params.tunable[t] = tunable_value(&tunable[t], NULL == equals ? text : equals + 1);
    if (NAPCOLL_TUNES_SEGMENTS == tunable[t].tunes) {
        o->params.segments = o->params.tunable[t];
    }
}

/* Find the algorithm, if any is named, and set its tunables. */
static void set_algorithm(options_t *o)
{
    char *copy, *rest = NULL;
    int row;

    if (NULL == o->algorithm_name && 0 == (o->bit & TIMES)) {
        o->algorithm_name = default_algorithm(o->collective);
    }
    if (NULL == o->algorithm_name) {
        if (NULL != o->tunables) {
            complain("--tunable %s: expected --algorithm as well, whose tunable it is",
                     o->tunables);
        }
        return;
    }
    row = napcoll_algorithm_find(o->collective, o->algorithm_name);
    if (row < 0) {
        complain("--algorithm %s: %s has no such algorithm", o->algorithm_name,
                 o->collective->name);
    }
    o->algorithm = &o->collective->algorithm[row];
    initial_tunables(o->algorithm, &o->params);
    copy = strdup(NULL == o->tunables ? "" : o->tunables);
    if (NULL == copy) {
        napcoll_out_of_memory();
    }
    for (char *one = strtok_r(copy, ",", &rest); NULL != one; one = strtok_r(NULL, ",", &rest)) {
        set_tunable(o, one);
    }
    free(copy);
}

/* Refuse options that the collective or the algorithm has no use for. */
static void refuse_pointless(const options_t *o)
{
    const napcoll_collective_t *collective = o->collective;
    const napcoll_params_t *params = &o->params;
    const napcoll_goal_t goal = collective->goal;
    bool cut = NULL != o->algorithm && (o->algorithm->segmented || o->algorithm->cuts_blocks);
    char name[64] = "";

    if (NULL != o->algorithm) {
        (void) snprintf(name, sizeof(name), "%s ", o->algorithm->name);
    }
    for (int row = 0; row < collective->algorithms && NULL == o->algorithm; row++) {
        cut = cut || collective->algorithm[row].segmented || collective->algorithm[row].cuts_blocks;
    }
    if (params->segments > 1 && !cut) {
        complain("--segments %d: %s %scuts nothing into segments", params->segments,
                 collective->name, name);
    }
    if (params->root > 0 && !napcoll_goal_is_rooted(goal)) {
        complain("--root %d: %s has no root", params->root, collective->name);
    }
    if ((params->noncommutative || params->reproducible) && !napcoll_goal_reduces(goal)) {
        complain("--%s: %s reduces nothing",
                 params->noncommutative ? "noncommutative" : "reproducible", collective->name);
    }
    if (NAPCOLL_GOAL_BCAST == goal && params->in_place) {
        complain("--in-place: %s has one buffer", collective->name);
    }
    if (NAPCOLL_GOAL_BARRIER == goal && (params->in_place || NULL != o->byte_range)) {
        complain("--%s: %s has no data", params->in_place ? "in-place" : "bytes", collective->name);
    }
}

options_t parse_options(int argc, char **argv, unsigned bit)
{
    const int processors = (int) sysconf(_SC_NPROCESSORS_ONLN);
    struct option names[KNOWN + 1] = {{0}};
    options_t o = {.command = argv[1],
                   .bit = bit,
                   .program = argv[0],
                   .coll_name = "allreduce",
                   .provider_name = "p2p",
                   .ppn = "4",
                   .order = "block",
                   .rank = -1,
                   .jobs = processors > 0 ? processors : 1,
                   .params = {.local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX}};

    for (int i = 0; i < KNOWN; i++) {
        names[i] = (struct option){
            known[i].name, NULL == known[i].argument ? no_argument : required_argument, NULL, 0};
    }
    for (int c, i = 0; - 1 != (c = getopt_long(argc - 1, argv + 1, "", names, &i));) {
        if (0 != c) {
            /* getopt_long has named the option */
            exit(EXIT_USAGE);
        }
        set_option(&o, i);
    }
    if (optind + 1 < argc) {
        complain("%s: unexpected argument", argv[optind + 1]);
    }
    /* Else 4.1 */
    o.params.provider = find_provider(o.provider_name);
    o.collective = napcoll_collective_find(o.coll_name);
    if (NULL == o.collective) {
        complain("--coll %s: no such collective", o.coll_name);
    }
    set_algorithm(&o);
    refuse_pointless(&o);
    if (0 == (bit & (COMMAND_SIMULATE | COMMAND_VERIFY)) && NULL != o.node_range) {
        o.nodes = read_number("nodes", o.node_range, 1, MOST_RANKS);
    }
    if (NULL != o.node_range && o.ranks > 0) {
        complain("--nodes and --ranks exclude each other");
    }
    read_network(&o);
    return o;
}
