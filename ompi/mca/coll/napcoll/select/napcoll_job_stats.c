/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Call statistics of a job (see the header).
 */

#include "select/napcoll_job_stats.h"

#include "algo/file/napcoll_file_rows.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/napcoll_grow.h"
#include "util/napcoll_order.h"

/* The places of a table's numbers, and of a row's. */
enum { PROCESSES, LOST, HEAD };
enum {
    COLLECTIVE,
    KIND,
    ALGORITHM,
    REASON,
    LEAST,
    MOST,
    CALLS,
    BYTES,
    US,
    SETUP_US,
    LEAST_US,
    MOST_US,
    TIMES,
    /* of the row without its times */
    ROW
};

static bool make_room(napcoll_job_stats_t *job, size_t more)
{
    return napcoll_grow(&job->number, &job->room, job->numbers + more, sizeof(*job->number));
}

/* SIZE_MAX, an unknown size, is not exact as a double. */
static double number_of_size(size_t size)
{
    return SIZE_MAX == size ? -1 : (double) size;
}

static size_t size_of_number(double number)
{
    return number < 0 || number >= (double) SIZE_MAX ? SIZE_MAX : (size_t) number;
}

static int index_of(const napcoll_job_stats_t *job, const napcoll_collective_t *collective)
{
    int i = 0;

    while (i < job->collectives && job->collective[i] != collective) {
        i++;
    }
    return i;
}

int napcoll_job_stats_of(napcoll_job_stats_t *job, const napcoll_call_stats_t *stats)
{
    const size_t numbers = HEAD + (size_t) stats->rows * (ROW + 1);

    job->numbers = 0;
    if (!make_room(job, numbers)) {
        return -1;
    }
    job->number[PROCESSES] = 1;
    job->number[LOST] = (double) stats->lost;
    for (int i = 0; i < stats->rows; i++) {
        const napcoll_call_stats_row_t *row = &stats->row[i];
        const double number[ROW + 1] = {
            [COLLECTIVE] = index_of(job, row->outcome.collective),
            [KIND] = (double) row->outcome.kind,
            [ALGORITHM] = row->outcome.algorithm,
            [REASON] = (double) row->outcome.reason,
            [LEAST] = number_of_size(row->outcome.least),
            [MOST] = number_of_size(row->outcome.most),
            [CALLS] = (double) row->calls,
            [BYTES] = (double) row->bytes,
            [US] = row->us,
            [SETUP_US] = row->setup_us,
            [LEAST_US] = row->least_us,
            [MOST_US] = row->most_us,
            [TIMES] = 1,
            [ROW] = row->us,
        };

        memcpy(job->number + HEAD + (size_t) i * (ROW + 1), number, sizeof(number));
    }
    job->numbers = numbers;
    return 0;
}

/* Whether a number is an integer of least .. most. */
static bool is_integer(double number, double least, double most)
{
    return number >= least && number <= most && number == floor(number);
}

static size_t length_of(const double *row)
{
    return ROW + (size_t) row[TIMES];
}

static napcoll_outcome_t outcome_of(const napcoll_job_stats_t *job, const double *row)
{
    return (napcoll_outcome_t){.collective = job->collective[(int) row[COLLECTIVE]],
                               .kind = (napcoll_kind_t) row[KIND],
                               .algorithm = (int) row[ALGORITHM],
                               .reason = (napcoll_reason_t) row[REASON],
                               .least = size_of_number(row[LEAST]),
                               .most = size_of_number(row[MOST])};
}

static bool is_row(const napcoll_job_stats_t *job, const double *row, size_t left)
{
    return left >= ROW && is_integer(row[COLLECTIVE], 0, job->collectives - 1)
           && is_integer(row[KIND], 0, NAPCOLL_KINDS - 1)
           && is_integer(row[ALGORITHM], -1, NAPCOLL_MAX_ALGORITHMS + NAPCOLL_MOST_FILE_ROWS)
           && (-1 == row[ALGORITHM]
               || NULL
                      != napcoll_algorithm_at(job->collective[(int) row[COLLECTIVE]],
                                              (int) row[ALGORITHM]))
           && is_integer(row[REASON], 0, NAPCOLL_REASONS - 1) && row[CALLS] >= 1 && row[BYTES] >= 0
           && is_integer(row[TIMES], 1, (double) (left - ROW));
}

static bool is_table(const napcoll_job_stats_t *job, const double *number, size_t numbers)
{
    size_t at = HEAD;

    if (numbers < HEAD || !is_integer(number[PROCESSES], 1, INT32_MAX) || !(number[LOST] >= 0)) {
        return false;
    }
    while (at < numbers && is_row(job, number + at, numbers - at)) {
        at += length_of(number + at);
    }
    return at == numbers;
}

/* Append a row; there is room. */
static void append(napcoll_job_stats_t *job, const double *row)
{
    memcpy(job->number + job->numbers, row, length_of(row) * sizeof(*row));
    job->numbers += length_of(row);
}

/* Append two rows of one outcome as one. */
static void append_both(napcoll_job_stats_t *job, const double *a, const double *b)
{
    double *row = job->number + job->numbers;

    append(job, a);
    row[CALLS] += b[CALLS];
    row[BYTES] += b[BYTES];
    row[US] += b[US];
    row[SETUP_US] = fmax(a[SETUP_US], b[SETUP_US]);
    row[LEAST_US] = fmin(a[LEAST_US], b[LEAST_US]);
    row[MOST_US] = fmax(a[MOST_US], b[MOST_US]);
    row[TIMES] += b[TIMES];
    memcpy(job->number + job->numbers, b + ROW, (size_t) b[TIMES] * sizeof(*b));
    job->numbers += (size_t) b[TIMES];
}

/* The order of the first rows of two lists, the ends of which come last. */
static int order_of_rows(const napcoll_job_stats_t *job, const double *a, const double *end_a,
                         const double *b, const double *end_b)
{
    napcoll_outcome_t left, right;

    if (a == end_a || b == end_b) {
        return a == end_a ? 1 : -1;
    }
    left = outcome_of(job, a);
    right = outcome_of(job, b);
    return napcoll_outcome_order(&left, &right);
}

int napcoll_job_stats_merge(napcoll_job_stats_t *job, const double *number, size_t numbers)
{
    napcoll_job_stats_t merged = {.collective = job->collective, .collectives = job->collectives};
    const double *a = job->number + HEAD, *end_a = job->number + job->numbers;
    const double *b = number + HEAD, *end_b = number + numbers;

    if (!is_table(job, number, numbers) || !make_room(&merged, job->numbers + numbers)) {
        return -1;
    }
    merged.number[PROCESSES] = job->number[PROCESSES] + number[PROCESSES];
    merged.number[LOST] = job->number[LOST] + number[LOST];
    merged.numbers = HEAD;
    while (a != end_a || b != end_b) {
        const int order = order_of_rows(job, a, end_a, b, end_b);

        if (0 == order) {
            append_both(&merged, a, b);
        } else {
            append(&merged, order < 0 ? a : b);
        }
        a += order <= 0 ? length_of(a) : 0;
        b += order >= 0 ? length_of(b) : 0;
    }
    free(job->number);
    *job = merged;
    return 0;
}

int napcoll_job_stats_processes(const napcoll_job_stats_t *job)
{
    return 0 == job->numbers ? 0 : (int) job->number[PROCESSES];
}

unsigned long long napcoll_job_stats_lost(const napcoll_job_stats_t *job)
{
    return 0 == job->numbers ? 0 : (unsigned long long) job->number[LOST];
}

bool napcoll_job_stats_next(napcoll_job_stats_t *job, size_t *at, napcoll_job_stats_row_t *row)
{
    double *number, *time;
    int times;

    *at = 0 == *at ? HEAD : *at;
    if (*at >= job->numbers) {
        return false;
    }
    number = job->number + *at;
    time = number + ROW;
    times = (int) number[TIMES];
    *row = (napcoll_job_stats_row_t){
        .all = {.outcome = outcome_of(job, number),
                .calls = (unsigned long long) number[CALLS],
                .bytes = (unsigned long long) number[BYTES],
                .us = number[US],
                .least_us = number[LEAST_US],
                .most_us = number[MOST_US],
                .setup_us = number[SETUP_US]},
        .processes = times,
        /* sorts the times */
        .median_total_us = napcoll_median(time, times),
    };
    row->least_total_us = time[0];
    row->most_total_us = time[times - 1];
    *at += length_of(number);
    return true;
}

void napcoll_job_stats_line(const napcoll_job_stats_row_t *row, char line[NAPCOLL_CALL_STATS_LINE])
{
    const napcoll_call_stats_row_t *all = &row->all;
    char words[NAPCOLL_OUTCOME_WORDS];

    napcoll_outcome_words(&all->outcome, words);
    (void) snprintf(line, NAPCOLL_CALL_STATS_LINE,
                    "%s calls=%llu bytes=%llu processes=%d min_total_us=%.1f median_total_us=%.1f "
                    "max_total_us=%.1f mean_us=%.1f max_setup_us=%.1f",
                    words, all->calls, all->bytes, row->processes, row->least_total_us,
                    row->median_total_us, row->most_total_us, all->us / (double) all->calls,
                    all->setup_us);
}

void napcoll_job_stats_release(napcoll_job_stats_t *job)
{
    free(job->number);
    job->number = NULL;
    job->numbers = job->room = 0;
}
