/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Recalled decisions: those that the selection takes, whatever was asked before.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "algo/napcoll_algo.h"
#include "select/napcoll_recall.h"

static napcoll_settings_t settings_of(const napcoll_collective_t *collective, int force)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);

    settings.machine = &napcoll_machine_default;
    settings.force = force;
    return settings;
}

/* Ask, and compare with the selection itself. Returns how many decisions were added. */
static int ask(napcoll_recall_t *recall, const napcoll_collective_t *collective, int force,
               napcoll_question_t question)
{
    const napcoll_settings_t settings = settings_of(collective, force);
    const int before = recall->entries;
    napcoll_decision_t recalled, fresh;

    memset(&recalled, 0xff, sizeof(recalled));
    assert_int_equal(napcoll_recall_select(recall, collective, &settings, &question, &recalled), 0);
    assert_int_equal(napcoll_select(collective, &settings, &question, &fresh), 0);
    assert_int_equal(recalled.algorithm, fresh.algorithm);
    assert_int_equal(recalled.reason, fresh.reason);
    assert_true(recalled.least == fresh.least && recalled.most == fresh.most);
    assert_true(recalled.cost_us >= fresh.cost_us && recalled.cost_us <= fresh.cost_us);
    assert_true(recalled.params.in_place == fresh.params.in_place);
    assert_true(recalled.params.noncommutative == fresh.params.noncommutative);
    assert_true(recalled.params.local_tree == fresh.params.local_tree);
    assert_int_equal(recalled.params.root, fresh.params.root);
    assert_int_equal(recalled.params.segments, fresh.params.segments);
    assert_int_equal(recalled.params.local_radix, fresh.params.local_radix);
    assert_int_equal(recalled.params.tunable[0], fresh.params.tunable[0]);
    return recall->entries - before;
}

static void alike_communicators_share_decisions(void **state)
{
    napcoll_recall_t *recall = calloc(1, sizeof(*recall));
    napcoll_node_map_t *one = placement("4", "block", 16), *two = placement("4", "block", 16);

    (void) state;
    assert_non_null(recall);
    assert_int_equal(ask(recall, &napcoll_allreduce, 0, (napcoll_question_t){one, .bytes = 9}), 1);
    assert_int_equal(ask(recall, &napcoll_allreduce, 0, (napcoll_question_t){two, .bytes = 16}), 0);
    assert_int_equal(ask(recall, &napcoll_allreduce, 0, (napcoll_question_t){two, .bytes = 17}), 1);
    napcoll_node_map_free(one);
    napcoll_node_map_free(two);
    free(recall);
}

/* One question after the other that differs from the first in one thing. */
static void all_that_a_decision_rests_on_keeps_questions_apart(void **state)
{
    napcoll_recall_t *recall = calloc(1, sizeof(*recall));
    napcoll_node_map_t *block = placement("4", "block", 16), *other = placement("4", "cyclic", 16);
    napcoll_question_t question = {.map = block, .bytes = 64};

    (void) state;
    assert_non_null(recall);
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    assert_int_equal(ask(recall, &napcoll_allreduce, 0, question), 1);
    assert_int_equal(ask(recall, &napcoll_reduce, NAPCOLL_FORCE_FALLBACK, question), 1);
    question.root = 5;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    question.root = 0;
    question.noncommutative = true;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    question.noncommutative = false;
    question.in_place = true;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    question.in_place = false;
    question.map = other;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    question.map = block;
    block->oversubscribed = true;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 1);
    block->oversubscribed = false;
    assert_int_equal(ask(recall, &napcoll_reduce, 0, question), 0);
    napcoll_node_map_free(block);
    napcoll_node_map_free(other);
    free(recall);
}

/* More questions than there is room for, three times. */
static void what_is_forgotten_is_decided_again(void **state)
{
    napcoll_recall_t *recall = calloc(1, sizeof(*recall));
    napcoll_node_map_t *map = placement("2,3", "block", 7);

    (void) state;
    assert_non_null(recall);
    for (int round = 0; round < 3; round++) {
        for (int root = 0; root < 7; root++) {
            for (size_t bytes = 1; bytes <= (size_t) 1 << 24; bytes *= 2) {
                (void) ask(recall, &napcoll_reduce, 0,
                           (napcoll_question_t){.map = map, .bytes = bytes, .root = root});
            }
        }
    }
    assert_int_equal(recall->entries, NAPCOLL_RECALLED);
    napcoll_node_map_free(map);
    free(recall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_communicators_share_decisions),
        cmocka_unit_test(all_that_a_decision_rests_on_keeps_questions_apart),
        cmocka_unit_test(what_is_forgotten_is_decided_again),
    };

    return cmocka_run_group_tests_name("recalled decisions", tests, NULL, NULL);
}
