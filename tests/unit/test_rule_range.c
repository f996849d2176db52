/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The sizes for which a rule stands that was found by measuring some: half way to the next ones, and never where HeteroMPI's
 * thresholds have a say; and whether auto would take an algorithm somewhere in there.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/allreduce/allreduce.h"
#include "algo/alltoall/alltoall.h"
#include "algo/barrier/barrier.h"
#include "algo/gather/gather.h"
#include "common/napcoll_rule_range.h"

static const size_t measured[] = {8, 512, 4096, 65536};

enum { MEASURED = sizeof(measured) / sizeof(*measured) };

static napcoll_settings_t settings_of(const napcoll_collective_t *collective)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    return settings;
}

static napcoll_rule_range_t find(const napcoll_collective_t *collective,
                                 const napcoll_settings_t *settings, int which)
{
    napcoll_node_map_t *map = placement("4", "block", 16);
    napcoll_rule_range_t range;

    assert_int_equal(
        napcoll_rule_range_find(collective, settings, map, measured, MEASURED, which, &range), 0);
    assert_true(range.least <= measured[which] && measured[which] <= range.most);
    napcoll_node_map_free(map);
    return range;
}

static bool takes_bounded(const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, size_t least, size_t most,
                          size_t bounded, int row)
{
    napcoll_node_map_t *map = placement("4", "block", 16);
    const napcoll_rule_range_t range = {.least = least, .most = most};
    bool answer;

    assert_int_equal(
        napcoll_rule_range_takes(collective, settings, map, &range, bounded, row, &answer), 0);
    napcoll_node_map_free(map);
    return answer;
}

static bool takes(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                  size_t least, size_t most, int row)
{
    return takes_bounded(collective, settings, least, most, 0, row);
}

static napcoll_decision_t decide_bounded(const napcoll_collective_t *collective,
                                         const napcoll_settings_t *settings, size_t bytes,
                                         bool bounded)
{
    napcoll_node_map_t *map = placement("4", "block", 16);
    const napcoll_call_t call = {
        .collective = collective, .map = map, .bytes = bytes, .bounded = bounded};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

static napcoll_decision_t decide(const napcoll_collective_t *collective,
                                 const napcoll_settings_t *settings, size_t bytes)
{
    return decide_bounded(collective, settings, bytes, false);
}

static void ranges_meet_half_way_by_ratio(void **state)
{
    const napcoll_settings_t settings = settings_of(&napcoll_allreduce);
    napcoll_rule_range_t range = find(&napcoll_allreduce, &settings, 0);

    (void) state;
    assert_true(0 == range.least && 64 == range.most);
    for (int which = 1; which < MEASURED; which++) {
        const size_t before = range.most;

        range = find(&napcoll_allreduce, &settings, which);
        assert_true(before + 1 == range.least);
    }
    assert_true(16385 == range.least && 262144 == range.most);
}

/* Blocks from M1 to M2 are not for a rule: the range before ends in front of them, and that behind begins after them. */
static void ranges_leave_out_what_thresholds_warn_of(void **state)
{
    napcoll_settings_t settings = settings_of(&napcoll_gather);
    napcoll_rule_range_t range;

    (void) state;
    settings.thresholds = (napcoll_thresholds_t){
        .gather_m1 = 1000, .gather_m2 = 30000, .scatter_s = SIZE_MAX};
    assert_false(
        napcoll_rule_range_is_warned(&napcoll_gather, &(napcoll_decision_t){.algorithm = -1}));
    for (int which = 0; which < MEASURED; which++) {
        const napcoll_decision_t decision = decide(&napcoll_gather, &settings, measured[which]);

        assert_true((4096 == measured[which])
                    == napcoll_rule_range_is_warned(&napcoll_gather, &decision));
    }
    range = find(&napcoll_gather, &settings, 1);
    assert_true(65 == range.least && range.most < 1000);
    range = find(&napcoll_gather, &settings, 3);
    assert_true(range.least > 30000 && 262144 == range.most);

    settings.thresholds = (napcoll_thresholds_t){.gather_m1 = SIZE_MAX, .scatter_s = SIZE_MAX};
    range = find(&napcoll_gather, &settings, 1);
    assert_true(65 == range.least && 1448 == range.most);
}

/* What is taken of a few sizes of the range is found, wherever they are in it. */
static void what_auto_takes_somewhere_is_found(void **state)
{
    const napcoll_settings_t settings = settings_of(&napcoll_allreduce);
    const int small = decide(&napcoll_allreduce, &settings, 8).algorithm;
    const int large = decide(&napcoll_allreduce, &settings, 1 << 24).algorithm;

    (void) state;
    assert_int_not_equal(small, large);
    assert_true(takes(&napcoll_allreduce, &settings, 0, 8, small));
    assert_false(takes(&napcoll_allreduce, &settings, 0, 8, large));
    assert_true(takes(&napcoll_allreduce, &settings, 0, 1 << 24, small));
    assert_true(takes(&napcoll_allreduce, &settings, 0, 1 << 24, large));
    assert_false(takes(&napcoll_allreduce, &settings, 1 << 24, 1 << 25, small));
    assert_false(takes(&napcoll_allreduce, &settings, 0, 1 << 24, -1));
}

/* Blocks that have their sizes with them may be better off by another algorithm than those just above. */
static void what_auto_takes_of_small_blocks_is_found(void **state)
{
    const napcoll_settings_t settings = settings_of(&napcoll_alltoallv);
    size_t bytes = 8;
    int bounded = -1, unbounded = -1;

    (void) state;
    while (bounded == unbounded) {
        bytes *= 2;
        assert_true(bytes < 1 << 20);
        bounded = decide_bounded(&napcoll_alltoallv, &settings, bytes, true).algorithm;
        unbounded = decide_bounded(&napcoll_alltoallv, &settings, bytes, false).algorithm;
    }
    assert_true(takes_bounded(&napcoll_alltoallv, &settings, bytes, bytes, bytes, bounded));
    assert_false(takes_bounded(&napcoll_alltoallv, &settings, bytes, bytes, bytes, unbounded));
    assert_false(takes_bounded(&napcoll_alltoallv, &settings, bytes, bytes, bytes - 1, bounded));
    assert_true(takes_bounded(&napcoll_alltoallv, &settings, bytes - 1, bytes, bytes - 1, bounded));
    assert_true(
        takes_bounded(&napcoll_alltoallv, &settings, bytes - 1, bytes, bytes - 1, unbounded));
}

/* A class of sizes may have no end. */
static void ranges_end_where_sizes_do(void **state)
{
    const napcoll_settings_t settings = settings_of(&napcoll_barrier);
    const int row = decide(&napcoll_barrier, &settings, 0).algorithm;

    (void) state;
    assert_true(takes(&napcoll_barrier, &settings, 0, SIZE_MAX, row));
    assert_false(takes(&napcoll_barrier, &settings, 0, SIZE_MAX, NAPCOLL_MAX_ALGORITHMS));
}

/* With the thresholds of a cluster that has a say some size is warned of, with none no size is, up to the largest. */
static void any_warned_size_is_found(void **state)
{
    napcoll_settings_t settings = settings_of(&napcoll_gather);
    napcoll_node_map_t *map = placement("4", "block", 16);
    bool warned;

    (void) state;
    assert_int_equal(napcoll_rule_range_any_is_warned(&napcoll_gather, &settings, map, &warned), 0);
    assert_true(warned);
    settings.thresholds = (napcoll_thresholds_t){.gather_m1 = SIZE_MAX, .scatter_s = SIZE_MAX};
    assert_int_equal(napcoll_rule_range_any_is_warned(&napcoll_gather, &settings, map, &warned), 0);
    assert_false(warned);
    napcoll_node_map_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_meet_half_way_by_ratio),
        cmocka_unit_test(ranges_leave_out_what_thresholds_warn_of),
        cmocka_unit_test(what_auto_takes_somewhere_is_found),
        cmocka_unit_test(what_auto_takes_of_small_blocks_is_found),
        cmocka_unit_test(ranges_end_where_sizes_do),
        cmocka_unit_test(any_warned_size_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
