/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How far napcoll-tune is, on standard error, and how much time it has left.
 */

#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "napcoll_tune.h"
#include "util/napcoll_mix.h"

/* Where standard error is no terminal, a line comes so often, in seconds. */
static const double line_every = 10;

tune_watch_t tune_watch(double time_limit)
{
    const double now = MPI_Wtime();

    return (tune_watch_t){.begin = now,
                          .deadline = now + time_limit,
                          .end = now + time_limit,
                          .told = now,
                          .terminal = 1 == isatty(STDERR_FILENO),
                          .random = 1};
}

void tune_tell(tune_watch_t *watch, const char *what, int done, int all)
{
    enum { WIDTH = 30 };
    const int filled = WIDTH * done / all;
    const double now = MPI_Wtime(), left = watch->end > now ? watch->end - now : 0;
    char bar[WIDTH + 1] = "";

    if (watch->terminal) {
        memset(bar, ' ', WIDTH);
        memset(bar, '#', (size_t) filled);
        fprintf(stderr, "\r%s [%s] %3d %%, at most %.0f s left ", what, bar, 100 * done / all,
                left);
        fflush(stderr);
    } else if (now - watch->told >= line_every) {
        fprintf(stderr, "napcoll-tune: %s, %d %%, at most %.0f s left\n", what, 100 * done / all,
                left);
        watch->told = now;
    }
}

void tune_tell_end(const tune_watch_t *watch)
{
    if (watch->terminal) {
        fprintf(stderr, "\r%78s\r", "");
        fflush(stderr);
    }
}

uint64_t tune_random(tune_watch_t *watch)
{
    return napcoll_mix_next(&watch->random);
}
