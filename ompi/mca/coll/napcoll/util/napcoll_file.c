/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Opens files for reading; see napcoll_file.h.
 */

#define _XOPEN_SOURCE 700

#include "util/napcoll_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kind of a file that is not regular. */
static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "is a folder";
    case S_IFIFO:
        return "is a FIFO or a pipe";
    case S_IFSOCK:
        return "is a socket";
    default:
        return "is a device";
    }
}

/* Whether an open file may be read. */
static int check(int fd, int64_t most, napcoll_file_error_t *error)
{
    struct stat about;

    if (0 != fstat(fd, &about)) {
        (void) snprintf(error->text, sizeof(error->text), "cannot be read (%s)", strerror(errno));
        return -1;
    }
    if (!S_ISREG(about.st_mode)) {
        (void) snprintf(error->text, sizeof(error->text),
                        "%s; expected a regular file: give the name of one",
                        kind_of(about.st_mode));
        return -1;
    }
    if (about.st_size > most) {
        (void) snprintf(error->text, sizeof(error->text),
                        "has %lld bytes; expected at most %lld: check that it is the right file",
                        (long long) about.st_size, (long long) most);
        return -1;
    }
    return 0;
}

FILE *napcoll_file_open(const char *path, int64_t most, napcoll_file_error_t *error)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *in = NULL;

    error->text[0] = '\0';
    /* a socket */
    if (fd < 0 && ENXIO == errno) {
        (void) snprintf(error->text, sizeof(error->text),
                        "cannot be opened: expected a regular file: give the name of one");
    } else if (fd < 0) {
        (void) snprintf(error->text, sizeof(error->text), "cannot be opened (%s)", strerror(errno));
    } else if (0 == check(fd, most, error)) {
        in = fdopen(fd, "r");
        if (NULL == in) {
            (void) snprintf(error->text, sizeof(error->text), "cannot be read (%s)",
                            strerror(errno));
        }
    }
    if (NULL == in && fd >= 0) {
        (void) close(fd);
    }
    return in;
}
