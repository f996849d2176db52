/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary (see the header).
 */

#include "select/napcoll_tally.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_alike(const napcoll_outcome_t *a, const napcoll_outcome_t *b)
{
    return a->collective == b->collective && a->algorithm == b->algorithm && a->reason == b->reason
           && a->least == b->least && a->most == b->most;
}

/* Room for one more row; false where there is no memory. */
static bool make_room(napcoll_tally_t *tally)
{
    const int room = tally->room > 0 ? 2 * tally->room : 32;
    napcoll_tally_row_t *row;

    if (tally->rows < tally->room) {
        return true;
    }
    row = realloc(tally->row, (size_t) room * sizeof(*row));
    if (NULL != row) {
        tally->row = row;
        tally->room = room;
    }
    return NULL != row;
}

/* The row of an outcome, made where there is none; NULL where there is no memory. */
static napcoll_tally_row_t *row_of(napcoll_tally_t *tally, const napcoll_outcome_t *outcome)
{
    for (int i = 0; i < tally->rows; i++) {
        if (is_alike(outcome, &tally->row[i].outcome)) {
            return &tally->row[i];
        }
    }
    if (!make_room(tally)) {
        return NULL;
    }
    tally->row[tally->rows] = (napcoll_tally_row_t){.outcome = *outcome};
    return &tally->row[tally->rows++];
}

void napcoll_tally_count(napcoll_tally_t *tally, const napcoll_outcome_t *outcome, size_t bytes,
                         double us, double setup_us)
{
    napcoll_tally_row_t *row = row_of(tally, outcome);

    if (NULL == row) {
        tally->lost++;
        return;
    }
    row->calls++;
    row->bytes += bytes;
    row->us += us;
    row->setup_us += setup_us;
}

static int order_of(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const napcoll_outcome_t *a = &((const napcoll_tally_row_t *) left)->outcome;
    const napcoll_outcome_t *b = &((const napcoll_tally_row_t *) right)->outcome;
    const int by_name = strcmp(a->collective->name, b->collective->name);
    const int by_least = order_of(a->least, b->least), by_most = order_of(a->most, b->most);

    if (0 != by_name || 0 != by_least || 0 != by_most) {
        return 0 != by_name ? by_name : 0 != by_least ? by_least : by_most;
    }
    if ((a->algorithm < 0) != (b->algorithm < 0)) {
        return a->algorithm < 0 ? 1 : -1;
    }
    return a->algorithm != b->algorithm ? a->algorithm - b->algorithm
                                        : (int) a->reason - (int) b->reason;
}

void napcoll_tally_sort(napcoll_tally_t *tally)
{
    if (tally->rows > 0) {
        qsort(tally->row, (size_t) tally->rows, sizeof(*tally->row), compare_rows);
    }
}

void napcoll_tally_line(const napcoll_tally_row_t *row, char line[NAPCOLL_TALLY_LINE])
{
    const napcoll_outcome_t *o = &row->outcome;
    char sizes[64] = "any";

    if (o->most < SIZE_MAX) {
        (void) snprintf(sizes, sizeof(sizes), "%zu-%zu", o->least, o->most);
    }
    (void) snprintf(line, NAPCOLL_TALLY_LINE,
                    "%s %s %s%s calls=%llu bytes=%llu total_us=%.1f mean_us=%.1f setup_us=%.1f",
                    o->collective->name, sizes, o->algorithm < 0 ? "previous:" : "",
                    o->algorithm < 0 ? napcoll_reason_name(o->reason)
                                     : o->collective->algorithm[o->algorithm].name,
                    row->calls, row->bytes, row->us, row->us / (double) row->calls, row->setup_us);
}

void napcoll_tally_release(napcoll_tally_t *tally)
{
    free(tally->row);
    *tally = (napcoll_tally_t){0};
}
