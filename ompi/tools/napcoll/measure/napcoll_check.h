/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How the MPI tools begin and end: their command lines are parsed before MPI_Init, one process
 * prints, and an error of MPI aborts the job.
 */

#ifndef NAPCOLL_CHECK_H
#define NAPCOLL_CHECK_H

#include <stdbool.h>

#include "common/napcoll_options.h"

/** The name of the program for its messages. Each program defines it. */
extern const char napcoll_tool_name[];

/** Abort the job, with the name of the call that failed, unless rc is MPI_SUCCESS. */
void napcoll_check(int rc, const char *call);

/**
 * Start MPI, unless --help or the like was asked for: that is answered without MPI, which may be
 * out of order, by the process that has rank 0 or was started without mpirun. A wrong command line
 * is reported by rank 0 between MPI_Init and MPI_Finalize: mpirun ends the other processes once one
 * has failed, and must not do so before rank 0 has printed.
 *
 * @param[in]  parsed  what napcoll_tool_parse has returned
 * @param[in]  line    the same on all processes
 * @param[out] status  the exit status, where this returns false
 *
 * @return whether the tool is to do its work and then to call MPI_Finalize
 */
bool napcoll_tool_start(int *argc, char ***argv, napcoll_parsed_t parsed,
                        const napcoll_command_line_t *line, int *status);

#endif /* NAPCOLL_CHECK_H */
