/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The text of a topology file (see the header): its check, the copy that is read, and errors with
 * their places.
 */

#include "topo/napcoll_switch_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* bytes of a name that an error shows */
    MOST_SHOWN = 60,
    END = -1
};

/* A position in the file that skips comments and joints. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;
    /* of the line */
    size_t begin;
    int line;
} scan_t;

/* Whether the backslash here is the last character of its line. */
static bool joins(const scan_t *scan)
{
    size_t at = scan->at + 1;

    while (at < scan->length && napcoll_switch_is_blank(scan->text[at])) {
        at++;
    }
    return at == scan->length || '\n' == scan->text[at];
}

/* The newline of this line, or the end of the file. */
static size_t line_end(const scan_t *scan)
{
    const char *newline = memchr(scan->text + scan->at, '\n', scan->length - scan->at);

    return NULL == newline ? scan->length : (size_t) (newline - scan->text);
}

/* The next byte of the copy. */
static int next_byte(scan_t *scan)
{
    for (;;) {
        if (scan->at > scan->begin && '\n' == scan->text[scan->at - 1]) {
            scan->line++;
            scan->begin = scan->at;
        }
        if (scan->at == scan->length) {
            return END;
        }
        if ('#' == scan->text[scan->at]) {
            scan->at = line_end(scan);
        } else if ('\\' == scan->text[scan->at] && joins(scan)) {
            scan->at = line_end(scan);
            scan->at += scan->at < scan->length;
        } else {
            return (unsigned char) scan->text[scan->at++];
        }
    }
}

/* The place in the file of byte `at` of the copy. The end of a line is behind its last byte. */
static void find_place(const napcoll_switch_file_t *file, size_t at, int *line, int *column)
{
    scan_t scan = {.text = file->text, .length = file->length, .line = 1};
    scan_t last = scan;
    int c = next_byte(&scan);

    for (; at > 0 && END != c; at--) {
        last = scan;
        c = next_byte(&scan);
    }
    if (END == c || '\n' == c) {
        *line = last.line;
        *column = (int) (last.at - last.begin) + 1;
    } else {
        *line = scan.line;
        *column = (int) (scan.at - scan.begin);
    }
}

int napcoll_switch_refuse(napcoll_switch_file_t *file, size_t at, const char *format, ...)
{
    napcoll_switch_error_t *error = file->error;
    va_list args;

    error->line = error->column = 0;
    if (NAPCOLL_SWITCH_WHOLE_FILE != at) {
        find_place(file, at, &error->line, &error->column);
    }
    va_start(args, format);
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return -1;
}

int napcoll_switch_no_memory(napcoll_switch_file_t *file)
{
    return napcoll_switch_refuse(file, NAPCOLL_SWITCH_WHOLE_FILE, "out of memory");
}

int napcoll_switch_file_line(const napcoll_switch_file_t *file, size_t at)
{
    int line, column;

    find_place(file, at, &line, &column);
    return line;
}

napcoll_switch_shown_t napcoll_switch_show_bytes(const char *text, size_t length)
{
    napcoll_switch_shown_t shown;

    if (length > MOST_SHOWN) {
        (void) snprintf(shown.text, sizeof(shown.text), "%.*s...", MOST_SHOWN, text);
    } else {
        (void) snprintf(shown.text, sizeof(shown.text), "%.*s", (int) length, text);
    }
    return shown;
}

napcoll_switch_shown_t napcoll_switch_show(const char *name)
{
    return napcoll_switch_show_bytes(name, strlen(name));
}

int napcoll_switch_text_check(napcoll_switch_file_t *file)
{
    bool comment = false;
    size_t begin = 0;
    int line = 1;

    if (file->length > NAPCOLL_MOST_SWITCH_BYTES) {
        return napcoll_switch_refuse(
            file, NAPCOLL_SWITCH_WHOLE_FILE,
            "more than %d bytes; expected a topology file (as Slurm's topology.conf)",
            NAPCOLL_MOST_SWITCH_BYTES);
    }
    for (size_t i = 0; i < file->length; i++) {
        const unsigned char c = (unsigned char) file->text[i];

        if ('\n' == c) {
            begin = i + 1;
            line++;
            comment = false;
            continue;
        }
        comment = comment || '#' == c;
        if (i - begin == NAPCOLL_MOST_SWITCH_LINE) {
            (void) napcoll_switch_refuse(file, NAPCOLL_SWITCH_WHOLE_FILE,
                                         "a line of more than %d bytes; break it (a backslash at "
                                         "the end of a line joins it to the next) or write ranges, "
                                         "n[0-99]",
                                         NAPCOLL_MOST_SWITCH_LINE);
        } else if ((c < ' ' && !napcoll_switch_is_blank(c)) || 0x7f == c
                   || (c > 0x7f && !comment)) {
            (void) napcoll_switch_refuse(file, NAPCOLL_SWITCH_WHOLE_FILE,
                                         "byte 0x%02x is no printable character of ASCII; "
                                         "expected a topology file (as Slurm's topology.conf)",
                                         c);
        } else {
            continue;
        }
        file->error->line = line;
        file->error->column = (int) (i - begin) + 1;
        return -1;
    }
    return 0;
}

char *napcoll_switch_text_copy(const napcoll_switch_file_t *file)
{
    scan_t scan = {.text = file->text, .length = file->length, .line = 1};
    char *text = malloc(file->length + 2);
    size_t at = 0;

    if (NULL != text) {
        for (int c = next_byte(&scan); END != c; c = next_byte(&scan)) {
            text[at++] = (char) c;
        }
        text[at] = '\n';
        text[at + 1] = '\0';
    }
    return text;
}
