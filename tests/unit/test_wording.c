/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions in words, and what auto found out about the rows that it did not take.
 */

#include "cmocka_setup.h"
#include "placement.h"

#include "select/napcoll_wording.h"
#include "common/napcoll_names.h"

/* The decision for a size on nodes with ppn processes. */
static napcoll_decision_t decide(const napcoll_collective_t *collective, const char *algorithm,
                                 const char *ppn, int size, size_t bytes)
{
    napcoll_settings_t settings = napcoll_select_defaults(collective);
    napcoll_node_map_t *map = placement(ppn, "block", size);
    const napcoll_call_t call = {.collective = collective, .map = map, .bytes = bytes};
    napcoll_decision_t decision;

    settings.machine = &napcoll_machine_default;
    if (NULL != algorithm) {
        settings.force = NAPCOLL_FORCE_FIRST + napcoll_algorithm_find(collective, algorithm);
    }
    assert_int_equal(napcoll_select(&settings, &call, &decision), 0);
    napcoll_node_map_free(map);
    return decision;
}

static void decision_is_said_with_all_its_parameters(void **state)
{
    char words[NAPCOLL_WORDS];
    napcoll_decision_t decision = decide(&napcoll_allreduce, "smp", "4", 64, 8);

    (void) state;
    decision.params.local_radix = 8;
    decision.params.tunable[0] = 4;
    napcoll_words_of_decision(&napcoll_allreduce, &decision, NAPCOLL_FORCE_FIRST, words);
    assert_string_equal(words, "allreduce of 0 to 8 bytes by smp, forced; local_radix=8, radix=4");
    decision.params.segments = 3;
    decision.params.tunable[0] = 0;
    napcoll_words_of_decision(&napcoll_allreduce, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_string_equal(
        words, "allreduce of 0 to 8 bytes by smp, chosen by auto; local_radix=8, segments=3");
    /* a choice has a name, and the pieces of blocks are no segments */
    decision = decide(&napcoll_bcast, "two_level", "4", 64, 1 << 20);
    decision.params.tunable[0] = 1;
    decision.params.segments = 1;
    napcoll_words_of_decision(&napcoll_bcast, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_non_null(strstr(words, "between=flat"));
    assert_null(strstr(words, "segments"));
    decision = decide(&napcoll_gather, "segmented", "4", 64, 65536);
    napcoll_words_of_decision(&napcoll_gather, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_non_null(strstr(words, "pieces=13"));
}

static void reason_of_a_fallback_is_said(void **state)
{
    const napcoll_decision_t decision = decide(&napcoll_allreduce, NULL, "1", 8, 100);
    char words[NAPCOLL_WORDS];

    (void) state;
    assert_int_equal(decision.algorithm, -1);
    napcoll_words_of_decision(&napcoll_allreduce, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_string_equal(words, "allreduce of 65 to 128 bytes by the fallback component: no node "
                               "has more than one process");
    for (int row = 0; row < napcoll_allreduce.algorithms; row++) {
        assert_false(napcoll_words_of_candidate(&napcoll_allreduce, &decision, row, words));
    }
}

static void rule_that_decided_is_named(void **state)
{
    napcoll_decision_t decision = decide(&napcoll_allreduce, "tree", "4", 8, 8);
    char words[NAPCOLL_WORDS];

    (void) state;
    assert_false(decision.by_model);
    decision.rule = 12;
    napcoll_words_of_decision(&napcoll_allreduce, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_string_equal(words, "allreduce of 0 to 8 bytes by tree, by line 12 of the rules file");
    decision.algorithm = -1;
    decision.reason = NAPCOLL_REASON_ONE_NODE;
    napcoll_words_of_decision(&napcoll_allreduce, &decision, NAPCOLL_FORCE_AUTO, words);
    assert_string_equal(words, "allreduce of 0 to 8 bytes by the fallback component, by line 12 "
                               "of the rules file: all processes share one node, and "
                               "the messages do not go through node memory");
}

/* Every row is estimated or has a reason, and what was estimated is in line with what was chosen.
 * */
static void assert_candidates(const napcoll_collective_t *collective,
                              const napcoll_decision_t *decision)
{
    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_candidate_t *candidate = &decision->candidate[row];
        char words[NAPCOLL_WORDS];

        assert_true(napcoll_words_of_candidate(collective, decision, row, words));
        assert_memory_equal(words, collective->algorithm[row].name,
                            strlen(collective->algorithm[row].name));
        if (row == decision->algorithm) {
            assert_int_equal(candidate->evaluation, NAPCOLL_EVALUATION_ESTIMATED);
            assert_true(candidate->cost_us == decision->cost_us);
            assert_non_null(strstr(words, " us, the least"));
        } else {
            assert_null(strstr(words, "the least"));
        }
        if (NAPCOLL_EVALUATION_ESTIMATED == candidate->evaluation
            || NAPCOLL_EVALUATION_AT_LEAST == candidate->evaluation) {
            assert_true(candidate->cost_us >= decision->cost_us);
        }
        assert_int_equal(NAPCOLL_EVALUATION_NOT_ELIGIBLE == candidate->evaluation,
                         NAPCOLL_REASON_NONE != candidate->reason);
    }
}

static void every_algorithm_is_evaluated(void **state)
{
    static const napcoll_collective_t *const all[] = {
        &napcoll_allreduce, &napcoll_reduce, &napcoll_barrier, &napcoll_allgather, &napcoll_bcast,
        &napcoll_alltoall,  &napcoll_gather, &napcoll_scatter, &napcoll_scan};

    (void) state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (size_t bytes = 8; bytes <= 32768; bytes *= 64) {
            const napcoll_decision_t decision = decide(all[i], NULL, "3,2", 20, bytes);

            assert_true(decision.algorithm >= 0);
            assert_true(decision.by_model);
            assert_candidates(all[i], &decision);
        }
    }
}

static void why_a_row_is_not_tried_is_known(void **state)
{
    const int linear = napcoll_algorithm_find(&napcoll_gather, "linear");
    const int gathered = napcoll_algorithm_find(&napcoll_allreduce, "gathered");
    const int doubling = napcoll_algorithm_find(&napcoll_allgather, "recursive_doubling");
    napcoll_decision_t decision = decide(&napcoll_gather, NULL, "4", 16, 8192);
    char words[NAPCOLL_WORDS];

    (void) state;
    assert_int_equal(decision.candidate[linear].evaluation, NAPCOLL_EVALUATION_BURSTS);
    decision = decide(&napcoll_gather, NULL, "16", 2048, 64);
    assert_int_equal(decision.candidate[linear].evaluation, NAPCOLL_EVALUATION_LINEAR);
    decision = decide(&napcoll_allreduce, NULL, "4", 16, 8);
    assert_int_equal(decision.candidate[gathered].evaluation, NAPCOLL_EVALUATION_GATHERS);
    decision = decide(&napcoll_allgather, NULL, "4", 12, 8);
    assert_int_equal(decision.candidate[doubling].evaluation, NAPCOLL_EVALUATION_NOT_ELIGIBLE);
    assert_int_equal(decision.candidate[doubling].reason, NAPCOLL_REASON_POWER_OF_TWO);
    assert_true(napcoll_words_of_candidate(&napcoll_allgather, &decision, doubling, words));
    assert_string_equal(words,
                        "recursive_doubling: not eligible: the algorithm needs a number of ranks "
                        "that is a power of two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decision_is_said_with_all_its_parameters),
        cmocka_unit_test(reason_of_a_fallback_is_said),
        cmocka_unit_test(rule_that_decided_is_named),
        cmocka_unit_test(every_algorithm_is_evaluated),
        cmocka_unit_test(why_a_row_is_not_tried_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
