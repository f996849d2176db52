/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * pipeline: sums over all processes that are under way while the next ones are computed, as in the
 * training of neural networks on several machines, with the time that is not hidden by napcoll and
 * by Open MPI's libnbc.
 *
 *     mpirun -np 4 --mca coll napcoll,tuned,basic,libnbc,inter,self build/examples/pipeline
 *
 * A process computes the gradients of one layer after the other, from the last to the first; the
 * sum of those that are ready goes on meanwhile:
 *
 *     compute   |  layer 4  |  layer 3  |  layer 2  |  layer 1  |
 *     MPI_Iallreduce        |== layer 4 ==|== layer 3 ==|== layer 2 ==|== layer 1 ==|
 *                                                                     ^ MPI_Waitall ^
 *
 * During the computation MPI_Testall is called now and then. The exchange is what MPI's calls take
 * on the process that computes: starts, tests and the wait in the end.
 *
 * Checked in every turn of every component: a gradient is a whole number that depends on the place,
 * the rank and the turn, whose sum is known. Any MPI will do; napcoll and libnbc are compared if it
 * has them. Exit status: 0 right, 1 wrong result, 2 bad command line.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "contest.h"

enum { LAYERS_MAX = 1000, BLOCK = 512 };

const char napcoll_tool_name[] = "pipeline";

static const struct subject subject = {"iallreduce", "nonblocking allreduces", "libnbc"};

struct options {
    int layers, count, work, turns;
};

static const napcoll_option_t known[] = {
    CONTEST_INT(layers, "layers", 1, LAYERS_MAX, "sums under way at most (default 8)"),
    CONTEST_INT(count, "count", 1, 1 << 24, "doubles of a layer (default 4096)"),
    CONTEST_INT(work, "work", 0, 1 << 20, "operations for each double (default 100)"),
    CONTEST_INT(turns, "turns", 1, TURNS_MAX, "measured turns (default 11)"),
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... pipeline",
    .help = "Sums vectors while the next ones are computed, checks the result, and compares the "
            "time that is not hidden by napcoll and by Open MPI's libnbc.",
    .option = known,
};

struct pipeline {
    const struct options *opt;
    int rank, size;
    /* [layers][count] */
    double *gradient, *sum;
    MPI_Request request[LAYERS_MAX];
    struct taken taken;
};

/* What a place has on rank 0; rank r has r + 1 times as much. */
static double value_of(int layer, int i, int turn)
{
    return 1 + (layer * 31 + i * 7 + turn * 13) % 251;
}

/* Whole numbers below 2^53 are exact, so the arithmetic on them must come out as it went in. */
static double work_on(double value, int operations)
{
    volatile double x = value;

    for (int i = 0; i < operations; ++i) {
        x = 0 == i % 2 ? x + 3 : x - 3;
    }
    return 0 == operations % 2 ? x : x - 3;
}

static void test_started(struct pipeline *p, int started)
{
    const double start = MPI_Wtime();
    int done;

    check(MPI_Testall(started, p->request, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    p->taken.exchange += MPI_Wtime() - start;
}

/* A layer's gradients, with a look at the sums under way after each block. */
static void compute(struct pipeline *p, int layer, int turn)
{
    double *gradient = p->gradient + (size_t) layer * (size_t) p->opt->count;

    for (int i = 0; i < p->opt->count; ++i) {
        gradient[i] = work_on((p->rank + 1) * value_of(layer, i, turn), p->opt->work);
        if (BLOCK - 1 == i % BLOCK && layer > 0) {
            test_started(p, layer);
        }
    }
}

static void start_sum(struct pipeline *p, int layer, MPI_Comm comm)
{
    const size_t first = (size_t) layer * (size_t) p->opt->count;
    const double start = MPI_Wtime();

    check(MPI_Iallreduce(p->gradient + first, p->sum + first, p->opt->count, MPI_DOUBLE, MPI_SUM,
                         comm, &p->request[layer]),
          "MPI_Iallreduce");
    p->taken.exchange += MPI_Wtime() - start;
    ++p->taken.asked;
}

static long long count_wrong(const struct pipeline *p, int turn)
{
    const double ranks = (double) p->size * (p->size + 1) / 2;
    long long wrong = 0;

    for (int layer = 0; layer < p->opt->layers; ++layer) {
        for (int i = 0; i < p->opt->count; ++i) {
            const double sum = p->sum[(size_t) layer * (size_t) p->opt->count + (size_t) i];

            wrong += !(sum <= ranks * value_of(layer, i, turn)
                       && sum >= ranks * value_of(layer, i, turn));
        }
    }
    return wrong;
}

static struct taken take_turn(void *context, const struct contestant *one, int turn)
{
    struct pipeline *p = context;
    double start, wait;

    p->taken = (struct taken){0};
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    start = MPI_Wtime();
    for (int layer = 0; layer < p->opt->layers; ++layer) {
        compute(p, layer, turn);
        start_sum(p, layer, one->comm);
    }
    wait = MPI_Wtime();
    check(MPI_Waitall(p->opt->layers, p->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    p->taken.exchange += MPI_Wtime() - wait;
    p->taken.whole = MPI_Wtime() - start;
    p->taken.wrong = count_wrong(p, turn);
    return p->taken;
}

static int run(const void *options)
{
    const struct options *opt = options;
    const size_t all = (size_t) opt->layers * (size_t) opt->count;
    struct pipeline pipeline = {.opt = opt};
    struct contest contest;
    int status;

    check(MPI_Comm_rank(MPI_COMM_WORLD, &pipeline.rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &pipeline.size), "MPI_Comm_size");
    contest_open(&contest, &subject, MPI_COMM_WORLD, opt->turns);
    pipeline.gradient = room(all, sizeof(double));
    pipeline.sum = room(all, sizeof(double));
    if (0 == pipeline.rank) {
        printf("pipeline: %d layers of %d doubles on %d processes\n", opt->layers, opt->count,
               pipeline.size);
    }
    /* Components may prepare for a communicator in its first blocking call. */
    for (int i = 0; i < contest.num; ++i) {
        check(MPI_Allreduce(pipeline.gradient, pipeline.sum, 1, MPI_DOUBLE, MPI_SUM,
                            contest.contestant[i].comm),
              "MPI_Allreduce");
    }
    status = contest_run(&contest, take_turn, &pipeline);
    free(pipeline.gradient);
    free(pipeline.sum);
    contest_close(&contest);
    return status;
}

int main(int argc, char **argv)
{
    struct options opt = {.layers = 8, .count = 4096, .work = 100, .turns = 11};

    return contest_main(argc, argv, &tool, &opt, run);
}
