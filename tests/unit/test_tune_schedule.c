/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * In which order napcoll-tune tries cases, the time that each case has, and who has turns in it.
 */

#include "cmocka_setup.h"

#include <math.h>

#include "tune/napcoll_tune_schedule.h"

enum { CASES = 4 };

/* What cases_with_a_long_one need in their order; one is added to the first, as there has to be some need. */
static const double need_of[CASES] = {2, 1, 1, 10};

static void assert_near(double seconds, double expected)
{
    assert_true(fabs(seconds - expected) < 1e-9);
}

/* Cases of which the last is estimated to need ten times what the others do. */
static tune_case_t *cases_with_a_long_one(void)
{
    static const double need[CASES] = {1, 10, 1, 1};
    tune_case_t *list = calloc(CASES, sizeof(*list));

    assert_non_null(list);
    for (int i = 0; i < CASES; i++) {
        list[i].need = need[i];
        list[i].subject = i;
    }
    tune_order(list, CASES);
    return list;
}

static void short_ones_come_first(void **state)
{
    static const struct {
        int subject, size;
        double need;
    } given[] = {{3, 2, 7}, {1, 1, 0}, {4, 0, 9}, {0, 2, 7}, {2, 1, 7}, {0, 0, 5}, {2, 0, 0}};
    static const int order[] = {6, 1, 5, 4, 3, 0, 2};
    const int cases = sizeof(given) / sizeof(*given);
    tune_case_t *list = calloc((size_t) cases, sizeof(*list));
    double until;

    (void) state;
    assert_non_null(list);
    for (int i = 0; i < cases; i++) {
        list[i].subject = given[i].subject;
        list[i].size = given[i].size;
        list[i].need = given[i].need;
    }
    tune_order(list, cases);
    until = list[0].need_until - list[0].need;
    assert_true(until > 0);
    for (int i = 0; i < cases; i++) {
        assert_int_equal(list[i].subject, given[order[i]].subject);
        assert_int_equal(list[i].size, given[order[i]].size);
        until += list[i].need;
        assert_near(list[i].need_until, until);
    }
    free(list);
}

static void time_is_for_all_and_more_for_the_long(void **state)
{
    const double begin = 1000, end = 1260, all = end - begin;
    tune_case_t *list = cases_with_a_long_one();
    double before = begin;

    (void) state;
    for (int i = 0; i < CASES; i++) {
        const double deadline = tune_deadline(list, i, CASES, begin, end);
        const double has = deadline - before;

        /* Half of it in equal parts, half by need. */
        assert_near(has, all / 2 / CASES + all / 2 * need_of[i] / 14);
        before = deadline;
    }
    assert_near(before, end);
    free(list);
}

/* A case that begins with what was left to it may take its part, and as much again as all have alike; but never more than
 * leaves seven tenths of theirs to those to come. */
static void no_case_takes_the_time_of_others(void **state)
{
    const double begin = 0, end = 260, alike = end / CASES;
    tune_case_t *list = cases_with_a_long_one();
    double start = begin;

    (void) state;
    for (int i = 0; i < CASES; i++) {
        const double deadline = tune_deadline(list, i, CASES, begin, end);
        const double own = alike / 2 + end / 2 * need_of[i] / 14;
        const double most = end - 0.7 * (end - deadline);

        assert_near(tune_late(list, i, CASES, begin, start, end), fmin(start + own + alike, most));
        if (i > 0) { /* so early that it leaves the others enough */
            assert_true(begin + own + alike < most);
            assert_near(tune_late(list, i, CASES, begin, begin, end), begin + own + alike);
        }
        assert_near(tune_late(list, i, CASES, begin, most - own, end), most);
        assert_near(tune_late(list, i, CASES, begin, end, end), most);
        start = deadline;
    }
    free(list);
}

/* What auto would do, the fallback function, three others, and one that is slow; two calls make a sample. */
static tune_case_t *case_of_six(void)
{
    static const double seconds[] = {3, 5, 2, 4, 1, 100};
    tune_case_t *c = calloc(1, sizeof(*c));

    assert_non_null(c);
    c->calls = 2;
    c->contestants = sizeof(seconds) / sizeof(*seconds);
    for (int i = 0; i < c->contestants; i++) {
        c->contestant[i].median = seconds[i];
        c->contestant[i].row = 1 == i ? -1 : i;
    }
    c->contestant[5].dropped = true;
    return c;
}

/* A turn of the five takes 30 s. */
static void turns_fit_into_the_time(void **state)
{
    static const struct {
        double seconds;
        bool dropped[6];
    } cases[] = {
        {180, {false, false, false, false, false, true}},
        {179, {false, false, false, true, false, true}}, /* 22 s */
        {132, {false, false, false, true, false, true}},
        {131, {false, false, true, true, false, true}}, /* 18 s, of who matters most */
        {1, {false, false, true, true, false, true}},
        {-1, {false, false, true, true, false, true}},
        {INFINITY, {false, false, false, false, false, true}},
    };

    (void) state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        tune_case_t *c = case_of_six();

        tune_fit_turns(c, 6, cases[k].seconds);
        for (int i = 0; i < c->contestants; i++) {
            assert_int_equal(c->contestant[i].dropped, cases[k].dropped[i]);
        }
        free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_ones_come_first),
        cmocka_unit_test(time_is_for_all_and_more_for_the_long),
        cmocka_unit_test(no_case_takes_the_time_of_others),
        cmocka_unit_test(turns_fit_into_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
