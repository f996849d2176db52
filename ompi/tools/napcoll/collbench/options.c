/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * collbench's command line.
 */

#include <ctype.h>
#include <limits.h>
#include <unistd.h>

#include "bench.h"

enum { DEFAULT_FACTOR = 4 };

static const size_t most_bytes = (size_t) INT_MAX * sizeof(double);

const char *options_usage(void)
{
    return "usage: mpirun ... collbench [options]\n"
           "Compares collective components turn by turn inside one job.\n"
           "  --coll NAME           allreduce (default), reduce, bcast, barrier, allgather,\n"
           "                        allgatherv, gather, gatherv, scatter, scatterv,\n"
           "                        reduce_scatter, reduce_scatter_block, scan, exscan, alltoall\n"
           "                        or alltoallv\n"
           "  --deal NAME           how the blocks of alltoallv, gatherv and scatterv differ:\n"
           "                        uniform (default), power, hot or zeros (see man page)\n"
           "  --contestants LIST    COMPONENT[:ALGORITHM],... the first is the reference of the\n"
           "                        ratios (default napcoll,tuned)\n"
           "  --bytes LIST          sizes: N, FROM:TO (times 4 each, TO included) or FROM:TO:xF;\n"
           "                        suffixes K, M, G; multiples of 8 (default 8:64K); see below\n"
           "  --iterations N        turns per size at most (default 50)\n"
           "  --min-iterations N    turns per size at least, whatever the time limit (default 1)\n"
           "  --rounds N            pass over the sizes N times, with a part of the turns each\n"
           "                        (default 1)\n"
           "  --time-limit SECONDS  for all sizes together (default 60)\n"
           "  --sample-time SECONDS length of a sample (default: see man page)\n"
           "  --drop FACTOR         no turns for contestants whose first calls take over FACTOR\n"
           "                        times as long as the fastest (default: all have turns)\n"
           "  --batch N             consecutive calls per sample (default: chosen, see man page)\n"
           "  --csv FILE            write the table as CSV\n"
           "  --svg FILE            draw the table with gnuplot\n"
           "  --samples FILE        write every sample as CSV\n"
           "  --progress            progress line even if standard error is not a terminal\n"
           "                        (mpirun hides the terminal from its processes)\n"
           "  --help                this text\n"
           "A size, in bytes, is of\n"
           "  allreduce, reduce, bcast, scan, exscan   the vector of a process\n"
           "  allgather, allgatherv                    the block of a process\n"
           "  gather, gatherv, scatter, scatterv       the block of a process\n"
           "  reduce_scatter, reduce_scatter_block     the block that a process receives\n"
           "  alltoall, alltoallv                      the block of a process for another\n"
           "With allgatherv, reduce_scatter, alltoallv, gatherv and scatterv the blocks differ;\n"
           "their average is the size. All blocks together may take 64 MiB on a process.\n"
           "Every component named must be in mpirun's --mca coll list, e.g.\n"
           "  mpirun --mca coll napcoll,tuned,han collbench --contestants napcoll:nap,tuned,han\n";
}

/* One of N, FROM:TO, FROM:TO:xF; moves *text behind it. */
static bool parse_range(const char **text, size_t *from, size_t *to, size_t *factor)
{
    *factor = DEFAULT_FACTOR;
    if (!napcoll_parse_bytes(text, most_bytes, from)) {
        return false;
    }
    *to = *from;
    if (':' != **text) {
        return true;
    }
    ++*text;
    if (!napcoll_parse_bytes(text, most_bytes, to) || *to < *from || (0 == *from && *to > 0)) {
        return false;
    }
    if (':' != **text) {
        return true;
    }
    *text += 'x' == (*text)[1] ? 2 : 1;
    return napcoll_parse_bytes(text, 1024, factor) && *factor >= 2;
}

static bool parse_sizes(void *context, const char *text)
{
    struct options *opt = context;

    opt->num_sizes = 0;
    for (;;) {
        size_t from, to, factor;

        if (!parse_range(&text, &from, &to, &factor)) {
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

static bool parse_coll(void *context, const char *text)
{
    struct options *opt = context;

    opt->coll = napcoll_measured_find(text);
    return NULL != opt->coll;
}

static bool parse_deal(void *context, const char *text)
{
    struct options *opt = context;

    for (int deal = 0; NULL != napcoll_deal_name(deal); deal++) {
        if (0 == strcmp(text, napcoll_deal_name(deal))) {
            opt->deal = (napcoll_deal_t) deal;
            return true;
        }
    }
    return false;
}

/* Whether a text of that length can be a contestant that is not in the list yet. */
static bool is_contestant(const struct options *opt, const char *text, size_t length)
{
    if (0 == length || ':' == text[0] || ':' == text[length - 1] || length >= BENCH_NAME
        || opt->num_contestants >= NAPCOLL_MOST_CONTESTANTS) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char) text[i]) && NULL == strchr("_: =", text[i])) {
            return false;
        }
    }
    for (int i = 0; i < opt->num_contestants; i++) {
        if (length == strlen(opt->contestant[i])
            && 0 == strncmp(opt->contestant[i], text, length)) {
            return false;
        }
    }
    return true;
}

static bool parse_contestants(void *context, const char *text)
{
    struct options *opt = context;

    opt->num_contestants = 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",");

        if (!is_contestant(opt, text, length)) {
            return false;
        }
        (void) snprintf(opt->contestant[opt->num_contestants++], BENCH_NAME, "%.*s", (int) length,
                        text);
        text += length;
        if ('\0' == *text) {
            return true;
        }
    }
}

napcoll_parsed_t options_parse(int argc, char **argv, struct options *opt, char message[BENCH_TEXT])
{
    const char *million = "a whole number from 1 to 1000000";
    const napcoll_option_t known[] = {
        {"coll", 0, NAPCOLL_OPTION_OTHER, opt, .parse = parse_coll,
         .expected = "allreduce, reduce, bcast, barrier, allgather(v), gather(v), scatter(v), "
                     "reduce_scatter(_block), scan, exscan or alltoall(v)"},
        {"deal", 0, NAPCOLL_OPTION_OTHER, opt, .parse = parse_deal,
         .expected = "uniform, power, hot or zeros"},
        {"contestants", 0, NAPCOLL_OPTION_OTHER, opt, .parse = parse_contestants,
         .expected = "up to 16 different COMPONENT[:ALGORITHM], with commas between"},
        {"bytes", 0, NAPCOLL_OPTION_OTHER, opt, .parse = parse_sizes,
         .expected = "up to 64 sizes N, FROM:TO or FROM:TO:xFACTOR, multiples of 8 below 16G, "
                     "such as 8:64K or 8,1K,1M"},
        {"iterations", 0, NAPCOLL_OPTION_INT, &opt->iterations, 1, 1e6, million},
        {"min-iterations", 0, NAPCOLL_OPTION_INT, &opt->min_iterations, 1, 1e6, million},
        {"rounds", 0, NAPCOLL_OPTION_INT, &opt->rounds, 1, 1000, "a whole number from 1 to 1000"},
        {"time-limit", 0, NAPCOLL_OPTION_NUMBER, &opt->time_limit, 0, 1e6,
         "a number of seconds above 0"},
        {"batch", 0, NAPCOLL_OPTION_INT, &opt->batch, 1, 1e5, "a whole number from 1 to 100000"},
        {"drop", 0, NAPCOLL_OPTION_NUMBER, &opt->drop, 1, 1e6, "a factor above 1"},
        {"sample-time", 0, NAPCOLL_OPTION_NUMBER, &opt->sample_time, 0, 1e6, "seconds above 0"},
        {"svg", 0, NAPCOLL_OPTION_TEXT, &opt->svg, .expected = "a file name"},
        {"csv", 0, NAPCOLL_OPTION_TEXT, &opt->csv, .expected = "a file name"},
        {"samples", 0, NAPCOLL_OPTION_TEXT, &opt->samples, .expected = "a file name"},
        {"progress", 0, NAPCOLL_OPTION_SET, &opt->progress},
        {.name = NULL},
    };
    const napcoll_command_line_t line = {.argc = argc, .argv = argv, .first = 1};
    napcoll_parsed_t parsed;

    *opt = (struct options){.coll = napcoll_measured_find("allreduce"),
                            .iterations = 50,
                            .min_iterations = 1,
                            .rounds = 1,
                            .time_limit = 60,
                            .progress = isatty(STDERR_FILENO)};
    (void) parse_sizes(opt, "8:64K");
    (void) parse_contestants(opt, "napcoll,tuned");
    parsed = napcoll_options_parse(&line, known, message, BENCH_TEXT);
    if (NAPCOLL_PARSED_RUN == parsed && NAPCOLL_BUFFER_NOTHING == opt->coll->recv) {
        opt->num_sizes = 1;
        opt->bytes[0] = 0;
    }
    return parsed;
}
