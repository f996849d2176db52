/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's command line.
 */

#include "tune/napcoll_tune.h"

/* Of the greatest block to the least; of processes in a gather; of all blocks of one. */
enum { LEAST_RATIO = 6, LEAST_RANKS = 3 };

static const size_t most_buffer = (size_t) 1 << 30;

const char *tune_usage(void)
{
    return "usage: mpirun ... napcoll-tune [machine] [options]\n"
           "Measures this platform, in minutes, and writes the numbers of napcoll's model as\n"
           "parameters of Open MPI: latencies and rates, gaps, reductions, and from which block\n"
           "on gather and scatter should go in pieces. Then it compares the model's best\n"
           "algorithms with the fallback, and writes rules where the model is wrong.\n"
           "  -o, --output FILE     write the parameter file (default: to standard output)\n"
           "  --only LIST           COLLECTIVE[:BYTES],...: compare only these, with the machine\n"
           "                        of --output FILE, and put new rules before its older ones\n"
           "  --time-limit SECONDS  for all measuring (default 300)\n"
           "  --no-thresholds       leave gather and scatter out\n"
           "  --no-verify           do not compare algorithms\n"
           "  --all-nodes           all nodes send at once: for nodes that share what they should\n"
           "                        have to themselves, as emulated nodes do\n"
           "  --samples FILE        write each sample as CSV\n"
           "  -h, --help            this text\n"
           "\n"
           "usage: mpirun ... napcoll-tune gather-scatter [options]\n"
           "Finds from which block on gather and scatter should go in pieces on this platform\n"
           "(M1, M2 and S of HeteroMPI's model), and writes that as parameters of Open MPI.\n"
           "  -o, --output FILE     write the parameter file (default: to standard output)\n"
           "  --min BYTES           least block (default 256); suffixes K, M\n"
           "  --max BYTES           greatest block, at least 6 times the least (default 256K)\n"
           "  --repetitions N       samples of each size, 5 or more (default 20)\n"
           "  --time-limit SECONDS  for all measuring (default 300)\n"
           "  --samples FILE        write each sample as CSV\n"
           "  -h, --help            this text\n"
           "\n"
           "Start it as the applications are started, on several nodes, with at least 3\n"
           "processes, and best while nothing else runs there.\n";
}

static bool parse_only(void *variable, const char *value)
{
    tune_options_t *options = variable;

    options->only = value;
    return tune_want_only(&options->wanted, value);
}

/* What the options have to meet together. */
static napcoll_parsed_t complete(const tune_options_t *o, char message[TUNE_TEXT])
{
    if (o->most / LEAST_RATIO < o->least) {
        snprintf(message, TUNE_TEXT, "--max %zu: expected at least %d times --min, which is %zu",
                 o->most, LEAST_RATIO, o->least);
        return NAPCOLL_PARSED_BAD;
    }
    if (NULL != o->only && (NULL == o->output || !o->verify || NULL != o->samples)) {
        snprintf(message, TUNE_TEXT,
                 "--only: expected --output with a parameter file that napcoll-tune wrote, and "
                 "neither --no-verify nor --samples");
        return NAPCOLL_PARSED_BAD;
    }
    return NAPCOLL_PARSED_RUN;
}

napcoll_parsed_t tune_options_parse(int argc, char **argv, tune_options_t *o,
                                    char message[TUNE_TEXT])
{
    const char *bytes = "a number of bytes from 1 to 1024M, such as 256 or 4K";
    const double most = (double) most_buffer;
    const napcoll_option_t known[] = {
        {"output", 'o', NAPCOLL_OPTION_TEXT, &o->output, .expected = "a file name"},
        {"only", 0, NAPCOLL_OPTION_OTHER, o, .parse = parse_only, .commands = TUNE_MACHINE,
         .expected = "collectives that napcoll has, but alltoallw, with commas between, such as "
                     "bcast:32K,scan,gatherv"},
        {"time-limit", 0, NAPCOLL_OPTION_NUMBER, &o->time_limit, 0, 1e6,
         "a number of seconds above 0"},
        {"samples", 0, NAPCOLL_OPTION_TEXT, &o->samples, .expected = "a file name"},
        {"no-thresholds", 0, NAPCOLL_OPTION_CLEAR, &o->thresholds, .commands = TUNE_MACHINE},
        {"no-verify", 0, NAPCOLL_OPTION_CLEAR, &o->verify, .commands = TUNE_MACHINE},
        {"all-nodes", 0, NAPCOLL_OPTION_SET, &o->all_nodes, .commands = TUNE_MACHINE},
        {"min", 0, NAPCOLL_OPTION_BYTES, &o->least, 1, most, bytes,
         .commands = TUNE_GATHER_SCATTER},
        {"max", 0, NAPCOLL_OPTION_BYTES, &o->most, 1, most, bytes, .commands = TUNE_GATHER_SCATTER},
        {"repetitions", 0, NAPCOLL_OPTION_INT, &o->repetitions, NAPCOLL_INCAST_LEAST_SAMPLES, 10000,
         "a whole number from 5 to 10000", .commands = TUNE_GATHER_SCATTER},
        {.name = NULL},
    };
    napcoll_command_line_t line = {.argc = argc, .argv = argv, .first = 1, .command = TUNE_MACHINE};
    napcoll_parsed_t parsed;

    *o = (tune_options_t){.thresholds = true,
                          .verify = true,
                          .least = 256,
                          .most = (size_t) 256 << 10,
                          .repetitions = 20,
                          .time_limit = 300};
    tune_want_all(&o->wanted);
    line.command_name = "machine";
    if (argc > 1 && '-' != argv[1][0]) {
        line.first = 2;
        line.command_name = argv[1];
        if (0 == strcmp(argv[1], "gather-scatter")) {
            line.command = TUNE_GATHER_SCATTER;
        } else if (0 != strcmp(argv[1], "machine")) {
            snprintf(message, TUNE_TEXT,
                     "%.64s: expected machine, gather-scatter or an option; see --help", argv[1]);
            return NAPCOLL_PARSED_BAD;
        }
    }
    o->command = (int) line.command;
    parsed = napcoll_options_parse(&line, known, message, TUNE_TEXT);
    return NAPCOLL_PARSED_RUN == parsed ? complete(o, message) : parsed;
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
