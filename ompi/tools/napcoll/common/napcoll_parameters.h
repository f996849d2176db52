/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a parameter file of Open MPI sets for napcoll besides the machine: HeteroMPI's thresholds,
 * and the rules file. Pure: no MPI.
 */

#ifndef NAPCOLL_PARAMETERS_H
#define NAPCOLL_PARAMETERS_H

#include <stdbool.h>
#include <stdio.h>

#include "select/napcoll_thresholds.h"

typedef struct napcoll_parameters {
    /** The component's defaults where the file does not name them. */
    napcoll_thresholds_t thresholds;
    /** Messages inside a node may go through memory that its processes share. */
    bool node_memory;
    /** As napcoll_file_find finds it beside the parameter file; NULL or empty: none; owned. */
    char *rules_file;
} napcoll_parameters_t;

/** A mistake in the file. */
typedef struct napcoll_parameters_error {
    /** From 1. */
    int line;
    char text[512];
} napcoll_parameters_error_t;

/**
 * Read the parameters; all other lines are ignored.
 *
 * @param[in]  in         an open file, read from its current position
 * @param[in]  path       of this file
 * @param[out] parameters for napcoll_parameters_close; empty after an error
 * @param[out] error      the mistake
 *
 * @return 0, or -1 with *error set
 */
int napcoll_parameters_read(FILE *in, const char *path, napcoll_parameters_t *parameters,
                            napcoll_parameters_error_t *error);

/** Free the rules file's name. */
void napcoll_parameters_close(napcoll_parameters_t *parameters);

#endif /* NAPCOLL_PARAMETERS_H */
