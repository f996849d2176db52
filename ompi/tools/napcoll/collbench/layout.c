/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where the processes are, and how far apart.
 */

#include "bench.h"

enum { PING_WARMUP = 3, PING_ROUNDS = 41 };

/* The lowest rank r > 0 that does (or does not) share rank 0's node; -1 if there is none. */
static int lowest_rank(const napcoll_measure_t *m, bool same_node)
{
    int on_node_0 = 0 == m->rank, mine, lowest;

    napcoll_check(MPI_Allreduce(MPI_IN_PLACE, &on_node_0, 1, MPI_INT, MPI_MAX, m->start.node),
                  "MPI_Allreduce");
    mine = 0 != m->rank && same_node == (1 == on_node_0) ? m->rank : m->size;
    napcoll_check(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, m->helper), "MPI_Allreduce");
    return lowest < m->size ? lowest : -1;
}

/* Median half round trip in seconds between rank 0 and peer, known on rank 0; 0 without a peer. */
static double ping(const napcoll_measure_t *m, int peer)
{
    double trip[PING_ROUNDS] = {0}, data = 0.0;

    for (int i = -PING_WARMUP; peer >= 0 && i < PING_ROUNDS; i++) {
        const double start = MPI_Wtime();

        if (0 == m->rank) {
            napcoll_check(MPI_Send(&data, 1, MPI_DOUBLE, peer, 0, m->helper), "MPI_Send");
            napcoll_check(MPI_Recv(&data, 1, MPI_DOUBLE, peer, 0, m->helper, MPI_STATUS_IGNORE),
                          "MPI_Recv");
            trip[i < 0 ? 0 : i] = MPI_Wtime() - start;
        } else if (peer == m->rank) {
            napcoll_check(MPI_Recv(&data, 1, MPI_DOUBLE, 0, 0, m->helper, MPI_STATUS_IGNORE),
                          "MPI_Recv");
            napcoll_check(MPI_Send(&data, 1, MPI_DOUBLE, 0, 0, m->helper), "MPI_Send");
        }
    }
    napcoll_start_quiet_barrier(m->helper);
    return napcoll_summarize(trip, PING_ROUNDS).median / 2.0;
}

void layout_open(struct bench *b)
{
    const napcoll_measure_t *m = &b->measure;
    struct layout *l = &b->layout;
    int lane, leader, ppn, range[2], extremes[2];

    napcoll_check(MPI_Comm_rank(m->start.node, &lane), "MPI_Comm_rank");
    napcoll_check(MPI_Comm_size(m->start.node, &ppn), "MPI_Comm_size");
    leader = 0 == lane;
    range[0] = ppn;
    range[1] = -ppn;
    napcoll_check(MPI_Allreduce(&leader, &l->nodes, 1, MPI_INT, MPI_SUM, m->helper),
                  "MPI_Allreduce");
    napcoll_check(MPI_Allreduce(range, extremes, 2, MPI_INT, MPI_MAX, m->helper), "MPI_Allreduce");
    l->ppn_max = extremes[0];
    l->ppn_min = -extremes[1];
    l->far_rank = lowest_rank(m, false);
    l->near_rank = lowest_rank(m, true);
    napcoll_start_quiet_barrier(m->helper);
    l->alpha_far = ping(m, l->far_rank);
    l->alpha_near = ping(m, l->near_rank);
}

void layout_graph(struct bench *b)
{
    const napcoll_edge_lists_t *graph = &b->graph;
    const int rank = b->measure.rank, first = graph->out[rank];
    const int out = graph->out[rank + 1] - first;
    int *lane = napcoll_allocate((size_t) out, sizeof(*lane)), crossing = 0;
    MPI_Group all, node;

    napcoll_check(MPI_Comm_group(b->measure.helper, &all), "MPI_Comm_group");
    napcoll_check(MPI_Comm_group(b->measure.start.node, &node), "MPI_Comm_group");
    napcoll_check(MPI_Group_translate_ranks(all, out, graph->to + first, node, lane),
                  "MPI_Group_translate_ranks");
    for (int i = 0; i < out; i++) {
        crossing = crossing || MPI_UNDEFINED == lane[i];
    }
    napcoll_check(MPI_Allreduce(MPI_IN_PLACE, &crossing, 1, MPI_INT, MPI_MAX, b->measure.helper),
                  "MPI_Allreduce");
    b->layout.graph = true;
    b->layout.crossing = 0 != crossing;
    napcoll_check(MPI_Group_free(&all), "MPI_Group_free");
    napcoll_check(MPI_Group_free(&node), "MPI_Group_free");
    free(lane);
}

/* ceil(log_{ppn+1} nodes): after one step, data of one node can be on ppn + 1 nodes and no more.
 * Neighbours need one step. */
int layout_steps(const struct layout *l)
{
    long long reached = 1;
    int steps = 0;

    if (l->graph) {
        return l->crossing ? 1 : 0;
    }
    while (reached < l->nodes) {
        reached *= l->ppn_max + 1;
        steps++;
    }
    return steps;
}
