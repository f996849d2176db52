/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Duplicates, uses and frees communicators many times over and watches the resident memory: what
 * napcoll keeps per communicator goes with it, in whatever order they are freed.
 *
 *     dup_free [--cycles N] [--warm-up N] [--growth-kib N] [--expect WORDS]
 *
 * Duplicates do not inherit info keys: napcoll's parameter chooses the algorithm.
 */
#include <unistd.h>

#include "counters.h"

enum { FAMILY = 4 };

/* Resident memory of this process in KiB; -1 where the system does not tell. */
static long resident_kib(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    long pages, resident = -1;

    if (NULL == statm) {
        return -1;
    }
    if (2 != fscanf(statm, "%ld %ld", &pages, &resident)) {
        resident = -1;
    }
    fclose(statm);
    return resident < 0 ? -1 : resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool used_well(MPI_Comm comm, int cycle)
{
    int rank, size, sent, got;

    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    sent = rank + cycle;
    mpi_check(MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    return got == size * (size - 1) / 2 + size * cycle;
}

/* parent -> child -> grandchild and a sibling, freed in an order that changes with the cycle. */
static bool family(MPI_Comm parent, int cycle)
{
    MPI_Comm comm[FAMILY];
    bool good;

    mpi_check(MPI_Comm_dup(parent, &comm[0]), "MPI_Comm_dup");
    good = used_well(comm[0], cycle);
    mpi_check(MPI_Comm_dup(comm[0], &comm[1]), "MPI_Comm_dup");
    good = used_well(comm[1], cycle) && good;
    mpi_check(MPI_Comm_dup(comm[1], &comm[2]), "MPI_Comm_dup");
    mpi_check(MPI_Comm_dup(comm[0], &comm[3]), "MPI_Comm_dup");
    /* And comm[2] goes unused */
    good = used_well(comm[3], cycle) && good;
    for (int i = 0; i < FAMILY; ++i) {
        int k = 0 == cycle % 2 ? i : FAMILY - 1 - i;

        k = (k + cycle / 2) % FAMILY;
        mpi_check(MPI_Comm_free(&comm[k]), "MPI_Comm_free");
    }
    return good;
}

static bool one(MPI_Comm parent, int cycle)
{
    MPI_Comm comm;
    bool good;

    mpi_check(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup");
    good = used_well(comm, cycle);
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    return good;
}

/* True while all results are right. Every hundredth cycle is a family. */
static bool cycles(MPI_Comm parent, int num)
{
    bool good = true;

    for (int i = 0; i < num; ++i) {
        good = (0 == i % 100 ? family(parent, i / 100) : one(parent, i)) && good;
    }
    return good;
}

static void run_dup_free(struct tap *tap, int argc, char **argv)
{
    static struct napcoll_counters counters;
    const char *expect = tap_option(argc, argv, "--expect", "any");
    int num = (int) tap_option_number(argc, argv, "--cycles", 10000);
    int warm_up = (int) tap_option_number(argc, argv, "--warm-up", 1000);
    long allowed = (long) tap_option_number(argc, argv, "--growth-kib", 4096);
    struct expectation expectation;
    long before, after;
    MPI_Comm parent;
    bool good;

    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &parent), "MPI_Comm_dup");
    expect_begin(&expectation, &counters);
    good = cycles(parent, warm_up);
    before = resident_kib();
    good = cycles(parent, num) && good;
    after = resident_kib();
    tap_ok(tap, good, "dup_allreduce_free_%d_times_right", num);
    tap_ok(tap, expect_valid(expect) && expect_met(tap, &expectation, expect),
           "dup_free_ran_what_was_asked_for (%s)", expect);
    if (before < 0 || after < 0) {
        tap_skip(tap, "dup_allreduce_free_without_growth", "no /proc/self/statm");
    } else {
        if (after - before > allowed) {
            tap_note(tap, "grew by %ld KiB, from %ld to %ld, in %d cycles", after - before, before,
                     after, num);
        }
        tap_ok(tap, after - before <= allowed, "dup_allreduce_free_without_growth");
    }
    mpi_check(MPI_Comm_free(&parent), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
}

/* Left to MPI_Finalize: communicators nobody freed, and one freed while a child lives on. */
static void leave_some(struct tap *tap)
{
    MPI_Comm parent, child, kept;
    bool good;

    mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &parent), "MPI_Comm_dup");
    good = used_well(parent, 1);
    mpi_check(MPI_Comm_dup(parent, &child), "MPI_Comm_dup");
    mpi_check(MPI_Comm_free(&parent), "MPI_Comm_free");
    good = used_well(child, 2) && good;
    mpi_check(MPI_Comm_split(MPI_COMM_WORLD, tap->rank % 3, tap->rank, &kept), "MPI_Comm_split");
    good = used_well(kept, 3) && good;
    tap_ok(tap, good, "communicators_left_to_finalize");
}

int main(int argc, char **argv)
{
    struct tap tap;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    run_dup_free(&tap, argc, argv);
    leave_some(&tap);
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
