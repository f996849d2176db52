/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The last part of napcoll-plan explain: what the component's auto does with the machine in its
 * parameters, and the decision as the component logs it.
 */

#include <stdlib.h>

#include "napcoll_plan_explain.h"
#include "select/napcoll_uneven.h"
#include "select/napcoll_wording.h"

/* The sizes of one decision. */
static void print_class(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const char *thing = sized_by_rank(c->options->collective) ? "blocks" : "vectors";

    if (NAPCOLL_GOAL_BARRIER == c->options->collective->goal) {
        return;
    }
    if (0 == decision->least) {
        printf(" (%s of up to %zu bytes)", thing, decision->most);
    } else {
        printf(" (%s of %zu to %zu bytes)", thing, decision->least, decision->most);
    }
}

/* The parameters that auto chooses, where they differ from the table above. */
static void print_parameters(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const napcoll_algorithm_t *algorithm = napcoll_algorithm_at(c->options->collective,
                                                                decision->algorithm);
    const napcoll_params_t *params = &decision->params;
    const bool other_radix = algorithm->radix
                             && params->local_radix != c->options->params.local_radix;
    const bool pipelined = napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS) >= 0;
    char see[128];

    if (other_radix) {
        printf("It takes a local radix of %d there: see --local-radix %d.\n", params->local_radix,
               params->local_radix);
    }
    if (NAPCOLL_TUNES_RADIX == algorithm->tunable[0].tunes
        && params->tunable[0] != algorithm->tunable[0].initial) {
        printf(
            "It takes a %s of %d there: see napcoll-plan simulate --algorithm %s --tunable %d.\n",
            algorithm->tunable[0].name, params->tunable[0], algorithm->name, params->tunable[0]);
    }
    (void) snprintf(see, sizeof(see), " there: see napcoll-plan simulate --algorithm %s",
                    algorithm->name);
    explain_print_chosen(algorithm, params, "It takes ", " and ", see);
    explain_print_chosen(algorithm, params, " --tunable ", ",", ".\n");
    if (params->segments > 1 && !pipelined) {
        printf("It cuts %s there: see napcoll-plan simulate --algorithm %s --segments %d.\n",
               algorithm->cuts_blocks ? "blocks into pieces" : "the vector into segments",
               algorithm->name, params->segments);
    }
}

/* The decision as the component logs it. */
static void print_log(const explain_case_t *c, const napcoll_decision_t *decision)
{
    char words[NAPCOLL_WORDS];

    napcoll_words_of_decision(c->options->collective, decision, NAPCOLL_FORCE_AUTO, words);
    printf("Logged (coll_napcoll_verbose 1) as: %s\n", words);
}

/* How an uneven call goes, whose sizes no rank knows alone. */
static void print_uneven(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = c->options->collective;
    const napcoll_settings_t settings = explain_settings(c);
    size_t inline_bytes = decision->inline_bytes;
    napcoll_limits_t limits = {0};

    if (decision->algorithm < 0 || !collective->uneven
        || !napcoll_algorithm_at(collective, decision->algorithm)->store_and_forward) {
        return;
    }
    if (decision->by_model && !napcoll_goal_is_neighbor(collective->goal)) {
        if (0 != napcoll_uneven_limits(collective, &settings, c->map, &limits)) {
            napcoll_out_of_memory();
        }
        inline_bytes = 0 == inline_bytes ? limits.inline_bytes : inline_bytes;
    }
    printf("Blocks of up to %zu bytes go through its rounds, larger ones straight to their "
           "ranks.\n",
           inline_bytes);
    if (decision->by_model
        && napcoll_algorithm_announces(collective,
                                       napcoll_algorithm_at(collective, decision->algorithm))) {
        printf("While no rank sends more than %zu blocks through the rounds, later calls send all "
               "straight.\n",
               limits.few);
    }
}

/* What auto does not try, whatever its estimate. */
static void print_thresholds(const explain_case_t *c)
{
    const napcoll_goal_t goal = c->options->collective->goal;

    if (napcoll_thresholds_warn(&c->thresholds, goal, (size_t) c->bytes)) {
        printf("Because of %s it tries no algorithm that sends all blocks at once.\n",
               NAPCOLL_GOAL_GATHER == goal ? "gather_m1 and gather_m2" : "scatter_s");
    }
}

/* Algorithms that auto does not take although their estimate is lower, or does not try on a machine
 * that was not measured. */
static void print_not_taken(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = c->options->collective;

    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_candidate_t *candidate = &decision->candidate[row];
        char words[NAPCOLL_WORDS];

        if (decision->algorithm >= 0 && row != decision->algorithm
            && collective->algorithm[row].lockstep
            && NAPCOLL_EVALUATION_ESTIMATED == candidate->evaluation
            && candidate->cost_us < decision->cost_us) {
            printf("It would take %s, whose steps wait for one another, if that gained a tenth.\n",
                   collective->algorithm[row].name);
        }
        if (NAPCOLL_EVALUATION_STRUCTURE == candidate->evaluation
            && napcoll_words_of_candidate(collective, decision, row, words)) {
            printf("%s\n", words);
        }
    }
}

/* Whether the action of the rule that decides is auto. */
static bool is_auto(const explain_case_t *c, const napcoll_decision_t *decision)
{
    for (int i = 0; NULL != c->rules && i < c->rules->rules; i++) {
        if (decision->rule == c->rules->rule[i].line) {
            return NAPCOLL_RULE_AUTO == c->rules->rule[i].action;
        }
    }
    return false;
}

/* The decision of a rule. */
static void print_ruled(const explain_case_t *c, const napcoll_decision_t *decision)
{
    printf("\nLine %d of %s decides: the component ", decision->rule, c->rules_file);
    if (decision->algorithm < 0) {
        printf("falls back");
    } else {
        printf("takes %s", napcoll_algorithm_at(c->options->collective, decision->algorithm)->name);
    }
    print_class(c, decision);
    printf(".\n");
    if (decision->algorithm >= 0) {
        print_parameters(c, decision);
    }
    print_uneven(c, decision);
}

/* The estimates of a neighbourhood collective, whose plans no rank knows of another one: from what
 * all ranks have agreed on. */
static void print_neighbor(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = c->options->collective;
    const napcoll_neighborhood_t *n = c->options->neighborhoods.of;

    if (!napcoll_goal_is_neighbor(collective->goal)) {
        return;
    }
    printf("It estimates with the most that any rank sends or receives:\n");
    for (int row = 0; row < collective->algorithms; row++) {
        const napcoll_neighbor_load_t *load =
            &n->load[NAPCOLL_GOAL_NEIGHBOR_ALLTOALL == collective->goal][row];
        char words[NAPCOLL_WORDS];

        if (napcoll_words_of_candidate(collective, decision, row, words)) {
            printf("    %s; messages (blocks): %d (%d) between nodes, %d (%d) inside\n", words,
                   load->messages, load->blocks, load->local_messages, load->local_blocks);
        }
    }
}

/* The decision of the model. */
static void print_auto(const explain_case_t *c, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = c->options->collective;

    if (decision->algorithm < 0) {
        printf("\nThe component's auto falls back: %s.\n", napcoll_reason_help(decision->reason));
    } else {
        printf("\nOn this machine the component's auto takes %s",
               collective->algorithm[decision->algorithm].name);
        print_class(c, decision);
        printf(", estimated at %.3f us", decision->cost_us);
        if (NAPCOLL_GOAL_BARRIER != collective->goal) {
            printf(" for %zu bytes", decision->most);
        }
        printf(".\n");
        print_parameters(c, decision);
        print_neighbor(c, decision);
        print_thresholds(c);
        print_uneven(c, decision);
    }
    print_not_taken(c, decision);
}

void explain_component(const explain_case_t *c)
{
    const napcoll_settings_t settings = explain_settings(c);
    const napcoll_decision_t decision = explain_decide(c, &settings);

    if (decision.passed > 0) {
        printf("\nLine %d of %s matches, but is skipped: %s.\n", decision.passed, c->rules_file,
               napcoll_reason_help(decision.passed_reason));
    }
    if (decision.rule > 0 && !is_auto(c, &decision)) {
        print_ruled(c, &decision);
    } else {
        if (decision.rule > 0) {
            printf("\nLine %d of %s decides: by the model.\n", decision.rule, c->rules_file);
        }
        print_auto(c, &decision);
    }
    print_log(c, &decision);
}
