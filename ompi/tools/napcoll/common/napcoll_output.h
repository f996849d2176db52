/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll's tools write files: --output, --csv, --samples, --svg and the rules.
 *
 * A regular file keeps its content until the new one is complete: that is written to a file with a
 * random name in the same folder and renamed. Mode and owner stay. Where the program fails or a
 * signal ends it, the new file is removed. Written in place are:
 *   - devices, FIFOs and the program's own output (/dev/stdout): they are never replaced;
 *   - a file with several names (hard links), or whose owner cannot be kept.
 * Of a symbolic link the target is replaced. A link to nothing is an error.
 */

#ifndef NAPCOLL_OUTPUT_H
#define NAPCOLL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * Occupy the numbers of standard streams that are closed, before anything else is opened: what is
 * printed must not go into a file or a connection. Printing still fails (EBADF).
 */
void napcoll_output_begin(void);

/**
 * Open a file to write it. An incomplete file is removed when the program ends.
 *
 * @param[in]  name its name
 * @param[out] out  to be closed with napcoll_output_close
 *
 * @return 0, or an error number
 */
int napcoll_output_open(const char *name, FILE **out);

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

/**
 * Make the message about a file that cannot be written: "--csv a.csv: cannot be written (No space
 * left on device); free some space, or name a file on another disk".
 *
 * @param[out] text   [room] the message
 * @param[in]  room   size of text
 * @param[in]  option the option that names the file
 * @param[in]  name   the file; NULL: it has no name
 * @param[in]  error  the error number
 */
void napcoll_output_explain(char *text, size_t room, const char *option, const char *name,
                            int error);

/** Flush standard output at the end of a tool; says on standard error what is wrong. Returns
 * whether all of it was written. */
bool napcoll_output_finish(const char *tool);

#endif /* NAPCOLL_OUTPUT_H */
