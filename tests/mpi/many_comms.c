/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a communicator costs a process: heap while it lives, heap after it is freed, and processor
 * time for its first calls. The same communicators without napcoll are the measure. All 17
 * collectives are called with several sizes, and their results are checked. And that communicators
 * which share decisions and plans stay what their users made them.
 *
 *     many_comms [--communicators N] [--budget-kib N] [--first-times N] [--cycles N]
 *
 * With 0 communicators only what they share is checked.
 */
#include <time.h>

#include "counters.h"
#include "each_call.h"
#include "heap.h"

enum { MOST_COMMUNICATORS = 1000, KINDS = 3 };

static const char *const kind_name[KINDS] = {"dup", "split", "reversed"};

static const int sizes[] = {2, 120, 1400, 10000};

enum { NUM_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

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

/* The heap that communicators take while they live, per communicator; and what is left of it behind
 * them. They are freed from both ends. */
static bool live(int kind, const char *preference, int num, double *each, double *left)
{
    static MPI_Comm comm[MOST_COMMUNICATORS];
    const long before = heap();
    bool good = true;

    for (int i = 0; i < num; ++i) {
        comm[i] = make(kind, preference);
        for (int s = 0; s < NUM_SIZES; ++s) {
            good = each_of(comm[i], EACH_CALLS, sizes[s], i % 3) && good;
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
        good = each_of(part, EACH_CALLS, sizes[i % NUM_SIZES], 0) && good;
        good = each_of(comm, EACH_CALLS, sizes[i % NUM_SIZES], i % 2) && good;
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

/* Processor time of six calls on new communicators, of the first ones and of the next: the least of
 * some, in which the process waited for others least. */
static bool six_us(struct tap *tap, const char *preference, int num, double us[2])
{
    bool good = true;

    us[0] = us[1] = 1e9;
    for (int i = 0; i < num; ++i) {
        MPI_Comm comm = make(0, preference);

        for (int again = 0; again < 2; ++again) {
            double begin;

            mpi_check(MPI_Barrier(tap->comm), "MPI_Barrier");
            begin = cpu_us();
            good = each_of(comm, EACH_COMMON, 16, 0) && good;
            begin = cpu_us() - begin;
            us[again] = begin < us[again] ? begin : us[again];
        }
        mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    }
    return good;
}

/* The set-up of six calls takes at most `most` times as long as the calls take without napcoll. */
static void check_first(struct tap *tap, int num, double most)
{
    double us[2], stock[2], times;
    /* Decides */
    bool good = six_us(tap, "napcoll", 2, us);

    good = six_us(tap, "napcoll", num, us) && good;
    good = six_us(tap, "^napcoll", num, stock) && good;
    if (0 == tap->rank) {
        printf("# six collectives on a new communicator: %.1f us of processor time, again %.1f us; "
               "without napcoll %.1f us and %.1f us\n",
               us[0], us[1], stock[0], stock[1]);
    }
    tap_ok(tap, good, "first_rounds_compute_right");
    times = (us[0] - us[1]) / stock[1];
    if (times > most) {
        tap_note(tap, "%.1f us, again %.1f us, without napcoll %.1f us", us[0], us[1], stock[1]);
    }
    tap_ok(tap, times <= most, "a_first_round_keeps_to_its_budget");
}

/* Calls on communicators of one group with different info keys, in turn: each goes by its own. */
static void check_info_keys(struct tap *tap, struct napcoll_counters *allreduce)
{
    static const char *const asked[] = {"recursive_doubling", "nap local_radix=2", "smp",
                                        "nap local_radix=3", "fallback"};
    static const char *const expected[] = {"runs:recursive_doubling", "runs:nap", "runs:smp",
                                           "runs:nap", "fallback:forced"};
    enum { KEYS = sizeof(asked) / sizeof(asked[0]) };
    struct expectation expectation;
    MPI_Comm comm[KEYS];
    bool good = true;

    for (int i = 0; i < KEYS; ++i) {
        comm[i] = tap_dup(MPI_COMM_WORLD, "napcoll", "napcoll_allreduce_algorithm", asked[i]);
    }
    for (int i = 0; i < 3 * KEYS; ++i) {
        expect_begin(&expectation, allreduce);
        good = each_of(comm[i * 2 % KEYS], EACH_CALLS, 120, 0) && good;
        good = expect_met(tap, &expectation, expected[i * 2 % KEYS]) && good;
    }
    for (int i = 0; i < KEYS; ++i) {
        mpi_check(MPI_Comm_free(&comm[i]), "MPI_Comm_free");
    }
    tap_ok(tap, good, "dups_with_different_info_keys_differ");
}

/* Two communicators that have met the same roots in different orders: what ranks choose depends on
 * the first one. */
static void check_roots(struct tap *tap)
{
    MPI_Comm up = make(0, "napcoll"), down = make(0, "napcoll");
    bool good = true;

    for (int root = 0; root < tap->size; ++root) {
        for (int s = 0; s < NUM_SIZES; ++s) {
            good = each_of(up, EACH_CALLS, sizes[s], root) && good;
            good = each_of(down, EACH_CALLS, sizes[s], tap->size - 1 - root) && good;
        }
    }
    mpi_check(MPI_Comm_free(&up), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&down), "MPI_Comm_free");
    tap_ok(tap, good, "roots_in_another_order_compute_right");
}

/* Ranks that have met others before: pasts differ within each new communicator, and so does what
 * processes find. */
static void check_pasts(struct tap *tap)
{
    bool good = true;

    for (int width = 2; width < tap->size; ++width) {
        for (int shift = 0; shift < 3; ++shift) {
            MPI_Comm part, again;

            mpi_check(MPI_Comm_split(MPI_COMM_WORLD, (tap->rank + shift) / width,
                                     1 == shift ? -tap->rank : tap->rank, &part),
                      "MPI_Comm_split");
            good = each_of(part, EACH_CALLS, sizes[(width + shift) % NUM_SIZES], shift) && good;
            mpi_check(MPI_Comm_dup(part, &again), "MPI_Comm_dup");
            mpi_check(MPI_Comm_free(&part), "MPI_Comm_free");
            good = each_of(again, EACH_CALLS, sizes[width % NUM_SIZES], 0) && good;
            mpi_check(MPI_Comm_free(&again), "MPI_Comm_free");
        }
    }
    tap_ok(tap, good, "ranks_with_different_pasts_compute_right");
}

/* Ranks in other orders, some of which are placed alike. */
static void check_orders(struct tap *tap)
{
    MPI_Comm comm[4];
    bool good = true;

    for (int i = 0; i < 4; ++i) {
        const int key[] = {tap->rank, -tap->rank, tap->rank ^ 1, tap->rank * 5 % 7};

        mpi_check(MPI_Comm_split(MPI_COMM_WORLD, 0, key[i], &comm[i]), "MPI_Comm_split");
    }
    for (int i = 0; i < 4 * NUM_SIZES; ++i) {
        good = each_of(comm[i % 4], EACH_CALLS, sizes[i / 4], i % 3) && good;
    }
    for (int i = 0; i < 4; ++i) {
        mpi_check(MPI_Comm_free(&comm[i]), "MPI_Comm_free");
    }
    tap_ok(tap, good, "ranks_in_other_orders_compute_right");
}

/* The collectives that napcoll is to have run at least once. */
static const char *const watched[] = {"allreduce", "reduce",    "barrier",        "allgather",
                                      "bcast",     "alltoall",  "reduce_scatter", "gather",
                                      "scatter",   "allgatherv"};

enum { NUM_WATCHED = sizeof(watched) / sizeof(watched[0]) };

static void check_runs(struct tap *tap, struct napcoll_counters *counters)
{
    for (int i = 0; i < NUM_WATCHED; ++i) {
        tap_ok(tap, counted_runs(&counters[i]) > 0, "napcoll_ran_%s", watched[i]);
    }
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters[NUM_WATCHED];
    struct tap tap;
    int num, status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    for (int i = 0; i < NUM_WATCHED; ++i) {
        mpi_check(napcoll_counters_open(&counters[i], watched[i]), "MPI_T_init_thread");
    }
    num = atoi(tap_option(argc, argv, "--communicators", "40"));
    num = num < MOST_COMMUNICATORS ? num : MOST_COMMUNICATORS;
    if (num > 0) {
        check_first(&tap, num, (double) tap_option_number(argc, argv, "--first-times", 12));
        check_heap(&tap, num, 1024.0 * (double) tap_option_number(argc, argv, "--budget-kib", 16));
        check_growth(&tap, (int) tap_option_number(argc, argv, "--cycles", 40));
    }
    check_info_keys(&tap, &counters[0]);
    check_roots(&tap);
    check_pasts(&tap);
    check_orders(&tap);
    check_runs(&tap, counters);
    for (int i = 0; i < NUM_WATCHED; ++i) {
        mpi_check(napcoll_counters_close(&counters[i]), "MPI_T_finalize");
    }
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
