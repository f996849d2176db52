/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the processes are, and how far apart.
 */
#include "bench.h"

enum { PING_WARMUP = 3, PING_ROUNDS = 41 };

/* The lowest rank r > 0 that does (or does not) share rank 0's node; -1 if there is none. */
static int lowest_rank(const struct layout *l, bool same_node)
{
    int on_node_0 = 0, mine, lowest;

    if (0 == l->rank) {
        on_node_0 = 1;
    }
    check(MPI_Allreduce(MPI_IN_PLACE, &on_node_0, 1, MPI_INT, MPI_MAX, l->start.node),
          "MPI_Allreduce");
    mine = 0 != l->rank && same_node == (1 == on_node_0) ? l->rank : l->size;
    check(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return lowest < l->size ? lowest : -1;
}

void layout_open(struct layout *l)
{
    int leader, ppn;

    memset(l, 0, sizeof(*l));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &l->rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &l->size), "MPI_Comm_size");
    check(napcoll_start_open(MPI_COMM_WORLD, &l->start), "napcoll_start_open");
    check(MPI_Comm_rank(l->start.node, &l->lane), "MPI_Comm_rank");
    check(MPI_Comm_size(l->start.node, &ppn), "MPI_Comm_size");
    leader = 0 == l->lane;
    check(MPI_Allreduce(&leader, &l->nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    check(MPI_Allreduce(&ppn, &l->ppn_min, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    check(MPI_Allreduce(&ppn, &l->ppn_max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    l->far_rank = lowest_rank(l, false);
    l->near_rank = lowest_rank(l, true);
}

void layout_close(struct layout *l)
{
    check(napcoll_start_close(&l->start), "napcoll_start_close");
}

/* Median half round trip in seconds between rank 0 and peer, known on rank 0. */
static double ping(const struct bench *b, int peer)
{
    double trip[PING_ROUNDS] = {0}, word = 0.0;

    for (int i = -PING_WARMUP; i < PING_ROUNDS; ++i) {
        if (0 == b->layout.rank) {
            double start = MPI_Wtime();

            check(MPI_Send(&word, 1, MPI_DOUBLE, peer, 0, b->helper), "MPI_Send");
            check(MPI_Recv(&word, 1, MPI_DOUBLE, peer, 0, b->helper, MPI_STATUS_IGNORE),
                  "MPI_Recv");
            if (i >= 0) {
                trip[i] = MPI_Wtime() - start;
            }
        } else if (peer == b->layout.rank) {
            check(MPI_Recv(&word, 1, MPI_DOUBLE, 0, 0, b->helper, MPI_STATUS_IGNORE), "MPI_Recv");
            check(MPI_Send(&word, 1, MPI_DOUBLE, 0, 0, b->helper), "MPI_Send");
        }
    }
    check(napcoll_start_quiet_barrier(b->helper), "napcoll_start_quiet_barrier");
    qsort(trip, PING_ROUNDS, sizeof(trip[0]), report_order);
    return report_percentile(trip, PING_ROUNDS, 0.5) / 2.0;
}

void layout_ping(struct bench *b)
{
    struct layout *l = &b->layout;

    l->start.comm = b->helper;
    check(napcoll_start_quiet_barrier(b->helper), "napcoll_start_quiet_barrier");
    if (l->far_rank >= 0) {
        l->alpha_far = ping(b, l->far_rank);
    }
    if (l->near_rank >= 0) {
        l->alpha_near = ping(b, l->near_rank);
    }
}

/* ceil(log_{ppn+1} nodes): after one step a node's news can be on ppn + 1 nodes and no more. */
int layout_steps(const struct layout *l)
{
    long long reached = 1;
    int steps = 0;

    while (reached < l->nodes) {
        reached *= l->ppn_max + 1;
        ++steps;
    }
    return steps;
}
