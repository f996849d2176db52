/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The options of napcoll-plan: one table says which commands take an option, where its value goes
 * and what --help prints.
 */

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/napcoll_model.h"
#include "napcoll_plan_tool.h"
#include "select/napcoll_select.h"
#include "common/napcoll_names.h"

/* ---- names ---- */

static napcoll_names_t collective_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_collective_name_at};
}

static napcoll_names_t algorithm_names(const void *options)
{
    const options_t *o = options;

    return (napcoll_names_t){.at = napcoll_algorithm_name_at,
                             .context = napcoll_collective_at(o->row)};
}

static napcoll_names_t graph_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_graph_name_at};
}

static napcoll_names_t order_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_name_in_array, .context = orders};
}

/* In the order of napcoll_provider_t. */
static napcoll_names_t provider_names(const void *options)
{
    static const char *const providers[] = {
        [NAPCOLL_PROVIDER_OWN] = "own", [NAPCOLL_PROVIDER_DELEGATE] = "delegate", NULL};

    (void) options;
    return (napcoll_names_t){.at = napcoll_name_in_array, .context = providers};
}

/* ---- the tables ---- */

enum {
    TIMES = COMMAND_EXPLAIN | COMMAND_SIMULATE,
    NOT_EXPLAIN = COMMAND_ALL & ~COMMAND_EXPLAIN,
    NOT_SIMULATE = COMMAND_ALL & ~COMMAND_SIMULATE,
    NOT_EXPORT = COMMAND_ALL & ~COMMAND_EXPORT
};

static const napcoll_option_t known[] = {
    {.name = "coll",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(options_t, row),
     .commands = COMMAND_ALL,
     .names = collective_names,
     .argument = "NAME",
     .help = "the collective (allreduce):"},
    {.name = "algorithm",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, algorithm_name),
     .commands = NOT_EXPLAIN,
     .names = algorithm_names,
     .argument = "NAME",
     .help = "algorithm; \"napcoll-plan list\" names them (the node-aware one for small "
             "sizes, such as nap)"},
    {.name = "ppn",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, ppn),
     .commands = COMMAND_ALL,
     .argument = "LIST",
     .help = "processes per node, as in 4 or 3,2,1; the list repeats; verify also takes a "
             "range (4)"},
    {.name = "nodes",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, node_range),
     .commands = COMMAND_ALL,
     .argument = "N",
     .help = "nodes (the length of the --ppn list); verify and simulate also take ranges: FROM:TO "
             "(each; simulate: doubling), FROM:TO:xFACTOR or FROM:TO:+STEP, and lists of them"},
    {.name = "ranks",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, ranks),
     .least = 1,
     .most = MOST_RANKS,
     .commands = NOT_SIMULATE,
     .argument = "N",
     .help = "processes, instead of --nodes"},
    {.name = "map",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, order),
     .commands = COMMAND_ALL,
     .names = order_names,
     .argument = "ORDER",
     .help = "block, cyclic or random:SEED (block)"},
    {.name = "topology",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, topology),
     .commands = COMMAND_ALL,
     .argument = "FILE",
     .help = "the network's switches, as in Slurm's topology.conf"},
    {.name = "hosts",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, hosts),
     .commands = COMMAND_ALL,
     .argument = "LIST",
     .help = "the nodes of the network to use, in this order, as in n[0-3,8] (all, by "
             "their names)"},
    {.name = "graph",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, graph.graph),
     .commands = NOT_EXPORT,
     .names = graph_names,
     .argument = "GRAPH",
     .help = "who is whose neighbour in a neighbourhood collective: torus, stencil, random, "
             "power-law, or a file of lines FROM TO (torus)"},
    {.name = "degree",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, graph.degree),
     .least = 1,
     .most = NAPCOLL_GRAPH_MOST_DEGREE,
     .commands = NOT_EXPORT,
     .argument = "N",
     .help = "neighbours of a rank in a random or, on average, power-law graph (8)"},
    {.name = "seed",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, graph.seed),
     .least = 1,
     .most = INT_MAX,
     .commands = NOT_EXPORT,
     .argument = "N",
     .help = "of random numbers for these two graphs (1)"},
    {.name = "rank",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, rank),
     .least = 0,
     .most = MOST_RANKS,
     .commands = COMMAND_SHOW | COMMAND_EXPLAIN,
     .argument = "R",
     .help = "the plan of rank R"},
    {.name = "provider",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(options_t, provider),
     .commands = COMMAND_ALL,
     .names = provider_names,
     .argument = "NAME",
     .help = "phases inside nodes (own):"},
    {.name = "leader-provider",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(options_t, leader_provider),
     .commands = COMMAND_ALL,
     .names = provider_names,
     .argument = "NAME",
     .help = "phases among leaders (own):"},
    {.name = "local-radix",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, params.local_radix),
     .least = 2,
     .most = INT_MAX,
     .commands = COMMAND_ALL,
     .argument = "N",
     .help = "fan-out of own local phases, 2 or more (8)"},
    {.name = "tunable",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, tunables),
     .commands = NOT_EXPLAIN,
     .argument = "[NAME=]V,...",
     .help = "values of the algorithm's own tunables (their defaults)"},
    {.name = "root",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, params.root),
     .least = 0,
     .most = MOST_RANKS - 1,
     .commands = COMMAND_ALL,
     .argument = "R",
     .help = "root of a reduce, broadcast, gather or scatter (0)"},
    {.name = "segments",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, params.segments),
     .least = 1,
     .most = NAPCOLL_MODEL_MOST_SEGMENTS,
     .commands = NOT_EXPLAIN,
     .argument = "N",
     .help = "segments of the vector, where the algorithm has a pipeline, or pieces of "
             "each block, 1 to 1024 (1)"},
    {.name = "in-place",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, params.in_place),
     .commands = COMMAND_ALL,
     .help = "MPI_IN_PLACE"},
    {.name = "noncommutative",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, params.noncommutative),
     .commands = COMMAND_ALL,
     .help = "a noncommutative operation"},
    {.name = "request",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, request),
     .commands = COMMAND_EXPLAIN,
     .help = "a nonblocking or persistent call, which rules may tell from a blocking one"},
    {.name = "reproducible",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, params.reproducible),
     .commands = COMMAND_ALL,
     .help = "only algorithms that reduce by halves of the ranks, on any nodes"},
    {.name = "machine",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, machine),
     .commands = TIMES | COMMAND_GOAL | COMMAND_SMPI,
     .names = machine_names,
     .argument = "FILE",
     .help =
         "a machine file; or the name of one in this folder, in a folder of NAPCOLL_MACHINES or "
         "among napcoll's own, such as bluewaters (goal: the time of reductions)"},
    {.name = "bytes",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, byte_range),
     .commands = TIMES | COMMAND_GOAL | COMMAND_SMPI,
     .argument = "RANGE",
     .help = "size of a rank's vector or, where ranks have or send blocks, of a block (8); "
             "simulate also takes a range, which doubles, and a list; " NAPCOLL_SUFFIXES},
    {.name = "rules",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, rules),
     .commands = COMMAND_EXPLAIN,
     .argument = "FILE",
     .help = "rules that the component would have"},
    {.name = "stuck",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, stuck),
     .commands = COMMAND_EXPLAIN,
     .argument = "FILE",
     .help =
         "instead of all this: a log with reports of stalled calls (coll_napcoll_stall_seconds), "
         "\"-\": standard input; says which rank is missing, and which ranks depend on it"},
    {.name = "closed-form",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, closed_form),
     .commands = TIMES,
     .help = "the papers' formulas instead of the plans"},
    {.name = "processors",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, processors),
     .least = 1,
     .most = INT_MAX,
     .commands = COMMAND_EXPLAIN,
     .argument = "N",
     .help = "nobody has measured the machine, its nodes have N processors: auto tries no "
             "algorithm with more messages or bytes than usual ones"},
    {.name = "csv",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, csv),
     .commands = COMMAND_SIMULATE | COMMAND_LINKS,
     .argument = "FILE",
     .help = "write the times (links: the loads) to FILE as well, \"-\": to standard output only"},
    {.name = "svg",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, svg),
     .commands = COMMAND_SIMULATE,
     .argument = "PREFIX",
     .help = "draw the times with gnuplot: PREFIX-size.svg, PREFIX-processes.svg, "
             "PREFIX-crossover.svg"},
    {.name = "output",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(options_t, output),
     .commands = COMMAND_DRAW | COMMAND_GOAL | COMMAND_SMPI | COMMAND_EXPORT | COMMAND_FROM_CSV,
     .argument = "FILE",
     .help = "write the picture, text or rules to FILE (smpi: to files in the folder FILE)"},
    {.name = "name",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, name),
     .commands = COMMAND_ALL,
     .argument = "NAME",
     .help = "export: name of the plans, which become the algorithm file:NAME (the algorithm's); "
             "with FILE: its plans of this name (the first); with MSCCL XML: as with export (the "
             "program's)"},
    {.name = "msccl",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(options_t, msccl),
     .commands = COMMAND_EXPORT,
     .help = "write MSCCL XML"},
    {.name = "sample",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, sample),
     .least = 1,
     .most = MOST_RANKS,
     .commands = COMMAND_VERIFY,
     .argument = "N",
     .help =
         "prove the results of N ranks, with all that they depend on; for plans of up to 1048576 "
         "ranks"},
    {.name = "jobs",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(options_t, jobs),
     .least = 1,
     .most = 1024,
     .commands = COMMAND_VERIFY,
     .argument = "N",
     .help = "threads that share the placements (one per processor)"},
    {.name = "margin",
     .kind = NAPCOLL_OPTION_REAL,
     .at = offsetof(options_t, margin),
     .least = 0,
     .most = 1,
     .commands = COMMAND_FROM_CSV,
     .expected = "a number from 0 to 1, a share of the least time",
     .argument = "SHARE",
     .help = "a size takes its neighbour's choice where that takes this share of the least time "
             "longer at most (0.05)"},
    {.name = "fallback",
     .kind = NAPCOLL_OPTION_TEXT,
     .at = offsetof(options_t, fallback),
     .commands = COMMAND_FROM_CSV,
     .argument = "NAME",
     .help = "the component that stands for fallback; others are ignored (any but napcoll)"},
    {.name = NULL},
};

static const napcoll_command_t commands[] = {
    {.name = "list", .help = "Lists the collectives and their algorithms."},
    {"show", COMMAND_SHOW, "[FILE]", "Prints the plans of all ranks, or of one.", true},
    {"verify", COMMAND_VERIFY, "[FILE]", "Proves plans.", true},
    {"explain", COMMAND_EXPLAIN, "[FILE]",
     "Shows the candidates and the choice, with --machine; or, with --stuck, who is missing.",
     true},
    {"simulate", COMMAND_SIMULATE, "[FILE]", "Predicts times; --machine is needed.", true},
    {"draw", COMMAND_DRAW, "[FILE]", "Draws the plans (SVG).", true},
    {"goal", COMMAND_GOAL, "[FILE]", "Prints the plans in LogGOPSim's language.", true},
    {"smpi", COMMAND_SMPI, "[FILE]",
     "Writes the plans and the machine for SimGrid's smpirun; --machine and --output are needed.",
     true},
    {"export", COMMAND_EXPORT, "[FILE]",
     "Writes the plans as text that napcoll reads, or as MSCCL XML.", true},
    {"links", COMMAND_LINKS, "[FILE]", "Computes the load of the network's links.", true},
    {.name = "rules check",
     .operands = "FILE...",
     .help = "Finds mistakes in rules files, with \"-\" in standard input."},
    {"rules from-csv", COMMAND_FROM_CSV, "FILE...", "Makes rules from what collbench --csv wrote.",
     true},
    {.name = NULL},
};

const napcoll_tool_t plan_tool = {
    .name = "napcoll-plan",
    .start = "napcoll-plan",
    .help = "Shows, verifies, draws and times the plans of napcoll's algorithms, without MPI.",
    .command = commands,
    .option = known,
};

/* ---- what is named ---- */

/* The default of commands that study one algorithm: the node-aware one for small sizes. */
static const char *default_algorithm(const napcoll_collective_t *collective)
{
    static const char *const node_aware[] = {"nap", "locality_bruck", "locality", "coalesced"};

    for (size_t i = 0; i < sizeof(node_aware) / sizeof(*node_aware); i++) {
        if (napcoll_algorithm_find(collective, node_aware[i]) >= 0) {
            return node_aware[i];
        }
    }
    return collective->algorithm[0].name;
}

static const char *tunable_name_at(const void *context, int i)
{
    return ((const napcoll_tunable_t *) context)[i].name;
}

/* The value of a tunable: a number, or one of its names. */
static int tunable_value(const napcoll_tunable_t *tunable, const char *text, const char *value)
{
    const napcoll_names_t names = {.at = napcoll_name_in_array, .context = tunable->names};
    char expected[NAPCOLL_MESSAGE];
    int at;

    if (NULL == tunable->names) {
        return read_number("tunable", value, tunable->least, INT_MAX);
    }
    at = napcoll_name_find(&names, value, strlen(value));
    if (at < 0) {
        napcoll_name_expected(expected, sizeof(expected), &names, value, strlen(value));
        complain("--tunable %s: %s", text, expected);
    }
    return at + 1;
}

/* Set one tunable: VALUE of the first one, or NAME=VALUE. */
static void set_tunable(options_t *o, const char *text)
{
    const napcoll_tunable_t *tunable = o->algorithm->tunable;
    const napcoll_names_t names = {.at = tunable_name_at, .context = tunable};
    const char *equals = strchr(text, '=');
    const size_t length = NULL == equals ? 0 : (size_t) (equals - text);
    const int t = NULL == equals ? 0 : napcoll_name_find(&names, text, length);
    char expected[NAPCOLL_MESSAGE];

    if (NULL == tunable[0].name) {
        complain("--tunable %s: %s has none", text, o->algorithm->name);
    }
    if (t < 0) {
        napcoll_name_expected(expected, sizeof(expected), &names, text, length);
        complain("--tunable %s: %s has none of that name; %s", text, o->algorithm->name, expected);
    }
    o->params.tunable[t] = tunable_value(&tunable[t], text, NULL == equals ? text : equals + 1);
    if (NAPCOLL_TUNES_SEGMENTS == tunable[t].tunes) {
        o->params.segments = o->params.tunable[t];
    }
}

/* Find the algorithm, if any is named, and set its tunables. */
static void set_algorithm(options_t *o)
{
    char *copy, *rest = NULL, expected[NAPCOLL_MESSAGE];
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
        const napcoll_names_t names = algorithm_names(o);

        napcoll_name_expected(expected, sizeof(expected), &names, o->algorithm_name,
                              strlen(o->algorithm_name));
        complain("--algorithm %s: %s has no such algorithm; %s", o->algorithm_name,
                 o->collective->name, expected);
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

/* Refuse a graph where there are no neighbours, and export, whose text has none. */
static void refuse_graph(const options_t *o)
{
    char message[NAPCOLL_MESSAGE];

    if (!napcoll_graph_check(&o->graph, o->collective, message)) {
        complain("%s", message);
    }
    if (COMMAND_EXPORT == o->bit && napcoll_goal_is_neighbor(o->collective->goal)) {
        complain("--coll %s: plans for a graph have no text form; show prints them",
                 o->collective->name);
    }
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
    if (napcoll_goal_is_neighbor(goal) && params->in_place) {
        complain("--in-place: MPI has none of %s", collective->name);
    }
    if (NAPCOLL_GOAL_BARRIER == goal && (params->in_place || NULL != o->byte_range)) {
        complain("--%s: %s has no data", params->in_place ? "in-place" : "bytes", collective->name);
    }
}

napcoll_parsed_t parse_options(int argc, char **argv, options_t *o, napcoll_command_line_t *line)
{
    const int processors = (int) sysconf(_SC_NPROCESSORS_ONLN);
    napcoll_parsed_t parsed;

    *o = (options_t){.argc = argc,
                     .argv = argv,
                     .ppn = "4",
                     .order = "block",
                     .rank = -1,
                     .margin = 0.05,
                     .jobs = processors > 0 ? processors : 1,
                     .params = {.local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX}};
    parsed = napcoll_tool_parse(&plan_tool, argc, argv, o, line);
    if (NAPCOLL_PARSED_RUN == parsed) {
        o->bit = line->command->bit;
        o->operand = argv + line->operands;
        o->operands = argc - line->operands;
    }
    return parsed;
}

void complete_options(options_t *o)
{
    o->params.provider[NAPCOLL_SCOPE_NODE] = (napcoll_provider_t) o->provider;
    o->params.provider[NAPCOLL_SCOPE_LEADERS] = (napcoll_provider_t) o->leader_provider;
    o->collective = napcoll_collective_at(o->row);
    if (o->operands > 0) {
        read_plan_file(o);
    } else {
        set_algorithm(o);
        refuse_pointless(o);
    }
    refuse_graph(o);
    if (0 == (o->bit & (COMMAND_SIMULATE | COMMAND_VERIFY)) && NULL != o->node_range) {
        o->nodes = read_number("nodes", o->node_range, 1, MOST_RANKS);
    }
    if (NULL != o->node_range && o->ranks > 0) {
        complain("--nodes and --ranks exclude each other");
    }
    read_network(o);
}
