/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Call statistics (see the header).
 */

#include "select/napcoll_call_stats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_alike(const napcoll_outcome_t *a, const napcoll_outcome_t *b)
{
    return a->collective == b->collective && a->kind == b->kind && a->algorithm == b->algorithm
           && a->reason == b->reason && a->least == b->least && a->most == b->most;
}

/* Room for one more row; false where there is no memory. */
static bool make_room(napcoll_call_stats_t *stats)
{
    const int room = stats->room > 0 ? 2 * stats->room : 32;
    napcoll_call_stats_row_t *row;

    if (stats->rows < stats->room) {
        return true;
    }
    row = realloc(stats->row, (size_t) room * sizeof(*row));
    if (NULL != row) {
        stats->row = row;
        stats->room = room;
    }
    return NULL != row;
}

/* The row of an outcome, made where there is none; NULL where there is no memory. */
static napcoll_call_stats_row_t *row_of(napcoll_call_stats_t *stats,
                                        const napcoll_outcome_t *outcome)
{
    for (int i = 0; i < stats->rows; i++) {
        if (is_alike(outcome, &stats->row[i].outcome)) {
            return &stats->row[i];
        }
    }
    if (!make_room(stats)) {
        return NULL;
    }
    stats->row[stats->rows] = (napcoll_call_stats_row_t){.outcome = *outcome, .least_us = HUGE_VAL};
    return &stats->row[stats->rows++];
}

void napcoll_call_stats_count(napcoll_call_stats_t *stats, const napcoll_outcome_t *outcome,
                              size_t bytes, double us, double setup_us)
{
    napcoll_call_stats_row_t *row = row_of(stats, outcome);

    if (NULL == row) {
        stats->lost++;
        return;
    }
    row->calls++;
    row->bytes += bytes;
    row->us += us;
    row->least_us = fmin(row->least_us, us);
    row->most_us = fmax(row->most_us, us);
    row->setup_us += setup_us;
}

static int order_of(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

int napcoll_outcome_order(const napcoll_outcome_t *a, const napcoll_outcome_t *b)
{
    const int order[] = {strcmp(a->collective->name, b->collective->name),
                         (int) a->kind - (int) b->kind,
                         order_of(a->least, b->least),
                         order_of(a->most, b->most),
                         (a->algorithm < 0) - (b->algorithm < 0),
                         a->algorithm - b->algorithm,
                         (int) a->reason - (int) b->reason};
    size_t i = 0;

    while (i + 1 < sizeof(order) / sizeof(order[0]) && 0 == order[i]) {
        i++;
    }
    return order[i];
}

static int compare_rows(const void *left, const void *right)
{
    return napcoll_outcome_order(&((const napcoll_call_stats_row_t *) left)->outcome,
                                 &((const napcoll_call_stats_row_t *) right)->outcome);
}

void napcoll_call_stats_sort(napcoll_call_stats_t *stats)
{
    if (stats->rows > 0) {
        qsort(stats->row, (size_t) stats->rows, sizeof(*stats->row), compare_rows);
    }
}

void napcoll_outcome_words(const napcoll_outcome_t *o, char words[NAPCOLL_OUTCOME_WORDS])
{
    const bool by_fallback = o->algorithm < 0;
    char name[NAPCOLL_FUNCTION_NAME], sizes[64] = "any";

    if (o->most < SIZE_MAX) {
        (void) snprintf(sizes, sizeof(sizes), "%zu-%zu", o->least, o->most);
    }
    napcoll_function_name(o->collective, o->kind, name);
    (void) snprintf(words, NAPCOLL_OUTCOME_WORDS, "%s %s %s%s", name, sizes,
                    by_fallback ? "fallback:" : "",
                    by_fallback ? napcoll_reason_name(o->reason)
                                : napcoll_algorithm_at(o->collective, o->algorithm)->name);
}

void napcoll_call_stats_line(const napcoll_call_stats_row_t *row,
                             char line[NAPCOLL_CALL_STATS_LINE])
{
    char words[NAPCOLL_OUTCOME_WORDS];

    napcoll_outcome_words(&row->outcome, words);
    (void) snprintf(line, NAPCOLL_CALL_STATS_LINE,
                    "%s calls=%llu bytes=%llu total_us=%.1f mean_us=%.1f setup_us=%.1f", words,
                    row->calls, row->bytes, row->us, row->us / (double) row->calls, row->setup_us);
}

void napcoll_call_stats_release(napcoll_call_stats_t *stats)
{
    free(stats->row);
    *stats = (napcoll_call_stats_t){0};
}
