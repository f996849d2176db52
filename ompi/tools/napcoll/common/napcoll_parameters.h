/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a parameter file of Open MPI, such as napcoll-tune writes, says of napcoll besides the machine: HeteroMPI's
 * thresholds, and where the rules are. No MPI in here: napcoll-plan reads it as well.
 */

#ifndef NAPCOLL_PARAMETERS_H
#define NAPCOLL_PARAMETERS_H

#include <stdio.h>

#include "select/napcoll_thresholds.h"

typedef struct napcoll_parameters {
    napcoll_thresholds_t thresholds; /**< of the component, where the file does not name them */
    char *
        rules_file; /**< as it is written there, without blanks around it; NULL: the file has none; owned */
} napcoll_parameters_t;

/** Where such a file is wrong, and a sentence on it. */
typedef struct napcoll_parameters_error {
    int line; /**< from 1; 0: memory ran out */
    char text[512];
} napcoll_parameters_error_t;

/**
 * Read the parameters; all other lines are passed over.
 *
 * @param[in]  in         an open file, from where it stands
 * @param[out] parameters for napcoll_parameters_close; empty after an error
 * @param[out] error      what is wrong
 *
 * @return 0, or -1 with *error set
 */
int napcoll_parameters_read(FILE *in, napcoll_parameters_t *parameters,
                            napcoll_parameters_error_t *error);

/** Release what was read. */
void napcoll_parameters_close(napcoll_parameters_t *parameters);

#endif /* NAPCOLL_PARAMETERS_H */
