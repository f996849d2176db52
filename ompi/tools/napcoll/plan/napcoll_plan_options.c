/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The options of napcoll-plan: which command has which, and what they may say.
 */

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/napcoll_model.h"
#include "napcoll_plan_tool.h"
#include "select/napcoll_select.h"

/* ---- names ---- */

static const napcoll_collective_t *find_collective(const char *name)
{
    const napcoll_collective_t *collective = napcoll_collective_find(name);

    if (NULL == collective) {
        complain("--coll %s: no such collective", name);
    }
    return collective;
}

/* What commands that study one algorithm take where none is named: the node-aware one for small sizes. */
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

/* Set one tunable: VALUE, of the first, or NAME=VALUE. */
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

/* The algorithm, if any is named, and its tunables, with commas between. */
static void set_algorithm(options_t *o, const char *algorithm, const char *tunables)
{
    char *copy, *rest = NULL;
    int row;

    if (NULL == algorithm) {
        if (NULL != tunables) {
            complain("--tunable %s: expected --algorithm as well, whose tunable it is", tunables);
        }
        return;
    }
    row = napcoll_algorithm_find(o->collective, algorithm);
    if (row < 0) {
        complain("--algorithm %s: %s has no such algorithm", algorithm, o->collective->name);
    }
    o->algorithm = &o->collective->algorithm[row];
    initial_tunables(o->algorithm, &o->params);
    if (NULL == tunables) {
        return;
    }
    copy = strdup(tunables);
    if (NULL == copy) {
        out_of_memory();
    }
    for (char *one = strtok_r(copy, ",", &rest); NULL != one; one = strtok_r(NULL, ",", &rest)) {
        set_tunable(o, one);
    }
    free(copy);
}

/* ---- the options ---- */

enum {
    TIMES = COMMAND_EXPLAIN | COMMAND_SIMULATE,
    ONE_PLACEMENT = COMMAND_ALL & ~COMMAND_SIMULATE
};

static const struct {
    const char *name;
    int argument;
    int letter;
    unsigned commands; /* that take it */
} known[] = {
    {"coll", required_argument, 'c', COMMAND_ALL},
    {"algorithm", required_argument, 'a', COMMAND_ALL & ~COMMAND_EXPLAIN},
    {"ppn", required_argument, 'p', COMMAND_ALL},
    {"nodes", required_argument, 'n', COMMAND_ALL},
    {"ranks", required_argument, 'N', ONE_PLACEMENT},
    {"map", required_argument, 'm', COMMAND_ALL},
    {"rank", required_argument, 'r', COMMAND_SHOW | COMMAND_EXPLAIN},
    {"provider", required_argument, 'P', COMMAND_ALL},
    {"local-radix", required_argument, 'k', COMMAND_ALL},
    {"tunable", required_argument, 't', COMMAND_ALL & ~COMMAND_EXPLAIN},
    {"in-place", no_argument, 'i', COMMAND_ALL},
    {"ordered", no_argument, 'o', COMMAND_ALL},
    {"reproducible", no_argument, 'R', COMMAND_ALL},
    {"bounded", no_argument, 'B', COMMAND_ALL},
    {"root", required_argument, 'z', COMMAND_ALL},
    {"segments", required_argument, 'g', COMMAND_ALL & ~COMMAND_EXPLAIN},
    {"machine", required_argument, 'M', TIMES | COMMAND_GOAL},
    {"bytes", required_argument, 'b', TIMES | COMMAND_GOAL},
    {"rules", required_argument, 'L', COMMAND_EXPLAIN},
    {"processors", required_argument, 'V', COMMAND_EXPLAIN},
    {"closed-form", no_argument, 'f', TIMES},
    {"topology", required_argument, 'T', COMMAND_ALL},
    {"hosts", required_argument, 'H', COMMAND_ALL},
    {"csv", required_argument, 'C', COMMAND_SIMULATE | COMMAND_LINKS},
    {"svg", required_argument, 'S', COMMAND_SIMULATE},
    {"output", required_argument, 'O', COMMAND_DRAW | COMMAND_GOAL},
    {"sample", required_argument, 's', COMMAND_VERIFY},
    {"jobs", required_argument, 'j', COMMAND_VERIFY},
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static void refuse_misplaced(const options_t *o, int letter)
{
    for (int i = 0; i < KNOWN; i++) {
        if (letter == known[i].letter && 0 == (known[i].commands & o->bit)) {
            complain("--%s: not an option of %s", known[i].name, o->command);
        }
    }
}

/* What the collective or the algorithm has no use for. */
static void refuse_pointless(const options_t *o)
{
    const char *name = o->collective->name;
    bool cut = NULL != o->algorithm && (o->algorithm->segmented || o->algorithm->cut);

    for (int row = 0; row < o->collective->algorithms && NULL == o->algorithm; row++) {
        cut = cut || o->collective->algorithm[row].segmented || o->collective->algorithm[row].cut;
    }
    if (o->params.segments > 1 && !cut) {
        complain("--segments %d: %s%s%s cuts nothing into segments", o->params.segments, name,
                 NULL == o->algorithm ? "" : " ", NULL == o->algorithm ? "" : o->algorithm->name);
    }
    if (o->params.root > 0 && !napcoll_goal_is_rooted(o->collective->goal)) {
        complain("--root %d: %s has no root", o->params.root, name);
    }
    if ((o->params.noncommutative || o->params.reproducible)
        && !napcoll_goal_reduces(o->collective->goal)) {
        complain("--%s: %s folds nothing", o->params.noncommutative ? "ordered" : "reproducible",
                 name);
    }
    if (o->params.bounded
        && (!napcoll_goal_is_personalized(o->collective->goal) || !o->collective->uneven)) {
        complain("--bounded: %s tells no sizes", name);
    }
    if (NAPCOLL_GOAL_BCAST == o->collective->goal && o->params.in_place) {
        complain("--in-place: %s has one buffer", name);
    }
    if (NAPCOLL_GOAL_BARRIER == o->collective->goal
        && (o->params.in_place || NULL != o->byte_range)) {
        complain("--%s: %s has no data", o->params.in_place ? "in-place" : "bytes", name);
    }
}

options_t parse_options(int argc, char **argv, unsigned bit)
{
    options_t o = {.command = argv[1],
                   .bit = bit,
                   .program = argv[0],
                   .ppn = "4",
                   .order = "block",
                   .rank = -1,
                   .params = {.local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX}};
    const char *collective = "allreduce", *tunable = NULL;
    const char *algorithm = NULL;
    const int processors = (int) sysconf(_SC_NPROCESSORS_ONLN);
    struct option names[KNOWN + 1] = {{0}};

    o.jobs = processors > 0 ? processors : 1;
    for (int i = 0; i < KNOWN; i++) {
        names[i] = (struct option){known[i].name, known[i].argument, NULL, known[i].letter};
    }
    for (int c; - 1 != (c = getopt_long(argc - 1, argv + 1, "", names, NULL));) {
        refuse_misplaced(&o, c);
        switch (c) {
        case 'c':
            collective = optarg;
            break;
        case 'a':
            algorithm = optarg;
            break;
        case 'p':
            o.ppn = optarg;
            break;
        case 'n':
            o.node_range = optarg;
            break;
        case 'N':
            o.ranks = read_number("ranks", optarg, 1, MOST_RANKS);
            break;
        case 'm':
            o.order = optarg;
            break;
        case 'r':
            o.rank = read_number("rank", optarg, 0, MOST_RANKS);
            break;
        case 'P':
            o.params.provider = find_provider(optarg);
            break;
        case 'k':
            o.params.local_radix = read_number("local-radix", optarg, 2, INT_MAX);
            break;
        case 't':
            tunable = optarg;
            break;
        case 'i':
            o.params.in_place = true;
            break;
        case 'o':
            o.params.noncommutative = true;
            break;
        case 'R':
            o.params.reproducible = true;
            break;
        case 'B':
            o.params.bounded = true;
            break;
        case 'z':
            o.params.root = read_number("root", optarg, 0, MOST_RANKS - 1);
            break;
        case 'g':
            o.params.segments = read_number("segments", optarg, 1, NAPCOLL_MODEL_MOST_SEGMENTS);
            break;
        case 'M':
            o.machine = optarg;
            break;
        case 'L':
            o.rules = optarg;
            break;
        case 'b':
            o.byte_range = optarg;
            break;
        case 'f':
            o.closed_form = true;
            break;
        case 'V':
            o.processors = read_number("processors", optarg, 1, INT_MAX);
            break;
        case 'T':
            o.topology = optarg;
            break;
        case 'H':
            o.hosts = optarg;
            break;
        case 'C':
            o.csv = optarg;
            break;
        case 'S':
            o.svg = optarg;
            break;
        case 'O':
            o.output = optarg;
            break;
        case 's':
            o.sample = read_number("sample", optarg, 1, MOST_RANKS);
            break;
        case 'j':
            o.jobs = read_number("jobs", optarg, 1, 1024);
            break;
        default:
            exit(EXIT_USAGE); /* getopt_long named the option */
        }
    }
    if (optind + 1 < argc) {
        complain("%s: unexpected argument", argv[optind + 1]);
    }
    o.collective = find_collective(collective);
    if (NULL == algorithm && 0 == (bit & TIMES)) {
        algorithm = default_algorithm(o.collective);
    }
    set_algorithm(&o, algorithm, tunable);
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
