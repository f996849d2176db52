/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The rows of plans from files (see the header).
 */

#include "algo/file/napcoll_file_rows.h"

#include <string.h>

static struct {
    napcoll_file_row_t row[NAPCOLL_MOST_FILE_ROWS];
    int rows;
    /* has the plans */
    napcoll_plan_text_t *read;
    bool accepts;
} all;

/* A new row, without plans; -1: the title is none, there are too many rows, or files have no such
 * plans, since they depend on neighbours. */
static int make(const napcoll_collective_t *collective, const char *title, size_t length)
{
    static const char prefix[] = "file:";
    const size_t begin = strlen(prefix);
    char name[NAPCOLL_PLAN_NAME] = "";

    if (napcoll_goal_is_neighbor(collective->goal) || length <= begin
        || 0 != memcmp(title, prefix, begin)
        || length - begin != napcoll_plan_name_length(title + begin, length - begin)
        || NAPCOLL_MOST_FILE_ROWS == all.rows) {
        return -1;
    }
    memcpy(name, title + begin, length - begin);
    napcoll_file_row_begin(&all.row[all.rows], collective, name);
    return NAPCOLL_MAX_ALGORITHMS + all.rows++;
}

int napcoll_file_rows_find(const napcoll_collective_t *collective, const char *title, size_t length)
{
    for (int i = 0; i < all.rows; i++) {
        const napcoll_file_row_t *row = &all.row[i];

        if (row->collective == collective && strlen(row->title) == length
            && 0 == memcmp(row->title, title, length)) {
            return NAPCOLL_MAX_ALGORITHMS + i;
        }
    }
    return all.accepts ? make(collective, title, length) : -1;
}

int napcoll_file_rows_make(const napcoll_collective_t *collective, const char *title, size_t length)
{
    const int row = napcoll_file_rows_find(collective, title, length);

    return row >= 0 ? row : make(collective, title, length);
}

const napcoll_algorithm_t *napcoll_file_rows_at(const napcoll_collective_t *collective, int row)
{
    return row >= 0 && row < all.rows && all.row[row].collective == collective
               ? &all.row[row].algorithm
               : NULL;
}

const napcoll_file_row_t *napcoll_file_rows_unknown(int *row)
{
    while (*row < all.rows) {
        const napcoll_file_row_t *at = &all.row[(*row)++];

        if (0 == at->sets) {
            return at;
        }
    }
    return NULL;
}

int napcoll_file_rows_take(napcoll_plan_text_t *read)
{
    napcoll_file_rows_clear(all.accepts);
    all.read = read;
    for (int i = 0; i < read->sets; i++) {
        const napcoll_plan_set_t *set = read->set[i];
        const int row = napcoll_file_rows_make(set->collective, set->row.title,
                                               strlen(set->row.title));

        if (row < 0 || !napcoll_file_row_add(&all.row[row - NAPCOLL_MAX_ALGORITHMS], set)) {
            napcoll_file_rows_clear(all.accepts);
            return -1;
        }
    }
    return 0;
}

void napcoll_file_rows_clear(bool accepts)
{
    all.accepts = accepts;
    for (int i = 0; i < all.rows; i++) {
        napcoll_file_row_end(&all.row[i]);
    }
    napcoll_plan_text_free(all.read);
    all.read = NULL;
}
