/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switch tree: which node hangs on which switch, from a file in the form of Slurm's topology.conf.
 * Pure: no MPI in here.
 *
 *     SwitchName=s0 Nodes=n[0-1,8-9]           s2
 *     SwitchName=s1 Nodes=n[2-3,10]          .'  '.
 *     SwitchName=s2 Switches=s[0-1]        s0      s1
 *                                         / | \    / | \
 *
 * Switches stand in depth-first order, those of one parent in the order of its list, and so do the
 * nodes, a switch's own ones before those of the switches below it. So what is below a switch is one
 * interval of nodes. Several switches that have no parent are joined, in the file's order, by one more
 * that no file names, the last resort of a network that is not described in full.
 */

#ifndef NAPCOLL_SWITCH_TREE_H
#define NAPCOLL_SWITCH_TREE_H

#include <stddef.h>
#include <stdio.h>

/** Limits of a file. */
enum {
    NAPCOLL_MOST_SWITCH_DEPTH = 16,       /**< switches on a way down, the unnamed one, too */
    NAPCOLL_MOST_SWITCH_NODES = 1 << 20,  /**< nodes, and switches */
    NAPCOLL_MOST_SWITCH_BYTES = 16 << 20, /**< of the file */
    NAPCOLL_MOST_SWITCH_LINE = 1 << 20    /**< bytes of a line */
};

typedef struct napcoll_switch {
    char *name; /**< "" where no file names it */
    int parent; /**< switch, or -1 */
    int depth;  /**< switches above it */
    int first;  /**< its own nodes are [first, first + nodes) */
    int nodes;
    int end; /**< those below it, its own among them, are [first, end) */
} napcoll_switch_t;

typedef struct napcoll_switch_tree {
    napcoll_switch_t *at; /**< [switches] */
    int switches;         /**< at least 1; the first is the root */
    char **node;          /**< [nodes] names */
    int *switch_of;       /**< [nodes] */
    int *by_name;         /**< [nodes] nodes in the order of strcmp on their names */
    int nodes;            /**< at least 1 */
} napcoll_switch_tree_t;

/** Where a file is wrong, and a sentence on it. */
typedef struct napcoll_switch_error {
    int line;       /**< from 1; 0: the file as a whole */
    int column;     /**< from 1, in bytes; 0: the line, or the file, as a whole */
    char text[512]; /**< what is wrong, what was expected, what to do */
} napcoll_switch_error_t;

/**
 * Read a switch tree from text.
 *
 * A line has SwitchName=NAME and then Nodes=LIST or Switches=LIST or both (keywords in any case), and
 * LinkSpeed=, which is not used. A LIST has names of at most 255 bytes with commas between, no blanks, and
 * ranges in brackets, n[0-3,8], whose numbers keep their leading zeros, r[0-1]n[00-15]. # begins a
 * comment; a backslash at its end, but not in a comment, joins a line to the next.
 *
 * @param[in]  text    [length] the file's contents; needs no terminating zero, may hold any bytes
 * @param[in]  length  bytes
 * @param[out] tree    the tree, which the caller frees; NULL after an error
 * @param[out] error   what is wrong; line 0 and "out of memory" where memory ran out
 *
 * @return 0, or -1 with *error set
 */
int napcoll_switch_tree_parse(const char *text, size_t length, napcoll_switch_tree_t **tree,
                              napcoll_switch_error_t *error);

/** Read a tree from an open file, from where it stands; as napcoll_switch_tree_parse. */
int napcoll_switch_tree_read(FILE *in, napcoll_switch_tree_t **tree, napcoll_switch_error_t *error);

/** Free a tree; NULL is allowed. */
void napcoll_switch_tree_free(napcoll_switch_tree_t *tree);

/**
 * The node of a name, or -1. A name with a domain ("n3.cluster.org") that no node has is looked up without
 * it, too.
 */
int napcoll_switch_tree_find(const napcoll_switch_tree_t *tree, const char *name);

/**
 * Write a tree as a file that reads back the same: a line for each switch that has a name, its nodes and
 * switches one by one. Only a line of half of NAPCOLL_MOST_SWITCH_LINE and more goes on behind a backslash.
 * For a process that publishes what it has read.
 *
 * @return the text, owned by the caller, at most NAPCOLL_MOST_SWITCH_BYTES; NULL where memory ran out
 */
char *napcoll_switch_tree_text(const napcoll_switch_tree_t *tree);

/** The lowest switch that has both nodes below it. */
int napcoll_switch_tree_meet(const napcoll_switch_tree_t *tree, int node, int other);

#endif /* NAPCOLL_SWITCH_TREE_H */
