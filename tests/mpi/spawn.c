/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Allreduce on a communicator that joins two jobs: the parents spawn as many children and merge
 * with them. The launcher tells a process nothing of another job's nodes, so the node map of the
 * merged communicator comes from the processes themselves. Run it on several (emulated) nodes.
 *
 *     spawn [NAME=VALUE]
 *
 * The children have NAME=VALUE in their environment; a setting of napcoll, or one by which they
 * lack it, leaves what is common to the fallback component.
 */
#include "counters.h"
#include "tap_mpi.h"

enum { ELEMENTS = 5 };

/* Sums of several sizes of group: the merged one, and halves that mix or separate the jobs. */
static bool sums_right(struct tap *tap, MPI_Comm comm)
{
    double in[ELEMENTS], out[ELEMENTS];
    int rank, size;

    mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    for (int i = 0; i < ELEMENTS; ++i) {
        in[i] = rank + 10.0 * i;
        out[i] = -1.0;
    }
    mpi_check(MPI_Allreduce(in, out, ELEMENTS, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
    for (int i = 0; i < ELEMENTS; ++i) {
        double expected = size * (size - 1) / 2.0 + 10.0 * i * size;

        if (out[i] < expected || out[i] > expected) {
            tap_note(tap, "element %d: got %.17g, expected %.17g", i, out[i], expected);
            return false;
        }
    }
    return true;
}

static bool halves_right(struct tap *tap, MPI_Comm all, bool by_job, bool child)
{
    MPI_Comm half;
    int rank;
    bool right;

    mpi_check(MPI_Comm_rank(all, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_split(all, by_job ? child : rank % 2, -rank, &half), "MPI_Comm_split");
    right = sums_right(tap, half);
    mpi_check(MPI_Comm_free(&half), "MPI_Comm_free");
    return right;
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    struct tap tap;
    MPI_Comm parent, between, all;
    MPI_Info info;
    bool child, alike = 1 == argc, right[3];
    int status, good, everywhere = 0;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    mpi_check(MPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
    child = MPI_COMM_NULL != parent;
    tap_open(&tap);
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    if (child) {
        between = parent;
    } else {
        /* Children have the mapping and binding of their own, unless told; cores may be few. */
        mpi_check(MPI_Info_create(&info), "MPI_Info_create");
        mpi_check(MPI_Info_set(info, "bind_to", "none"), "MPI_Info_set");
        mpi_check(alike
                      ? MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, tap.size, info, 0, MPI_COMM_WORLD,
                                       &between, MPI_ERRCODES_IGNORE)
                      : MPI_Comm_spawn("env", (char *[]){argv[1], argv[0], argv[1], NULL}, tap.size,
                                       info, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE),
                  "MPI_Comm_spawn");
        mpi_check(MPI_Info_free(&info), "MPI_Info_free");
    }
    mpi_check(MPI_Intercomm_merge(between, child, &all), "MPI_Intercomm_merge");
    expect_begin(&expectation, &counters);
    right[0] = sums_right(&tap, all);
    /* a job without napcoll has no counters */
    good = (!alike && 0 == counters.num)
           || expect_met(&tap, &expectation, alike ? "runs" : "fallback:jobs");
    right[1] = halves_right(&tap, all, false, child);
    right[2] = halves_right(&tap, all, true, child);
    good = good && right[0] && right[1] && right[2];
    mpi_check(MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_MIN, all), "MPI_Allreduce");
    status = 0 == everywhere;
    if (!child) {
        tap_ok(&tap, right[0], "allreduce_over_two_jobs");
        tap_ok(&tap, right[1], "allreduce_over_halves_of_two_jobs");
        tap_ok(&tap, right[2], "allreduce_within_one_of_two_jobs");
        tap_ok(&tap, 1 == everywhere,
               alike ? "allreduce_over_two_jobs_ran_in_napcoll_on_all_ranks"
                     : "allreduce_over_two_jobs_was_left_alone_on_all_ranks");
        status = tap_close(&tap);
    } else {
        mpi_check(MPI_Comm_free(&tap.comm), "MPI_Comm_free");
    }
    mpi_check(MPI_Comm_free(&all), "MPI_Comm_free");
    mpi_check(MPI_Comm_disconnect(&between), "MPI_Comm_disconnect");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
