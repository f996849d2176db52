/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * For whom a rule is, by what was measured in turns.
 */

#include "cmocka_setup.h"

#include "common/napcoll_rule_winner.h"

enum { TURNS = 6, AUTO = 0, OTHER, PREVIOUS, MOST };

static const double matters = 0.05;
static const napcoll_rule_turns_t at_once = {.all = TURNS, .looked = TURNS};

/* Who wins of auto and others that take so many seconds in each turn, and `who` in the last one `last` times as many; 0:
 * dropped. */
static int winner_with(const double *each, int count, int who, double last)
{
    napcoll_rule_contestant_t contestant[MOST];
    double seconds[MOST][TURNS];

    for (int i = 0; i < count; i++) {
        for (int turn = 0; turn < TURNS; turn++) {
            seconds[i][turn] = each[i] * (TURNS - 1 == turn && who == i ? last : 1);
        }
        contestant[i] = (napcoll_rule_contestant_t){.seconds = each[i] > 0 ? seconds[i] : NULL,
                                                    .median = each[i],
                                                    .previous = PREVIOUS == i};
    }
    return napcoll_rule_winner(contestant, count, &at_once, matters);
}

static int winner_of(const double *each, int count, double last)
{
    return winner_with(each, count, AUTO, last);
}

static void auto_stays_unless_it_is_slower_beyond_noise(void **state)
{
    const double faster[] = {1, 2}, alike[] = {1, 0.97}, slower[] = {1, 0.9}, much[] = {1, 0.86};

    (void) state;
    assert_int_equal(winner_of(faster, 2, 1), AUTO);
    assert_int_equal(winner_of(alike, 2, 1), AUTO);
    assert_int_equal(winner_of(slower, 2, 1), OTHER);
    assert_int_equal(winner_of(slower, 2, 0.8), AUTO); /* in five of six turns only */
    assert_int_equal(winner_of(much, 2, 0.8), OTHER);
}

static void a_tie_is_the_previous_function_s(void **state)
{
    const double even[] = {1, 2, 1.04}, ahead[] = {1, 0.8, 0.83}, behind[] = {1, 2, 1.06};
    const double second[] = {1, 0.8, 0.9};

    (void) state;
    assert_int_equal(winner_of(even, 3, 1), PREVIOUS);
    assert_int_equal(winner_of(ahead, 3, 1), PREVIOUS);
    assert_int_equal(winner_of(behind, 3, 1), AUTO);
    assert_int_equal(winner_of(second, 3, 1), OTHER);
}

/* In five of six turns only the fallback function took longer: that might be chance, unless it is much. */
static void what_is_not_proven_is_the_previous_function_s(void **state)
{
    const double little[] = {1, 2, 1.14}, much[] = {1, 2, 1.16}, others[] = {1.3, 1, 1.1};
    const double unsure[] = {1.02, 0.9, 1.01};

    (void) state;
    assert_int_equal(winner_with(little, 3, PREVIOUS, 0.8), PREVIOUS);
    assert_int_equal(winner_with(little, 3, PREVIOUS, 1), AUTO);
    assert_int_equal(winner_with(much, 3, PREVIOUS, 0.8), AUTO);
    assert_int_equal(winner_with(others, 3, PREVIOUS, 0.8), PREVIOUS);
    assert_int_equal(winner_with(others, 3, PREVIOUS, 1), OTHER);
    /* auto stays against the other one, but not against the fallback function, which that one beats */
    assert_int_equal(winner_with(unsure, 2, AUTO, 0.8), AUTO);
    assert_int_equal(winner_with(unsure, 3, AUTO, 0.8), OTHER);
}

static void who_was_dropped_does_not_win(void **state)
{
    const double dropped[] = {1, 0, 0}, alone[] = {1};

    (void) state;
    assert_int_equal(winner_of(dropped, 3, 1), AUTO);
    assert_int_equal(winner_of(alone, 1, 1), AUTO);
}

/* Where auto would leave the call, that is so until napcoll is known to be faster. */
static void auto_may_be_the_previous_function(void **state)
{
    double previous[TURNS], own[TURNS];

    (void) state;
    for (int turn = 0; turn < TURNS; turn++) {
        previous[turn] = 1;
        own[turn] = TURNS - 1 == turn ? 2 : 0.9;
    }
    for (int much = 0; much < 2; much++) {
        const napcoll_rule_contestant_t contestant[] = {
            {.seconds = previous, .median = 1, .previous = true},
            {.seconds = own, .median = much ? 0.8 : 0.9}};

        assert_int_equal(napcoll_rule_winner(contestant, 2, &at_once, matters), much);
        assert_int_equal(napcoll_rule_winner(contestant, 1, &at_once, matters), 0);
    }
}

/* Faster in two thirds of the turns, but not in those of the second time. */
static void who_is_faster_is_so_both_times(void **state)
{
    enum { LOOKED = 8, ALL = 12 };
    double one[ALL], other[ALL];
    const napcoll_rule_contestant_t contestant[] = {{.seconds = one, .median = 1.5},
                                                    {.seconds = other, .median = 1}};

    (void) state;
    for (int turned = 0; turned < 2;
         turned++) { /* whether the second time is the other way round */
        for (int turn = 0; turn < ALL; turn++) {
            one[turn] = 2;
            other[turn] = turned && turn >= LOOKED ? 2.1 : 1;
        }
        for (int looked = LOOKED; looked <= ALL; looked += ALL - LOOKED) {
            const napcoll_rule_turns_t turns = {.all = ALL, .looked = looked};

            assert_int_equal(napcoll_rule_winner(contestant, 2, &turns, matters),
                             turned && looked < ALL ? AUTO : OTHER);
        }
    }
}

static void who_is_slower_in_each_turn_is_behind(void **state)
{
    const double fastest[] = {1, 2, 1}, slow[] = {1.4, 2.7, 9}, once[] = {9, 2.6, 9};

    (void) state;
    assert_true(napcoll_rule_is_behind(slow, fastest, 3, 0.3));
    assert_false(napcoll_rule_is_behind(slow, fastest, 3, 0.4));
    assert_false(napcoll_rule_is_behind(once, fastest, 3, 0.3)); /* in two of three turns only */
    assert_true(napcoll_rule_is_behind(once, fastest, 1, 0.3));
    assert_false(napcoll_rule_is_behind(fastest, fastest, 3, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_stays_unless_it_is_slower_beyond_noise),
        cmocka_unit_test(a_tie_is_the_previous_function_s),
        cmocka_unit_test(what_is_not_proven_is_the_previous_function_s),
        cmocka_unit_test(who_was_dropped_does_not_win),
        cmocka_unit_test(auto_may_be_the_previous_function),
        cmocka_unit_test(who_is_faster_is_so_both_times),
        cmocka_unit_test(who_is_slower_in_each_turn_is_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
