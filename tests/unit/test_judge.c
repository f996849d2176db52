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

/* The times of contestants. */
typedef struct {
    double times[MOST][TURNS];
    const double *seconds[MOST];
} turns_t;

/* Contestants that take each[i] in all turns (0: dropped), except that `which` takes `last` times
 * as long in the last turn. */
static void set_turns(turns_t *t, const double *each, int count, int turns, int which, double last)
{
    for (int i = 0; i < count; i++) {
        for (int turn = 0; turn < turns; turn++) {
            t->times[i][turn] = each[i] * (which == i && turns - 1 == turn ? last : 1);
        }
        t->seconds[i] = each[i] > 0 ? t->times[i] : NULL;
    }
}

static int best_with(const double *each, int count, int turns, int which, double last)
{
    turns_t t;

    set_turns(&t, each, count, turns, which, last);
    return napcoll_judge_best(t.seconds, count, turns, margin);
}

static bool clear_with(const double *each, int count, int which, double last)
{
    turns_t t;

    set_turns(&t, each, count, TURNS, which, last);
    return napcoll_judge_is_clear(t.seconds, count, TURNS, margin);
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

static int best_before(const double *each, int count, int spare)
{
    turns_t t;

    set_turns(&t, each, count, TURNS, AUTO, 1);
    return napcoll_judge_best_before(t.seconds, count, TURNS, margin, spare);
}

/* Another winner is named in place of the spare one unless it is slower by the margin. */
static void a_spare_contestant_wins_alone(void **state)
{
    const double close[] = {1, 0.7, 0.72}, far[] = {1, 0.7, 0.8}, alone[] = {1, 0.7, 1.1};

    (void) state;
    assert_int_equal(best_before(close, 3, 1), 2);
    assert_int_equal(best_before(close, 3, 2), 1);
    assert_int_equal(best_before(close, 3, -1), 1);
    assert_int_equal(best_before(far, 3, 1), 1);
    assert_int_equal(best_before(alone, 3, 1), 1);
    assert_int_equal(best_before(alone, 3, 2), 1);
}

static void it_is_clear_when_all_others_take_longer(void **state)
{
    const double auto_wins[] = {1, 2, 1.2}, other_wins[] = {1, 0.8, 0.9}, close[] = {1, 1.02, 2},
                 dropped[] = {1, 0, 2};

    (void) state;
    assert_true(clear_with(auto_wins, 3, AUTO, 1));
    assert_true(clear_with(other_wins, 3, AUTO, 1));
    assert_true(clear_with(dropped, 3, AUTO, 1));
    assert_false(clear_with(close, 3, AUTO, 1));
    /* in one of six turns the next one was faster */
    assert_false(clear_with(auto_wins, 3, 2, 0.5));
    assert_false(clear_with(other_wins, 3, 1, 2));
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
    napcoll_judge_drop(seconds, dropped, MOST, 0);
    assert_false(dropped[3]);
    napcoll_judge_drop(seconds, dropped, MOST, 2.5);
    assert_false(dropped[0] || dropped[1] || dropped[2]);
    assert_true(dropped[3]);
    /* one that was dropped before is neither the fastest nor comes back */
    dropped[1] = true;
    napcoll_judge_drop(seconds, dropped, MOST, 1.05);
    assert_true(dropped[1] && !dropped[2] && dropped[3]);
}

/* Two pools, and one in none, which stays though it is slow. Of two that are alike the first stays;
 * one that was dropped before does not come back, and counts for nothing. */
static void the_fastest_of_each_pool_stay(void **state)
{
    const double seconds[] = {9, 3, 2, 3, 1, 5, 4};
    const int pool[] = {0, 1, 1, 1, 1, 2, 2};
    bool dropped[] = {false, false, false, false, true, false, false};

    (void) state;
    napcoll_judge_finalists(seconds, pool, dropped, 7, 0, 1);
    napcoll_judge_finalists(seconds, pool, dropped, 7, 1, 1.6);
    assert_false(dropped[1] || dropped[3] || dropped[5]);
    napcoll_judge_finalists(seconds, pool, dropped, 7, 2, 1);
    assert_false(dropped[0] || dropped[1] || dropped[2] || dropped[5] || dropped[6]);
    assert_true(dropped[3] && dropped[4]);
    napcoll_judge_finalists(seconds, pool, dropped, 7, 1, 1);
    assert_false(dropped[0] || dropped[2] || dropped[6]);
    assert_true(dropped[1] && dropped[3] && dropped[4] && dropped[5]);
}

static void the_first_is_always_a_finalist(void **state)
{
    const double seconds[] = {9, 3, 2};
    const int pool[] = {1, 1, 1};
    bool dropped[] = {false, false, false};

    (void) state;
    napcoll_judge_finalists(seconds, pool, dropped, 3, 1, 1);
    assert_false(dropped[0] || dropped[2]);
    assert_true(dropped[1]);
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

/* A call that takes 1.2 times as long as its mock-up in all of 6 turns breaks a factor of 1.1 and
 * keeps one of 1.3; with one turn fewer nothing is decided. */
static void guidelines_are_decided_by_all_of_six_turns(void **state)
{
    const double call[] = {12, 24, 36, 12, 24, 36}, mockup[] = {10, 20, 30, 10, 20, 30};

    (void) state;
    assert_int_equal(napcoll_judge_within(call, mockup, 6, 1.1), NAPCOLL_VERDICT_VIOLATED);
    assert_int_equal(napcoll_judge_within(call, mockup, 6, 1.3), NAPCOLL_VERDICT_HOLDS);
    assert_int_equal(napcoll_judge_within(call, mockup, 5, 1.1), NAPCOLL_VERDICT_UNDECIDED);
    assert_int_equal(napcoll_judge_within(call, mockup, 0, 1.1), NAPCOLL_VERDICT_UNDECIDED);
}

/* Of 16 turns 12 decide, 11 do not. Only ratios of one turn count: the medians are equal. */
static void guidelines_stay_undecided_where_turns_differ(void **state)
{
    double call[16], mockup[16];

    (void) state;
    for (int i = 0; i < 16; i++) {
        mockup[i] = i + 1;
        call[i] = i < 12 ? 2 * mockup[i] : 0.1 * mockup[i];
    }
    assert_int_equal(napcoll_judge_within(call, mockup, 16, 1.1), NAPCOLL_VERDICT_VIOLATED);
    assert_int_equal(napcoll_judge_within(mockup, call, 16, 1.1), NAPCOLL_VERDICT_HOLDS);
    call[11] = 0.1 * mockup[11];
    assert_int_equal(napcoll_judge_within(call, mockup, 16, 1.1), NAPCOLL_VERDICT_UNDECIDED);
    assert_int_equal(napcoll_judge_within(mockup, call, 16, 1.1), NAPCOLL_VERDICT_UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_kept_unless_it_is_slower_by_the_margin),
        cmocka_unit_test(the_spread_of_turns_has_to_support_it),
        cmocka_unit_test(the_fastest_of_several_winners_is_named),
        cmocka_unit_test(a_spare_contestant_wins_alone),
        cmocka_unit_test(it_is_clear_when_all_others_take_longer),
        cmocka_unit_test(dropped_contestants_do_not_win),
        cmocka_unit_test(slow_contestants_are_dropped_but_never_the_first),
        cmocka_unit_test(the_fastest_of_each_pool_stay),
        cmocka_unit_test(the_first_is_always_a_finalist),
        cmocka_unit_test(percentiles_are_those_of_sorted_samples),
        cmocka_unit_test(overlap_is_the_share_that_computation_hides),
        cmocka_unit_test(guidelines_are_decided_by_all_of_six_turns),
        cmocka_unit_test(guidelines_stay_undecided_where_turns_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
