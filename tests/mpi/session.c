/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sessions of MPI 4: a communicator without MPI_Init and without MPI_COMM_WORLD, and all of it
 * once more, so that components are opened, closed and opened again.
 *
 *     session [--rounds N]     (default 2; 1 before Open MPI 6, where a process that opens a second
 *                              session hangs now and then, with or without napcoll)
 */
#include "counters.h"

/* Open MPI 5.0 has them, though its MPI_VERSION is 3. */
#ifndef MPI_SESSION_NULL

int main(int argc, char **argv)
{
    struct tap tap = {0};

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    tap_skip(&tap, "session", "this MPI has no sessions");
    (void) tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return 0;
}

#else

enum { COUNT = 100, ROUNDS = OMPI_MAJOR_VERSION < 6 ? 1 : 2 };

static MPI_Comm whole_world(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm;

    mpi_check(MPI_Group_from_session_pset(session, "mpi://WORLD", &group),
              "MPI_Group_from_session_pset");
    mpi_check(
        MPI_Comm_create_from_group(group, "napcoll test", MPI_INFO_NULL, MPI_ERRORS_ABORT, &comm),
        "MPI_Comm_create_from_group");
    mpi_check(MPI_Group_free(&group), "MPI_Group_free");
    return comm;
}

static bool sums(MPI_Comm comm, int rank, int size)
{
    int in[COUNT], out[COUNT];
    bool right = true;

    for (int i = 0; i < COUNT; ++i) {
        in[i] = rank + i;
    }
    mpi_check(MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    for (int i = 0; i < COUNT; ++i) {
        right = right && size * (size - 1) / 2 + size * i == out[i];
    }
    return right;
}

static void one_session(struct tap *tap, struct napcoll_counters *counters, int round)
{
    struct expectation expectation;
    MPI_Session session;
    MPI_Comm comm;
    bool right, met;

    mpi_check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &session), "MPI_Session_init");
    comm = whole_world(session);
    mpi_check(MPI_Comm_rank(comm, &tap->rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(comm, &tap->size), "MPI_Comm_size");
    tap->comm = tap_dup(comm, "basic,^napcoll", NULL, NULL);

    mpi_check(napcoll_counters_open(counters, "allreduce"), "MPI_T_init_thread");
    expect_begin(&expectation, counters);
    right = sums(comm, tap->rank, tap->size);
    met = expect_met(tap, &expectation, "runs");
    mpi_check(napcoll_counters_close(counters), "MPI_T_finalize");
    tap_ok(tap, right, "session_%d_sum_is_right", round);
    tap_ok(tap, met, "session_%d_ran_in_napcoll", round);

    mpi_check(MPI_Comm_free(&tap->comm), "MPI_Comm_free");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(MPI_Session_finalize(&session), "MPI_Session_finalize");
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct tap tap = {0};
    int rounds = (int) tap_option_number(argc, argv, "--rounds", ROUNDS);

    for (int round = 1; round <= rounds; ++round) {
        memset(&counters, 0, sizeof(counters));
        one_session(&tap, &counters, round);
    }
    if (0 == tap.rank) {
        printf("1..%d\n", tap.num);
    }
    return 0 == tap.failed ? 0 : 1;
}

#endif
