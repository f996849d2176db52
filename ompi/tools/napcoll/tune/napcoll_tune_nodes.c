/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where processes are: nodes, sockets and lanes, and whether processes share processors.
 */

#define _GNU_SOURCE

#include <limits.h>
#include <sched.h>

#include "tune/napcoll_tune.h"

/* [ranks] the lowest rank in the same part of the machine. */
static int *lowest_fellows(const tune_t *t, int type)
{
    int lowest = t->rank, *all = napcoll_allocate((size_t) t->ranks, sizeof(*all));
    MPI_Comm part;

    napcoll_check(MPI_Comm_split_type(t->comm, type, t->rank, MPI_INFO_NULL, &part),
                  "MPI_Comm_split_type");
    napcoll_check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, part), "MPI_Allreduce");
    napcoll_check(MPI_Comm_free(&part), "MPI_Comm_free");
    napcoll_check(MPI_Allgather(&lowest, 1, MPI_INT, all, 1, MPI_INT, t->comm), "MPI_Allgather");
    return all;
}

/* Whether some node's processes are more than the processors that they may run on together. */
static bool is_oversubscribed(const tune_t *t)
{
    const MPI_Comm node = t->measure.start.node;
    cpu_set_t processors;
    int size, more;

    if (0 != sched_getaffinity(0, sizeof(processors), &processors)) {
        /* more processors than the set can name */
        memset(&processors, UCHAR_MAX, sizeof(processors));
    }
    napcoll_check(MPI_Comm_size(node, &size), "MPI_Comm_size");
    napcoll_check(
        MPI_Allreduce(MPI_IN_PLACE, &processors, (int) sizeof(processors), MPI_BYTE, MPI_BOR, node),
        "MPI_Allreduce");
    more = size > CPU_COUNT(&processors);
    napcoll_check(MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MAX, t->comm),
                  "MPI_Allreduce");
    return 0 != more;
}

void tune_nodes_open(tune_t *t)
{
    const int ranks = t->ranks;
    const size_t room = (size_t) ranks + 1;
    tune_nodes_t *n = &t->node;
    int *count = napcoll_allocate(room, sizeof(*count)),
        *rest = napcoll_allocate(3 * room, sizeof(*rest));

    n->node_of = lowest_fellows(t, MPI_COMM_TYPE_SHARED);
    n->socket_of = lowest_fellows(t, OMPI_COMM_TYPE_SOCKET);
    n->lane_of = rest;
    n->first = rest + room;
    n->rank = rest + 2 * room;
    for (int i = 0; i < ranks; i++) { /* a node's lowest rank comes first */
        n->node_of[i] = n->node_of[i] == i ? n->num++ : n->node_of[n->node_of[i]];
        n->lane_of[i] = count[n->node_of[i]]++;
    }
    n->least_ppn = ranks;
    for (int node = 0; node < n->num; node++) {
        n->first[node + 1] = n->first[node] + count[node];
        n->least_ppn = count[node] < n->least_ppn ? count[node] : n->least_ppn;
    }
    for (int i = 0; i < ranks; i++) {
        n->rank[n->first[n->node_of[i]] + n->lane_of[i]] = i;
    }
    free(count);
    n->oversubscribed = is_oversubscribed(t);
}

void tune_nodes_close(tune_t *t)
{
    free(t->node.node_of);
    free(t->node.socket_of);
    free(t->node.lane_of);
}
