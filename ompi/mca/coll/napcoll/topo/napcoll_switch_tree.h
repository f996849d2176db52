/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The switch tree: which node is on which switch, from a file in the form of Slurm's topology.conf.
 * Pure: no MPI in here.
 *
 *     SwitchName=s0 Nodes=n[0-1,8-9]           s2
 *     SwitchName=s1 Nodes=n[2-3,10]          .'  '.
 *     SwitchName=s2 Switches=s[0-1]        s0      s1
 *                                         / | \    / | \
 *
 * Switches are in depth-first order, the switches of one parent in the order of its list. So are
 * the nodes, a switch's own ones before the nodes of the switches below it. So the nodes below a
 * switch are one interval. If several switches have no parent, the tree gets one more above them,
 * without a name: the file does not describe the whole network.
 */

#ifndef NAPCOLL_SWITCH_TREE_H
#define NAPCOLL_SWITCH_TREE_H

#include <stddef.h>
#include <stdio.h>

/** Limits of a file. */
enum {
    /** switches above one another, with the unnamed one */
    NAPCOLL_MOST_SWITCH_DEPTH = 16,
    /** nodes, and switches */
    NAPCOLL_MOST_SWITCH_NODES = 1 << 20,
    /** bytes of the file */
    NAPCOLL_MOST_SWITCH_BYTES = 16 << 20,
    /** bytes of a line */
    NAPCOLL_MOST_SWITCH_LINE = 1 << 20
};

typedef struct napcoll_switch {
    /** "": the switch that the file does not name */
    char *name;
    /** switch, or -1 */
    int parent;
    /** switches above it */
    int depth;
    /** its own nodes are [first, first + nodes) */
    int first;
    int nodes;
    /** all nodes below it are [first, end) */
    int end;
} napcoll_switch_t;

typedef struct napcoll_switch_tree {
    /** [switches] the first is the root */
    napcoll_switch_t *at;
    int switches;
    /** [nodes] names */
    char **node;
    /** [nodes] */
    int *switch_of;
    /** [nodes] nodes in the order of strcmp on their names */
    int *by_name;
    int nodes;
} napcoll_switch_tree_t;

/** What is wrong with a file, and where. */
typedef struct napcoll_switch_error {
    /** from 1; 0: the file as a whole */
    int line;
    /** from 1, in bytes; 0: the line, or the file, as a whole */
    int column;
    /** what is wrong, what was expected, what to do */
    char text[512];
} napcoll_switch_error_t;

/**
 * Read a switch tree from text.
 *
 * A line has SwitchName=NAME and then Nodes=LIST or Switches=LIST or both (keywords in any case),
 * and perhaps LinkSpeed=, which is not used. A LIST has names of at most 255 bytes with commas
 * between, no blanks, and ranges in brackets, n[0-3,8], whose numbers keep their leading zeros,
 * r[0-1]n[00-15]. # begins a comment. A backslash at its end, but not in a comment, joins a line to
 * the next.
 *
 * @param[in]  text    [length] the file's contents; may contain any bytes
 * @param[in]  length  bytes
 * @param[out] tree    the tree, which the caller frees; NULL after an error
 * @param[out] error   what is wrong; line 0 and "out of memory" when memory ran out
 *
 * @return 0, or -1 with *error set
 */
int napcoll_switch_tree_parse(const char *text, size_t length, napcoll_switch_tree_t **tree,
                              napcoll_switch_error_t *error);

/** Read a tree from an open file, from its position; as napcoll_switch_tree_parse. */
int napcoll_switch_tree_read(FILE *in, napcoll_switch_tree_t **tree, napcoll_switch_error_t *error);

/** Free a tree; NULL is allowed. */
void napcoll_switch_tree_free(napcoll_switch_tree_t *tree);

/** The node of a name, or -1. A name with a domain ("n3.cluster.org") that no node has is looked up
 * without the domain, too. */
int napcoll_switch_tree_find(const napcoll_switch_tree_t *tree, const char *name);

/**
 * Write a tree as a file that reads back the same: a line for each named switch, its nodes and
 * switches one by one. A line of half of NAPCOLL_MOST_SWITCH_LINE or more goes on behind a
 * backslash.
 *
 * @return the text, which the caller frees, of at most NAPCOLL_MOST_SWITCH_BYTES; NULL when memory
 *         ran out
 */
char *napcoll_switch_tree_text(const napcoll_switch_tree_t *tree);

#endif /* NAPCOLL_SWITCH_TREE_H */
