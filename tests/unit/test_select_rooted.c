/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection of broadcasts, gathers and scatters: pipelines, segments, pieces and thresholds.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "select/napcoll_select.h"

static napcoll_decision_t decide_bcast(const napcoll_settings_t *settings, const char *ppn,
                                       int size, size_t bytes)
{
    napcoll_node_map_t *map = placement(ppn, "cyclic", size);
    napcoll_call_t call = {
        .collective = &napcoll_bcast, .map = map, .bytes = bytes, .root = size / 2};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

/* Small ones go in few steps, large ones through a pipeline. */
static void auto_takes_pipelines_for_large_broadcasts(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_bcast);
    napcoll_decision_t d;

    (void) state;
    settings.machine = &napcoll_machine_default;
    for (int nodes = 4; nodes <= 32; nodes *= 2) {
        d = decide_bcast(&settings, "4", 4 * nodes, 8);
        assert_true(NAPCOLL_BCAST_NAP == d.algorithm || NAPCOLL_BCAST_TWO_LEVEL == d.algorithm);
        assert_int_equal(d.params.segments, 1);
        d = decide_bcast(&settings, "4", 4 * nodes, (size_t) 16 << 20);
        assert_true(NAPCOLL_BCAST_CHAIN == d.algorithm || NAPCOLL_BCAST_LANE == d.algorithm
                    || NAPCOLL_BCAST_TWO_LEVEL == d.algorithm
                    || NAPCOLL_BCAST_LANE_CIRCULANT == d.algorithm);
        assert_true(d.params.segments > 1);
    }
}

/* Estimates that end early change nothing: auto takes the least of what the rows cost when forced.
 * */
static void auto_takes_the_least_of_what_rows_cost(void **state)
{
    static const struct {
        const char *ppn;
        int size;
        size_t bytes;
    } cases[] = {{"4", 16, 8},
                 {"4", 64, 1 << 22},
                 {"3,5", 64, 1 << 16},
                 {"16", 512, 64},
                 {"2", 400, 1 << 20}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_settings_t settings = napcoll_select_defaults(&napcoll_bcast);
        napcoll_decision_t chosen;
        double least_us = INFINITY;

        settings.machine = &napcoll_machine_default;
        chosen = decide_bcast(&settings, cases[c].ppn, cases[c].size, cases[c].bytes);
        for (int row = 0; row < napcoll_bcast.algorithms; row++) {
            napcoll_decision_t forced;

            settings.force = NAPCOLL_FORCE_FIRST + row;
            forced = decide_bcast(&settings, cases[c].ppn, cases[c].size, cases[c].bytes);
            if (forced.cost_us > 0) { /* rows without anything to choose are not estimated then */
                assert_true(chosen.cost_us <= forced.cost_us);
                least_us = forced.cost_us < least_us ? forced.cost_us : least_us;
            }
        }
        if (NULL != napcoll_bcast.algorithm[chosen.algorithm].hops) {
            assert_memory_equal(&chosen.cost_us, &least_us, sizeof(least_us));
        }
    }
}

/* Of a chain through hundreds of nodes a sample of them does not see how long it is. */
static void a_long_chain_costs_its_length(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_bcast);
    napcoll_decision_t d;

    (void) state;
    settings.machine = &napcoll_machine_default;
    assert_int_not_equal(decide_bcast(&settings, "16", 4096, 1 << 16).algorithm,
                         NAPCOLL_BCAST_CHAIN);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_BCAST_CHAIN;
    d = decide_bcast(&settings, "16", 4096, 8);
    assert_true(d.cost_us
                > 255 * napcoll_machine_default.link[NAPCOLL_LEVEL_NETWORK][0].latency_us);
}

static void segments_of_a_broadcast_are_those_that_are_set(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_bcast);

    (void) state;
    settings.machine = &napcoll_machine_default;
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_BCAST_CHAIN;
    assert_true(decide_bcast(&settings, "2", 16, 1 << 22).params.segments > 1);
    settings.tunable[NAPCOLL_BCAST_CHAIN][0] = 7;
    assert_int_equal(decide_bcast(&settings, "2", 16, 1 << 22).params.segments, 7);
    settings.tunable[NAPCOLL_BCAST_CHAIN][0] = 1000;
    assert_int_equal(decide_bcast(&settings, "2", 16, 8).params.segments, 8);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_BCAST_TWO_LEVEL;
    settings.tunable[NAPCOLL_BCAST_TWO_LEVEL][0] = NAPCOLL_BCAST_TREE_BINARY;
    assert_int_equal(decide_bcast(&settings, "2", 16, 1 << 22).params.tunable[0],
                     NAPCOLL_BCAST_TREE_BINARY);
}

/* A decision on a gather or scatter of blocks of `bytes` bytes, with no setting but the force. */
static napcoll_decision_t decide_rooted(const napcoll_collective_t *collective, int force,
                                        const char *ppn, int size, size_t bytes)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);
    napcoll_node_map_t *map = placement(ppn, "block", size);
    const napcoll_call_t call = {
        .collective = collective, .map = map, .bytes = bytes, .root = size / 2};
    napcoll_decision_t decision;

    settings.machine = &napcoll_machine_default;
    settings.force = force;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_true(decision.least <= bytes && bytes <= decision.most);
    napcoll_node_map_free(map);
    return decision;
}

/* Blocks of which the thresholds warn are cut, or come from few processes at once. */
static void auto_sends_no_block_of_which_the_thresholds_warn_from_all_at_once(void **state)
{
    static const struct {
        const napcoll_collective_t *collective;
        size_t bytes;
        bool warned;
    } cases[] = {{&napcoll_gather, 8, false},       {&napcoll_gather, 5119, false},
                 {&napcoll_gather, 5120, true},     {&napcoll_gather, 65536, true},
                 {&napcoll_gather, 65537, false},   {&napcoll_gather, 1 << 20, false},
                 {&napcoll_scatter, 65535, false},  {&napcoll_scatter, 65536, true},
                 {&napcoll_scatter, 1 << 22, true}, {&napcoll_gatherv, 5120, true}};
    const char *const ppn[] = {"1", "8"};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        for (int p = 0; p < 2; p++) {
            const napcoll_decision_t decision = decide_rooted(
                cases[c].collective, NAPCOLL_FORCE_AUTO, ppn[p], 64, cases[c].bytes);

            assert_true(decision.algorithm >= 0);
            if (cases[c].warned) {
                assert_int_not_equal(decision.algorithm, NAPCOLL_GATHER_LINEAR);
            }
            if (NAPCOLL_GATHER_TWO_LEVEL == decision.algorithm && decision.params.tunable[0] > 2) {
                const size_t message = cases[c].bytes
                                       * (size_t) ((8 + decision.params.tunable[0] - 1)
                                                   / decision.params.tunable[0] * 8);

                assert_true(&napcoll_scatter == cases[c].collective
                                ? message < 65536
                                : message < 5120 || message > 65536);
            }
        }
    }
}

static void pieces_are_those_of_the_thresholds(void **state)
{
    const int force = NAPCOLL_FORCE_FIRST + NAPCOLL_GATHER_SEGMENTED;
    const napcoll_decision_t small = decide_rooted(&napcoll_gather, force, "4", 32, 5119);
    const napcoll_decision_t medium = decide_rooted(&napcoll_gather, force, "4", 32, 20000);
    const napcoll_decision_t large = decide_rooted(&napcoll_gather, force, "4", 32, 65537);
    const napcoll_decision_t leaps = decide_rooted(&napcoll_scatter, force, "4", 32, 200000);

    (void) state;
    assert_int_equal(small.params.segments, 1);
    assert_int_equal(medium.params.segments, 4);
    /* of its power of two, where there are as many */
    assert_int_equal(medium.least, 16385);
    assert_int_equal(medium.most, 20479);
    assert_int_equal(large.params.segments, 1);
    assert_int_equal(leaps.params.segments, 4);
    /* where credit has as many, too */
    assert_int_equal(leaps.least, 196609);
    assert_int_equal(leaps.most, 262143);
    assert_int_equal(
        decide_rooted(&napcoll_gather, NAPCOLL_FORCE_FIRST + NAPCOLL_GATHER_LINEAR, "4", 32, 20000)
            .params.segments,
        1);
}

/* Half of the bytes of messages of 5119 bytes from all; two at least, and none where nothing is to
 * fear. */
static void credit_has_a_window_where_the_thresholds_warn(void **state)
{
    static const struct {
        size_t bytes;
        int window;
    } cases[] = {{5119, 0}, {8192, 10}, {16384, 5}, {65536, 2}, {65537, 0}};
    const int force = NAPCOLL_FORCE_FIRST + NAPCOLL_GATHER_CREDIT;

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const napcoll_decision_t decision = decide_rooted(&napcoll_gather, force, "4", 32,
                                                          cases[c].bytes);

        assert_int_equal(decision.params.tunable[0], cases[c].window);
        assert_int_equal(decision.params.segments, 1);
    }
    assert_int_equal(decide_rooted(&napcoll_scatter, force, "4", 32, 200000).params.segments, 4);
}

static void pieces_of_credit_are_as_large_as_users_say(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_gather);
    napcoll_node_map_t *map = placement("1", "block", 16);
    const napcoll_call_t call = {.collective = &napcoll_gather, .map = map, .bytes = 20000};
    napcoll_decision_t decision;

    (void) state;
    settings.machine = &napcoll_machine_default;
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_GATHER_CREDIT;
    settings.tunable[NAPCOLL_GATHER_CREDIT][1] = 3000;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.params.segments, 7);
    assert_int_equal(decision.least, 18001);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_pipelines_for_large_broadcasts),
        cmocka_unit_test(auto_takes_the_least_of_what_rows_cost),
        cmocka_unit_test(a_long_chain_costs_its_length),
        cmocka_unit_test(segments_of_a_broadcast_are_those_that_are_set),
        cmocka_unit_test(auto_sends_no_block_of_which_the_thresholds_warn_from_all_at_once),
        cmocka_unit_test(pieces_are_those_of_the_thresholds),
        cmocka_unit_test(credit_has_a_window_where_the_thresholds_warn),
        cmocka_unit_test(pieces_of_credit_are_as_large_as_users_say),
    };

    return cmocka_run_group_tests_name("rooted selection", tests, NULL, NULL);
}
