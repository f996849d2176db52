/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The text of a switch tree's file: whether it is one, its copy that is read, and the places that errors name.
 */

#include "topo/napcoll_switch_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SHOWN = 60, /* bytes of a name that errors show */
    END = -1
};

/* ---- places and errors ---- */

/* A depth-first order through a file, for the copy, and for the place of a byte of it. */
typedef struct {
    const char *text;
    size_t length;
    size_t at;
    size_t begin; /* of the line */
    int line;
} walk_t;

/* Whether the backslash here is the last of its line. */
static bool joins(const walk_t *dfs)
{
    size_t at = dfs->at + 1;

    while (at < dfs->length && napcoll_switch_is_blank(dfs->text[at])) {
        at++;
    }
    return at == dfs->length || '\n' == dfs->text[at];
}

/* The end of the line: its newline, or the end of the file. */
static size_t line_end(const walk_t *dfs)
{
    const char *newline = memchr(dfs->text + dfs->at, '\n', dfs->length - dfs->at);

    return NULL == newline ? dfs->length : (size_t) (newline - dfs->text);
}

/* The next byte of the copy, which is that before depth-first order->at then. */
static int step(walk_t *dfs)
{
    for (;;) {
        if (dfs->at > dfs->begin && '\n' == dfs->text[dfs->at - 1]) {
            dfs->line++;
            dfs->begin = dfs->at;
        }
        if (dfs->at == dfs->length) {
            return END;
        }
        if ('#' == dfs->text[dfs->at]) {
            dfs->at = line_end(dfs);
        } else if ('\\' == dfs->text[dfs->at] && joins(dfs)) {
            dfs->at = line_end(dfs);
            dfs->at += dfs->at < dfs->length;
        } else {
            return (unsigned char) dfs->text[dfs->at++];
        }
    }
}

/* The place in the file of byte `at` of the copy; of the end of a line, what follows its last byte. */
static void find_place(const napcoll_switch_file_t *file, size_t at, int *line, int *column)
{
    walk_t dfs = {.text = file->text, .length = file->length, .line = 1};
    walk_t last = dfs;
    int c = step(&dfs);

    for (; at > 0 && END != c; at--) {
        last = dfs;
        c = step(&dfs);
    }
    if (END == c || '\n' == c) {
        *line = last.line;
        *column = (int) (last.at - last.begin) + 1;
    } else {
        *line = dfs.line;
        *column = (int) (dfs.at - dfs.begin);
    }
}

static int refuse(napcoll_switch_error_t *error, int line, int column, const char *format,
                  va_list args)
{
    error->line = line;
    error->column = column;
    (void) vsnprintf(error->text, sizeof(error->text), format, args);
    return -1;
}

int napcoll_switch_file_refuse(napcoll_switch_file_t *file, size_t at, const char *format, ...)
{
    va_list args;
    int line, column;

    find_place(file, at, &line, &column);
    va_start(args, format);
    (void) refuse(file->error, line, column, format, args);
    va_end(args);
    return -1;
}

int napcoll_switch_file_refuse_all(napcoll_switch_file_t *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) refuse(file->error, 0, 0, format, args);
    va_end(args);
    return -1;
}

__attribute__((format(printf, 4, 5))) static int refuse_byte(napcoll_switch_file_t *file, int line,
                                                             size_t column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void) refuse(file->error, line, (int) column, format, args);
    va_end(args);
    return -1;
}

int napcoll_switch_file_no_memory(napcoll_switch_file_t *file)
{
    return napcoll_switch_file_refuse_all(file, "out of memory");
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

    (void) snprintf(shown.text, sizeof(shown.text), "%.*s%s",
                    (int) (length > MOST_SHOWN ? MOST_SHOWN : length), text,
                    length > MOST_SHOWN ? "..." : "");
    return shown;
}

napcoll_switch_shown_t napcoll_switch_show(const char *name)
{
    return napcoll_switch_show_bytes(name, strlen(name));
}

/* ---- bytes ---- */

int napcoll_switch_text_check(napcoll_switch_file_t *file)
{
    bool comment = false;
    size_t begin = 0;
    int line = 1;

    if (file->length > NAPCOLL_MOST_SWITCH_BYTES) {
        return napcoll_switch_file_refuse_all(
            file, "more than %d bytes; is it a file of switches (Slurm's topology.conf)?",
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
        if (i - begin == NAPCOLL_MOST_SWITCH_LINE) {
            return refuse_byte(file, line, i - begin + 1,
                               "a line of more than %d bytes; break it (a backslash at its end "
                               "joins a line to the next) or write ranges, n[0-99]",
                               NAPCOLL_MOST_SWITCH_LINE);
        }
        comment = comment || '#' == c;
        if ((c < ' ' && !napcoll_switch_is_blank(c)) || 0x7f == c || (c > 0x7f && !comment)) {
            return refuse_byte(file, line, i - begin + 1,
                               "byte 0x%02x is no printable character of ASCII; expected a text "
                               "file of switches (Slurm's topology.conf)",
                               c);
        }
    }
    return 0;
}

char *napcoll_switch_text_copy(const napcoll_switch_file_t *file)
{
    walk_t dfs = {.text = file->text, .length = file->length, .line = 1};
    char *text = malloc(file->length + 2);
    size_t at = 0;

    if (NULL != text) {
        for (int c = step(&dfs); END != c; c = step(&dfs)) {
            text[at++] = (char) c;
        }
        text[at] = '\n';
        text[at + 1] = '\0';
    }
    return text;
}
