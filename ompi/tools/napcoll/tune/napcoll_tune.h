/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's own declarations. main() in napcoll_tune.c walks through the rooms in this order:
 * napcoll_tune_options.c, napcoll_tune_measure.c, then for a machine napcoll_tune_network.c, napcoll_tune_probe.c,
 * napcoll_tune_machine.c, which has rooms of its own (napcoll_tune_machine.h), napcoll_tune_verify.c, which has
 * napcoll_tune_turns.c try what napcoll_tune_contestants.c chooses (napcoll_tune_case.h), and napcoll_tune_machine_report.c, for
 * gather and scatter napcoll_tune_scan.c and napcoll_tune_report.c, to correct a file's rules napcoll_tune_correct.c, and
 * then napcoll_tune_write.c and napcoll_tune_file.c.
 * napcoll_tune_progress.c tells how far it is.
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

#include "tune/napcoll_calibrate.h"
#include "common/napcoll_delays.h"
#include "common/napcoll_distances.h"
#include "tune/napcoll_incast.h"
#include "common/napcoll_parameters.h"
#include "common/napcoll_start.h"
#include "napcoll_tune_case.h"

enum {
    TUNE_TEXT = 1024,    /**< characters of a message */
    TUNE_MOST_SIZES = 80 /**< of a scan, before it is narrowed down */
};

/** Exit status. */
enum {
    TUNE_GOOD,
    TUNE_FAILED, /**< too few samples, a file could not be written, MPI failed */
    TUNE_USAGE   /**< the command line is wrong, or cannot be met by this job */
};

/** What is measured: first what samples are kept of by kind; then that nothing more is, and the probes. */
typedef enum {
    TUNE_GATHER,
    TUNE_SCATTER,
    TUNE_MESSAGE,
    TUNE_KINDS,
    TUNE_STOP,
    TUNE_PING,   /**< between two processes */
    TUNE_STREAM, /**< bursts from the processes of a node to those of another */
    TUNE_NEAR,   /**< bursts from half of the processes of a node to the other half */
    TUNE_FORCE,  /**< a contestant is made */
    TUNE_CALL    /**< a collective by a contestant */
} tune_kind_t;

/** Tags of messages: a probe's own, what it took, and what is to be done next. */
enum {
    TUNE_TAG_DATA,
    TUNE_TAG_READY,
    TUNE_TAG_ACKNOWLEDGED,
    TUNE_TAG_MATE,
    TUNE_TAG_REPORT,
    TUNE_TAG_ANNOUNCED
};

/** What to find out. */
typedef enum {
    TUNE_MACHINE,
    TUNE_GATHER_SCATTER,
    TUNE_CORRECT /**< what is fastest, by the machine that a file has */
} tune_command_t;

/** The command line. */
typedef struct tune_options {
    tune_command_t command;
    bool thresholds; /**< of a machine: M1, M2 and S as well */
    bool verify;     /**< of a machine: try algorithms */
    bool all_nodes;  /**< of a machine: all nodes send at once */
    int root;
    size_t least, most; /**< blocks, in bytes */
    int repetitions;
    double time_limit;                             /**< seconds */
    const char *output, *samples, *svg;            /**< file names, or NULL */
    const char *corrected;                         /**< the file whose rules are corrected */
    bool tried[TUNE_SUBJECTS][TUNE_SUBJECT_SIZES]; /**< which sizes of which collectives */
    int most_turns;                                /**< of each, TUNE_SAMPLES at most */
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

/** Who sits where; the same on all ranks. Nodes are numbered by their lowest ranks. */
typedef struct tune_nodes {
    int num;
    int *node_of;        /**< [ranks] */
    int *lane_of;        /**< [ranks] */
    int *socket_of;      /**< [ranks] the lowest rank that is known to share its socket */
    int *first;          /**< [num + 1] where a node's ranks begin in rank */
    int *rank;           /**< [ranks] node by node, ascending */
    int least_ppn;       /**< processes of the node that has fewest */
    bool oversubscribed; /**< on some node more processes than processors */
} tune_nodes_t;

/** The switches between the nodes, rank 0. */
typedef struct tune_network {
    char *file;                  /**< its name; NULL: none is given */
    napcoll_switch_tree_t *tree; /**< NULL: none is given */
    int *spot;                   /**< [nodes] the tree's node that each node is */
    char missing[TUNE_TEXT];     /**< which node the file lacks; empty: none */
} tune_network_t;

/** Processes of a node. */
static inline int tune_ppn(const tune_nodes_t *n, int node)
{
    return n->first[node + 1] - n->first[node];
}

/** The rank of a node's lane. */
static inline int tune_rank_at(const tune_nodes_t *n, int node, int lane)
{
    return n->rank[n->first[node] + lane];
}

/** One probe, as rank 0 announces it. */
typedef struct tune_probe {
    tune_kind_t kind;
    size_t bytes; /**< of a message */
    int count; /**< ping: round trips that are timed, TUNE_MOST_ROUNDS at most; else messages of a burst */
    int inner;  /**< ping: there and back so often in each; else bursts, TUNE_MOST_ROUNDS at most */
    int active; /**< senders of a node */
    int from;   /**< ping: rank; else node, or -1 for all nodes at once */
    int to;     /**< ping: rank; stream: node */
} tune_probe_t;

enum { TUNE_MOST_ROUNDS = 8, TUNE_MOST_SIZES_OF_TRIPS = 96, TUNE_MOST_NODES = 16 };

/** Kinds of reduces, of which the first is the machine's. */
enum { TUNE_FOLDS = 4 };

/** What is measured of a machine, rank 0. */
typedef struct tune_machine {
    napcoll_measured_t measured;
    napcoll_calibrated_t fit, half[2]; /**< of all turns; of even and of odd ones */
    size_t size[NAPCOLL_LEVELS][TUNE_MOST_SIZES_OF_TRIPS]; /**< of round trips */
    int sizes[NAPCOLL_LEVELS];
    int peer[NAPCOLL_LEVELS]; /**< of the process that pings, inside its node; -1: none */
    int pinger;
    double about[NAPCOLL_LEVELS]; /**< how long half a round trip of a byte takes, in seconds */
    int from, to;                 /**< nodes of streams */
    int node[TUNE_MOST_NODES];    /**< those that are compared */
    int nodes;
    napcoll_pair_t pair[2 * TUNE_MOST_NODES]; /**< indexes into node */
    napcoll_timings_t pair_trip[2 * TUNE_MOST_NODES];
    int personalized;
    napcoll_delay_t delay[TUNE_MOST_NODES];
    napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES]; /**< pairs by the switches between them */
    napcoll_timings_t distance_trip[NAPCOLL_MOST_DISTANCES];
    int distances;
    size_t distance_bytes[NAPCOLL_DISTANCE_SIZES];
    napcoll_timings_t reduction[TUNE_FOLDS];
    double fold_ns[TUNE_FOLDS]; /**< per byte */
    int turns;
    bool out_of_time;
    int unsteady; /**< keys of which the halves differ by more than TUNE_STEADY */
    double seconds;
    char no_thresholds[TUNE_TEXT];   /**< why there are none; empty: there are */
    napcoll_thresholds_t thresholds; /**< as a job has them that reads the file */
    tune_case_t tried[TUNE_SUBJECTS * TUNE_SUBJECT_SIZES];
    int num_tried;
    int not_reached; /**< for so many cases there was no time at all */
    tune_untold_t untold[TUNE_SUBJECTS];
    char no_cases[TUNE_TEXT]; /**< why none was tried; empty: some were */
} tune_machine_t;

/** Halves of the turns may differ by this share. */
#define TUNE_STEADY 0.05

/** The file whose rules are corrected, rank 0. */
typedef struct tune_corrected {
    napcoll_machine_t machine;
    napcoll_parameters_t parameters;
    char *rules_name; /**< where the rules are, or will be; NULL: no file was read */
    char *rules;      /**< what is there, of so many bytes */
    size_t rules_bytes;
} tune_corrected_t;

/** When it began, until when it may take, and when the progress was last told. */
typedef struct tune_watch {
    double begin, deadline, end, told; /**< end: of all, for those who wait */
    bool terminal;
    uint64_t random;
} tune_watch_t;

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
    napcoll_start_t start;
    double synced;     /**< when the clocks were, or 0 */
    double dealt;      /**< when all slept, for processors to be dealt anew */
    tune_nodes_t node; /**< of a machine */
    tune_network_t network;
    char *burst; /**< what probes send and receive; grows */
    size_t burst_bytes;
    MPI_Request *burst_requests;
    int burst_room;
    MPI_Comm
        forced[TUNE_CONTESTANTS]; /**< of the contestants of the present case; or MPI_COMM_NULL */
    napcoll_start_before_t before[TUNE_CONTESTANTS]; /**< calls of each the last time */
    char action[TUNE_ACTION];                        /**< of the contestant that is being made */
    char *called; /**< what collectives send, and behind it what they receive; grows */
    size_t called_bytes;

    /* rank 0 */
    tune_samples_t samples[TUNE_KINDS];
    int turns;        /**< complete ones */
    double seconds;   /**< that all measuring took */
    bool out_of_time; /**< the limit ended it */
    tune_fit_t fit;
    tune_machine_t *machine;
    tune_corrected_t corrected;
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

/** A number of bytes, such as 256, 4K or 1M: from 1 to the most that the root's buffer may have. False if it is none. */
bool tune_parse_bytes(const char *text, size_t *bytes);

/** Whether this job can do what is asked, the same on all ranks; if not, why is left in message. Of a machine's
 * thresholds, blocks are made to fit. */
bool tune_options_fit(tune_options_t *options, int ranks, int nodes, char message[TUNE_TEXT]);

/* ---- napcoll_tune_only.c ---- */

/** Have only those sizes of collectives tried that a list names, COLLECTIVE[:BYTES],...; and what their rules need besides.
 * False if it names something else. */
bool tune_only_parse(const char *text, tune_options_t *options);

/* ---- napcoll_tune_measure.c ---- */

/** Abort the job, with the name of the call that failed, unless rc is MPI_SUCCESS. */
void tune_check(int rc, const char *call);

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

/**
 * Rank 0: announce one probe, take part in it, and collect what it took.
 *
 * @param[out] seconds [2 TUNE_MOST_ROUNDS] ping: halves of round trips, `count` of them; else from when the first
 *                     sender of a node begins until all is acknowledged, `inner` of them, and from the
 *                     TUNE_MOST_ROUNDS-th on what it took the slowest to start one message
 */
void tune_probe(tune_t *t, const tune_probe_t *probe, double *seconds);

/** Rank 0: let the others return from tune_serve. */
void tune_stop(tune_t *t);

/** The other ranks: do what rank 0 announces until it says stop. */
void tune_serve(tune_t *t);

/** Wait for a request, asleep: the end is seen up to a quarter of the wait later, 20 ms at most. */
void tune_wait(MPI_Request *request);

/* ---- napcoll_tune_probe.c ---- */

/** Find out who sits where. Collective. */
void tune_nodes_open(tune_t *t);

/** Release what tune_nodes_open and probes made. */
void tune_nodes_close(tune_t *t);

/** Whether a rank has something to do in a probe; rank 0 gets what it took in any case. */
bool tune_takes_part(const tune_t *t, const tune_probe_t *probe, int rank);

/** Do what a probe says; rank 0 gets what it took, see tune_probe. To be called by rank 0 and all that have a part. */
void tune_probe_run(tune_t *t, const tune_probe_t *probe, double *seconds);

/* ---- napcoll_tune_network.c ---- */

/**
 * For a machine, find out which switches are between the nodes. Collective.
 *
 * @param[out] message what is wrong with the file, on rank 0
 *
 * @return whether that is known or no file is given; the same on all ranks
 */
bool tune_network_open(tune_t *t, char message[TUNE_TEXT]);

/** Release what tune_network_open made. */
void tune_network_close(tune_t *t);

/** Rank 0: print what messages take by distance, each line behind a prefix; nothing without a file of switches. */
void tune_report_distances(const tune_t *t, FILE *out, const char *prefix);

/** Rank 0: how often a farther pair is faster than a nearer one. */
int tune_count_contradictions(const tune_machine_t *m);

/* ---- napcoll_tune_progress.c: rank 0 ---- */

/** Begin to watch the time: the limit is that of the options. */
tune_watch_t tune_watch(double time_limit);

/** Tell how far it is: a bar where standard error is a terminal, else a line every ten seconds. */
void tune_tell(tune_watch_t *watch, const char *what, int done, int all);

/** Take the bar away. */
void tune_tell_end(const tune_watch_t *watch);

/** A random number. */
uint64_t tune_random(tune_watch_t *watch);

/* ---- napcoll_tune_machine.c: rank 0 ---- */

/**
 * Measure and fit a machine: all in turns, until two halves of the turns say the same or the time is over; then M1, M2
 * and S unless the options leave them out.
 *
 * @return TUNE_GOOD, or TUNE_FAILED with what is wrong in message
 */
int tune_machine(tune_t *t, char message[TUNE_TEXT]);

/** Release what tune_machine made. */
void tune_machine_close(tune_t *t);

/* ---- napcoll_tune_cases.c ---- */

/** How many of its sizes are tried: those whose buffers are not too large on so many ranks. */
int tune_subject_sizes(const tune_t *t, int index);

/** No contestant has its communicator yet. */
void tune_calls_open(tune_t *t);

/** Free the communicators of contestants, and what they called with. Collective. */
void tune_calls_close(tune_t *t);

/** Make a contestant or call one, as the probe says (`from`: the subject, `to`: the contestant's place); rank 0 gets what
 * a call took the slowest process. All begin together by their clocks, calls that would overlap each by itself.
 * Collective. */
void tune_call_run(tune_t *t, const tune_probe_t *probe, double *seconds);

/* ---- napcoll_tune_verify.c ---- */

/** Rank 0: try algorithms in what is left of the time, and compare with what the machine says. */
void tune_verify(tune_t *t, tune_watch_t *watch);

/* ---- napcoll_tune_turns.c ---- */

/**
 * Rank 0: look at a case's contestants, drop who is slow, and measure the others in turns.
 *
 * @param[in,out] c        with its contestants; what they took
 * @param[in]     deadline until when, by MPI_Wtime
 * @param[in]     late     by when all but those who matter most must have had their turns, for there to be time for other
 *                         cases
 * @param[in]     end      until when there may be turns that judging needs
 */
void tune_look(tune_t *t, tune_case_t *c, double deadline, double late, double end);

/** Rank 0: measure once more, at another time, who was near the fastest, in six turns or more. How processes share
 * processors, and who finds whom awake, stays for seconds, and passes. */
void tune_look_again(tune_t *t, tune_case_t *c, double deadline, double end);

/** Rank 0: who is the best by all turns, and whether a rule is to say so; too few turns: nothing. Not twice, as the sizes for
 * which the case stands may become fewer. */
void tune_judge_case(tune_case_t *c, const napcoll_settings_t *settings,
                     const napcoll_node_map_t *map);

/* ---- napcoll_tune_untold.c ---- */

/**
 * Rank 0: judge the cases together whose sizes not all processes know, and take back rules on sizes where these would
 * take longer than they spare.
 */
void tune_judge_untold(tune_t *t, const napcoll_node_map_t *map);

/* ---- napcoll_tune_rules.c ---- */

/** Rank 0: print what algorithms took, each line behind a prefix. */
void tune_report_cases(const tune_t *t, FILE *out, const char *prefix);

/**
 * Rank 0: the rules that correct the model; none where nodes have different numbers of processes, which no rule is about.
 *
 * @param[out] list [TUNE_MOST_RULES] none leaves another one nothing
 *
 * @return how many
 */
int tune_list_rules(const tune_t *t, tune_rule_t *list);

/** Rank 0: how many that are. */
int tune_count_rules(const tune_t *t);

/** Rank 0: print them, each behind a comment. */
void tune_report_rules(const tune_t *t, FILE *out);

/* ---- napcoll_tune_correct.c: rank 0 ---- */

/**
 * Read the file whose rules are to be corrected, and see that they can be; nothing for other commands.
 *
 * @param[out] message what is wrong
 */
bool tune_correct_open(tune_t *t, char message[TUNE_TEXT]);

/** Release what tune_correct_open read. */
void tune_correct_close(tune_t *t);

/**
 * Try algorithms as the options say, with the machine of the file.
 *
 * @return TUNE_GOOD, or TUNE_FAILED with what is wrong in message
 */
int tune_correct(tune_t *t, char message[TUNE_TEXT]);

/** Write the rules that follow in front of the older ones, without those of them that are left nothing. Returns TUNE_GOOD, or
 * TUNE_FAILED after a message on standard error. */
int tune_correct_write(const tune_t *t);

/* ---- napcoll_tune_machine_report.c: rank 0 ---- */

/** Print what was found, each line behind a prefix. */
void tune_report_machine(const tune_t *t, FILE *out, const char *prefix);

/** Print the keys of the machine with what they are, and which are uncertain. */
void tune_report_keys(const tune_t *t, FILE *out);

/** Print what each sample took, as CSV. */
void tune_report_samples(const tune_t *t, FILE *out);

/* ---- napcoll_tune_scan.c: rank 0 ---- */

/**
 * Measure and fit: all sizes in turns, then sizes between those that M1, M2 and S lie between, until these
 * are known to an eighth or the time is over.
 *
 * @param[in] limit seconds: all that the options give, or what is left of them
 *
 * @return TUNE_GOOD, or TUNE_FAILED with what is wrong in message
 */
int tune_scan(tune_t *t, double limit, char message[TUNE_TEXT]);

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

/** M1, M2 and S as the parameter file has them: those of gathers only where that avoids something. */
napcoll_thresholds_t tune_thresholds(const tune_fit_t *fit);

/** Print the parameter file. */
void tune_write_parameters(const tune_t *t, FILE *out);

/** Write the files that the options ask for: each is complete or not there. Returns TUNE_GOOD, or TUNE_FAILED
 * after a message on standard error. */
int tune_write_files(const tune_t *t);

/* ---- napcoll_tune_file.c: rank 0 ---- */

/** Whether a file can be written, which is not changed; if not, why is left in message. `what` says in a word what it is. A
 * name of NULL is good. */
bool tune_file_check(const char *what, const char *name, char message[TUNE_TEXT]);

/** Leave in message where a file that was read is wrong, and how; a line or column of 0 is not known, and what is before
 * its name says who named it. Returns false. */
bool tune_file_refuse(const char *before, const char *name, int line, int column, const char *text,
                      char message[TUNE_TEXT]);

/** Where a parameter file has its rules: FILE.rules, with all of its path, as jobs start anywhere. The caller frees it. */
char *tune_file_of_rules(const char *name);

/** Print by which command the file was made, when, and of which job, as comments behind a title. */
void tune_file_origin(const tune_t *t, const char *title, FILE *out);

/** What goes into a file: 0, or an error as napcoll_gnuplot_run. */
typedef int (*tune_content_t)(const tune_t *t, FILE *out);

/** Write a file, which is complete or as it was before. A name of NULL: nothing. Returns TUNE_GOOD, or TUNE_FAILED after a
 * message on standard error. */
int tune_file_write(const tune_t *t, const char *what, const char *name, tune_content_t content);

#endif /* NAPCOLL_TUNE_H */
