/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * spmv: the product of a sparse matrix and a vector, both divided by rows, with the time that the
 * exchange of the vector takes as a neighbourhood collective of napcoll and of Open MPI's basic.
 *
 *     mpirun -np 8 --mca coll napcoll,tuned,basic,libnbc,inter,self build/examples/spmv
 *
 * A process has R rows and R elements of x. Elements that its rows need from other processes, the
 * ghosts, stand behind its own, by owner. With 3 processes, for process 1 (# = entries):
 *
 *                 x:  of 0     of 1     of 2
 *       row       | . # .  |# # # # |. . . # |         x  [ own elements | ghosts of 0 | of 2 ]
 *       row       | . . .  |# # . # |. # . . |                             MPI_Neighbor_alltoallv
 *
 * Who needs what is found once; the graph of processes has an edge from owner to user.
 *
 *     stencil   each cell of a grid with its 26 neighbours: 2 neighbours per process
 *     power     few rows have many entries, and few columns are in many rows: neighbours and counts
 *               differ widely
 *
 * Checked in every step of every component: entries and elements are whole numbers that depend on
 * their places, so every row can be multiplied without messages. Any MPI will do; napcoll and basic
 * are compared if it has them. Exit status: 0 right, 1 wrong result, 2 bad command line.
 */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"

enum { STENCIL, POWER, MATRICES };
enum { ENTRIES_MAX = 256 };

const char napcoll_tool_name[] = "spmv";

static const struct subject subject = {"neighbor_alltoallv", "neighbourhood all-to-alls", "basic"};

static const char *const matrix_names[MATRICES + 1] = {"stencil", "power", NULL};

struct options {
    int matrix, cells, steps, turns;
};

static napcoll_names_t names_of_matrices(const void *options)
{
    (void) options;
    return (napcoll_names_t){.at = napcoll_name_in_array, .context = matrix_names};
}

static const napcoll_option_t known[] = {
    {.name = "matrix",
     .kind = NAPCOLL_OPTION_NAME,
     .at = offsetof(struct options, matrix),
     .names = names_of_matrices,
     .argument = "NAME",
     .help = "which matrix (default stencil):"},
    CONTEST_INT(cells, "cells", 1, 128, "N x N x N rows of a process (default 10)"),
    CONTEST_INT(steps, "steps", 1, 100000, "products of a turn (default 10)"),
    CONTEST_INT(turns, "turns", 1, TURNS_MAX, "measured turns (default 11)"),
    {.name = NULL},
};

static const napcoll_tool_t tool = {
    .name = napcoll_tool_name,
    .start = "mpirun ... spmv",
    .help = "Multiplies a sparse matrix with vectors, checks the results, and compares the time of "
            "the exchange of vectors by napcoll and by Open MPI's basic.",
    .option = known,
};

/* ---- the matrix, which each process knows ---- */

struct entry {
    long long column;
    double value;
};

/* splitmix64 */
static uint64_t scatter(uint64_t value)
{
    uint64_t z = value + 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* From 0 up to 1. */
static double share_of(uint64_t value)
{
    return (double) (scatter(value) >> 11) * 0x1p-53;
}

/* Cells are numbered along x, then y, then z. */
static int stencil_row(int n, long long all, long long row, struct entry *entry)
{
    const long long plane = (long long) n * n, i = row % n, j = row / n % n;
    int num = 0;

    for (long long z = -plane; z <= plane; z += plane) {
        for (int y = -1; y <= 1; ++y) {
            for (int x = -1; x <= 1; ++x) {
                const long long column = row + z + (long long) y * n + x;

                if (i + x >= 0 && i + x < n && j + y >= 0 && j + y < n && column >= 0
                    && column < all) {
                    entry[num++] = (struct entry){column, column == row ? 26 : -1};
                }
            }
        }
    }
    return num;
}

/* The number of entries has the density of 1/n^3, the numbers of columns of 1/sqrt(n). */
static int power_row(long long all, long long row, struct entry *entry)
{
    const uint64_t seed = (uint64_t) row * ENTRIES_MAX;
    const double wanted = 3 / sqrt(1e-4 + share_of(~seed));
    const int num = wanted < ENTRIES_MAX ? (int) wanted : ENTRIES_MAX;

    for (int i = 0; i < num; ++i) {
        const double share = share_of(seed + (uint64_t) i);

        entry[i] = (struct entry){(long long) (share * share * (double) all), 1 + i % 5};
    }
    return num;
}

static int row_of(const struct options *opt, long long all, long long row, struct entry *entry)
{
    return STENCIL == opt->matrix ? stencil_row(opt->cells, all, row, entry)
                                  : power_row(all, row, entry);
}

static double element_of(long long column, int turn, int step)
{
    return (double) (1 + (column * 7 + turn * 13 + step * 17) % 251);
}

/* ---- what a process has of it ---- */

struct product {
    const struct options *opt;
    const struct contest *contest;
    int rank, size, rows;
    /* of the whole matrix, and before the first row here */
    long long all, before;
    /* [rows + 1], [entries]: where rows begin; the places in x, and in the whole vector */
    size_t *begin;
    int *place;
    long long *column;
    double *value;
    /* the columns of ghosts, ascending; by process, how many it owns */
    long long *ghost;
    int ghosts, *needed;
    /* by process, how many own elements it needs, and which */
    int *given, *give, gives;
    /* by neighbour: what is received and sent */
    int sources, targets, *source, *target, *recv_count, *recv_displ, *send_count, *send_displ;
    double *x, *send, *y;
    struct taken taken;
};

static int compare(const void *a, const void *b)
{
    const long long one = *(const long long *) a, other = *(const long long *) b;

    return (one > other) - (one < other);
}

/* Fill in the rows, with columns of the whole vector. */
static void fill_rows(struct product *p)
{
    struct entry entry[ENTRIES_MAX];
    size_t entries = 0;

    p->begin = room((size_t) p->rows + 1, sizeof(*p->begin));
    for (int row = 0; row < p->rows; ++row) {
        entries += (size_t) row_of(p->opt, p->all, p->before + row, entry);
        p->begin[row + 1] = entries;
    }
    p->column = room(entries, sizeof(*p->column));
    p->value = room(entries, sizeof(*p->value));
    p->place = room(entries, sizeof(*p->place));
    for (int row = 0; row < p->rows; ++row) {
        const int num = row_of(p->opt, p->all, p->before + row, entry);

        for (int i = 0; i < num; ++i) {
            p->column[p->begin[row] + (size_t) i] = entry[i].column;
            p->value[p->begin[row] + (size_t) i] = entry[i].value;
        }
    }
}

static bool is_own(const struct product *p, long long column)
{
    return column >= p->before && column < p->before + p->rows;
}

/* Find the ghosts, and the place of each column in x. */
static void find_ghosts(struct product *p)
{
    const size_t entries = p->begin[p->rows];
    size_t found = 0;

    p->ghost = room(entries, sizeof(*p->ghost));
    p->needed = room((size_t) p->size, sizeof(int));
    for (size_t i = 0; i < entries; ++i) {
        if (!is_own(p, p->column[i])) {
            p->ghost[found++] = p->column[i];
        }
    }
    qsort(p->ghost, found, sizeof(*p->ghost), compare);
    for (size_t i = 0; i < found; ++i) {
        if (0 == i || p->ghost[i] != p->ghost[i - 1]) {
            ++p->needed[p->ghost[i] / p->rows];
            p->ghost[p->ghosts++] = p->ghost[i];
        }
    }
    for (size_t i = 0; i < entries; ++i) {
        if (is_own(p, p->column[i])) {
            p->place[i] = (int) (p->column[i] - p->before);
        } else {
            const long long *at = bsearch(&p->column[i], p->ghost, (size_t) p->ghosts,
                                          sizeof(*p->ghost), compare);

            p->place[i] = p->rows + (int) (at - p->ghost);
        }
    }
}

/* Keep the processes with a count, in the order of ranks. Returns how many. */
static int list_neighbors(const int *counts, int size, int **rank, int **count, int **displ)
{
    int num = 0, sum = 0;

    *rank = room((size_t) size, sizeof(int));
    *count = room((size_t) size, sizeof(int));
    *displ = room((size_t) size, sizeof(int));
    for (int r = 0; r < size; ++r) {
        if (counts[r] > 0) {
            (*rank)[num] = r;
            (*count)[num] = counts[r];
            (*displ)[num++] = sum;
            sum += counts[r];
        }
    }
    return num;
}

/* Tell the owners which of their elements are needed. */
static void tell_owners(struct product *p)
{
    int *asked = room((size_t) p->size, sizeof(int)), *told = room((size_t) p->size, sizeof(int));
    long long *wanted;

    p->given = room((size_t) p->size, sizeof(int));
    check(MPI_Alltoall(p->needed, 1, MPI_INT, p->given, 1, MPI_INT, MPI_COMM_WORLD),
          "MPI_Alltoall");
    for (int r = 1; r < p->size; ++r) {
        asked[r] = asked[r - 1] + p->needed[r - 1];
        told[r] = told[r - 1] + p->given[r - 1];
    }
    p->gives = told[p->size - 1] + p->given[p->size - 1];
    wanted = room((size_t) p->gives, sizeof(*wanted));
    check(MPI_Alltoallv(p->ghost, p->needed, asked, MPI_LONG_LONG, wanted, p->given, told,
                        MPI_LONG_LONG, MPI_COMM_WORLD),
          "MPI_Alltoallv");
    p->give = room((size_t) p->gives, sizeof(int));
    for (int i = 0; i < p->gives; ++i) {
        p->give[i] = (int) (wanted[i] - p->before);
    }
    free(wanted);
    free(asked);
    free(told);
    p->sources = list_neighbors(p->needed, p->size, &p->source, &p->recv_count, &p->recv_displ);
    p->targets = list_neighbors(p->given, p->size, &p->target, &p->send_count, &p->send_displ);
}

static void product_open(struct product *p, const struct options *opt)
{
    const long long rows = (long long) opt->cells * opt->cells * opt->cells;

    *p = (struct product){.opt = opt, .rows = (int) rows};
    check(MPI_Comm_rank(MPI_COMM_WORLD, &p->rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &p->size), "MPI_Comm_size");
    p->all = rows * p->size;
    p->before = rows * p->rank;
    fill_rows(p);
    find_ghosts(p);
    tell_owners(p);
    p->x = room((size_t) p->rows + (size_t) p->ghosts, sizeof(double));
    p->y = room((size_t) p->rows, sizeof(double));
    p->send = room((size_t) p->gives, sizeof(double));
}

static void product_close(struct product *p)
{
    void *memory[] = {p->begin,  p->place,      p->column,     p->value,      p->ghost,
                      p->needed, p->given,      p->give,       p->source,     p->target,
                      p->x,      p->recv_count, p->recv_displ, p->send_count, p->send_displ,
                      p->send,   p->y};

    for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); ++i) {
        free(memory[i]);
    }
}

/* ---- products ---- */

static void exchange(struct product *p, MPI_Comm comm)
{
    double start;

    for (int i = 0; i < p->gives; ++i) {
        p->send[i] = p->x[p->give[i]];
    }
    /* Waiting for the slowest product is not part of the exchange. */
    check(MPI_Barrier(p->contest->helper), "MPI_Barrier");
    start = MPI_Wtime();
    check(MPI_Neighbor_alltoallv(p->send, p->send_count, p->send_displ, MPI_DOUBLE, p->x + p->rows,
                                 p->recv_count, p->recv_displ, MPI_DOUBLE, comm),
          "MPI_Neighbor_alltoallv");
    p->taken.exchange += MPI_Wtime() - start;
    ++p->taken.asked;
}

static void multiply(struct product *p)
{
    for (int row = 0; row < p->rows; ++row) {
        double sum = 0;

        for (size_t i = p->begin[row]; i < p->begin[row + 1]; ++i) {
            sum += p->value[i] * p->x[p->place[i]];
        }
        p->y[row] = sum;
    }
}

static long long count_wrong(const struct product *p, int turn, int step)
{
    long long wrong = 0;

    for (int row = 0; row < p->rows; ++row) {
        double sum = 0;

        for (size_t i = p->begin[row]; i < p->begin[row + 1]; ++i) {
            sum += p->value[i] * element_of(p->column[i], turn, step);
        }
        wrong += !(fabs(p->y[row] - sum) <= 0);
    }
    return wrong;
}

static struct taken take_turn(void *context, const struct contestant *one, int turn)
{
    struct product *p = context;

    p->taken = (struct taken){0};
    for (int step = 0; step < p->opt->steps; ++step) {
        double start;

        for (int row = 0; row < p->rows; ++row) {
            p->x[row] = element_of(p->before + row, turn, step);
        }
        /* All bits set are not a number: what does not arrive spoils the result. */
        memset(p->x + p->rows, 0xff, (size_t) p->ghosts * sizeof(double));
        start = MPI_Wtime();
        exchange(p, one->comm);
        multiply(p);
        p->taken.whole += MPI_Wtime() - start;
        p->taken.wrong += count_wrong(p, turn, step);
    }
    return p->taken;
}

static int run(const void *options)
{
    const struct options *opt = options;
    struct contest contest;
    struct product product;
    int status, most;
    MPI_Comm graph;

    product_open(&product, opt);
    check(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, product.sources, product.source,
                                         product.recv_count, product.targets, product.target,
                                         product.send_count, MPI_INFO_NULL, 0, &graph),
          "MPI_Dist_graph_create_adjacent");
    contest_open(&contest, &subject, graph, opt->turns);
    product.contest = &contest;
    check(MPI_Reduce(&product.sources, &most, 1, MPI_INT, MPI_MAX, 0, contest.helper),
          "MPI_Reduce");
    if (0 == product.rank) {
        printf("spmv: %s, %d rows on each of %d processes, which have up to %d neighbours\n",
               matrix_names[opt->matrix], product.rows, product.size, most);
    }
    status = contest_run(&contest, take_turn, &product);
    product_close(&product);
    contest_close(&contest);
    check(MPI_Comm_free(&graph), "MPI_Comm_free");
    return status;
}

int main(int argc, char **argv)
{
    struct options opt = {.cells = 10, .steps = 10, .turns = 11};

    return contest_main(argc, argv, &tool, &opt, run);
}
