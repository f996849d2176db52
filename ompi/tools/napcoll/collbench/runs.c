/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * --runs: tables one after another, in one job. Each line of a file has the options of one, behind
 * the options of the command line; words are as in a shell. Rank 0 reads the file, all processes
 * parse it.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <wordexp.h>

#include "bench.h"
#include "util/napcoll_file.h"

enum { MOST_FILE = 1 << 20, MOST_RUNS = 1000 };

/* One line of the file. The options point into its words. */
struct run {
    int line, argc;
    wordexp_t words;
    struct options opt;
};

/* The command line without --runs, and the lines. */
struct runs {
    const char *name;
    int argc;
    char **argv;
    double time_limit;
    struct run *run;
    int num;
};

/* Leave --runs out, however it is written. */
static void keep_others(const struct bench *b, struct runs *runs)
{
    static const char shortest[] = "--ru";

    runs->argv = napcoll_allocate((size_t) b->argc, sizeof(*runs->argv));
    for (int i = 0; i < b->argc; i++) {
        if (0 != strncmp(b->argv[i], shortest, strlen(shortest))) {
            runs->argv[runs->argc++] = b->argv[i];
        } else if (NULL == strchr(b->argv[i], '=')) {
            i++;
        }
    }
}

/* ---- the file ---- */

/* Rank 0: its text, or NULL with a message. */
static char *load(const char *name, char message[BENCH_TEXT])
{
    napcoll_file_error_t why;
    size_t length;
    char *text = napcoll_file_load(name, MOST_FILE, &length, &why);

    if (NULL == text) {
        snprintf(message, BENCH_TEXT, "--runs: %s: %s", name, why.text);
    } else if (strlen(text) < length) {
        snprintf(message, BENCH_TEXT, "--runs: %s: not a text", name);
        free(text);
        text = NULL;
    }
    return text;
}

/* The text of the file on all ranks; NULL, with a message on rank 0. */
static char *share(const struct bench *b, char message[BENCH_TEXT])
{
    const MPI_Comm comm = b->measure.helper;
    char *text = 0 == b->measure.rank ? load(b->opt.runs, message) : NULL;
    int bytes = NULL == text ? 0 : (int) strlen(text) + 1;

    napcoll_check(MPI_Bcast(&bytes, 1, MPI_INT, 0, comm), "MPI_Bcast");
    if (bytes > 0) {
        text = NULL == text ? napcoll_allocate((size_t) bytes, 1) : text;
        napcoll_check(MPI_Bcast(text, bytes, MPI_CHAR, 0, comm), "MPI_Bcast");
    }
    return text;
}

/* ---- lines ---- */

static const char *words_error(int rc)
{
    switch (rc) {
    case WRDE_BADCHAR:
        return "a character that a shell takes for a command's, such as | or ;, without quotes";
    case WRDE_CMDSUB:
        return "commands in words are not carried out";
    case WRDE_BADVAL:
        return "a variable that is not set";
    case WRDE_SYNTAX:
        return "a quote or bracket that does not end";
    default:
        return "out of memory";
    }
}

/* Returns false with a message. */
static bool read_line(const struct runs *runs, struct run *run, const char *line,
                      char message[BENCH_TEXT])
{
    napcoll_command_line_t parsed;
    int rc;

    run->words = (wordexp_t){.we_offs = (size_t) runs->argc};
    rc = wordexp(line, &run->words, WRDE_DOOFFS | WRDE_NOCMD | WRDE_UNDEF);
    if (0 != rc) {
        snprintf(message, BENCH_TEXT, "%s", words_error(rc));
        return false;
    }
    memcpy(run->words.we_wordv, runs->argv, (size_t) runs->argc * sizeof(*runs->argv));
    run->argc = runs->argc + (int) run->words.we_wordc;
    switch (options_parse(run->argc, run->words.we_wordv, &run->opt, &parsed)) {
    case NAPCOLL_PARSED_RUN:
        if (NULL == run->opt.runs && !(fabs(run->opt.time_limit - runs->time_limit) > 0)) {
            return true;
        }
        snprintf(message, BENCH_TEXT, "%s is of all tables together; leave it out",
                 NULL == run->opt.runs ? "--time-limit" : "--runs");
        break;
    case NAPCOLL_PARSED_BAD:
        snprintf(message, BENCH_TEXT, "%s", parsed.message);
        break;
    default:
        snprintf(message, BENCH_TEXT, "--help and --version have no table; leave them out");
    }
    wordfree(&run->words);
    return false;
}

/* Parse the text, which is changed. Returns false with a message, alike on all ranks. */
static bool read_lines(struct runs *runs, char *text, char message[BENCH_TEXT])
{
    char what[BENCH_TEXT] = "";
    int number = 0;

    for (char *line = text, *next; NULL != line; line = next) {
        next = strchr(line, '\n');
        if (NULL != next) {
            *next++ = '\0';
        }
        number++;
        line += strspn(line, " \t\r");
        line[strcspn(line, "\r")] = '\0';
        if ('\0' == *line || '#' == *line) {
            continue;
        }
        runs->run[runs->num].line = number;
        if (MOST_RUNS == runs->num || !read_line(runs, &runs->run[runs->num], line, what)) {
            snprintf(message, BENCH_TEXT, "%s:%d: %s", runs->name, number,
                     MOST_RUNS == runs->num ? "more than 1000 tables" : what);
            return false;
        }
        runs->num++;
    }
    if (0 == runs->num) {
        snprintf(message, BENCH_TEXT, "--runs: %s has no line with options", runs->name);
    }
    return runs->num > 0;
}

/* ---- all of it ---- */

/* Each table has the same share of what is left of the time. Returns the exit status. */
static int measure(struct bench *b, const struct runs *runs)
{
    const double end = MPI_Wtime() + runs->time_limit;
    int status = 0;

    for (int i = 0; i < runs->num; i++) {
        const struct run *run = &runs->run[i];
        const double left = end - MPI_Wtime();
        int mine;

        if (i > 0 && 0 == b->measure.rank) {
            putchar('\n');
        }
        b->opt = run->opt;
        b->opt.time_limit = left > 0 ? left / (runs->num - i) : 0;
        b->argc = run->argc;
        b->argv = run->words.we_wordv;
        snprintf(b->place, sizeof(b->place), "%s:%d: ", runs->name, run->line);
        mine = bench_run(b);
        status = mine > status ? mine : status;
    }
    return status;
}

int runs_run(struct bench *b)
{
    struct runs runs = {.name = b->opt.runs,
                        .time_limit = b->opt.time_limit,
                        .run = napcoll_allocate(MOST_RUNS + 1, sizeof(*runs.run))};
    char message[BENCH_TEXT] = "", *text = share(b, message);
    int status = 2;

    keep_others(b, &runs);
    if (NULL != text && read_lines(&runs, text, message)) {
        status = measure(b, &runs);
    } else if (0 == b->measure.rank) {
        fprintf(stderr, "collbench: %s\n", message);
    }
    for (int i = 0; i < runs.num; i++) {
        wordfree(&runs.run[i].words);
    }
    free(runs.run);
    free(runs.argv);
    free(text);
    return status;
}
