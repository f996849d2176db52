/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether rules on sizes are worth that ranks agree on these: what takes least over all sizes, and how much of an agreement
 * each algorithm needs.
 */

#include "cmocka_setup.h"

#include <math.h>

#include "algo/alltoall/alltoall.h"
#include "algo/gather/gather.h"
#include "common/napcoll_rule_scope.h"

enum { SIZES = 3 };

static napcoll_rules_scope_t scope_of(const double *by_size, const double *silent,
                                      const double *one, int ones, int *which)
{
    const napcoll_rule_times_t times = {
        .sizes = SIZES, .by_size = by_size, .silent = silent, .ones = ones, .one = one};

    return napcoll_rule_scope_choose(&times, which);
}

/* Gathers of three sizes on a oversubscribed machine, in which an agreement takes as long as a small gather. */
static void one_rule_spares_the_agreement(void **state)
{
    const double by_size[SIZES] = {2.7 + 2.5, 3.0 + 2.5, 4.3 + 2.5};
    const double silent[SIZES] = {5.0 + 2.5, 4.9 + 2.5, 8.0 + 2.5};
    const double one[] = {2.8, 3.0, 4.4, 2.7, 3.1, 4.3, 5.0, 4.9, 8.0};
    int which;

    (void) state;
    assert_int_equal(scope_of(by_size, silent, one, 3, &which), NAPCOLL_RULES_ONE);
    assert_int_equal(which, 1);
    /* where there may be no such rule, the others are compared */
    assert_int_equal(scope_of(by_size, silent, one, 0, &which), NAPCOLL_RULES_BY_SIZE);
    assert_int_equal(which, -1);
}

/* One that is far slower for one size is not worth a little for the others; and who was not tried for one size is none. */
static void rules_on_sizes_stay_where_they_gain_more(void **state)
{
    const double by_size[SIZES] = {1.1, 10.1, 100.1}, silent[SIZES] = {5, 11, 100};
    const double one[] = {1.0, 10.0, 200.0, INFINITY, 1.0, 1.0};
    int which;

    (void) state;
    assert_int_equal(scope_of(by_size, silent, one, 2, &which), NAPCOLL_RULES_BY_SIZE);
    assert_int_equal(which, -1);
    /* and where all take the same, they stay */
    assert_int_equal(scope_of(by_size, by_size, by_size, 1, &which), NAPCOLL_RULES_BY_SIZE);
}

/* It would be for sizes of which nobody knows more. */
static void one_rule_is_not_for_a_trifle(void **state)
{
    const double by_size[SIZES] = {2, 20, 200}, silent[SIZES] = {1.03, 10.3, 103};
    const double one[] = {1, 10, 100, 0.9, 10, 98};
    int which;

    (void) state;
    assert_int_equal(scope_of(by_size, silent, one, 1, &which), NAPCOLL_RULES_SILENT);
    assert_int_equal(which, -1);
    assert_int_equal(scope_of(by_size, silent, one, 2, &which), NAPCOLL_RULES_ONE);
    assert_int_equal(which, 1);
}

/* A rule for the last size that spares a tenth there, and costs the others the patience of auto. */
static void no_rule_is_better_than_a_dear_one(void **state)
{
    const double by_size[SIZES] = {2.0, 2.1, 10.0}, silent[SIZES] = {1.1, 1.2, 11.0};
    const double one[] = {3.0, 3.0, 10.0};
    int which;

    (void) state;
    assert_int_equal(scope_of(by_size, silent, one, 1, &which), NAPCOLL_RULES_SILENT);
    assert_int_equal(which, -1);
}

static const napcoll_algorithm_t *algorithm_of(const napcoll_collective_t *collective,
                                               const char *name)
{
    for (int row = 0; row < collective->algorithms; row++) {
        if (0 == strcmp(collective->algorithm[row].name, name)) {
            return &collective->algorithm[row];
        }
    }
    fail_msg("%s has no algorithm %s", collective->name, name);
    return NULL;
}

static void one_rule_is_for_what_goes_straight(void **state)
{
    (void) state;
    assert_true(napcoll_rule_scope_may_be_one(NULL));
    assert_true(napcoll_rule_scope_may_be_one(algorithm_of(&napcoll_alltoallv, "linear")));
    assert_true(napcoll_rule_scope_may_be_one(algorithm_of(&napcoll_gatherv, "linear")));
    assert_false(napcoll_rule_scope_may_be_one(algorithm_of(&napcoll_gatherv, "segmented")));
    assert_false(napcoll_rule_scope_may_be_one(algorithm_of(&napcoll_gatherv, "two_level")));
    assert_false(napcoll_rule_scope_may_be_one(algorithm_of(&napcoll_alltoallv, "tuna")));
}

static double share(const napcoll_collective_t *collective, const char *name, bool bounded)
{
    const napcoll_algorithm_t *algorithm = NULL == name ? NULL : algorithm_of(collective, name);

    return napcoll_rule_scope_share(collective, algorithm, bounded);
}

/* Small blocks, whose messages can tell. */
static void shares_of_small_blocks_are_those_of_trust(void **state)
{
    (void) state;
    assert_true(0 == share(&napcoll_alltoallv, "tuna", true));
    assert_true(0 == share(&napcoll_scatterv, "two_level", true));
    assert_true(0 == share(&napcoll_scatterv, "binomial", true));
}

/* Those of a gather have nobody to tell, but what is larger than agreed can go straight. */
static void shares_of_small_blocks_of_gathers_are_those_of_patience(void **state)
{
    (void) state;
    assert_true(1.0 / 9 == share(&napcoll_gatherv, "two_level", true));
    assert_true(1.0 / 9 == share(&napcoll_gatherv, "binomial", true));
}

static void shares_of_straight_blocks_are_those_of_patience(void **state)
{
    static const napcoll_collective_t *const collectives[] = {&napcoll_alltoallv, &napcoll_gatherv,
                                                              &napcoll_scatterv};
    static const char *const straight[] = {"linear", NULL};

    (void) state;
    for (int c = 0; c < 3; c++) {
        for (int s = 0; s < 2; s++) {
            assert_true(1.0 / 9 == share(collectives[c], straight[s], true));
            assert_true(1.0 / 9 == share(collectives[c], straight[s], false));
        }
    }
}

/* Large blocks that stop on their way have sizes before them, which tell nothing else. */
static void large_blocks_that_detour_are_agreed_on_in_each_call(void **state)
{
    (void) state;
    assert_true(1 == share(&napcoll_alltoallv, "tuna", false));
    assert_true(1 == share(&napcoll_scatterv, "two_level", false));
    assert_true(1 == share(&napcoll_gatherv, "two_level", false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rule_spares_the_agreement),
        cmocka_unit_test(rules_on_sizes_stay_where_they_gain_more),
        cmocka_unit_test(one_rule_is_not_for_a_trifle),
        cmocka_unit_test(no_rule_is_better_than_a_dear_one),
        cmocka_unit_test(one_rule_is_for_what_goes_straight),
        cmocka_unit_test(shares_of_small_blocks_are_those_of_trust),
        cmocka_unit_test(shares_of_small_blocks_of_gathers_are_those_of_patience),
        cmocka_unit_test(shares_of_straight_blocks_are_those_of_patience),
        cmocka_unit_test(large_blocks_that_detour_are_agreed_on_in_each_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
