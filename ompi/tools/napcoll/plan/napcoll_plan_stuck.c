/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan explain --stuck: the reports of stalled calls in a log, in words.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "napcoll_plan_tool.h"
#include "plan/napcoll_stuck.h"

/* Read a log; returns 0, or the error that ended it. */
static int read_log(FILE *in, napcoll_stuck_t *stuck)
{
    char *line = NULL;
    size_t room = 0;
    int error;

    errno = 0;
    while (getline(&line, &room, in) >= 0) {
        napcoll_stuck_read(stuck, line);
    }
    error = ferror(in) ? errno : 0;
    free(line);
    return error;
}

int explain_stuck(const options_t *o)
{
    const bool is_file = 0 != strcmp(o->stuck, "-");
    FILE *in = is_file ? fopen(o->stuck, "re") : stdin;
    napcoll_stuck_t stuck = {.comm = NULL};
    int error;

    if (NULL != o->machine || NULL != o->byte_range || NULL != o->rules) {
        complain("--stuck reads a log, and takes no --machine, --bytes or --rules");
    }
    if (NULL == in) {
        complain("--stuck %s: %s", o->stuck, strerror(errno));
    }
    error = read_log(in, &stuck);
    if (is_file) {
        (void) fclose(in);
    }
    if (0 != error) {
        complain("--stuck %s: %s", o->stuck, strerror(error));
    }
    napcoll_stuck_print(&stuck, stdout);
    if (0 == stuck.reports) {
        fprintf(stderr,
                "napcoll-plan: --stuck %s: it has no report of a stalled call; expected lines with "
                "\"coll:napcoll: stall:\", which processes write where coll_napcoll_stall_seconds "
                "is set\n",
                o->stuck);
    }
    error = 0 == stuck.reports ? EXIT_FAILURE : EXIT_SUCCESS;
    napcoll_stuck_free(&stuck);
    return error;
}
