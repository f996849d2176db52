/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Who is tried on a collective of some size: what auto would do, every algorithm that is not hopeless, also with other
 * tunables, and the fallback function. Rank 0 alone.
 *
 * Contestants have all their tunables as the machine that was found has them chosen, whatever the job's own parameters
 * say of the machine.
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "napcoll_tune_case.h"
#include "select/napcoll_agreement.h"
#include "common/napcoll_rule_scope.h"
#include "common/napcoll_rule_write.h"
#include "select/napcoll_select.h"

/* Who is estimated to take so many times what the cheapest takes is not tried. */
static const double hopeless = 10;

/* With tunables that the model does not choose, who is estimated to take so many times that is not tried. */
static const double likely = 4;

/* ---- what the model says ---- */

/* What a decision's plans would take; INFINITY where that is not known. */
static double cost_of(const napcoll_collective_t *collective, const napcoll_machine_t *machine,
                      const napcoll_call_t *call, const napcoll_decision_t *decision)
{
    const bool rooted = napcoll_goal_is_rooted(collective->goal);
    const napcoll_algorithm_t *algorithm = &collective->algorithm[decision->algorithm];
    const int segments = decision->params.segments > 1 ? decision->params.segments : 1;
    napcoll_generator_t generator = {.args = {.collective = collective,
                                              .algorithm = algorithm,
                                              .map = call->map,
                                              .params = decision->params}};
    double lead = 0, time;

    if (NULL != algorithm->hops) {
        const napcoll_hops_t hops = algorithm->hops(call->map, &decision->params);

        lead = napcoll_model_lead_us(machine, &hops, segments, (double) call->bytes);
    }
    time = napcoll_plan_cost_us(call->map, napcoll_generator_plan, &generator,
                                rooted ? call->root : -1, machine, (double) call->bytes, lead,
                                INFINITY);
    return isnan(time) ? INFINITY : time;
}

/* ---- contestants ---- */

/* A decision of napcoll's as a contestant, with words that have it done again on any machine. False where there are too
 * many words for an info key's value. */
static bool describe(const napcoll_collective_t *collective, const napcoll_machine_t *machine,
                     const napcoll_call_t *call, const napcoll_decision_t *decision,
                     tune_contestant_t *contestant)
{
    napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_AUTO);
    FILE *out;

    *contestant = (tune_contestant_t){.row = decision->algorithm,
                                      .rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM)};
    contestant->rule.algorithm = decision->algorithm;
    out = fmemopen(contestant->action, sizeof(contestant->action), "w");
    if (NULL == out) {
        tune_out_of_memory();
    }
    napcoll_rule_pin(&rule, decision->algorithm, &decision->params);
    napcoll_rule_print_action(&rule, out);
    contestant->model_us = cost_of(collective, machine, call, decision);
    return 0 == fclose(out) && strlen(contestant->action) + 1 < sizeof(contestant->action);
}

static tune_contestant_t previous_contestant(const napcoll_collective_t *collective)
{
    return (tune_contestant_t){.row = -1,
                               .action = "previous",
                               .model_us = INFINITY,
                               .rule = napcoll_rule_any(collective, NAPCOLL_RULE_FALLBACK)};
}

/* Put the fallback function second: it is tried even where there is time for few. */
static void add_previous(tune_case_t *c)
{
    memmove(&c->contestant[2], &c->contestant[1],
            (size_t) (c->contestants - 1) * sizeof(*c->contestant));
    c->contestant[1] = previous_contestant(tune_subject(c->subject)->collective);
    c->contestants++;
}

/* As `place`, but behind those that are estimated to be faster, of all from there on. */
static void insert(tune_case_t *c, int place, const tune_contestant_t *contestant)
{
    int at = c->contestants++;

    for (; at > place && c->contestant[at - 1].model_us > contestant->model_us; at--) {
        c->contestant[at] = c->contestant[at - 1];
    }
    c->contestant[at] = *contestant;
}

static bool has_contestant(const tune_case_t *c, const char *action)
{
    for (int i = 0; i < c->contestants; i++) {
        if (0 == strcmp(c->contestant[i].action, action)) {
            return true;
        }
    }
    return false;
}

/* An algorithm as it is when it is named with these tunables, unless that is a contestant already, or estimated to take
 * longer than that; what that was decided to be. One place is left for the fallback function. */
static napcoll_decision_t add_named(tune_case_t *c, const napcoll_settings_t *settings,
                                    const napcoll_call_t *call, const napcoll_rule_t *rule,
                                    double most_us)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const napcoll_algorithm_t *algorithm = &collective->algorithm[rule->algorithm];
    napcoll_settings_t named = *settings;
    tune_contestant_t contestant;
    napcoll_decision_t decision;

    named.force = napcoll_select_force(rule);
    named.asked = rule;
    if (0 != napcoll_select(&named, call, &decision)) {
        tune_out_of_memory();
    }
    if (decision.algorithm == rule->algorithm && !algorithm->gathers && !algorithm->cut
        && describe(collective, settings->machine, call, &decision, &contestant)
        && contestant.model_us < INFINITY && contestant.model_us <= most_us
        && !has_contestant(c, contestant.action) && c->contestants < TUNE_CONTESTANTS - 1) {
        contestant.rule = *rule;
        insert(c, 1, &contestant);
    }
    return decision;
}

/* As add_named, and where that cuts vectors into segments also without: that these overlap is what a model is most
 * easily wrong about. */
static void add_whole(tune_case_t *c, const napcoll_settings_t *settings,
                      const napcoll_call_t *call, const napcoll_rule_t *rule, double most_us)
{
    const int tunable = napcoll_algorithm_tunable(&rule->collective->algorithm[rule->algorithm],
                                                  NAPCOLL_TUNES_SEGMENTS);
    const napcoll_decision_t decision = add_named(c, settings, call, rule, most_us);
    napcoll_rule_t whole = *rule;

    if (tunable >= 0 && decision.algorithm == rule->algorithm && decision.params.segments > 1) {
        whole.tunable[tunable] = 1;
        (void) add_named(c, settings, call, &whole, most_us);
    }
}

/* Each algorithm as it is when it is named, in the order of the model. What auto has chosen may differ from that in
 * local_radix, which a rule then names. */
static void add_algorithms(tune_case_t *c, const napcoll_settings_t *settings,
                           const napcoll_call_t *call, const napcoll_decision_t *chosen)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int row = 0; row < collective->algorithms; row++) {
        napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM);
        napcoll_decision_t decision;

        rule.algorithm = row;
        decision = add_named(c, settings, call, &rule, INFINITY);
        if (row == c->contestant[0].row && decision.algorithm == row) {
            if (decision.params.local_radix != chosen->params.local_radix) {
                rule.local_radix = chosen->params.local_radix;
            }
            c->contestant[0].rule = rule;
        }
    }
}

/* Each algorithm with other radixes and choices than the model's, and without segments, as far as it is estimated not to
 * take much longer than the cheapest: where processes share processors a step takes longer than the latency of two
 * that have one each, which is what was measured. */
static void add_variants(tune_case_t *c, const napcoll_settings_t *settings,
                         const napcoll_call_t *call, double most_us)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;

    for (int row = 0; row < collective->algorithms; row++) {
        napcoll_rule_t rule = napcoll_rule_any(collective, NAPCOLL_RULE_ALGORITHM);
        int value[NAPCOLL_MOST_VALUES];
        const int values = napcoll_select_values(&collective->algorithm[row], call->map, value);

        rule.algorithm = row;
        add_whole(c, settings, call, &rule, most_us);
        for (int v = 0; v < values; v++) {
            rule.tunable[0] = value[v];
            add_whole(c, settings, call, &rule, most_us);
        }
    }
}

/* Whether a contestant need not be tried: the model has it take many times what the cheapest takes, and no rule for all
 * sizes could name it. */
static bool is_hopeless(const tune_case_t *c, const tune_contestant_t *contestant, double cheapest)
{
    const tune_subject_t *subject = tune_subject(c->subject);
    const napcoll_algorithm_t *algorithm = &subject->collective->algorithm[contestant->row];

    return contestant->model_us > hopeless * cheapest
           && !(subject->untold && napcoll_rule_scope_may_be_one(algorithm)
                && !napcoll_rule_has_tunables(&contestant->rule));
}

/* Keep who is worth trying; what auto would do is. */
static void leave_out_hopeless(tune_case_t *c, double cheapest)
{
    int kept = 1;

    for (int i = 1; i < c->contestants; i++) {
        if (!is_hopeless(c, &c->contestant[i], cheapest)) {
            c->contestant[kept++] = c->contestant[i];
        }
    }
    c->contestants = kept;
}

/* What auto decides on a case. */
static napcoll_decision_t decide(const tune_case_t *c, const napcoll_settings_t *settings,
                                 const napcoll_call_t *call)
{
    napcoll_decision_t decision;

    if (c->blind) {
        return napcoll_agreement_without();
    }
    if (0 != napcoll_select(settings, call, &decision)) {
        tune_out_of_memory();
    }
    return decision;
}

/* Whether the thresholds have a say on a case's sizes, where these are looked at. */
static bool is_warned(const tune_case_t *c, const napcoll_settings_t *settings,
                      const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const napcoll_call_t call = {.collective = collective, .map = map, .bytes = c->bytes};
    napcoll_decision_t decision;

    if (0 != napcoll_select(settings, &call, &decision)) {
        tune_out_of_memory();
    }
    return napcoll_rule_range_is_warned(collective, &decision);
}

bool tune_choose_contestants(tune_case_t *c, const napcoll_settings_t *settings,
                             const napcoll_node_map_t *map)
{
    const napcoll_collective_t *collective = tune_subject(c->subject)->collective;
    const napcoll_call_t call = {
        .collective = collective,
        .map = map,
        .bytes = c->bytes,
        .bounded = c->bytes <= tune_subject_bounded(tune_subject(c->subject), map->size)};
    napcoll_decision_t decision;
    double cheapest;

    if (is_warned(c, settings, map)) {
        return false;
    }
    decision = decide(c, settings, &call);
    c->contestants = 1;
    if (decision.algorithm < 0
        || !describe(collective, settings->machine, &call, &decision, &c->contestant[0])) {
        c->contestant[0] = previous_contestant(collective);
    }
    add_algorithms(c, settings, &call, &decision);
    cheapest = c->contestants > 1 ? fmin(c->contestant[0].model_us, c->contestant[1].model_us) : 0;
    add_variants(c, settings, &call, likely * cheapest);
    leave_out_hopeless(c, cheapest);
    if (c->contestant[0].row >= 0) {
        add_previous(c);
    }
    return c->contestants > 1;
}
