/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Writing files; see napcoll_output.h.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/napcoll_memory.h"
#include "common/napcoll_output.h"

/* A file that is being written. */
typedef struct output {
    FILE *out;
    /* The temporary file, and the name that it gets, without symbolic links; NULL: written in
     * place. */
    char *name, *part;
    struct output *next;
} output_t;

static output_t *outputs;

static void drop(output_t *output)
{
    if (NULL != output->part) {
        (void) unlink(output->part);
    }
    free(output->name);
    free(output->part);
    free(output);
}

/* At exit: remove incomplete files. */
static void remove_parts(void)
{
    while (NULL != outputs) {
        output_t *output = outputs;

        outputs = output->next;
        drop(output);
    }
}

/* A signal ends the program: remove incomplete files first. unlink may be called here. */
static void end_by_signal(int number)
{
    for (const output_t *output = outputs; NULL != output; output = output->next) {
        if (NULL != output->part) {
            (void) unlink(output->part);
        }
    }
    (void) signal(number, SIG_DFL);
    (void) raise(number);
}

/* Signals that the program ignores or handles itself stay as they are. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction action;

        if (0 == sigaction(numbers[i], NULL, &action) && SIG_DFL == action.sa_handler) {
            action.sa_handler = end_by_signal;
            (void) sigaction(numbers[i], &action, NULL);
        }
    }
}

static int keep(output_t *output)
{
    static bool registered;

    if (!registered) {
        if (0 != atexit(remove_parts)) {
            return ENOMEM;
        }
        catch_signals();
    }
    registered = true;
    output->next = outputs;
    outputs = output;
    return 0;
}

/* ---- opening ---- */

void napcoll_output_begin(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            /* The lowest number is free, and the next open gets it. */
            (void) open("/dev/null", STDIN_FILENO == fd ? O_WRONLY : O_RDONLY);
        }
    }
}

/* The descriptor of the program's own output if the file is that, else -1: a second open would
 * begin at its first byte. */
static int own_output(const struct stat *about)
{
    struct stat own;

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (0 == fstat(fd, &own) && own.st_dev == about->st_dev && own.st_ino == about->st_ino) {
            return fd;
        }
    }
    return -1;
}

/* Open an existing file, described by `about`. */
static int open_in_place(const char *name, const struct stat *about, int *fd)
{
    const int own = own_output(about);

    if (own >= 0) {
        *fd = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    } else {
        *fd = open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC | (S_ISREG(about->st_mode) ? O_TRUNC : 0));
    }
    return *fd < 0 ? errno : 0;
}

/* An unpredictable name in the folder of `name`. */
static char *part_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    const int folder = NULL == slash ? 0 : (int) (slash - name + 1);
    uint64_t number;
    char *part;

    if (sizeof(number) != getrandom(&number, sizeof(number), 0)
        || asprintf(&part, "%.*s.napcoll-%016" PRIx64 ".part", folder, name, number) < 0) {
        napcoll_out_of_memory();
    }
    return part;
}

/* Give a part the owner and the mode of the file that it replaces. */
static int keep_access(int fd, const struct stat *about)
{
    struct stat own;

    if (0 != fstat(fd, &own)
        || ((own.st_uid != about->st_uid || own.st_gid != about->st_gid)
            && 0 != fchown(fd, about->st_uid, about->st_gid))) {
        return errno;
    }
    return 0 == fchmod(fd, about->st_mode & 07777) ? 0 : errno;
}

/* Make the part of output->name; `about` NULL: for a new file. output->part is NULL after an
 * error. */
static int open_part(output_t *output, const struct stat *about, int *fd)
{
    const mode_t mode = NULL == about ? 0666 : about->st_mode & 0777;
    int error = 0;

    do {
        free(output->part);
        output->part = part_name(output->name);
        *fd = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (*fd < 0 && EEXIST == errno);
    if (*fd < 0) {
        error = errno;
    } else if (NULL != about) {
        error = keep_access(*fd, about);
        if (0 != error) {
            (void) unlink(output->part);
            (void) close(*fd);
        }
    }
    if (0 != error) {
        free(output->part);
        output->part = NULL;
    }
    return error;
}

/* Describe the file of a name; *exists tells whether there is one. *real is its name without
 * symbolic links, of regular and new files. */
static int look(const char *name, struct stat *about, bool *exists, char **real)
{
    struct stat link;

    *exists = 0 == stat(name, about);
    if (!*exists) {
        const int error = errno;

        /* A new file is no error, a link to nothing is. */
        if (ENOENT != error || 0 == lstat(name, &link) || ENOENT != errno) {
            return error;
        }
    } else if (S_ISDIR(about->st_mode)) {
        return EISDIR;
    } else if (!S_ISREG(about->st_mode)) {
        return 0;
    } else if (0 != faccessat(AT_FDCWD, name, W_OK, AT_EACCESS)) {
        return errno;
    }
    *real = *exists ? realpath(name, NULL) : strdup(name);
    return NULL == *real ? errno : 0;
}

/* Whether a file cannot be replaced: the folder is not writable, or the owner cannot be kept. */
static bool is_denied(int error)
{
    return EPERM == error || EACCES == error;
}

static int open_output(const char *name, output_t *output, int *fd)
{
    struct stat about;
    bool exists;
    int error = look(name, &about, &exists, &output->name);

    if (0 != error) {
        return error;
    }
    if (exists && (!S_ISREG(about.st_mode) || about.st_nlink > 1 || own_output(&about) >= 0)) {
        return open_in_place(name, &about, fd);
    }
    error = open_part(output, exists ? &about : NULL, fd);
    return exists && is_denied(error) ? open_in_place(name, &about, fd) : error;
}

int napcoll_output_open(const char *name, FILE **out)
{
    output_t *output = napcoll_allocate(1, sizeof(*output));
    int fd = -1, error = open_output(name, output, &fd);

    if (0 == error) {
        output->out = fdopen(fd, "w");
        error = NULL == output->out ? errno : keep(output);
    }
    *out = 0 == error ? output->out : NULL;
    if (0 != error) {
        if (NULL != output->out) {
            (void) fclose(output->out);
        } else if (fd >= 0) {
            (void) close(fd);
        }
        drop(output);
    }
    return error;
}

/* ---- closing ---- */

/* The place of an output in the list. */
static output_t **find(const FILE *out)
{
    output_t **at = &outputs;

    while (out != (*at)->out) {
        at = &(*at)->next;
    }
    return at;
}

/* Flush to the disk, so that a crash leaves the old content or the new. Some files cannot be
 * synced. */
static int flush(FILE *out)
{
    errno = 0;
    if (0 != fflush(out) || 0 != ferror(out)) {
        return 0 != errno ? errno : EIO;
    }
    if (0 != fsync(fileno(out)) && EINVAL != errno && EROFS != errno && ENOTSUP != errno) {
        return errno;
    }
    return 0;
}

int napcoll_output_close(FILE *out, int error)
{
    output_t **at = find(out);
    output_t *output = *at;

    if (0 == error) {
        error = flush(out);
    }
    if (0 != fclose(out) && 0 == error) {
        error = errno;
    }
    if (0 == error && NULL != output->part) {
        if (0 == rename(output->part, output->name)) {
            free(output->part);
            output->part = NULL;
        } else {
            error = errno;
        }
    }
    /* Only now: until then a signal removes the part. */
    *at = output->next;
    drop(output);
    return error;
}

/* ---- checking ---- */

int napcoll_output_check(const char *name)
{
    output_t *output = napcoll_allocate(1, sizeof(*output));
    struct stat about;
    bool exists;
    int fd, error = look(name, &about, &exists, &output->name);

    if (0 == error && (!exists || S_ISREG(about.st_mode))) {
        error = open_part(output, NULL, &fd);
        if (0 == error) {
            (void) close(fd);
        } else if (exists && is_denied(error)) {
            error = 0;
        }
    }
    drop(output);
    return error;
}

/* ---- messages ---- */

/* What to do about an error; "": nobody knows. */
static const char *remedy(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return "; make its folder, or name a file in another one";
    case EISDIR:
        return "; it is a folder: name a file in it";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; name a file that you may write";
    case EBADF:
        return "; it is closed";
    case ENOSPC:
    case EDQUOT:
        return "; free some space, or write to another disk";
    default:
        return "";
    }
}

void napcoll_output_explain(char *text, size_t room, const char *option, const char *name,
                            int error)
{
    (void) snprintf(text, room, "%s%s%.256s: cannot be written (%s)%s", option,
                    NULL == name ? "" : " ", NULL == name ? "" : name, strerror(error),
                    remedy(error));
}

bool napcoll_output_finish(const char *tool)
{
    char text[256];
    int error;

    errno = 0;
    if (0 == fflush(stdout) && 0 == ferror(stdout)) {
        return true;
    }
    error = errno;
    if (0 == error) {
        /* An earlier flush failed, and its reason is lost: one more byte fails likewise. */
        clearerr(stdout);
        (void) fputc('\n', stdout);
        error = 0 == fflush(stdout) ? EIO : errno;
    }
    napcoll_output_explain(text, sizeof(text), "standard output", NULL, error);
    fprintf(stderr, "%s: %s\n", tool, text);
    return false;
}
