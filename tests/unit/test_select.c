/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection: what is forced, what auto takes, and the reasons for the fallback.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include <math.h>

#include "algo/napcoll_generators.h"
#include "algo/pattern/napcoll_bcast_tree.h"
#include "select/napcoll_select.h"
#include "common/napcoll_names.h"

static napcoll_settings_t defaults(void)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_allreduce);

    settings.machine = &napcoll_machine_default;
    return settings;
}

static napcoll_decision_t decide(const napcoll_settings_t *settings, const char *ppn,
                                 const char *order, int size, size_t bytes, bool noncommutative)
{
    napcoll_node_map_t *map = placement(ppn, order, size);
    napcoll_call_t call = {.collective = &napcoll_allreduce,
                           .map = map,
                           .bytes = bytes,
                           .noncommutative = noncommutative};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

/* Every reason for which an algorithm is not eligible has a counter; some reasons have none. */
static void reasons_of_algorithms_are_those_of_their_collectives(void **state)
{
    static const char *const nodes[][2] = {{"3,2", "cyclic"}, {"1", "block"}, {"4", "block"}};

    (void) state;
    for (int i = 0; i < 3 * 8; i++) {
        napcoll_node_map_t *map = placement(nodes[i / 8][0], nodes[i / 8][1], i % 2 ? 7 : 8);

        for (int c = 0; NULL != napcoll_collectives[c]; c++) {
            const napcoll_collective_t *collective = napcoll_collectives[c];
            const bool reduces = napcoll_goal_reduces(collective->goal);
            const napcoll_params_t params = {.noncommutative = reduces && 0 != (i & 2),
                                             .reproducible = reduces && 0 != (i & 4)};

            for (int row = 0; row < collective->algorithms; row++) {
                const napcoll_reason_t reason = napcoll_algorithm_eligible(
                    &collective->algorithm[row], map, &params);

                assert_true(
                    NAPCOLL_REASON_NONE == reason
                    || napcoll_collective_has_reason(collective, NAPCOLL_KIND_BLOCKING, reason));
            }
        }
        napcoll_node_map_free(map);
    }
    assert_false(napcoll_collective_has_reason(&napcoll_barrier, NAPCOLL_KIND_BLOCKING,
                                               NAPCOLL_REASON_NONCOMMUTATIVE));
    assert_false(napcoll_collective_has_reason(&napcoll_allreduce, NAPCOLL_KIND_BLOCKING,
                                               NAPCOLL_REASON_MEMORY));
}

/* MPI's keys have an end; every collective's own fits. */
static void info_keys_are_short_enough(void **state)
{
    enum { LIMIT = 36 };
    char key[LIMIT + 1];

    (void) state;
    napcoll_collective_info_key(&napcoll_allreduce, key, LIMIT);
    assert_string_equal(key, "napcoll_allreduce_algorithm");
    napcoll_collective_info_key(napcoll_collective_find("reduce_scatter_block"), key, LIMIT);
    assert_string_equal(key, "napcoll_reduce_scatter_block");
    for (int c = 0; NULL != napcoll_collectives[c]; c++) {
        napcoll_collective_info_key(napcoll_collectives[c], key, LIMIT);
        assert_true(strlen(key) < LIMIT);
        for (int other = 0; other < c; other++) {
            char its[LIMIT + 1];

            napcoll_collective_info_key(napcoll_collectives[other], its, LIMIT);
            assert_string_not_equal(key, its);
        }
    }
}

/* The first tunable's values on a placement, as "2 4 6". */
static void assert_values(const napcoll_algorithm_t *algorithm, const char *ppn, int size,
                          const char *expected)
{
    napcoll_node_map_t *map = placement(ppn, "block", size);
    int value[NAPCOLL_MOST_VALUES];
    const int count = napcoll_select_values(algorithm, map, value);
    char text[256] = "";

    for (int v = 0; v < count; v++) {
        const size_t at = strlen(text);

        (void) snprintf(text + at, sizeof(text) - at, "%s%d", v > 0 ? " " : "", value[v]);
    }
    assert_string_equal(text, expected);
    napcoll_node_map_free(map);
}

static void radixes_are_tried_as_far_as_they_are_needed(void **state)
{
    const napcoll_algorithm_t *tuna = &napcoll_alltoall.algorithm[NAPCOLL_ALLTOALL_TUNA];

    (void) state;
    assert_values(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_SMP], "2", 16, "2 4 8");
    assert_values(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_SMP], "2", 12, "2 4 6");
    assert_values(&napcoll_allreduce.algorithm[NAPCOLL_ALLREDUCE_SMP], "1", 100, "2 4 8 16");
    assert_values(tuna, "2", 10, "2 4 8 10");
    assert_values(&napcoll_alltoall.algorithm[NAPCOLL_ALLTOALL_TUNA_COALESCED], "3", 12, "2 3");
}

static void all_choices_are_tried(void **state)
{
    (void) state;
    assert_values(&napcoll_bcast.algorithm[NAPCOLL_BCAST_TWO_LEVEL], "2", 8, "1 2 3 4 5 6");
    assert_values(&napcoll_bcast.algorithm[NAPCOLL_BCAST_FLAT], "2", 8, "");
    /* segments */
    assert_values(&napcoll_bcast.algorithm[NAPCOLL_BCAST_CHAIN], "2", 8, "");
}

/* Where messages inside a node are estimated to cost next to nothing beside those between nodes,
 * the fan-out that is set stays; where it keeps a process busy for long, phases of two gain more
 * than enough. */
static void auto_departs_from_the_radix_that_is_set_where_that_gains(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_settings_t settings = defaults();
    napcoll_decision_t decision;

    (void) state;
    settings.machine = &machine;
    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
            machine.link[level][p].latency_us = NAPCOLL_LEVEL_NETWORK == level ? 200 : 0.1;
        }
    }
    machine.process_overhead_us = 0.05;
    decision = decide(&settings, "16", "block", 128, 8, false);
    assert_true(napcoll_allreduce.algorithm[decision.algorithm].radix);
    assert_int_equal(decision.params.local_radix, 8);
    settings.local_radix = 4;
    assert_int_equal(decide(&settings, "16", "block", 128, 8, false).params.local_radix, 4);

    for (int level = 0; level < NAPCOLL_LEVELS; level++) {
        for (int p = 0; NAPCOLL_LEVEL_NETWORK != level && p < NAPCOLL_PROTOCOLS; p++) {
            machine.link[level][p].latency_us = 20;
        }
    }
    machine.process_overhead_us = 10;
    settings.local_radix = 8;
    decision = decide(&settings, "16", "block", 128, 8, false);
    assert_true(napcoll_allreduce.algorithm[decision.algorithm].radix);
    assert_int_equal(decision.params.local_radix, 2);
}

/* On nodes of many processes one step of messages from all to all is best where messages keep a
 * process busy for almost no time, through node memory, too; on nodes of few the radix stays. */
static void auto_finds_the_radix_of_nodes_of_many_processes(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_settings_t settings = defaults();

    (void) state;
    settings.machine = &machine;
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        machine.link[NAPCOLL_LEVEL_NODE][p] = (napcoll_link_t){.latency_us = 10};
        machine.link[NAPCOLL_LEVEL_NETWORK][p].latency_us = 100;
    }
    machine.process_overhead_us = machine.process_gap_us = 0.001;
    assert_int_equal(decide(&settings, "32", "block", 128, 8, false).params.local_radix, 32);
    assert_int_equal(decide(&settings, "8", "block", 128, 8, false).params.local_radix, 8);
    machine.process_overhead_us = 5;
    settings.node_memory = true;
    assert_int_equal(decide(&settings, "32", "block", 128, 8, false).params.local_radix, 2);
    machine.node_memory.latency_us = 10;
    machine.process_overhead_us = 0.001;
    for (int p = 0; p < NAPCOLL_PROTOCOLS; p++) {
        machine.link[NAPCOLL_LEVEL_NODE][p].latency_us = 0.002;
    }
    assert_int_equal(decide(&settings, "32", "block", 128, 8, false).params.local_radix, 32);
    /* a communicator without node memory has only the PML's messages */
    settings.node_memory = false;
    assert_int_not_equal(decide(&settings, "32", "block", 128, 8, false).params.local_radix, 32);
}

static void auto_takes_nap_for_small_vectors_and_lanes_for_large_ones(void **state)
{
    static const struct {
        const char *ppn;
        int size;
    } cases[] = {{"8", 64}, {"4", 64}, {"16", 256}, {"16", 1024}, {"12", 144}, {"6", 36}};
    const napcoll_settings_t settings = defaults();

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const napcoll_decision_t small = decide(&settings, cases[c].ppn, "block", cases[c].size, 8,
                                                false);
        const napcoll_decision_t large = decide(&settings, cases[c].ppn, "block", cases[c].size,
                                                (size_t) 8 << 20, false);

        assert_int_equal(small.algorithm, NAPCOLL_ALLREDUCE_NAP);
        assert_true(small.cost_us > 0);
        assert_int_equal(small.params.segments, 1);
        /* halving, neighbours first, moves as little between nodes that are full powers of two,
         * and a Bine butterfly hardly more between others */
        assert_true(NAPCOLL_ALLREDUCE_LANE == large.algorithm
                    || NAPCOLL_ALLREDUCE_BINE == large.algorithm
                    || (NAPCOLL_ALLREDUCE_RABENSEIFNER == large.algorithm
                        && 0 == (cases[c].size & (cases[c].size - 1))));
        assert_int_equal(large.params.segments,
                         NAPCOLL_ALLREDUCE_LANE == large.algorithm ? NAPCOLL_MOST_SEGMENTS : 1);
        assert_true(large.cost_us > small.cost_us);
    }
}

/* Leaders send to several others at once where messages are cheap and steps are not, unless a radix
 * is set. The same holds where smp is forced. */
static void the_radix_among_leaders_is_estimated(void **state)
{
    napcoll_machine_t machine = napcoll_machine_default;
    napcoll_settings_t settings = defaults();
    napcoll_decision_t d;

    (void) state;
    settings.machine = &machine;
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    machine.process_gap_us = 0;
    for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
        machine.link[NAPCOLL_LEVEL_NETWORK][protocol].latency_us = 1000;
    }
    d = decide(&settings, "4", "block", 32, 8, false);
    assert_int_equal(d.params.tunable[0], 8);
    assert_true(d.cost_us > 1000 && d.cost_us < 2000);
    assert_int_equal(decide(&settings, "4", "block", 20, 8, false).params.tunable[0], 5);
    assert_int_equal(decide(&settings, "4", "block", 64, 8, false).params.tunable[0], 16);
    settings.force = NAPCOLL_FORCE_AUTO;
    assert_true(decide(&settings, "4", "block", 32, 8, false).cost_us <= d.cost_us);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    settings.tunable[NAPCOLL_ALLREDUCE_SMP][0] = 3;
    assert_int_equal(decide(&settings, "4", "block", 32, 8, false).params.tunable[0], 3);
    settings.tunable[NAPCOLL_ALLREDUCE_SMP][0] = 0;
    machine.process_gap_us = 1000;
    assert_int_equal(decide(&settings, "4", "block", 32, 8, false).params.tunable[0], 2);
}

static napcoll_decision_t decide_alltoall(const napcoll_settings_t *settings, const char *ppn,
                                          int size, size_t bytes)
{
    napcoll_node_map_t *map = placement(ppn, "block", size);
    const napcoll_call_t call = {.collective = &napcoll_alltoallv, .map = map, .bytes = bytes};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

/* TuNA's radix grows with the blocks: from few messages that carry blocks along to one for each. On
 * nodes of one process, where other collectives stand back, it serves as well. */
static void the_radix_of_an_alltoall_grows_with_its_blocks(void **state)
{
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_alltoallv);
    napcoll_machine_t machine = napcoll_machine_default;
    int radix = 2;

    (void) state;
    settings.machine = &machine;
    /* messages cost, steps hardly do */
    machine.node_gap_us = machine.process_gap_us = 20;
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLTOALL_TUNA;
    for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
        const napcoll_decision_t d = decide_alltoall(&settings, "8", 64, bytes);

        assert_in_range(d.params.tunable[0], radix, 64);
        radix = d.params.tunable[0];
    }
    assert_int_equal(radix, 64);
    settings.tunable[NAPCOLL_ALLTOALL_TUNA][0] = 5;
    assert_int_equal(decide_alltoall(&settings, "8", 64, 8).params.tunable[0], 5);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLTOALL_TUNA_COALESCED;
    assert_in_range(decide_alltoall(&settings, "8", 64, 8).params.tunable[0], 2, 8);
    assert_in_range(decide_alltoall(&settings, "8,4", 64, 8).params.tunable[0], 2, 8);
    settings = napcoll_select_defaults(&napcoll_alltoallv);
    settings.machine = &machine;
    assert_int_equal(decide_alltoall(&settings, "1", 16, 8).algorithm, NAPCOLL_ALLTOALL_TUNA);
    assert_int_equal(decide_alltoall(&settings, "16", 16, 8).reason, NAPCOLL_REASON_ONE_NODE);
}

/* With node memory one node is served. Where its processes share processors the fewest steps are
 * best. */
static void one_node_is_served_with_node_memory(void **state)
{
    napcoll_settings_t settings = defaults();
    napcoll_decision_t free_cores, shared_cores;

    (void) state;
    settings.unmeasured = true;
    assert_int_equal(decide(&settings, "8", "block", 8, 8, false).reason, NAPCOLL_REASON_ONE_NODE);
    settings.node_memory = true;
    settings.processors = 8;
    free_cores = decide(&settings, "8", "block", 8, 8, false);
    settings.processors = 2;
    shared_cores = decide(&settings, "8", "block", 8, 8, false);
    assert_true(free_cores.algorithm >= 0 && free_cores.algorithm != NAPCOLL_ALLREDUCE_SMP);
    /* the same plans on one node */
    assert_true(NAPCOLL_ALLREDUCE_SMP == shared_cores.algorithm
                || NAPCOLL_ALLREDUCE_NAP == shared_cores.algorithm);
}

/* Reductions and broadcasts of any size, and blocks that only move up to a limit. */
static void one_node_is_served_up_to_a_size(void **state)
{
    (void) state;
    assert_true(napcoll_select_most_on_one_node(NAPCOLL_GOAL_BCAST, false) == SIZE_MAX);
    assert_int_equal(napcoll_select_most_on_one_node(NAPCOLL_GOAL_SCAN, false), 16384);
    assert_int_equal(napcoll_select_most_on_one_node(NAPCOLL_GOAL_ALLTOALL, true), 16384);
    assert_int_equal(napcoll_select_most_on_one_node(NAPCOLL_GOAL_ALLTOALL, false), 8192);
}

/* A late process delays all of a pairwise exchange, of which the model knows nothing. */
static void lockstep_must_gain_a_tenth(void **state)
{
    static const double latency_us[] = {1, 30, 300, 1000, 3000, 10000};
    napcoll_settings_t settings = napcoll_select_defaults(&napcoll_alltoallv);
    napcoll_machine_t machine = napcoll_machine_default;
    int taken = 0, refused = 0;

    (void) state;
    settings.machine = &machine;
    for (size_t i = 0; i < sizeof(latency_us) / sizeof(*latency_us); i++) {
        napcoll_decision_t d;
        double pairwise_us;

        for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
            machine.link[NAPCOLL_LEVEL_NETWORK][protocol].latency_us = latency_us[i];
        }
        d = decide_alltoall(&settings, "8", 64, 1048576);
        assert_true(d.algorithm >= 0);
        pairwise_us = d.candidate[NAPCOLL_ALLTOALL_PAIRWISE].cost_us;
        if (NAPCOLL_ALLTOALL_PAIRWISE == d.algorithm) {
            const double linear_us = d.candidate[NAPCOLL_ALLTOALL_LINEAR].cost_us;

            assert_true(pairwise_us <= d.cost_us && pairwise_us <= 0.9 * linear_us);
            taken++;
        } else if (NAPCOLL_EVALUATION_ESTIMATED
                   == d.candidate[NAPCOLL_ALLTOALL_PAIRWISE].evaluation) {
            assert_true(pairwise_us > 0.9 * d.cost_us && pairwise_us < d.cost_us);
            assert_int_equal(d.algorithm, NAPCOLL_ALLTOALL_LINEAR);
            refused++;
        }
    }
    assert_true(taken > 0 && refused > 0);
}

static void decisions_hold_for_sizes_up_to_a_power_of_two(void **state)
{
    static const struct {
        size_t bytes, least, most;
    } cases[] = {{0, 0, 8},
                 {8, 0, 8},
                 {9, 9, 16},
                 {16, 9, 16},
                 {2048, 1025, 2048},
                 {2049, 2049, 4096},
                 {SIZE_MAX, SIZE_MAX / 2 + 2, SIZE_MAX}};
    napcoll_settings_t settings = defaults();

    (void) state;
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        napcoll_decision_t d = decide(&settings, "4", "block", 16, cases[c].bytes, false);

        assert_true(cases[c].least == d.least);
        assert_true(cases[c].most == d.most);
    }
}

/* A node's own view, of its cores and of how they lie, changes nothing but the shape of its phases.
 * */
static void all_nodes_decide_alike(void **state)
{
    const napcoll_settings_t settings = defaults();
    napcoll_node_map_t *map = placement("8", "block", 64);

    (void) state;
    for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 8) {
        const napcoll_call_t call = {.collective = &napcoll_allreduce, .map = map, .bytes = bytes};
        napcoll_decision_t quiet, oversubscribed;

        map->oversubscribed = false;
        assert_int_equal(napcoll_select(&settings, &call, &quiet), 0);
        map->oversubscribed = true;
        assert_int_equal(napcoll_select(&settings, &call, &oversubscribed), 0);
        assert_false(quiet.params.local_tree);
        assert_true(oversubscribed.params.local_tree);
        oversubscribed.params.local_tree = false;
        assert_int_equal(quiet.algorithm, oversubscribed.algorithm);
        assert_memory_equal(&quiet.params, &oversubscribed.params, sizeof(quiet.params));
    }
    napcoll_node_map_free(map);
}

static void single_processes_per_node_fall_back(void **state)
{
    napcoll_settings_t forced = defaults();
    napcoll_decision_t d = decide(&forced, "1", "block", 16, 8, false);

    (void) state;
    assert_int_equal(d.algorithm, -1);
    assert_int_equal(d.reason, NAPCOLL_REASON_PPN);
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&forced, "1", "block", 16, 8, false).reason, NAPCOLL_REASON_PPN);
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    assert_int_equal(decide(&forced, "1", "block", 16, 8, false).algorithm, NAPCOLL_ALLREDUCE_SMP);
}

static void noncommutative_ops_are_kept_in_order(void **state)
{
    napcoll_settings_t settings = defaults();
    napcoll_decision_t d = decide(&settings, "8", "block", 64, 8, true);

    (void) state;
    assert_int_equal(d.algorithm, NAPCOLL_ALLREDUCE_NAP);
    assert_true(d.params.noncommutative);
    d = decide(&settings, "4", "cyclic", 32, 8, true);
    assert_true(d.algorithm >= 0 && napcoll_allreduce.algorithm[d.algorithm].canonical);
    d = decide(&settings, "4", "block", 32, (size_t) 4 << 20, true);
    assert_int_equal(d.algorithm, NAPCOLL_ALLREDUCE_RABENSEIFNER);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    assert_int_equal(decide(&settings, "4", "cyclic", 32, 8, true).reason,
                     NAPCOLL_REASON_NONCOMMUTATIVE);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_LANE;
    assert_int_equal(decide(&settings, "4", "block", 32, 8, true).reason,
                     NAPCOLL_REASON_NONCOMMUTATIVE);
}

static void reproducible_sums_are_reduced_by_halves(void **state)
{
    napcoll_settings_t settings = defaults();

    (void) state;
    settings.reproducible = true;
    for (size_t bytes = 8; bytes <= 4 << 20; bytes *= 16) {
        static const char *const orders[] = {"block", "cyclic"};

        for (int i = 0; i < 2; i++) {
            napcoll_decision_t d = decide(&settings, "4", orders[i], 32, bytes, false);

            assert_true(d.algorithm >= 0 && napcoll_allreduce.algorithm[d.algorithm].canonical);
        }
    }
    assert_true(decide(&settings, "1", "block", 8, 8, false).algorithm >= 0);
    assert_true(decide(&settings, "8", "block", 8, 8, false).algorithm >= 0);
    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&settings, "4", "block", 32, 8, false).reason,
                     NAPCOLL_REASON_REPRODUCIBLE);
}

static void forced_algorithms_do_any_size(void **state)
{
    napcoll_settings_t forced = defaults();

    (void) state;
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).algorithm,
                     NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).params.local_radix,
                     2);
    forced.force = NAPCOLL_FORCE_FALLBACK;
    assert_int_equal(decide(&forced, "4", "block", 32, 8, false).reason, NAPCOLL_REASON_FALLBACK);
}

static void segments_are_of_the_size_that_is_set(void **state)
{
    napcoll_settings_t forced = defaults();

    (void) state;
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_LANE;
    forced.segment_bytes = 1 << 16;
    assert_int_equal(decide(&forced, "4", "block", 32, 1 << 16, false).params.segments, 1);
    assert_int_equal(decide(&forced, "4", "block", 32, 1 << 18, false).params.segments, 4);
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).params.segments,
                     NAPCOLL_MOST_SEGMENTS);
    forced.segment_bytes = 0;
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).params.segments, 1);
    forced.segment_bytes = 1 << 16;
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    assert_int_equal(decide(&forced, "4", "block", 32, (size_t) 1 << 33, false).params.segments, 1);
}

static void nap_lanes_balance_levels_and_lanes_per_process(void **state)
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

/* The decision has a reason even if auto tries none of the eligible rows on that many ranks:
 * fallbacks are counted by reason. */
static void a_fallback_without_tried_rows_has_a_reason(void **state)
{
    const napcoll_collective_t straight = {.name = napcoll_alltoall.name,
                                           .goal = napcoll_alltoall.goal,
                                           .everywhere = napcoll_alltoall.everywhere,
                                           .algorithm = napcoll_alltoall.algorithm,
                                           .algorithms = NAPCOLL_ALLTOALL_PAIRWISE + 1};
    napcoll_settings_t settings = napcoll_select_defaults(&straight);

    (void) state;
    settings.machine = &napcoll_machine_default;
    for (int nodes = 500; nodes <= 600; nodes += 100) {
        napcoll_node_map_t *map = placement("2", "block", 2 * nodes);
        const napcoll_call_t call = {.collective = &straight, .map = map, .bytes = 8};
        napcoll_decision_t decision;

        assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
        if (2 * nodes > 1024) {
            assert_int_equal(decision.algorithm, -1);
            assert_int_equal(decision.reason, NAPCOLL_REASON_STRUCTURE);
            assert_int_equal(decision.candidate[0].evaluation, NAPCOLL_EVALUATION_LINEAR);
        } else {
            assert_true(decision.algorithm >= 0);
            assert_int_equal(decision.reason, NAPCOLL_REASON_NONE);
        }
        napcoll_node_map_free(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fallback_without_tried_rows_has_a_reason),
        cmocka_unit_test(reasons_of_algorithms_are_those_of_their_collectives),
        cmocka_unit_test(info_keys_are_short_enough),
        cmocka_unit_test(auto_departs_from_the_radix_that_is_set_where_that_gains),
        cmocka_unit_test(auto_finds_the_radix_of_nodes_of_many_processes),
        cmocka_unit_test(auto_takes_nap_for_small_vectors_and_lanes_for_large_ones),
        cmocka_unit_test(the_radix_among_leaders_is_estimated),
        cmocka_unit_test(the_radix_of_an_alltoall_grows_with_its_blocks),
        cmocka_unit_test(one_node_is_served_with_node_memory),
        cmocka_unit_test(one_node_is_served_up_to_a_size),
        cmocka_unit_test(lockstep_must_gain_a_tenth),
        cmocka_unit_test(decisions_hold_for_sizes_up_to_a_power_of_two),
        cmocka_unit_test(all_nodes_decide_alike),
        cmocka_unit_test(single_processes_per_node_fall_back),
        cmocka_unit_test(noncommutative_ops_are_kept_in_order),
        cmocka_unit_test(reproducible_sums_are_reduced_by_halves),
        cmocka_unit_test(forced_algorithms_do_any_size),
        cmocka_unit_test(segments_are_of_the_size_that_is_set),
        cmocka_unit_test(nap_lanes_balance_levels_and_lanes_per_process),
        cmocka_unit_test(reasons_have_names_and_sentences),
        cmocka_unit_test(radixes_are_tried_as_far_as_they_are_needed),
        cmocka_unit_test(all_choices_are_tried),
    };
    return cmocka_run_group_tests_name("selection", tests, NULL, NULL);
}
