/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whom napcoll-tune tries on a collective of some size: on 32 nodes with 4 processes each, where messages between nodes
 * take their time one after the other.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/allreduce/allreduce.h"
#include "algo/gather/gather.h"
#include "model/napcoll_machine.h"
#include "tune/napcoll_tune_case.h"

static napcoll_machine_t machine;
static napcoll_node_map_t *map;

/* The collectives of this test, in place of napcoll-tune's. */
enum { ALLREDUCE, GATHER, GATHERV, SUBJECTS };

static const tune_subject_t subjects[SUBJECTS] = {
    [ALLREDUCE] = {.collective = &napcoll_allreduce},
    [GATHER] = {.collective = &napcoll_gather, .blocks = true, .overlaps = true},
    [GATHERV] = {.collective = &napcoll_gatherv,
                 .blocks = true,
                 .overlaps = true,
                 .untold = true,
                 .largest = 2},
};

const tune_subject_t *tune_subject(int index)
{
    return &subjects[index];
}

void tune_out_of_memory(void)
{
    abort();
}

static int open_machine(void **state)
{
    (void) state;
    machine = napcoll_machine_default;
    machine.process_gap_us = machine.node_gap_us = 20;
    map = placement("4", "block", 128);
    return 0;
}

static int close_machine(void **state)
{
    (void) state;
    napcoll_node_map_free(map);
    return 0;
}

static napcoll_settings_t settings_of(int subject)
{
    napcoll_settings_t settings = napcoll_select_defaults(subjects[subject].collective);

    settings.machine = &machine;
    settings.thresholds = (napcoll_thresholds_t){.gather_m1 = 0};
    return settings;
}

static tune_case_t case_of(int subject, size_t bytes)
{
    const napcoll_settings_t settings = settings_of(subject);
    tune_case_t c = {.subject = subject, .bytes = bytes};

    assert_true(tune_choose_contestants(&c, &settings, map));
    assert_in_range(c.contestants, 2, TUNE_CONTESTANTS);
    return c;
}

/* The place of a contestant; -1: it is not one. */
static int place_of(const tune_case_t *c, const char *action)
{
    for (int i = 0; i < c->contestants; i++) {
        if (0 == strcmp(c->contestant[i].action, action)) {
            return i;
        }
    }
    return -1;
}

/* Whether a contestant is some algorithm, with whatever tunables. */
static bool is_way(const tune_case_t *c, int place, const char *name)
{
    const int row = c->contestant[place].row;

    return row >= 0 && 0 == strcmp(subjects[c->subject].collective->algorithm[row].name, name);
}

static int ways_of(const tune_case_t *c, const char *name)
{
    int ways = 0;

    for (int i = 0; i < c->contestants; i++) {
        ways += is_way(c, i, name);
    }
    return ways;
}

/* What auto decides is first, then the fallback function, once each; behind them the model's order. */
static void contestants_are_in_order(void **state)
{
    static const size_t sizes[] = {8, 4096, 262144};

    (void) state;
    for (int subject = 0; subject < SUBJECTS; subject++) {
        for (int i = 0; i < 3; i++) {
            const napcoll_collective_t *collective = subjects[subject].collective;
            const napcoll_settings_t settings = settings_of(subject);
            const napcoll_call_t call = {
                .collective = collective,
                .map = map,
                .bytes = sizes[i],
                .bounded = sizes[i] <= tune_subject_bounded(&subjects[subject], map->size)};
            const tune_case_t c = case_of(subject, sizes[i]);
            napcoll_decision_t decision;

            assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
            assert_int_equal(c.contestant[0].row, decision.algorithm);
            assert_int_equal(place_of(&c, "previous"), decision.algorithm < 0 ? 0 : 1);
            for (int k = 0; k < c.contestants; k++) {
                assert_int_equal(place_of(&c, c.contestant[k].action), k);
                assert_true(k < (decision.algorithm < 0 ? 2 : 3)
                            || c.contestant[k].model_us >= c.contestant[k - 1].model_us);
            }
        }
    }
}

/* An algorithm that takes many times what the cheapest takes has no chance, not even with its best tunables. */
static void hopeless_ones_are_left_out(void **state)
{
    const tune_case_t small = case_of(ALLREDUCE, 8), large = case_of(ALLREDUCE, 1048576);

    (void) state;
    assert_int_equal(ways_of(&small, "ring"), 0);
    assert_true(ways_of(&large, "ring") > 0);
    for (int i = 2; i < small.contestants; i++) {
        assert_true(small.contestant[i].model_us
                    <= 10 * fmin(small.contestant[0].model_us, small.contestant[2].model_us));
    }
}

/* Who sends blocks straight to their ends may be named for all sizes of blocks that not all ranks know, and is to have been
 * tried with the smallest, too; where all know them, it has no chance there. */
static void straight_ones_are_tried_with_sizes_untold(void **state)
{
    const tune_case_t told = case_of(GATHER, 8), untold = case_of(GATHERV, 8);

    (void) state;
    assert_int_equal(ways_of(&told, "linear"), 0);
    assert_int_equal(ways_of(&untold, "linear"), 1);
    for (int i = 0; i < untold.contestants; i++) {
        if (is_way(&untold, i, "linear")) {
            assert_true(untold.contestant[i].model_us > 10 * untold.contestant[0].model_us);
            assert_false(napcoll_rule_has_tunables(&untold.contestant[i].rule));
        }
    }
}

/* Other radixes than the model's are tried where they are not estimated to take much longer. */
static void other_tunables_are_tried(void **state)
{
    const tune_case_t c = case_of(GATHER, 512);
    int tuned = 0;

    (void) state;
    assert_true(ways_of(&c, "two_level") > 1);
    for (int i = 2; i < c.contestants; i++) {
        if (napcoll_rule_has_tunables(&c.contestant[i].rule)) {
            tuned++;
            assert_true(c.contestant[i].model_us
                        <= 4 * fmin(c.contestant[0].model_us, c.contestant[2].model_us));
        }
    }
    assert_true(tuned > 0);
}

/* No median shows the rare calls of which thresholds warn: these are not tried; not either where auto does without sizes, as a
 * rule on these would look at them. */
static void sizes_that_are_warned_of_are_not_tried(void **state)
{
    static const tune_case_t cases[] = {{.subject = GATHER, .bytes = 8192},
                                        {.subject = GATHERV, .bytes = 8192},
                                        {.subject = GATHERV, .bytes = 8192, .blind = true}};

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        napcoll_settings_t settings = settings_of(cases[i].subject);
        tune_case_t c = cases[i], warned = cases[i];

        assert_true(tune_choose_contestants(&c, &settings, map));
        settings.thresholds.gather_m1 = 4096;
        settings.thresholds.gather_m2 = 65536;
        assert_false(tune_choose_contestants(&warned, &settings, map));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contestants_are_in_order),
        cmocka_unit_test(hopeless_ones_are_left_out),
        cmocka_unit_test(straight_ones_are_tried_with_sizes_untold),
        cmocka_unit_test(other_tunables_are_tried),
        cmocka_unit_test(sizes_that_are_warned_of_are_not_tried),
    };

    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
