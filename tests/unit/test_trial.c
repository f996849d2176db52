/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The online check: whose turn it is, and who wins.
 */

#include "cmocka_setup.h"

#include "select/napcoll_trial.h"

enum { MOST = 8 };

/* A trial whose contestants take what is said, in turn, each once before that with a time that must
 * not count. */
static napcoll_trial_t trial_of(int calls, const double *napcoll_us, const double *previous_us,
                                double *room)
{
    napcoll_trial_t trial = {.calls = calls, .us = room};

    for (int call = 0; call < 2 * (calls + 1); call++) {
        const napcoll_contestant_t turn = napcoll_trial_turn(&trial);
        const double *us = NAPCOLL_CONTESTANT_NAPCOLL == turn ? napcoll_us : previous_us;
        const double warm_up_us = NAPCOLL_CONTESTANT_NAPCOLL == turn ? 1e6 : 0;

        assert_int_equal(turn,
                         call % 2 == 0 ? NAPCOLL_CONTESTANT_NAPCOLL : NAPCOLL_CONTESTANT_PREVIOUS);
        assert_int_equal(napcoll_trial_learn(&trial, call < 2 ? warm_up_us : us[call / 2 - 1]),
                         call == 2 * calls + 1);
        assert_false(trial.over);
    }
    napcoll_trial_judge(&trial);
    assert_true(trial.over);
    return trial;
}

static void contestants_take_turns_until_the_last_call(void **state)
{
    const double us[MOST] = {1, 1, 1, 1, 1, 1, 1, 1};
    double room[2 * MOST];

    (void) state;
    for (int calls = 1; calls <= MOST; calls++) {
        (void) trial_of(calls, us, us, room);
    }
}

static void lesser_median_wins_and_keeps_the_turn(void **state)
{
    /* the mean says otherwise in each */
    const double steady[] = {5, 5, 5, 5, 5}, spiked[] = {4, 90, 4, 4, 80},
                 dipped[] = {0, 6, 6, 0, 6};
    double room[2 * MOST];
    napcoll_trial_t trial;

    (void) state;
    trial = trial_of(5, steady, spiked, room);
    assert_int_equal(trial.winner, NAPCOLL_CONTESTANT_PREVIOUS);
    assert_int_equal(napcoll_trial_turn(&trial), NAPCOLL_CONTESTANT_PREVIOUS);
    assert_true(5 == trial.median_us[NAPCOLL_CONTESTANT_NAPCOLL]);
    assert_true(4 == trial.median_us[NAPCOLL_CONTESTANT_PREVIOUS]);
    trial = trial_of(5, spiked, steady, room);
    assert_int_equal(trial.winner, NAPCOLL_CONTESTANT_NAPCOLL);
    assert_int_equal(napcoll_trial_turn(&trial), NAPCOLL_CONTESTANT_NAPCOLL);
    trial = trial_of(5, steady, dipped, room);
    assert_int_equal(trial.winner, NAPCOLL_CONTESTANT_NAPCOLL);
    trial = trial_of(5, dipped, steady, room);
    assert_int_equal(trial.winner, NAPCOLL_CONTESTANT_PREVIOUS);
}

static void tie_leaves_the_choice_as_it_is(void **state)
{
    const double one[] = {3, 1, 2}, other[] = {2, 2, 2};
    double room[2 * MOST];

    (void) state;
    assert_int_equal(trial_of(3, one, other, room).winner, NAPCOLL_CONTESTANT_NAPCOLL);
    assert_int_equal(trial_of(3, other, one, room).winner, NAPCOLL_CONTESTANT_NAPCOLL);
}

static void median_of_an_even_number_is_between_the_two(void **state)
{
    const double napcoll[] = {1, 9, 3, 7}, previous[] = {4, 4, 4, 5.5};
    double room[2 * MOST];
    napcoll_trial_t trial;

    (void) state;
    trial = trial_of(4, napcoll, previous, room);
    assert_true(5 == trial.median_us[NAPCOLL_CONTESTANT_NAPCOLL]);
    assert_true(4 == trial.median_us[NAPCOLL_CONTESTANT_PREVIOUS]);
    assert_int_equal(trial.winner, NAPCOLL_CONTESTANT_PREVIOUS);
}

static void one_call_of_each_is_enough(void **state)
{
    const double less[] = {1}, more[] = {2};
    double room[2];

    (void) state;
    assert_int_equal(trial_of(1, less, more, room).winner, NAPCOLL_CONTESTANT_NAPCOLL);
    assert_int_equal(trial_of(1, more, less, room).winner, NAPCOLL_CONTESTANT_PREVIOUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contestants_take_turns_until_the_last_call),
        cmocka_unit_test(lesser_median_wins_and_keeps_the_turn),
        cmocka_unit_test(tie_leaves_the_choice_as_it_is),
        cmocka_unit_test(median_of_an_even_number_is_between_the_two),
        cmocka_unit_test(one_call_of_each_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
