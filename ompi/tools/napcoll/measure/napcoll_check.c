/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How the MPI tools begin and end; see napcoll_check.h.
 */

#include "measure/napcoll_check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void napcoll_check(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;

    if (MPI_SUCCESS == rc) {
        return;
    }
    (void) MPI_Error_string(rc, text, &length);
    fprintf(stderr, "%s: %s failed: %s\n", napcoll_tool_name, call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Whether this process has rank 0, or none: what starts processes says so in their environment. */
static bool is_first(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
        const char *rank = getenv(ranks[i]);

        if (NULL != rank) {
            return 0 == strcmp(rank, "0");
        }
    }
    return true;
}

bool napcoll_tool_start(int *argc, char ***argv, napcoll_parsed_t parsed,
                        const napcoll_command_line_t *line, int *status)
{
    int rank;

    if (NAPCOLL_PARSED_ANSWER == parsed) {
        *status = is_first() ? napcoll_tool_answer(line) : EXIT_SUCCESS;
        return false;
    }
    napcoll_check(MPI_Init(argc, argv), "MPI_Init");
    if (NAPCOLL_PARSED_RUN == parsed) {
        return true;
    }
    napcoll_check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    *status = 2;
    if (0 == rank) {
        *status = napcoll_tool_refuse(line);
    }
    napcoll_check(MPI_Finalize(), "MPI_Finalize");
    return false;
}
