/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether napcoll knows what tuned and basic do: calls collectives, and prints what their shadows would have sent,
 * which napcoll costs in their place, one line for each two processes:
 *
 *     shadows FROM TO BYTES MESSAGES
 *
 *     previous     without napcoll; what Open MPI's monitoring counts is to be the same (settings.sh)
 *
 * Of a few algorithms the shadow is a close relative: these are left out.
 */
#include "tap_mpi.h"

#include "algo/previous/previous.h"
#include "select/napcoll_previous.h"

static const napcoll_series_t series = OMPI_MAJOR_VERSION < 5   ? NAPCOLL_SERIES_4_1
                                       : OMPI_MAJOR_VERSION < 6 ? NAPCOLL_SERIES_5_0
                                                                : NAPCOLL_SERIES_6_0;

enum { MOST_BYTES = 65536, MOST_RANKS = 64 };

/* ---- what the shadow sends ---- */

typedef struct {
    unsigned long long messages[MOST_RANKS]; /* to each process */
    unsigned long long bytes[MOST_RANKS];
} sent_t;

/* Add what the shadow of a call sends from this process. */
static void add_shadow(sent_t *sent, const napcoll_previous_choice_t *choice, int rank, int size,
                       int bytes)
{
    const napcoll_node_map_t map = napcoll_previous_map(size);
    napcoll_generator_t generator = {
        .args = {.collective = choice->shadow,
                    .algorithm = &choice->shadow->algorithm[choice->row],
                    .map = &map,
                    .params = choice->params}};
    napcoll_plan_t *plan = napcoll_generator_plan(&generator, rank);

    if (NULL == plan) {
        fprintf(stderr, "# no memory for a plan\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int i = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];

        if (NAPCOLL_STEP_SEND == step->kind) {
            sent->messages[step->peer]++;
            sent->bytes[step->peer] +=
                (unsigned long long) (napcoll_plan_message_share(plan, step) * bytes + 0.5);
        }
    }
    napcoll_plan_free(plan);
}

/* ---- the calls ---- */

/* For which numbers of ranks: those that are powers of two, or not. */
typedef enum { ALL, POWERS, OTHERS } ranks_t;

struct call {
    const napcoll_collective_t *collective;
    int bytes;
    ranks_t ranks;
};

static const struct call calls[] = {
    {&napcoll_allreduce, 8, ALL},
    {&napcoll_allreduce, 2048, ALL},
    {&napcoll_allreduce, 65536, POWERS},
    {&napcoll_reduce, 8, ALL},
    {&napcoll_reduce, 16384, ALL},
    {&napcoll_reduce, 65536, ALL},
    {&napcoll_bcast, 8, ALL},
    {&napcoll_bcast, 64, ALL},
    {&napcoll_bcast, 4096, ALL},
    {&napcoll_bcast, 65536, ALL},
    {&napcoll_barrier, 0, ALL},
    {&napcoll_allgather, 64, ALL},
    {&napcoll_allgatherv, 64, ALL},
    {&napcoll_allgatherv, 2048, ALL},
    {&napcoll_reduce_scatter, 64, ALL},
    {&napcoll_reduce_scatter_block, 16, POWERS},
    {&napcoll_reduce_scatter_block, 64, OTHERS},
    {&napcoll_alltoall, 64, ALL},
    {&napcoll_alltoallv, 64, ALL},
    {&napcoll_gather, 64, POWERS},
    {&napcoll_gather, 2048, POWERS},
    {&napcoll_scatter, 64, POWERS},
    {&napcoll_scatter, 65536, ALL},
    {&napcoll_scan, 64, ALL},
    {&napcoll_exscan, 64, ALL},
    {&napcoll_gatherv, 64, ALL},
    {&napcoll_scatterv, 64, ALL},
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

struct buffers {
    void *in;
    void *out;
    int count[MOST_RANKS]; /* of doubles, all alike */
    int displ[MOST_RANKS];
};

/* Call a collective with so many doubles in the vector, or in a block. */
static int call_of(const napcoll_collective_t *c, const struct buffers *b, int count)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    const MPI_Datatype d = MPI_DOUBLE;

    if (&napcoll_allreduce == c) {
        return MPI_Allreduce(b->in, b->out, count, d, MPI_SUM, w);
    } else if (&napcoll_reduce == c) {
        return MPI_Reduce(b->in, b->out, count, d, MPI_SUM, 0, w);
    } else if (&napcoll_bcast == c) {
        return MPI_Bcast(b->in, count, d, 0, w);
    } else if (&napcoll_barrier == c) {
        return MPI_Barrier(w);
    } else if (&napcoll_allgather == c) {
        return MPI_Allgather(b->in, count, d, b->out, count, d, w);
    } else if (&napcoll_allgatherv == c) {
        return MPI_Allgatherv(b->in, count, d, b->out, b->count, b->displ, d, w);
    } else if (&napcoll_reduce_scatter == c) {
        return MPI_Reduce_scatter(b->in, b->out, b->count, d, MPI_SUM, w);
    } else if (&napcoll_reduce_scatter_block == c) {
        return MPI_Reduce_scatter_block(b->in, b->out, count, d, MPI_SUM, w);
    } else if (&napcoll_alltoall == c) {
        return MPI_Alltoall(b->in, count, d, b->out, count, d, w);
    } else if (&napcoll_alltoallv == c) {
        return MPI_Alltoallv(b->in, b->count, b->displ, d, b->out, b->count, b->displ, d, w);
    } else if (&napcoll_gather == c) {
        return MPI_Gather(b->in, count, d, b->out, count, d, 0, w);
    } else if (&napcoll_gatherv == c) {
        return MPI_Gatherv(b->in, count, d, b->out, b->count, b->displ, d, 0, w);
    } else if (&napcoll_scatter == c) {
        return MPI_Scatter(b->in, count, d, b->out, count, d, 0, w);
    } else if (&napcoll_scatterv == c) {
        return MPI_Scatterv(b->in, b->count, b->displ, d, b->out, count, d, 0, w);
    } else if (&napcoll_scan == c) {
        return MPI_Scan(b->in, b->out, count, d, MPI_SUM, w);
    }
    return MPI_Exscan(b->in, b->out, count, d, MPI_SUM, w);
}

static void do_call(sent_t *sent, struct buffers *buffers, const struct call *call, int rank,
                    int size)
{
    const napcoll_previous_t previous = {napcoll_component_usual(call->collective), series};
    const napcoll_previous_call_t asked = {.ranks = size, .bytes = (size_t) call->bytes};
    const int count = call->bytes / (int) sizeof(double);
    napcoll_previous_choice_t choice;

    if (!napcoll_previous_choose(&previous, call->collective, &asked, &choice)) {
        fprintf(stderr, "# %s of %d bytes: what is done is not known\n", call->collective->name,
                call->bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int i = 0; i < size; i++) {
        buffers->count[i] = count;
        buffers->displ[i] = i * count;
    }
    mpi_check(call_of(call->collective, buffers, count), call->collective->name);
    add_shadow(sent, &choice, rank, size, call->bytes);
}

int main(int argc, char **argv)
{
    struct buffers buffers;
    sent_t sent = {{0}, {0}};
    ranks_t powers;
    int rank, size;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    if (size > MOST_RANKS) {
        fprintf(stderr, "# more than %d ranks\n", MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    buffers.in = tap_alloc((size_t) size * MOST_BYTES);
    buffers.out = tap_alloc((size_t) size * MOST_BYTES);
    powers = 0 == (size & (size - 1)) ? POWERS : OTHERS;
    for (int i = 0; i < CALLS; i++) {
        if (ALL == calls[i].ranks || calls[i].ranks == powers) {
            do_call(&sent, &buffers, &calls[i], rank, size);
        }
    }
    free(buffers.in);
    free(buffers.out);
    for (int to = 0; to < size; to++) {
        if (sent.messages[to] > 0) {
            printf("shadows %d %d %llu %llu\n", rank, to, sent.bytes[to], sent.messages[to]);
        }
    }
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return 0;
}
