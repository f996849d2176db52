/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Running gnuplot; see napcoll_gnuplot.h.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/napcoll_gnuplot.h"

extern char **environ;

FILE *napcoll_gnuplot_script(void)
{
    const int fd = memfd_create("napcoll", MFD_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

    if (NULL == file && fd >= 0) {
        const int error = errno;

        (void) close(fd);
        errno = error;
    }
    return file;
}

/* What gnuplot reads and writes, each a file in memory. */
typedef struct {
    FILE *in, *out, *messages;
} streams_t;

/* Start gnuplot with one argument and wait for it. Returns 0, an error number, or -1 where gnuplot
 * failed. */
static int run_gnuplot(const char *argument, const streams_t *streams)
{
    FILE *const file[] = {streams->in, streams->out, streams->messages};
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
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && 0 == rc; fd++) {
        rc = posix_spawn_file_actions_adddup2(&actions, fileno(file[fd]), fd);
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

/* The last line of gnuplot's messages: those above show the place in the script. */
static void last_message(FILE *messages, char *message)
{
    char line[NAPCOLL_GNUPLOT_MESSAGE - 32];

    (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "gnuplot failed");
    (void) fseek(messages, 0, SEEK_SET);
    while (NULL != fgets(line, sizeof(line), messages)) {
        const char *text = line + strspn(line, " \t^\n");

        if ('\0' != *text) {
            (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "gnuplot failed: %.*s",
                            (int) strcspn(text, "\n"), text);
        }
    }
}

/* Run gnuplot on the script, with new files for what it writes, which the caller closes. */
static bool start_gnuplot(const char *argument, streams_t *streams, char *message)
{
    int error;

    streams->out = napcoll_gnuplot_script();
    streams->messages = NULL == streams->out ? NULL : napcoll_gnuplot_script();
    error = NULL == streams->messages ? errno : run_gnuplot(argument, streams);
    if (ENOENT == error) {
        (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE,
                        "gnuplot is missing; install it (Debian: gnuplot-nox), or use --csv");
    } else if (error > 0) {
        (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "gnuplot failed: %s", strerror(error));
    } else if (error < 0) {
        last_message(streams->messages, message);
    }
    return 0 == error;
}

static void close_streams(const streams_t *streams)
{
    if (NULL != streams->out) {
        (void) fclose(streams->out);
    }
    if (NULL != streams->messages) {
        (void) fclose(streams->messages);
    }
}

bool napcoll_gnuplot_check(char *message)
{
    streams_t streams = {.in = napcoll_gnuplot_script()};
    bool runs = false;

    if (NULL == streams.in) {
        (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "no memory for gnuplot (%s)",
                        strerror(errno));
        return false;
    }
    runs = start_gnuplot("--version", &streams, message);
    close_streams(&streams);
    (void) fclose(streams.in);
    return runs;
}

/* Copy a picture; returns whether it has its end, which blank lines may follow. */
static bool copy_picture(FILE *from, FILE *to)
{
    static const char end[] = "</svg>";
    char line[4096];
    bool ended = false;

    (void) fseek(from, 0, SEEK_SET);
    while (NULL != fgets(line, sizeof(line), from)) {
        ended = 0 == strncmp(line, end, strlen(end)) || (ended && '\n' == line[0]);
        (void) fputs(line, to);
    }
    return ended;
}

bool napcoll_gnuplot_draw(FILE *script, FILE *out, char *message)
{
    streams_t streams = {.in = script};
    bool drawn = false;

    if (0 != fflush(script) || ferror(script) || 0 != fseek(script, 0, SEEK_SET)) {
        (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "no memory for gnuplot's script (%s)",
                        strerror(0 == errno ? EIO : errno));
        return false;
    }
    drawn = start_gnuplot("-d", &streams, message);
    if (drawn && !copy_picture(streams.out, out)) {
        (void) snprintf(message, NAPCOLL_GNUPLOT_MESSAGE, "gnuplot failed: no whole picture");
        drawn = false;
    }
    close_streams(&streams);
    return drawn;
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
