/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * cg: a system of linear equations solved by conjugate gradients, as the benchmark HPCG has it but
 * without its preconditioner, with the time that its sums over all processes take by napcoll and by
 * Open MPI's tuned.
 *
 *     mpirun -np 8 --mca coll napcoll,tuned,basic,libnbc,inter,self build/examples/cg --cells 16
 *
 * The matrix couples each cell of a grid with its 26 neighbours: 26 on the diagonal, -1 elsewhere.
 * Every process has n x n x n cells; the processes stand in a row along z and exchange a plane with
 * each neighbour before a product:
 *
 *         rank 0      rank 1      rank 2
 *       +---------+ +---------+ +---------+
 *       |         |<->        |<->        |      z ->
 *       +---------+ +---------+ +---------+
 *
 *     r = b - A x, p = r
 *     repeat   alpha = (r, r) / (p, A p)         MPI_Allreduce of 8 bytes
 *              x += alpha p,  r -= alpha A p
 *              beta = (r, r) / (r, r) before     MPI_Allreduce of 8 bytes
 *              p = r + beta p
 *
 * Two sums per iteration, on which everything waits: latency counts.
 *
 * Checked in every turn of every component: b is A times ones, so x must become ones. Any MPI will
 * do; napcoll and tuned are compared if it has them. Exit status: 0 right, 1 wrong result, 2 bad
 * command line.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"

const char napcoll_tool_name[] = "cg";

static const struct subject subject = {"allreduce", "allreduces", "tuned"};

/* Of the residual, relative to its first value; of x. */
static const double small_residual = 1e-10, tolerance = 1e-6;

struct options {
    int cells, turns;
};

static const napcoll_option_t known[] = {
    CONTEST_INT(cells, "cells", 1, 512, "edge of the cube of cells of a process (default 16)"),
    CONTEST_INT(turns, "turns", 1, TURNS_MAX, "measured turns (default 11)"),
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... cg",
    .help = "Solves linear equations on a grid by conjugate gradients, checks the result, and "
            "compares the time of the allreduces by napcoll and by Open MPI's tuned.",
    .option = known,
};

/* A process's cells. Vectors have a plane of the neighbour below, n planes, and one above. */
struct problem {
    const struct contest *contest;
    int n, below, above;
    size_t plane, cells;
    double *x, *r, *p, *ap;
    struct taken taken;
};

static double *inner(const struct problem *g, double *vector)
{
    return vector + g->plane;
}

/* The planes of the neighbours; outside of the grid they stay zero. */
static void exchange_planes(const struct problem *g, double *vector)
{
    const int count = (int) g->plane;
    double *first = inner(g, vector), *last = first + g->cells - g->plane;
    const MPI_Comm comm = g->contest->helper;

    check(MPI_Sendrecv(first, count, MPI_DOUBLE, g->below, 0, last + g->plane, count, MPI_DOUBLE,
                       g->above, 0, comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    check(MPI_Sendrecv(last, count, MPI_DOUBLE, g->above, 1, vector, count, MPI_DOUBLE, g->below, 1,
                       comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
}

/* The sum over the 3 x 3 cells around (i, j) in a plane. */
static double around(const struct problem *g, const double *plane, int i, int j)
{
    double sum = 0;

    for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < g->n; ++a) {
        for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < g->n; ++b) {
            sum += plane[a * g->n + b];
        }
    }
    return sum;
}

/* result = A vector: 27 times the cell minus all 27 around it. */
static void multiply(const struct problem *g, double *vector, double *result)
{
    double *out = inner(g, result);

    exchange_planes(g, vector);
    for (int k = 0; k < g->n; ++k) {
        const double *plane = inner(g, vector) + (size_t) k * g->plane;

        for (int i = 0; i < g->n; ++i) {
            for (int j = 0; j < g->n; ++j) {
                *out++ = 27 * plane[i * g->n + j] - around(g, plane - g->plane, i, j)
                         - around(g, plane, i, j) - around(g, plane + g->plane, i, j);
            }
        }
    }
}

/* (a, b) over all processes, with the time that takes. */
static double dot(struct problem *g, double *a, double *b, MPI_Comm comm)
{
    const double *one = inner(g, a), *other = inner(g, b);
    double mine = 0, sum, start;

    for (size_t i = 0; i < g->cells; ++i) {
        mine += one[i] * other[i];
    }
    /* Waiting for the slowest product is not part of the sum. */
    check(MPI_Barrier(g->contest->helper), "MPI_Barrier");
    start = MPI_Wtime();
    check(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
    g->taken.exchange += MPI_Wtime() - start;
    ++g->taken.asked;
    return sum;
}

/* y = factor y + z or y += factor z, on the own cells. */
static void scale_add(const struct problem *g, double *y, double factor, double *z)
{
    double *to = inner(g, y), *from = inner(g, z);

    for (size_t i = 0; i < g->cells; ++i) {
        to[i] = factor * to[i] + from[i];
    }
}

static void add_scaled(const struct problem *g, double *y, double factor, double *z)
{
    double *to = inner(g, y), *from = inner(g, z);

    for (size_t i = 0; i < g->cells; ++i) {
        to[i] += factor * from[i];
    }
}

/* x = 0, r = p = b = A ones. */
static void begin(struct problem *g)
{
    for (size_t i = 0; i < g->cells; ++i) {
        inner(g, g->x)[i] = 1;
    }
    multiply(g, g->x, g->r);
    memset(inner(g, g->x), 0, g->cells * sizeof(double));
    memcpy(inner(g, g->p), inner(g, g->r), g->cells * sizeof(double));
}

static void solve(struct problem *g, MPI_Comm comm)
{
    double square = dot(g, g->r, g->r, comm);
    const double enough = small_residual * small_residual * square;

    /* Without rounding errors, as many iterations as there are unknowns would do. */
    for (size_t i = 0; square > enough && i < 10 * g->cells + 1000; ++i) {
        double before = square, alpha;

        multiply(g, g->p, g->ap);
        alpha = square / dot(g, g->p, g->ap, comm);
        add_scaled(g, g->x, alpha, g->p);
        add_scaled(g, g->r, -alpha, g->ap);
        square = dot(g, g->r, g->r, comm);
        scale_add(g, g->p, square / before, g->r);
    }
}

static struct taken take_turn(void *context, const struct contestant *one, int turn)
{
    struct problem *g = context;
    double start;

    (void) turn;
    g->taken = (struct taken){0};
    begin(g);
    start = MPI_Wtime();
    solve(g, one->comm);
    g->taken.whole = MPI_Wtime() - start;
    for (size_t i = 0; i < g->cells; ++i) {
        g->taken.wrong += !(fabs(inner(g, g->x)[i] - 1) <= tolerance);
    }
    return g->taken;
}

static void problem_open(struct problem *g, const struct contest *contest, int n, int rank,
                         int size)
{
    size_t all;

    *g = (struct problem){.contest = contest,
                          .n = n,
                          .below = rank > 0 ? rank - 1 : MPI_PROC_NULL,
                          .above = rank < size - 1 ? rank + 1 : MPI_PROC_NULL,
                          .plane = (size_t) n * (size_t) n};
    g->cells = g->plane * (size_t) n;
    all = g->cells + 2 * g->plane;
    g->x = room(all, sizeof(double));
    g->r = room(all, sizeof(double));
    g->p = room(all, sizeof(double));
    g->ap = room(all, sizeof(double));
}

static int run(const void *options)
{
    const struct options *opt = options;
    struct contest contest;
    struct problem problem;
    int rank, size, status;

    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    contest_open(&contest, &subject, MPI_COMM_WORLD, opt->turns);
    problem_open(&problem, &contest, opt->cells, rank, size);
    if (0 == rank) {
        printf("cg: %d x %d x %d cells on each of %d processes\n", opt->cells, opt->cells,
               opt->cells, size);
    }
    status = contest_run(&contest, take_turn, &problem);
    free(problem.x);
    free(problem.r);
    free(problem.p);
    free(problem.ap);
    contest_close(&contest);
    return status;
}

int main(int argc, char **argv)
{
    struct options opt = {.cells = 16, .turns = 11};

    return contest_main(argc, argv, &tool, &opt, run);
}
