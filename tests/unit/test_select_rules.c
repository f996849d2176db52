/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection with rules: between what users force and the model, exactly on the sizes that they
 * name.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_generators.h"
#include "common/napcoll_rule_write.h"
#include "select/napcoll_select.h"

static napcoll_rules_t *read_all(const char *text)
{
    napcoll_rules_error_t error = {0};
    napcoll_rules_t *rules = NULL;

    if (0 != napcoll_rules_parse(text, strlen(text), &rules, &error)) {
        fail_msg("line %d, column %d: %s", error.line, error.column, error.text);
    }
    return rules;
}

static napcoll_settings_t settings_with(const napcoll_collective_t *collective,
                                        const napcoll_rules_t *rules)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    settings.rules = rules;
    return settings;
}

static napcoll_decision_t ask(const napcoll_collective_t *collective,
                              const napcoll_settings_t *settings, size_t bytes, bool noncommutative)
{
    napcoll_node_map_t *map = placement("4", "block", 16);
    const napcoll_call_t call = {
        .collective = collective, .map = map, .bytes = bytes, .noncommutative = noncommutative};
    napcoll_decision_t decision;

    assert_int_equal(napcoll_select(settings, &call, &decision), 0);
    assert_true(decision.least <= bytes && bytes <= decision.most);
    napcoll_node_map_free(map);
    return decision;
}

static void rules_come_behind_what_is_forced_and_before_the_model(void **state)
{
    napcoll_rules_t *rules = read_all(
        "allreduce bytes=..100 -> tree\nallreduce bytes=..200 -> fallback\n"
        "allreduce bytes=..300 -> auto\n");
    napcoll_settings_t settings = settings_with(&napcoll_allreduce, rules);
    const napcoll_settings_t plain = settings_with(&napcoll_allreduce, NULL);
    napcoll_decision_t decision = ask(&napcoll_allreduce, &settings, 8, false);

    (void) state;
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_TREE);
    assert_int_equal(decision.rule, 1);
    decision = ask(&napcoll_allreduce, &settings, 200, false);
    assert_int_equal(decision.algorithm, -1);
    assert_int_equal(decision.reason, NAPCOLL_REASON_RULES);
    assert_int_equal(decision.rule, 2);
    decision = ask(&napcoll_allreduce, &settings, 256, false);
    assert_int_equal(decision.algorithm, ask(&napcoll_allreduce, &plain, 256, false).algorithm);
    assert_int_equal(decision.rule, 3);
    decision = ask(&napcoll_allreduce, &settings, 400, false);
    assert_int_equal(decision.algorithm, ask(&napcoll_allreduce, &plain, 400, false).algorithm);
    assert_int_equal(decision.rule, 0);
    assert_true(decision.cost_us > 0);

    settings.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_NAP;
    decision = ask(&napcoll_allreduce, &settings, 8, false);
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_NAP);
    assert_int_equal(decision.rule, 0);
    settings.force = NAPCOLL_FORCE_FALLBACK;
    assert_int_equal(ask(&napcoll_allreduce, &settings, 8, false).reason, NAPCOLL_REASON_FALLBACK);
    napcoll_rules_free(rules);
}

/* Within one power of two there may be several rules, and what is between them is the model's. */
static void a_decision_never_crosses_the_bounds_of_a_rule(void **state)
{
    napcoll_rules_t *rules = read_all(
        "allreduce bytes=5000..6000 -> tree\nallreduce bytes=6001..6002 -> smp\n");
    const napcoll_settings_t settings = settings_with(&napcoll_allreduce, rules);
    static const struct {
        size_t bytes, least, most;
        int rule;
    } cases[] = {{4096, 2049, 4096, 0}, {4097, 4097, 4999, 0}, {4999, 4097, 4999, 0},
                 {5000, 5000, 6000, 1}, {6000, 5000, 6000, 1}, {6001, 6001, 6002, 2},
                 {6002, 6001, 6002, 2}, {6003, 6003, 8192, 0}, {8193, 8193, 16384, 0}};

    (void) state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        const napcoll_decision_t decision = ask(&napcoll_allreduce, &settings, cases[c].bytes,
                                                false);

        assert_int_equal(decision.rule, cases[c].rule);
        assert_true(decision.least == cases[c].least && decision.most == cases[c].most);
    }
    napcoll_rules_free(rules);
}

static void what_a_rule_leaves_open_the_model_chooses(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce bytes=..64 -> smp radix=3 local_radix=5\n"
                                      "allreduce bytes=..128 -> smp\n"
                                      "allreduce bytes=128K.. -> ring segments=3\n"
                                      "bcast bytes=1M.. -> chain segments=6\n"
                                      "bcast -> chain\n"
                                      "gather bytes=..20000 -> credit piece_bytes=3000\n"
                                      "alltoall -> tuna\n");
    napcoll_settings_t settings = settings_with(&napcoll_allreduce, rules);
    napcoll_settings_t forced = settings_with(&napcoll_allreduce, NULL);
    napcoll_decision_t decision = ask(&napcoll_allreduce, &settings, 64, false);

    (void) state;
    /* the rule's word is before the parameter's */
    settings.tunable[NAPCOLL_ALLREDUCE_SMP][0] = 7;
    decision = ask(&napcoll_allreduce, &settings, 64, false);
    assert_int_equal(decision.params.tunable[0], 3);
    assert_int_equal(decision.params.local_radix, 5);
    assert_int_equal(ask(&napcoll_allreduce, &settings, 65, false).params.tunable[0], 7);
    settings.tunable[NAPCOLL_ALLREDUCE_SMP][0] = 0;
    forced.force = NAPCOLL_FORCE_FIRST + NAPCOLL_ALLREDUCE_SMP;
    assert_int_equal(ask(&napcoll_allreduce, &settings, 65, false).params.tunable[0],
                     ask(&napcoll_allreduce, &forced, 65, false).params.tunable[0]);
    assert_int_equal(ask(&napcoll_allreduce, &settings, 1 << 20, false).params.segments, 3);
    settings = settings_with(&napcoll_bcast, rules);
    decision = ask(&napcoll_bcast, &settings, 1 << 20, false);
    assert_int_equal(decision.params.segments, 6);
    forced = settings_with(&napcoll_bcast, NULL);
    forced.force = NAPCOLL_FORCE_FIRST + decision.algorithm;
    assert_int_equal(ask(&napcoll_bcast, &settings, 1 << 18, false).params.segments,
                     ask(&napcoll_bcast, &forced, 1 << 18, false).params.segments);
    settings = settings_with(&napcoll_gather, rules);
    decision = ask(&napcoll_gather, &settings, 20000, false);
    assert_int_equal(decision.algorithm, NAPCOLL_GATHER_CREDIT);
    assert_int_equal(decision.params.segments, 7);
    /* where pieces are seven */
    assert_int_equal(decision.least, 18001);
    /* where the rule ends */
    assert_int_equal(decision.most, 20000);
    settings = settings_with(&napcoll_alltoall, rules);
    decision = ask(&napcoll_alltoall, &settings, 8, false);
    assert_int_equal(decision.algorithm, NAPCOLL_ALLTOALL_TUNA);
    assert_true(decision.params.tunable[0] >= 2 && decision.cost_us > 0);
    napcoll_rules_free(rules);
}

/* What a communicator asks for with an algorithm: before the parameters, and before what the model
 * would choose. */
static void tunables_that_are_asked_for_are_taken(void **state)
{
    napcoll_settings_t settings = settings_with(&napcoll_allreduce, NULL);
    napcoll_rules_error_t error;
    napcoll_decision_t decision;
    napcoll_node_map_t *map = placement("4", "block", 16);
    const napcoll_call_t call = {.collective = &napcoll_allreduce, .map = map, .bytes = 64};
    napcoll_rule_t asked;

    (void) state;
    settings.tunable[NAPCOLL_ALLREDUCE_SMP][0] = 7;
    assert_int_equal(
        napcoll_rules_parse_action(&napcoll_allreduce, "smp local_radix=5", &asked, &error), 0);
    settings.force = napcoll_select_force(&asked);
    settings.asked = &asked;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_SMP);
    assert_int_equal(decision.params.local_radix, 5);
    assert_int_equal(decision.params.tunable[0], 7);
    assert_int_equal(decision.rule, 0);

    /* other words for the same algorithm, and none */
    assert_int_equal(napcoll_rules_parse_action(&napcoll_allreduce, "smp radix=3", &asked, &error),
                     0);
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.params.local_radix, settings.local_radix);
    assert_int_equal(decision.params.tunable[0], 3);
    settings.asked = NULL;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.params.tunable[0], 7);
    napcoll_node_map_free(map);
}

/* A decision that a rule pins is the same on a machine of which the model thinks otherwise. */
static void pinned_decisions_come_again(void **state)
{
    const napcoll_collective_t *const collectives[] = {&napcoll_allreduce, &napcoll_bcast,
                                                       &napcoll_alltoall, &napcoll_gather};
    static const size_t sizes[] = {8, 4096, 1 << 20};
    napcoll_machine_t other = napcoll_machine_default;
    napcoll_node_map_t *map = placement("4", "block", 16);
    int pinned = 0;

    (void) state;
    other.node_gap_us = 500;
    other.process_gap_us = 100;
    other.reduce_ns_per_byte = 50;
    for (size_t c = 0; c < sizeof(collectives) / sizeof(*collectives); c++) {
        const napcoll_collective_t *collective = collectives[c];

        for (int at = 0; at < 3 * collective->algorithms; at++) {
            napcoll_settings_t settings = settings_with(collective, NULL);
            const napcoll_call_t call = {
                .collective = collective, .map = map, .bytes = sizes[at % 3]};
            napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_AUTO);
            napcoll_decision_t first, second;

            settings.force = NAPCOLL_FORCE_FIRST + at / 3;
            assert_int_equal(napcoll_select(&settings, &call, &first), 0);
            if (first.algorithm < 0) {
                continue;
            }
            napcoll_rule_pin(&rule, first.algorithm, &first.params);
            settings.asked = &rule;
            settings.machine = &other;
            assert_int_equal(napcoll_select(&settings, &call, &second), 0);
            assert_int_equal(second.algorithm, first.algorithm);
            assert_int_equal(second.params.segments, first.params.segments);
            assert_int_equal(second.params.local_radix, first.params.local_radix);
            for (int t = 0; NULL != collective->algorithm[at / 3].tunable[t].name; t++) {
                if (NAPCOLL_TUNES_SEGMENTS != collective->algorithm[at / 3].tunable[t].tunes) {
                    assert_int_equal(second.params.tunable[t], first.params.tunable[t]);
                }
            }
            pinned++;
        }
    }
    assert_true(pinned > 50);
    napcoll_node_map_free(map);
}

static void rules_that_cannot_be_obeyed_leave_it_to_the_next(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce -> ring\nallreduce bytes=..64 -> tree\n");
    const napcoll_settings_t settings = settings_with(&napcoll_allreduce, rules);
    napcoll_decision_t decision = ask(&napcoll_allreduce, &settings, 8, true);

    (void) state;
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_TREE);
    assert_int_equal(decision.rule, 2);
    assert_int_equal(decision.passed, 1);
    assert_int_equal(decision.passed_reason, NAPCOLL_REASON_NONCOMMUTATIVE);
    decision = ask(&napcoll_allreduce, &settings, 100, true);
    assert_int_equal(decision.rule, 0);
    assert_int_equal(decision.passed, 1);
    assert_true(decision.algorithm >= 0 && decision.algorithm != NAPCOLL_ALLREDUCE_RING);
    decision = ask(&napcoll_allreduce, &settings, 100, false);
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_RING);
    assert_int_equal(decision.passed, 0);
    napcoll_rules_free(rules);
}

/* Rules may name what auto would leave alone. */
static void rules_serve_one_node_as_well(void **state)
{
    napcoll_rules_t *rules = read_all("allreduce nodes=1 bytes=..64 -> recursive_doubling\n");
    const napcoll_settings_t settings = settings_with(&napcoll_allreduce, rules);
    napcoll_node_map_t *map = placement("4", "block", 4);
    napcoll_call_t call = {.collective = &napcoll_allreduce, .map = map, .bytes = 64};
    napcoll_decision_t decision;

    (void) state;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.algorithm, NAPCOLL_ALLREDUCE_RECURSIVE_DOUBLING);
    call.bytes = 65;
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    assert_int_equal(decision.reason, NAPCOLL_REASON_ONE_NODE);
    napcoll_node_map_free(map);
    napcoll_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_come_behind_what_is_forced_and_before_the_model),
        cmocka_unit_test(a_decision_never_crosses_the_bounds_of_a_rule),
        cmocka_unit_test(what_a_rule_leaves_open_the_model_chooses),
        cmocka_unit_test(tunables_that_are_asked_for_are_taken),
        cmocka_unit_test(pinned_decisions_come_again),
        cmocka_unit_test(rules_that_cannot_be_obeyed_leave_it_to_the_next),
        cmocka_unit_test(rules_serve_one_node_as_well),
    };
    return cmocka_run_group_tests_name("selection with rules", tests, NULL, NULL);
}
