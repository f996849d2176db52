/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans as text: written for any algorithm, and read as an algorithm of their own. Pure: no MPI in
 * here. napcoll-plans(5) is the user's manual.
 *
 *     napcoll-plans 1
 *
 *     plan pair allreduce          a plan set: the plans of all ranks of one placement
 *     ranks 2
 *     layout vector 1
 *
 *     rank 0
 *     temps 0+1
 *     stage
 *     recv temp0[0] from 1
 *     send sendbuf[0] to 1
 *     reduce recvbuf[0] = sendbuf[0] op temp0[0]
 *
 *     rank 1
 *     ...
 *
 * What the user's buffers hold follows from the collective and the layout, and is not written. A
 * plan that is read again is the same in every number.
 */

#ifndef NAPCOLL_PLAN_TEXT_H
#define NAPCOLL_PLAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "algo/napcoll_algo.h"

/** Limits, so that reading and proving any text takes a moment and little memory. */
enum {
    NAPCOLL_PLANS_VERSION = 1,
    /** bytes of a name, with the zero */
    NAPCOLL_PLAN_NAME = 64,
    NAPCOLL_MOST_PLAN_RANKS = 1 << 16,
    /** of all plan sets of a text */
    NAPCOLL_MOST_PLAN_SETS = 256,
    /** blocks that the buffers and messages of all ranks of a set have together; a proof takes 32
     * bytes for each */
    NAPCOLL_MOST_PLAN_BLOCKS = 1 << 22,
    /** the largest number of a block, and of pieces */
    NAPCOLL_MOST_PLAN_NUMBER = 1 << 20
};

/** For which calls the plans are, by MPI_IN_PLACE. */
typedef enum {
    NAPCOLL_IN_PLACE_NO,
    NAPCOLL_IN_PLACE_YES,
    /** the receive buffer takes the place of the send buffer, where plans read their input from it
     * (napcoll_goal_in_place) */
    NAPCOLL_IN_PLACE_BOTH
} napcoll_in_place_t;

struct napcoll_plan_set;

/** Plan sets of one name and collective, as an algorithm. */
typedef struct napcoll_file_row {
    /** its file is this row */
    napcoll_algorithm_t algorithm;
    /** "file:NAME" */
    char title[NAPCOLL_PLAN_NAME + 5];
    const napcoll_collective_t *collective;
    /** [sets] the first that serves a call is used */
    const struct napcoll_plan_set **set;
    int sets;
    size_t room;
} napcoll_file_row_t;

/** The lines of one rank. */
typedef struct napcoll_plan_section {
    const char *begin;
    const char *end;
    /** number of the first line */
    int line;
} napcoll_plan_section_t;

/** The plans of all ranks of a placement, and what they claim. */
typedef struct napcoll_plan_set {
    /** of the text */
    int line;
    char name[NAPCOLL_PLAN_NAME];
    const napcoll_collective_t *collective;
    int ranks;
    /** the plans are for these nodes only; else for any on which the ranks are in node order */
    bool placed;
    /** the nodes; if the set is not placed, one for each rank */
    napcoll_node_map_t *map;
    napcoll_layout_t layout;
    int blocks;
    int pieces;
    int root;
    napcoll_in_place_t in_place;
    bool noncommutative;
    /** reductions by halves of the ranks */
    bool canonical;
    /** see napcoll_plan_t */
    bool reduces_alone;
    /** every message begins with the sizes of its blocks */
    bool announces;
    /** most messages of a process in a stage, between nodes and in all; 0: no claim */
    napcoll_bounds_t bounds;
    /** [ranks] */
    napcoll_plan_section_t *section;
    /** all its lines */
    napcoll_plan_section_t whole;
    /** this set alone */
    napcoll_file_row_t row;
} napcoll_plan_set_t;

/** A text that was read. */
typedef struct napcoll_plan_text {
    /** [bytes] copy, to which the sections point */
    char *text;
    /** [sets] */
    napcoll_plan_set_t **set;
    int sets;
    size_t room;
} napcoll_plan_text_t;

/** Where a text is wrong, and a sentence on it. */
typedef struct napcoll_plan_text_error {
    /** from 1; 0: the text as a whole */
    int line;
    /** from 1, in bytes; 0: the whole line */
    int column;
    /** what was expected and what was found, in printable letters */
    char text[256];
} napcoll_plan_text_error_t;

/** Write the first line of a text. */
static inline void napcoll_plan_text_begin(FILE *out)
{
    fprintf(out, "napcoll-plans %d\n", NAPCOLL_PLANS_VERSION);
}

/** The number of characters at the beginning of a text that can be the name of plans: letters,
 * digits and any of _ - . which is not the first one. */
size_t napcoll_plan_name_length(const char *text, size_t length);

/**
 * Read a text: all plan sets and, to find mistakes, the plans of all ranks.
 *
 * @param[in]  text    [length] needs no terminating zero, may hold any bytes
 * @param[in]  length  bytes
 * @param[in]  known   the text was read before without a mistake: only the sets are read
 * @param[out] read    the plans, which the caller frees; NULL after an error
 * @param[out] error   the first mistake; line 0 and "out of memory" where memory ran out
 *
 * @return 0, or -1 with *error set
 */
int napcoll_plan_text_read(const char *text, size_t length, bool known, napcoll_plan_text_t **read,
                           napcoll_plan_text_error_t *error);

/** Free what was read; NULL is allowed. */
void napcoll_plan_text_free(napcoll_plan_text_t *read);

/**
 * The plan of a rank.
 *
 * @param[in]  set    plan set
 * @param[in]  args   algorithm, map, rank and parameters; the set serves them
 * @param[out] error  the first mistake, or NULL
 *
 * @return the plan, owned by the caller; NULL after an error, or where memory ran out
 */
napcoll_plan_t *napcoll_plan_set_plan(const napcoll_plan_set_t *set,
                                      const napcoll_plan_args_t *args,
                                      napcoll_plan_text_error_t *error);

/* ---- napcoll_file_row.c ---- */

/** Begin a row without sets. The row stays where it is. */
void napcoll_file_row_begin(napcoll_file_row_t *row, const napcoll_collective_t *collective,
                            const char *name);

/** Add a set to a row; false: memory ran out. */
bool napcoll_file_row_add(napcoll_file_row_t *row, const napcoll_plan_set_t *set);

/** Free what a row points to. */
void napcoll_file_row_end(napcoll_file_row_t *row);

/** The parameters of calls that a set is for: of both kinds, those not in place. */
napcoll_params_t napcoll_plan_set_params(const napcoll_plan_set_t *set);

/** Whether a row has plans for calls: NAPCOLL_REASON_NONE, or why not. */
napcoll_reason_t napcoll_file_row_eligible(const napcoll_file_row_t *row,
                                           const napcoll_node_map_t *map,
                                           const napcoll_params_t *params);

/** Whether two sets of one name serve the same calls. */
bool napcoll_plan_set_is_twin(const napcoll_plan_set_t *a, const napcoll_plan_set_t *b);

/** What the plans that serve a call claim; the row has such. */
void napcoll_file_row_claim(const napcoll_file_row_t *row, const napcoll_plan_args_t *args,
                            napcoll_claim_t *claim);

#endif /* NAPCOLL_PLAN_TEXT_H */
