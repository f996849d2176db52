/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the fallback component would do, at the switch points of tuned's fixed decisions, and what auto makes of what
 * that costs.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/previous/previous.h"
#include "model/napcoll_plan_cost.h"
#include "select/napcoll_agreement.h"
#include "select/napcoll_recall.h"
#include "select/napcoll_select.h"

static const napcoll_previous_t tuned = {NAPCOLL_COMPONENT_TUNED, NAPCOLL_SERIES_4_1};
static const napcoll_previous_t basic = {NAPCOLL_COMPONENT_BASIC, NAPCOLL_SERIES_4_1};

/* What is done, "unknown" where that is not known. */
static const char *named(const napcoll_previous_t *previous, const napcoll_collective_t *collective,
                         int ranks, size_t bytes, bool noncommutative)
{
    static napcoll_previous_choice_t choice;
    const napcoll_previous_call_t call = {
        .ranks = ranks, .bytes = bytes, .noncommutative = noncommutative};

    return napcoll_previous_choose(previous, collective, &call, &choice) ? choice.name : "unknown";
}

static void switch_points_are_those_of_tuned(void **state)
{
    static const struct {
        const napcoll_collective_t *collective;
        int ranks;
        size_t bytes; /* the first ones of what is done here */
        const char *before;
        const char *from;
    } points[] = {
        {&napcoll_allreduce, 8, 8192, "recursive doubling", "Rabenseifner's"},
        {&napcoll_allreduce, 64, 262144, "recursive doubling", "Rabenseifner's"},
        {&napcoll_allreduce, 128, 131072, "reduce (in-order binomial), then broadcast (4-nomial)",
         "recursive doubling"},
        {&napcoll_reduce, 8, 8192, "binary", "in-order binomial"},
        {&napcoll_reduce, 256, 16384, "in-order binary", "in-order binomial"},
        {&napcoll_bcast, 16, 1048576, "binomial", "scatter and allgather"},
        {&napcoll_bcast, 32, 2048, "binomial", "4-nomial"},
        {&napcoll_bcast, 4, 1048576, "linear", "chain"},
        {&napcoll_allgather, 64, 512, "recursive doubling", "neighbor exchange"},
        {&napcoll_allgather, 64, 65536, "neighbor exchange", "ring"},
        {&napcoll_allgather, 48, 1024, "Bruck's", "neighbor exchange"},
        {&napcoll_allgatherv, 64, 256, "linear gather, then broadcast (4-nomial)", "Bruck's"},
        {&napcoll_reduce_scatter, 64, 8, "reduce (in-order binomial), then scatter (linear)",
         "butterfly"}, /* blocks of 3 bytes, and of 8: 192 and 512 bytes in all */
        {&napcoll_reduce_scatter_block, 64, 16,
         "reduce (in-order binomial), then scatter (in-order binomial)", "butterfly"},
        {&napcoll_alltoall, 64, 1024, "Bruck's", "linear"},
        {&napcoll_alltoall, 64, 262144, "linear", "pairwise exchange"},
        {&napcoll_gather, 7, 1024, "binomial tree", "linear"},
        {&napcoll_scatter, 64, 512, "binomial tree", "linear, all at once"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
        for (int series = 0; series < NAPCOLL_SERIES; series++) {
            const napcoll_previous_t previous = {NAPCOLL_COMPONENT_TUNED,
                                                 (napcoll_series_t) series};
            const bool all = &napcoll_reduce_scatter == points[i].collective;

            assert_string_equal(named(&previous, points[i].collective, points[i].ranks,
                                      all ? 3 : points[i].bytes - 1, false),
                                points[i].before);
            assert_string_equal(
                named(&previous, points[i].collective, points[i].ranks, points[i].bytes, false),
                points[i].from);
        }
    }
    assert_string_equal(named(&tuned, &napcoll_barrier, 7, 0, false), "linear");
    assert_string_equal(named(&tuned, &napcoll_barrier, 63, 0, false), "recursive doubling");
    assert_string_equal(named(&tuned, &napcoll_barrier, 64, 0, false), "Bruck's");
    assert_string_equal(named(&tuned, &napcoll_barrier, 256, 0, false), "in-order binomial");
    assert_string_equal(named(&tuned, &napcoll_alltoallv, 63, 8, false), "linear");
    assert_string_equal(named(&tuned, &napcoll_alltoallv, 64, 8, false), "pairwise exchange");
}

/* The one difference between the series: chains of a reduce. */
static void a_chain_is_two_from_6_0_on(void **state)
{
    static const char *const chains[NAPCOLL_SERIES] = {"chain", "chain", "two chains"};

    (void) state;
    for (int series = 0; series < NAPCOLL_SERIES; series++) {
        const napcoll_previous_t previous = {NAPCOLL_COMPONENT_TUNED, (napcoll_series_t) series};

        assert_string_equal(named(&previous, &napcoll_reduce, 6, 16384, false), chains[series]);
    }
}

/* Too few elements to be spread, ops that do not commute, numbers of ranks that do not suit. */
static void what_cannot_be_done_is_done_otherwise(void **state)
{
    (void) state;
    assert_string_equal(named(&tuned, &napcoll_allreduce, 32, 64, false), "recursive doubling");
    assert_string_equal(named(&tuned, &napcoll_allreduce, 32, 128, false),
                        "linear reduce and broadcast");
    assert_string_equal(named(&tuned, &napcoll_allreduce, 32, 256, false), "Rabenseifner's");
    assert_string_equal(named(&tuned, &napcoll_allreduce, 64, 4194304, true), "recursive doubling");
    assert_string_equal(named(&tuned, &napcoll_reduce, 64, 8, true), "in-order binary");
    assert_string_equal(named(&tuned, &napcoll_reduce_scatter_block, 6, 8, true),
                        "reduce (linear), then scatter (in-order binomial)");
    assert_string_equal(named(&tuned, &napcoll_allgather, 6, 8, false), "Bruck's");
    assert_string_equal(named(&tuned, &napcoll_allgather, 65, 1024, false), "ring");
}

static void what_is_not_known_is_not_guessed(void **state)
{
    const napcoll_previous_t nobody = {.component = NAPCOLL_COMPONENT_UNKNOWN};
    const napcoll_previous_call_t in_place = {.ranks = 8, .bytes = 8, .in_place = true};
    napcoll_previous_choice_t choice;

    (void) state;
    assert_string_equal(named(&nobody, &napcoll_allreduce, 64, 8, false), "unknown");
    assert_string_equal(named(&tuned, &napcoll_scan, 64, 8, false), "unknown");
    assert_string_equal(named(&basic, &napcoll_allreduce, 64, 8, false), "unknown");
    assert_string_equal(named(&basic, &napcoll_scan, 64, 8, true), "linear");
    assert_string_equal(named(&basic, &napcoll_alltoallw, 64, 8, false), "linear");
    assert_string_equal(named(&tuned, &napcoll_bcast, 256, 16384, false), "unknown");
    assert_string_equal(
        named(&tuned, &napcoll_allreduce, NAPCOLL_PREVIOUS_MOST_RANKS + 1, 8, false), "unknown");
    assert_false(napcoll_previous_choose(&tuned, &napcoll_alltoall, &in_place, &choice));
    assert_int_equal(napcoll_component_find("tuned"), NAPCOLL_COMPONENT_TUNED);
    assert_int_equal(napcoll_component_find("basic"), NAPCOLL_COMPONENT_BASIC);
    assert_int_equal(napcoll_component_find("han"), NAPCOLL_COMPONENT_UNKNOWN);
    assert_int_equal(napcoll_component_find("unknown"), NAPCOLL_COMPONENT_UNKNOWN);
    assert_int_equal(napcoll_component_find(NULL), NAPCOLL_COMPONENT_UNKNOWN);
    assert_int_equal(napcoll_component_usual(&napcoll_gather), NAPCOLL_COMPONENT_TUNED);
    assert_int_equal(napcoll_component_usual(&napcoll_gatherv), NAPCOLL_COMPONENT_BASIC);
}

static double cost_us(const napcoll_previous_t *previous, const napcoll_collective_t *collective,
                      const napcoll_node_map_t *map, size_t bytes, double most_us)
{
    const napcoll_node_map_t shared = napcoll_plan_cost_map(map);
    const napcoll_previous_call_t call = {.ranks = map->size, .bytes = bytes};
    napcoll_previous_choice_t choice;

    assert_true(napcoll_previous_choose(previous, collective, &call, &choice));
    return napcoll_previous_cost_us(&choice, &shared, &napcoll_machine_default, (double) bytes,
                                    most_us);
}

/* Everything that tuned and basic do can be costed, wherever the ranks are; what nobody wants to know to the end is
 * given up. */
static void all_of_it_has_a_cost(void **state)
{
    static const napcoll_collective_t *const all[] = {
        &napcoll_allreduce, &napcoll_reduce,         &napcoll_bcast,
        &napcoll_barrier,   &napcoll_allgather,      &napcoll_allgatherv,
        &napcoll_alltoall,  &napcoll_reduce_scatter, &napcoll_reduce_scatter_block,
        &napcoll_alltoallv, &napcoll_gather,         &napcoll_scatter,
        &napcoll_gatherv,   &napcoll_scatterv,       &napcoll_scan,
        &napcoll_exscan,    &napcoll_alltoallw};
    static const int sizes[] = {2, 3, 6, 13, 24, 48, 64, 150};

    (void) state;
    for (size_t c = 0; c < sizeof(all) / sizeof(*all); c++) {
        const napcoll_previous_t previous = {napcoll_component_usual(all[c]), NAPCOLL_SERIES_6_0};

        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            napcoll_node_map_t *map = placement("4,3", s % 2 ? "cyclic" : "block", sizes[s]);

            for (size_t bytes = 8; bytes <= 32768; bytes *= 16) {
                const double us = cost_us(&previous, all[c], map, bytes, INFINITY);

                assert_true(us > 0 && us < INFINITY);
                assert_true(cost_us(&previous, all[c], map, bytes, us / 2) >= us / 2);
            }
            napcoll_node_map_free(map);
        }
    }
}

/* Ranks count in their own order, so that dealing them to nodes one by one costs a ring or a chain dearly. */
static void it_is_blind_to_nodes(void **state)
{
    napcoll_node_map_t *block = placement("8", "block", 64), *cyclic = placement("8", "cyclic", 64);

    (void) state;
    assert_true(cost_us(&basic, &napcoll_scan, cyclic, 8, INFINITY)
                > 2 * cost_us(&basic, &napcoll_scan, block, 8, INFINITY));
    assert_true(cost_us(&tuned, &napcoll_allgather, cyclic, 65536, INFINITY)
                > 1.5 * cost_us(&tuned, &napcoll_allgather, block, 65536, INFINITY));
    napcoll_node_map_free(block);
    napcoll_node_map_free(cyclic);
}

/* As deep as its tree is, also where there are more ranks than a sample has. */
static void deep_trees_cost_their_depth(void **state)
{
    napcoll_node_map_t *few = placement("16", "block", 512), *many = placement("16", "block", 8192);
    const double scan = cost_us(&basic, &napcoll_scan, few, 8, INFINITY);

    (void) state;
    assert_true(cost_us(&basic, &napcoll_scan, many, 8, INFINITY) > 15 * scan);
    assert_true(cost_us(&tuned, &napcoll_bcast, many, 8, INFINITY)
                > cost_us(&tuned, &napcoll_bcast, few, 8, INFINITY));
    napcoll_node_map_free(few);
    napcoll_node_map_free(many);
}

/* ---- what auto makes of it ---- */

static napcoll_decision_t decide(const napcoll_collective_t *collective,
                                 const napcoll_settings_t *settings, const char *ppn, int size,
                                 size_t bytes)
{
    napcoll_node_map_t *map = placement(ppn, "block", size);
    const napcoll_question_t question = {.map = map, .bytes = bytes};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(collective, settings, &question, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

static napcoll_settings_t settings_before(const napcoll_collective_t *collective,
                                          const napcoll_previous_t *previous, int compare)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    settings.previous = *previous;
    settings.compare = compare;
    return settings;
}

static void auto_takes_what_it_expects_to_win_by(void **state)
{
    const napcoll_settings_t settings = settings_before(&napcoll_allreduce, &tuned,
                                                        NAPCOLL_DEFAULT_COMPARE);
    const napcoll_settings_t alone = settings_before(&napcoll_allreduce, &tuned, 0);
    const napcoll_decision_t d = decide(&napcoll_allreduce, &settings, "8", 64, 8);
    const napcoll_decision_t same = decide(&napcoll_allreduce, &alone, "8", 64, 8);

    (void) state;
    assert_true(d.algorithm >= 0);
    assert_int_equal(d.reason, NAPCOLL_REASON_NONE);
    assert_true(d.previous_us >= 0.8 * d.cost_us);
    assert_int_equal(d.algorithm, same.algorithm);
    assert_true(same.previous_us <= 0 && d.cost_us <= same.cost_us && d.cost_us >= same.cost_us);
}

/* The part that is compared with decides; the reason is told, and what was estimated. */
static void auto_leaves_what_is_expected_to_be_slower(void **state)
{
    napcoll_settings_t settings = settings_before(&napcoll_barrier, &tuned, 100);
    napcoll_decision_t d = decide(&napcoll_barrier, &settings, "4", 8, 0);

    (void) state;
    assert_int_equal(d.algorithm, -1);
    assert_int_equal(d.reason, NAPCOLL_REASON_SLOWER);
    assert_true(d.previous_us > 0 && d.previous_us < d.cost_us);
    settings.compare = (int) (100 * d.previous_us / d.cost_us);
    assert_in_range(settings.compare, 75, 95);
    assert_true(decide(&napcoll_barrier, &settings, "4", 8, 0).algorithm >= 0);
    settings.compare += 1;
    assert_int_equal(decide(&napcoll_barrier, &settings, "4", 8, 0).reason, NAPCOLL_REASON_SLOWER);
    settings.previous.component = NAPCOLL_COMPONENT_UNKNOWN;
    d = decide(&napcoll_barrier, &settings, "4", 8, 0);
    assert_true(d.algorithm >= 0 && d.previous_us <= 0);
    settings.previous = tuned;
    settings.force = NAPCOLL_FORCE_FIRST + d.algorithm;
    assert_int_equal(decide(&napcoll_barrier, &settings, "4", 8, 0).algorithm, d.algorithm);
}

/* The fallback component does not promise the same bits everywhere. */
static void reproducible_reductions_are_not_left(void **state)
{
    napcoll_settings_t settings = settings_before(&napcoll_allreduce, &tuned, 100000);

    (void) state;
    assert_int_equal(decide(&napcoll_allreduce, &settings, "4", 16, 8).reason,
                     NAPCOLL_REASON_SLOWER);
    settings.reproducible = true;
    assert_true(decide(&napcoll_allreduce, &settings, "4", 16, 8).algorithm >= 0);
}

/* The model knows nothing of what is lost, so what the thresholds warn of is no rival. */
static void what_thresholds_warn_of_is_no_rival(void **state)
{
    napcoll_settings_t settings = settings_before(&napcoll_scatterv, &basic, 100000);
    const size_t s = settings.thresholds.scatter_s;

    (void) state;
    assert_true(s > 8);
    assert_int_equal(decide(&napcoll_scatterv, &settings, "1", 16, 8).reason,
                     NAPCOLL_REASON_SLOWER);
    assert_true(decide(&napcoll_scatterv, &settings, "1", 16, 4 * s).algorithm >= 0);
}

/* Communicators with other components behind napcoll do not share what is recalled. */
static void recalled_decisions_know_the_component(void **state)
{
    const napcoll_settings_t compared = settings_before(&napcoll_barrier, &tuned, 100);
    napcoll_settings_t other = compared;
    napcoll_recall_t *recall = calloc(1, sizeof(*recall));
    napcoll_node_map_t *map = placement("4", "block", 8);
    const napcoll_question_t question = {.map = map};
    napcoll_decision_t d;

    (void) state;
    assert_non_null(recall);
    other.previous.component = NAPCOLL_COMPONENT_UNKNOWN;
    assert_int_equal(napcoll_recall_select(recall, &napcoll_barrier, &compared, &question, &d), 0);
    assert_int_equal(d.reason, NAPCOLL_REASON_SLOWER);
    assert_int_equal(napcoll_recall_select(recall, &napcoll_barrier, &other, &question, &d), 0);
    assert_int_equal(d.reason, NAPCOLL_REASON_NONE);
    assert_int_equal(napcoll_recall_select(recall, &napcoll_barrier, &compared, &question, &d), 0);
    assert_int_equal(d.reason, NAPCOLL_REASON_SLOWER);
    napcoll_node_map_free(map);
    free(recall);
}

/* To agree on sizes saves no more than the fallback function would take; napcoll's own part is estimated as without. */
static void agreeing_saves_no_more_than_the_previous_function_takes(void **state)
{
    const napcoll_settings_t telling = settings_before(&napcoll_allreduce, &tuned, 100);
    napcoll_settings_t settings = settings_before(&napcoll_alltoallv, &tuned, 100);
    napcoll_recall_t *recall = calloc(1, sizeof(*recall));
    napcoll_node_map_t *map = placement("8", "block", 48);
    napcoll_agreement_t with, without;

    (void) state;
    assert_non_null(recall);
    assert_int_equal(napcoll_agreement(recall, &napcoll_alltoallv, &settings, &telling, map, &with),
                     0);
    settings.compare = 0;
    assert_int_equal(
        napcoll_agreement(recall, &napcoll_alltoallv, &settings, &telling, map, &without), 0);
    assert_true(with.direct_us <= without.direct_us);
    assert_true(with.cheapest_us >= without.cheapest_us && with.cheapest_us <= without.cheapest_us);
    assert_true(with.cost_us >= without.cost_us && with.cost_us <= without.cost_us);
    napcoll_node_map_free(map);
    free(recall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_points_are_those_of_tuned),
        cmocka_unit_test(a_chain_is_two_from_6_0_on),
        cmocka_unit_test(what_cannot_be_done_is_done_otherwise),
        cmocka_unit_test(what_is_not_known_is_not_guessed),
        cmocka_unit_test(all_of_it_has_a_cost),
        cmocka_unit_test(it_is_blind_to_nodes),
        cmocka_unit_test(deep_trees_cost_their_depth),
        cmocka_unit_test(auto_takes_what_it_expects_to_win_by),
        cmocka_unit_test(auto_leaves_what_is_expected_to_be_slower),
        cmocka_unit_test(reproducible_reductions_are_not_left),
        cmocka_unit_test(what_thresholds_warn_of_is_no_rival),
        cmocka_unit_test(recalled_decisions_know_the_component),
        cmocka_unit_test(agreeing_saves_no_more_than_the_previous_function_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
