/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The communicators of contestants, and the graph of their neighbours.
 */

#include <stdio.h>
#include <stdlib.h>

#include "common/napcoll_memory.h"
#include "measure/napcoll_check.h"
#include "measure/napcoll_measure.h"

/* napcoll_COLL_algorithm; without the last part where that would be longer than MPI allows. */
static void set_action(MPI_Info info, const char *coll, const char *action)
{
    char key[MPI_MAX_INFO_KEY + 64];

    if (snprintf(key, sizeof(key), "napcoll_%.40s_algorithm", coll) >= MPI_MAX_INFO_KEY) {
        (void) snprintf(key, sizeof(key), "napcoll_%.40s", coll);
    }
    napcoll_check(MPI_Info_set(info, key, action), "MPI_Info_set");
}

/* A communicator with the graph, of which the contestants have duplicates. The weights are all 0:
 * gcc takes MPI_UNWEIGHTED for an empty array. */
static MPI_Comm open_graph(const napcoll_edge_lists_t *graph)
{
    int *weight = napcoll_allocate((size_t) napcoll_edge_lists_most(graph), sizeof(*weight));
    napcoll_neighbors_t own;
    MPI_Comm comm;
    int rank;

    napcoll_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    napcoll_edge_lists_neighbors((void *) graph, rank, &own);
    napcoll_check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, own.in, own.from, weight, own.out,
                                                 own.to, weight, MPI_INFO_NULL, 0, &comm),
                  "MPI_Dist_graph_create_adjacent");
    free(weight);
    return comm;
}

MPI_Comm napcoll_measure_dup(const napcoll_edge_lists_t *graph, const char *preference,
                             const char *coll, const char *action)
{
    MPI_Comm from = NULL == graph ? MPI_COMM_WORLD : open_graph(graph), comm;
    MPI_Info info;

    napcoll_check(MPI_Info_create(&info), "MPI_Info_create");
    napcoll_check(MPI_Info_set(info, "ompi_comm_coll_preference", preference), "MPI_Info_set");
    if ('\0' != action[0]) {
        set_action(info, coll, action);
    }
    napcoll_check(MPI_Comm_dup_with_info(from, info, &comm), "MPI_Comm_dup_with_info");
    napcoll_check(MPI_Info_free(&info), "MPI_Info_free");
    if (NULL != graph) {
        napcoll_check(MPI_Comm_free(&from), "MPI_Comm_free");
    }
    return comm;
}

bool napcoll_measure_graph(const napcoll_graph_choice_t *choice, napcoll_measure_t *m,
                           napcoll_edge_lists_t *graph, char message[NAPCOLL_MESSAGE])
{
    int edges = -1;

    *graph = (napcoll_edge_lists_t){.ranks = 0};
    if (0 == m->rank && napcoll_graph_make(choice, m->size, graph, message)) {
        edges = graph->edges;
    }
    napcoll_check(MPI_Bcast(&edges, 1, MPI_INT, 0, m->helper), "MPI_Bcast");
    if (edges < 0) {
        return false;
    }
    if (0 != m->rank) {
        napcoll_edge_lists_open(graph, m->size, edges);
    }
    napcoll_check(MPI_Bcast(graph->number, graph->numbers, MPI_INT, 0, m->helper), "MPI_Bcast");
    napcoll_blocks_close(&m->blocks);
    napcoll_blocks_open(&m->blocks, m->rank, m->size, graph);
    return true;
}
