/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The job's table of calls, and the summary as JSON lines.
 */

#include "cmocka_setup.h"

#include "common/napcoll_names.h"
#include "select/napcoll_summary.h"
#include "util/napcoll_file_name.h"
#include "util/napcoll_json.h"

static const napcoll_collective_t *const collective[] = {&napcoll_allreduce, &napcoll_bcast};

static const napcoll_outcome_t small = {.collective = &napcoll_allreduce, .most = 8};
static const napcoll_outcome_t large = {
    .collective = &napcoll_allreduce, .algorithm = 1, .least = 1025, .most = 2048};
static const napcoll_outcome_t any = {
    .collective = &napcoll_bcast, .algorithm = -1, .reason = NAPCOLL_REASON_PPN, .most = SIZE_MAX};

/* The table of a process with one call of each outcome that is not NULL, for the time given. */
static napcoll_job_stats_t table_of(const napcoll_outcome_t *first, const napcoll_outcome_t *second,
                                    double us)
{
    napcoll_job_stats_t job = {.collective = collective, .collectives = 2};
    napcoll_call_stats_t stats = {.lost = 3};

    if (NULL != first) {
        napcoll_call_stats_count(&stats, first, 4, us, 1);
        napcoll_call_stats_count(&stats, first, 4, 2 * us, us);
    }
    if (NULL != second) {
        napcoll_call_stats_count(&stats, second, 100, us, 0);
    }
    napcoll_call_stats_sort(&stats);
    assert_int_equal(napcoll_job_stats_of(&job, &stats), 0);
    napcoll_call_stats_release(&stats);
    return job;
}

/* Merge the second table, and release it. */
static void merge(napcoll_job_stats_t *job, napcoll_job_stats_t other)
{
    assert_int_equal(napcoll_job_stats_merge(job, other.number, other.numbers), 0);
    napcoll_job_stats_release(&other);
}

static void assert_row(napcoll_job_stats_t *job, size_t *at, const char *expected)
{
    char line[NAPCOLL_CALL_STATS_LINE];
    napcoll_job_stats_row_t row;

    assert_true(napcoll_job_stats_next(job, at, &row));
    napcoll_job_stats_line(&row, line);
    assert_string_equal(line, expected);
}

static void tables_of_different_rows_are_united(void **state)
{
    napcoll_job_stats_t job = table_of(&large, NULL, 30);
    napcoll_job_stats_row_t row;
    size_t at = 0;

    (void) state;
    merge(&job, table_of(NULL, NULL, 1));
    merge(&job, table_of(&small, &any, 10));
    merge(&job, table_of(&large, &small, 20));
    merge(&job, table_of(&small, &any, 40));
    assert_int_equal(napcoll_job_stats_processes(&job), 5);
    assert_int_equal(napcoll_job_stats_lost(&job), 15);
    assert_row(&job, &at,
               "allreduce 0-8 recursive_doubling calls=5 bytes=116 processes=3 min_total_us=20.0 "
               "median_total_us=30.0 max_total_us=120.0 mean_us=34.0 max_setup_us=41.0");
    assert_row(&job, &at,
               "allreduce 1025-2048 smp calls=4 bytes=16 processes=2 min_total_us=60.0 "
               "median_total_us=75.0 max_total_us=90.0 mean_us=37.5 max_setup_us=31.0");
    assert_row(&job, &at,
               "bcast any fallback:ppn calls=2 bytes=200 processes=2 min_total_us=10.0 "
               "median_total_us=25.0 max_total_us=40.0 mean_us=25.0 max_setup_us=0.0");
    assert_false(napcoll_job_stats_next(&job, &at, &row));
    napcoll_job_stats_release(&job);
}

/* The same table, however the processes are merged. */
static void order_of_merges_does_not_matter(void **state)
{
    enum { PROCESSES = 13 };
    napcoll_job_stats_t tree[PROCESSES], chain = table_of(&small, &large, 1);
    napcoll_job_stats_row_t left, right;
    size_t at = 0, other = 0;
    int rows = 0;

    (void) state;
    for (int p = 0; p < PROCESSES; p++) {
        tree[p] = table_of(0 == p % 2 ? &small : NULL, 0 == p % 3 ? &large : &any, p + 1);
        if (p > 0) {
            assert_int_equal(napcoll_job_stats_merge(&chain, tree[p].number, tree[p].numbers), 0);
        }
    }
    for (int p = PROCESSES - 1; p > 0; p--) {
        merge(&tree[(p - 1) / 4], tree[p]);
    }
    while (napcoll_job_stats_next(&chain, &at, &left)) {
        assert_true(napcoll_job_stats_next(tree, &other, &right));
        assert_int_equal(napcoll_outcome_order(&left.all.outcome, &right.all.outcome), 0);
        assert_int_equal(left.processes, right.processes);
        assert_int_equal(left.all.calls, right.all.calls);
        assert_true(left.least_total_us == right.least_total_us);
        assert_true(left.median_total_us == right.median_total_us);
        assert_true(left.most_total_us == right.most_total_us);
        assert_true(left.all.least_us == right.all.least_us);
        assert_true(left.all.most_us == right.all.most_us);
        rows++;
    }
    assert_int_equal(rows, 3);
    assert_false(napcoll_job_stats_next(tree, &other, &right));
    napcoll_job_stats_release(&chain);
    napcoll_job_stats_release(tree);
}

/* What is cut, or has numbers that no table has, changes nothing. */
static void broken_tables_are_refused(void **state)
{
    napcoll_job_stats_t job = table_of(&small, NULL, 1), other = table_of(&large, &any, 2);
    const size_t numbers = job.numbers;

    (void) state;
    for (size_t cut = 0; cut < other.numbers; cut++) {
        const int rc = napcoll_job_stats_merge(&job, other.number, cut);

        /* a table may end behind its head, or behind its first row */
        if (0 == rc) {
            assert_true(2 == cut || (other.numbers - 2) / 2 + 2 == cut);
            napcoll_job_stats_release(&job);
            job = table_of(&small, NULL, 1);
        } else {
            assert_int_equal(job.numbers, numbers);
        }
    }
    for (size_t i = 0; i < 5; i++) {
        /* of the first row: collective, kind, algorithm, reason, times */
        double *place = &other.number[(const size_t[]){2, 3, 4, 5, 14}[i]];
        const double was = *place;

        *place = 1e6;
        assert_int_equal(napcoll_job_stats_merge(&job, other.number, other.numbers), -1);
        *place = 0.0 / 0.0;
        assert_int_equal(napcoll_job_stats_merge(&job, other.number, other.numbers), -1);
        *place = was;
    }
    assert_int_equal(job.numbers, numbers);
    napcoll_job_stats_release(&job);
    napcoll_job_stats_release(&other);
}

/* ---- JSON lines ---- */

static napcoll_summary_head_t head_of(int process)
{
    return (napcoll_summary_head_t){.job = "1\"2",
                                    .launch = 7,
                                    .process = process,
                                    .host = "n\\0\n\xe4",
                                    .ended = "2026-11-28T05:45:51Z",
                                    .napcoll = "0.1.0",
                                    .git = "",
                                    .openmpi = "4.1.4",
                                    .processes = 8,
                                    .counted = 1,
                                    .nodes = 2,
                                    .min_ppn = 3,
                                    .max_ppn = 5,
                                    .not_used = "",
                                    .lost = 9};
}

static void head_is_json(void **state)
{
    napcoll_summary_head_t head = head_of(4);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void) state;
    assert_non_null(out);
    napcoll_summary_write_head(out, &head);
    head.process = -1;
    head.nodes = 0;
    head.git = "abc";
    head.not_used = "all";
    napcoll_summary_write_head(out, &head);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text,
        "{\"kind\":\"summary\",\"job\":\"1\\\"2\",\"launch\":\"7\",\"process\":4,"
        "\"host\":\"n\\\\0\\u000a\\u00e4\",\"ended\":\"2026-11-28T05:45:51Z\","
        "\"napcoll\":\"0.1.0\",\"git\":null,\"openmpi\":\"4.1.4\",\"processes\":8,\"counted\":1,"
        "\"nodes\":2,\"min_ppn\":3,\"max_ppn\":5,\"not_used\":null,\"lost_calls\":9}\n"
        "{\"kind\":\"summary\",\"job\":\"1\\\"2\",\"launch\":\"7\",\"process\":null,"
        "\"host\":\"n\\\\0\\u000a\\u00e4\",\"ended\":\"2026-11-28T05:45:51Z\","
        "\"napcoll\":\"0.1.0\",\"git\":\"abc\",\"openmpi\":\"4.1.4\",\"processes\":8,"
        "\"counted\":1,\"nodes\":null,\"min_ppn\":null,\"max_ppn\":null,\"not_used\":\"all\","
        "\"lost_calls\":9}\n");
    free(text);
}

static void rows_are_json(void **state)
{
    const napcoll_summary_head_t head = head_of(4);
    napcoll_job_stats_t job = table_of(&any, NULL, 1234567.0625);
    napcoll_job_stats_row_t row;
    char *text = NULL;
    size_t length, at = 0;
    FILE *out = open_memstream(&text, &length);

    (void) state;
    assert_non_null(out);
    assert_true(napcoll_job_stats_next(&job, &at, &row));
    napcoll_summary_write_row(out, &head, &row.all);
    row.all.outcome = small;
    napcoll_summary_write_job_row(out, &head, &row);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text, "{\"kind\":\"calls\",\"job\":\"1\\\"2\",\"launch\":\"7\",\"process\":4,"
              "\"collective\":\"bcast\",\"from_bytes\":null,\"to_bytes\":null,\"algorithm\":null,"
              "\"fallback\":\"ppn\",\"calls\":2,\"bytes\":8,\"total_us\":3703701.188,"
              "\"mean_us\":1851850.594,\"min_us\":1234567.063,\"max_us\":2469134.125,"
              "\"setup_us\":1234568.063}\n"
              "{\"kind\":\"calls\",\"job\":\"1\\\"2\",\"launch\":\"7\",\"process\":4,"
              "\"collective\":\"allreduce\",\"from_bytes\":0,\"to_bytes\":8,"
              "\"algorithm\":\"recursive_doubling\",\"fallback\":null,\"calls\":2,\"bytes\":8,"
              "\"total_us\":3703701.188,\"mean_us\":1851850.594,\"min_us\":1234567.063,"
              "\"max_us\":2469134.125,\"processes\":1,\"min_total_us\":3703701.188,"
              "\"median_total_us\":3703701.188,\"max_total_us\":3703701.188,"
              "\"max_setup_us\":1234568.063}\n");
    free(text);
    napcoll_job_stats_release(&job);
}

/* ---- names of files ---- */

static void patterns_are_replaced(void **state)
{
    static const napcoll_file_pattern_t pattern[] = {{'h', "host"}, {'j', "7%h"}, {'\0', NULL}};
    static const struct {
        const char *name, *expected;
        size_t wrong;
    } some[] = {{"", "", 0},
                {"a", "a", 0},
                {"%h%h.%j", "hosthost.7%h", 0},
                {"%%h%%", "%h%", 0},
                {"a%x", NULL, 2},
                {"%h%", NULL, 3},
                {"%H", NULL, 1},
                {"100%%/%%%j", "100%/%7%h", 0}};

    (void) state;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        size_t wrong = 99;
        char *name = napcoll_file_name(some[i].name, pattern, &wrong);

        assert_int_equal(wrong, some[i].wrong);
        if (NULL == some[i].expected) {
            assert_null(name);
        } else {
            assert_string_equal(name, some[i].expected);
        }
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_different_rows_are_united),
        cmocka_unit_test(order_of_merges_does_not_matter),
        cmocka_unit_test(broken_tables_are_refused),
        cmocka_unit_test(head_is_json),
        cmocka_unit_test(rows_are_json),
        cmocka_unit_test(patterns_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
