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
#include <stddef.h>

#include "bench.h"

/* ---- names ---- */

static const char *measured_name_at(const void *context, int i)
{
    (void) context;
    return napcoll_measured_name(i);
}

static napcoll_names_t measured_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = measured_name_at};
}

static const char *deal_name_at(const void *context, int i)
{
    (void) context;
    return napcoll_deal_name(i);
}

static napcoll_names_t graph_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_graph_name_at};
}

static napcoll_names_t deal_names(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = deal_name_at};
}

/* The components that every Open MPI has, and napcoll's algorithms. The name lasts until the next
 * call. */
static const char *contestant_name_at(const void *context, int i)
{
    static const char *const components[] = {"basic", "libnbc", "napcoll", "tuned"};
    enum { COMPONENTS = sizeof(components) / sizeof(*components) };
    static char name[BENCH_NAME];
    const napcoll_collective_t *collective = context;

    if (i < COMPONENTS) {
        return components[i];
    }
    if (NULL == collective || i - COMPONENTS >= collective->algorithms) {
        return NULL;
    }
    (void) snprintf(name, sizeof(name), "napcoll:%s", collective->algorithm[i - COMPONENTS].name);
    return name;
}

/* Without --coll. */
static const char default_coll[] = "allreduce";

static const char *coll_name(const struct options *opt)
{
    return opt->row < 0 ? default_coll : napcoll_measured_name(opt->row);
}

static napcoll_names_t contestant_names(const void *options)
{
    return (napcoll_names_t){.at = contestant_name_at,
                             .context = napcoll_collective_find(coll_name(options))};
}

/* ---- lists ---- */

static bool parse_sizes(void *options, const char *text, char *message)
{
    static const napcoll_series_t series = {
        .most = (size_t) INT_MAX * sizeof(double), .factor = 4, .ends_with_to = true, .list = true};
    struct options *opt = options;

    (void) message;
    opt->num_sizes = napcoll_read_series(text, &series, opt->bytes, BENCH_MAX_SIZES);
    for (int i = 0; i < opt->num_sizes && i < BENCH_MAX_SIZES; i++) {
        if (0 != opt->bytes[i] % sizeof(double)) {
            return false;
        }
    }
    return opt->num_sizes > 0 && opt->num_sizes <= BENCH_MAX_SIZES;
}

/* Whether a text of that length can be a contestant that is not in the list yet. */
static bool is_contestant(const struct options *opt, const char *text, size_t length)
{
    if (0 == length || NULL != strchr(":@", text[0]) || ':' == text[length - 1]
        || length >= BENCH_NAME || opt->num_contestants >= NAPCOLL_MOST_CONTESTANTS) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((!isalnum((unsigned char) text[i]) && NULL == strchr("_: =@", text[i]))
            || ('@' == text[i] && ':' == text[i - 1])) {
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

static bool parse_contestants(void *options, const char *text, char *message)
{
    const napcoll_names_t kinds = kind_names(options);
    struct options *opt = options;

    opt->num_contestants = 0;
    for (;; text++) {
        size_t length = strcspn(text, ","), kind;
        char *contestant = opt->contestant[opt->num_contestants];

        if (!is_contestant(opt, text, length)) {
            return false;
        }
        (void) snprintf(contestant, BENCH_NAME, "%.*s", (int) length, text);
        if (kind_of(contestant, &kind) < 0) {
            napcoll_name_expected(message, NAPCOLL_MESSAGE, &kinds, contestant + kind + 1,
                                  length - kind - 1);
            return false;
        }
        opt->num_contestants++;
        text += length;
        if ('\0' == *text) {
            return true;
        }
    }
}

static bool parse_kinds(void *options, const char *text, char *message)
{
    const napcoll_names_t names = kind_names(options);
    struct options *opt = options;

    opt->num_kinds = 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        const int kind = napcoll_name_find(&names, text, length);

        if (kind < 0) {
            napcoll_name_expected(message, NAPCOLL_MESSAGE, &names, text, length);
            return false;
        }
        for (int i = 0; i < opt->num_kinds; i++) {
            if (kind == (int) opt->kind[i]) {
                return false;
            }
        }
        opt->kind[opt->num_kinds++] = (napcoll_kind_t) kind;
        text += length;
        if ('\0' == *text) {
            return true;
        }
    }
}

/* ---- the table ---- */

static const napcoll_option_t known[] = {
    {.name = "coll",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(struct options, row),
     .names = measured_names,
     .argument = "NAME",
     .help = "the collective (default allreduce):"},
    {.name = "deal",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(struct options, deal),
     .names = deal_names,
     .argument = "NAME",
     .help = "how the blocks of alltoallv, alltoallw, gatherv, scatterv, neighbor_alltoallv and "
             "neighbor_alltoallw differ (default uniform; see collbench(1)):"},
    {.name = "graph",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(struct options, graph.graph),
     .names = graph_names,
     .argument = "GRAPH",
     .help = "who is whose neighbour in a neighbourhood collective: torus, stencil, random, "
             "power-law, or a file of lines FROM TO (default torus)"},
    {.name = "degree",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, graph.degree),
     .least = 1,
     .most = NAPCOLL_GRAPH_MOST_DEGREE,
     .argument = "N",
     .help = "neighbours of a process in a random or, on average, power-law graph (default 8)"},
    {.name = "seed",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, graph.seed),
     .least = 1,
     .most = INT_MAX,
     .argument = "N",
     .help = "of random numbers for these two graphs (default 1)"},
    {.name = "contestants",
     .kind = NAPCOLL_OPTION_OTHER,
     .parse = parse_contestants,
     .names = contestant_names,
     .expected = "up to 24 different COMPONENT[:ALGORITHM][@KIND], with commas between",
     .argument = "LIST",
     .help = "COMPONENT[:ALGORITHM][@KIND],... the first is the reference of the ratios "
             "(default napcoll,tuned)"},
    {.name = "kind",
     .kind = NAPCOLL_OPTION_OTHER,
     .parse = parse_kinds,
     .names = kind_names,
     .expected = "different kinds of calls, with commas between",
     .argument = "LIST",
     .help = "blocking, nonblocking, persistent: how contestants without @KIND call the "
             "collective, each in all kinds of the list (default blocking)"},
    {.name = "overlap",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(struct options, overlap),
     .help = "measure also how much of a nonblocking or persistent call computation hides"},
    {.name = "tests",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, tests),
     .least = 0,
     .most = 1e5,
     .argument = "N",
     .help = "calls of MPI_Test in the computation of --overlap (default 0)"},
    {.name = "bytes",
     .kind = NAPCOLL_OPTION_OTHER,
     .parse = parse_sizes,
     .expected =
         "up to 64 sizes N, FROM:TO, FROM:TO:xFACTOR or FROM:TO:+STEP, multiples of 8 below "
         "16G, such as 8:64K or 8,1K,1M; " NAPCOLL_SUFFIXES,
     .argument = "LIST",
     .help = "sizes: N, FROM:TO (times 4 each, TO included), FROM:TO:xFACTOR or FROM:TO:+STEP; "
             "multiples of 8; " NAPCOLL_SUFFIXES " (default 8:64K); see below"},
    {.name = "iterations",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, iterations),
     .least = 1,
     .most = 1e6,
     .argument = "N",
     .help = "turns per size at most (default 50)"},
    {.name = "min-iterations",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, min_iterations),
     .least = 1,
     .most = 1e6,
     .argument = "N",
     .help = "turns per size at least, whatever the time limit (default 1)"},
    {.name = "rounds",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, rounds),
     .least = 1,
     .most = 1000,
     .argument = "N",
     .help = "pass over the sizes N times, with a part of the turns each (default 1)"},
    {.name = "time-limit",
     .kind = NAPCOLL_OPTION_TIME,
     .at = offsetof(struct options, time_limit),
     .most = 1e6,
     .argument = "TIME",
     .help = "for all sizes together, in seconds or with s, ms or us (default 60)"},
    {.name = "sample-time",
     .kind = NAPCOLL_OPTION_TIME,
     .at = offsetof(struct options, sample_time),
     .most = 1e6,
     .argument = "TIME",
     .help = "length of a sample (default: see collbench(1))"},
    {.name = "drop",
     .kind = NAPCOLL_OPTION_REAL,
     .at = offsetof(struct options, drop),
     .least = 1.01,
     .most = 1e6,
     .argument = "FACTOR",
     .help = "no turns for contestants whose first calls take over FACTOR times as long as the "
             "fastest (default: all have turns)"},
    {.name = "finalists",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, finalists),
     .least = 1,
     .most = NAPCOLL_MOST_CONTESTANTS,
     .argument = "N",
     .help = "turns for N of the contestants COMPONENT:ALGORITHM of a kind only, whose first calls "
             "are the fastest (default: all have turns)"},
    {.name = "batch",
     .kind = NAPCOLL_OPTION_INT,
     .at = offsetof(struct options, batch),
     .least = 1,
     .most = 1e5,
     .argument = "N",
     .help = "consecutive calls per sample (default: chosen, see collbench(1))"},
    {.name = "csv",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(struct options, csv),
     .argument = "FILE",
     .help = "write the table as CSV"},
    {.name = "svg",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(struct options, svg),
     .argument = "FILE",
     .help = "draw the table with gnuplot"},
    {.name = "samples",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(struct options, samples),
     .argument = "FILE",
     .help = "write every sample as CSV"},
    {.name = "osu",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(struct options, osu),
     .help = "print the mean times of the first contestant in the columns of the OSU "
             "micro-benchmarks instead of the table"},
    {.name = "guidelines",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(struct options, guidelines),
     .help = "check instead whether collectives keep performance guidelines, such as allreduce <= "
             "reduce + bcast; without --coll, all of them"},
    {.name = "runs",
     .kind = NAPCOLL_OPTION_FILE,
     .at = offsetof(struct options, runs),
     .argument = "FILE",
     .help = "one table after another, in this job: each line of FILE has the options of one, "
             "which follow the options here; --time-limit is for all tables together"},
    {.name = "progress",
     .kind = NAPCOLL_OPTION_SET,
     .at = offsetof(struct options, progress),
     .help = "progress line even if standard error is not a terminal (mpirun hides the terminal "
             "from its processes)"},
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... collbench",
    .help = "Compares collective components turn by turn inside one job.",
    .option = known,
    .notes = "A size, in bytes, is of\n"
             "  allreduce, reduce, bcast, scan, exscan   the vector of a process\n"
             "  allgather, allgatherv                    the block of a process\n"
             "  gather, gatherv, scatter, scatterv       the block of a process\n"
             "  reduce_scatter, reduce_scatter_block     the block that a process receives\n"
             "  alltoall, alltoallv, alltoallw           the block of a process for another\n"
             "  neighbor_allgather, neighbor_allgatherv  the block of a process\n"
             "  neighbor_alltoall(v,w)                   the block of a process for a neighbour\n"
             "With allgatherv, reduce_scatter, alltoallv, alltoallw, gatherv, scatterv and their\n"
             "like among neighbours the blocks differ; their average is the size. All blocks\n"
             "together may take 64 MiB on a process.\n"
             "Every component named must be in mpirun's --mca coll list, e.g.\n"
             "  mpirun --mca coll napcoll,tuned,han collbench --contestants napcoll:nap,tuned,han",
};

/* Guidelines are about blocking calls, and have a table of their own. */
static bool guidelines_fit(const struct options *opt, bool waits, char message[BENCH_TEXT])
{
    const char *other = NULL;

    if (waits) {
        snprintf(message, BENCH_TEXT,
                 "--guidelines: blocking calls only; leave out --kind and @KIND");
        return false;
    }
    for (int i = 0; opt->row < 0 && i < opt->num_contestants; i++) {
        if (NULL != strchr(opt->contestant[i], ':')) {
            snprintf(message, BENCH_TEXT,
                     "--guidelines: %s: algorithms are of one collective; add --coll",
                     opt->contestant[i]);
            return false;
        }
    }
    other = opt->osu ? "--osu" : other;
    other = NULL != opt->svg ? "--svg" : other;
    other = NULL != opt->samples ? "--samples" : other;
    other = opt->rounds > 1 ? "--rounds" : other;
    other = opt->drop > 0 ? "--drop" : other;
    other = opt->finalists > 0 ? "--finalists" : other;
    if (NULL != other) {
        snprintf(message, BENCH_TEXT, "--guidelines does not take %s; leave it out", other);
    }
    return NULL == other;
}

/* What no option can see of itself. Returns false with a message. */
static bool complete(struct options *opt, char message[BENCH_TEXT])
{
    bool waits = false;

    if (!kinds_apply(opt, message)
        || !napcoll_graph_check(&opt->graph, napcoll_collective_find(opt->coll->name), message)) {
        return false;
    }
    for (int i = 0; i < opt->num_contestants; i++) {
        waits = waits || NULL != strchr(opt->contestant[i], '@');
    }
    if (opt->guidelines && !guidelines_fit(opt, waits, message)) {
        return false;
    }
    if (opt->overlap && !waits) {
        snprintf(message, BENCH_TEXT,
                 "--overlap: blocking calls hide nothing; add --kind nonblocking or persistent");
        return false;
    }
    if (opt->tests > 0 && !opt->overlap) {
        snprintf(message, BENCH_TEXT,
                 "--tests: MPI_Test is called in the computation of --overlap only; add --overlap");
        return false;
    }
    if (NAPCOLL_BUFFER_NOTHING == opt->coll->recv) {
        opt->num_sizes = 1;
        opt->bytes[0] = 0;
    }
    return true;
}

napcoll_parsed_t options_parse(int argc, char **argv, struct options *opt,
                               napcoll_command_line_t *line)
{
    char unused[NAPCOLL_MESSAGE];
    napcoll_parsed_t parsed;

    *opt = (struct options){
        .row = -1, .iterations = 50, .min_iterations = 1, .rounds = 1, .time_limit = 60};
    (void) parse_sizes(opt, "8:64K", unused);
    (void) parse_contestants(opt, "napcoll,tuned", unused);
    (void) parse_kinds(opt, "blocking", unused);
    parsed = napcoll_tool_parse(&tool, argc, argv, opt, line);
    opt->coll = napcoll_measured_find(coll_name(opt));
    if (NAPCOLL_PARSED_RUN == parsed && NULL == opt->runs && !complete(opt, line->message)) {
        parsed = NAPCOLL_PARSED_BAD;
    }
    return parsed;
}
