/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Reduce_scatter or MPI_Reduce_scatter_block by one of napcoll's algorithms: what holds for
 * every reduction (reductions.h), with the elements dealt in several ways. Each process chooses for
 * itself whether it works in place. Options: see collective.h; their counts and bytes are of
 * the whole vector, which the block variant rounds up to a multiple of the processes.
 */
#include "reductions.h"

/* --- reduce_scatter --- */

enum deal { EVEN, LAST_TAKES_ALL, FIRST_TAKES_ALL, ODD_TAKE_ALL, EACH_TAKES_HALF, NUM_DEALS };

static int num_deals(int size)
{
    (void) size;
    return NUM_DEALS;
}

/* How many elements the ranks before `rank` take; with rank == size, all. */
static int before(int deal, int count, int rank, int size)
{
    if (rank == size) {
        return count;
    }
    switch (deal) {
    case EVEN:
        return (int) ((long long) count * rank / size);
    case LAST_TAKES_ALL:
        return 0;
    case FIRST_TAKES_ALL:
        return 0 == rank ? 0 : count;
    case ODD_TAKE_ALL: /* the last of an odd number of ranks takes none either */
        return size < 2 ? 0 : (int) ((long long) count * (rank / 2) / (size / 2));
    default:
        return count - (count >> (rank < 30 ? rank : 30));
    }
}

static struct share deal_share(const struct way *way, int rank, int size)
{
    int from = before(way->variant, way->count, rank, size);

    return (struct share){.ranks = size,
                          .from = from,
                          .count = before(way->variant, way->count, rank + 1, size) - from,
                          .length = way->count};
}

static int deal_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                     MPI_Op op, MPI_Comm comm)
{
    int size, rc, *counts;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    counts = tap_alloc((size_t) size * sizeof(*counts));
    for (int r = 0; r < size; ++r) {
        counts[r] = deal_share(way, r, size).count;
    }
    rc = MPI_Reduce_scatter(send, recv, counts, type, op, comm);
    free(counts);
    return rc;
}

static void each_deal(struct test *t)
{
    static const char *const name[NUM_DEALS] = {"evenly", "all_to_the_last", "all_to_the_first",
                                                "all_to_odd_ranks", "half_of_the_rest_to_each"};
    const int counts[] = {SMALL, MIDDLE + 1};
    struct problem p = problem_matrices();

    for (int deal = 0; deal < NUM_DEALS; ++deal) {
        bool good = true;

        for (int k = 0; k < 2 * NUM_WHERE; ++k) {
            struct way way = {
                .variant = deal, .where = (enum where)(k / 2), .count = counts[k % 2], .salt = k};

            good = solves(t, &t->all, &p, &way) && good;
        }
        tap_ok(&t->tap, good, "reduce_scatter_deals_%s", name[deal]);
    }
    problem_close(&p);
}

/* A process that takes nothing needs no room for it. */
static void null_buffers(struct test *t)
{
    const int size = t->all.size, sent[SMALL] = {1, 2, 3, 4, 5, 6, 7};
    int got[SMALL] = {0};
    bool good = true;

    for (int deal = 0; deal < NUM_DEALS; ++deal) {
        struct way way = {.variant = deal, .count = SMALL};
        struct share share = deal_share(&way, t->all.rank, size);

        mpi_check(
            deal_call(&way, sent, 0 == share.count ? NULL : got, MPI_INT, MPI_SUM, t->all.comm),
            "MPI_Reduce_scatter");
        for (int i = 0; i < share.count; ++i) {
            if (got[i] != size * (share.from + i + 1)) {
                tap_note(&t->tap, "deal %d: element %d of mine is %d", deal, i, got[i]);
                good = false;
            }
        }
    }
    tap_ok(&t->tap, good, "reduce_scatter_takes_null_recvbuf_where_count_is_0");
}

/* --- reduce_scatter_block --- */

static int block_of(const struct way *way, int size)
{
    return way->count / size + (0 != way->count % size);
}

static struct share block_share(const struct way *way, int rank, int size)
{
    int block = block_of(way, size);

    return (struct share){
        .ranks = size, .from = rank * block, .count = block, .length = size * block};
}

static int block_call(const struct way *way, const void *send, void *recv, MPI_Datatype type,
                      MPI_Op op, MPI_Comm comm)
{
    int size;

    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return MPI_Reduce_scatter_block(send, recv, block_of(way, size), type, op, comm);
}

void test_reduce_scatters(struct test *t)
{
    static const struct reduction deal = {.chooses = true,
                                          .variants = num_deals,
                                          .share = deal_share,
                                          .call = deal_call,
                                          .bits_name = "repeats_its_bits",
                                          .bits = bits_repeat};
    static const struct reduction block = {.chooses = true,
                                           .variants = one_variant,
                                           .share = block_share,
                                           .call = block_call,
                                           .bits_name = "repeats_its_bits",
                                           .bits = bits_repeat};
    const bool blocks = 0 == strcmp(t->coll, "reduce_scatter_block");

    t->reduction = blocks ? &block : &deal;
    check_reduction(t);
    if (!blocks) {
        each_deal(t);
        null_buffers(t);
    }
}
