/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection (see the header).
 *
 * A decision holds for the sizes of one class: more than 2^(k-1) bytes, up to 2^k. auto estimates
 * with the largest of them.
 *
 *     call -> class -> for every eligible row and variant: plans of a few ranks -> cost -> least
 */

#include "select/napcoll_select.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"
#include "select/napcoll_neighbor.h"
#include "select/napcoll_structure.h"
#include "select/napcoll_uneven.h"

enum {
    /* above, local phases have radix 2: fewer copies of the vector, not fewer steps */
    LARGE_BYTES = 64 * 1024,
    /* on nodes of more processes further radixes are tried */
    FEW_LANES = NAPCOLL_DEFAULT_LOCAL_RADIX,
    /* ranks, for algorithms whose plans have a step for every rank */
    MOST_FOR_LINEAR = 1024
};

/* What local phases of another radix must gain over the one that is set: messages inside a node
 * cost so little by the model that many variants seem to take the same. */
static const double radix_gain = 0.05;

/* What a row that goes in lockstep must gain: the model knows no late process. */
static const double lockstep_gain = 0.1;

/* What a decision is looked for with. */
typedef struct {
    const napcoll_settings_t *settings;
    const napcoll_call_t *call;
    /* of napcoll_plan_cost_map */
    napcoll_node_map_t map;
    /* NULL: variants are not screened */
    napcoll_screen_t *screen;
} search_t;

static const napcoll_algorithm_t *row_of(const search_t *search, int row)
{
    return napcoll_algorithm_at(search->call->collective, row);
}

/* ---- the class of sizes ---- */

/* ---- parameters of a row ---- */

/* The parameters of a row as users set them. */
static napcoll_params_t params_of(const napcoll_settings_t *settings, const napcoll_call_t *call,
                                  int row, const napcoll_decision_t *decision)
{
    const napcoll_algorithm_t *algorithm = napcoll_algorithm_at(call->collective, row);
    /* no class has sizes on both sides of the limit, whatever narrows it */
    const bool large = decision->least > LARGE_BYTES;
    napcoll_params_t params = {.in_place = call->in_place,
                               .noncommutative = call->noncommutative,
                               .reproducible = napcoll_goal_reduces(call->collective->goal)
                                               && settings->reproducible,
                               .root = call->root,
                               .segments = 1,
                               .local_radix = large ? 2 : settings->local_radix};

    if (algorithm->segmented && NULL == algorithm->hops && settings->segment_bytes > 0) {
        const size_t segments = decision->most / settings->segment_bytes;

        params.segments = segments > NAPCOLL_MOST_SEGMENTS ? NAPCOLL_MOST_SEGMENTS : (int) segments;
        params.segments += 0 == params.segments;
    }
    memcpy(params.tunable, settings->tunable[napcoll_min(row, NAPCOLL_MAX_ALGORITHMS)],
           sizeof(params.tunable));
    for (int scope = 0; scope < NAPCOLL_SCOPES && !call->own_phases; scope++) {
        params.provider[scope] = settings->provider[scope];
    }
    napcoll_select_set_pieces(&params, settings, call, row, decision->most);
    return params;
}

/* ---- one variant ---- */

/* What makes a row's plans with these parameters. */
static napcoll_generator_t generator_of(const search_t *search, int row,
                                        const napcoll_params_t *params)
{
    const bool sketched = !search->settings->closely
                          && napcoll_screen_sketches(search->call->collective->goal,
                                                     search->map.size);

    return (napcoll_generator_t){.args = {.collective = search->call->collective,
                                          .algorithm = row_of(search, row),
                                          .map = &search->map,
                                          .sketch = sketched,
                                          .shortened = sketched,
                                          .params = *params}};
}

/* What a row costs with these parameters, or any time from most_us on; NAN when memory ran out. */
static double cost_of(const search_t *search, int row, const napcoll_params_t *params, size_t bytes,
                      double most_us)
{
    const napcoll_algorithm_t *algorithm = row_of(search, row);
    const napcoll_machine_t *machine = search->settings->machine;
    /* a rough sample has too few of the lanes that lead others */
    const bool rough = NULL != search->screen && search->screen->rough
                       && napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_LEADERS) < 0;
    napcoll_generator_t generator = generator_of(search, row, params);
    const int root = napcoll_goal_is_rooted(search->call->collective->goal) ? params->root : -1;
    double lead_us = 0;

    generator.args.rough = rough;
    if (NULL != algorithm->hops) {
        const napcoll_hops_t hops = algorithm->hops(&search->map, params);

        lead_us = napcoll_model_lead_us(machine, &hops, params->segments > 1 ? params->segments : 1,
                                        (double) bytes);
    }
    return (rough ? napcoll_plan_cost_rough_us
                  : napcoll_plan_cost_us)(&search->map, napcoll_generator_plan, &generator, root,
                                          machine, (double) bytes, lead_us, most_us);
}

/* Whether a row has many messages under way at once, of a size of which the thresholds warn. */
static bool bursts(const search_t *search, int row, const napcoll_params_t *params, size_t bytes)
{
    const napcoll_algorithm_t *algorithm = row_of(search, row);
    const int blocks = NULL == algorithm->burst ? 0 : algorithm->burst(&search->map, params);
    const size_t message = bytes > SIZE_MAX / (size_t) (blocks + 1) ? SIZE_MAX
                                                                    : (size_t) blocks * bytes;

    return blocks > 0
           && napcoll_thresholds_warn(&search->settings->thresholds, search->call->collective->goal,
                                      message);
}

/* Whether the structure of a variant allows auto to take it. Reproducible results come before
 * structure. Returns 0, or -1 when memory ran out. */
static int check_structure(const search_t *search, int row, const napcoll_params_t *params,
                           size_t bytes, bool *suits)
{
    const napcoll_settings_t *settings = search->settings;
    const bool oversubscribed = napcoll_settings_oversubscribed(settings, &search->map);
    const napcoll_generator_t generator = generator_of(search, row, params);

    *suits = true;
    if (NAPCOLL_FORCE_AUTO != settings->force || !settings->unmeasured || params->reproducible) {
        return 0;
    }
    return napcoll_structure_check(&generator.args, bytes, oversubscribed, suits);
}

/* Rough round: keep the cost of a variant in the screen. The close round looks at variants whose
 * cost is near the least, so only their structure is checked; an infinite cost refuses one. */
static int screen_variant(const search_t *search, int row, const napcoll_params_t *params,
                          size_t bytes)
{
    const double most_us = napcoll_screen_most_us(search->screen);
    const double cost = cost_of(search, row, params, bytes, most_us);
    bool suits = true;

    if (isnan(cost)
        || (cost < most_us && 0 != check_structure(search, row, params, bytes, &suits))) {
        return -1;
    }
    napcoll_screen_add(search->screen, suits ? cost : INFINITY);
    return 0;
}

/* Keep a variant if it costs less than the one kept; in a rough round keep its cost in the screen.
 * Returns 0, or -1 when memory ran out. */
static int consider(const search_t *search, int row, const napcoll_params_t *params,
                    napcoll_decision_t *decision)
{
    const double most_us = decision->algorithm < 0 ? INFINITY : decision->cost_us;
    napcoll_candidate_t *candidate = &decision->candidate[row];
    bool suits = true;
    double cost;

    if (NAPCOLL_FORCE_AUTO == search->settings->force
        && bursts(search, row, params, decision->most)) {
        napcoll_candidate_refuse(candidate, NAPCOLL_EVALUATION_BURSTS);
        return 0;
    }
    if (NULL != search->screen && search->screen->rough) {
        return screen_variant(search, row, params, decision->most);
    }
    if (NULL != search->screen && napcoll_screen_drops(search->screen, &cost)) {
        if (isinf(cost)) {
            napcoll_candidate_refuse(candidate, NAPCOLL_EVALUATION_STRUCTURE);
        } else {
            napcoll_candidate_note_cost(candidate, cost, 0);
        }
        return 0;
    }
    cost = cost_of(search, row, params, decision->most, most_us);
    if (isnan(cost)
        || (NULL == search->screen && cost < most_us
            && 0 != check_structure(search, row, params, decision->most, &suits))) {
        return -1;
    }
    if (!suits) {
        napcoll_candidate_refuse(candidate, NAPCOLL_EVALUATION_STRUCTURE);
        return 0;
    }
    napcoll_candidate_note_cost(candidate, cost, most_us);
    if (decision->algorithm < 0 || cost < decision->cost_us) {
        decision->algorithm = row;
        decision->params = *params;
        decision->cost_us = cost;
    }
    return 0;
}

/* ---- the variants of a row ---- */

/* Whether users leave a tunable open that the model chooses. */
static bool is_open(const napcoll_algorithm_t *algorithm, const napcoll_params_t *params, int t)
{
    if (NULL == algorithm->tunable[t].name || 0 != params->tunable[t]) {
        return false;
    }
    switch (algorithm->tunable[t].tunes) {
    case NAPCOLL_TUNES_NOTHING:
    case NAPCOLL_TUNES_PIECES:
    case NAPCOLL_TUNES_WINDOW:
        return false;
    default:
        return true;
    }
}

static int consider_segments(const search_t *search, int row, const napcoll_params_t *params,
                             napcoll_decision_t *decision)
{
    int segments[NAPCOLL_MOST_TRIED_SEGMENTS], rc = 0;
    const int count = napcoll_select_segments(row_of(search, row), &search->map, search->settings,
                                              params, decision->most, segments);

    for (int s = 0; 0 == rc && s < count; s++) {
        napcoll_params_t variant = *params;

        variant.segments = segments[s];
        rc = consider(search, row, &variant, decision);
    }
    return rc;
}

/* The row with every value of its first tunable, if that is open. */
static int consider_tunable(const search_t *search, int row, const napcoll_params_t *params,
                            napcoll_decision_t *decision)
{
    const napcoll_algorithm_t *algorithm = row_of(search, row);
    napcoll_params_t variant = *params;
    int value[NAPCOLL_MOST_VALUES], count, rc = 0;

    if (!is_open(algorithm, params, 0) || NAPCOLL_TUNES_SEGMENTS == algorithm->tunable[0].tunes) {
        return consider_segments(search, row, params, decision);
    }
    count = napcoll_select_values(algorithm, &search->map, value);
    for (int v = 0; 0 == rc && v < count; v++) {
        variant.tunable[0] = value[v];
        rc = consider_segments(search, row, &variant, decision);
    }
    return rc;
}

/* All variants of a row: local phases of the radix that is set, and of 2 if that gains enough. */
static int consider_variants(const search_t *search, int row, const napcoll_params_t *params,
                             napcoll_decision_t *decision)
{
    napcoll_params_t variant = *params;
    napcoll_decision_t other;
    int rc = consider_tunable(search, row, params, decision);

    if (0 != rc || !row_of(search, row)->radix || params->local_radix <= 2) {
        return rc;
    }
    other = *decision;
    variant.local_radix = 2;
    rc = consider_tunable(search, row, &variant, &other);
    if (0 == rc
        && (decision->algorithm != row || other.cost_us < (1 - radix_gain) * decision->cost_us)) {
        *decision = other;
    }
    return rc;
}

/* A row in all its variants; one that goes in lockstep must gain enough over those before it. */
static int consider_row(const search_t *search, int row, const napcoll_params_t *params,
                        napcoll_decision_t *decision)
{
    const napcoll_decision_t before = *decision;
    const int rc = consider_variants(search, row, params, decision);

    if (0 == rc && row_of(search, row)->lockstep && before.algorithm >= 0
        && decision->cost_us > (1 - lockstep_gain) * before.cost_us) {
        decision->algorithm = before.algorithm;
        decision->params = before.params;
        decision->cost_us = before.cost_us;
    }
    return rc;
}

/* ---- all rows ---- */

/* Why auto does not try a row at all, or NONE. */
static napcoll_candidate_t check_row(const search_t *search, int row,
                                     const napcoll_params_t *params)
{
    const napcoll_algorithm_t *algorithm = row_of(search, row);
    napcoll_candidate_t candidate = {
        .reason = napcoll_algorithm_eligible(algorithm, &search->map, params)};

    if (NAPCOLL_REASON_NONE != candidate.reason) {
        candidate.evaluation = NAPCOLL_EVALUATION_NOT_ELIGIBLE;
    } else if (algorithm->linear && search->map.size > MOST_FOR_LINEAR) {
        candidate.evaluation = NAPCOLL_EVALUATION_LINEAR;
    } else if (algorithm->keeps_all_vectors && !params->reproducible) {
        candidate.evaluation = NAPCOLL_EVALUATION_GATHERS;
    }
    return candidate;
}

/* Try all rows; the reason is why the last one cannot do the call, where one cannot. Rows in
 * lockstep come last, as they must gain more. */
static int try_rows(const search_t *search, napcoll_decision_t *decision)
{
    const int rows = search->call->collective->algorithms;

    for (int turn = 0; turn < 2 * rows; turn++) {
        const int row = turn % rows;
        const napcoll_params_t params = params_of(search->settings, search->call, row, decision);
        napcoll_candidate_t *candidate = &decision->candidate[row];

        if (row_of(search, row)->lockstep != (turn >= rows)) {
            continue;
        }
        *candidate = check_row(search, row, &params);
        if (NAPCOLL_REASON_NONE != candidate->reason) {
            decision->reason = candidate->reason;
        }
        if (NAPCOLL_EVALUATION_NONE == candidate->evaluation
            && 0 != consider_row(search, row, &params, decision)) {
            return -1;
        }
    }
    return 0;
}

/* Try all rows, or one row if params is given: on many ranks first roughly, then what is left
 * closely. */
static int search_twice(search_t *search, int row, const napcoll_params_t *params,
                        napcoll_decision_t *decision)
{
    const bool screened = !search->settings->closely
                          && napcoll_screen_is_on(search->call->collective->goal, search->map.size);
    napcoll_decision_t rough = *decision;
    napcoll_screen_t screen;
    int rc = 0;

    for (int round = screened ? 0 : 1; round < 2 && 0 == rc; round++) {
        napcoll_decision_t *found = 0 == round ? &rough : decision;

        if (0 == round) {
            search->screen = &screen;
            napcoll_screen_begin(&screen);
        } else if (screened) {
            napcoll_screen_end(&screen);
        }
        rc = NULL == params ? try_rows(search, found)
                            : consider_tunable(search, row, params, found);
    }
    search->screen = NULL;
    return rc;
}

/* Try the chosen variant with further radixes of its local phases, where nodes have many processes:
 * powers of two, up to one step of messages from all to one. */
static int refine_radix(const search_t *search, napcoll_decision_t *decision)
{
    const int row = decision->algorithm;
    int rc = 0;

    if (row < 0 || !row_of(search, row)->radix || search->map.max_ppn <= FEW_LANES
        || decision->least > LARGE_BYTES) {
        return 0;
    }
    for (int radix = 4; 0 == rc && radix / 2 < search->map.max_ppn; radix *= 2) {
        napcoll_decision_t other = *decision;
        napcoll_params_t variant = decision->params;

        variant.local_radix = radix;
        other.cost_us *= 1 - radix_gain;
        rc = consider(search, row, &variant, &other);
        if (0 == rc && radix == other.params.local_radix && radix != decision->params.local_radix) {
            *decision = other;
        }
    }
    return rc;
}

/* The cheaper row of a neighbourhood collective, by what all ranks have agreed on. On a machine
 * that was not measured blocks are forwarded only where that saves messages between nodes. */
static void choose_neighbor(const search_t *search, napcoll_decision_t *decision)
{
    const napcoll_call_t *call = search->call;
    const napcoll_neighbor_load_t *load = napcoll_neighbor_loads(call->collective,
                                                                 call->neighborhood);
    const napcoll_neighbor_sizes_t sizes = napcoll_neighbor_even_sizes(load, decision->most);

    for (int row = 0; row < call->collective->algorithms; row++) {
        const napcoll_params_t params = params_of(search->settings, call, row, decision);
        const bool forwards = row_of(search, row)->store_and_forward;
        napcoll_candidate_t *candidate = &decision->candidate[row];
        double cost;

        *candidate = check_row(search, row, &params);
        if (NAPCOLL_EVALUATION_NONE != candidate->evaluation) {
            continue;
        }
        if (forwards && search->settings->unmeasured && !napcoll_neighbor_saves(load)) {
            napcoll_candidate_refuse(candidate, NAPCOLL_EVALUATION_STRUCTURE);
            continue;
        }
        cost = napcoll_neighbor_cost_us(search->settings->machine, load, row, &sizes);
        napcoll_candidate_note_cost(candidate, cost, INFINITY);
        if (decision->algorithm < 0 || cost < decision->cost_us) {
            decision->algorithm = row;
            decision->params = params;
            decision->cost_us = cost;
        }
    }
    decision->by_model = true;
}

/* The cheapest row. If there is none, the reason is why the last one cannot do the call, or
 * STRUCTURE if auto tries none of those that can. */
static int choose_cheapest(search_t *search, napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = search->call->collective;
    const napcoll_node_map_t *map = &search->map;

    if (search->call->straight) {
        decision->algorithm = napcoll_uneven_straight_row(collective);
        decision->params = params_of(search->settings, search->call, decision->algorithm, decision);
        decision->least = 0;
        decision->most = SIZE_MAX;
        decision->by_model = true;
        return 0;
    }
    if (napcoll_goal_is_neighbor(collective->goal)) {
        choose_neighbor(search, decision);
        return 0;
    }
    if (((map->max_ppn < 2 && !collective->everywhere)
         || (map->nodes < 2 && !search->settings->node_memory))
        && !(search->settings->reproducible && napcoll_goal_reduces(collective->goal))) {
        decision->reason = map->nodes < 2 ? NAPCOLL_REASON_ONE_NODE : NAPCOLL_REASON_PPN;
        return 0;
    }
    if (0 != search_twice(search, 0, NULL, decision) || 0 != refine_radix(search, decision)) {
        return -1;
    }
    if (decision->algorithm >= 0) {
        decision->reason = NAPCOLL_REASON_NONE;
        decision->by_model = true;
    } else if (NAPCOLL_REASON_NONE == decision->reason) {
        decision->reason = NAPCOLL_REASON_STRUCTURE;
    }
    return 0;
}

/* The row that is forced or that a rule names, with the rule's tunables; the model chooses those
 * that are open. */
static int take_forced(search_t *search, const napcoll_rule_t *rule, napcoll_decision_t *decision)
{
    const int row = search->settings->force - NAPCOLL_FORCE_FIRST;
    const napcoll_algorithm_t *algorithm = row_of(search, row);
    napcoll_params_t params = params_of(search->settings, search->call, row, decision);

    if (NULL != rule) {
        params.local_radix = rule->local_radix > 0 ? rule->local_radix : params.local_radix;
        params.segments = rule->segments > 0 ? rule->segments : params.segments;
    }
    decision->params = params;
    decision->reason = napcoll_algorithm_eligible(algorithm, search->call->map, &params);
    if (NAPCOLL_REASON_NONE != decision->reason) {
        return 0;
    }
    if (NULL != algorithm->hops || is_open(algorithm, &params, 0)) {
        return search_twice(search, row, &params, decision);
    }
    decision->algorithm = row;
    return 0;
}

/* ---- rules ---- */

/* Let a rule decide, where one does: it becomes what is forced. Returns the rule, or NULL. */
static const napcoll_rule_t *obey_rules(napcoll_settings_t *settings, const napcoll_call_t *call,
                                        napcoll_decision_t *decision)
{
    const napcoll_ruling_t ruling = napcoll_rules_find(settings->rules, call,
                                                       settings->reproducible);

    napcoll_decision_narrow(decision, ruling.least, ruling.most);
    if (NULL != ruling.passed) {
        decision->passed = ruling.passed->line;
        decision->passed_reason = ruling.reason;
    }
    if (NULL != ruling.rule) {
        decision->rule = ruling.rule->line;
        settings->force = napcoll_select_force(ruling.rule);
    }
    return ruling.rule;
}

/* The tunables that a rule names replace the settings'. */
static void take_tunables(napcoll_settings_t *settings, const napcoll_rule_t *rule)
{
    for (int t = 0; NAPCOLL_RULE_ALGORITHM == rule->action && t < NAPCOLL_MAX_TUNABLES; t++) {
        if (NAPCOLL_RULE_UNSET != rule->tunable[t]) {
            settings->tunable[rule->algorithm][t] = rule->tunable[t];
        }
    }
}

int napcoll_select(const napcoll_settings_t *settings, const napcoll_call_t *call,
                   napcoll_decision_t *decision)
{
    napcoll_settings_t ruled = *settings;
    napcoll_machine_t machine;
    search_t search = {.settings = &ruled, .call = call, .map = napcoll_plan_cost_map(call->map)};
    const napcoll_rule_t *rule = settings->force >= NAPCOLL_FORCE_FIRST ? settings->asked : NULL;
    int rc = 0;

    napcoll_select_fit_machine(&ruled, call->collective->goal, call->map, &machine);
    *decision = (napcoll_decision_t){.algorithm = -1};
    napcoll_decision_set_class(decision, call->bytes);
    if (NAPCOLL_FORCE_AUTO == settings->force && NULL != settings->rules) {
        rule = obey_rules(&ruled, call, decision);
    }
    if (NULL != rule) {
        take_tunables(&ruled, rule);
    }
    napcoll_select_narrow_to_cuts(decision, &ruled, call);
    if (ruled.force >= NAPCOLL_FORCE_FIRST) {
        rc = take_forced(&search, rule, decision);
    } else if (NAPCOLL_FORCE_AUTO == ruled.force) {
        rc = choose_cheapest(&search, decision);
    } else {
        decision->reason = NULL == rule ? NAPCOLL_REASON_FALLBACK : NAPCOLL_REASON_RULES;
    }
    decision->params.local_tree = NAPCOLL_SHAPE_TREE == settings->shape
                                  || (NAPCOLL_SHAPE_AUTO == settings->shape
                                      && call->map->oversubscribed);
    decision->inline_bytes = napcoll_uneven_inline(settings, call, rule, decision);
    return rc;
}
