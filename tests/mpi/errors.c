/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Errors inside an allreduce reach the caller, and leave a communicator that works: rank 0 of two
 * gives a smaller count than the other, so what it receives is too long.
 */
#include "counters.h"
#include "tap_mpi.h"

enum { SHORT = 10, LONG = 100, ROUNDS = 20 };

static bool works(MPI_Comm comm, int rank)
{
    int in[LONG], out[LONG];

    for (int i = 0; i < LONG; ++i) {
        in[i] = i + rank;
    }
    if (MPI_SUCCESS != MPI_Allreduce(in, out, LONG, MPI_INT, MPI_SUM, comm)) {
        return false;
    }
    for (int i = 0; i < LONG; ++i) {
        if (2 * i + 1 != out[i]) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct napcoll_counters counters;
    struct expectation expectation;
    int in[LONG] = {0}, out[LONG], error_class = MPI_SUCCESS, other = MPI_ERR_TRUNCATE, rc, status;
    bool told, usable = true;
    const char *algorithm;
    struct tap tap;
    MPI_Comm comm;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    tap_open(&tap);
    algorithm = tap_option(argc, argv, "--algorithm", "smp");
    mpi_check(napcoll_counters_open(&counters, "allreduce"), "MPI_T_init_thread");
    comm = tap_dup(MPI_COMM_WORLD, "napcoll", "napcoll_allreduce_algorithm", algorithm);
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    expect_begin(&expectation, &counters);
    for (int i = 0; i < ROUNDS; ++i) {
        rc = MPI_Allreduce(in, out, 0 == tap.rank ? SHORT : LONG, MPI_INT, MPI_SUM, comm);
        if (0 == tap.rank) {
            mpi_check(MPI_Error_class(rc, &error_class), "MPI_Error_class");
            other = MPI_ERR_TRUNCATE == other ? error_class : other;
        }
        usable = usable && works(comm, tap.rank);
    }
    told = MPI_ERR_TRUNCATE == other;
    if (!told) {
        tap_note(&tap, "error class %d instead of MPI_ERR_TRUNCATE", other);
    }
    tap_ok(&tap, 2 == tap.size, "two_ranks");
    tap_ok(&tap, told, "truncation_reaches_the_caller");
    tap_ok(&tap, usable, "communicator_works_after_an_error");
    tap_ok(&tap, expect_met(&tap, &expectation, "runs"), "errors_ran_in_napcoll");
    mpi_check(MPI_Comm_free(&comm), "MPI_Comm_free");
    mpi_check(napcoll_counters_close(&counters), "MPI_T_finalize");
    status = tap_close(&tap);
    mpi_check(MPI_Finalize(), "MPI_Finalize");
    return status;
}
