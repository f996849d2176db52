/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The self-consistent performance guidelines, and the mock-up of each: blocking calls of other
 * collectives with the result of the one that the guideline is about. A mock-up works on the
 * engine's buffers and may use the scratch memory; its copies are part of its time.
 *
 * With n doubles of a process, or in its block, P processes and b = ceil(n / P):
 *
 *     allreduce    scratch  [ send, padded: P b ][ my sum: b ][ all sums: P b ]
 *     allgather    scratch  [ zeros, my block in its place: P n ]   as the sum of an allreduce
 *     larger size  scratch  [ what is sent, blocks of 2 n ][ what is received, blocks of 2 n ]
 *
 * Source: J. L. Traff, W. D. Gropp, R. Thakur: "Self-Consistent MPI Performance Guidelines", 2010;
 * S. Hunold, A. Carpen-Amarie: "Tuning MPI Collectives by Verifying Performance Guidelines", 2018,
 * whose list this is. That a larger size is not faster is their monotony.
 */

#include "bench.h"

#define SUM(in, out, n, comm) MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm)
#define THEN(rc, call)        (MPI_SUCCESS == (rc) ? (call) : (rc))

static const double *const nothing = NULL;

static bool is_root(const napcoll_measure_t *m)
{
    return 0 == m->rank;
}

static void copy(double *to, const double *from, int count)
{
    memcpy(to, from, (size_t) count * sizeof(*to));
}

/* The part of a vector that each process has, rounded up. */
static int part_of(const napcoll_measure_t *m)
{
    return (m->blocks.count + m->size - 1) / m->size;
}

/* Copy a vector to the scratch memory, with zeros until all parts are equal. Returns the place
 * behind it. */
static double *pad(const napcoll_measure_t *m, const double *vector)
{
    const int n = m->blocks.count, all = part_of(m) * m->size;

    copy(m->scratch, vector, n);
    memset(m->scratch + n, 0, (size_t) (all - n) * sizeof(double));
    return m->scratch + all;
}

/* Divide a vector into parts that differ by one double. All-to-alls alone use these fields, and
 * they have no such mock-up. */
static void divide(const napcoll_measure_t *m)
{
    const int n = m->blocks.count;

    m->blocks.sent_displs[0] = 0;
    for (int r = 0; r < m->size; r++) {
        m->blocks.sent_counts[r] = n / m->size + (r < n % m->size);
        m->blocks.sent_displs[r + 1] = m->blocks.sent_displs[r] + m->blocks.sent_counts[r];
    }
}

/* Zeros, with the own block in its place. */
static void place_block(const napcoll_measure_t *m)
{
    const int n = m->blocks.count;

    memset(m->scratch, 0, (size_t) m->size * (size_t) n * sizeof(double));
    copy(m->scratch + (size_t) m->rank * (size_t) n, m->send, n);
}

/* ---- allgather ---- */

static int gather_bcast(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;
    const int rc = MPI_Gather(m->send, n, MPI_DOUBLE, m->recv, n, MPI_DOUBLE, 0, comm);

    return THEN(rc, MPI_Bcast(m->recv, n * m->size, MPI_DOUBLE, 0, comm));
}

static int copies_alltoall(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;

    for (int r = 0; r < m->size; r++) {
        copy(m->scratch + (size_t) r * (size_t) n, m->send, n);
    }
    return MPI_Alltoall(m->scratch, n, MPI_DOUBLE, m->recv, n, MPI_DOUBLE, comm);
}

static int zeros_allreduce(const napcoll_measure_t *m, MPI_Comm comm)
{
    place_block(m);
    return SUM(m->scratch, m->recv, m->size * m->blocks.count, comm);
}

static int even_allgatherv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const napcoll_blocks_t *b = &m->blocks;

    return MPI_Allgatherv(m->send, b->count, MPI_DOUBLE, m->recv, b->counts, b->displs, MPI_DOUBLE,
                          comm);
}

/* ---- allreduce ---- */

static int reduce_bcast(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;
    const int rc = MPI_Reduce(m->send, m->recv, n, MPI_DOUBLE, MPI_SUM, 0, comm);

    return THEN(rc, MPI_Bcast(m->recv, n, MPI_DOUBLE, 0, comm));
}

static int reduce_scatter_block_allgather(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int part = part_of(m);
    double *sum = pad(m, m->send), *all = sum + part;
    int rc = MPI_Reduce_scatter_block(m->scratch, sum, part, MPI_DOUBLE, MPI_SUM, comm);

    rc = THEN(rc, MPI_Allgather(sum, part, MPI_DOUBLE, all, part, MPI_DOUBLE, comm));
    copy(m->recv, all, m->blocks.count);
    return rc;
}

static int reduce_scatter_allgatherv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int *counts = m->blocks.sent_counts, *displs = m->blocks.sent_displs;
    int rc;

    divide(m);
    rc = MPI_Reduce_scatter(m->send, m->scratch, counts, MPI_DOUBLE, MPI_SUM, comm);
    return THEN(rc, MPI_Allgatherv(m->scratch, counts[m->rank], MPI_DOUBLE, m->recv, counts, displs,
                                   MPI_DOUBLE, comm));
}

/* ---- alltoall ---- */

static int even_alltoallv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const napcoll_blocks_t *b = &m->blocks;

    return MPI_Alltoallv(m->send, b->sent_counts, b->sent_displs, MPI_DOUBLE, m->recv, b->counts,
                         b->displs, MPI_DOUBLE, comm);
}

/* ---- bcast ---- */

/* The root's block has everything, the others nothing. */
static int one_allgatherv(const napcoll_measure_t *m, MPI_Comm comm)
{
    int *counts = m->blocks.sent_counts, *displs = m->blocks.sent_displs;

    for (int r = 0; r < m->size; r++) {
        counts[r] = 0 == r ? m->blocks.count : 0;
        displs[r] = 0 == r ? 0 : m->blocks.count;
    }
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, m->recv, counts, displs, MPI_DOUBLE, comm);
}

static int scatter_allgather(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int part = part_of(m);
    double *mine = m->scratch + (size_t) part * (size_t) m->size, *all = mine + part;
    int rc;

    if (is_root(m)) {
        (void) pad(m, m->recv);
    }
    rc = MPI_Scatter(m->scratch, part, MPI_DOUBLE, mine, part, MPI_DOUBLE, 0, comm);
    rc = THEN(rc, MPI_Allgather(mine, part, MPI_DOUBLE, all, part, MPI_DOUBLE, comm));
    copy(m->recv, all, m->blocks.count);
    return rc;
}

/* ---- gather ---- */

static double *at_root(const napcoll_measure_t *m, double *other)
{
    return is_root(m) ? m->recv : other;
}

static int gather_by_allgather(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;

    return MPI_Allgather(m->send, n, MPI_DOUBLE, at_root(m, m->scratch), n, MPI_DOUBLE, comm);
}

static int even_gatherv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const napcoll_blocks_t *b = &m->blocks;

    return MPI_Gatherv(m->send, b->count, MPI_DOUBLE, at_root(m, NULL), b->counts, b->displs,
                       MPI_DOUBLE, 0, comm);
}

static int zeros_reduce(const napcoll_measure_t *m, MPI_Comm comm)
{
    place_block(m);
    return MPI_Reduce(m->scratch, at_root(m, NULL), m->size * m->blocks.count, MPI_DOUBLE, MPI_SUM,
                      0, comm);
}

/* ---- reduce_scatter_block ---- */

static int reduce_scatter(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;
    const int rc = MPI_Reduce(m->send, m->scratch, n * m->size, MPI_DOUBLE, MPI_SUM, 0, comm);

    return THEN(rc, MPI_Scatter(m->scratch, n, MPI_DOUBLE, m->recv, n, MPI_DOUBLE, 0, comm));
}

static int even_reduce_scatter(const napcoll_measure_t *m, MPI_Comm comm)
{
    return MPI_Reduce_scatter(m->send, m->recv, m->blocks.counts, MPI_DOUBLE, MPI_SUM, comm);
}

static int block_of_allreduce(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count, rc = SUM(m->send, m->scratch, n * m->size, comm);

    copy(m->recv, m->scratch + (size_t) m->rank * (size_t) n, n);
    return rc;
}

/* ---- reduce ---- */

static int reduce_by_allreduce(const napcoll_measure_t *m, MPI_Comm comm)
{
    return SUM(m->send, at_root(m, m->scratch), m->blocks.count, comm);
}

static int reduce_scatter_block_gather(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int part = part_of(m);
    double *sum = pad(m, m->send), *all = sum + part;
    int rc = MPI_Reduce_scatter_block(m->scratch, sum, part, MPI_DOUBLE, MPI_SUM, comm);

    rc = THEN(rc, MPI_Gather(sum, part, MPI_DOUBLE, all, part, MPI_DOUBLE, 0, comm));
    if (is_root(m)) {
        copy(m->recv, all, m->blocks.count);
    }
    return rc;
}

static int reduce_scatter_gatherv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int *counts = m->blocks.sent_counts, *displs = m->blocks.sent_displs;
    int rc;

    divide(m);
    rc = MPI_Reduce_scatter(m->send, m->scratch, counts, MPI_DOUBLE, MPI_SUM, comm);
    return THEN(rc, MPI_Gatherv(m->scratch, counts[m->rank], MPI_DOUBLE, at_root(m, NULL), counts,
                                displs, MPI_DOUBLE, 0, comm));
}

/* ---- scan, scatter ---- */

static int exscan_reduce_local(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;
    const int rc = MPI_Exscan(m->send, m->recv, n, MPI_DOUBLE, MPI_SUM, comm);

    if (is_root(m)) {
        copy(m->recv, m->send, n);
        return rc;
    }
    return THEN(rc, MPI_Reduce_local(m->send, m->recv, n, MPI_DOUBLE, MPI_SUM));
}

static int block_of_bcast(const napcoll_measure_t *m, MPI_Comm comm)
{
    const int n = m->blocks.count;
    double *all = is_root(m) ? m->send : m->scratch;
    const int rc = MPI_Bcast(all, n * m->size, MPI_DOUBLE, 0, comm);

    copy(m->recv, all + (size_t) m->rank * (size_t) n, n);
    return rc;
}

static int even_scatterv(const napcoll_measure_t *m, MPI_Comm comm)
{
    const napcoll_blocks_t *b = &m->blocks;

    return MPI_Scatterv(is_root(m) ? m->send : nothing, b->counts, b->displs, MPI_DOUBLE, m->recv,
                        b->count, MPI_DOUBLE, 0, comm);
}

/* ---- twice the size ---- */

/* Copy blocks of n doubles, `from` and `to` being so far apart. */
static void copy_blocks(const napcoll_measure_t *m, double *to, size_t to_step, const double *from,
                        size_t from_step)
{
    for (int r = 0; r < m->size; r++) {
        copy(to + (size_t) r * to_step, from + (size_t) r * from_step, m->blocks.count);
    }
}

/* How many doubles a side has, with blocks of twice the size. */
static size_t twice(const napcoll_measure_t *m, napcoll_buffer_t side)
{
    const size_t block = 2 * (size_t) m->blocks.count;

    switch (side) {
    case NAPCOLL_BUFFER_NOTHING:
        return 0;
    case NAPCOLL_BUFFER_OWN:
        return block;
    default:
        return block * (size_t) m->size;
    }
}

/* Call `one` on buffers with room for twice the data, of which the first half of each block is what
 * the collective is about. */
static int larger(const napcoll_measure_t *m, const char *coll, MPI_Comm comm)
{
    const napcoll_measured_coll_t *one = napcoll_measured_find(coll);
    const size_t n = (size_t) m->blocks.count;
    napcoll_blocks_t blocks = m->blocks;
    double *send = m->scratch, *recv = send + twice(m, one->send);
    int rc;

    blocks.count *= 2;
    if (NAPCOLL_BUFFER_OWN == one->send) {
        copy(send, m->send, m->blocks.count);
    } else if (NAPCOLL_BUFFER_NOTHING == one->send && is_root(m)) {
        copy(recv, m->recv, m->blocks.count);
    } else if (NAPCOLL_BUFFER_NOTHING != one->send
               && (NAPCOLL_BUFFER_ROOT != one->send || is_root(m))) {
        copy_blocks(m, send, 2 * n, m->send, n);
    }
    rc = one->call(NAPCOLL_KIND_BLOCKING, &blocks, send, recv, comm, NULL);
    if (NAPCOLL_BUFFER_OWN != one->recv) {
        if (NAPCOLL_BUFFER_ROOT != one->recv || is_root(m)) {
            copy_blocks(m, m->recv, n, recv, 2 * n);
        }
    } else if (NAPCOLL_EXPECT_SUM_AT_ROOT != one->expect || is_root(m)) {
        copy(m->recv, recv, m->blocks.count);
    }
    return rc;
}

#define DEFINE_LARGER(coll)                                             \
    static int larger_##coll(const napcoll_measure_t *m, MPI_Comm comm) \
    {                                                                   \
        return larger(m, #coll, comm);                                  \
    }

DEFINE_LARGER(allgather)
DEFINE_LARGER(allreduce)
DEFINE_LARGER(alltoall)
DEFINE_LARGER(bcast)
DEFINE_LARGER(gather)
DEFINE_LARGER(reduce_scatter_block)
DEFINE_LARGER(reduce)
DEFINE_LARGER(scan)
DEFINE_LARGER(exscan)
DEFINE_LARGER(scatter)

/* ---- the table ---- */

#define LARGER(coll)                                             \
    {                                                            \
#        coll, #        coll " of twice the size", larger_##coll \
    }

static const struct guideline table[] = {
    {"allgather", "gather + bcast", gather_bcast},
    {"allgather", "alltoall", copies_alltoall},
    {"allgather", "allreduce", zeros_allreduce},
    {"allgather", "allgatherv", even_allgatherv},
    LARGER(allgather),
    {"allreduce", "reduce + bcast", reduce_bcast},
    {"allreduce", "reduce_scatter_block + allgather", reduce_scatter_block_allgather},
    {"allreduce", "reduce_scatter + allgatherv", reduce_scatter_allgatherv},
    LARGER(allreduce),
    {"alltoall", "alltoallv", even_alltoallv},
    LARGER(alltoall),
    {"bcast", "allgatherv", one_allgatherv},
    {"bcast", "scatter + allgather", scatter_allgather},
    LARGER(bcast),
    {"gather", "allgather", gather_by_allgather},
    {"gather", "gatherv", even_gatherv},
    {"gather", "reduce", zeros_reduce},
    LARGER(gather),
    {"reduce_scatter_block", "reduce + scatter", reduce_scatter},
    {"reduce_scatter_block", "reduce_scatter", even_reduce_scatter},
    {"reduce_scatter_block", "allreduce", block_of_allreduce},
    LARGER(reduce_scatter_block),
    {"reduce", "allreduce", reduce_by_allreduce},
    {"reduce", "reduce_scatter_block + gather", reduce_scatter_block_gather},
    {"reduce", "reduce_scatter + gatherv", reduce_scatter_gatherv},
    LARGER(reduce),
    {"scan", "exscan + reduce_local", exscan_reduce_local},
    LARGER(scan),
    LARGER(exscan),
    {"scatter", "bcast", block_of_bcast},
    {"scatter", "scatterv", even_scatterv},
    LARGER(scatter),
    {.coll = NULL},
};

int guidelines_of(const char *coll, struct guideline guideline[GUIDELINES_MAX])
{
    int num = 0;

    for (const struct guideline *g = table; NULL != g->coll && num < GUIDELINES_MAX; g++) {
        if (0 == strcmp(g->coll, coll)) {
            guideline[num++] = *g;
        }
    }
    return num;
}

size_t guidelines_scratch(const napcoll_measured_coll_t *coll, size_t bytes, int size)
{
    const size_t count = bytes / sizeof(double), processes = (size_t) size;

    /* blocks of twice the size, sent and received; else two vectors and a part, all padded */
    return napcoll_measured_has_blocks(coll) ? 4 * processes * count : 4 * (count + processes);
}
