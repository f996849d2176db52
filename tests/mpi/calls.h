/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Any collective with any two buffers, for tests of where buffers lie: the same call goes to the
 * communicator under test and, with buffers of its own, to Open MPI's basic, and both must leave
 * the same data. Elements are ints, structs whose padding an operation of the user's writes too, or
 * elements of a problem of ops.h.
 */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include <stddef.h>

#include "counters.h"
#include "modes.h"
#include "ops.h"

enum {
    CALLS_ROOT_NOT_FIRST = 1,
    CALLS_MORE = 3 /* elements that a block of a v form may have more */
};

/* What the elements are. */
enum calls_kind { CALLS_INTS, CALLS_PAIRS, CALLS_PROBLEM };

/* Twelve bytes of data in sixteen. */
struct calls_pair {
    double number;
    int index;
};

/* One call as a rank makes it. */
struct calls {
    const char *coll;
    /* At first BLOCKING; else *request is what calls_make() sets */
    enum mode mode;
    MPI_Request *request;
    int rank, size, root;
    /* Elements of the vector, or of a block */
    int count;
    bool in_place;
    /* Blocks of the v forms do not lie side by side */
    bool gaps;
    enum calls_kind kind;
    /* Of CALLS_PROBLEM */
    const struct problem *problem;
    size_t extent;
    MPI_Datatype type;
    MPI_Op op;
    /* The same without the padding: basic has no room for the last element's */
    MPI_Op plain_op;
    /* [size] */
    int *send_counts, *send_displs, *recv_counts, *recv_displs;
    /* [size] */
    MPI_Datatype *types;
};

/* Sums of both members, assigned as a whole. */
static inline void calls_add_pairs(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct calls_pair *a = in;
    struct calls_pair *b = inout;

    (void) type;
    for (int i = 0; i < *len; ++i) {
        struct calls_pair sum;

        /* What the padding gets */
        memset(&sum, 0x77, sizeof(sum));
        sum.number = a[i].number + b[i].number;
        sum.index = a[i].index + b[i].index;
        memcpy(&b[i], &sum, sizeof(sum));
    }
}

/* The same for each member. */
static inline void calls_add_members(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct calls_pair *a = in;
    struct calls_pair *b = inout;

    (void) type;
    for (int i = 0; i < *len; ++i) {
        b[i].number += a[i].number;
        b[i].index += a[i].index;
    }
}

static inline int calls_is(const struct calls *c, const char *coll)
{
    return 0 == strcmp(c->coll, coll);
}

static inline bool calls_rooted(const struct calls *c)
{
    return calls_is(c, "bcast") || calls_is(c, "reduce") || calls_is(c, "gather")
           || calls_is(c, "gatherv") || calls_is(c, "scatter") || calls_is(c, "scatterv");
}

static inline bool calls_reduces(const struct calls *c)
{
    return NULL != strstr(c->coll, "reduce") || NULL != strstr(c->coll, "scan");
}

/* Elements of the block from one rank to another; in place both ways alike. */
static inline int calls_block(const struct calls *c, int from, int to)
{
    return c->count + (from + to) % (CALLS_MORE + 1);
}

static inline void calls_lay_out(struct calls *c)
{
    int send = 0, recv = 0;

    for (int r = 0; r < c->size; ++r) {
        const int scale = calls_is(c, "alltoallw") ? (int) c->extent : 1;
        const bool one_way = NULL == strstr(c->coll, "alltoall");

        c->send_counts[r] = one_way ? calls_block(c, r, 0) : calls_block(c, c->rank, r);
        c->recv_counts[r] = one_way ? calls_block(c, r, 0) : calls_block(c, r, c->rank);
        c->send_displs[r] = send * scale;
        c->recv_displs[r] = recv * scale;
        c->types[r] = c->type;
        send += c->send_counts[r] + (c->gaps ? 1 : 0);
        recv += c->recv_counts[r] + (c->gaps ? 1 : 0);
    }
}

/* For elements of a kind; calls_close() ends it. */
static inline void calls_open(struct calls *c, MPI_Comm comm, enum calls_kind kind)
{
    const int lengths[] = {1, 1};
    const MPI_Aint at[] = {offsetof(struct calls_pair, number), offsetof(struct calls_pair, index)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype bare;

    memset(c, 0, sizeof(*c));
    mpi_check(MPI_Comm_rank(comm, &c->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &c->size), "MPI_Comm_size");
    c->kind = kind;
    c->type = MPI_INT;
    c->op = c->plain_op = MPI_SUM;
    c->extent = sizeof(int);
    if (CALLS_PAIRS == kind) {
        mpi_check(MPI_Type_create_struct(2, lengths, at, types, &bare), "MPI_Type_create_struct");
        mpi_check(MPI_Type_create_resized(bare, 0, sizeof(struct calls_pair), &c->type),
                  "MPI_Type_create_resized");
        mpi_check(MPI_Type_commit(&c->type), "MPI_Type_commit");
        mpi_check(MPI_Type_free(&bare), "MPI_Type_free");
        mpi_check(MPI_Op_create(calls_add_pairs, 1, &c->op), "MPI_Op_create");
        mpi_check(MPI_Op_create(calls_add_members, 1, &c->plain_op), "MPI_Op_create");
        c->extent = sizeof(struct calls_pair);
    }
    c->send_counts = tap_alloc(4 * (size_t) c->size * sizeof(int));
    c->send_displs = c->send_counts + c->size;
    c->recv_counts = c->send_displs + c->size;
    c->recv_displs = c->recv_counts + c->size;
    c->types = tap_alloc((size_t) c->size * sizeof(MPI_Datatype));
}

/* For the elements of a problem, which remains the caller's and lives longer. A buffer then has
 * MARGIN bytes before and behind its elements, for parts that lie outside. */
static inline void calls_open_problem(struct calls *c, MPI_Comm comm, const struct problem *problem)
{
    calls_open(c, comm, CALLS_INTS);
    c->kind = CALLS_PROBLEM;
    c->problem = problem;
    c->type = problem->type;
    c->op = c->plain_op = problem->op;
    c->extent = (size_t) problem->layout->extent;
}

static inline void calls_close(struct calls *c)
{
    if (CALLS_PAIRS == c->kind) {
        mpi_check(MPI_Type_free(&c->type), "MPI_Type_free");
        mpi_check(MPI_Op_free(&c->op), "MPI_Op_free");
        mpi_check(MPI_Op_free(&c->plain_op), "MPI_Op_free");
    }
    free(c->send_counts);
    free(c->types);
}

/* Say which call it is. */
static inline void calls_choose(struct calls *c, const char *coll, int count, bool in_place,
                                bool gaps)
{
    c->coll = coll;
    c->count = count;
    c->in_place = in_place && 0 != strcmp(coll, "bcast");
    c->gaps = gaps;
    c->root = CALLS_ROOT_NOT_FIRST % c->size;
    calls_lay_out(c);
}

/* Whether each buffer is one vector, and not a block for each rank. */
static inline bool calls_has_vectors(const char *coll)
{
    return 0 == strcmp(coll, "allreduce") || 0 == strcmp(coll, "reduce")
           || 0 == strcmp(coll, "bcast") || NULL != strstr(coll, "scan");
}

/* Elements for which each of the two buffers has room. */
static inline size_t calls_room(const struct calls *c)
{
    const size_t blocks = calls_has_vectors(c->coll) ? 1 : (size_t) c->size;

    return blocks * (size_t) (c->count + CALLS_MORE + 1) + 1;
}

/* The data that a buffer begins with: of a rank, salted; all but padding is data. */
static inline void calls_fill(const struct calls *c, int salt, void *buffer)
{
    const size_t room = calls_room(c);

    memset(buffer, 0x11, room * c->extent);
    for (size_t i = 0; i < room; ++i) {
        if (CALLS_PROBLEM == c->kind) {
            c->problem->own(c->problem->layout, c->rank, salt, (int) i,
                            (char *) buffer + i * c->extent);
            continue;
        }
        const int value = 1000 * salt + 100 * c->rank + (int) (i % 97);

        if (CALLS_INTS == c->kind) {
            ((int *) buffer)[i] = value;
        } else {
            ((struct calls_pair *) buffer)[i].number = value + 0.5;
            ((struct calls_pair *) buffer)[i].index = -value;
        }
    }
}

/* Whether two buffers hold the same data; notes the first element that differs. */
static inline bool calls_equal(struct tap *tap, const struct calls *c, const void *got,
                               const void *wanted, const char *what)
{
    for (size_t i = 0; i < calls_room(c); ++i) {
        const char *a = (const char *) got + i * c->extent;
        const char *b = (const char *) wanted + i * c->extent;
        /* what is behind the data of a pair is nobody's */
        const size_t data = CALLS_INTS == c->kind
                                ? c->extent
                                : offsetof(struct calls_pair, index) + sizeof(int);

        if (0 != memcmp(a, b, data)) {
            tap_note(tap, "%s: element %zu of %s is not as basic leaves it", c->coll, i, what);
            return false;
        }
    }
    return true;
}

/* Whether this rank's call in place gives MPI_IN_PLACE. */
static inline bool calls_gives_in_place(const struct calls *c)
{
    return c->in_place && (!calls_rooted(c) || c->rank == c->root);
}

/* Those with a root, except for a reduction. Returns what MPI does. */
static inline int calls_make_rooted(const struct calls *c, MPI_Comm comm, const void *send,
                                    void *sends, void *recv)
{
    const int n = c->count, mine = c->send_counts[c->rank];
    void *const place = calls_gives_in_place(c) ? MPI_IN_PLACE : recv;

    if (calls_is(c, "bcast")) {
        return MAKE(c->mode, c->request, Bcast, bcast, recv, n, c->type, c->root, comm);
    }
    if (calls_is(c, "gather")) {
        return MAKE(c->mode, c->request, Gather, gather, send, n, c->type, recv, n, c->type,
                    c->root, comm);
    }
    if (calls_is(c, "gatherv")) {
        return MAKE(c->mode, c->request, Gatherv, gatherv, send, mine, c->type, recv,
                    c->recv_counts, c->recv_displs, c->type, c->root, comm);
    }
    if (calls_is(c, "scatter")) {
        return MAKE(c->mode, c->request, Scatter, scatter, sends, n, c->type, place, n, c->type,
                    c->root, comm);
    }
    if (calls_is(c, "scatterv")) {
        return MAKE(c->mode, c->request, Scatterv, scatterv, sends, c->send_counts, c->send_displs,
                    c->type, place, mine, c->type, c->root, comm);
    }
    fprintf(stderr, "# no collective %s\n", c->coll);
    MPI_Abort(comm, 2);
    return MPI_ERR_OTHER;
}

/* The call on two buffers; returns what MPI does. Where a rank is in place, what it sends is in the
 * receive buffer, of a scatter in the send buffer. */
static inline int calls_make(const struct calls *c, MPI_Comm comm, void *sends, void *recvs)
{
    const bool in_place = calls_gives_in_place(c);
    const void *send = in_place ? MPI_IN_PLACE : sends;
    void *recv = recvs;
    const int n = c->count, mine = c->send_counts[c->rank];

    if (calls_is(c, "barrier")) {
        return MAKE(c->mode, c->request, Barrier, barrier, comm);
    }
    if (calls_is(c, "allreduce")) {
        return MAKE(c->mode, c->request, Allreduce, allreduce, send, recv, n, c->type, c->op, comm);
    }
    if (calls_is(c, "reduce")) {
        return MAKE(c->mode, c->request, Reduce, reduce, send, recv, n, c->type, c->op, c->root,
                    comm);
    }
    if (calls_is(c, "scan")) {
        return MAKE(c->mode, c->request, Scan, scan, send, recv, n, c->type, c->op, comm);
    }
    if (calls_is(c, "exscan")) {
        return MAKE(c->mode, c->request, Exscan, exscan, send, recv, n, c->type, c->op, comm);
    }
    if (calls_is(c, "reduce_scatter_block")) {
        return MAKE(c->mode, c->request, Reduce_scatter_block, reduce_scatter_block, send, recv, n,
                    c->type, c->op, comm);
    }
    if (calls_is(c, "reduce_scatter")) {
        return MAKE(c->mode, c->request, Reduce_scatter, reduce_scatter, send, recv, c->recv_counts,
                    c->type, c->op, comm);
    }
    if (calls_is(c, "allgather")) {
        return MAKE(c->mode, c->request, Allgather, allgather, send, n, c->type, recv, n, c->type,
                    comm);
    }
    if (calls_is(c, "allgatherv")) {
        return MAKE(c->mode, c->request, Allgatherv, allgatherv, send, mine, c->type, recv,
                    c->recv_counts, c->recv_displs, c->type, comm);
    }
    if (calls_is(c, "alltoall")) {
        return MAKE(c->mode, c->request, Alltoall, alltoall, send, n, c->type, recv, n, c->type,
                    comm);
    }
    if (calls_is(c, "alltoallv")) {
        return MAKE(c->mode, c->request, Alltoallv, alltoallv, send, c->send_counts, c->send_displs,
                    c->type, recv, c->recv_counts, c->recv_displs, c->type, comm);
    }
    if (calls_is(c, "alltoallw")) {
        return MAKE(c->mode, c->request, Alltoallw, alltoallw, send, c->send_counts, c->send_displs,
                    c->types, recv, c->recv_counts, c->recv_displs, c->types, comm);
    }
    return calls_make_rooted(c, comm, send, sends, recv);
}

/* The call that says what is right, by basic. */
static inline void calls_make_reference(const struct calls *c, MPI_Comm basic, void *sends,
                                        void *recvs)
{
    struct calls plain = *c;

    plain.op = c->plain_op;
    plain.mode = BLOCKING;
    mpi_check(calls_make(&plain, basic, sends, recvs), c->coll);
}

/* The collectives that have buffers. */
static inline const char *calls_name(int i)
{
    static const char *const name[] = {
        "allreduce",      "reduce",    "scan",      "exscan",     "reduce_scatter_block",
        "reduce_scatter", "bcast",     "allgather", "allgatherv", "alltoall",
        "alltoallv",      "alltoallw", "gather",    "gatherv",    "scatter",
        "scatterv",
    };

    return i < (int) (sizeof(name) / sizeof(name[0])) ? name[i] : NULL;
}

/* A duplicate on which napcoll runs an algorithm of a collective. Info keys have 35 characters. */
static inline MPI_Comm calls_dup(MPI_Comm comm, const char *coll, const char *algorithm)
{
    char key[TAP_TEXT];

    snprintf(key, sizeof(key), "napcoll_%s_algorithm", coll);
    if (strlen(key) >= MPI_MAX_INFO_KEY) {
        snprintf(key, sizeof(key), "napcoll_%s", coll);
    }
    return tap_dup(comm, "napcoll", key, algorithm);
}

#endif
