/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who serves allreduce: the component with the highest priority on MPI_COMM_WORLD, and on others
 * those that the communicator's info key prefers or excludes.
 *
 *     selection [--expect WORDS]     of MPI_COMM_WORLD, in the words of counters.h
 */
#include "counters.h"

/* An allreduce gives the sum, and napcoll's counters say what was expected of it. The first one on
 * a communicator may make subcommunicators, whose making has allreduces of its own. */
static bool served(struct tap *tap, struct napcoll_counters *counters, MPI_Comm comm,
                   const char *words)
{
    struct expectation expectation;
    int mine = tap->rank + 1, sum = 0;
    bool met;

    mpi_check(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    expect_begin(&expectation, counters);
    mpi_check(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    met = expect_met(tap, &expectation, words);
    return met && tap->size * (tap->size + 1) / 2 == sum;
}

/* The same on a duplicate of the world with a preference. */
static bool served_by_preference(struct tap *tap, struct napcoll_counters *counters,
                                 const char *preference, const char *words)
{
    MPI_Comm comm = tap_dup(MPI_COMM_WORLD, preference, NULL, NULL);
    bool good = served(tap, counters, comm, words);

    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    return good;
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct tap tap;
    const char *expect;
    int status;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    expect = tap_option(argc, argv, "--expect", "runs");
    if (!expect_valid(expect)) {
        fprintf(stderr, "# --expect %s: not in the words of counters.h\n", expect);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    tap_ok(&tap, counters.num > 0, "this_process_has_napcoll");
    tap_ok(&tap, served(&tap, &counters, MPI_COMM_WORLD, expect), "world_is_served_by_priority");
    tap_ok(&tap, served_by_preference(&tap, &counters, "^napcoll", "none"),
           "info_key_excludes_napcoll");
    tap_ok(&tap, served_by_preference(&tap, &counters, "napcoll", "runs"),
           "info_key_prefers_napcoll");
    tap_ok(&tap, served_by_preference(&tap, &counters, "napcoll,tuned", "runs"),
           "info_key_prefers_napcoll_before_tuned");
    tap_ok(&tap, served_by_preference(&tap, &counters, "tuned,napcoll", "none"),
           "info_key_prefers_tuned_before_napcoll");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
