/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll_switch_file.c reads from a topology file, for napcoll_switch_tree.c, which makes the
 * tree of it, and napcoll_switch_text.c, which reports errors. Others use napcoll_switch_tree.h.
 * Pure: no MPI in here.
 *
 * What is read is a copy of the file without comments, in which the lines that a backslash joins
 * are one line. The place of a name is its offset in that copy. An error translates it to a line
 * and a column.
 */

#ifndef NAPCOLL_SWITCH_FILE_H
#define NAPCOLL_SWITCH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/napcoll_switch_tree.h"

/** A name in the file. The names that a range stands for have the place of the range. */
typedef struct napcoll_switch_name {
    /** NULL once the tree owns it */
    char *name;
    /** place, for napcoll_switch_refuse */
    size_t at;
    /** the switch on whose line it stands, in the file's order */
    int line;
} napcoll_switch_name_t;

typedef struct napcoll_switch_names {
    /** [count] in the file's order */
    napcoll_switch_name_t *at;
    int count;
    int room;
} napcoll_switch_names_t;

typedef struct napcoll_switch_file {
    /** [length] the caller's */
    const char *text;
    size_t length;
    /** of SwitchName= */
    napcoll_switch_names_t switches;
    /** of all Nodes= */
    napcoll_switch_names_t nodes;
    /** of all Switches= */
    napcoll_switch_names_t below;
    napcoll_switch_error_t *error;
} napcoll_switch_file_t;

/** The place of an error that concerns the whole file. */
#define NAPCOLL_SWITCH_WHOLE_FILE SIZE_MAX

/**
 * Read all names of file->text. The caller sets text, length and error, and zeroes the rest. After
 * success each switch has nodes or switches below it.
 *
 * @return 0, or -1 with *file->error set; the caller calls napcoll_switch_file_free in both cases
 */
int napcoll_switch_file_read(napcoll_switch_file_t *file);

/** Free the names that the tree does not own. */
void napcoll_switch_file_free(napcoll_switch_file_t *file);

/** Set the error, at a name's place or NAPCOLL_SWITCH_WHOLE_FILE. Returns -1. */
__attribute__((format(printf, 3, 4))) int napcoll_switch_refuse(napcoll_switch_file_t *file,
                                                                size_t at, const char *format, ...);

/** Set the error: memory ran out. Returns -1. */
int napcoll_switch_no_memory(napcoll_switch_file_t *file);

/** The line, from 1, of a place. */
int napcoll_switch_file_line(const napcoll_switch_file_t *file, size_t at);

/** A name for an error's text: the first 60 bytes. */
typedef struct napcoll_switch_shown {
    char text[64];
} napcoll_switch_shown_t;

napcoll_switch_shown_t napcoll_switch_show(const char *name);
napcoll_switch_shown_t napcoll_switch_show_bytes(const char *text, size_t length);

/** Refuse binary files and endless lines. Comments may contain letters of any language. */
int napcoll_switch_text_check(napcoll_switch_file_t *file);

/** The copy that is read, which ends with a newline and a zero; NULL when memory ran out. */
char *napcoll_switch_text_copy(const napcoll_switch_file_t *file);

/** Whether a character separates the words of a line. */
static inline bool napcoll_switch_is_blank(int c)
{
    return ' ' == c || '\t' == c || '\r' == c;
}

#endif /* NAPCOLL_SWITCH_FILE_H */
