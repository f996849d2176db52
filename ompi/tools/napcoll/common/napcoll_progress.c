/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The progress line of the tools; see napcoll_progress.h.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/napcoll_progress.h"

/* Characters of the bar and of the line. */
enum { BAR = 16, WIDTH = 79 };

/* In seconds: no line before, and the time between two. */
static const double silence = 2, period = 0.2;

static double now(void)
{
    struct timespec time = {0};

    (void) clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

void napcoll_progress_begin(napcoll_progress_t *progress, bool forced)
{
    const char *wanted = getenv("NAPCOLL_PROGRESS");
    const bool hidden = NULL != wanted && 0 == strcmp(wanted, "0");

    *progress = (napcoll_progress_t){.begin = now()};
    progress->forced = forced || (NULL != wanted && 0 == strcmp(wanted, "1"));
    progress->shown = progress->forced || (!hidden && isatty(STDERR_FILENO));
    progress->next = progress->begin + silence;
}

bool napcoll_progress_is_due(const napcoll_progress_t *progress)
{
    return progress->shown && (progress->forced || now() >= progress->next);
}

/* A line of a terminal. */
typedef struct {
    char text[WIDTH + 1];
    int length;
} line_t;

__attribute__((format(printf, 2, 0))) static void append_list(line_t *line, const char *format,
                                                              va_list args)
{
    const int written = vsnprintf(line->text + line->length,
                                  sizeof(line->text) - (size_t) line->length, format, args);

    line->length += written > 0 ? written : 0;
    line->length = line->length < WIDTH ? line->length : WIDTH;
}

__attribute__((format(printf, 2, 3))) static void append(line_t *line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append_list(line, format, args);
    va_end(args);
}

/* Seconds, or minutes and seconds. */
static void append_time(line_t *line, double seconds, const char *what)
{
    const long whole = (long) (seconds + 0.5);

    if (whole < 100) {
        append(line, ", %ld s %s", whole, what);
    } else {
        append(line, ", %ld:%02ld min %s", whole / 60, whole % 60, what);
    }
}

static void show(napcoll_progress_t *progress, const line_t *line)
{
    fprintf(stderr, "\r%-*s", progress->width, line->text);
    (void) fflush(stderr);
    progress->width = line->length;
}

void napcoll_progress_tell(napcoll_progress_t *progress, double share, const char *format, ...)
{
    static const char full[] = "################";
    /* less of the work tells nothing about the rest */
    const double least_share = 0.01;
    const double spent = now() - progress->begin;
    line_t line = {.length = 0};
    va_list args;

    if (!napcoll_progress_is_due(progress)) {
        return;
    }
    if (share >= 0) {
        const int filled = (int) (BAR * (share < 1 ? share : 1));

        append(&line, "[%.*s%*s] ", filled, full, BAR - filled, "");
    }
    va_start(args, format);
    append_list(&line, format, args);
    va_end(args);
    if (share >= least_share && share < 1) {
        append_time(&line, spent * (1 - share) / share, "left");
    } else {
        append_time(&line, spent, "so far");
    }
    show(progress, &line);
    progress->next = progress->begin + spent + period;
}

void napcoll_progress_clear(napcoll_progress_t *progress)
{
    if (progress->width > 0) {
        fprintf(stderr, "\r%*s\r", progress->width, "");
        (void) fflush(stderr);
        progress->width = 0;
    }
}
