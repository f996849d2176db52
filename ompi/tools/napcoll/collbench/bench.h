/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * collbench's own declarations. main() in ../collbench.c walks through the rooms in this order:
 * options.c, layout.c, contestants.c, measure.c, report.c; collectives.c is the table of what can
 * be measured, and supplier.c looks into Open MPI for who carries it out.
 */
#ifndef COLLBENCH_BENCH_H
#define COLLBENCH_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "common/napcoll_start.h"

enum { BENCH_MAX_CONTESTANTS = 16, BENCH_MAX_SIZES = 64, BENCH_NAME = 64, BENCH_TEXT = 256 };

/* What a buffer holds. */
enum holds {
    HOLDS_NOTHING,
    HOLDS_OWN,         /* vector or block of this rank */
    HOLDS_ALL,         /* blocks of all ranks */
    HOLDS_ALL_AT_ROOT, /* the same on rank 0, nothing elsewhere */
    HOLDS_SENT         /* blocks for all ranks, which may differ from those that come back */
};

/* How much each rank has, or has for each other in an all-to-all, where blocks differ. */
enum deal { DEAL_UNIFORM, DEAL_POWER, DEAL_HOT, DEAL_ZEROS, DEALS };

/* Who has how much, in doubles. */
struct shape {
    int rank, size;
    int count;   /* the size that is measured */
    int *counts; /* by rank: its block, `count` on average */
    int *displs; /* by rank: where its block begins among those of all; and where the last ends */

    /* all-to-all: by rank, what it gets from this one, and where this rank's block begins among those that it
     * sends */
    int *sent_counts, *sent_displs, *origin;
};

/* One collective: all that the benchmark has to know about it. Data are doubles. */
struct collective {
    const char *name;
    const char *data;  /* what is sent, for the table's headline */
    const char *bytes; /* what a size is the size of; "" for none */
    enum holds send, recv;
    bool uneven;   /* the ranks' blocks differ in size */
    bool deals;    /* as told by --deal, with a block for each rank */
    bool trades;   /* every rank has a block for every other */
    bool overlaps; /* some rank need not wait for all others: calls in a row would overlap */
    int (*run)(const struct shape *s, const double *send, double *recv, MPI_Comm comm);
    /* recv before the call */
    double (*before)(size_t element, int turn, int rank);
    /* recv after the call: an element of a rank's block; false where nothing is expected of it */
    bool (*after)(const struct shape *s, int block, size_t element, int turn, double *expected);
};

const struct collective *collective_find(const char *name);
const char *collective_names(void);
/* What `rank` sends in a turn: an exact small integer, so that any order of adding agrees. */
double collective_input(size_t element, int turn, int rank);
/* Whether the buffers stay within the limit; false with one line to print. */
bool collective_fits(const struct collective *coll, size_t bytes, int size,
                     char message[BENCH_TEXT]);

/* False without memory; close it all the same. */
bool shape_open(struct shape *s, int rank, int size);
void shape_set(struct shape *s, const struct collective *coll, enum deal deal, size_t bytes);
size_t shape_room(const struct shape *s, enum holds what);
void shape_close(struct shape *s);

/* The name of a deal, NULL after the last. */
const char *deal_name(int deal);

struct options {
    const struct collective *coll;
    enum deal deal;
    size_t bytes[BENCH_MAX_SIZES];
    int num_sizes;
    char contestant[BENCH_MAX_CONTESTANTS][BENCH_NAME];
    int num_contestants;
    int iterations, min_iterations;
    int rounds;         /* the turns of each size are taken in so many parts */
    int batch;          /* calls per sample; 0: chosen */
    double time_limit;  /* seconds for all sizes */
    double sample_time; /* seconds that a sample is to last; 0: chosen */
    double drop;        /* slower than the fastest by this factor: dropped; 0: none are */
    uint64_t seed;
    const char *svg, *csv;
    const char *dots, *samples; /* the same of every sample */
    bool progress;
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD };

/* Same result on all ranks for the same arguments; `message` is the one line to print if bad. */
enum options_result options_parse(int argc, char **argv, struct options *opt,
                                  char message[BENCH_TEXT]);
const char *options_usage(void);

/* What is where. Nodes are counted by who shares memory. */
struct layout {
    int rank, size;
    int nodes;
    int ppn_min, ppn_max;
    int lane;                     /* this process's index on its node */
    int far_rank;                 /* lowest rank on another node than rank 0, -1 on one node */
    int near_rank;                /* lowest other rank on rank 0's node, -1 if it is alone */
    double alpha_far, alpha_near; /* rank 0: half round trip of 8 bytes in seconds, 0 unknown */
    napcoll_start_t start;        /* its messages are the helper's, once that is there */
};

struct contestant {
    const char *label;
    char component[BENCH_NAME];
    const char *supplier; /* the component that its communicator got; "" where that is unknown */
    bool napcoll;
    char algorithm[BENCH_NAME]; /* "" where none is asked for */
    MPI_Comm comm;
};

/* What a contestant did in the timed calls of a size. */
struct stats {
    unsigned long long ran[NAPCOLL_COUNTERS_MAX];
    unsigned long long calls;
    bool dropped; /* only the first look is kept */
};

struct bench {
    struct options opt;
    struct layout layout;
    MPI_Comm helper; /* everything that is not measured; never napcoll */
    struct napcoll_counters counters;
    struct contestant contestant[BENCH_MAX_CONTESTANTS];
    struct shape shape;  /* of the size that is being measured */
    double *send, *recv; /* room for the largest size */
    uint64_t random;
};

/* One line of the table. Times in microseconds. */
struct row {
    size_t bytes;
    const char *contestant;
    int samples, batch;
    bool dropped; /* the sample is the first look at it */
    double median, p05, p95;
    double ratio, ratio_p05, ratio_p95;
    double skew; /* median of the last rank's delay after the agreed start */
    char ran[BENCH_TEXT];
    double *sample; /* in the order of the turns */
};

/* Aborts with the failed call's name unless rc is MPI_SUCCESS. */
void check(int rc, const char *call);

/* contestants.c. Both return false with one line to print; all ranks alike. */
bool contestants_open(struct bench *b, char message[BENCH_TEXT]);
void contestants_close(struct bench *b);
MPI_Comm contestants_dup(const char *preference, const char *coll, const char *algorithm);
/* What napcoll did during the timed calls of one contestant, in words. Collective; for rank 0. */
void contestants_ran(struct bench *b, const struct contestant *c, const struct stats *stats,
                     char text[BENCH_TEXT]);

/* supplier.c: the component that carries out a collective on a communicator; "" if unknown. */
const char *supplier_of(MPI_Comm comm, const char *coll);

/* layout.c */
void layout_open(struct layout *l);
void layout_close(struct layout *l);
void layout_ping(struct bench *b);
int layout_steps(const struct layout *l);

/* measure.c: the turns of one size, in as many parts as there are rounds. The end fills rows[num_contestants] on rank 0. */
struct turns *measure_begin(const struct bench *b, size_t bytes);
void measure_round(struct bench *b, struct turns *t, int round, double deadline);
void measure_end(struct bench *b, struct turns *t, struct row *rows);
void measure_forget(struct row *rows, int num_rows);

/* report.c: rank 0 only. */
void report_head(const struct bench *b);
void report_rows(const struct bench *b, const struct row *rows, bool first);
void report_foot(const struct bench *b, const struct row *rows, int num_rows);
bool report_csv(const struct bench *b, FILE *csv, const struct row *rows, bool first);
bool report_samples(const struct bench *b, FILE *csv, const struct row *rows, bool first);
bool report_svg(const struct bench *b, const struct row *rows, int num_rows);
bool report_dots(const struct bench *b, const struct row *rows, int num_rows);
double report_percentile(const double *sorted, int num, double p);
int report_order(const void *a, const void *b);

#endif
