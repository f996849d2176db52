/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's command line.
 */

#include <stddef.h>

#include "tune/napcoll_tune.h"

/* Of the greatest block to the least; of processes in a gather; of all blocks of one. */
enum { LEAST_RATIO = 6, LEAST_RANKS = 3, MOST_BUFFER = 1 << 30 };

static const size_t most_buffer = MOST_BUFFER;

/* ---- the tables ---- */

static napcoll_names_t wanted_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = tune_wanted_name_at};
}

static bool parse_only(void *options, const char *value, char *message)
{
    tune_options_t *o = options;
    const napcoll_names_t names = wanted_names(o);

    o->only = value;
    if (tune_want_only(&o->wanted, value)) {
        return true;
    }
    for (size_t length; '\0' != *value; value += length + (',' == value[length])) {
        const size_t name = strcspn(value, ":,");

        if (name > 0 && napcoll_name_find(&names, value, name) < 0) {
            napcoll_name_expected(message, NAPCOLL_MESSAGE, &names, value, name);
            break;
        }
        length = strcspn(value, ",");
    }
    return false;
}

static const napcoll_option_t known[] = {
    {.name = "output",
     .letter = 'o',
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(tune_options_t, output),
     .argument = "FILE",
     .help = "write the parameter file (default: to standard output)"},
    {.name = "only",
     .kind = NAPCOLL_OPTION_OTHER,
     .parse = parse_only,
     .names = wanted_names,
     .commands = TUNE_MACHINE,
     .expected = "collectives that napcoll has, except alltoallw, with commas between, such as "
                 "bcast:32K,scan,gatherv; " NAPCOLL_SUFFIXES,
     .argument = "LIST",
     .help = "COLLECTIVE[:BYTES],...: compare only these, with the machine of --output FILE, "
             "and put new rules before its older ones; " NAPCOLL_SUFFIXES},
    {.name = "time-limit",
     .kind = NAPCOLL_OPTION_TIME,
     .at = offsetof(tune_options_t, time_limit),
     .most = 1e6,
     .argument = "TIME",
     .help = "for all measuring, in seconds or with s, ms or us (default 300)"},
    {.name = "no-thresholds",
     .kind = NAPCOLL_OPTION_CLEAR,
     .at = offsetof(tune_options_t, thresholds),
     .commands = TUNE_MACHINE,
     .help = "leave gather and scatter out"},
    {.name = "no-verify",
     .kind = NAPCOLL_OPTION_CLEAR,
     .at = offsetof(tune_options_t, verify),
     .commands = TUNE_MACHINE,
     .help = "do not compare algorithms"},
    {.name = "all-nodes",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(tune_options_t, all_nodes),
     .commands = TUNE_MACHINE,
     .help = "all nodes send at once: for nodes that share what they should have to "
             "themselves, as emulated nodes do"},
    {.name = "min",
     .kind = NAPCOLL_OPTION_SIZE,
     .at = offsetof(tune_options_t, least),
     .least = 1,
     .most = MOST_BUFFER,
     .commands = TUNE_GATHER_SCATTER,
     .argument = "BYTES",
     .help = "least block (default 256); " NAPCOLL_SUFFIXES},
    {.name = "max",
     .kind = NAPCOLL_OPTION_SIZE,
     .at = offsetof(tune_options_t, most),
     .least = 1,
     .most = MOST_BUFFER,
     .commands = TUNE_GATHER_SCATTER,
     .argument = "BYTES",
     .help = "greatest block, at least 6 times the least (default 256K); " NAPCOLL_SUFFIXES},
    {.name = "repetitions",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(tune_options_t, repetitions),
     .least = NAPCOLL_INCAST_LEAST_SAMPLES,
     .most = 10000,
     .commands = TUNE_GATHER_SCATTER,
     .argument = "N",
     .help = "samples of each size, 5 or more (default 20)"},
    {.name = "samples",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(tune_options_t, samples),
     .argument = "FILE",
     .help = "write each sample as CSV"},
    {.name = NULL},
};

static const napcoll_command_t commands[] = {
    {.name = "machine",
     .bit = TUNE_MACHINE,
     .options = true,
     .help = "Measures this platform, in minutes, and writes the numbers of napcoll's model as "
             "parameters of Open MPI: latencies and rates, gaps, reductions, and from which block "
             "on gather and scatter should go in pieces. Then it compares the model's best "
             "algorithms with the fallback, and writes rules where the model is wrong."},
    {.name = "gather-scatter",
     .bit = TUNE_GATHER_SCATTER,
     .options = true,
     .help = "Finds from which block on gather and scatter should go in pieces on this platform "
             "(M1, M2 and S of HeteroMPI's model), and writes that as parameters of Open MPI."},
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... napcoll-tune",
    .help = "Measures this platform and writes parameters of Open MPI for napcoll. Start it as the "
            "applications are started, on several nodes, with at least 3 processes, and best while "
            "nothing else runs there.",
    .command = commands,
    .first_is_default = true,
    .option = known,
};

/* ---- the command line ---- */

/* What the options have to meet together. */
static napcoll_parsed_t complete(const tune_options_t *o, char message[NAPCOLL_MESSAGE])
{
    if (o->most / LEAST_RATIO < o->least) {
        snprintf(message, NAPCOLL_MESSAGE,
                 "--max %zu: expected at least %d times --min, which is %zu", o->most, LEAST_RATIO,
                 o->least);
        return NAPCOLL_PARSED_BAD;
    }
    if (NULL != o->only && (NULL == o->output || !o->verify || NULL != o->samples)) {
        snprintf(message, NAPCOLL_MESSAGE,
                 "--only: expected --output with a parameter file that napcoll-tune wrote, and "
                 "neither --no-verify nor --samples");
        return NAPCOLL_PARSED_BAD;
    }
    return NAPCOLL_PARSED_RUN;
}

napcoll_parsed_t tune_options_parse(int argc, char **argv, tune_options_t *o,
                                    napcoll_command_line_t *line)
{
    napcoll_parsed_t parsed;

    *o = (tune_options_t){.thresholds = true,
                          .verify = true,
                          .least = 256,
                          .most = (size_t) 256 << 10,
                          .repetitions = 20,
                          .time_limit = 300};
    tune_want_all(&o->wanted);
    parsed = napcoll_tool_parse(&tool, argc, argv, o, line);
    o->command = NULL == line->command ? 0 : (int) line->command->bit;
    return NAPCOLL_PARSED_RUN == parsed ? complete(o, line->message) : parsed;
}

/* The thresholds of a machine use blocks that fit; those that are asked for have to fit. */
static bool blocks_fit(tune_options_t *o, int ranks, char message[TUNE_TEXT])
{
    const size_t most = most_buffer / (size_t) ranks;

    if (TUNE_MACHINE == o->command) {
        o->most = o->most < most ? o->most : most;
        o->thresholds = o->thresholds && ranks >= LEAST_RANKS && o->most / LEAST_RATIO >= o->least;
        return true;
    }
    if (ranks < LEAST_RANKS) {
        snprintf(message, TUNE_TEXT,
                 "a gather from one process shows nothing; start at least %d processes with mpirun",
                 LEAST_RANKS);
    } else if (o->most > most) {
        snprintf(
            message, TUNE_TEXT,
            "--max %zu: blocks of %d processes together may take 1 GiB, which is %zu bytes each",
            o->most, ranks, most);
    }
    return ranks >= LEAST_RANKS && o->most <= most;
}

bool tune_options_fit(tune_options_t *o, const tune_nodes_t *n, int ranks, char message[TUNE_TEXT])
{
    if (TUNE_MACHINE == o->command && n->num < 2) {
        snprintf(message, TUNE_TEXT,
                 "all processes are on one node, but a machine is measured between nodes; start it "
                 "on two or more, or gather-scatter");
        return false;
    }
    if (NULL != o->only && n->least_ppn * n->num != ranks) {
        snprintf(message, TUNE_TEXT,
                 "--only: nodes have different numbers of processes, which no rule is about; start "
                 "as many on each");
        return false;
    }
    return blocks_fit(o, ranks, message);
}
