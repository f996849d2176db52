/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How napcoll's tools run gnuplot: on a script in memory, so that no name is ever quoted for a
 * shell. Script, picture and messages are files in memory: a full disk is noticed where the
 * picture is written, and gnuplot's warnings reach nobody.
 */

#ifndef NAPCOLL_GNUPLOT_H
#define NAPCOLL_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

enum {
    /** characters of a message about gnuplot */
    NAPCOLL_GNUPLOT_MESSAGE = 256
};

/** Open an empty file in memory for a script. Returns NULL, and sets errno, where that failed. */
FILE *napcoll_gnuplot_script(void);

/**
 * Check that gnuplot runs, before the times that it is to draw are computed.
 *
 * @param[out] message  [NAPCOLL_GNUPLOT_MESSAGE] what is wrong, and the remedy
 *
 * @return whether it runs
 */
bool napcoll_gnuplot_check(char *message);

/**
 * Run gnuplot on a script, and copy its picture.
 *
 * @param[in]  script   from napcoll_gnuplot_script, not flushed
 * @param[in]  out      gets the picture; its errors are not checked here
 * @param[out] message  [NAPCOLL_GNUPLOT_MESSAGE] what is wrong
 *
 * @return whether gnuplot made a whole picture
 */
bool napcoll_gnuplot_draw(FILE *script, FILE *out, char *message);

/** Write a string constant of gnuplot: in single quotes, with inner ones doubled. */
void napcoll_gnuplot_quote(FILE *out, const char *text);

#endif /* NAPCOLL_GNUPLOT_H */
