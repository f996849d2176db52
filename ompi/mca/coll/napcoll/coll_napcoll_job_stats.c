/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The job's call statistics: in MPI_Finalize the tables of all processes go to process 0, up a tree
 * of radix 4 over the ranks of MPI_COMM_WORLD. Each rank merges its children's tables into its own.
 * A process's table takes two messages, the number of its numbers and then these.
 *
 * A process that has failed (ULFM) sends nothing, and messages on MPI_COMM_WORLD end with an error
 * then. A rank goes on to its other messages after an error, so that none waits for it. The table
 * of process 0 has the processes whose tables arrived.
 */

#include "coll_napcoll_stats.h"

#include <stdlib.h>

#include "ompi/mca/pml/pml.h"

enum { RADIX = 4, TAG = MCA_COLL_BASE_TAG_GATHERV };

/* Receive a child's table; *number is to be freed. false: there is none. */
static bool receive_table(int child, double **number, size_t *numbers)
{
    /* static, and no table is freed after an error: the PML may still write there */
    static double length;
    ompi_status_public_t status = {0};
    int rc;

    length = 0;
    rc = MCA_PML_CALL(recv(&length, 1, MPI_DOUBLE, child, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (OMPI_SUCCESS != rc || length < 1) {
        return false;
    }
    *numbers = (size_t) length;
    *number = calloc(*numbers, sizeof(**number));
    /* without memory it is received, for the child not to wait, and lost */
    rc = MCA_PML_CALL(recv(*number, NULL == *number ? 0 : *numbers, MPI_DOUBLE, child, TAG,
                           MPI_COMM_WORLD, &status));
    return OMPI_SUCCESS == rc && NULL != *number && status._ucount == *numbers * sizeof(**number);
}

static void send_table(int parent, const napcoll_job_stats_t *job)
{
    double length = (double) job->numbers;
    const int rc = MCA_PML_CALL(
        send(&length, 1, MPI_DOUBLE, parent, TAG, MCA_PML_BASE_SEND_STANDARD, MPI_COMM_WORLD));

    if (OMPI_SUCCESS == rc && job->numbers > 0) {
        (void) MCA_PML_CALL(send(job->number, job->numbers, MPI_DOUBLE, parent, TAG,
                                 MCA_PML_BASE_SEND_STANDARD, MPI_COMM_WORLD));
    }
}

void mca_coll_napcoll_start_job_stats(void)
{
    mca_coll_napcoll_component_t *component = &mca_coll_napcoll_component;

    component->job_stats = (napcoll_job_stats_t){.collective = mca_coll_napcoll_collectives,
                                                 .collectives = NAPCOLL_COLLS};
    napcoll_call_stats_sort(&component->stats);
    /* without memory the table is empty: process 0 counts this process as missing */
    (void) napcoll_job_stats_of(&component->job_stats, &component->stats);
}

void mca_coll_napcoll_gather_job_stats(void)
{
    napcoll_job_stats_t *job = &mca_coll_napcoll_component.job_stats;
    const int rank = ompi_comm_rank(MPI_COMM_WORLD), size = ompi_comm_size(MPI_COMM_WORLD);

    mca_coll_napcoll_start_job_stats();
    for (int i = 1; i <= RADIX; i++) {
        const int child = RADIX * rank + i;
        double *number;
        size_t numbers;

        if (child < size && receive_table(child, &number, &numbers)) {
            (void) napcoll_job_stats_merge(job, number, numbers);
            free(number);
        }
    }
    if (rank > 0) {
        send_table((rank - 1) / RADIX, job);
    }
}
