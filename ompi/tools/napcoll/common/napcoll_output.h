/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The one way in which napcoll's tools write a file: -o, --csv, --samples, --svg and the rules.
 *
 * A regular file keeps its content until all of the new one is there: that is written to a file of a
 * random name in the same folder, which then takes the name. Mode and owner stay. Written in place
 * are:
 *   - devices, FIFOs and the program's own output (/dev/stdout): they are never replaced;
 *   - a file with several names (hard links) or an owner who cannot be kept;
 *   - what the caller wants to see grow.
 * A symbolic link stays: the file it points to is replaced. One that points to nothing is refused.
 */

#ifndef NAPCOLL_OUTPUT_H
#define NAPCOLL_OUTPUT_H

#include <stdio.h>

typedef enum {
    NAPCOLL_OUTPUT_WHOLE, /**< the file takes its name when it is complete */
    NAPCOLL_OUTPUT_GROWS  /**< rows are to be seen while the program runs: written in place */
} napcoll_output_how_t;

/**
 * Begin to write a file. What is not yet complete when the program exits leaves no trace.
 *
 * @param[in]  name its name
 * @param[in]  how  whether it is replaced as a whole
 * @param[out] out  to be written to, until napcoll_output_close
 *
 * @return 0, or an error number
 */
int napcoll_output_open(const char *name, napcoll_output_how_t how, FILE **out);

/**
 * End what napcoll_output_open began.
 *
 * @param[in] out   from napcoll_output_open
 * @param[in] error other than 0: the content is not complete, and the file stays as it was
 *
 * @return `error` if that is not 0; else 0, or an error number: it could not be written
 */
int napcoll_output_close(FILE *out, int error);

/**
 * Whether a file can be written, before the work begins whose result it is for. Changes nothing.
 *
 * @return 0, or an error number
 */
int napcoll_output_check(const char *name);

#endif /* NAPCOLL_OUTPUT_H */
