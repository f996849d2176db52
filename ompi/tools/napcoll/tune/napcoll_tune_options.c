/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's command line. All ranks parse the same words and come to the same result; nothing is printed
 * here.
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_tune.h"

/* Of the greatest block to the least. */
enum { LEAST_RATIO = 6 };

static const char *const command_names[] = {[TUNE_MACHINE] = "machine",
                                            [TUNE_GATHER_SCATTER] = "gather-scatter",
                                            [TUNE_CORRECT] = "correct"};

/* The root's buffer has a block of each process. */
static const size_t most_buffer = (size_t) 1 << 30;

const char *tune_usage(void)
{
    return "usage: mpirun ... napcoll-tune [machine] [options]\n"
           "Measures this platform, in minutes, and writes what napcoll reckons with as parameters of\n"
           "Open MPI: latencies and times per byte by level and protocol, the rates of a process and of a\n"
           "node, gaps, folds, and from which block on gather and scatter had better go in pieces.\n"
           "  -o, --output FILE     write the parameter file (default: to standard output)\n"
           "  --time-limit SECONDS  for all measuring (default 300)\n"
           "  --no-thresholds       leave gather and scatter out\n"
           "  --no-verify           do not try whether algorithms are as fast as they should be\n"
           "  --all-nodes           all nodes send at once, where they share what one should have to\n"
           "                        itself: emulated nodes, virtual machines\n"
           "  --samples FILE        write each sample as CSV\n"
           "  -h, --help            this text\n"
           "\n"
           "usage: mpirun ... napcoll-tune gather-scatter [options]\n"
           "Finds from which block on gather and scatter had better go in pieces on this platform\n"
           "(M1, M2 and S of HeteroMPI's model), and writes that as parameters of Open MPI.\n"
           "  -o, --output FILE     write the parameter file (default: to standard output)\n"
           "  --root RANK           root of the gathers and scatters (default 0)\n"
           "  --min BYTES           least block (default 256); suffixes K, M\n"
           "  --max BYTES           greatest block, at least 6 times the least (default 256K)\n"
           "  --repetitions N       samples of each size, 5 or more (default 20)\n"
           "  --time-limit SECONDS  for all measuring (default 300)\n"
           "  --samples FILE        write each sample as CSV: collective,bytes,seconds\n"
           "  --svg FILE            draw the samples with gnuplot\n"
           "  -h, --help            this text\n"
           "\n"
           "usage: mpirun ... napcoll-tune correct [options] FILE\n"
           "Tries again which algorithms are fastest, with the machine in the parameter file FILE, and\n"
           "writes what it finds into the rules of that file, before those that are there.\n"
           "  --only LIST           of COLLECTIVE[:BYTES], with commas between: of these, or of what stands\n"
           "                        for blocks or vectors of so many bytes (default: all)\n"
           "  --time-limit SECONDS  for all measuring (default 300)\n"
           "  -h, --help            this text\n"
           "Start it as the applications are started that shall profit, on several nodes, with at\n"
           "least 3 processes; best while nothing else runs there.\n";
}

bool tune_parse_bytes(const char *text, size_t *bytes)
{
    unsigned long long value;
    unsigned shift = 0;
    char *end;

    if (!isdigit((unsigned char) text[0])) {
        return false;
    }
    errno = 0;
    value = strtoull(text, &end, 10);
    if ('K' == *end || 'k' == *end) {
        shift = 10;
    } else if ('M' == *end || 'm' == *end) {
        shift = 20;
    }
    if (0 != errno || '\0' != end[0 != shift] || 0 == value || value > most_buffer >> shift) {
        return false;
    }
    *bytes = (size_t) value << shift;
    return true;
}

static bool parse_int(const char *text, int least, int most, int *value)
{
    long number;
    char *end;

    errno = 0;
    number = strtol(text, &end, 10);
    if (0 != errno || !isdigit((unsigned char) text[0]) || '\0' != *end || number < least
        || number > most) {
        return false;
    }
    *value = (int) number;
    return true;
}

static bool parse_seconds(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && '\0' == *end && isfinite(*value) && *value > 0 && *value <= 1e6;
}

static bool parse_name(const char *text, const char **name)
{
    *name = text;
    return '\0' != text[0];
}

/* Takes one option; returns what was expected of its value if that is bad, NULL if it is good. */
static const char *take(int letter, const char *value, tune_options_t *options)
{
    bool good;

    switch (letter) {
    case 'r':
        good = parse_int(value, 0, INT_MAX, &options->root);
        return good ? NULL : "a rank, from 0";
    case 'a':
        good = tune_parse_bytes(value, &options->least);
        return good ? NULL : "a number of bytes from 1 to 1024M, such as 256 or 4K";
    case 'b':
        good = tune_parse_bytes(value, &options->most);
        return good ? NULL : "a number of bytes from 1 to 1024M, such as 64K or 1M";
    case 'n':
        good = parse_int(value, NAPCOLL_INCAST_LEAST_SAMPLES, 10000, &options->repetitions);
        return good ? NULL : "a whole number from 5 to 10000";
    case 't':
        good = parse_seconds(value, &options->time_limit);
        return good ? NULL : "a number of seconds above 0";
    case 'N':
        options->thresholds = false;
        return NULL;
    case 'V':
        options->verify = false;
        return NULL;
    case 'A':
        options->all_nodes = true;
        return NULL;
    case 'w':
        return tune_only_parse(value, options)
                   ? NULL
                   : "collectives that napcoll has, but alltoallw, with commas between, such as "
                     "bcast:32K,scan,gatherv";
    case 's':
        return parse_name(value, &options->samples) ? NULL : "a file name";
    case 'v':
        return parse_name(value, &options->svg) ? NULL : "a file name";
    default:
        return parse_name(value, &options->output) ? NULL : "a file name";
    }
}

/* What the options have to meet together. */
static tune_parsed_t complete(const tune_options_t *options, char message[TUNE_TEXT])
{
    if (options->most / LEAST_RATIO < options->least) {
        snprintf(
            message, TUNE_TEXT,
            "--max %zu: expected at least %d times --min, which is %zu, so that there are sizes between",
            options->most, LEAST_RATIO, options->least);
        return TUNE_BAD;
    }
    return TUNE_RUN;
}

/* The subcommand, which stands first where there is one; *from is where options begin. */
static tune_parsed_t parse_command(int argc, char **argv, tune_command_t *command, int *from,
                                   char message[TUNE_TEXT])
{
    *command = TUNE_MACHINE;
    *from = 1;
    if (argc < 2 || '-' == argv[1][0]) {
        return TUNE_RUN;
    }
    *from = 2;
    for (size_t i = 0; i < sizeof(command_names) / sizeof(*command_names); i++) {
        if (0 == strcmp(argv[1], command_names[i])) {
            *command = (tune_command_t) i;
            return TUNE_RUN;
        }
    }
    snprintf(message, TUNE_TEXT,
             "%.64s: expected machine, gather-scatter, correct or an option; see --help", argv[1]);
    return TUNE_BAD;
}

/* Whether an option belongs to the command. */
static bool is_of_command(int letter, tune_command_t command)
{
    static const char *const letters[] = {
        [TUNE_MACHINE] = "otsNVA", [TUNE_GATHER_SCATTER] = "otsrabnv", [TUNE_CORRECT] = "tw"};

    return NULL != strchr(letters[command], letter);
}

/* What is no option: the file that is corrected. */
static bool take_operands(int count, char **operands, tune_options_t *options,
                          char message[TUNE_TEXT])
{
    const int wanted = TUNE_CORRECT == options->command ? 1 : 0;

    if (count < wanted) {
        snprintf(message, TUNE_TEXT,
                 "correct: expected a parameter file that napcoll-tune wrote; see --help");
    } else if (count > wanted) {
        snprintf(message, TUNE_TEXT, "%.64s is not an option; see --help", operands[wanted]);
    } else if (wanted > 0) {
        options->thresholds = false;
        options->most_turns = TUNE_SAMPLES;
        options->corrected = operands[0];
    }
    return count == wanted;
}

tune_parsed_t tune_options_parse(int argc, char **argv, tune_options_t *options,
                                 char message[TUNE_TEXT])
{
    static const struct option known[] = {
        {"output", required_argument, NULL, 'o'},
        {"root", required_argument, NULL, 'r'},
        {"min", required_argument, NULL, 'a'},
        {"max", required_argument, NULL, 'b'},
        {"repetitions", required_argument, NULL, 'n'},
        {"time-limit", required_argument, NULL, 't'},
        {"samples", required_argument, NULL, 's'},
        {"svg", required_argument, NULL, 'v'},
        {"only", required_argument, NULL, 'w'},
        {"no-thresholds", no_argument, NULL, 'N'},
        {"no-verify", no_argument, NULL, 'V'},
        {"all-nodes", no_argument, NULL, 'A'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    tune_parsed_t parsed;
    int letter, from;

    *options = (tune_options_t){.thresholds = true,
                                .verify = true,
                                .least = 256,
                                .most = (size_t) 256 << 10,
                                .repetitions = 20,
                                .time_limit = 300,
                                .most_turns = 32};
    memset(options->tried, true, sizeof(options->tried));
    parsed = parse_command(argc, argv, &options->command, &from, message);
    if (TUNE_RUN != parsed) {
        return parsed;
    }
    opterr = 0;
    optind = from;
    for (;;) {
        int index = 0;
        const char *expected;

        letter = getopt_long(argc, argv, ":ho:", known, &index);
        if (-1 == letter) {
            break;
        }
        if ('h' == letter) {
            return TUNE_HELP;
        }
        if (':' == letter || '?' == letter) {
            snprintf(message, TUNE_TEXT, "%.64s %s; see --help", argv[optind - 1],
                     ':' == letter ? "needs a value" : "is not an option");
            return TUNE_BAD;
        }
        if (!is_of_command(letter, options->command)) {
            snprintf(message, TUNE_TEXT, "--%s is not an option of %s; see --help",
                     'o' == letter ? "output" : known[index].name, command_names[options->command]);
            return TUNE_BAD;
        }
        expected = take(letter, optarg, options);
        if (NULL != expected) {
            snprintf(message, TUNE_TEXT, "--%s %.64s: expected %s", known[index].name, optarg,
                     expected);
            return TUNE_BAD;
        }
    }
    return take_operands(argc - optind, argv + optind, options, message)
               ? complete(options, message)
               : TUNE_BAD;
}

/* What gathers and scatters ask of the job. */
static bool blocks_fit(tune_options_t *options, int ranks, char message[TUNE_TEXT])
{
    if (options->root >= ranks) {
        snprintf(message, TUNE_TEXT, "--root %d: there are %d processes", options->root, ranks);
        return false;
    }
    if (options->most > most_buffer / (size_t) ranks) {
        snprintf(
            message, TUNE_TEXT,
            "--max %zu: blocks of %d processes together may take 1 GiB, which is %zu bytes each",
            options->most, ranks, most_buffer / (size_t) ranks);
        return false;
    }
    return true;
}

bool tune_options_fit(tune_options_t *options, int ranks, int nodes, char message[TUNE_TEXT])
{
    enum { LEAST_RANKS = 3 };

    if (TUNE_GATHER_SCATTER != options->command) {
        if (nodes < 2) {
            snprintf(
                message, TUNE_TEXT,
                "all processes are on one node, and what is to be measured is between nodes; start it on "
                "two or more, or gather-scatter");
            return false;
        }
        options->thresholds = options->thresholds && ranks >= LEAST_RANKS;
        if (options->most > most_buffer / (size_t) ranks) {
            options->most = most_buffer / (size_t) ranks;
        }
        options->thresholds = options->thresholds && options->most / LEAST_RATIO >= options->least;
        return true;
    }
    if (ranks < LEAST_RANKS) {
        snprintf(
            message, TUNE_TEXT,
            "gathers to one process from one other meet nothing; start at least %d processes with mpirun",
            LEAST_RANKS);
        return false;
    }
    return blocks_fit(options, ranks, message);
}
