/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll's tools run gnuplot: on a script in a file, so that no name is ever quoted for a shell.
 */

#ifndef NAPCOLL_GNUPLOT_H
#define NAPCOLL_GNUPLOT_H

#include <stdio.h>

/**
 * Run gnuplot between two open files.
 *
 * @param[in] argument its one argument: "-d" leaves out the user's settings
 * @param[in] in       file descriptor: the script, from its current position on
 * @param[in] out      file descriptor: what gnuplot draws to standard output
 *
 * @return 0; an error number, such as ENOENT where there is no gnuplot; or -1 where it failed, which it has
 *         said itself
 */
int napcoll_gnuplot_run(const char *argument, int in, int out);

/** Say on standard error why there is no drawing; `error` is what napcoll_gnuplot_run returned. */
void napcoll_gnuplot_report(const char *program, const char *svg, const char *instead, int error);

/** Write a string constant of gnuplot: in single quotes, with those inside doubled. */
void napcoll_gnuplot_quote(FILE *out, const char *text);

#endif /* NAPCOLL_GNUPLOT_H */
