/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One process dies while all are busy with MPI_Allreduce, MPI_Iallreduce and MPI_Wait, or
 * MPI_Start and MPI_Wait: mpirun has to end the job by itself. The
 * script that starts this program checks that, that the status is not 0, and that FILE is there:
 * the process that dies makes it just before. (What a process prints then can be lost with the
 * job.)
 *
 *     die --mark FILE [--how exit|kill] [--rank N] [--rounds N] [--algorithm NAME]
 *         [--mode blocking|nonblocking|persistent]
 */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <unistd.h>

#include "modes.h"
#include "tap_mpi.h"

static void leave_mark(const char *path)
{
    FILE *mark = fopen(path, "w");

    if (NULL == mark || 0 != fclose(mark)) {
        fprintf(stderr, "# cannot make %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    const char *how, *algorithm, *mark;
    int rank, size, victim;
    double send, recv;
    long long rounds;
    MPI_Comm comm;
    enum mode mode;
    MPI_Request request = MPI_REQUEST_NULL;

    mpi_check(MPI_Init(&argc, &argv), "MPI_Init");
    how = tap_option(argc, argv, "--how", "exit");
    mark = tap_option(argc, argv, "--mark", NULL);
    if (NULL == mark) {
        fprintf(stderr, "# die needs --mark FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    algorithm = tap_option(argc, argv, "--algorithm", NULL);
    rounds = tap_option_number(argc, argv, "--rounds", 100);
    mpi_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    mpi_check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    victim = (int) tap_option_number(argc, argv, "--rank", size / 2 + 1) % size;
    comm = tap_dup(MPI_COMM_WORLD, "napcoll",
                   NULL == algorithm ? NULL : "napcoll_allreduce_algorithm", algorithm);
    mode = mode_named(tap_option(argc, argv, "--mode", "blocking"));
    send = rank;
    for (long long i = 0;; ++i) {
        if (i == rounds && rank == victim) {
            leave_mark(mark);
            if (0 == strcmp(how, "kill")) {
                (void) raise(SIGKILL);
            }
            _exit(3);
        }
        if (PERSISTENT != mode || 0 == i) {
            mpi_check(MAKE(mode, &request, Allreduce, allreduce, &send, &recv, 1, MPI_DOUBLE,
                           MPI_SUM, comm),
                      "a call of allreduce");
        }
        if (PERSISTENT == mode) {
            mpi_check(MPI_Start(&request), "MPI_Start");
        }
        mpi_check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}
