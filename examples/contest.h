/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the applications share: they run the collective that they live on by napcoll and by the
 * component of Open MPI that has it, turn by turn, each on a duplicate of one communicator, and
 * print a table of the times. Any MPI will do; a component that it does not have is not compared.
 * All functions are collective unless they say otherwise, and end the job where MPI fails or memory
 * runs out.
 */
#ifndef CONTEST_H
#define CONTEST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure/napcoll_check.h"

enum { CONTESTANTS_MAX = 2, COUNTERS_MAX = 64, TURNS_MAX = 100000 };

/* What is compared. */
struct subject {
    /* the collective as napcoll's counters name it, or the beginning of several: "alltoall" */
    const char *collective;
    /* in words, in the plural: "all-to-alls" */
    const char *calls;
    /* the component of Open MPI that has it */
    const char *peer;
};

/* One that is compared: a duplicate of the communicator, and what was measured on it. */
struct contestant {
    const char *label;
    MPI_Comm comm;
    /* seconds of the slowest rank, turn by turn */
    double *exchange, *whole;
};

/* All contestants. An MPI with neither napcoll nor the peer runs by itself. napcoll counts its
 * calls; MPI's tool interface shows the counters. */
struct contest {
    struct subject subject;
    int num, turns;
    struct contestant contestant[CONTESTANTS_MAX];
    /* of all processes, never served by napcoll: for calls that are not compared */
    MPI_Comm helper;
    /* whether all ranks have them */
    bool napcoll, peer;
    /* calls on napcoll's communicator, and what napcoll had counted before the first one */
    unsigned long long asked, before;
    MPI_T_pvar_session session;
    int num_counters;
    MPI_T_pvar_handle counter[COUNTERS_MAX];
};

/* Opens a contest of `turns` turns that are counted, at most TURNS_MAX, on duplicates of a
 * communicator of all processes, which keep its topology. */
void contest_open(struct contest *c, const struct subject *subject, MPI_Comm comm, int turns);

void contest_close(struct contest *c);

/* What a turn took on this process: seconds of the collective and of the whole turn, the number of
 * calls, and how many results are wrong. */
struct taken {
    double exchange, whole;
    int asked;
    long long wrong;
};

typedef struct taken contest_turn_t(void *context, const struct contestant *one, int turn);

/* Takes all turns, each contestant first in turn, and on rank 0 prints the table. Returns the exit
 * status: 1, after a message, where a result is wrong on any rank. */
int contest_run(struct contest *c, contest_turn_t *turn, void *context);

/* Parses the command line, runs the application between MPI_Init and MPI_Finalize unless it was
 * wrong or wants help, and returns the exit status. */
int contest_main(int argc, char **argv, const napcoll_tool_t *tool, void *options,
                 int (*run)(const void *options));

/* The options of an application: whole numbers. */
#define CONTEST_INT(field, name_, low, high, help_)                                       \
    {                                                                                     \
        .name = name_, .kind = NAPCOLL_OPTION_INT, .at = offsetof(struct options, field), \
        .least = (low), .most = (high), .argument = "N", .help = (help_)                  \
    }

/* Records a turn of a contestant on this process: the seconds of its exchanges and of the whole
 * turn, and the number of calls. Turn 0 is not counted. */
void contest_took(struct contest *c, struct contestant *one, int turn, double exchange,
                  double whole, int asked);

/* Adds to the number of calls that a contestant was called for. Not collective. */
void contest_asked(struct contest *c, const struct contestant *one, int times);

/* Prints the table, on rank 0 alone, once: it sorts the times. */
void contest_report(struct contest *c);

/* Ends the job where a call of MPI has failed. Not collective, like the next two. */
void check(int rc, const char *call);

/* Memory that is zero, or the end of the job. */
void *room(size_t count, size_t bytes);

#endif /* CONTEST_H */
