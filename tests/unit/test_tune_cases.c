/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What napcoll-tune compares: its cases, the sizes that each stands for, and its contestants, on 32
 * nodes with 4 processes each, where messages between nodes take their time one after the other.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/pattern/napcoll_bcast_tree.h"
#include "model/napcoll_machine.h"
#include "tune/napcoll_tune_cases.h"
#include "common/napcoll_names.h"

enum { RANKS = 128 };

static napcoll_machine_t machine;
static napcoll_node_map_t *map;
static const napcoll_thresholds_t no_thresholds = {.gather_m1 = 0};
static tune_case_t list[TUNE_CASES];

static int open_machine(void **state)
{
    (void) state;
    machine = napcoll_machine_default;
    machine.process_gap_us = machine.node_gap_us = 20;
    map = placement("4", "block", RANKS);
    return 0;
}

static int close_machine(void **state)
{
    (void) state;
    napcoll_node_map_free(map);
    return 0;
}

static int cases_of(const char *only)
{
    tune_wanted_t wanted;

    assert_true(tune_want_only(&wanted, only));
    return tune_list_cases(&wanted, RANKS, list);
}

/* The contestants of the first case of a list. */
static tune_case_t *choose(const char *only, const napcoll_thresholds_t *thresholds)
{
    assert_true(cases_of(only) > 0);
    assert_int_equal(tune_choose(&list[0], &machine, thresholds, map), 0);
    return &list[0];
}

static bool is_fallback(const tune_contestant_t *contestant)
{
    return 0 == strcmp(contestant->action, "fallback");
}

static void few_bytes_come_first(void **state)
{
    tune_wanted_t all;
    int cases;

    (void) state;
    tune_want_all(&all);
    cases = tune_list_cases(&all, RANKS, list);
    assert_in_range(cases, 70, TUNE_CASES);
    assert_string_equal(list[0].collective->name, "barrier");
    /* blocks of 64 KiB on 128 ranks are 8 MiB */
    assert_int_equal(list[cases - 1].bytes, 65536);
    assert_true(tune_list_cases(&all, 4 * RANKS, list) < cases);
}

static void a_list_names_sizes_by_the_nearest(void **state)
{
    static const char *const wrong[] = {"bogus",     "bcast:x",  "bcast:", "bcast,,scan",
                                        "alltoallw", "bcast:8T", ""};
    tune_wanted_t wanted;

    (void) state;
    assert_int_equal(cases_of("bcast:30K"), 1);
    assert_int_equal(list[0].bytes, 32768);
    assert_int_equal(cases_of("scan,bcast:1M"), 7);
    /* one rule is for all sizes */
    assert_int_equal(cases_of("gatherv:8"), 5);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_false(tune_want_only(&wanted, wrong[i]));
    }
}

/* auto's choice is first, then the fallback, then the model's order; each algorithm once, or with
 * different choices of its tunable. */
static void contestants_are_the_models_best(void **state)
{
    static const char *const cases[] = {"allreduce:8", "allreduce:4K", "allreduce:256K", "bcast:8",
                                        "gather:512"};

    (void) state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        const tune_case_t *c = choose(cases[k], &no_thresholds);
        const int first = is_fallback(&c->contestant[0]) ? 1 : 2;

        assert_in_range(c->contestants, 2, TUNE_CONTESTANTS);
        assert_true(is_fallback(&c->contestant[first - 1]));
        /* blocking calls are compared */
        assert_int_equal(c->contestant[first - 1].rule.request, NAPCOLL_RULE_NO);
        for (int i = first; i < c->contestants; i++) {
            assert_true(c->contestant[i].rule.algorithm != c->contestant[0].rule.algorithm
                        || napcoll_rule_has_tunables(&c->contestant[i].rule));
            assert_true(c->contestant[i].model_us < INFINITY);
            assert_true(i == first || c->contestant[i].model_us >= c->contestant[i - 1].model_us);
        }
    }
}

/* Trees between nodes count as algorithms: the model's best one, and others by their names. */
static void choices_are_contestants(void **state)
{
    const int row = napcoll_algorithm_find(&napcoll_bcast, "two_level");
    const tune_case_t *c = choose("bcast:32K", &no_thresholds);
    int open = 0, named = 0;

    (void) state;
    for (int i = 0; i < c->contestants; i++) {
        const napcoll_rule_t *rule = &c->contestant[i].rule;

        if (row == rule->algorithm && !napcoll_rule_has_tunables(rule)) {
            open++;
        } else if (row == rule->algorithm) {
            assert_in_range(rule->tunable[0], 1, NAPCOLL_BCAST_TREES - 1);
            assert_non_null(strstr(c->contestant[i].action, "between="));
            named++;
        }
    }
    assert_int_equal(open, 1);
    assert_in_range(named, 1, TUNE_CONTESTANTS - 2);
}

/* Linear and staggered all-to-alls of large blocks send the same messages. */
static void same_messages_are_measured_once(void **state)
{
    const tune_case_t *c = choose("alltoall:64K", &no_thresholds);

    (void) state;
    assert_in_range(c->contestants, 3, TUNE_CONTESTANTS);
    for (int i = 0; i < c->contestants; i++) {
        for (int k = 0; k < i; k++) {
            assert_true(is_fallback(&c->contestant[i]) || is_fallback(&c->contestant[k])
                        || fabs(c->contestant[i].model_us / c->contestant[k].model_us - 1) > 1e-3);
        }
    }
}

/* An algorithm that is estimated to take many times as long has no chance. */
static void hopeless_algorithms_are_left_out(void **state)
{
    const int ring = napcoll_algorithm_find(&napcoll_allreduce, "ring");
    const tune_case_t *c = choose("allreduce:8", &no_thresholds);

    (void) state;
    assert_true(ring >= 0);
    for (int i = 0; i < c->contestants; i++) {
        assert_int_not_equal(c->contestant[i].rule.algorithm, ring);
        assert_true(is_fallback(&c->contestant[i])
                    || c->contestant[i].model_us <= 10 * c->contestant[0].model_us);
    }
}

/* One rule is for all sizes of a gatherv, so blocks may not take detours, whatever their size. */
static void untold_sizes_have_direct_contestants(void **state)
{
    const tune_case_t *c = choose("gatherv", &no_thresholds);
    bool linear = false;

    (void) state;
    assert_true(c->untold);
    for (int i = 1; i < c->contestants; i++) {
        const napcoll_rule_t *rule = &c->contestant[i].rule;

        if (!is_fallback(&c->contestant[i])) {
            assert_false(c->collective->algorithm[rule->algorithm].store_and_forward);
            linear = linear
                     || 0 == strcmp(c->collective->algorithm[rule->algorithm].name, "linear");
        }
    }
    assert_true(linear || 0 == strncmp(c->contestant[0].action, "linear", 6));
}

/* auto decides on a gatherv without knowing its sizes. It is compared as it is: with one plan for
 * all of them, and its limit for blocks that go through leaders. */
static void untold_sizes_have_one_choice_of_auto(void **state)
{
    const int cases = cases_of("gatherv");

    (void) state;
    for (int i = 0; i < cases; i++) {
        assert_int_equal(tune_choose(&list[i], &machine, &no_thresholds, map), 0);
        assert_string_equal(list[i].contestant[0].action, list[0].contestant[0].action);
        assert_int_equal(list[i].contestant[0].rule.inline_bytes,
                         list[0].contestant[0].rule.inline_bytes);
    }
    assert_non_null(strstr(list[0].contestant[0].action, " inline_bytes="));
    assert_true(list[0].contestant[0].rule.inline_bytes > 64);
}

static void sizes_reach_half_way_to_the_next(void **state)
{
    size_t least = 0;

    (void) state;
    assert_int_equal(cases_of("allreduce"), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tune_choose(&list[i], &machine, &no_thresholds, map), 0);
        assert_int_equal(list[i].range.least, least);
        assert_in_range(list[i].bytes, list[i].range.least, list[i].range.most);
        least = list[i].range.most + 1;
    }
    assert_int_equal(least, 4 * 1048576 + 1);
}

/* No median shows the rare calls that thresholds warn of: such sizes are not compared, and the
 * ranges of their neighbours end before them. */
static void sizes_that_thresholds_warn_of_are_left_out(void **state)
{
    static const napcoll_thresholds_t thresholds = {.gather_m1 = 1000, .gather_m2 = 30000};

    (void) state;
    assert_false(choose("gather:4K", &no_thresholds)->skipped);
    assert_true(choose("gather:4K", &thresholds)->skipped);
    assert_true(choose("gather:512", &thresholds)->range.most < 1000);
    assert_true(choose("gather:64K", &thresholds)->range.least > 30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bytes_come_first),
        cmocka_unit_test(a_list_names_sizes_by_the_nearest),
        cmocka_unit_test(contestants_are_the_models_best),
        cmocka_unit_test(choices_are_contestants),
        cmocka_unit_test(same_messages_are_measured_once),
        cmocka_unit_test(hopeless_algorithms_are_left_out),
        cmocka_unit_test(untold_sizes_have_direct_contestants),
        cmocka_unit_test(untold_sizes_have_one_choice_of_auto),
        cmocka_unit_test(sizes_reach_half_way_to_the_next),
        cmocka_unit_test(sizes_that_thresholds_warn_of_are_left_out),
    };

    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
