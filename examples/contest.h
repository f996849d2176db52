/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the applications fft2d and transitive_closure share: they run the all-to-alls of their turns
 * by napcoll and by Open MPI's tuned, each on a duplicate of the world, and print a table of the
 * times. Any MPI will do; a component that it does not have is not compared. All functions are
 * collective unless they say otherwise, and end the job where MPI fails or memory runs out.
 */
#ifndef CONTEST_H
#define CONTEST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { CONTESTANTS_MAX = 2, COUNTERS_MAX = 64, TURNS_MAX = 100000 };

/* The program's name, for its messages: each has its own. */
extern const char program[];

/* One that is compared: a duplicate of the world, and what was measured on it. */
struct contestant {
    const char *label;
    MPI_Comm comm;
    /* seconds of the slowest rank, turn by turn */
    double *exchange, *whole;
};

/* All contestants. An MPI with neither napcoll nor tuned runs by itself. napcoll counts its calls;
 * MPI's tool interface shows the counters. */
struct contest {
    int num, turns;
    struct contestant contestant[CONTESTANTS_MAX];
    /* whether all ranks have them */
    bool napcoll, tuned;
    /* all-to-alls that the program called on napcoll's communicator */
    unsigned long long asked;
    MPI_T_pvar_session session;
    int num_counters;
    MPI_T_pvar_handle counter[COUNTERS_MAX];
};

/* Opens a contest of `turns` turns that are counted, at most TURNS_MAX. */
void contest_open(struct contest *c, int turns);

void contest_close(struct contest *c);

/* Records a turn of a contestant on this process: the seconds of its exchanges and of the whole
 * turn, and the number of all-to-alls. Turn 0 is not counted. */
void contest_took(struct contest *c, struct contestant *one, int turn, double exchange,
                  double whole, int asked);

/* Adds to the number of all-to-alls that a contestant was called for. Not collective. */
void contest_asked(struct contest *c, const struct contestant *one, int times);

/* Prints the table, on rank 0 alone, once: it sorts the times. */
void contest_report(struct contest *c);

/* Ends the job where a call of MPI has failed. Not collective, like the next two. */
void check(int rc, const char *call);

/* Memory that is zero, or the end of the job. */
void *room(size_t count, size_t bytes);

#endif /* CONTEST_H */
