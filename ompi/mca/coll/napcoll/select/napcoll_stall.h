/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The report of a process whose call waits for long, in one line. The component writes it,
 * napcoll-plan explain --stuck reads it. Pure: no MPI in here.
 *
 *     coll:napcoll: stall: rank 3 on n1 of communicator 0 (MPI_COMM_WORLD, 8 ranks, rank 0 is
 *     process 0): 10.0 s in allreduce, call 17, by nap, stage 2 of 5; waits for rank 4 on n2, rank
 *     7 on n3 and 5 more; not in the call: rank 2 on n1 (last barrier, call 16, ended 12.0 s ago;
 *     pid 4711 is stopped)
 *
 * Calls on a communicator have numbers, from 1 on, the same on all ranks; persistent calls have
 * numbers of their own, of their starts.
 */

#ifndef NAPCOLL_STALL_H
#define NAPCOLL_STALL_H

#include "algo/napcoll_algo.h"

#define NAPCOLL_STALL_PREFIX "coll:napcoll: stall: "

enum {
    /** processes of each kind that a report names; it counts the others */
    NAPCOLL_STALL_NAMED = 16,
    /** characters of a name, with the end */
    NAPCOLL_STALL_NAME = 64,
    /** of a report, with the end; a pipe takes this much at once */
    NAPCOLL_STALL_LINE = 3840
};

/** A process of a communicator. */
typedef struct napcoll_stall_rank {
    int rank;
    /** the name of its node, or "node 3" */
    char node[NAPCOLL_STALL_NAME];
} napcoll_stall_rank_t;

/** A process's latest call on a communicator. */
typedef struct napcoll_stall_call {
    /** 0: there was none */
    uint32_t number;
    /** napcoll_function_name() */
    char function[NAPCOLL_FUNCTION_NAME];
    /** it has not ended */
    bool under_way;
    /** from 1 on; 0: not known */
    int stage;
    /** since it began or, where it has ended, since then */
    double seconds;
} napcoll_stall_call_t;

/** What is known of a process of the node that is not in the call. */
typedef struct napcoll_stall_absent {
    napcoll_stall_rank_t who;
    /** on this communicator */
    napcoll_stall_call_t last;
    /** on another one, if that was later; else its number is 0 */
    napcoll_stall_call_t other;
    unsigned other_communicator;
    /** 0: not known */
    long pid;
    /** its state as the letter of proc(5), 'X': it is gone; 0: not known */
    char state;
} napcoll_stall_absent_t;

/** What a call is doing. */
typedef enum {
    /** the first messages on a communicator, before there is a plan */
    NAPCOLL_STALL_SETUP,
    /** in the function of the fallback component */
    NAPCOLL_STALL_FALLBACK,
    /** an earlier nonblocking call of the process must end first */
    NAPCOLL_STALL_QUEUED,
    /** in the messages of a stage, or outside of all stages */
    NAPCOLL_STALL_MESSAGES,
    /** another component carries out a phase */
    NAPCOLL_STALL_PHASE,
    /** the process is in no call; `call` is its last one */
    NAPCOLL_STALL_NONE
} napcoll_stall_doing_t;

typedef struct napcoll_stall_report {
    napcoll_stall_rank_t who;
    /** number of the communicator; its name, ranks, and the rank in MPI_COMM_WORLD of its rank 0,
     * since communicators of different processes may have the same number */
    unsigned communicator;
    char name[NAPCOLL_STALL_NAME];
    /** 0: the process has had no call, `who` is its rank in MPI_COMM_WORLD */
    int size;
    unsigned first;
    napcoll_stall_call_t call;
    napcoll_stall_doing_t doing;
    /** of the plan; NULL: there is none */
    const char *algorithm;
    int stages;
    /** the segment or piece, from 1 on */
    int piece;
    int pieces;
    /** for whose messages it waits; those above NAPCOLL_STALL_NAMED have no names */
    int peers;
    napcoll_stall_rank_t peer[NAPCOLL_STALL_NAMED];
    int absents;
    napcoll_stall_absent_t absent[NAPCOLL_STALL_NAMED];
} napcoll_stall_report_t;

/** The report as a line without its end. Where it would be too long, fewer processes have names. */
void napcoll_stall_words(const napcoll_stall_report_t *report, char line[NAPCOLL_STALL_LINE]);

/** Copy a name without what would confuse a reader of the line: everything but letters, digits and
 * some other characters becomes '?'. */
void napcoll_stall_clean(const char *name, char clean[NAPCOLL_STALL_NAME]);

#endif /* NAPCOLL_STALL_H */
