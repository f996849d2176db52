/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The collectives that collbench can measure: one row each. The input of every rank is known to
 * every other, so the expected output is a formula and each contestant is checked on its own.
 */
#include <limits.h>

#include "bench.h"

enum { INPUT_PERIOD = 251 };

static double pattern(size_t element, int turn)
{
    return 1.0 + (double) ((element * 7 + (size_t) turn * 13) % INPUT_PERIOD);
}

double collective_input(size_t element, int turn, int rank)
{
    double r = (double) rank + 1.0;

    return r * r * pattern(element, turn); /* squares: a swapped pair of ranks does not cancel */
}

static double untouched(size_t element, int turn, int rank)
{
    (void) element;
    (void) turn;
    (void) rank;
    return -1.0;
}

static int allreduce_run(const double *send, double *recv, int count, MPI_Comm comm)
{
    return MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
}

static double allreduce_after(size_t element, int turn, int size)
{
    double p = (double) size;

    return p * (p + 1.0) * (2.0 * p + 1.0) / 6.0 * pattern(element, turn);
}

static int bcast_run(const double *send, double *recv, int count, MPI_Comm comm)
{
    (void) send;
    return MPI_Bcast(recv, count, MPI_DOUBLE, 0, comm);
}

static double bcast_before(size_t element, int turn, int rank)
{
    return 0 == rank ? collective_input(element, turn, 0) : -1.0;
}

static double bcast_after(size_t element, int turn, int size)
{
    (void) size;
    return collective_input(element, turn, 0);
}

static int barrier_run(const double *send, double *recv, int count, MPI_Comm comm)
{
    (void) send;
    (void) recv;
    (void) count;
    return MPI_Barrier(comm);
}

static const struct collective table[] = {
    {"allreduce", "sum of doubles", true, allreduce_run, untouched, allreduce_after},
    {"bcast", "doubles from rank 0", true, bcast_run, bcast_before, bcast_after},
    {"barrier", "no data", false, barrier_run, NULL, NULL},
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
