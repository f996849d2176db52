/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection: what is forced, what auto takes, and the reasons where napcoll stands back.
 */

#include "cmocka_setup.h"

#include "algo/allreduce/allreduce.h"
#include "select/napcoll_select.h"

static const napcoll_settings_t defaults = {.nap_max = 2048, .smp_max = 32768, .local_radix = 4};

static napcoll_node_map_t *placement(const char *ppn, const char *order, int size)
{
    int id[128];
    size_t where;
    napcoll_node_map_t *map;

    assert_int_equal(napcoll_placement_parse(ppn, order, size, id, &where), 0);
    assert_int_equal(napcoll_node_map_create(id, size, &map), 0);
    return map;
}

static napcoll_decision_t decide(const napcoll_settings_t *settings, const char *ppn,
                                 const char *order, int size, size_t bytes, bool ordered)
{
    napcoll_node_map_t *map = placement(ppn, order, size);
    napcoll_question_t question = {.map = map, .bytes = bytes, .ordered = ordered};
    napcoll_decision_t decision = napcoll_select(&napcoll_allreduce, settings, &question);

    napcoll_node_map_free(map);
    return decision;
}

static void auto_takes_nap_where_it_saves_inter_node_steps(void **state)
{
    (void) state;
    assert_int_equal(decide(&defaults, "8", "block", 64, 8, false).algorithm,
                     NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(decide(&defaults, "4", "cyclic", 64, 2048, false).algorithm,
                     NAPCOLL_ALLREDUCE_NAP);
    /* two lanes, two nodes: the same steps as among leaders */
    assert_int_equal(decide(&defaults, "2", "block", 64, 8, false).algorithm,
                     NAPCOLL_ALLREDUCE_SMP);
    assert_int_equal(decide(&defaults, "8", "block", 16, 8, false).algorithm,
                     NAPCOLL_ALLREDUCE_SMP);
}

static void auto_leaves_large_vectors_to_the_previous_function(void **state)
{
    napcoll_decision_t d = decide(&defaults, "8", "block", 64, 2049, false);

    (void) state;
    assert_int_equal(d.algorithm, NAPCOLL_ALLREDUCE_SMP);
    assert_int_equal(d.least, 2049);
    assert_int_equal(d.most, 32768);
    d = decide(&defaults, "8", "block", 64, 32769, false);
    assert_int_equal(d.algorithm, -1);
    assert_int_equal(d.reason, NAPCOLL_REASON_SIZE_LIMIT);
    assert_int_equal(d.least, 32769);
    assert_true(SIZE_MAX == d.most);
    d = decide(&defaults, "8", "block", 64, 8, false);
    assert_int_equal(d.least, 0);
    assert_int_equal(d.most, 2048);
}

static void single_processes_per_node_fall_back(void **state)
{
    napcoll_settings_t forced = defaults;
    napcoll_decision_t d = decide(&defaults, "1", "block", 16, 8, false);

    (void) state;
    assert_int_equal(d.algorithm, -1);
    assert_int_equal(d.reason, NAPCOLL_REASON_PPN);
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&forced, "1", "block", 16, 8, false).reason, NAPCOLL_REASON_PPN);
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    assert_int_equal(decide(&forced, "1", "block", 16, 8, false).algorithm, NAPCOLL_ALLREDUCE_SMP);
}

static void noncommutative_ops_need_contiguous_nodes(void **state)
{
    napcoll_settings_t forced = defaults;
    napcoll_decision_t d = decide(&defaults, "4", "cyclic", 32, 8, true);

    (void) state;
    assert_int_equal(d.algorithm, -1);
    assert_int_equal(d.reason, NAPCOLL_REASON_NONCOMMUTATIVE);
    d = decide(&defaults, "4", "block", 32, 8, true);
    assert_int_equal(d.algorithm, NAPCOLL_ALLREDUCE_NAP);
    assert_true(d.params.ordered);
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING;
    assert_int_equal(decide(&forced, "4", "cyclic", 32, 8, true).algorithm,
                     NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING);
}

static void forced_algorithms_ignore_the_size_limit(void **state)
{
    napcoll_settings_t forced = defaults;

    (void) state;
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).algorithm,
                     NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).params.local_radix,
                     2);
    forced.force = NAPCOLL_FORCE_PREVIOUS;
    assert_int_equal(decide(&forced, "4", "block", 32, 8, false).reason, NAPCOLL_REASON_PREVIOUS);
}

static void nap_lanes_weigh_levels_against_lanes_per_process(void **state)
{
    static const struct {
        const char *ppn;
        int size, lanes;
    } cases[] = {{"8", 64, 8},           {"4", 64, 4}, {"3,2,1", 6, 3},
                 {"16,16,16,15", 63, 4}, {"2", 16, 2}, {"16", 32, 2}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_node_map_t *map = placement(cases[c].ppn, "block", cases[c].size);
        assert_int_equal(napcoll_nap_lanes(map, 0), cases[c].lanes);
        assert_int_equal(napcoll_nap_lanes(map, 1), 2);
        assert_true(napcoll_nap_lanes(map, 1000) <= (map->nodes < 2 ? 2 : map->nodes));
        napcoll_node_map_free(map);
    }
}

static void reasons_have_names_and_sentences(void **state)
{
    (void) state;
    for (int r = 0; r < NAPCOLL_REASONS; r++) {
        assert_non_null(napcoll_reason_name((napcoll_reason_t) r));
        assert_true(strlen(napcoll_reason_help((napcoll_reason_t) r)) > 5);
    }
    assert_int_equal(napcoll_algorithm_find(&napcoll_allreduce, "nap"), NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(napcoll_algorithm_find(&napcoll_allreduce, "nope"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_nap_where_it_saves_inter_node_steps),
        cmocka_unit_test(auto_leaves_large_vectors_to_the_previous_function),
        cmocka_unit_test(single_processes_per_node_fall_back),
        cmocka_unit_test(noncommutative_ops_need_contiguous_nodes),
        cmocka_unit_test(forced_algorithms_ignore_the_size_limit),
        cmocka_unit_test(nap_lanes_weigh_levels_against_lanes_per_process),
        cmocka_unit_test(reasons_have_names_and_sentences),
    };
    return cmocka_run_group_tests_name("selection", tests, NULL, NULL);
}
