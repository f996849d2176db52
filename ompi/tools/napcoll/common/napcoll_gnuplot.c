/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Running gnuplot; see napcoll_gnuplot.h.
 */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/napcoll_gnuplot.h"

extern char **environ;

int napcoll_gnuplot_run(const char *argument, int in, int out)
{
    char name[] = "gnuplot", option[16];
    char *arguments[] = {name, option, NULL};
    posix_spawn_file_actions_t actions;
    int rc, status;
    pid_t child;

    (void) snprintf(option, sizeof(option), "%s", argument);
    rc = posix_spawn_file_actions_init(&actions);
    if (0 != rc) {
        return rc;
    }
    rc = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (0 == rc) {
        rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    }
    if (0 == rc) {
        rc = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    }
    (void) posix_spawn_file_actions_destroy(&actions);
    if (0 != rc) {
        return rc;
    }
    while (child != waitpid(child, &status, 0)) {
        if (EINTR != errno) {
            return errno;
        }
    }
    return WIFEXITED(status) && 0 == WEXITSTATUS(status) ? 0 : -1;
}

int napcoll_gnuplot_check(void)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int error = null < 0 ? errno : napcoll_gnuplot_run("--version", null, null);

    if (null >= 0) {
        (void) close(null);
    }
    return error;
}

int napcoll_gnuplot_draw(FILE *script, FILE *out)
{
    if (0 != fflush(script) || ferror(script) || 0 != fseek(script, 0, SEEK_SET)) {
        return 0 != errno ? errno : EIO;
    }
    return napcoll_gnuplot_run("-d", fileno(script), fileno(out));
}

void napcoll_gnuplot_report(const char *program, const char *svg, const char *instead, int error)
{
    if (ENOENT == error) {
        fprintf(stderr,
                "%s: --svg %s: gnuplot is missing; install it (Debian: gnuplot-nox), or use %s\n",
                program, svg, instead);
    } else {
        fprintf(stderr, "%s: --svg %s: gnuplot failed (%s)\n", program, svg,
                error > 0 ? strerror(error) : "see its message");
    }
}

void napcoll_gnuplot_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; '\0' != *text; text++) {
        if ('\'' == *text) {
            fputc('\'', out);
        }
        fputc((unsigned char) *text < ' ' ? ' ' : *text, out);
    }
    fputc('\'', out);
}
