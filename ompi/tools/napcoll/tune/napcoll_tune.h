/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-tune's own declarations. Rank 0 decides what is measured and when that ends; the other
 * ranks do what it announces (tune_serve). Where memory runs out or MPI fails, the job is aborted.
 *
 *     napcoll_tune_options.c   the command line
 *     napcoll_tune_nodes.c     where processes are
 *     napcoll_tune_probe.c     messages, bursts, flat gathers and scatters, as announced
 *     napcoll_tune_memory.c    messages through node memory
 *     napcoll_tune_machine.c   which of them make a machine, in turns; napcoll_tune_prepare.c lists
 *                              them, napcoll_tune_network.c adds pairs of nodes by distance
 *     napcoll_tune_scan.c      M1, M2 and S of gather and scatter
 *     napcoll_tune_correct.c   algorithms and the fallback turn by turn (../measure)
 *     napcoll_tune_report.c    what was found, napcoll_tune_write.c the files
 */

#ifndef NAPCOLL_TUNE_H
#define NAPCOLL_TUNE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/napcoll_mailbox.h"
#include "tune/napcoll_calibrate.h"
#include "common/napcoll_numbers.h"
#include "common/napcoll_delays.h"
#include "common/napcoll_distances.h"
#include "tune/napcoll_incast.h"
#include "common/napcoll_memory.h"
#include "common/napcoll_parameters.h"
#include "measure/napcoll_measure.h"
#include "measure/napcoll_check.h"
#include "tune/napcoll_tune_cases.h"

enum {
    TUNE_TEXT = 1024,
    TUNE_MOST_TASKS = 1024,
    /** times that a probe takes */
    TUNE_MOST_ROUNDS = 8,
    TUNE_MOST_TRIPS = 96,
    TUNE_MOST_NODES = 16
};

/** Exit status. USAGE: the command line is wrong, or cannot be met by this job. */
enum { TUNE_GOOD, TUNE_FAILED, TUNE_USAGE };

/** Commands, one bit each as in napcoll_option_t. */
enum { TUNE_MACHINE = 1, TUNE_GATHER_SCATTER = 2 };

/** The command line. */
typedef struct tune_options {
    int command;
    /** machine: find M1, M2 and S as well; compare algorithms; all nodes send at once */
    bool thresholds, verify, all_nodes;
    /** blocks of gather and scatter, in bytes */
    size_t least, most;
    int repetitions;
    double time_limit;
    /** file names, or NULL */
    const char *output, *samples;
    /** machine: only compare algorithms, for these; NULL: all */
    const char *only;
    tune_wanted_t wanted;
} tune_options_t;

/** Where processes are; the same on all ranks. Nodes are numbered by their lowest ranks. */
typedef struct tune_nodes {
    int num;
    /** [ranks] node, index on the node, lowest rank that is known to share the socket */
    int *node_of, *lane_of, *socket_of;
    /** [num + 1] where a node's ranks begin in `rank`, which has them node by node */
    int *first, *rank;
    int least_ppn;
    /** some node has more processes than processors */
    bool oversubscribed;
} tune_nodes_t;

static inline int tune_ppn(const tune_nodes_t *n, int node)
{
    return n->first[node + 1] - n->first[node];
}

static inline int tune_rank_at(const tune_nodes_t *n, int node, int lane)
{
    return n->rank[n->first[node] + lane];
}

/** What rank 0 announces. */
typedef enum {
    /** nothing more is measured */
    TUNE_STOP,
    /** flat gather to, or scatter from, rank 0 by messages */
    TUNE_GATHER,
    TUNE_SCATTER,
    /** round trips between two processes */
    TUNE_PING,
    /** the same through node memory; or, from = -1, shifts: each process of a node sends to the
     * next one and receives from the one before, on all nodes at once; rank 0's times count */
    TUNE_PING_MEMORY,
    /** bursts from the processes of a node to the processes of another one */
    TUNE_STREAM,
    /** bursts from half of the processes of a node to the other half */
    TUNE_NEAR,
    /** bursts of all nodes at once, in which the messages of a process go to different ones */
    TUNE_MANY,
    /** a case of the comparison of algorithms (tune_race) */
    TUNE_RACE
} tune_kind_t;

typedef struct tune_probe {
    tune_kind_t kind;
    /** of a message or block */
    size_t bytes;
    /** ping: round trips that are timed; else messages of a burst */
    int count;
    /** ping: repetitions of each; else bursts; up to TUNE_MOST_ROUNDS */
    int inner;
    /** senders of a node */
    int active;
    /** ping: ranks; bursts: nodes, from = -1: all nodes at once */
    int from, to;
} tune_probe_t;

static inline bool tune_is_ping(tune_kind_t kind)
{
    return TUNE_PING == kind || TUNE_PING_MEMORY == kind;
}

static inline bool tune_is_burst(tune_kind_t kind)
{
    return TUNE_STREAM == kind || TUNE_NEAR == kind || TUNE_MANY == kind;
}

/** Node memory for round trips and shifts. */
typedef struct tune_memory {
    MPI_Win window;
    /** in the window, at a multiple of NAPCOLL_CACHE_PAIR; NULL: it cannot be had */
    char *shared;
    /** of this process, once it has taken part in a round trip, or in a shift */
    napcoll_region_t region[2];
} tune_memory_t;

/** A task of a turn: a probe, or a reduction of probe.bytes by rank 0; and where its times go. */
typedef struct tune_task {
    tune_probe_t probe;
    bool reduction;
    napcoll_timings_t *times;
    /** bursts: times of starting a message, or NULL */
    napcoll_timings_t *starts;
} tune_task_t;

typedef struct tune_list {
    tune_task_t task[TUNE_MOST_TASKS];
    int num;
} tune_list_t;

/** The switches between the nodes. */
typedef struct tune_network {
    /** the file that the parameter names, and its contents; NULL: none */
    char *file;
    napcoll_switch_tree_t *tree;
    /** [nodes] of the tree, by node of the job */
    int *spot;
    /** which node the file lacks; empty: none */
    char missing[TUNE_TEXT];
} tune_network_t;

/** A machine, and what it is made from. */
typedef struct tune_machine {
    napcoll_measured_t measured;
    /** of all turns; of the even and the odd ones */
    napcoll_calibrated_t fit, half[2];
    /** round trips by level: their sizes, the pinger's peer (-1: none), seconds of the smallest */
    size_t size[NAPCOLL_LEVELS][TUNE_MOST_TRIPS];
    int sizes[NAPCOLL_LEVELS], peer[NAPCOLL_LEVELS];
    double about[NAPCOLL_LEVELS];
    int pinger;
    /** nodes of streams */
    int from, to;
    /** nodes that are compared; pairs are of indexes into `node` */
    int node[TUNE_MOST_NODES], nodes;
    napcoll_node_pair_t pair[2 * TUNE_MOST_NODES];
    napcoll_timings_t pair_trip[2 * TUNE_MOST_NODES];
    int pairs;
    napcoll_delay_t delay[TUNE_MOST_NODES];
    /** pairs by the switches between them */
    napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES];
    napcoll_timings_t distance_trip[NAPCOLL_MOST_DISTANCES];
    size_t distance_bytes[NAPCOLL_DISTANCE_SIZES];
    int distances;
    int turns;
    bool out_of_time;
    /** keys whose halves differ by more than TUNE_STEADY */
    int unsteady;
    double seconds;
    /** M1, M2 and S as the parameter file has them, or why there are none */
    napcoll_thresholds_t thresholds;
    char no_thresholds[TUNE_TEXT];
} tune_machine_t;

/** Halves of the turns may differ by this share. */
#define TUNE_STEADY 0.05

/** Gather, scatter and messages of many sizes, and what is fitted to them. */
typedef struct tune_scan {
    napcoll_timings_t gathers, scatters, messages;
    napcoll_line_t message;
    napcoll_incast_gather_t gather;
    napcoll_incast_scatter_t scatter;
    napcoll_incast_model_t model;
    int turns;
    double seconds;
    bool out_of_time;
} tune_scan_t;

/** Compared algorithms. */
typedef struct tune_cases {
    tune_case_t list[TUNE_CASES];
    int num;
    /** why none was compared; empty: some were */
    char missing[TUNE_TEXT];
    /** --only: what the parameter file names, and the text of the rules that are there */
    napcoll_parameters_t parameters;
    char *rules_name, *rules;
    size_t rules_bytes;
} tune_cases_t;

typedef struct tune {
    tune_options_t options;
    int argc;
    char **argv;
    napcoll_measure_t measure;
    tune_memory_t memory;
    /** the engine's helper: all messages of probes */
    MPI_Comm comm;
    int rank, ranks;
    tune_nodes_t node;
    /** buffers of probes; grow */
    char *room;
    size_t room_bytes;
    MPI_Request *request;
    int requests;

    /* rank 0 */
    double begin, end;
    uint64_t random;
    tune_network_t network;
    tune_machine_t machine;
    tune_scan_t scan;
    tune_cases_t cases;
} tune_t;

/* ---- napcoll_tune_options.c ---- */

/** Read the command line: the same result on all ranks for the same arguments. */
napcoll_parsed_t tune_options_parse(int argc, char **argv, tune_options_t *options,
                                    napcoll_command_line_t *line);

/** Whether this job can do what the options say, the same on all ranks. */
bool tune_options_fit(tune_options_t *options, const tune_nodes_t *n, int ranks,
                      char message[TUNE_TEXT]);

/* ---- napcoll_tune_nodes.c ---- */

/** Find out where processes are. Collective. */
void tune_nodes_open(tune_t *t);
void tune_nodes_close(tune_t *t);

/* ---- napcoll_tune_probe.c ---- */

/** Free what probes have taken. */
void tune_probes_close(tune_t *t);

/**
 * Rank 0: announce a probe, take part in it, and collect its times.
 *
 * @param[out] seconds [2 TUNE_MOST_ROUNDS] gather, scatter: [0]; ping: `count` halves of round
 * trips, or shifts;
 *                     bursts: `inner` times from the first start to the last acknowledgement, and
 *                     from TUNE_MOST_ROUNDS on the time that the slowest sender needs to start a
 *                     message
 */
void tune_probe(tune_t *t, const tune_probe_t *probe, double *seconds);

/** To whom a rank sends in a ping, and from whom it receives: the other one of a pair; in a shift
 * the next and the previous process of its node. False: it takes no part. */
bool tune_find_peers(const tune_t *t, const tune_probe_t *probe, int rank, int *to, int *from);

/** The other ranks: do what rank 0 announces until it says stop. */
void tune_serve(tune_t *t);

/* ---- napcoll_tune_memory.c ---- */

/** Share memory on each node. Collective. */
void tune_memory_open(tune_t *t);
void tune_memory_close(tune_t *t);

/** A message of a TUNE_PING_MEMORY, [probe->bytes]. */
void tune_memory_send(tune_t *t, const tune_probe_t *probe, const char *data);
void tune_memory_receive(tune_t *t, const tune_probe_t *probe, char *data);

/* ---- napcoll_tune_machine.c: rank 0 ---- */

/** How far a part of the measurement is. */
typedef struct tune_progress {
    /** of all parts, from 1 */
    int part;
    const char *name, *step;
    /** steps that are complete, and the least and the greatest number of all steps */
    int done, least, most;
} tune_progress_t;

/** Show how far a part is, on standard error: a bar on a terminal, else a line every ten seconds.
 * share: of the step that is not complete, from 0 to 1. */
void tune_tell(const tune_t *t, const tune_progress_t *progress, double share);

/** Clear the bar. */
void tune_tell_end(void);

void tune_add_task(tune_list_t *list, const tune_task_t *task);

/** Do all tasks of a list in random order: one turn, which is a step. False if the deadline came
 * before the last one. */
bool tune_take_turn(tune_t *t, tune_list_t *list, double deadline, const tune_progress_t *progress);

/**
 * Measure and fit a machine, in turns, until both halves of the turns say the same, or until the
 * deadline.
 *
 * @return TUNE_GOOD, or TUNE_FAILED with what is wrong in message
 */
int tune_machine(tune_t *t, double deadline, char message[TUNE_TEXT]);
void tune_machine_close(tune_t *t);

/* ---- napcoll_tune_prepare.c: rank 0 ---- */

/** Choose which processes take part and which sizes are measured, by a few first messages. */
void tune_prepare(tune_t *t);

/** Add a size, in bytes, to the round trips of a level, unless it is there or there is no room. */
void tune_add_size(tune_machine_t *m, int level, double bytes);

/** The pinger's peer on the network: the first process of another node in each turn. */
int tune_far_peer(const tune_t *t, int turn);

/** Half a round trip of the pinger, in seconds: the shorter of two. */
double tune_try_trip(tune_t *t, int peer, size_t bytes);

/** List the tasks of a turn. */
void tune_make_list(tune_t *t, int turn, tune_list_t *list);

/* ---- napcoll_tune_network.c ---- */

/** Read the switches that a parameter names. Collective. False if the file is wrong. */
bool tune_network_open(tune_t *t, char message[TUNE_TEXT]);
void tune_network_close(tune_t *t);

/** Rank 0: choose a pair of nodes for each distance; add their round trips to a turn; report. */
void tune_choose_distances(tune_t *t);
void tune_add_distances(tune_t *t, tune_list_t *list);
void tune_report_distances(const tune_t *t, FILE *out);

/** Rank 0: how often a farther pair is faster than a nearer one. */
int tune_count_contradictions(const tune_machine_t *m);

/* ---- napcoll_tune_scan.c: rank 0 ---- */

/** Measure many sizes until the deadline and fit M1, M2 and S. Returns as tune_machine. */
int tune_scan(tune_t *t, double deadline, char message[TUNE_TEXT]);
void tune_scan_close(tune_t *t);

/** M1, M2 and S as the parameter file has them: M1 and M2 only where cutting blocks pays. */
napcoll_thresholds_t tune_thresholds(const tune_scan_t *scan);

/* ---- napcoll_tune_correct.c ---- */

/** Rank 0, --only: read the parameter file and its rules. */
bool tune_correct_open(tune_t *t, char message[TUNE_TEXT]);
void tune_correct_close(tune_t *t);

/** Rank 0: compare algorithms until the end. */
void tune_correct(tune_t *t);

/** Measure the case that rank 0 has in the list. Collective. */
void tune_race(tune_t *t, tune_case_t *c, double time);

/** Rank 0: print the compared cases, and make the rules that follow, [TUNE_CASES]. */
void tune_report_cases(const tune_t *t, FILE *out);
int tune_rules(const tune_t *t, tune_rule_t *rules);

/* ---- napcoll_tune_report.c: rank 0 ---- */

/** Print all that was found. */
void tune_report(const tune_t *t, FILE *out);

/** Print the keys of the machine, in groups, and which are uncertain. */
void tune_report_keys(const tune_t *t, FILE *out);

/** Print each sample as CSV. */
void tune_report_samples(const tune_t *t, FILE *out);

/* ---- napcoll_tune_write.c: rank 0 ---- */

/** Leave in message where a file is wrong, and how; line or column 0: unknown. Returns false. */
bool tune_refuse(const char *name, int line, int column, const char *text, char message[TUNE_TEXT]);

/** The file of rules of a parameter file: FILE.rules. The caller frees it. */
char *tune_rules_name(const char *name);

/** Whether all files can be written. No file is changed. */
bool tune_write_check(const tune_t *t, char message[TUNE_TEXT]);

/** Print how the files are used. */
void tune_write_use(const tune_t *t, FILE *out);

/** Print the parameter file; without a name for it, with the report as comments. */
void tune_write_parameters(const tune_t *t, FILE *out);

/** Write all files; each is complete, or as it was before. Returns the exit status. */
int tune_write(const tune_t *t);

#endif /* NAPCOLL_TUNE_H */
