/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The progress line of the tools, on standard error:
 *
 *     [#####           ] 1234 of 4096 placements, 40 s left
 *
 * It appears after two seconds, on a terminal only, and changes five times a second. Where it is
 * forced, each step is shown. NAPCOLL_PROGRESS=1 in the environment forces it, NAPCOLL_PROGRESS=0
 * hides it. One thread at a time uses it.
 */

#ifndef NAPCOLL_PROGRESS_H
#define NAPCOLL_PROGRESS_H

#include <stdbool.h>

typedef struct napcoll_progress {
    /** Whether steps are shown at all, and whether each is. */
    bool shown, forced;
    /** Characters of the line on the screen; 0: none. */
    int width;
    /** In seconds: when the work began, and when a step is shown next. */
    double begin, next;
} napcoll_progress_t;

/** Begin some work; `forced`: an option asks for the progress line. */
void napcoll_progress_begin(napcoll_progress_t *progress, bool forced);

/** Whether a step would be shown now: a cheap question for those who compute much for one. */
bool napcoll_progress_is_due(const napcoll_progress_t *progress);

/**
 * Show a step, if one is due.
 *
 * @param[in] share   done so far, 0 to 1: the bar and the time left; below 0: nobody knows, and the
 *                    seconds so far are shown
 * @param[in] format  what is done, about 45 characters: the line has 79 at most
 */
__attribute__((format(printf, 3, 4))) void napcoll_progress_tell(napcoll_progress_t *progress,
                                                                 double share, const char *format,
                                                                 ...);

/** Remove the line, before something else is printed and at the end. */
void napcoll_progress_clear(napcoll_progress_t *progress);

#endif /* NAPCOLL_PROGRESS_H */
