/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The collectives that collbench can measure: one row each. The input of every rank is known to
 * every other, so the expected output is a formula and each contestant is checked on its own.
 */
#include <math.h>

#include "bench.h"

enum { INPUT_PERIOD = 251 };

/* The largest buffer for the blocks of all processes. 64 processes on one machine then take 4 GiB,
 * and as much again for each copy that an algorithm works on. */
static const size_t BLOCKS_MAX = (size_t) 64 << 20;

static const double UNTOUCHED = -1.0; /* below every input and every sum of inputs */

static double pattern(size_t element, int turn)
{
    return 1.0 + (double) ((element * 7 + (size_t) turn * 13) % INPUT_PERIOD);
}

double collective_input(size_t element, int turn, int rank)
{
    double r = (double) rank + 1.0;

    return r * r * pattern(element, turn); /* squares: a swapped pair of ranks does not cancel */
}

/* The sum of the first ranks' inputs; exact for all that MPI can number. */
static double sum_of(int ranks, size_t element, int turn)
{
    double p = (double) ranks;

    return p * (p + 1.0) * (2.0 * p + 1.0) / 6.0 * pattern(element, turn);
}

static double untouched(size_t element, int turn, int rank)
{
    (void) element;
    (void) turn;
    (void) rank;
    return UNTOUCHED;
}

static int allreduce_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Allreduce(send, recv, s->count, MPI_DOUBLE, MPI_SUM, comm);
}

static bool sum_after(const struct shape *s, int block, size_t element, int turn, double *expected)
{
    (void) block;
    *expected = sum_of(s->size, element, turn);
    return true;
}

static int reduce_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Reduce(send, recv, s->count, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static bool reduce_after(const struct shape *s, int block, size_t element, int turn,
                         double *expected)
{
    (void) block;
    *expected = 0 == s->rank ? sum_of(s->size, element, turn) : UNTOUCHED;
    return true;
}

static int bcast_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    (void) send;
    return MPI_Bcast(recv, s->count, MPI_DOUBLE, 0, comm);
}

static double bcast_before(size_t element, int turn, int rank)
{
    return 0 == rank ? collective_input(element, turn, 0) : UNTOUCHED;
}

static bool bcast_after(const struct shape *s, int block, size_t element, int turn,
                        double *expected)
{
    (void) s;
    (void) block;
    *expected = collective_input(element, turn, 0);
    return true;
}

static int barrier_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    (void) s;
    (void) send;
    (void) recv;
    return MPI_Barrier(comm);
}

static int allgather_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Allgather(send, s->count, MPI_DOUBLE, recv, s->count, MPI_DOUBLE, comm);
}

static int allgatherv_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Allgatherv(send, s->counts[s->rank], MPI_DOUBLE, recv, s->counts, s->displs,
                          MPI_DOUBLE, comm);
}

static bool gather_after(const struct shape *s, int block, size_t element, int turn,
                         double *expected)
{
    (void) s;
    *expected = collective_input(element, turn, block);
    return true;
}

/* What counts on the root only, others do not have. */
static void *at_root(const struct shape *s, const double *buffer)
{
    return 0 == s->rank ? (void *) buffer : NULL;
}

static int gather_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Gather(send, s->count, MPI_DOUBLE, at_root(s, recv), s->count, MPI_DOUBLE, 0, comm);
}

static int gatherv_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Gatherv(send, s->counts[s->rank], MPI_DOUBLE, at_root(s, recv), s->counts, s->displs,
                       MPI_DOUBLE, 0, comm);
}

static int scatter_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Scatter(at_root(s, send), s->count, MPI_DOUBLE, recv, s->count, MPI_DOUBLE, 0, comm);
}

static int scatterv_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Scatterv(at_root(s, send), s->counts, s->displs, MPI_DOUBLE, recv,
                        s->counts[s->rank], MPI_DOUBLE, 0, comm);
}

/* The root's blocks follow each other in what it sends. */
static bool scatter_after(const struct shape *s, int block, size_t element, int turn,
                          double *expected)
{
    *expected = collective_input((size_t) s->displs[block] + element, turn, 0);
    return true;
}

static int reduce_scatter_run(const struct shape *s, const double *send, double *recv,
                              MPI_Comm comm)
{
    return MPI_Reduce_scatter(send, recv, s->counts, MPI_DOUBLE, MPI_SUM, comm);
}

static int reduce_scatter_block_run(const struct shape *s, const double *send, double *recv,
                                    MPI_Comm comm)
{
    return MPI_Reduce_scatter_block(send, recv, s->count, MPI_DOUBLE, MPI_SUM, comm);
}

static bool reduced_block_after(const struct shape *s, int block, size_t element, int turn,
                                double *expected)
{
    *expected = sum_of(s->size, (size_t) s->displs[block] + element, turn);
    return true;
}

static int scan_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Scan(send, recv, s->count, MPI_DOUBLE, MPI_SUM, comm);
}

static bool scan_after(const struct shape *s, int block, size_t element, int turn, double *expected)
{
    (void) block;
    *expected = sum_of(s->rank + 1, element, turn);
    return true;
}

static int exscan_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Exscan(send, recv, s->count, MPI_DOUBLE, MPI_SUM, comm);
}

/* What rank 0 has then, MPI leaves open. */
static bool exscan_after(const struct shape *s, int block, size_t element, int turn,
                         double *expected)
{
    (void) block;
    *expected = sum_of(s->rank, element, turn);
    return s->rank > 0;
}

static int alltoall_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Alltoall(send, s->count, MPI_DOUBLE, recv, s->count, MPI_DOUBLE, comm);
}

static int alltoallv_run(const struct shape *s, const double *send, double *recv, MPI_Comm comm)
{
    return MPI_Alltoallv(send, s->sent_counts, s->sent_displs, MPI_DOUBLE, recv, s->counts,
                         s->displs, MPI_DOUBLE, comm);
}

static bool trade_after(const struct shape *s, int block, size_t element, int turn,
                        double *expected)
{
    *expected = collective_input((size_t) s->origin[block] + element, turn, block);
    return true;
}

static const char VECTOR[] = "the vector of a process";

static const struct collective table[] = {
    {.name = "allreduce",
     .data = "sum of doubles",
     .bytes = VECTOR,
     .send = HOLDS_OWN,
     .recv = HOLDS_OWN,
     .run = allreduce_run,
     .before = untouched,
     .after = sum_after},
    {.name = "reduce",
     .data = "sum of doubles to rank 0",
     .bytes = VECTOR,
     .send = HOLDS_OWN,
     .recv = HOLDS_OWN,
     .overlaps = true,
     .run = reduce_run,
     .before = untouched,
     .after = reduce_after},
    {.name = "bcast",
     .data = "doubles from rank 0",
     .bytes = VECTOR,
     .send = HOLDS_NOTHING,
     .recv = HOLDS_OWN,
     .overlaps = true,
     .run = bcast_run,
     .before = bcast_before,
     .after = bcast_after},
    {.name = "barrier", .data = "no data", .bytes = "", .run = barrier_run},
    {.name = "allgather",
     .data = "doubles",
     .bytes = "the block of a process",
     .send = HOLDS_OWN,
     .recv = HOLDS_ALL,
     .run = allgather_run,
     .before = untouched,
     .after = gather_after},
    {.name = "allgatherv",
     .data = "doubles, uneven blocks",
     .bytes = "the block of a process, on average",
     .uneven = true,
     .send = HOLDS_OWN,
     .recv = HOLDS_ALL,
     .run = allgatherv_run,
     .before = untouched,
     .after = gather_after},
    {.name = "gather",
     .data = "doubles to rank 0",
     .bytes = "the block of a process",
     .overlaps = true,
     .send = HOLDS_OWN,
     .recv = HOLDS_ALL_AT_ROOT,
     .run = gather_run,
     .before = untouched,
     .after = gather_after},
    {.name = "gatherv",
     .data = "doubles to rank 0, blocks that differ",
     .bytes = "the block of a process, on average",
     .uneven = true,
     .deals = true,
     .overlaps = true,
     .send = HOLDS_OWN,
     .recv = HOLDS_ALL_AT_ROOT,
     .run = gatherv_run,
     .before = untouched,
     .after = gather_after},
    {.name = "scatter",
     .data = "doubles from rank 0",
     .bytes = "the block of a process",
     .overlaps = true,
     .send = HOLDS_ALL_AT_ROOT,
     .recv = HOLDS_OWN,
     .run = scatter_run,
     .before = untouched,
     .after = scatter_after},
    {.name = "scatterv",
     .data = "doubles from rank 0, blocks that differ",
     .bytes = "the block of a process, on average",
     .uneven = true,
     .deals = true,
     .overlaps = true,
     .send = HOLDS_ALL_AT_ROOT,
     .recv = HOLDS_OWN,
     .run = scatterv_run,
     .before = untouched,
     .after = scatter_after},
    {.name = "reduce_scatter",
     .data = "sum of doubles, uneven blocks",
     .bytes = "the block that a process receives, on average",
     .uneven = true,
     .send = HOLDS_ALL,
     .recv = HOLDS_OWN,
     .run = reduce_scatter_run,
     .before = untouched,
     .after = reduced_block_after},
    {.name = "reduce_scatter_block",
     .data = "sum of doubles",
     .bytes = "the block that a process receives",
     .send = HOLDS_ALL,
     .recv = HOLDS_OWN,
     .run = reduce_scatter_block_run,
     .before = untouched,
     .after = reduced_block_after},
    {.name = "scan",
     .data = "sum of doubles",
     .bytes = VECTOR,
     .send = HOLDS_OWN,
     .recv = HOLDS_OWN,
     .overlaps = true,
     .run = scan_run,
     .before = untouched,
     .after = scan_after},
    {.name = "exscan",
     .data = "sum of doubles",
     .bytes = VECTOR,
     .send = HOLDS_OWN,
     .recv = HOLDS_OWN,
     .overlaps = true,
     .run = exscan_run,
     .before = untouched,
     .after = exscan_after},
    {.name = "alltoall",
     .data = "doubles",
     .bytes = "the block of a process for another",
     .trades = true,
     .send = HOLDS_SENT,
     .recv = HOLDS_ALL,
     .run = alltoall_run,
     .before = untouched,
     .after = trade_after},
    {.name = "alltoallv",
     .data = "doubles, blocks that differ",
     .bytes = "the block of a process for another, on average",
     .uneven = true,
     .trades = true,
     .send = HOLDS_SENT,
     .recv = HOLDS_ALL,
     .run = alltoallv_run,
     .before = untouched,
     .after = trade_after},
};

enum { TABLE_ROWS = sizeof(table) / sizeof(table[0]) };

const struct collective *collective_find(const char *name)
{
    for (int i = 0; i < TABLE_ROWS; ++i) {
        if (0 == strcmp(table[i].name, name)) {
            return &table[i];
        }
    }
    return NULL;
}

const char *collective_names(void)
{
    static char names[BENCH_TEXT];

    names[0] = '\0';
    for (int i = 0; i < TABLE_ROWS; ++i) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", 0 == i ? "" : ", ", table[i].name);
    }
    return names;
}

static bool has_blocks(const struct collective *coll)
{
    return HOLDS_ALL == coll->send || HOLDS_ALL == coll->recv || HOLDS_ALL_AT_ROOT == coll->send
           || HOLDS_ALL_AT_ROOT == coll->recv;
}

bool collective_fits(const struct collective *coll, size_t bytes, int size,
                     char message[BENCH_TEXT])
{
    size_t most = BLOCKS_MAX / (size_t) size / sizeof(double) * sizeof(double);

    if (!has_blocks(coll) || bytes <= most) {
        return true;
    }
    snprintf(message, BENCH_TEXT,
             "--bytes: blocks of %zu bytes from %d processes are more than the %zu MiB that %s may "
             "take on one; take at most %zu",
             bytes, size, BLOCKS_MAX >> 20, coll->name, most);
    return false;
}

/* How much more than the average the block of a rank is, in doubles. Ranks r and size - 1 - r make
 * up for each other, so that the average is exact. They differ by a quarter, half, three quarters
 * or all of the average, rounded up: in blocks of one double on average, some hold none and some
 * two. Larger and smaller ones alternate, so that nodes differ as well, but not by as much. */
static int excess(const struct shape *s, int rank)
{
    int twin = s->size - 1 - rank, lower = rank < twin ? rank : twin;
    int quarters = 1 + lower % 4;
    int part = s->count / 4 * quarters + (s->count % 4 * quarters + 3) / 4;

    if (rank == twin) {
        return 0;
    }
    return (rank == lower) == (1 == lower % 2) ? part : -part;
}

const char *deal_name(int deal)
{
    static const char *const names[DEALS + 1] = {[DEAL_UNIFORM] = "uniform",
                                                 [DEAL_POWER] = "power",
                                                 [DEAL_HOT] = "hot",
                                                 [DEAL_ZEROS] = "zeros"};

    return names[deal];
}

/* A number from 0 up to 1 that two ranks have in common (splitmix64). */
static double draw(int from, int to)
{
    uint64_t z = ((uint64_t) from << 32 | (uint64_t) to) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double) ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* The block of a rank for another, in doubles; on average about the size that is measured.
 *
 *     uniform   from 0 to twice the size
 *     power     half the size over the root of a number from 0 to 1: most are small, few are 32 times
 *               the size
 *     hot       rank 0's, sent and received, 16 times the size; the others' half of it
 *     zeros     nine of ten are empty, the others ten times the size */
static int dealt(const struct shape *s, enum deal deal, int from, int to)
{
    const double x = draw(from, to), count = s->count;

    switch (deal) {
    case DEAL_POWER:
        return (int) (0.5 * count / sqrt(x > 1.0 / 4096.0 ? x : 1.0 / 4096.0) + draw(to, from));
    case DEAL_HOT:
        return 0 == from || 0 == to ? 16 * s->count : (s->count + 1) / 2;
    case DEAL_ZEROS:
        return x < 0.1 ? 10 * s->count : 0;
    default:
        return (int) (x * (2.0 * count + 1.0));
    }
}

/* The block of a rank in a gather or scatter to or from rank 0: dealt as if the ranks were numbered from the
 * last, so that the hot one is not the root, whose block stays where it is. Of few ranks too many could have no
 * block, so the others are chosen: every tenth, from the last. */
static int dealt_once(const struct shape *s, enum deal deal, int rank)
{
    int mirrored = s->size - 1 - rank;

    if (DEAL_ZEROS == deal) {
        return 0 == mirrored % 10 ? 10 * s->count : 0;
    }
    return dealt(s, deal, mirrored, s->size);
}

/* Who has how much where there is one block for each rank. */
static int block_of(const struct shape *s, const struct collective *coll, enum deal deal, int rank)
{
    if (coll->deals) {
        return dealt_once(s, deal, rank);
    }
    return s->count + (coll->uneven ? excess(s, rank) : 0);
}

/* Who gets what in an all-to-all. */
static void deal_out(struct shape *s, bool uneven, enum deal deal)
{
    for (int r = 0; r < s->size; ++r) {
        s->counts[r] = uneven ? dealt(s, deal, r, s->rank) : s->count;
        s->displs[r + 1] = s->displs[r] + s->counts[r];
        s->sent_counts[r] = uneven ? dealt(s, deal, s->rank, r) : s->count;
        s->sent_displs[r + 1] = s->sent_displs[r] + s->sent_counts[r];
        s->origin[r] = 0;
        for (int before = 0; before < s->rank; ++before) {
            s->origin[r] += uneven ? dealt(s, deal, r, before) : s->count;
        }
    }
}

bool shape_open(struct shape *s, int rank, int size)
{
    s->rank = rank;
    s->size = size;
    s->counts = calloc((size_t) size, sizeof(int));
    s->displs = calloc((size_t) size + 1, sizeof(int));
    s->sent_counts = calloc((size_t) size, sizeof(int));
    s->sent_displs = calloc((size_t) size + 1, sizeof(int));
    s->origin = calloc((size_t) size, sizeof(int));
    return NULL != s->counts && NULL != s->displs && NULL != s->sent_counts
           && NULL != s->sent_displs && NULL != s->origin;
}

void shape_set(struct shape *s, const struct collective *coll, enum deal deal, size_t bytes)
{
    s->count = (int) (bytes / sizeof(double));
    if (coll->trades) {
        deal_out(s, coll->uneven, deal);
        return;
    }
    /* Without blocks of all, nobody asks where they are, and an int may be too small for it. */
    for (int r = 0; r < s->size; ++r) {
        s->counts[r] = block_of(s, coll, deal, r);
        s->displs[r + 1] = has_blocks(coll) ? s->displs[r] + s->counts[r] : 0;
    }
}

size_t shape_room(const struct shape *s, enum holds what)
{
    switch (what) {
    case HOLDS_OWN:
        return (size_t) s->counts[s->rank];
    case HOLDS_ALL:
        return (size_t) s->displs[s->size];
    case HOLDS_ALL_AT_ROOT:
        return 0 == s->rank ? (size_t) s->displs[s->size] : 0;
    case HOLDS_SENT:
        return (size_t) s->sent_displs[s->size];
    default:
        return 0;
    }
}

void shape_close(struct shape *s)
{
    free(s->counts);
    free(s->displs);
    free(s->sent_counts);
    free(s->sent_displs);
    free(s->origin);
}
