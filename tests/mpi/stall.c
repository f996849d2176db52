/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: some of the first barriers take a second longer, as they do where a packet is
 * lost or a machine pauses. Each MPI_Test takes 10 ms longer.
 */
#include <mpi.h>
#include <time.h>

/* In collbench the second look at the one contestant there is, which has several calls. */
enum { FIRST_STALLED = 3, LAST_STALLED = 5 };

int MPI_Barrier(MPI_Comm comm)
{
    static int calls;
    const struct timespec second = {.tv_sec = 1};

    calls++;
    if (calls >= FIRST_STALLED && calls <= LAST_STALLED) {
        (void) nanosleep(&second, NULL);
    }
    return PMPI_Barrier(comm);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

    (void) nanosleep(&pause, NULL);
    return PMPI_Test(request, flag, status);
}
