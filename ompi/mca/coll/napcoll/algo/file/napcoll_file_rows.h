/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rows of plans from files: algorithms file:NAME beside the collectives' tables. They
 * belong to the process, like the tables, and are set before the first decision; all processes of a
 * job have the same in the same order. A row that a parameter names is there before its plans.
 */

#ifndef NAPCOLL_FILE_ROWS_H
#define NAPCOLL_FILE_ROWS_H

#include "algo/file/napcoll_plan_text.h"

/** Rows of all collectives together. */
enum { NAPCOLL_MOST_FILE_ROWS = 128 };

/** The row of a collective's file:NAME, counted behind NAPCOLL_MAX_ALGORITHMS; -1: there is none.
 * The title has `length` bytes. */
int napcoll_file_rows_find(const napcoll_collective_t *collective, const char *title,
                           size_t length);

/** The same, and where there is none it is made, without plans; -1: the title is none, or there are
 * too many rows. */
int napcoll_file_rows_make(const napcoll_collective_t *collective, const char *title,
                           size_t length);

/** The row of a number counted from 0; NULL: the collective has none. */
const napcoll_algorithm_t *napcoll_file_rows_at(const napcoll_collective_t *collective, int row);

/** A row without plans, to be reported; NULL: there is none from *row on. *row becomes its number
 * plus 1. */
const napcoll_file_row_t *napcoll_file_rows_unknown(int *row);

/**
 * Add all plan sets of a text to the rows.
 *
 * @param[in] read  owned by the rows from now on
 *
 * @return 0, or -1 when memory ran out or there are too many rows
 */
int napcoll_file_rows_take(napcoll_plan_text_t *read);

/** Forget all plans; rows stay as names. From then on napcoll_file_rows_find makes rows if it
 * `accepts` any name: for tools, which read rules without their plans. */
void napcoll_file_rows_clear(bool accepts);

#endif /* NAPCOLL_FILE_ROWS_H */
