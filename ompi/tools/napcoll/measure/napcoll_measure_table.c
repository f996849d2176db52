/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The collectives that can be measured. Every rank knows the input of every other rank, so the
 * expected output is a formula, and each contestant is checked on its own.
 */

#include <math.h>
#include <string.h>

#include "measure/napcoll_measure.h"
#include "compat/napcoll_compat_persistent.h"

enum { INPUT_PERIOD = 251 };

static double pattern(size_t element, int turn)
{
    return 1.0 + (double) ((element * 7 + (size_t) turn * 13) % INPUT_PERIOD);
}

/* Squares of ranks: two ranks that are swapped do not cancel out. */
double napcoll_measured_input(size_t element, int turn, int rank)
{
    double r = (double) rank + 1.0;

    return r * r * pattern(element, turn);
}

/* The sum of the inputs of the first `ranks` ranks: exact for all numbers of ranks that MPI has. */
static double sum_of(int ranks, size_t element, int turn)
{
    double p = (double) ranks;

    return p * (p + 1.0) * (2.0 * p + 1.0) / 6.0 * pattern(element, turn);
}

/* ---- the calls ---- */

/* The buffer that MPI reads or writes on the root only: other ranks have none. */
static void *at_root(const napcoll_blocks_t *b, const double *buffer)
{
    return 0 == b->rank ? (void *) buffer : NULL;
}

/* Define call_##name: the function of each kind has the same arguments, and some more behind. */
#define DEFINE_CALL(name, Name, ...)                                                           \
    static int call_##name(napcoll_kind_t kind, const napcoll_blocks_t *b, const double *send, \
                           double *recv, MPI_Comm comm, MPI_Request *request)                  \
    {                                                                                          \
        (void) b;                                                                              \
        (void) send;                                                                           \
        (void) recv;                                                                           \
        switch (kind) {                                                                        \
        case NAPCOLL_KIND_BLOCKING:                                                            \
            return MPI_##Name(__VA_ARGS__);                                                    \
        case NAPCOLL_KIND_NONBLOCKING:                                                         \
            return MPI_I##name(__VA_ARGS__, request);                                          \
        default:                                                                               \
            return NAPCOLL_PERSISTENT_INIT(Name, __VA_ARGS__, MPI_INFO_NULL, request);         \
        }                                                                                      \
    }

DEFINE_CALL(allreduce, Allreduce, send, recv, b->count, MPI_DOUBLE, MPI_SUM, comm)
DEFINE_CALL(reduce, Reduce, send, recv, b->count, MPI_DOUBLE, MPI_SUM, 0, comm)
DEFINE_CALL(bcast, Bcast, recv, b->count, MPI_DOUBLE, 0, comm)
DEFINE_CALL(barrier, Barrier, comm)
DEFINE_CALL(allgather, Allgather, send, b->count, MPI_DOUBLE, recv, b->count, MPI_DOUBLE, comm)
DEFINE_CALL(allgatherv, Allgatherv, send, b->own, MPI_DOUBLE, recv, b->counts, b->displs,
            MPI_DOUBLE, comm)
DEFINE_CALL(gather, Gather, send, b->count, MPI_DOUBLE, at_root(b, recv), b->count, MPI_DOUBLE, 0,
            comm)
DEFINE_CALL(gatherv, Gatherv, send, b->own, MPI_DOUBLE, at_root(b, recv), b->counts, b->displs,
            MPI_DOUBLE, 0, comm)
DEFINE_CALL(scatter, Scatter, at_root(b, send), b->count, MPI_DOUBLE, recv, b->count, MPI_DOUBLE, 0,
            comm)
DEFINE_CALL(scatterv, Scatterv, at_root(b, send), b->counts, b->displs, MPI_DOUBLE, recv, b->own,
            MPI_DOUBLE, 0, comm)
DEFINE_CALL(reduce_scatter, Reduce_scatter, send, recv, b->counts, MPI_DOUBLE, MPI_SUM, comm)
DEFINE_CALL(reduce_scatter_block, Reduce_scatter_block, send, recv, b->count, MPI_DOUBLE, MPI_SUM,
            comm)
DEFINE_CALL(scan, Scan, send, recv, b->count, MPI_DOUBLE, MPI_SUM, comm)
DEFINE_CALL(exscan, Exscan, send, recv, b->count, MPI_DOUBLE, MPI_SUM, comm)
DEFINE_CALL(alltoall, Alltoall, send, b->count, MPI_DOUBLE, recv, b->count, MPI_DOUBLE, comm)
DEFINE_CALL(alltoallv, Alltoallv, send, b->sent_counts, b->sent_displs, MPI_DOUBLE, recv, b->counts,
            b->displs, MPI_DOUBLE, comm)
DEFINE_CALL(alltoallw, Alltoallw, send, b->sent_counts, b->sent_offsets, b->types, recv, b->counts,
            b->offsets, b->types, comm)
DEFINE_CALL(neighbor_allgather, Neighbor_allgather, send, b->count, MPI_DOUBLE, recv, b->count,
            MPI_DOUBLE, comm)
DEFINE_CALL(neighbor_allgatherv, Neighbor_allgatherv, send, b->own, MPI_DOUBLE, recv, b->counts,
            b->displs, MPI_DOUBLE, comm)
DEFINE_CALL(neighbor_alltoall, Neighbor_alltoall, send, b->count, MPI_DOUBLE, recv, b->count,
            MPI_DOUBLE, comm)
DEFINE_CALL(neighbor_alltoallv, Neighbor_alltoallv, send, b->sent_counts, b->sent_displs,
            MPI_DOUBLE, recv, b->counts, b->displs, MPI_DOUBLE, comm)
DEFINE_CALL(neighbor_alltoallw, Neighbor_alltoallw, send, b->sent_counts, b->sent_places, b->types,
            recv, b->counts, b->places, b->types, comm)

/* ---- kinds ---- */

const char *napcoll_kind_name(int kind)
{
    static const char *const names[NAPCOLL_KINDS + 1] = {
        [NAPCOLL_KIND_BLOCKING] = "blocking",
        [NAPCOLL_KIND_NONBLOCKING] = "nonblocking",
#if NAPCOLL_HAVE_PERSISTENT
        [NAPCOLL_KIND_PERSISTENT] = "persistent",
#endif
    };

    return names[kind];
}

/* ---- what rank gets what ---- */

double napcoll_measured_before(const napcoll_measured_coll_t *coll, size_t element, int turn,
                               int rank)
{
    return NAPCOLL_EXPECT_ROOT == coll->expect && 0 == rank && NAPCOLL_BUFFER_NOTHING == coll->send
               ? napcoll_measured_input(element, turn, 0)
               : NAPCOLL_UNTOUCHED;
}

double napcoll_measured_after(const napcoll_measured_coll_t *coll, const napcoll_blocks_t *b,
                              int block, size_t element, int turn)
{
    switch (coll->expect) {
    case NAPCOLL_EXPECT_SUM:
        return sum_of(b->size, element, turn);
    case NAPCOLL_EXPECT_SUM_AT_ROOT:
        return 0 == b->rank ? sum_of(b->size, element, turn) : NAPCOLL_UNTOUCHED;
    case NAPCOLL_EXPECT_SUM_OF_BLOCK:
        return sum_of(b->size, (size_t) b->displs[block] + element, turn);
    case NAPCOLL_EXPECT_SCAN:
        return sum_of(b->rank + 1, element, turn);
    case NAPCOLL_EXPECT_EXSCAN: /* MPI leaves undefined what rank 0 gets */
        return 0 == b->rank ? NAN : sum_of(b->rank, element, turn);
    case NAPCOLL_EXPECT_ROOT:
        return napcoll_measured_input(element, turn, 0);
    case NAPCOLL_EXPECT_BLOCK_OF_ROOT:
        return napcoll_measured_input((size_t) b->displs[block] + element, turn, 0);
    case NAPCOLL_EXPECT_GATHERED:
        return napcoll_measured_input(element, turn, b->source[block]);
    default:
        return napcoll_measured_input((size_t) b->origin[block] + element, turn, b->source[block]);
    }
}

/* ---- the table ---- */

#define VECTOR "the vector of a process"
#define BLOCK  "the block of a process"

#define FROM_TO(from, to)   .send = NAPCOLL_BUFFER_##from, .recv = NAPCOLL_BUFFER_##to
#define CALLS(coll, result) .call = call_##coll, .expect = NAPCOLL_EXPECT_##result

static const napcoll_measured_coll_t table[] = {
    {"allreduce", "sum of doubles", VECTOR, FROM_TO(OWN, OWN), CALLS(allreduce, SUM)},
    {"reduce", "sum of doubles to rank 0", VECTOR, FROM_TO(OWN, OWN), .overlaps = true,
     CALLS(reduce, SUM_AT_ROOT)},
    {"bcast", "doubles from rank 0", VECTOR, FROM_TO(NOTHING, OWN), .overlaps = true,
     CALLS(bcast, ROOT)},
    {"barrier", "no data", "", FROM_TO(NOTHING, NOTHING), .call = call_barrier},
    {"allgather", "doubles", BLOCK, FROM_TO(OWN, ALL), CALLS(allgather, GATHERED)},
    {"allgatherv", "doubles, uneven blocks", BLOCK ", on average", FROM_TO(OWN, ALL),
     .uneven = true, CALLS(allgatherv, GATHERED)},
    {"gather", "doubles to rank 0", BLOCK, FROM_TO(OWN, ROOT), .overlaps = true,
     CALLS(gather, GATHERED)},
    {"gatherv", "doubles to rank 0, blocks that differ", BLOCK ", on average", FROM_TO(OWN, ROOT),
     .uneven = true, .deals = true, .overlaps = true, CALLS(gatherv, GATHERED)},
    {"scatter", "doubles from rank 0", BLOCK, FROM_TO(ROOT, OWN), .overlaps = true,
     CALLS(scatter, BLOCK_OF_ROOT)},
    {"scatterv", "doubles from rank 0, blocks that differ", BLOCK ", on average",
     FROM_TO(ROOT, OWN), .uneven = true, .deals = true, .overlaps = true,
     CALLS(scatterv, BLOCK_OF_ROOT)},
    {"reduce_scatter", "sum of doubles, uneven blocks",
     "the block that a process receives, on average", FROM_TO(ALL, OWN), .uneven = true,
     CALLS(reduce_scatter, SUM_OF_BLOCK)},
    {"reduce_scatter_block", "sum of doubles", "the block that a process receives",
     FROM_TO(ALL, OWN), CALLS(reduce_scatter_block, SUM_OF_BLOCK)},
    {"scan", "sum of doubles", VECTOR, FROM_TO(OWN, OWN), .overlaps = true, CALLS(scan, SCAN)},
    {"exscan", "sum of doubles", VECTOR, FROM_TO(OWN, OWN), .overlaps = true,
     CALLS(exscan, EXSCAN)},
    {"alltoall", "doubles", BLOCK " for another", FROM_TO(SENT, ALL), .personalized = true,
     CALLS(alltoall, ALLTOALL)},
    {"alltoallv", "doubles, blocks that differ", BLOCK " for another, on average",
     FROM_TO(SENT, ALL), .uneven = true, .personalized = true, CALLS(alltoallv, ALLTOALL)},
    {"alltoallw", "doubles, blocks that differ", BLOCK " for another, on average",
     FROM_TO(SENT, ALL), .uneven = true, .personalized = true, CALLS(alltoallw, ALLTOALL)},
    {"neighbor_allgather", "doubles of neighbours", BLOCK, FROM_TO(OWN, ALL), .neighbor = true,
     CALLS(neighbor_allgather, GATHERED)},
    {"neighbor_allgatherv", "doubles of neighbours, uneven blocks", BLOCK ", on average",
     FROM_TO(OWN, ALL), .uneven = true, .neighbor = true, CALLS(neighbor_allgatherv, GATHERED)},
    {"neighbor_alltoall", "doubles", BLOCK " for a neighbour", FROM_TO(SENT, ALL),
     .personalized = true, .neighbor = true, CALLS(neighbor_alltoall, ALLTOALL)},
    {"neighbor_alltoallv", "doubles, blocks that differ", BLOCK " for a neighbour, on average",
     FROM_TO(SENT, ALL), .uneven = true, .personalized = true, .neighbor = true,
     CALLS(neighbor_alltoallv, ALLTOALL)},
    {"neighbor_alltoallw", "doubles, blocks that differ", BLOCK " for a neighbour, on average",
     FROM_TO(SENT, ALL), .uneven = true, .personalized = true, .neighbor = true,
     CALLS(neighbor_alltoallw, ALLTOALL)},
    {.name = NULL},
};

const char *napcoll_measured_name(int i)
{
    return table[i].name;
}

const napcoll_measured_coll_t *napcoll_measured_find(const char *name)
{
    const napcoll_measured_coll_t *coll = table;

    while (NULL != coll->name && 0 != strcmp(coll->name, name)) {
        coll++;
    }
    return NULL == coll->name ? NULL : coll;
}
