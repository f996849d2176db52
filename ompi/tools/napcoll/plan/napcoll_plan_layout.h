/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where everything in a picture of the plans is: the columns of stages, the rows of ranks, and the ways
 * of the messages between them. What it looks like is up to napcoll_plan_draw.c.
 *
 *              stage 0            stage 1
 *     node 0   rank 0  [0]<-.  o   [1]<-----.  o       [1]  a stage of the rank, by its number there
 *              rank 1  [0]<-'  o            |           o   a reduction
 *     node 1   rank 2  [0]<-.  o   [1]<-----'  o
 *              rank 3  [0]<-'  o
 *
 * Where the network is known, the nodes stand in the order of a depth-first order round its tree, and left of them the
 * switches that they hang on, each as high as all nodes below it, the root outermost:
 *
 *     s2  s0  n0
 *             n1
 *         s1  n2
 *             n3
 *
 * A row is a lane. The two ends of a message stand in the same column: where one rank comes to its
 * stage later, so does the other. Each message leaves its stage to the right, goes up or down on a
 * track of its own and comes back to the left, so that no line lies on another one; short ones are
 * further in. What a stage does after its messages, its marks, stands to the right of the tracks.
 *
 * All lengths are in pixels, from the picture's upper left corner.
 */

#ifndef NAPCOLL_TOOLS_PLAN_LAYOUT_H
#define NAPCOLL_TOOLS_PLAN_LAYOUT_H

#include <stdbool.h>

#include "napcoll_plan_tool.h"

enum {
    MOST_DRAWN = 64,   /* ranks; more are no picture */
    MOST_LETTERS = 20, /* of a node's or switch's name; longer ones are cut */
    NODE_LETTERS = 7   /* that NAMES has room for: "node 63" */
};

/** Lengths that the layout and what is drawn into it must agree on. */
enum {
    MARGIN = 16,
    HEAD = 96,       /* from the top to the first node */
    NAMES = 162,     /* width of the names of nodes (of NODE_LETTERS) and lanes */
    LETTER = 7,      /* about the width of a letter of a name */
    SWITCH_GAP = 4,  /* between two columns of switches */
    CELL = 16,       /* width of a stage's box */
    MARK = 10,       /* width of a reduction or copy */
    COLUMN_GAP = 18, /* between two columns */
};

/** A rank's stage: where a message has an end. */
typedef struct {
    int rank;
    int stage; /* its number in the rank's plan */
} place_t;

/** The ends of a message. */
enum { FROM, TO, ENDS };

typedef struct {
    place_t end[ENDS];
    int order; /* of its sends, or receives, among those of its two ranks in this direction */
    bool both; /* it stands for its answer, too: an exchange */
    int column;
    int low; /* the rows that it connects; low < high */
    int high;
    int track;   /* in its column, from 0 */
    int y[ENDS]; /* where it meets its stages */
} message_t;

typedef struct {
    message_t *message; /* [count] */
    int count;
} messages_t;

/** Columns, from left to right: boxes, tracks, marks. */
typedef struct {
    int tracks;
    int marks; /* width of the widest marks */
    int left;
} column_t;

/** The switches of one depth, as a column. */
typedef struct {
    int left;
    int width; /* 0: none to be drawn */
} switches_t;

/** A picture; what has a rank's index is there for the map's ranks only. */
typedef struct {
    const options_t *options;      /* borrowed */
    const napcoll_node_map_t *map; /* borrowed */
    int node[MOST_DRAWN];          /* those of the map, from top to bottom */
    switches_t switches[NAPCOLL_MOST_SWITCH_DEPTH];
    int left;  /* the nodes' left end */
    int names; /* NAMES, or what longer names need */
    napcoll_plan_t *plan[MOST_DRAWN];
    int *column_of[MOST_DRAWN]; /* the column of each stage */
    int row[MOST_DRAWN];        /* of a rank, from 0 */
    int row_height[MOST_DRAWN]; /* of a rank */
    int middle[MOST_DRAWN];     /* of a rank's row */
    int stages;                 /* of all ranks */
    messages_t messages;        /* an exchange is one of them */
    column_t *column;           /* [columns] */
    int columns;
    int width;
    int height;
} picture_t;

/**
 * Make the plans of all ranks and lay them out. Where memory runs out the program ends.
 *
 * @param[in] o    names the algorithm, which must be able to do what the options ask on this map
 *                 (require_eligible); the picture borrows it
 * @param[in] map  of at most MOST_DRAWN ranks; the picture borrows it
 *
 * @return the picture, owned by the caller (layout_free), or NULL where a send has no receive or a
 *         receive no send
 */
picture_t *layout_make(const options_t *o, const napcoll_node_map_t *map);

/** Free a picture with its plans, but neither the options nor the map; NULL is allowed. */
void layout_free(picture_t *p);

/** The first and the last of p->node that are below a switch of the map's tree; false: none is. */
bool layout_below(const picture_t *p, int at, int *first, int *last);

/** The column that a stage stands in; the picture's. */
const column_t *layout_column(const picture_t *p, place_t place);

/** From a column's left end to a track. */
int layout_track_offset(int track);

/** From a column's left end to its marks. */
int layout_marks_offset(const column_t *column);

/** Width of the mark of a reduction, copy or phase. */
int layout_mark_width(const napcoll_step_t *step);

#endif /* NAPCOLL_TOOLS_PLAN_LAYOUT_H */
