/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Opens, reads and finds files; see napcoll_file.h.
 */

#define _XOPEN_SOURCE 700

#include "util/napcoll_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
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

char *napcoll_file_load(const char *path, size_t most, size_t *length, napcoll_file_error_t *error)
{
    FILE *in = napcoll_file_open(path, (int64_t) most, error);
    char *text;

    if (NULL == in) {
        return NULL;
    }
    /* one byte more tells that the file has grown */
    text = malloc(most + 2);
    if (NULL == text) {
        (void) snprintf(error->text, sizeof(error->text), "cannot be read: out of memory");
    } else {
        *length = fread(text, 1, most + 1, in);
        text[*length] = '\0';
        if (ferror(in) || *length > most) {
            (void) snprintf(error->text, sizeof(error->text), "cannot be read, or grows");
            free(text);
            text = NULL;
        }
    }
    (void) fclose(in);
    return text;
}

/* FOLDER/PATH, with the folder's first `length` characters; NULL: memory ran out. */
static char *join(const char *folder, size_t length, const char *path)
{
    const size_t room = length + 1 + strlen(path) + 1;
    char *whole = malloc(room);

    if (NULL != whole) {
        (void) snprintf(whole, room, "%.*s/%s", (int) length, folder, path);
    }
    return whole;
}

/* The path in the folder of the setter; *whole = NULL where that is no other place. False: memory
 * ran out. */
static bool beside(const char *path, const char *setter, char **whole)
{
    const char *slash = NULL == setter ? NULL : strrchr(setter, '/');

    *whole = NULL;
    if ('/' == path[0] || NULL == slash) {
        return true;
    }
    *whole = join(setter, (size_t) (slash - setter), path);
    return NULL != *whole;
}

char *napcoll_file_find(const char *path, const char *setter)
{
    char *whole;

    if (!beside(path, setter, &whole)) {
        return NULL;
    }
    if (NULL != whole && 0 == access(whole, F_OK)) {
        return whole;
    }
    free(whole);
    return strdup(path);
}

char *napcoll_file_places(const char *path, const char *setter)
{
    char *first, *here, *second, *both = NULL;

    if ('/' == path[0]) {
        return strdup(path);
    }
    here = getcwd(NULL, 0);
    second = NULL == here ? strdup(path) : join(here, strlen(here), path);
    free(here);
    if (NULL == second || !beside(path, setter, &first)) {
        free(second);
        return NULL;
    }
    if (NULL == first || 0 == strcmp(first, second)) {
        free(first);
        return second;
    }
    both = malloc(strlen(first) + strlen(second) + sizeof(" or "));
    if (NULL != both) {
        (void) sprintf(both, "%s or %s", first, second);
    }
    free(first);
    free(second);
    return both;
}
