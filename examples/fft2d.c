/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fft2d: the Fourier transform of a grid of N x M complex numbers, distributed as FFTW's own MPI
 * transforms do it, with the time that its all-to-all takes by napcoll and by Open MPI's tuned.
 *
 *     mpirun -np 8 --mca coll napcoll,tuned build/examples/fft2d --rows 512 --columns 512
 *
 * Every process has a slab of rows. It transforms them, sends each other process its part of the
 * columns, and transforms its own columns; the grid is then transposed. With 3 processes:
 *
 *       N rows of M                    M columns of N
 *     +-----------+                  +---+---+---+
 *     | 0   0   0 |  all-to-all      | 0 | 1 | 2 |  of process 0
 *     +-----------+                  | 0 | 1 | 2 |
 *     | 1   1   1 |  -------->       | 0 | 1 | 2 |  of process 1
 *     +-----------+                  | 0 | 1 | 2 |
 *     | 2   2   2 |                  | 0 | 1 | 2 |  of process 2
 *     +-----------+                  +---+---+---+
 *      ->  ->  ->                     ->  ->  ->     one-dimensional transforms, by FFTW
 *
 * (A digit is the process whose rows the data come from.) If N and M are divisible by the number of
 * processes, the all-to-all is MPI_Alltoall, else MPI_Alltoallv: the slabs then differ by one row.
 * Processes beyond the number of rows have none.
 *
 * Checked with every component: a plane wave becomes a single peak at its wave numbers, and in
 * every turn the inverse transform gives the input back. Any MPI will do; napcoll and tuned are
 * compared if it has them. Exit status: 0 right, 1 wrong result, 2 bad command line.
 */
#include <complex.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fftw3.h>

#include "common/napcoll_numbers.h"
#include "contest.h"

enum { MESSAGE = 256, NUMBER_MAX = 1 << 24 };

const char napcoll_tool_name[] = "fft2d";

static const struct subject subject = {"alltoall", "all-to-alls", "tuned"};

/* Rounding errors are some 1e-16 times the logarithm of the size. */
static const double TOLERANCE = 1.0e-12;

static const char usage[] =
    "usage: mpirun ... fft2d [options]\n"
    "Transforms a grid of complex numbers there and back again, checks the results, and\n"
    "compares the time of the all-to-all by napcoll and by Open MPI's tuned.\n"
    "  --rows N      of the grid (default 512)\n"
    "  --columns M   of the grid (default 512)\n"
    "  --alltoallv   MPI_Alltoallv also where MPI_Alltoall would do\n"
    "  --turns N     measured turns, each there and back again (default 11)\n"
    "  -h, --help    this text\n"
    "For napcoll, mpirun needs --mca coll napcoll,tuned or no list at all.\n";

struct options {
    int rows, columns, turns;
    bool alltoallv, help;
};

/* Returns whether all is well; if not, the message says what is not. */
static bool parse_options(int argc, char **argv, struct options *opt, char message[MESSAGE])
{
    static const struct option known[] = {
        {"rows", required_argument, NULL, 'r'}, {"columns", required_argument, NULL, 'c'},
        {"alltoallv", no_argument, NULL, 'v'},  {"turns", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    int letter, index = 0;

    *opt = (struct options){.rows = 512, .columns = 512, .turns = 11};
    opterr = 0;
    while (-1 != (letter = getopt_long(argc, argv, ":h", known, &index))) {
        int value, most = 't' == letter ? TURNS_MAX : NUMBER_MAX;

        switch (letter) {
        case 'h':
            opt->help = true;
            return true;
        case 'v':
            opt->alltoallv = true;
            continue;
        case ':':
            snprintf(message, MESSAGE, "%.64s needs a value; see --help", argv[optind - 1]);
            return false;
        case '?':
            snprintf(message, MESSAGE, "%.64s is not an option; see --help", argv[optind - 1]);
            return false;
        default:
            break;
        }
        if (!napcoll_read_int(optarg, 1, most, &value)) {
            snprintf(message, MESSAGE, "--%s %.64s: expected a whole number from 1 to %d",
                     known[index].name, optarg, most);
            return false;
        }
        if ('r' == letter) {
            opt->rows = value;
        } else if ('c' == letter) {
            opt->columns = value;
        } else {
            opt->turns = value;
        }
    }
    if (optind < argc) {
        snprintf(message, MESSAGE, "%.64s is not an option; see --help", argv[optind]);
        return false;
    }
    return true;
}

/* The rows of a process, out of `total`: the first one and their number. The first processes
 * have one row more. */
static int slab_size(int total, int size, int rank)
{
    return total / size + (rank < total % size);
}

static int slab_first(int total, int size, int rank)
{
    int longer = total % size;

    return rank * (total / size) + (rank < longer ? rank : longer);
}

/* The grid before (0) or after (1) it was transposed: this process's lines, and the parts of
 * them that each process gets or sends. */
struct side {
    int lines, length;
    fftw_complex *data;
    int *counts, *displs;
    /* forward and inverse; NULL without lines */
    fftw_plan plan[2];
};

enum { ROWS, COLUMNS };
enum { FORTH, BACK };

struct grid {
    int rank, size;
    bool alltoallv;
    struct side side[2];
    fftw_complex *send, *recv;
};

/* Seconds on this process. */
struct times {
    double exchange, rest;
};

static fftw_complex *complex_room(size_t count)
{
    fftw_complex *memory = fftw_alloc_complex(count > 0 ? count : 1);

    if (NULL == memory) {
        fprintf(stderr, "fft2d: no memory for %zu complex numbers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static void side_open(struct side *s, int lines, int length, int size)
{
    static const int sign[] = {FFTW_FORWARD, FFTW_BACKWARD};

    s->lines = lines;
    s->length = length;
    s->data = complex_room((size_t) lines * (size_t) length);
    s->counts = room((size_t) size, sizeof(int));
    s->displs = room((size_t) size, sizeof(int));
    for (int rank = 0; rank < size; ++rank) {
        s->counts[rank] = lines * slab_size(length, size, rank);
        s->displs[rank] = lines * slab_first(length, size, rank);
    }
    for (int way = FORTH; lines > 0 && way <= BACK; ++way) {
        s->plan[way] = fftw_plan_many_dft(1, &s->length, lines, s->data, NULL, 1, length, s->data,
                                          NULL, 1, length, sign[way], FFTW_ESTIMATE);
        if (NULL == s->plan[way]) {
            fprintf(stderr, "fft2d: FFTW has no plan for %d transforms of %d\n", lines, length);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void side_close(struct side *s)
{
    for (int way = FORTH; s->lines > 0 && way <= BACK; ++way) {
        fftw_destroy_plan(s->plan[way]);
    }
    fftw_free(s->data);
    free(s->counts);
    free(s->displs);
}

/* Whether the largest slabs can be counted by MPI; the message says so if not. */
static bool grid_fits(const struct options *opt, int size, char message[MESSAGE])
{
    long long rows = slab_size(opt->rows, size, 0), columns = slab_size(opt->columns, size, 0);

    if (rows * opt->columns <= INT_MAX && columns * opt->rows <= INT_MAX) {
        return true;
    }
    snprintf(message, MESSAGE,
             "%d x %d numbers on %d processes: a slab would have more than the %d that MPI counts",
             opt->rows, opt->columns, size, INT_MAX);
    return false;
}

static void grid_open(struct grid *g, const struct options *opt, int rank, int size)
{
    size_t most;

    memset(g, 0, sizeof(*g));
    g->rank = rank;
    g->size = size;
    g->alltoallv = opt->alltoallv || 0 != opt->rows % size || 0 != opt->columns % size;
    side_open(&g->side[ROWS], slab_size(opt->rows, size, rank), opt->columns, size);
    side_open(&g->side[COLUMNS], slab_size(opt->columns, size, rank), opt->rows, size);
    most = (size_t) g->side[ROWS].lines * (size_t) opt->columns;
    if ((size_t) g->side[COLUMNS].lines * (size_t) opt->rows > most) {
        most = (size_t) g->side[COLUMNS].lines * (size_t) opt->rows;
    }
    g->send = complex_room(most);
    g->recv = complex_room(most);
}

static void grid_close(struct grid *g)
{
    side_close(&g->side[ROWS]);
    side_close(&g->side[COLUMNS]);
    fftw_free(g->send);
    fftw_free(g->recv);
    fftw_cleanup();
}

/* Transposed, the part for each process lies in one piece. */
static void pack(const struct side *from, fftw_complex *send)
{
    size_t lines = (size_t) from->lines, length = (size_t) from->length;

    for (size_t i = 0; i < lines; ++i) {
        for (size_t j = 0; j < length; ++j) {
            send[j * lines + i] = from->data[i * length + j];
        }
    }
}

/* Every process sent a piece of each line. */
static void unpack(const fftw_complex *recv, struct side *to, int size)
{
    for (int rank = 0; rank < size; ++rank) {
        size_t piece = (size_t) slab_size(to->length, size, rank);
        size_t first = (size_t) slab_first(to->length, size, rank);

        for (size_t i = 0; i < (size_t) to->lines; ++i) {
            memcpy(to->data + i * (size_t) to->length + first,
                   recv + (size_t) to->displs[rank] + i * piece, piece * sizeof(*recv));
        }
    }
}

static void transpose(struct grid *g, int way, MPI_Comm comm, struct times *times)
{
    struct side *from = &g->side[FORTH == way ? ROWS : COLUMNS];
    struct side *to = &g->side[FORTH == way ? COLUMNS : ROWS];
    double packed, started, ended, start = MPI_Wtime();
    int rc;

    pack(from, g->send);
    packed = MPI_Wtime();
    /* All bits set are not a number: what does not arrive spoils the result. */
    memset(g->recv, 0xff, (size_t) to->lines * (size_t) to->length * sizeof(*g->recv));
    check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    started = MPI_Wtime();
    if (g->alltoallv) {
        rc = MPI_Alltoallv(g->send, from->counts, from->displs, MPI_C_DOUBLE_COMPLEX, g->recv,
                           to->counts, to->displs, MPI_C_DOUBLE_COMPLEX, comm);
    } else {
        rc = MPI_Alltoall(g->send, from->counts[0], MPI_C_DOUBLE_COMPLEX, g->recv, to->counts[0],
                          MPI_C_DOUBLE_COMPLEX, comm);
    }
    ended = MPI_Wtime();
    check(rc, g->alltoallv ? "MPI_Alltoallv" : "MPI_Alltoall");
    unpack(g->recv, to, g->size);
    times->exchange += ended - started;
    times->rest += packed - start + (MPI_Wtime() - ended);
}

static void transform_lines(struct side *s, int way, struct times *times)
{
    double start = MPI_Wtime();

    if (s->lines > 0) {
        fftw_execute(s->plan[way]);
    }
    times->rest += MPI_Wtime() - start;
}

/* The transform of the rows ends in the columns; the inverse leaves N M times the input in the
 * rows. */
static void transform(struct grid *g, int way, MPI_Comm comm, struct times *times)
{
    transform_lines(&g->side[FORTH == way ? ROWS : COLUMNS], way, times);
    transpose(g, way, comm, times);
    transform_lines(&g->side[FORTH == way ? COLUMNS : ROWS], way, times);
}

/* What a process finds wrong: numbers that are off, and the largest error of all. */
struct errors {
    long long wrong;
    double largest;
};

static void compare(struct errors *e, double complex got, double complex expected, double scale)
{
    double error = cabs(got - expected) / scale;

    /* a NaN is wrong, too */
    e->wrong += !(error <= TOLERANCE);
    e->largest = error > e->largest ? error : e->largest;
}

/* Whether all ranks are content. */
static bool agree(struct errors *e)
{
    struct errors mine = *e;

    check(MPI_Allreduce(&mine.wrong, &e->wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD),
          "MPI_Allreduce");
    check(MPI_Allreduce(&mine.largest, &e->largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
          "MPI_Allreduce");
    return 0 == e->wrong;
}

/* Any numbers between -1 and 1 that a place in the grid and a turn determine (splitmix64). */
static double noise(uint64_t place)
{
    uint64_t z = (place + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double) ((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

static double complex input(size_t i, size_t j, size_t columns, int turn)
{
    uint64_t place = (uint64_t) turn << 50 ^ (uint64_t) (i * columns + j) << 1;

    return noise(place) + I * noise(place + 1);
}

/* The wave has whole numbers of periods along both sides of the grid. */
static bool wave_becomes_a_peak(struct grid *g, MPI_Comm comm, struct errors *errors)
{
    struct side *rows = &g->side[ROWS], *columns = &g->side[COLUMNS];
    int n = columns->length, m = rows->length, wave_n = n / 3, wave_m = m / 4;
    int first_row = slab_first(n, g->size, g->rank), first_column = slab_first(m, g->size, g->rank);
    double circle = 2.0 * acos(-1.0), all = (double) n * m;
    struct times unused = {0};

    for (int i = 0; i < rows->lines; ++i) {
        for (int j = 0; j < m; ++j) {
            double turns = (double) ((long long) wave_n * (first_row + i) % n) / n
                           + (double) ((long long) wave_m * j % m) / m;

            rows->data[(size_t) i * (size_t) m + (size_t) j] = cexp(I * circle * turns);
        }
    }
    transform(g, FORTH, comm, &unused);
    for (int j = 0; j < columns->lines; ++j) {
        for (int i = 0; i < n; ++i) {
            bool peak = wave_n == i && wave_m == first_column + j;

            compare(errors, columns->data[(size_t) j * (size_t) n + (size_t) i], peak ? all : 0.0,
                    all);
        }
    }
    return agree(errors);
}

/* There and back again, with times. */
static bool input_comes_back(struct grid *g, int turn, MPI_Comm comm, struct times *times,
                             struct errors *errors)
{
    struct side *rows = &g->side[ROWS];
    size_t m = (size_t) rows->length;
    size_t first = (size_t) slab_first(g->side[COLUMNS].length, g->size, g->rank);
    double all = (double) g->side[COLUMNS].length * (double) m;

    for (size_t i = 0; i < (size_t) rows->lines; ++i) {
        for (size_t j = 0; j < m; ++j) {
            rows->data[i * m + j] = input(first + i, j, m, turn);
        }
    }
    transform(g, FORTH, comm, times);
    transform(g, BACK, comm, times);
    for (size_t i = 0; i < (size_t) rows->lines; ++i) {
        for (size_t j = 0; j < m; ++j) {
            compare(errors, rows->data[i * m + j] / all, input(first + i, j, m, turn), 1.0);
        }
    }
    return agree(errors);
}

/* One turn of one contestant; turn 0 is not counted. */
static bool take_turn(struct grid *g, struct contest *c, struct contestant *one, int turn,
                      struct errors *errors)
{
    struct times times = {0};
    bool good = input_comes_back(g, turn, one->comm, &times, errors);

    contest_took(c, one, turn, times.exchange, times.exchange + times.rest, 2);
    return good;
}

static void say_wrong(int rank, const char *label, const char *what, const struct errors *errors)
{
    if (0 == rank) {
        fprintf(stderr, "fft2d: wrong result with %s: %s: %lld numbers are off (by up to %g)\n",
                label, what, errors->wrong, errors->largest);
    }
}

/* Checks all, then measures; returns the exit status. */
static int run_fft2d(struct grid *g, struct contest *c)
{
    struct errors forth = {0}, back = {0};

    for (int i = 0; i < c->num; ++i) {
        if (!wave_becomes_a_peak(g, c->contestant[i].comm, &forth)) {
            say_wrong(g->rank, c->contestant[i].label, "the transform of a plane wave", &forth);
            return 1;
        }
        contest_asked(c, &c->contestant[i], 1);
    }
    for (int turn = 0; turn <= c->turns; ++turn) {
        for (int i = 0; i < c->num; ++i) {
            /* Who is first changes from turn to turn. */
            struct contestant *one = &c->contestant[(i + turn) % c->num];

            if (!take_turn(g, c, one, turn, &back)) {
                say_wrong(g->rank, one->label, "the input that should come back", &back);
                return 1;
            }
        }
    }
    if (0 == g->rank) {
        printf("a plane wave becomes one peak (largest error %.1e); the input comes back (%.1e)\n",
               forth.largest, back.largest);
        printf("medians of %d turns, there and back again, of the slowest rank; ratio: of the "
               "exchanges, to %s in the same turn\n",
               c->turns, c->contestant[0].label);
        contest_report(c);
    }
    return 0;
}

int main(int argc, char **argv)
{
    char message[MESSAGE] = "";
    struct options opt;
    struct contest contest;
    struct grid grid;
    int rank, size, status = 0;

    check(MPI_Init(&argc, &argv), "MPI_Init");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    if (!parse_options(argc, argv, &opt, message)
        || (!opt.help && !grid_fits(&opt, size, message))) {
        status = 2;
        if (0 == rank) {
            fprintf(stderr, "fft2d: %s\n", message);
        }
    } else if (opt.help) {
        if (0 == rank) {
            fputs(usage, stdout);
        }
    } else {
        contest_open(&contest, &subject, MPI_COMM_WORLD, opt.turns);
        grid_open(&grid, &opt, rank, size);
        if (0 == rank) {
            printf("fft2d: %d x %d complex numbers on %d process%s, %s\n", opt.rows, opt.columns,
                   size, 1 == size ? "" : "es", grid.alltoallv ? "MPI_Alltoallv" : "MPI_Alltoall");
        }
        status = run_fft2d(&grid, &contest);
        grid_close(&grid);
        contest_close(&contest);
    }
    check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
