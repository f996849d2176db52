/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * collbench's command line. All ranks parse the same words and come to the same result; nothing
 * is printed here.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "bench.h"

enum { DEFAULT_FACTOR = 4, DEFAULT_ITERATIONS = 50, DEFAULT_TIME_LIMIT = 60 };

const char *options_usage(void)
{
    return "usage: mpirun ... collbench [options]\n"
           "Compares collective components turn by turn inside one job.\n"
           "  --coll NAME           allreduce (default), reduce, bcast, barrier, allgather, allgatherv,\n"
           "                        gather, gatherv, scatter, scatterv, reduce_scatter,\n"
           "                        reduce_scatter_block, scan, exscan, alltoall or alltoallv\n"
           "  --deal NAME           how the blocks of alltoallv, gatherv and scatterv differ: uniform\n"
           "                        (default), power, hot or zeros (see man page)\n"
           "  --contestants LIST    COMPONENT[:ALGORITHM],... the first is the reference of the\n"
           "                        ratios (default napcoll,tuned)\n"
           "  --bytes LIST          sizes: N, FROM:TO (times 4 each, TO included) or FROM:TO:xF;\n"
           "                        suffixes K, M, G; multiples of 8 (default 8:64K); see below\n"
           "  --iterations N        turns per size at most (default 50)\n"
           "  --min-iterations N    turns per size at least, whatever the time limit (default 1)\n"
           "  --rounds N            pass over the sizes N times, with a part of the turns each (default 1)\n"
           "  --time-limit SECONDS  for all sizes together (default 60)\n"
           "  --sample-time SECONDS calls for about so long are one sample (default: see man page)\n"
           "  --drop FACTOR         measure no further who at first takes over FACTOR times the fastest\n"
           "  --batch N             consecutive calls per sample (default: chosen, see man page)\n"
           "  --seed N              of the order of turns (default 1)\n"
           "  --csv FILE            write the table as CSV\n"
           "  --svg FILE            draw the table with gnuplot\n"
           "  --samples FILE        write every sample as CSV\n"
           "  --dots FILE           draw every sample as a dot with gnuplot\n"
           "  --progress            progress line even if standard error is not a terminal\n"
           "                        (mpirun hides the terminal from its processes)\n"
           "  --help                this text\n"
           "A size is, in bytes, that of\n"
           "  allreduce, reduce, bcast, scan, exscan   the vector of a process\n"
           "  allgather, allgatherv                    the block of a process\n"
           "  gather, gatherv, scatter, scatterv       the block of a process\n"
           "  reduce_scatter, reduce_scatter_block     the block that a process receives\n"
           "  alltoall, alltoallv                      the block of a process for another\n"
           "With allgatherv, reduce_scatter, alltoallv, gatherv and scatterv the blocks differ, and\n"
           "their average is the size. All blocks together may take 64 MiB on a process.\n"
           "Every component named must be in mpirun's --mca coll list, e.g.\n"
           "  mpirun --mca coll napcoll,tuned,han collbench --contestants napcoll:nap,tuned,han\n";
}

/* A size with its suffix, at *text; moves *text behind it. */
static bool parse_size(const char **text, size_t *bytes)
{
    unsigned long long value;
    char *end;
    int shift = 0;

    if (!isdigit((unsigned char) **text)) {
        return false;
    }
    errno = 0;
    value = strtoull(*text, &end, 10);
    switch (*end) {
    case 'K':
    case 'k':
        shift = 10;
        break;
    case 'M':
    case 'm':
        shift = 20;
        break;
    case 'G':
    case 'g':
        shift = 30;
        break;
    default:
        break;
    }
    if (0 != errno || value > ((unsigned long long) INT_MAX * sizeof(double)) >> shift) {
        return false;
    }
    *bytes = (size_t) (value << shift);
    *text = end + (0 != shift);
    return true;
}

/* One of N, FROM:TO, FROM:TO:xF; moves *text behind it. */
static bool parse_range(const char **text, size_t *from, size_t *to, size_t *factor)
{
    char *end;

    *factor = DEFAULT_FACTOR;
    if (!parse_size(text, from)) {
        return false;
    }
    *to = *from;
    if (':' != **text) {
        return true;
    }
    ++*text;
    if (!parse_size(text, to) || *to < *from) {
        return false;
    }
    if (':' != **text) {
        return true;
    }
    ++*text;
    if ('x' == **text) {
        ++*text;
    }
    if (!isdigit((unsigned char) **text)) {
        return false;
    }
    *factor = (size_t) strtoul(*text, &end, 10);
    *text = end;
    return *factor >= 2 && *factor <= 1024;
}

static bool parse_bytes(const char *text, struct options *opt)
{
    opt->num_sizes = 0;
    for (;;) {
        size_t from, to, factor;

        if (!parse_range(&text, &from, &to, &factor)) {
            return false;
        }
        if (0 == from && to > 0) {
            return false;
        }
        for (size_t bytes = from;; bytes = bytes * factor < to ? bytes * factor : to) {
            if (0 != bytes % sizeof(double) || opt->num_sizes >= BENCH_MAX_SIZES) {
                return false;
            }
            opt->bytes[opt->num_sizes++] = bytes;
            if (bytes >= to) {
                break;
            }
        }
        if ('\0' == *text) {
            return true;
        }
        if (',' != *text++) {
            return false;
        }
    }
}

static bool parse_deal(const char *text, struct options *opt)
{
    for (int deal = 0; deal < DEALS; ++deal) {
        if (0 == strcmp(text, deal_name(deal))) {
            opt->deal = (enum deal) deal;
            return true;
        }
    }
    return false;
}

static bool parse_contestants(const char *text, struct options *opt)
{
    opt->num_contestants = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        int n = opt->num_contestants;

        if (0 == length || ':' == text[0] || ':' == text[length - 1] || length >= BENCH_NAME
            || n >= BENCH_MAX_CONTESTANTS) {
            return false;
        }
        for (size_t i = 0; i < length; ++i) {
            if (!isalnum((unsigned char) text[i]) && NULL == strchr("_: =", text[i])) {
                return false;
            }
        }
        memcpy(opt->contestant[n], text, length);
        opt->contestant[n][length] = '\0';
        for (int i = 0; i < n; ++i) {
            if (0 == strcmp(opt->contestant[i], opt->contestant[n])) {
                return false;
            }
        }
        ++opt->num_contestants;
        if ('\0' == text[length]) {
            return true;
        }
        text += length + 1;
    }
}

static bool parse_int(const char *text, long long low, long long high, long long *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return 0 == errno && end != text && '\0' == *end && *value >= low && *value <= high;
}

/* A number above another one. */
static bool parse_above(const char *text, double least, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && '\0' == *end && isfinite(*value) && *value > least && *value <= 1.0e6;
}

/* Where the name of a file goes. */
static const char **file_of(int letter, struct options *opt)
{
    switch (letter) {
    case 'v':
        return &opt->svg;
    case 'a':
        return &opt->samples;
    case 'e':
        return &opt->dots;
    default:
        return &opt->csv;
    }
}

/* Takes one option; returns what was expected of its value if that is bad, NULL if it is good. */
static const char *take(int letter, const char *value, struct options *opt)
{
    long long number;

    switch (letter) {
    case 'c':
        opt->coll = collective_find(value);
        return NULL != opt->coll ? NULL : collective_names();
    case 'd':
        return parse_deal(value, opt) ? NULL : "uniform, power, hot or zeros";
    case 'o':
        return parse_contestants(value, opt)
                   ? NULL
                   : "up to 16 different COMPONENT[:ALGORITHM], with commas between";
    case 'b':
        return parse_bytes(value, opt)
                   ? NULL
                   : "up to 64 sizes N, FROM:TO or FROM:TO:xFACTOR, multiples of 8 below 16G, "
                     "such as 8:64K or 8,1K,1M";
    case 'i':
        if (!parse_int(value, 1, 1000000, &number)) {
            return "a whole number from 1 to 1000000";
        }
        opt->iterations = (int) number;
        return NULL;
    case 'l':
        if (!parse_int(value, 1, 1000000, &number)) {
            return "a whole number from 1 to 1000000";
        }
        opt->min_iterations = (int) number;
        return NULL;
    case 'u':
        if (!parse_int(value, 1, 1000, &number)) {
            return "a whole number from 1 to 1000";
        }
        opt->rounds = (int) number;
        return NULL;
    case 'n':
        if (!parse_int(value, 1, 100000, &number)) {
            return "a whole number from 1 to 100000";
        }
        opt->batch = (int) number;
        return NULL;
    case 's':
        if (!parse_int(value, 0, LLONG_MAX, &number)) {
            return "a whole number from 0";
        }
        opt->seed = (uint64_t) number;
        return NULL;
    case 't':
        return parse_above(value, 0, &opt->time_limit) ? NULL : "a number of seconds above 0";
    case 'r':
        return parse_above(value, 1, &opt->drop) ? NULL : "a factor above 1";
    case 'm':
        return parse_above(value, 0, &opt->sample_time) ? NULL : "seconds above 0";
    default:
        *file_of(letter, opt) = value;
        return '\0' != value[0] ? NULL : "a file name";
    }
}

static void set_defaults(struct options *opt)
{
    memset(opt, 0, sizeof(*opt));
    opt->coll = collective_find("allreduce");
    (void) parse_bytes("8:64K", opt);
    (void) parse_contestants("napcoll,tuned", opt);
    opt->iterations = DEFAULT_ITERATIONS;
    opt->min_iterations = 1;
    opt->rounds = 1;
    opt->time_limit = DEFAULT_TIME_LIMIT;
    opt->seed = 1;
    opt->progress = isatty(STDERR_FILENO);
}

enum options_result options_parse(int argc, char **argv, struct options *opt,
                                  char message[BENCH_TEXT])
{
    static const struct option known[] = {
        {"coll", required_argument, NULL, 'c'},
        {"deal", required_argument, NULL, 'd'},
        {"contestants", required_argument, NULL, 'o'},
        {"bytes", required_argument, NULL, 'b'},
        {"iterations", required_argument, NULL, 'i'},
        {"min-iterations", required_argument, NULL, 'l'},
        {"rounds", required_argument, NULL, 'u'},
        {"time-limit", required_argument, NULL, 't'},
        {"batch", required_argument, NULL, 'n'},
        {"drop", required_argument, NULL, 'r'},
        {"sample-time", required_argument, NULL, 'm'},
        {"seed", required_argument, NULL, 's'},
        {"svg", required_argument, NULL, 'v'},
        {"csv", required_argument, NULL, 'f'},
        {"samples", required_argument, NULL, 'a'},
        {"dots", required_argument, NULL, 'e'},
        {"progress", no_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int letter, index = 0;

    set_defaults(opt);
    opterr = 0;
    while (-1 != (letter = getopt_long(argc, argv, ":", known, &index))) {
        const char *expected;

        switch (letter) {
        case 'h':
            return OPTIONS_HELP;
        case 'p':
            opt->progress = true;
            continue;
        case ':':
            snprintf(message, BENCH_TEXT, "%.64s needs a value; see --help", argv[optind - 1]);
            return OPTIONS_BAD;
        case '?':
            snprintf(message, BENCH_TEXT, "%.64s is not an option; see --help", argv[optind - 1]);
            return OPTIONS_BAD;
        default:
            break;
        }
        expected = take(letter, optarg, opt);
        if (NULL != expected) {
            snprintf(message, BENCH_TEXT, "--%s %.64s: expected %s", known[index].name, optarg,
                     expected);
            return OPTIONS_BAD;
        }
    }
    if (optind < argc) {
        snprintf(message, BENCH_TEXT, "%.64s is not an option; see --help", argv[optind]);
        return OPTIONS_BAD;
    }
    if (HOLDS_NOTHING == opt->coll->recv) {
        opt->num_sizes = 1;
        opt->bytes[0] = 0;
    }
    return OPTIONS_RUN;
}
