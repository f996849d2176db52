/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a communicator costs a process: heap while it lives, heap after it is freed, and processor time for its first
 * calls. The same communicators without napcoll are the measure. All 17 collectives are called with several sizes, and
 * their results are checked.
 *
 *     many_comms [--communicators N] [--budget-kib N] [--first-us N] [--cycles N] [--expect WORDS]
 */
#include <malloc.h>
#include <time.h>

#include "counters.h"
#include "every_collective.h"

enum { MOST_COMMUNICATORS = 1000, KINDS = 3 };

static const char *const kind_name[KINDS] = {"dup", "split", "reversed"};

static const int sizes[] = {1, 60, 700, 5000};

enum { NUM_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Bytes of the heap that are in use; 0 where the C library does not tell. */
static long heap(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();

    return (long) (info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

static double cpu_us(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec * 1e6 + (double) now.tv_nsec / 1e3;
}

static MPI_Comm make(int kind, const char *preference)
{
    MPI_Comm part, comm;
    int rank;

    if (0 == kind) {
        return tap_dup(MPI_COMM_WORLD, preference, NULL, NULL);
    }
    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    mpi_check(
        MPI_Comm_split(MPI_COMM_WORLD, 1 == kind ? rank % 2 : 0, 1 == kind ? rank : -rank, &part),
        "MPI_Comm_split");
    comm = tap_dup(part, preference, NULL, NULL);
    mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
    return comm;
}

/* The heap that communicators take while they live, per communicator; and what is left of it behind them. They are
 * freed from both ends. */
static bool live(int kind, const char *preference, int num, double *each, double *left)
{
    static MPI_Comm comm[MOST_COMMUNICATORS];
    const long before = heap();
    bool good = true;

    for (int i = 0; i < num; ++i) {
        comm[i] = make(kind, preference);
        for (int s = 0; s < NUM_SIZES; ++s) {
            good = call_every_collective(comm[i], sizes[s], i % 3) && good;
        }
    }
    *each = (double) (heap() - before) / num;
    for (int i = 0; i < num; ++i) {
        mpi_check(MPI_Comm_free(&comm[0 == i % 2 ? i / 2 : num - 1 - i / 2]), "MPI_Comm_free");
    }
    *left = (double) (heap() - before);
    return good;
}

static void check_heap(struct tap *tap, int num, double budget)
{
    double each[KINDS], left[KINDS], stock, stock_left;

    for (int kind = 0; kind < KINDS; ++kind) {
        bool good = live(kind, "napcoll", 4, &each[kind], &left[kind]) /* free lists fill up */
                    && live(kind, "^napcoll", 4, &stock, &stock_left);

        good = live(kind, "^napcoll", num, &stock, &stock_left) && good;
        good = live(kind, "napcoll", num, &each[kind], &left[kind]) && good;
        tap_ok(tap, good, "%d_communicators_by_%s_compute_right", num, kind_name[kind]);
        if (0 == tap->rank) {
            printf("# %s: %d communicators, heap of each: %.1f KiB, without napcoll %.1f; left "
                   "behind all: %.1f KiB, without napcoll %.1f\n",
                   kind_name[kind], num, each[kind] / 1024, stock / 1024, left[kind] / 1024,
                   stock_left / 1024);
        }
        if (0 == heap()) {
            tap_skip(tap, "heap_of_a_communicator", "no mallinfo2");
            continue;
        }
        if (each[kind] - stock > budget) {
            tap_note(tap, "%.1f KiB each, without napcoll %.1f", each[kind] / 1024, stock / 1024);
        }
        tap_ok(tap, each[kind] - stock <= budget, "a_communicator_by_%s_keeps_to_its_budget",
               kind_name[kind]);
    }
}

/* Loops of communicators that come and go leave nothing behind. */
static void check_growth(struct tap *tap, int cycles)
{
    long before = 0, after;
    bool good = true;

    for (int i = 0; i < 2 * cycles; ++i) {
        MPI_Comm comm = make(0, "napcoll"), part = make(1 + i % 2, "napcoll");

        before = i == cycles ? heap() : before;
        good = call_every_collective(part, sizes[i % NUM_SIZES], 0) && good;
        good = call_every_collective(comm, sizes[i % NUM_SIZES], i % 2) && good;
        mpi_check(MPI_Comm_free(0 == i % 2 ? &comm : &part), "MPI_Comm_free");
        mpi_check(MPI_Comm_free(0 == i % 2 ? &part : &comm), "MPI_Comm_free");
    }
    after = heap();
    if (0 == tap->rank) {
        printf("# %d cycles after %d: %ld bytes more, %.1f each\n", cycles, cycles, after - before,
               (double) (after - before) / cycles);
    }
    tap_ok(tap, good, "communicators_that_come_and_go_compute_right");
    tap_ok(tap, after - before < 16 * cycles + 65536,
           "communicators_that_come_and_go_leave_nothing");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

/* Processor time of the first calls on a communicator beyond that of the next ones: the median of some. */
static double first_us(struct tap *tap, const char *preference, int num, bool *good)
{
    static double us[MOST_COMMUNICATORS];

    for (int i = 0; i < num; ++i) {
        MPI_Comm comm = make(0, preference);
        double begin, middle;

        mpi_check(MPI_Barrier(tap->comm), "MPI_Barrier");
        begin = cpu_us();
        *good = call_six_collectives(comm, 8) && *good;
        middle = cpu_us();
        *good = call_six_collectives(comm, 8) && *good;
        us[i] = middle - begin - (cpu_us() - middle);
        mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    }
    qsort(us, (size_t) num, sizeof(us[0]), by_size);
    return us[num / 2];
}

static void check_first(struct tap *tap, int num, double budget)
{
    bool good = true;
    double us, stock;

    (void) first_us(tap, "napcoll", 2, &good); /* decides */
    us = first_us(tap, "napcoll", num, &good);
    stock = first_us(tap, "^napcoll", num, &good);
    if (0 == tap->rank) {
        printf("# first round of six collectives: %.1f us of processor time more than the second, "
               "without napcoll %.1f\n",
               us, stock);
    }
    tap_ok(tap, good, "first_rounds_compute_right");
    if (us > budget) {
        tap_note(tap, "%.1f us", us);
    }
    tap_ok(tap, us <= budget, "a_first_round_keeps_to_its_budget");
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    const char *expect;
    struct tap tap;
    int num, status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    expect = tap_option(argc, argv, "--expect", "any");
    num = (int) tap_option_number(argc, argv, "--communicators", 40);
    num = num < MOST_COMMUNICATORS ? num : MOST_COMMUNICATORS;
    expect_begin(&expectation, &counters);
    check_first(&tap, num, (double) tap_option_number(argc, argv, "--first-us", 200));
    check_heap(&tap, num, 1024.0 * (double) tap_option_number(argc, argv, "--budget-kib", 16));
    check_growth(&tap, (int) tap_option_number(argc, argv, "--cycles", 40));
    tap_ok(&tap, expect_valid(expect) && expect_met(&tap, &expectation, expect),
           "many_comms_ran_what_was_asked_for (%s)", expect);
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
