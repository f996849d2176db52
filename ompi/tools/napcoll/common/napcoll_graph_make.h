/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The graphs that users name, for all tools: --graph, --degree and --seed. Pure: no MPI in here.
 *
 *     torus      a grid of three dimensions that is closed in each: 6 neighbours
 *     stencil    a grid of three dimensions: all cells that touch, 26 neighbours inside
 *     random     each rank has edges to `degree` random ranks, and from as many
 *     power-law  few ranks have many neighbours and many have few, on average `degree`
 *     FILE       one edge in a line
 *
 * A graph depends on these three values and the number of ranks. Except in a file, there is at
 * most one edge from one rank to another, and none from a rank to itself.
 */

#ifndef NAPCOLL_GRAPH_MAKE_H
#define NAPCOLL_GRAPH_MAKE_H

#include "common/napcoll_graph.h"
#include "common/napcoll_options.h"

enum {
    /** neighbours, where users do not say */
    NAPCOLL_GRAPH_DEGREE = 8,
    NAPCOLL_GRAPH_MOST_DEGREE = 1024,
    /** edges of a graph; they take about 1 GB as neighbourhoods */
    NAPCOLL_GRAPH_MOST_EDGES = 1 << 24
};

/** What a user says; all 0: nothing. Strings are borrowed. */
typedef struct napcoll_graph_choice {
    /** a name, or the path of a file; NULL: torus */
    const char *graph;
    /** of random and power-law; 0: NAPCOLL_GRAPH_DEGREE */
    int degree;
    /** 0: 1 */
    int seed;
} napcoll_graph_choice_t;

/** The edges of a graph as two lists for each rank. */
typedef struct napcoll_edge_lists {
    int ranks, edges;
    /** [numbers] the memory of the arrays below, to be sent as one message */
    int *number;
    int numbers;
    /** [ranks + 1] where the neighbours of a rank begin, with the end of the last one's */
    int *out, *in;
    /** [edges] to which, and from which, a rank has its edges */
    int *to, *from;
} napcoll_edge_lists_t;

/** Names of graphs, for napcoll_names_t; no context. */
napcoll_name_at_t napcoll_graph_name_at;

/** The name of the graph that is chosen: "torus", or the path of a file. */
const char *napcoll_graph_name(const napcoll_graph_choice_t *choice);

/** Whether a choice makes sense for a collective; else the message says why not. Reads no file. */
bool napcoll_graph_check(const napcoll_graph_choice_t *choice,
                         const napcoll_collective_t *collective, char message[NAPCOLL_MESSAGE]);

/**
 * Make the graph of a choice.
 *
 * @param[in]  choice   napcoll_graph_check has passed it
 * @param[in]  ranks    at least 1
 * @param[out] lists    to be freed with napcoll_edge_lists_free
 * @param[out] message  what is wrong, where false is returned
 */
bool napcoll_graph_make(const napcoll_graph_choice_t *choice, int ranks,
                        napcoll_edge_lists_t *lists, char message[NAPCOLL_MESSAGE]);

/** Make room for the lists of this many edges; the arrays are 0. */
void napcoll_edge_lists_open(napcoll_edge_lists_t *lists, int ranks, int edges);

/** All zero is allowed. */
void napcoll_edge_lists_free(napcoll_edge_lists_t *lists);

/** The most edges that leave a rank, or come to one. */
int napcoll_edge_lists_most(const napcoll_edge_lists_t *lists);

/** A napcoll_neighbors_of_t, whose context is a napcoll_edge_lists_t. */
void napcoll_edge_lists_neighbors(void *context, int rank, napcoll_neighbors_t *neighbors);

/* ---- napcoll_graph_file.c ---- */

/** An edge that is not in lists yet. */
typedef struct napcoll_edge_pair {
    int from, to;
} napcoll_edge_pair_t;

/**
 * Read a file of edges: lines of two ranks, FROM TO; what follows a # is a comment.
 *
 * @param[in]  path     the file
 * @param[in]  ranks    of the job: ranks are below
 * @param[out] edges    how many; 0 after an error
 * @param[out] message  what is wrong, with file and line, where NULL is returned
 *
 * @return [edges] in the order of the file, to be freed
 */
napcoll_edge_pair_t *napcoll_graph_read(const char *path, int ranks, int *edges,
                                        char message[NAPCOLL_MESSAGE]);

#endif /* NAPCOLL_GRAPH_MAKE_H */
