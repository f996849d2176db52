/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where a file of measurements comes from, as comment lines: a job of Open MPI.
 */

#ifndef NAPCOLL_ORIGIN_H
#define NAPCOLL_ORIGIN_H

#include <stdio.h>

/**
 * Print the two lines of napcoll_provenance_print with Open MPI and the job.
 *
 *     #     collbench --coll bcast --csv bcast.csv
 *     # napcoll 0.1.0 (git 1a2b3c4), Open MPI v5.0.7, 16 processes on 4 nodes, host n0, 2026-...
 *
 * @param[in] argc, argv the command line
 * @param[in] ranks      processes of the job
 * @param[in] nodes      on which they are
 */
void napcoll_origin_print(FILE *out, int argc, char *const *argv, int ranks, int nodes);

#endif /* NAPCOLL_ORIGIN_H */
