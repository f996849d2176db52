/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One call of MPI_Gather, MPI_Gatherv, MPI_Scatter or MPI_Scatterv, its buffers, and whether each
 * byte of them is right afterwards.
 */
#ifndef TEST_GATHER_SCATTER_H
#define TEST_GATHER_SCATTER_H

#include "collective.h"
#include "layouts.h"

/* How many numbers the ranks have; gather and scatter know but the first. */
enum deal { EVEN, THREE_SIZES, GROWING, ONE_IS_HOT, FEW, ROOT_ALONE, ALL_BUT_ROOT, NUM_DEALS };

/* One call. Numbers are doubles, or bytes; block is a multiple of the parts of both layouts. */
struct shape {
    /* Of the root's buffer of all blocks */
    const struct layout *all;
    /* Of a rank's own block; may differ between ranks */
    const struct layout *own;
    enum deal deal;
    enum order order;
    int root;
    int block;
    /* The root's own block is among all blocks and nowhere else */
    bool in_place;
    /* Makes the numbers differ from other calls' */
    int salt;
};

/* What a rank tells MPI of the root's buffer, or of its own block. */
struct side {
    void *buffer;
    int count;
    MPI_Datatype type;
    /* NULL except for the root's side */
    int *counts, *displs;
};

static inline bool takes_counts(const struct test *t)
{
    return 'v' == t->coll[strlen(t->coll) - 1];
}

static inline bool scatters(const struct test *t)
{
    return 0 == strncmp(t->coll, "scatter", strlen("scatter"));
}

/* Both buffers of a call before it, and what is to be in them afterwards. */
void gather_scatter_prepare(const struct test *t, const struct group *g, const struct shape *s,
                            struct memory *m);

/* The call, with buffers that were prepared. */
void gather_scatter_perform(const struct test *t, const struct group *g, const struct shape *s,
                            struct memory *m);

/* After the call: whether the blocks are where they belong, and every other byte is as before. */
bool gather_scatter_finish(struct test *t, const struct shape *s, struct memory *m);

/* All three. */
bool gather_scatter_moves(struct test *t, const struct group *g, const struct shape *s);

/* The call itself; returns what MPI does. */
int gather_scatter_call(const struct test *t, const struct side *own, const struct side *all,
                        int root, MPI_Comm comm);

/* Arguments that MPI must not look at, in turn invalid ones and those that end who reads them. */
struct side side_of_nobody(int turn);

#endif
