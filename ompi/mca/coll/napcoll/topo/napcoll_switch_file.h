/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The lines of a switch tree's file: what they name, and where. Only napcoll_switch_tree.c, which makes a
 * tree of it, includes this. Pure: no MPI in here.
 */

#ifndef NAPCOLL_SWITCH_FILE_H
#define NAPCOLL_SWITCH_FILE_H

#include <stddef.h>

#include "topo/napcoll_switch_tree.h"

/** A name where it stands in a file; one that a range stands for stands where the range's name begins. */
typedef struct napcoll_switch_name {
    char *name; /**< whoever takes it leaves NULL */
    size_t at;  /**< for napcoll_switch_file_refuse */
    int line;   /**< the switch, in the file's order, whose line it is in */
} napcoll_switch_name_t;

typedef struct napcoll_switch_names {
    napcoll_switch_name_t *at; /**< [count] in the file's order */
    int count;
    int room;
} napcoll_switch_names_t;

typedef struct napcoll_switch_file {
    const char *text; /**< the caller's */
    size_t length;
    napcoll_switch_names_t switches; /**< of SwitchName= */
    napcoll_switch_names_t nodes;    /**< of all Nodes= */
    napcoll_switch_names_t below;    /**< of all Switches= */
    napcoll_switch_error_t *error;
} napcoll_switch_file_t;

/**
 * Read all lines of file->text, with the other members but length and error empty. Each switch
 * then has nodes or switches below it, and all names together, written one by one, fit into a file.
 *
 * @return 0, or -1 with *file->error set; napcoll_switch_file_drop in both cases
 */
int napcoll_switch_file_read(napcoll_switch_file_t *file);

/** Free what file->text was read into. */
void napcoll_switch_file_drop(napcoll_switch_file_t *file);

/** Set the error to what is wrong at a place. Returns -1. */
__attribute__((format(printf, 3, 4))) int napcoll_switch_file_refuse(napcoll_switch_file_t *file,
                                                                     size_t at, const char *format,
                                                                     ...);

/** Set the error to what is wrong with the file as a whole. Returns -1. */
__attribute__((format(printf, 2, 3))) int napcoll_switch_file_refuse_all(
    napcoll_switch_file_t *file, const char *format, ...);

/** The line, from 1, of a place. */
int napcoll_switch_file_line(const napcoll_switch_file_t *file, size_t at);

/** A name as errors show it: long ones are cut. */
typedef struct napcoll_switch_shown {
    char text[64];
} napcoll_switch_shown_t;

napcoll_switch_shown_t napcoll_switch_show(const char *name);

#endif /* NAPCOLL_SWITCH_FILE_H */
