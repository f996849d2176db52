/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The summary of calls: rows, their order, and their lines.
 */

#include "cmocka_setup.h"

#include "select/napcoll_call_stats.h"
#include "common/napcoll_names.h"

static void assert_line(const napcoll_call_stats_t *stats, int row, const char *expected)
{
    char line[NAPCOLL_CALL_STATS_LINE];

    assert_true(row < stats->rows);
    napcoll_call_stats_line(&stats->row[row], line);
    assert_string_equal(line, expected);
}

static void calls_of_one_outcome_are_one_row(void **state)
{
    const napcoll_outcome_t nap = {.collective = &napcoll_allreduce,
                                   .algorithm = napcoll_algorithm_find(&napcoll_allreduce, "nap"),
                                   .least = 9,
                                   .most = 16};
    napcoll_outcome_t other = nap;
    napcoll_call_stats_t stats = {0};

    (void) state;
    napcoll_call_stats_count(&stats, &nap, 10, 1.5, 100);
    napcoll_call_stats_count(&stats, &nap, 16, 2.5, 0.25);
    assert_int_equal(stats.rows, 1);
    assert_line(&stats, 0,
                "allreduce 9-16 nap calls=2 bytes=26 total_us=4.0 mean_us=2.0 setup_us=100.2");
    /* what differs in one thing is another row */
    other.least = 8;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    other = nap;
    other.most = 32;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    other = nap;
    other.algorithm++;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    other = nap;
    other.collective = &napcoll_reduce;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    other = nap;
    other.algorithm = -1;
    other.reason = NAPCOLL_REASON_MEMORY;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    other.reason = NAPCOLL_REASON_ONLINE;
    napcoll_call_stats_count(&stats, &other, 8, 1, 0);
    assert_int_equal(stats.rows, 7);
    napcoll_call_stats_release(&stats);
    assert_int_equal(stats.rows, 0);
}

static void rows_are_sorted_and_their_reasons_said(void **state)
{
    const napcoll_outcome_t outcome[] = {
        {.collective = &napcoll_bcast, .algorithm = 0, .least = 0, .most = 8},
        {.collective = &napcoll_alltoallv,
         .algorithm = -1,
         .reason = NAPCOLL_REASON_JOBS,
         .most = SIZE_MAX},
        {.collective = &napcoll_allreduce, .algorithm = 0, .least = 1025, .most = 2048},
        {.collective = &napcoll_allreduce,
         .algorithm = -1,
         .reason = NAPCOLL_REASON_PPN,
         .least = 9,
         .most = 16},
        {.collective = &napcoll_allreduce, .algorithm = 1, .least = 9, .most = 16},
    };
    static const char *const expected[] = {
        "allreduce 9-16 ", "allreduce 9-16 fallback:ppn calls=1 ", "allreduce 1025-2048 ",
        "alltoallv any fallback:jobs ", "bcast 0-8 "};
    napcoll_call_stats_t stats = {0};

    (void) state;
    for (int i = 0; i < 5; i++) {
        napcoll_call_stats_count(&stats, &outcome[i], 1, 1, 1);
    }
    napcoll_call_stats_sort(&stats);
    for (int i = 0; i < 5; i++) {
        char line[NAPCOLL_CALL_STATS_LINE];

        napcoll_call_stats_line(&stats.row[i], line);
        assert_memory_equal(line, expected[i], strlen(expected[i]));
    }
    napcoll_call_stats_release(&stats);
}

/* More rows than there was room for at first, and numbers as large as there are. */
static void many_rows_and_large_numbers_are_counted(void **state)
{
    napcoll_call_stats_t stats = {0};
    napcoll_outcome_t outcome = {.collective = &napcoll_reduce_scatter_block};

    (void) state;
    for (size_t i = 0; i < 1000; i++) {
        outcome.least = i;
        outcome.most = SIZE_MAX - 1;
        napcoll_call_stats_count(&stats, &outcome, SIZE_MAX / 2, 1e9, 1e9);
        napcoll_call_stats_count(&stats, &outcome, 1, 0, 0);
    }
    assert_int_equal(stats.rows, 1000);
    napcoll_call_stats_sort(&stats);
    for (int i = 0; i < 1000; i++) {
        char line[NAPCOLL_CALL_STATS_LINE];

        assert_int_equal(stats.row[i].outcome.least, i);
        assert_int_equal(stats.row[i].calls, 2);
        napcoll_call_stats_line(&stats.row[i], line);
        assert_non_null(strstr(line, " calls=2 bytes=9223372036854775808 total_us=1000000000.0 "));
        assert_non_null(strstr(line, " setup_us=1000000000.0"));
    }
    napcoll_call_stats_release(&stats);
}

static void empty_summary_can_be_sorted_and_released(void **state)
{
    napcoll_call_stats_t stats = {0};

    (void) state;
    napcoll_call_stats_sort(&stats);
    napcoll_call_stats_release(&stats);
    assert_int_equal(stats.rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_one_outcome_are_one_row),
        cmocka_unit_test(rows_are_sorted_and_their_reasons_said),
        cmocka_unit_test(many_rows_and_large_numbers_are_counted),
        cmocka_unit_test(empty_summary_can_be_sorted_and_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
