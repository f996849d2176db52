/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll's tools write files: -o, --csv, --samples, --svg and the rules.
 *
 * A regular file keeps its content until the new one is complete: that is written to a file with a
 * random name in the same folder and renamed. Mode and owner stay. Written in place are:
 *   - devices, FIFOs and the program's own output (/dev/stdout): they are never replaced;
 *   - a file with several names (hard links), or whose owner cannot be kept;
 *   - files whose rows appear while the program runs.
 * Of a symbolic link the target is replaced. A link to nothing is an error.
 */

#ifndef NAPCOLL_OUTPUT_H
#define NAPCOLL_OUTPUT_H

#include <stdio.h>

typedef enum {
    /** The file gets its name when it is complete. */
    NAPCOLL_OUTPUT_WHOLE,
    /** Rows appear while the program runs: written in place. */
    NAPCOLL_OUTPUT_GROWS
} napcoll_output_how_t;

/**
 * Open a file to write it. An incomplete file is removed when the program exits.
 *
 * @param[in]  name its name
 * @param[in]  how  whether it is replaced as a whole
 * @param[out] out  to be closed with napcoll_output_close
 *
 * @return 0, or an error number
 */
int napcoll_output_open(const char *name, napcoll_output_how_t how, FILE **out);

/**
 * Close a file.
 *
 * @param[in] out   from napcoll_output_open
 * @param[in] error not 0: the content is incomplete, and the old file stays
 *
 * @return `error` if that is not 0; else 0, or an error number
 */
int napcoll_output_close(FILE *out, int error);

/** Check that a file can be written, before its content is computed. Returns 0, or an error
 * number. */
int napcoll_output_check(const char *name);

#endif /* NAPCOLL_OUTPUT_H */
