/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Opens and reads files: regular ones of a bounded size, without waiting. Finds a file that another
 * file names.
 */

#ifndef NAPCOLL_FILE_H
#define NAPCOLL_FILE_H

#include <stdint.h>
#include <stdio.h>

/** Bytes of a file that users write: rules, switches, machines. */
enum { NAPCOLL_MOST_FILE_BYTES = 16 << 20 };

/** Why a file was not opened, and what to do. */
typedef struct {
    /** "is a FIFO; expected a regular file": the caller puts the name before it. */
    char text[160];
} napcoll_file_error_t;

/**
 * Open a file to read it. The open does not wait: a FIFO without a writer would block MPI_Init for
 * ever. A file may grow after the check, so the reader needs its own bound as well.
 *
 * @param[in]  path  the file; symbolic links are followed
 * @param[in]  most  bytes that it may have
 * @param[out] error why it was not opened
 *
 * @return the file, which the caller closes; NULL with *error set
 */
FILE *napcoll_file_open(const char *path, int64_t most, napcoll_file_error_t *error);

/**
 * Read a file as a whole.
 *
 * @param[in]  path   the file, as for napcoll_file_open
 * @param[in]  most   bytes that it may have
 * @param[out] length its bytes
 * @param[out] error  why it was not read
 *
 * @return its bytes with a zero behind them, which the caller frees; NULL with *error set
 */
char *napcoll_file_load(const char *path, size_t most, size_t *length, napcoll_file_error_t *error);

/**
 * Find a file that a parameter file names: in the folder of the parameter file, else in the current
 * folder.
 *
 * @param[in] path   as the parameter file names it
 * @param[in] setter the parameter file; NULL: the path comes from elsewhere
 *
 * @return the path to open, which the caller frees: the path as it is if it is absolute or the
 * folder of the parameter file has no such file; NULL: memory ran out
 */
char *napcoll_file_find(const char *path, const char *setter);

/**
 * Name the places where napcoll_file_find looks, for a message: "/etc/a.rules or /home/me/a.rules".
 *
 * @return a text that the caller frees; NULL: memory ran out
 */
char *napcoll_file_places(const char *path, const char *setter);

#endif /* NAPCOLL_FILE_H */
