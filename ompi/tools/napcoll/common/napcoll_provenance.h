/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where a file of times or loads comes from, as comment lines at its top.
 */

#ifndef NAPCOLL_PROVENANCE_H
#define NAPCOLL_PROVENANCE_H

#include <stdio.h>

/**
 * Print two lines: the command, and what ran it.
 *
 *     #     napcoll-plan simulate --machine bluewaters --csv times.csv
 *     # napcoll 0.2.0 (git 1a2b3c4), machine bluewaters.conf, simulated times, host n0, 2026-...
 *
 * @param[in] argc, argv the command line
 * @param[in] origin     what stands behind the version
 */
void napcoll_provenance_print(FILE *out, int argc, char *const *argv, const char *origin);

#endif /* NAPCOLL_PROVENANCE_H */
