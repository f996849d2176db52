/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * halo3d: heat in a box, whose cells are divided among a grid of processes, with the time that the
 * exchange of the faces takes as a neighbourhood collective of napcoll and of Open MPI's basic.
 *
 *     mpirun -np 8 --mca coll napcoll,tuned,basic,libnbc,inter,self build/examples/halo3d
 *
 * Each process has a box of cells and, around it, a layer for the cells of its up to 6 neighbours.
 * In a step the faces go to the neighbours, then each cell becomes the mean of the 6 around it:
 *
 *         . . . . .             . = cells of neighbours (two of three dimensions)
 *       . +-------+ .
 *       . | n x n | .  <---->   a face of n x n cells
 *       . | x n   | .
 *         +-------+
 *
 *     alltoall     MPI_Neighbor_alltoall of packed faces, which are alike: a cube of cells
 *     alltoallv    MPI_Neighbor_alltoallv of packed faces that differ: the box is twice as long
 *     alltoallw    MPI_Neighbor_alltoallw of the faces where they lie, as subarrays
 *
 * Checked in every turn of every component: outside of the whole box all is cold. A product of
 * sines that vanishes there keeps its form and is multiplied by a known factor in each step. Any
 * MPI will do; napcoll and basic are compared if it has them. Exit status: 0 right, 1 wrong result,
 * 2 bad command line.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"

enum { DIMS = 3, FACES = 2 * DIMS };
enum { ALLTOALL, ALLTOALLV, ALLTOALLW, CALLS };

const char napcoll_tool_name[] = "halo3d";

static const char *const call_names[CALLS + 1] = {"alltoall", "alltoallv", "alltoallw", NULL};
static const char *const counters[CALLS] = {"neighbor_alltoall", "neighbor_alltoallv",
                                            "neighbor_alltoallw"};

/* Rounding errors add up over the steps. */
static const double tolerance = 1e-12;

struct options {
    int cells, steps, call, turns;
};

static napcoll_names_t names_of_calls(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_name_in_array, .context = call_names};
}

static const napcoll_option_t known[] = {
    CONTEST_INT(cells, "cells", 1, 512, "edge of the box of cells of a process (default 16)"),
    CONTEST_INT(steps, "steps", 1, 100000, "of a turn (default 10)"),
    {.name = "call",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(struct options, call),
     .names = names_of_calls,
     .argument = "NAME",
     .help = "the neighbourhood collective (default alltoall):"},
    CONTEST_INT(turns, "turns", 1, TURNS_MAX, "measured turns (default 11)"),
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... halo3d",
    .help = "Lets heat spread in a box, checks the result, and compares the time of the exchange "
            "of faces by napcoll and by Open MPI's basic.",
    .option = known,
};

/* A process's box. A cell has the place (i + 1, j + 1, k + 1) in an array with a layer around. */
struct box {
    const struct contest *contest;
    int call, steps;
    /* cells along each dimension: here, in the whole box, and before the first one here */
    int edge[DIMS], whole[DIMS], first[DIMS];
    bool neighbor[FACES];
    double *now, *next;
    /* the faces: cells, where they begin in send and recv, and as parts of the array */
    int count[FACES], displ[FACES];
    double *send, *recv;
    MPI_Datatype own[FACES], other[FACES];
    struct taken taken;
};

static size_t at(const struct box *b, int i, int j, int k)
{
    return ((size_t) i * (size_t) (b->edge[1] + 2) + (size_t) j) * (size_t) (b->edge[2] + 2)
           + (size_t) k;
}

/* The cells of a face, own or of the neighbour: from `low`, as many as `size` along each
 * dimension. */
static void face_of(const struct box *b, int face, bool own, int low[DIMS], int size[DIMS])
{
    const int dim = face / 2, inside = own ? 1 : 0;

    for (int d = 0; d < DIMS; ++d) {
        low[d] = 1;
        size[d] = b->edge[d];
    }
    size[dim] = 1;
    low[dim] = 0 == face % 2 ? inside : b->edge[dim] + 1 - inside;
}

/* Copy between a face of the array and packed cells. */
static void copy_face(struct box *b, int face, bool own)
{
    double *packed = (own ? b->send : b->recv) + b->displ[face];
    int low[DIMS], size[DIMS];

    face_of(b, face, own, low, size);
    for (int i = low[0]; i < low[0] + size[0]; ++i) {
        for (int j = low[1]; j < low[1] + size[1]; ++j) {
            for (int k = low[2]; k < low[2] + size[2]; ++k) {
                if (own) {
                    *packed++ = b->now[at(b, i, j, k)];
                } else {
                    b->now[at(b, i, j, k)] = *packed++;
                }
            }
        }
    }
}

static int call_neighbors(struct box *b, MPI_Comm comm)
{
    static const int one[FACES] = {1, 1, 1, 1, 1, 1};
    static const MPI_Aint nowhere[FACES] = {0};

    switch (b->call) {
    case ALLTOALL:
        return MPI_Neighbor_alltoall(b->send, b->count[0], MPI_DOUBLE, b->recv, b->count[0],
                                     MPI_DOUBLE, comm);
    case ALLTOALLV:
        return MPI_Neighbor_alltoallv(b->send, b->count, b->displ, MPI_DOUBLE, b->recv, b->count,
                                      b->displ, MPI_DOUBLE, comm);
    default:
        return MPI_Neighbor_alltoallw(b->now, one, nowhere, b->own, b->now, one, nowhere, b->other,
                                      comm);
    }
}

static void exchange(struct box *b, MPI_Comm comm)
{
    double start;

    for (int face = 0; ALLTOALLW != b->call && face < FACES; ++face) {
        copy_face(b, face, true);
    }
    /* Waiting for the slowest step is not part of the exchange. */
    check(MPI_Barrier(b->contest->helper), "MPI_Barrier");
    start = MPI_Wtime();
    check(call_neighbors(b, comm), "MPI_Neighbor_alltoall");
    b->taken.exchange += MPI_Wtime() - start;
    ++b->taken.asked;
    for (int face = 0; ALLTOALLW != b->call && face < FACES; ++face) {
        if (b->neighbor[face]) {
            copy_face(b, face, false);
        }
    }
}

static void spread(struct box *b)
{
    double *old = b->now;

    for (int i = 1; i <= b->edge[0]; ++i) {
        for (int j = 1; j <= b->edge[1]; ++j) {
            for (int k = 1; k <= b->edge[2]; ++k) {
                b->next[at(b, i, j, k)] = (b->now[at(b, i - 1, j, k)] + b->now[at(b, i + 1, j, k)]
                                           + b->now[at(b, i, j - 1, k)] + b->now[at(b, i, j + 1, k)]
                                           + b->now[at(b, i, j, k - 1)]
                                           + b->now[at(b, i, j, k + 1)])
                                          / 6;
            }
        }
    }
    b->now = b->next;
    b->next = old;
}

/* The sine of a cell along a dimension, zero just outside of the whole box. */
static double sine(const struct box *b, int dim, int cell)
{
    return sin(acos(-1.0) * (b->first[dim] + cell) / (b->whole[dim] + 1));
}

/* Go through all cells: set them to the sines times `factor`, or count those that differ. */
static long long sines(struct box *b, double factor, bool set)
{
    long long wrong = 0;

    for (int i = 1; i <= b->edge[0]; ++i) {
        for (int j = 1; j <= b->edge[1]; ++j) {
            for (int k = 1; k <= b->edge[2]; ++k) {
                const double value = factor * sine(b, 0, i) * sine(b, 1, j) * sine(b, 2, k);
                double *cell = &b->now[at(b, i, j, k)];

                if (set) {
                    *cell = value;
                }
                wrong += !(fabs(*cell - value) <= tolerance);
            }
        }
    }
    return wrong;
}

/* By what a step multiplies the product of sines. */
static double step_factor(const struct box *b)
{
    double sum = 0;

    for (int dim = 0; dim < DIMS; ++dim) {
        sum += cos(acos(-1.0) / (b->whole[dim] + 1)) / DIMS;
    }
    return sum;
}

static struct taken take_turn(void *context, const struct contestant *one, int turn)
{
    struct box *b = context;
    const double height = 1 + turn % 7;
    double start;

    b->taken = (struct taken){0};
    (void) sines(b, height, true);
    start = MPI_Wtime();
    for (int step = 0; step < b->steps; ++step) {
        exchange(b, one->comm);
        spread(b);
    }
    b->taken.whole = MPI_Wtime() - start;
    b->taken.wrong = sines(b, height * pow(step_factor(b), b->steps), false);
    return b->taken;
}

static void face_open(struct box *b, int face, int displ)
{
    int low[DIMS], size[DIMS], all[DIMS];

    for (int dim = 0; dim < DIMS; ++dim) {
        all[dim] = b->edge[dim] + 2;
    }
    for (int own = 0; own < 2; ++own) {
        MPI_Datatype *type = own ? &b->own[face] : &b->other[face];

        face_of(b, face, own, low, size);
        check(MPI_Type_create_subarray(DIMS, all, size, low, MPI_ORDER_C, MPI_DOUBLE, type),
              "MPI_Type_create_subarray");
        check(MPI_Type_commit(type), "MPI_Type_commit");
    }
    b->count[face] = size[0] * size[1] * size[2];
    b->displ[face] = displ;
}

static void box_open(struct box *b, const struct options *opt, const struct contest *contest,
                     MPI_Comm grid)
{
    int dims[DIMS], periods[DIMS], place[DIMS], displ = 0;
    size_t cells = 1;

    *b = (struct box){.contest = contest, .call = opt->call, .steps = opt->steps};
    check(MPI_Cart_get(grid, DIMS, dims, periods, place), "MPI_Cart_get");
    for (int dim = 0; dim < DIMS; ++dim) {
        b->edge[dim] = ALLTOALL != opt->call && 2 == dim ? 2 * opt->cells : opt->cells;
        b->whole[dim] = b->edge[dim] * dims[dim];
        b->first[dim] = b->edge[dim] * place[dim];
        b->neighbor[2 * dim] = place[dim] > 0;
        b->neighbor[2 * dim + 1] = place[dim] < dims[dim] - 1;
        cells *= (size_t) b->edge[dim] + 2;
    }
    for (int face = 0; face < FACES; ++face) {
        face_open(b, face, displ);
        displ += b->count[face];
    }
    b->now = room(cells, sizeof(double));
    b->next = room(cells, sizeof(double));
    b->send = room((size_t) displ, sizeof(double));
    b->recv = room((size_t) displ, sizeof(double));
}

static void box_close(struct box *b)
{
    for (int face = 0; face < FACES; ++face) {
        check(MPI_Type_free(&b->own[face]), "MPI_Type_free");
        check(MPI_Type_free(&b->other[face]), "MPI_Type_free");
    }
    free(b->now);
    free(b->next);
    free(b->send);
    free(b->recv);
}

static int run(const void *options)
{
    const struct options *opt = options;
    const struct subject subject = {counters[opt->call], "neighbourhood all-to-alls", "basic"};
    int dims[DIMS] = {0}, periods[DIMS] = {0}, rank, size, status;
    struct contest contest;
    struct box box;
    MPI_Comm grid;

    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    check(MPI_Dims_create(size, DIMS, dims), "MPI_Dims_create");
    check(MPI_Cart_create(MPI_COMM_WORLD, DIMS, dims, periods, 0, &grid), "MPI_Cart_create");
    contest_open(&contest, &subject, grid, opt->turns);
    box_open(&box, opt, &contest, grid);
    if (0 == rank) {
        printf("halo3d: %d x %d x %d cells on each of %d x %d x %d processes, "
               "MPI_Neighbor_%s\n",
               box.edge[0], box.edge[1], box.edge[2], dims[0], dims[1], dims[2],
               call_names[opt->call]);
    }
    status = contest_run(&contest, take_turn, &box);
    box_close(&box);
    contest_close(&contest);
    check(MPI_Comm_free(&grid), "MPI_Comm_free");
    return status;
}

int main(int argc, char **argv)
{
    struct options opt = {.cells = 16, .steps = 10, .turns = 11};

    return contest_main(argc, argv, &tool, &opt, run);
}
