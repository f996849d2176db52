/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * collbench's own declarations. main() in collbench.c uses the rooms in this order: options.c,
 * layout.c, contestants.c, the engine (../measure), report.c, picture.c; or, for --guidelines,
 * guidelines.c and mockups.c in place of the last two. With --runs, runs.c does so for each table.
 */

#ifndef COLLBENCH_BENCH_H
#define COLLBENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_progress.h"
#include "measure/napcoll_judge.h"
#include "measure/napcoll_measure.h"
#include "measure/napcoll_check.h"

enum { BENCH_MAX_SIZES = 64, BENCH_NAME = 64, BENCH_TEXT = NAPCOLL_MESSAGE };

struct options {
    /* the collective; its row in the table of those that are measured, -1: no --coll; and how its
     * blocks differ */
    const napcoll_measured_coll_t *coll;
    int row, deal;
    size_t bytes[BENCH_MAX_SIZES];
    int num_sizes;
    /* COMPONENT[:ALGORITHM][@KIND], without @KIND where calls block */
    char contestant[NAPCOLL_MOST_CONTESTANTS][BENCH_NAME];
    int num_contestants;
    /* of contestants that name none */
    napcoll_kind_t kind[NAPCOLL_KINDS];
    int num_kinds;
    /* samples with computation, and the calls of MPI_Test in it */
    bool overlap;
    int tests;
    /* turns of each size: at most, at least, and the number of parts in which they are taken */
    int iterations, min_iterations, rounds;
    /* calls per sample; 0: chosen */
    int batch;
    /* seconds, for all sizes and for a sample; 0: chosen */
    double time_limit, sample_time;
    /* factor of the drop rule, and how many algorithms of a kind have turns; 0: none, and all */
    double drop;
    int finalists;
    const char *svg, *csv, *samples;
    /* a file with the options of each table; NULL: one table, with these */
    const char *runs;
    /* of neighbourhood collectives */
    napcoll_graph_choice_t graph;
    bool osu, progress, guidelines;
};

/* Same result on all ranks for the same arguments. */
napcoll_parsed_t options_parse(int argc, char **argv, struct options *opt,
                               napcoll_command_line_t *line);

/* Where processes are. Processes that share memory are on one node. */
struct layout {
    int nodes, ppn_min, ppn_max;
    /* lowest rank on another node than rank 0, lowest other rank on its node; -1: there is none */
    int far_rank, near_rank;
    /* rank 0: half round trip of 8 bytes to these, in seconds */
    double alpha_far, alpha_near;
    /* there is a graph, and an edge of it between nodes */
    bool graph, crossing;
};

struct contestant {
    const char *label;
    char component[BENCH_NAME];
    /* what napcoll should do, "" for auto */
    char action[BENCH_NAME];
    napcoll_kind_t kind;
    /* the component that its communicator got for that kind; "" where that is unknown */
    const char *supplier;
    bool napcoll;
    MPI_Comm comm;
};

struct bench {
    struct options opt;
    /* "FILE:LINE: " of the options of this table; "": they are the command line's */
    char place[BENCH_TEXT / 2];
    int argc;
    char **argv;
    struct layout layout;
    napcoll_measure_t measure;
    /* of a neighbourhood collective, else all 0 */
    napcoll_edge_lists_t graph;
    napcoll_progress_t progress;
    struct contestant contestant[NAPCOLL_MOST_CONTESTANTS];
};

/* One line of the table. Times in microseconds. */
struct row {
    size_t bytes;
    const char *contestant;
    int samples, batch;
    /* the sample is its first look */
    bool dropped;
    napcoll_summary_t time, ratio;
    /* whether there are samples with computation; the medians of their times, and of the share of
     * the communication that it hid, in percent */
    bool overlaps;
    double overall, compute, overlap;
    /* medians: the last rank's delay after the agreed start; and the run time of a call, from the
     * first rank's entry to the last one's exit, NAN: unknown */
    double skew, run;
    char ran[BENCH_TEXT];
    /* in the order of the turns; the last two: of the samples with computation */
    double *sample, *overalls, *computes;
};

/* kinds.c */
napcoll_names_t kind_names(const void *options);
/* Which kind a contestant names; NAPCOLL_KINDS: none; -1: there is no such kind. `length`: of what
 * stands before it. */
int kind_of(const char *contestant, size_t *length);
/* Put the kinds of --kind into the list of contestants. Returns false with a message. */
bool kinds_apply(struct options *opt, char message[BENCH_TEXT]);

/* contestants.c. Opening returns false, on all ranks alike, with one line for rank 0 to print. */
bool contestants_open(struct bench *b, char message[BENCH_TEXT]);
void contestants_close(struct bench *b);
/* A text on what ran in the timed calls of a contestant. Collective; for rank 0. */
void contestants_ran(struct bench *b, const struct contestant *c,
                     const napcoll_contestant_t *contestant, char text[BENCH_TEXT]);

/* supplier.c: the component that carries out a function (napcoll_function_name) on a communicator;
 * "" if unknown. */
const char *supplier_of(MPI_Comm comm, const char *function);

/* layout.c: where processes are, and how long messages between them take. */
void layout_open(struct bench *b);
/* Whether edges of the graph lead to other nodes. */
void layout_graph(struct bench *b);
/* The inter-node steps that no algorithm can go below. */
int layout_steps(const struct layout *l);

/* report.c: rank 0 only. */
void ppn_text(const struct layout *l, char text[32]);
/* In microseconds; 0: there is none. */
double lower_bound(const struct layout *l);
void report_head(const struct bench *b);
void report_rows(const struct bench *b, const struct row *rows, bool first);
void report_foot(const struct bench *b, const struct row *rows, int num_rows);
void report_csv(const struct bench *b, FILE *csv, const struct row *rows, bool first);
void report_samples(const struct bench *b, FILE *csv, const struct row *rows, bool first);

/* mockups.c */
enum { GUIDELINES_MAX = 8, GUIDELINES_COLLECTIVES = 32 };

/* A collective should take no longer than its mock-up, from others of the same component. */
struct guideline {
    const char *coll, *mockup_name;
    napcoll_mockup_t *mockup;
};

/* Returns the number of guidelines on a collective. */
int guidelines_of(const char *coll, struct guideline guideline[GUIDELINES_MAX]);
/* The doubles of scratch memory that the mock-ups of a collective need. */
size_t guidelines_scratch(const napcoll_measured_coll_t *coll, size_t bytes, int size);

/* Measure and write a table, or check guidelines, as the options say. Returns the exit status. */
int bench_run(struct bench *b);

/* runs.c: all tables of opt.runs. Returns the highest exit status. */
int runs_run(struct bench *b);

/* guidelines.c: check them all, in place of the table. Returns the exit status. */
int guidelines_run(struct bench *b);

/* picture.c: rank 0 only. Says what is wrong, and returns whether the picture was drawn. */
bool report_svg(const struct bench *b, const struct row *rows, int num_rows);

#endif
