/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * How the lines of a switch tree's file are read: what only napcoll_switch_file.c, which reads keywords,
 * napcoll_switch_names.c, which reads lists of names, and napcoll_switch_text.c, which has the text and its places, share.
 *
 * What is read is a copy without comments, in which lines that a backslash joins are one. Places are
 * places in that copy; where that is in the file is found out when an error is to say it.
 */

#ifndef NAPCOLL_SWITCH_READER_H
#define NAPCOLL_SWITCH_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/napcoll_switch_file.h"

/** Bytes of all names and what stands between them: below the limit of a file by what joins lines. */
#define NAPCOLL_MOST_SWITCH_WRITTEN (NAPCOLL_MOST_SWITCH_BYTES / 4 * 3)

/** The numbers low, low + 1, ... of a bracket, behind `before` other numbers of it. */
typedef struct napcoll_switch_range {
    uint64_t low;
    int before;
    int width; /**< at least so many digits */
} napcoll_switch_range_t;

/** A file that is being read. */
typedef struct napcoll_switch_reader {
    napcoll_switch_file_t *file;
    char *text; /**< the copy, which ends with a newline and a zero */
    size_t at;
    napcoll_switch_range_t *range; /**< of the name that is being read */
    int ranges;
    int range_room;
    int written; /**< bytes so far, see NAPCOLL_MOST_SWITCH_WRITTEN */
} napcoll_switch_reader_t;

/* ---- napcoll_switch_text.c ---- */

/**
 * Whether the file has no bytes and lines that no text has. Comments may have letters of any language.
 *
 * @return 0, or -1 with the error set
 */
int napcoll_switch_text_check(napcoll_switch_file_t *file);

/** The copy that is read, to be freed; NULL where memory ran out. */
char *napcoll_switch_text_copy(const napcoll_switch_file_t *file);

/** Set the error to that memory ran out. Returns -1. */
int napcoll_switch_file_no_memory(napcoll_switch_file_t *file);

/** As napcoll_switch_show, of the first `length` bytes. */
napcoll_switch_shown_t napcoll_switch_show_bytes(const char *text, size_t length);

/** Whether a byte separates words of a line. */
static inline bool napcoll_switch_is_blank(int c)
{
    return ' ' == c || '\t' == c || '\r' == c;
}

/* ---- napcoll_switch_names.c ---- */

/** Whether a byte may stand in a name: what has no other meaning in a list, or in Slurm's files. */
bool napcoll_switch_is_of_name(char c);

/**
 * Read one name, without brackets, up to the end of the value.
 *
 * @return 0, or -1 with the error set
 */
int napcoll_switch_name_read(napcoll_switch_reader_t *in, napcoll_switch_names_t *names);

/**
 * Read a list of names, of which some may have brackets, up to the end of the value.
 *
 * @return 0, or -1 with the error set
 */
int napcoll_switch_names_read(napcoll_switch_reader_t *in, napcoll_switch_names_t *names);

#endif /* NAPCOLL_SWITCH_READER_H */
