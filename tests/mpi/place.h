/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One communicator, and a call of a collective on it: blocking, nonblocking or persistent.
 */
#ifndef TEST_PLACE_H
#define TEST_PLACE_H

#include "modes.h"
#include "tap_mpi.h"

enum { BLOCK = 3, STRIDE = 4, UNTOUCHED = -1, NEIGHBOURS = 4 };

/* One communicator as seen from one process, with buffers for any collective on it. */
struct place {
    const char *name;
    MPI_Comm comm;
    /* In the own group */
    int rank, size;
    /* Those I receive from: the other group if there are two */
    int peers;
    /* Own and peers' side: 0 and 0 unless there are two groups */
    int side, other;
    bool inter;
    /* In its group */
    int root;
    int *send, *recv;
    /* Ints in each buffer */
    int room;
    /* Peers or size of each, whichever is more */
    int *counts, *displs, *counts2, *displs2;
    MPI_Datatype *types;
    /* Neighbours */
    int sources, targets;
    int source[NEIGHBOURS], target[NEIGHBOURS];
    /* Which of its blocks source i sends to me */
    int slot[NEIGHBOURS];
};

typedef bool (*call_fn)(struct place *p, enum mode mode);

struct call {
    const char *name;
    call_fn fn;
    /* Defined on intercommunicators */
    bool inter;
};

/* What `rank` of a side has for `to`, element i. */
static inline int value(int side, int rank, int to, int i)
{
    return side * 1000000 + rank * 1000 + to * 10 + i + 1;
}

static inline void reset(struct place *p)
{
    for (int i = 0; i < p->room; ++i) {
        p->send[i] = p->recv[i] = UNTOUCHED;
    }
}

/* Completes a call; a persistent one is run twice. */
static inline void finish(enum mode mode, MPI_Request *request)
{
    if (PERSISTENT == mode) {
        for (int i = 0; i < 2; ++i) {
            mpi_check(MPI_Start(request), "MPI_Start");
            mpi_check(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
        }
        mpi_check(MPI_Request_free(request), "MPI_Request_free");
    } else if (NONBLOCKING == mode) {
        mpi_check(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

/* A call in one of the three ways; the arguments end with the communicator. */
#define CALL(mode, Upper, lower, ...)                                                    \
    do {                                                                                 \
        MPI_Request request = MPI_REQUEST_NULL;                                          \
        mpi_check(MAKE(mode, &request, Upper, lower, __VA_ARGS__), "a call of " #lower); \
        finish(mode, &request);                                                          \
    } while (0)

/* Number i of what this rank has for another. */
static inline void fill_own(struct place *p, int num, int to)
{
    for (int i = 0; i < num; ++i) {
        p->send[i] = value(p->side, p->rank, to, i);
    }
}

#endif
