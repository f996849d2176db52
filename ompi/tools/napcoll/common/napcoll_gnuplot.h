/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll's tools run gnuplot: on a script in a file, so that no name is ever quoted for a
 * shell.
 */

#ifndef NAPCOLL_GNUPLOT_H
#define NAPCOLL_GNUPLOT_H

#include <stdio.h>

/**
 * Run gnuplot between two open files.
 *
 * @param[in] argument its one argument: "-d" ignores the user's settings
 * @param[in] in       file descriptor of the script, read from its current position
 * @param[in] out      file descriptor of gnuplot's standard output
 *
 * @return 0; an error number, ENOENT without gnuplot; -1 where gnuplot failed and has said so
 */
int napcoll_gnuplot_run(const char *argument, int in, int out);

/** Check that gnuplot runs. Returns as napcoll_gnuplot_run. */
int napcoll_gnuplot_check(void);

/** Run gnuplot on a script that was just written, and its drawing into out. Returns as
 * napcoll_gnuplot_run. */
int napcoll_gnuplot_draw(FILE *script, FILE *out);

/** Say on standard error why there is no drawing; `error` is what napcoll_gnuplot_run returned. */
void napcoll_gnuplot_report(const char *program, const char *svg, const char *instead, int error);

/** Write a string constant of gnuplot: in single quotes, with inner ones doubled. */
void napcoll_gnuplot_quote(FILE *out, const char *text);

#endif /* NAPCOLL_GNUPLOT_H */
