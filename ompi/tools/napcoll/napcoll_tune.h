/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's own declarations. main() in napcoll_tune.c walks through the rooms in this order:
 * napcoll_tune_options.c, napcoll_tune_measure.c, napcoll_tune_scan.c, napcoll_tune_report.c,
 * napcoll_tune_write.c.
 *
 * Rank 0 decides what is measured and when that ends; the others do what it announces. Where memory runs out
 * or MPI fails, the job is aborted with a message.
 */

#ifndef NAPCOLL_TUNE_H
#define NAPCOLL_TUNE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/napcoll_incast.h"

enum {
    TUNE_TEXT = 512,     /**< characters of a message */
    TUNE_MOST_SIZES = 80 /**< of a scan, before it is narrowed down */
};

/** Exit status. */
enum {
    TUNE_GOOD,
    TUNE_FAILED, /**< too few samples, a file could not be written, MPI failed */
    TUNE_USAGE   /**< the command line is wrong, or cannot be met by this job */
};

/** What is measured; and the announcement that nothing more is. */
typedef enum { TUNE_GATHER, TUNE_SCATTER, TUNE_MESSAGE, TUNE_KINDS, TUNE_STOP } tune_kind_t;

/** The command line. */
typedef struct tune_options {
    int root;
    size_t least, most; /**< blocks, in bytes */
    int repetitions;
    double time_limit;                  /**< seconds */
    const char *output, *samples, *svg; /**< file names, or NULL */
} tune_options_t;

typedef enum { TUNE_RUN, TUNE_HELP, TUNE_BAD } tune_parsed_t;

/** Samples of one kind, growing. */
typedef struct tune_samples {
    napcoll_incast_sample_t *sample;
    size_t count;
    size_t room;
} tune_samples_t;

/** What is fitted to the samples. */
typedef struct tune_fit {
    napcoll_line_t message; /**< half a round trip */
    napcoll_incast_gather_t gather;
    napcoll_incast_scatter_t scatter;
    napcoll_incast_model_t model;
} tune_fit_t;

typedef struct tune {
    tune_options_t options;
    int argc;
    char **argv;
    MPI_Comm comm; /**< of all; what else the job does cannot meet its messages */
    int rank, ranks;
    int nodes;
    int *
        peer; /**< rank 0: with whom the root exchanges messages in turn: one rank of each other node */
    int num_peers;
    char *send, *recv; /**< of `most` bytes, at the root for all ranks */
    MPI_Request *requests;

    /* rank 0 */
    tune_samples_t samples[TUNE_KINDS];
    int turns;        /**< complete ones */
    double seconds;   /**< that all measuring took */
    bool out_of_time; /**< the limit ended it */
    tune_fit_t fit;
} tune_t;

/* ---- napcoll_tune_options.c ---- */

/**
 * Read the command line: the same result on all ranks for the same arguments.
 *
 * @param[out] message what is wrong, for TUNE_BAD
 */
tune_parsed_t tune_options_parse(int argc, char **argv, tune_options_t *options,
                                 char message[TUNE_TEXT]);

/** What --help prints. */
const char *tune_usage(void);

/** Whether this job can do what is asked, the same on all ranks; if not, why is left in message. */
bool tune_options_fit(const tune_options_t *options, int ranks, char message[TUNE_TEXT]);

/* ---- napcoll_tune_measure.c ---- */

/** Abort the job, with the name of the call that failed, unless rc is MPI_SUCCESS. */
void tune_check(int rc, const char *call);

/** Abort the job because memory ran out. */
void tune_out_of_memory(void);

/** Find out who is where and make buffers. Collective. */
void tune_measure_open(tune_t *t);

/** Release what tune_measure_open made. Collective. */
void tune_measure_close(tune_t *t);

/**
 * Rank 0: announce one call, take part in it, and return its time.
 *
 * @param[in] kind  gather: until the root has all blocks; scatter: until the slowest rank has its own;
 *                  message: half a round trip between the root and a peer. Each process takes its time from
 *                  when it leaves a barrier.
 * @param[in] bytes of a block
 * @param[in] peer  of messages; ignored otherwise
 *
 * @return seconds
 */
double tune_measure(tune_t *t, tune_kind_t kind, size_t bytes, int peer);

/** Rank 0: let the others return from tune_serve. */
void tune_stop(tune_t *t);

/** The other ranks: do what rank 0 announces until it says stop. */
void tune_serve(tune_t *t);

/* ---- napcoll_tune_scan.c: rank 0 ---- */

/**
 * Measure and fit: all sizes in turns, then sizes between those that M1, M2 and S lie between, until these
 * are known to an eighth or the time is over.
 *
 * @return TUNE_GOOD, or TUNE_FAILED with what is wrong in message
 */
int tune_scan(tune_t *t, char message[TUNE_TEXT]);

/** Release samples and fit. */
void tune_scan_close(tune_t *t);

/* ---- napcoll_tune_report.c: rank 0 ---- */

/** Print the models with their numbers, each line behind a prefix. */
void tune_report_models(const tune_t *t, FILE *out, const char *prefix);

/** Print what was measured of each size, beside what the models say. */
void tune_report_sizes(const tune_t *t, FILE *out);

/* ---- napcoll_tune_write.c: rank 0 ---- */

/** Whether all files can be written; if not, why is left in message. No file is changed. */
bool tune_write_check(const tune_options_t *options, char message[TUNE_TEXT]);

/** Print the parameter file. */
void tune_write_parameters(const tune_t *t, FILE *out);

/** Write the files that the options ask for: each is complete or not there. Returns TUNE_GOOD, or TUNE_FAILED
 * after a message on standard error. */
int tune_write_files(const tune_t *t);

#endif /* NAPCOLL_TUNE_H */
