/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Machine files (see the header).
 */

#define _POSIX_C_SOURCE 200809L

#include "common/napcoll_machine_file.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_memory.h"
#include "util/napcoll_file.h"

#define COMPONENT "coll_napcoll_"
#define PREFIX    COMPONENT "machine_"

/* bytes of a file; a report of napcoll-tune on 64 processes has 100 KB, most of it comments */
enum { MOST_FILE = 1024 * 1024, KEYS = 64 };

static const char blanks[] = " \t\r";

/* Set an error. Returns -1. */
__attribute__((format(printf, 4, 5))) static int refuse(napcoll_machine_error_t *error, int line,
                                                        ptrdiff_t column, const char *format, ...)
{
    va_list args;

    error->line = line;
    error->column = (int) column;
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return -1;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return NULL != word && strlen(word) == length && 0 == strncmp(text, word, length);
}

/* The key of this name, or of this earlier name; -1: there is none. */
static int find_key(const char *text, size_t length)
{
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (is_word(text, length, napcoll_machine_key(i))
            || is_word(text, length, napcoll_machine_old_key(i))) {
            return i;
        }
    }
    return -1;
}

/* Read a line `key = value # comment`. seen[key] is the line that has set a key. */
static int read_line(const char *line, int number, napcoll_machine_t *machine, int *seen,
                     napcoll_machine_error_t *error)
{
    const char *at = line + strspn(line, blanks);
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const int shown = length > 80 ? 80 : (int) length;
    int key;

    if ('\0' == *at || '#' == *at
        || (0 == strncmp(at, COMPONENT, strlen(COMPONENT))
            && 0 != strncmp(at, PREFIX, strlen(PREFIX)))) {
        return 0;
    }
    if (0 == length) {
        return refuse(error, number, at - line + 1,
                      "expected a key such as %s; comments begin with #", napcoll_machine_key(0));
    }
    key = find_key(at, length);
    if (key < 0) {
        return refuse(error, number, at - line + 1,
                      "%.*s%s: no such key; correct or remove it (napcoll-plan(1) lists the keys, "
                      "bluewaters.conf contains them all)",
                      shown, at, (size_t) shown < length ? "..." : "");
    }
    if (0 != seen[key]) {
        return refuse(error, number, at - line + 1,
                      "%s: given before, in line %d; remove one of the two",
                      napcoll_machine_key(key), seen[key]);
    }
    seen[key] = number;
    at += length;
    at += strspn(at, blanks);
    if ('=' != *at) {
        return refuse(error, number, at - line + 1, "%s: expected = and a number after the key",
                      napcoll_machine_key(key));
    }
    at++;
    if (0 != napcoll_machine_read_number(key, at, napcoll_machine_number(machine, key), error)) {
        error->line = number;
        error->column += (int) (at - line);
        return -1;
    }
    return 0;
}

/* Read all lines of a text, whose newlines become zeros. */
static int read_lines(char *text, napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
    int seen[KEYS] = {0}, number = 0;

    *machine = (napcoll_machine_t){0};
    for (char *line = text, *next; NULL != line; line = next) {
        next = strchr(line, '\n');
        if (NULL != next) {
            *next++ = '\0';
        }
        if (0 != read_line(line, ++number, machine, seen, error)) {
            return -1;
        }
    }
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        if (0 == seen[i] && !napcoll_machine_is_optional(i)) {
            return refuse(error, 0, 0, "%s: missing; add a line %s = NUMBER (%s)",
                          napcoll_machine_key(i), napcoll_machine_key(i),
                          napcoll_machine_key_help(i));
        }
    }
    return napcoll_machine_complete(machine, error);
}

int napcoll_machine_parse(const char *text, size_t length, napcoll_machine_t *machine,
                          napcoll_machine_error_t *error)
{
    char *copy;
    int rc;

    if (length > MOST_FILE) {
        return refuse(error, 0, 0, "more than %d bytes; expected a machine file", MOST_FILE);
    }
    copy = malloc(length + 1);
    if (NULL == copy) {
        return refuse(error, 0, 0, "out of memory");
    }
    /* a zero byte must not end a line; no key and no number contains a 1 byte */
    for (size_t i = 0; i < length; i++) {
        copy[i] = '\0' == text[i] ? '\1' : text[i];
    }
    copy[length] = '\0';
    rc = read_lines(copy, machine, error);
    free(copy);
    return rc;
}

int napcoll_machine_read(FILE *in, napcoll_machine_t *machine, napcoll_machine_error_t *error)
{
    char *text = malloc(MOST_FILE + 1);
    size_t length;
    int rc;

    if (NULL == text) {
        return refuse(error, 0, 0, "out of memory");
    }
    /* one byte more, so that napcoll_machine_parse sees that a file is too long */
    length = fread(text, 1, MOST_FILE + 1, in);
    rc = 0 != ferror(in) ? refuse(error, 0, 0, "cannot be read")
                         : napcoll_machine_parse(text, length, machine, error);
    free(text);
    return rc;
}

int napcoll_machine_print(const napcoll_machine_t *machine, FILE *out)
{
    for (int i = 0; NULL != napcoll_machine_key(i); i++) {
        char text[64];

        napcoll_machine_number_text(machine, i, text, sizeof(text));
        fprintf(out, "%s = %s\n", napcoll_machine_key(i), text);
    }
    return 0 == ferror(out) ? 0 : -1;
}

/* Open folder/name or folder/name.conf; folder of `length` characters, 0: only the name. */
static FILE *open_in(const char *folder, int length, const char *name, char *path, size_t size)
{
    static const char *const endings[] = {"", ".conf"};
    napcoll_file_error_t error;
    FILE *in = NULL;

    for (size_t i = 0; NULL == in && i < sizeof(endings) / sizeof(*endings); i++) {
        const int used = snprintf(path, size, "%.*s%s%s%s", length, folder, length > 0 ? "/" : "",
                                  name, endings[i]);

        if ((size_t) used < size) {
            in = napcoll_file_open(path, MOST_FILE, &error);
        }
    }
    return in;
}

FILE *napcoll_machine_open(const char *name, const char *folders, char *path, size_t size)
{
    const char *at = NULL == folders ? "" : folders;
    FILE *in = open_in("", 0, name, path, size);

    while (NULL == in && '\0' != *at && NULL == strchr(name, '/')) {
        const int folder = (int) strcspn(at, ":");

        if (folder > 0) {
            in = open_in(at, folder, name, path, size);
        }
        at += folder;
        at += ':' == *at;
    }
    return in;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* Add the .conf files of a folder. */
static void find_files(const char *folder, int length, glob_t *found)
{
    char pattern[PATH_MAX];

    if ((size_t) snprintf(pattern, sizeof(pattern), "%.*s/*.conf", length, folder) < sizeof(pattern)
        && GLOB_NOSPACE == glob(pattern, NULL == found->gl_pathv ? 0 : GLOB_APPEND, NULL, found)) {
        napcoll_out_of_memory();
    }
}

const char *const *napcoll_machine_names(const char *folders)
{
    glob_t found = {.gl_pathv = NULL};
    const char **name;
    size_t names = 0;

    for (const char *at = folders; '\0' != *at; at += ':' == *at) {
        const int folder = (int) strcspn(at, ":");

        if (folder > 0) {
            find_files(at, folder, &found);
        }
        at += folder;
    }
    name = napcoll_allocate(found.gl_pathc + 1, sizeof(*name));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        /* a file that was found has a folder and an ending */
        name[i] = strrchr(found.gl_pathv[i], '/') + 1;
        *strrchr(found.gl_pathv[i], '.') = '\0';
    }
    qsort(name, found.gl_pathc, sizeof(*name), by_name);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (0 == names || 0 != strcmp(name[names - 1], name[i])) {
            name[names++] = name[i];
        }
    }
    name[names] = NULL;
    return name;
}
