/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Reports of stalled calls (select/napcoll_stall.h) in words: who is missing, and which ranks
 * depend on it. The reports are lines of a log, with any text before and between them.
 */

#ifndef NAPCOLL_STUCK_H
#define NAPCOLL_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What the reports say of a rank. Texts are NULL where they say nothing. */
typedef struct napcoll_stuck_rank {
    char *node;
    /** its own report: the call in which it waits, and that call's place; or where it is in no
     * call, its last one */
    bool waits;
    uint32_t number;
    char *function;
    double seconds;
    char *place;
    char *idle;
    /** the ranks for which it waits, as far as its report names them */
    int *peer;
    int peers;
    /** what node mates that are in the call say of it, and how many do */
    char *absent;
    int mates;
} napcoll_stuck_rank_t;

/** The reports on a communicator. */
typedef struct napcoll_stuck_comm {
    unsigned number;
    char *name;
    int size;
    /** the process that is its rank 0 */
    unsigned first;
    /** [size] */
    napcoll_stuck_rank_t *rank;
} napcoll_stuck_comm_t;

/** All reports of a log. All zero: none so far. */
typedef struct napcoll_stuck {
    napcoll_stuck_comm_t *comm;
    int comms;
    /** lines that were read, of which some say that a process has had no call; and lines of which a
     * part is missing */
    int reports;
    int idle;
    int bad;
} napcoll_stuck_t;

/** Take in a line of a log. The latest report of a rank on a communicator counts. */
void napcoll_stuck_read(napcoll_stuck_t *stuck, const char *line);

/** Print what the reports say. */
void napcoll_stuck_print(const napcoll_stuck_t *stuck, FILE *out);

/** Free what was read. */
void napcoll_stuck_free(napcoll_stuck_t *stuck);

#endif /* NAPCOLL_STUCK_H */
