/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What follows from paired turns: the drop rule, and when a contestant beats the first one.
 */

#include "cmocka_setup.h"

#include <math.h>

#include "measure/napcoll_judge.h"

enum { TURNS = 6, AUTO = 0, MOST = 4 };

static const double margin = 0.05;

/* The best of contestants that take each[i] in all turns (0: dropped), except that `which` takes
 * `last` times as long in the last turn. */
static int best_with(const double *each, int count, int turns, int which, double last)
{
    double times[MOST][TURNS];
    const double *seconds[MOST];

    for (int i = 0; i < count; i++) {
        for (int turn = 0; turn < turns; turn++) {
            times[i][turn] = each[i] * (which == i && turns - 1 == turn ? last : 1);
        }
        seconds[i] = each[i] > 0 ? times[i] : NULL;
    }
    return napcoll_judge_best(seconds, count, turns, margin);
}

static void auto_is_kept_unless_it_is_slower_by_the_margin(void **state)
{
    const double slower[] = {1, 2}, alike[] = {1, 0.97}, faster[] = {1, 0.9};

    (void) state;
    assert_int_equal(best_with(slower, 2, TURNS, 1, 1), AUTO);
    assert_int_equal(best_with(alike, 2, TURNS, 1, 1), AUTO);
    assert_int_equal(best_with(faster, 2, TURNS, 1, 1), 1);
}

/* In five of six turns one of two equal contestants is faster by chance once in ten times. */
static void the_spread_of_turns_has_to_support_it(void **state)
{
    const double faster[] = {1, 0.9};

    (void) state;
    assert_int_equal(best_with(faster, 2, TURNS, 1, 1.2), AUTO);
    assert_int_equal(best_with(faster, 2, TURNS - 1, 1, 1), AUTO);
}

static void the_fastest_of_several_winners_is_named(void **state)
{
    const double several[] = {1, 0.8, 0.7, 0.9}, unsure[] = {1, 0.8, 0.7, 0.9};

    (void) state;
    assert_int_equal(best_with(several, 4, TURNS, 1, 1), 2);
    assert_int_equal(best_with(unsure, 4, TURNS, 2, 2), 1);
}

static void dropped_contestants_do_not_win(void **state)
{
    const double dropped[] = {1, 0, 0.9}, alone[] = {1};

    (void) state;
    assert_int_equal(best_with(dropped, 3, TURNS, 1, 1), 2);
    assert_int_equal(best_with(dropped, 2, TURNS, 1, 1), AUTO);
    assert_int_equal(best_with(alone, 1, TURNS, 1, 1), AUTO);
}

static void slow_contestants_are_dropped_but_never_the_first(void **state)
{
    const double seconds[] = {9, 1, 2.4, 2.6};
    bool dropped[MOST] = {false};

    (void) state;
    assert_true(fabs(napcoll_judge_drop(seconds, dropped, MOST, 0) - 1) < 1e-9);
    assert_false(dropped[3]);
    assert_true(fabs(napcoll_judge_drop(seconds, dropped, MOST, 2.5) - 1) < 1e-9);
    assert_false(dropped[0] || dropped[1] || dropped[2]);
    assert_true(dropped[3]);
    /* one that was dropped before is neither the fastest nor comes back */
    dropped[1] = true;
    assert_true(fabs(napcoll_judge_drop(seconds, dropped, MOST, 2.5) - 2.4) < 1e-9);
    assert_true(dropped[1] && dropped[3]);
}

static void percentiles_are_those_of_sorted_samples(void **state)
{
    const double samples[] = {3, 1, 2};
    const napcoll_summary_t s = napcoll_summarize(samples, 3);

    (void) state;
    assert_true(fabs(s.median - 2) < 1e-9 && fabs(s.p05 - 1.1) < 1e-9 && fabs(s.p95 - 2.9) < 1e-9);
    assert_true(isnan(napcoll_summarize(samples, 0).median));
}

/* Of a call of 4 seconds that has 5 of computation, all, half or nothing is hidden; a call that
 * takes even longer hides no less than nothing. */
static void overlap_is_the_share_that_computation_hides(void **state)
{
    (void) state;
    assert_true(fabs(napcoll_judge_overlap(4, 5, 5) - 100) < 1e-9);
    assert_true(fabs(napcoll_judge_overlap(4, 7, 5) - 50) < 1e-9);
    assert_true(fabs(napcoll_judge_overlap(4, 9, 5)) < 1e-9);
    assert_true(fabs(napcoll_judge_overlap(4, 11, 5)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_kept_unless_it_is_slower_by_the_margin),
        cmocka_unit_test(the_spread_of_turns_has_to_support_it),
        cmocka_unit_test(the_fastest_of_several_winners_is_named),
        cmocka_unit_test(dropped_contestants_do_not_win),
        cmocka_unit_test(slow_contestants_are_dropped_but_never_the_first),
        cmocka_unit_test(percentiles_are_those_of_sorted_samples),
        cmocka_unit_test(overlap_is_the_share_that_computation_hides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
