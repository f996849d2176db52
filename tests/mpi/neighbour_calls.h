/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The collectives among neighbours, each with data that is checked. See all_collectives.c.
 */
#ifndef TEST_NEIGHBOUR_CALLS_H
#define TEST_NEIGHBOUR_CALLS_H

#include "place.h"

static inline bool neighbour_blocks_match(const struct place *p, bool same_for_all,
                                          const int *counts)
{
    for (int i = 0; i < p->sources; ++i) {
        int to = same_for_all ? 0 : p->slot[i];

        for (int j = 0; j < STRIDE; ++j) {
            int count = MPI_PROC_NULL == p->source[i] ? 0 : counts[i];
            int expected = j < count ? value(0, p->source[i], to, j) : UNTOUCHED;

            if (p->recv[i * STRIDE + j] != expected) {
                return false;
            }
        }
    }
    return true;
}

/* What goes from a to b has (a + b) % BLOCK + 1 elements, or as many as a says to all. */
static inline void lay_out_neighbours(struct place *p, bool personalized, int scale)
{
    for (int i = 0; i < p->sources; ++i) {
        int from = MPI_PROC_NULL == p->source[i] ? 0 : p->source[i];

        p->counts[i] = (personalized ? p->rank + from : from) % BLOCK + 1;
        p->displs[i] = i * STRIDE * scale;
        p->types[i] = MPI_INT;
    }
    for (int i = 0; i < p->targets; ++i) {
        int to = MPI_PROC_NULL == p->target[i] ? 0 : p->target[i];

        p->counts2[i] = (p->rank + to) % BLOCK + 1;
        p->displs2[i] = i * STRIDE * scale;
        for (int j = 0; j < STRIDE; ++j) {
            p->send[i * STRIDE + j] = value(0, p->rank, i, j);
        }
    }
}

static inline const int *four_each(struct place *p)
{
    for (int i = 0; i < p->sources; ++i) {
        p->counts[i] = STRIDE;
    }
    return p->counts;
}

static inline bool neighbor_allgather(struct place *p, enum mode mode)
{
    fill_own(p, STRIDE, 0);
    CALL(mode, Neighbor_allgather, neighbor_allgather, p->send, STRIDE, MPI_INT, p->recv, STRIDE,
         MPI_INT, p->comm);
    return neighbour_blocks_match(p, true, four_each(p));
}

static inline bool neighbor_allgatherv(struct place *p, enum mode mode)
{
    lay_out_neighbours(p, false, 1);
    fill_own(p, STRIDE, 0);
    CALL(mode, Neighbor_allgatherv, neighbor_allgatherv, p->send, p->rank % BLOCK + 1, MPI_INT,
         p->recv, p->counts, p->displs, MPI_INT, p->comm);
    return neighbour_blocks_match(p, true, p->counts);
}

static inline bool neighbor_alltoall(struct place *p, enum mode mode)
{
    lay_out_neighbours(p, true, 1);
    CALL(mode, Neighbor_alltoall, neighbor_alltoall, p->send, STRIDE, MPI_INT, p->recv, STRIDE,
         MPI_INT, p->comm);
    return neighbour_blocks_match(p, false, four_each(p));
}

static inline bool neighbor_alltoallv(struct place *p, enum mode mode)
{
    lay_out_neighbours(p, true, 1);
    CALL(mode, Neighbor_alltoallv, neighbor_alltoallv, p->send, p->counts2, p->displs2, MPI_INT,
         p->recv, p->counts, p->displs, MPI_INT, p->comm);
    return neighbour_blocks_match(p, false, p->counts);
}

static inline bool neighbor_alltoallw(struct place *p, enum mode mode)
{
    MPI_Aint from[NEIGHBOURS], to[NEIGHBOURS];

    lay_out_neighbours(p, true, (int) sizeof(int));
    for (int i = 0; i < NEIGHBOURS; ++i) {
        from[i] = to[i] = (MPI_Aint) (i * STRIDE * (int) sizeof(int));
    }
    CALL(mode, Neighbor_alltoallw, neighbor_alltoallw, p->send, p->counts2, to, p->types, p->recv,
         p->counts, from, p->types, p->comm);
    return neighbour_blocks_match(p, false, p->counts);
}

static const struct call neighbour_calls[] = {
    {"neighbor_allgather", neighbor_allgather, false},
    {"neighbor_allgatherv", neighbor_allgatherv, false},
    {"neighbor_alltoall", neighbor_alltoall, false},
    {"neighbor_alltoallv", neighbor_alltoallv, false},
    {"neighbor_alltoallw", neighbor_alltoallw, false},
};

#endif
