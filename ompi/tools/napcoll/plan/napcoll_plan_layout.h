/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Positions in a picture of the plans: columns of stages, rows of ranks, and the lines of
 * messages between them. napcoll_plan_draw.c draws it.
 *
 *              stage 0            stage 1
 *     node 0   rank 0  [0]<-.  o   [1]<-----.  o      [1]  a stage of the rank, with its number
 *              rank 1  [0]<-'  o            |          o   a reduction
 *     node 1   rank 2  [0]<-.  o   [1]<-----'  o
 *              rank 3  [0]<-'  o
 *
 * With a network the nodes stand in the depth-first order of its tree, and left of them their
 * switches, each as high as all nodes below it, the root outermost:
 *
 *     s2  s0  n0
 *             n1
 *         s1  n2
 *             n3
 *
 * A row is a lane. The two ends of a message stand in the same column: where one rank comes to its
 * stage later, so does the other. Each message leaves its stage to the right, goes up or down on a
 * track of its own and comes back to the left, so that no line covers another one; short ones are
 * further in. The marks of a stage, its work after the messages, stand right of the tracks.
 *
 * All lengths are in pixels, from the picture's upper left corner.
 */

#ifndef NAPCOLL_TOOLS_PLAN_LAYOUT_H
#define NAPCOLL_TOOLS_PLAN_LAYOUT_H

#include "napcoll_plan_tool.h"
#include "plan/napcoll_scope.h"
#include "verify/napcoll_plan_cache.h"

enum {
    /* Ranks of a picture, at most. */
    MOST_DRAWN = 64,
    /* Characters of a node's or switch's name; longer names are cut. */
    MOST_LETTERS = 20
};

/** Lengths that the layout and the drawing share. */
enum {
    MARGIN = 16,
    /* From the top to the first node. */
    HEAD = 96,
    /* Width of a stage's box, and of the mark of a reduction or copy. */
    CELL = 16,
    MARK = 10,
    COLUMN_GAP = 18
};

/** A stage of a rank's plan. */
typedef struct {
    int rank;
    int stage;
} place_t;

/** The ends of a message. */
enum { FROM, TO, ENDS };

typedef struct {
    place_t end[ENDS];
    /* By sender and step. */
    int order;
    /* An exchange: it includes the answer. */
    bool both;
    int column;
    /* The rows that it connects; low < high. */
    int low, high;
    /* Its track in the column, from 0; and where it meets its stages. */
    int track;
    int y[ENDS];
} message_t;

/** Columns, from left to right: boxes, tracks, marks. */
typedef struct {
    int tracks;
    /* Width of the widest marks. */
    int marks;
    int left;
} column_t;

/** The switches of one depth, as a column; width 0: none. */
typedef struct {
    int left;
    int width;
} switches_t;

/** A picture. Arrays of MOST_DRAWN are indexed by rank, except node. */
typedef struct {
    /* borrowed */
    const options_t *options;
    const napcoll_node_map_t *map;
    /* The map's nodes from top to bottom. */
    int node[MOST_DRAWN];
    switches_t switches[NAPCOLL_MOST_SWITCH_DEPTH];
    /* The left end of the nodes, and the width of their names and lanes. */
    int left, names;
    napcoll_plan_cache_t plans;
    /* The column of each stage. */
    int *column_of[MOST_DRAWN];
    int row[MOST_DRAWN], row_height[MOST_DRAWN], middle[MOST_DRAWN];
    /* [messages] */
    message_t *message;
    int messages;
    /* [columns] */
    column_t *column;
    int columns;
    int width, height;
} picture_t;

/**
 * Make the plans of all ranks and lay them out.
 *
 * @param[in] o    names the algorithm, which is eligible on this map; borrowed
 * @param[in] map  of at most MOST_DRAWN ranks; borrowed
 *
 * @return the picture, owned by the caller (layout_free), or NULL where a send or a receive has no
 * other end
 */
picture_t *layout_make(const options_t *o, const napcoll_node_map_t *map);

/** Free a picture. */
void layout_free(picture_t *p);

/** The plan of a rank. */
static inline const napcoll_plan_t *layout_plan(const picture_t *p, int rank)
{
    return p->plans.entry[rank]->plan;
}

/** The first and the last of p->node below a switch of the map's tree; false: there is none. */
bool layout_below(const picture_t *p, int at, int *first, int *last);

/** The column of a stage. */
const column_t *layout_column(const picture_t *p, place_t place);

/** From a column's left end to a track. */
int layout_track_offset(int track);

/** From a column's left end to its marks. */
int layout_marks_offset(const column_t *column);

/** Width of the mark of a reduction, copy or phase. */
int layout_mark_width(const napcoll_step_t *step);

#endif /* NAPCOLL_TOOLS_PLAN_LAYOUT_H */
