/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection (see the header).
 *
 * A decision holds for the sizes of one class: more than 2^(k-1) bytes, up to 2^k. auto estimates with
 * the largest of them, so that for powers of two it estimates with the size itself.
 *
 *     question -> class -> for every eligible row and variant: plans of a few ranks -> cost -> least
 */

#include "select/napcoll_select.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"
#include "select/napcoll_structure.h"

/* Above this size local phases hold few copies of the vector rather than save steps. */
enum { LARGE_BYTES = 64 * 1024 };

/* Bytes of a block's piece at most, where that is a tunable that users leave open. */
enum { PIECE_BYTES = 64 * 1024 };

/* What local phases of two have to gain for auto to depart from the fan-out that is set: a message inside a node costs so
 * little by the model that many variants are estimated to take the same. */
static const double radix_gain = 0.05;

/* What a row that goes in lockstep has to gain for auto to prefer it: the machine that the model has knows no process that is
 * late. */
static const double lockstep_gain = 0.1;

/* On more ranks auto does not look at algorithms whose plans have a step for every rank. */
enum { MOST_FOR_LINEAR = 1024 };

/* The sizes for which a decision on `bytes` holds. */
static void set_class(napcoll_decision_t *decision, size_t bytes)
{
    decision->least = 0;
    decision->most = NAPCOLL_LEAST_BYTES;
    while (decision->most < bytes) {
        decision->least = decision->most + 1;
        decision->most = decision->most > SIZE_MAX / 2 ? SIZE_MAX : 2 * decision->most;
    }
}

/* Into how many pieces a row cuts blocks. */
static napcoll_cut_t cut_of(const napcoll_collective_t *collective, int row,
                            const napcoll_settings_t *settings, size_t bytes)
{
    const int t = napcoll_algorithm_tunable(&collective->algorithm[row], NAPCOLL_TUNES_PIECES);
    const int piece_bytes = t < 0                           ? 0
                            : settings->tunable[row][t] > 0 ? settings->tunable[row][t]
                                                            : PIECE_BYTES;

    return napcoll_thresholds_cut(&settings->thresholds, collective->goal, bytes,
                                  (size_t) piece_bytes);
}

/* Keep of the sizes those that all rows cut alike. */
static void narrow_class(napcoll_decision_t *decision, const napcoll_collective_t *collective,
                         const napcoll_settings_t *settings, size_t bytes)
{
    for (int row = 0; row < collective->algorithms; row++) {
        if (collective->algorithm[row].cut) {
            const napcoll_cut_t cut = cut_of(collective, row, settings, bytes);

            decision->least = decision->least > cut.least ? decision->least : cut.least;
            decision->most = decision->most < cut.most ? decision->most : cut.most;
        }
    }
}

/* Cut blocks of some bytes, where the row does so. */
static void set_pieces(napcoll_params_t *params, const napcoll_collective_t *collective, int row,
                       const napcoll_settings_t *settings, int ranks, size_t bytes)
{
    const int t = napcoll_algorithm_tunable(&collective->algorithm[row], NAPCOLL_TUNES_WINDOW);

    if (!collective->algorithm[row].cut) {
        return;
    }
    params->segments = cut_of(collective, row, settings, bytes).pieces;
    if (t >= 0 && !napcoll_thresholds_warn(&settings->thresholds, collective->goal, bytes)) {
        params->tunable[t] = 0;
    } else if (t >= 0 && 0 == params->tunable[t]) {
        params->tunable[t] = napcoll_thresholds_window(&settings->thresholds, collective->goal,
                                                       ranks,
                                                       (bytes - 1) / (size_t) params->segments + 1);
    }
}

/* The parameters of a row for a question, as users set them. */
static napcoll_params_t params_of(const napcoll_collective_t *collective, int row,
                                  const napcoll_settings_t *settings,
                                  const napcoll_question_t *question,
                                  const napcoll_decision_t *decision)
{
    /* a class, however rules or thresholds narrow it, has only larger sizes, or none */
    const bool large = decision->least > LARGE_BYTES;
    napcoll_params_t params = {.in_place = question->in_place,
                               .noncommutative = question->noncommutative,
                               .reproducible = napcoll_goal_reduces(collective->goal)
                                               && settings->reproducible,
                               .bounded = question->bounded,
                               .root = question->root,
                               .segments = 1,
                               .provider = settings->provider,
                               .local_radix = large ? 2 : settings->local_radix};

    if (collective->algorithm[row].segmented && NULL == collective->algorithm[row].hops
        && settings->segment_bytes > 0) {
        const size_t segments = decision->most / settings->segment_bytes;

        params.segments = segments > NAPCOLL_MOST_SEGMENTS ? NAPCOLL_MOST_SEGMENTS
                          : segments > 1                   ? (int) segments
                                                           : 1;
    }
    memcpy(params.tunable, settings->tunable[row], sizeof(params.tunable));
    set_pieces(&params, collective, row, settings, question->map->size, decision->most);
    return params;
}

/* What a decision is looked for with. */
typedef struct {
    const napcoll_collective_t *collective;
    const napcoll_settings_t *settings;
    const napcoll_node_map_t *map; /* of napcoll_plan_cost_map */
    napcoll_screen_t *screen;      /* NULL: none */
} search_t;

/* What makes a row's plans with these parameters. */
static napcoll_generator_t generator_of(const search_t *search, int row,
                                        const napcoll_params_t *params)
{
    const bool sketched = !search->settings->closely
                          && napcoll_screen_sketches(search->collective->goal, search->map->size);

    return (napcoll_generator_t){.args = {.collective = search->collective,
                                          .algorithm = &search->collective->algorithm[row],
                                          .map = search->map,
                                          .sketch = sketched,
                                          .shortened = sketched,
                                          .params = *params}};
}

/* What a row costs with these parameters, or some time from most_us on where it costs that; NAN where it cannot
 * be said. */
static double cost_of(const search_t *search, int row, const napcoll_params_t *params, size_t bytes,
                      double most_us)
{
    const napcoll_algorithm_t *algorithm = &search->collective->algorithm[row];
    const napcoll_machine_t *machine = search->settings->machine;
    const bool rough = NULL != search->screen && search->screen->rough;
    napcoll_generator_t generator = generator_of(search, row, params);
    const int root = napcoll_goal_is_rooted(search->collective->goal) ? params->root : -1;
    double lead_us = 0;

    generator.args.rough = rough;
    if (NULL != algorithm->hops) {
        const napcoll_hops_t hops = algorithm->hops(search->map, params);

        lead_us = napcoll_model_lead_us(machine, &hops, params->segments > 1 ? params->segments : 1,
                                        (double) bytes);
    }
    return (rough ? napcoll_plan_cost_rough_us
                  : napcoll_plan_cost_us)(search->map, napcoll_generator_plan, &generator, root,
                                          machine, (double) bytes, lead_us, most_us);
}

/* Whether a tunable is one of those about which the model does something, and users have left it open. */
static bool is_open(const napcoll_algorithm_t *algorithm, const napcoll_params_t *params, int t)
{
    return t >= 0 && NULL != algorithm->tunable[t].name && 0 == params->tunable[t]
           && NAPCOLL_TUNES_NOTHING != algorithm->tunable[t].tunes
           && NAPCOLL_TUNES_PIECES != algorithm->tunable[t].tunes
           && NAPCOLL_TUNES_WINDOW != algorithm->tunable[t].tunes;
}

/* Whether a row has many messages under way at once, of a size that the thresholds would have cut. */
static bool bursts(const napcoll_collective_t *collective, int row,
                   const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                   const napcoll_params_t *params, size_t bytes)
{
    const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
    const int blocks = NULL == algorithm->burst ? 0 : algorithm->burst(map, params);
    const size_t message = bytes > SIZE_MAX / (size_t) (blocks + 1) ? SIZE_MAX
                                                                    : (size_t) blocks * bytes;

    return blocks > 0 && napcoll_thresholds_warn(&settings->thresholds, collective->goal, message);
}

/* Whether auto may take a row with these parameters on an unmeasured machine. Reproducible results come first.
 * Returns 0, or -1 when memory ran out. */
static int check_structure(const search_t *search, int row, const napcoll_params_t *params,
                           size_t bytes, bool *suits)
{
    const napcoll_settings_t *settings = search->settings;
    const bool oversubscribed = settings->processors > 0
                                && search->map->max_ppn > settings->processors;
    const napcoll_generator_t generator = generator_of(search, row, params);
    napcoll_structure_t structure;

    *suits = true;
    if (!settings->unmeasured || NAPCOLL_FORCE_AUTO != settings->force || params->reproducible) {
        return 0;
    }
    if (0 != napcoll_structure_of(&generator.args, &structure)) {
        return -1;
    }
    *suits = napcoll_structure_suits(&structure, search->collective, search->map, bytes,
                                     oversubscribed);
    return 0;
}

/* Note why no variant of a row was estimated so far. */
static void note_refusal(napcoll_candidate_t *candidate, napcoll_evaluation_t evaluation)
{
    if (NAPCOLL_EVALUATION_NONE == candidate->evaluation) {
        candidate->evaluation = evaluation;
    }
}

/* Keep the cost of a row's variant for whoever asks why; estimating ended where it came to most_us. */
static void note_cost(napcoll_candidate_t *candidate, double cost_us, double most_us)
{
    if (cost_us < most_us) {
        *candidate = (napcoll_candidate_t){.evaluation = NAPCOLL_EVALUATION_ESTIMATED,
                                           .cost_us = cost_us};
    } else if (NAPCOLL_EVALUATION_ESTIMATED != candidate->evaluation
               && (NAPCOLL_EVALUATION_AT_LEAST != candidate->evaluation
                   || cost_us < candidate->cost_us)) {
        *candidate = (napcoll_candidate_t){.evaluation = NAPCOLL_EVALUATION_AT_LEAST,
                                           .cost_us = cost_us};
    }
}

/* Keep a row's cost where it is less than the one kept, or, at first, the rough one in the screen. Returns 0, or -1
 * when memory ran out. */
static int consider(const search_t *search, int row, const napcoll_params_t *params,
                    napcoll_decision_t *decision)
{
    const bool rough = NULL != search->screen && search->screen->rough;
    double most_us = decision->algorithm < 0 ? INFINITY : decision->cost_us;
    bool suits;
    double cost;

    if (NAPCOLL_FORCE_AUTO == search->settings->force
        && bursts(search->collective, row, search->settings, search->map, params, decision->most)) {
        note_refusal(&decision->candidate[row], NAPCOLL_EVALUATION_BURSTS);
        return 0;
    }
    if (0 != check_structure(search, row, params, decision->most, &suits)) {
        return -1;
    }
    if (!suits) {
        note_refusal(&decision->candidate[row], NAPCOLL_EVALUATION_STRUCTURE);
        return 0;
    }
    if (NULL != search->screen && !rough && napcoll_screen_drops(search->screen, &cost)) {
        note_cost(&decision->candidate[row], cost, 0);
        return 0;
    }
    most_us = rough ? napcoll_screen_most_us(search->screen) : most_us;
    cost = cost_of(search, row, params, decision->most, most_us);
    if (isnan(cost)) {
        return -1;
    }
    if (rough) {
        napcoll_screen_add(search->screen, cost);
        return 0;
    }
    note_cost(&decision->candidate[row], cost, most_us);
    if (decision->algorithm < 0 || cost < decision->cost_us) {
        decision->algorithm = row;
        decision->params = *params;
        decision->cost_us = cost;
    }
    return 0;
}

/* The segments that are tried: those that are set, or none, Hockney's and those that the eager protocol
 * takes. Returns how many. */
static int segments_to_try(const napcoll_algorithm_t *algorithm, const napcoll_settings_t *settings,
                           const napcoll_node_map_t *map, const napcoll_params_t *params,
                           double bytes, int segments[3])
{
    const int t = napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS);
    napcoll_hops_t hops;
    int count = 1;

    segments[0] = 1;
    if (algorithm->cut) {
        segments[0] = params->segments;
        return 1;
    }
    if (NULL == algorithm->hops || t < 0) {
        segments[settings->force < NAPCOLL_FORCE_FIRST] = params->segments;
        return settings->force < NAPCOLL_FORCE_FIRST && params->segments > 1 ? 2 : 1;
    }
    if (params->tunable[t] > 0) {
        segments[0] = params->tunable[t] > bytes ? (int) bytes : params->tunable[t];
        return 1;
    }
    hops = algorithm->hops(map, params);
    segments[1] = napcoll_model_hockney_segments(settings->machine, &hops, bytes);
    count += segments[1] > 1;
    segments[count] = napcoll_model_eager_segments(settings->machine, &hops, bytes);
    return count + (segments[count] > segments[count - 1]);
}

/* The row with each of these segments. */
static int consider_segments(const search_t *search, int row, const napcoll_params_t *params,
                             napcoll_decision_t *decision)
{
    int segments[3], rc = 0;
    const int count = segments_to_try(&search->collective->algorithm[row], search->settings,
                                      search->map, params, (double) decision->most, segments);

    for (int s = 0; 0 == rc && s < count; s++) {
        napcoll_params_t variant = *params;

        variant.segments = segments[s];
        rc = consider(search, row, &variant, decision);
    }
    return rc;
}

/* The row with every value of its first tunable that is tried, where that is left open. */
static int consider_tunable(const search_t *search, int row, const napcoll_params_t *params,
                            napcoll_decision_t *decision)
{
    const napcoll_algorithm_t *algorithm = &search->collective->algorithm[row];
    napcoll_params_t variant = *params;
    int value[NAPCOLL_MOST_VALUES], count, rc = 0;

    if (!is_open(algorithm, params, 0) || NAPCOLL_TUNES_SEGMENTS == algorithm->tunable[0].tunes) {
        return consider_segments(search, row, params, decision);
    }
    count = napcoll_select_values(algorithm, search->map, value);
    for (int v = 0; 0 == rc && v < count; v++) {
        variant.tunable[0] = value[v];
        rc = consider_segments(search, row, &variant, decision);
    }
    return rc;
}

/* The variants of a row that auto tries: local phases of the fan-out that is set, and of two where that gains enough,
 * and what its tunables leave open. */
static int consider_variants(const search_t *search, int row, const napcoll_params_t *params,
                             napcoll_decision_t *decision)
{
    napcoll_params_t variant = *params;
    napcoll_decision_t other;
    int rc = consider_tunable(search, row, params, decision);

    if (0 != rc || !search->collective->algorithm[row].radix || params->local_radix <= 2) {
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

/* A row in all its variants, with what it has to gain over those before it. */
static int consider_row(const search_t *search, int row, const napcoll_params_t *params,
                        napcoll_decision_t *decision)
{
    const napcoll_decision_t before = *decision;
    int rc = consider_variants(search, row, params, decision);

    if (0 == rc && search->collective->algorithm[row].lockstep && before.algorithm >= 0
        && decision->cost_us > (1 - lockstep_gain) * before.cost_us) {
        decision->algorithm = before.algorithm;
        decision->params = before.params;
        decision->cost_us = before.cost_us;
    }
    return rc;
}

/* Why auto does not try a row at all, where that is so. */
static napcoll_candidate_t leave_out(const napcoll_algorithm_t *algorithm,
                                     const napcoll_question_t *question,
                                     const napcoll_node_map_t *map, const napcoll_params_t *params)
{
    const napcoll_reason_t reason = napcoll_algorithm_eligible(algorithm, map, params);

    return (napcoll_candidate_t){
        .reason = reason,
        .evaluation = NAPCOLL_REASON_NONE != reason ? NAPCOLL_EVALUATION_NOT_ELIGIBLE
                      : algorithm->linear && map->size > MOST_FOR_LINEAR ? NAPCOLL_EVALUATION_LINEAR
                      : algorithm->gathers && !params->reproducible ? NAPCOLL_EVALUATION_GATHERS
                      : algorithm->detours && question->direct      ? NAPCOLL_EVALUATION_DETOURS
                                                                    : NAPCOLL_EVALUATION_NONE};
}

/* Whether variants are screened at this number of ranks. */
static bool is_screened(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                        const napcoll_node_map_t *map)
{
    return !settings->closely && napcoll_screen_is_on(collective->goal, map->size);
}

/* Try all rows that can do it; the reason is why the last one could not, where one cannot. Those that go in lockstep
 * come last, as they have to gain more. */
static int try_rows(const search_t *search, const napcoll_question_t *question,
                    napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = search->collective;

    for (int turn = 0; turn < 2 * collective->algorithms; turn++) {
        const int row = turn % collective->algorithms;
        const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
        const napcoll_params_t params = params_of(collective, row, search->settings, question,
                                                  decision);
        napcoll_candidate_t *candidate = &decision->candidate[row];

        if (algorithm->lockstep != (turn >= collective->algorithms)) {
            continue;
        }
        *candidate = leave_out(algorithm, question, search->map, &params);
        if (NAPCOLL_EVALUATION_NONE != candidate->evaluation) {
            decision->reason = NAPCOLL_REASON_NONE != candidate->reason ? candidate->reason
                                                                        : decision->reason;
            continue;
        }
        if (0 != consider_row(search, row, &params, decision)) {
            return -1;
        }
    }
    return 0;
}

/* The cheapest row, of those that can do the call; the reason is why the last one could not where none can, and
 * STRUCTURE where auto tries none of those that can. */
static int choose_cheapest(const napcoll_collective_t *collective,
                           const napcoll_settings_t *settings, const napcoll_question_t *question,
                           napcoll_decision_t *decision)
{
    const napcoll_node_map_t map = napcoll_plan_cost_map(question->map);
    napcoll_screen_t screen;
    search_t search = {.collective = collective, .settings = settings, .map = &map};

    if (((map.max_ppn < 2 && !collective->everywhere) || map.nodes < 2)
        && !(settings->reproducible && napcoll_goal_reduces(collective->goal))) {
        decision->reason = map.nodes < 2 ? NAPCOLL_REASON_ONE_NODE : NAPCOLL_REASON_PPN;
        return 0;
    }
    if (is_screened(collective, settings, &map)) {
        napcoll_decision_t rough = *decision;

        search.screen = &screen;
        napcoll_screen_begin(&screen);
        if (0 != try_rows(&search, question, &rough)) {
            return -1;
        }
        napcoll_screen_end(&screen);
    }
    if (0 != try_rows(&search, question, decision)) {
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

/* A row with what its tunables leave open. */
static int try_tunable(const napcoll_collective_t *collective, int row,
                       const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                       const napcoll_params_t *params, napcoll_decision_t *decision)
{
    napcoll_screen_t screen;
    search_t search = {.collective = collective, .settings = settings, .map = map};

    if (is_screened(collective, settings, map)) {
        napcoll_decision_t rough = *decision;

        search.screen = &screen;
        napcoll_screen_begin(&screen);
        if (0 != consider_tunable(&search, row, params, &rough)) {
            return -1;
        }
        napcoll_screen_end(&screen);
    }
    return consider_tunable(&search, row, params, decision);
}

/* The row that is forced, or that a rule names, with the rule's tunables where one is given, and with what is cheapest where its tunables are left open. */
static int take_forced(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                       const napcoll_question_t *question, const napcoll_rule_t *rule,
                       napcoll_decision_t *decision)
{
    const int row = settings->force - NAPCOLL_FORCE_FIRST;
    const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
    napcoll_params_t params = params_of(collective, row, settings, question, decision);

    if (NULL != rule) {
        params.local_radix = rule->local_radix > 0 ? rule->local_radix : params.local_radix;
        params.segments = rule->segments > 0 ? rule->segments : params.segments;
    }
    decision->params = params;
    decision->reason = napcoll_algorithm_eligible(algorithm, question->map, &params);
    if (NAPCOLL_REASON_NONE != decision->reason) {
        return 0;
    }
    if (NULL != algorithm->hops || is_open(algorithm, &params, 0)) {
        const napcoll_node_map_t map = napcoll_plan_cost_map(question->map);

        return try_tunable(collective, row, settings, &map, &params, decision);
    }
    decision->algorithm = row;
    return 0;
}

/* Have a rule decide, where one does: *settings become those under which it has what it names forced, and the sizes
 * of the decision those for which rules say the same. Returns the rule, or NULL. */
static const napcoll_rule_t *obey_rules(const napcoll_collective_t *collective,
                                        napcoll_settings_t *settings,
                                        const napcoll_question_t *question,
                                        napcoll_decision_t *decision)
{
    const napcoll_rules_case_t about = {.collective = collective,
                                        .map = question->map,
                                        .noncommutative = question->noncommutative,
                                        .reproducible = settings->reproducible};
    const napcoll_ruling_t ruling = napcoll_rules_find(settings->rules, &about, question->bytes);
    const napcoll_rule_t *rule = ruling.rule;

    decision->least = decision->least > ruling.least ? decision->least : ruling.least;
    decision->most = decision->most < ruling.most ? decision->most : ruling.most;
    if (NULL != ruling.passed) {
        decision->passed = ruling.passed->line;
        decision->passed_reason = ruling.reason;
    }
    if (NULL == rule) {
        return NULL;
    }
    decision->rule = rule->line;
    settings->force = napcoll_select_force(rule);
    return rule;
}

/* The tunables that a rule names become those of the settings. */
static void take_tunables(napcoll_settings_t *settings, const napcoll_rule_t *rule)
{
    for (int t = 0; NAPCOLL_RULE_ALGORITHM == rule->action && t < NAPCOLL_MAX_TUNABLES; t++) {
        if (NAPCOLL_RULE_UNSET != rule->tunable[t]) {
            settings->tunable[rule->algorithm][t] = rule->tunable[t];
        }
    }
}

int napcoll_select_force(const napcoll_rule_t *rule)
{
    switch (rule->action) {
    case NAPCOLL_RULE_ALGORITHM:
        return NAPCOLL_FORCE_FIRST + rule->algorithm;
    case NAPCOLL_RULE_FALLBACK:
        return NAPCOLL_FORCE_FALLBACK;
    default:
        return NAPCOLL_FORCE_AUTO;
    }
}

int napcoll_select(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                   const napcoll_question_t *question, napcoll_decision_t *decision)
{
    napcoll_settings_t ruled = *settings;
    const napcoll_rule_t *rule = settings->force >= NAPCOLL_FORCE_FIRST ? settings->asked : NULL;
    int rc = 0;

    *decision = (napcoll_decision_t){.algorithm = -1};
    set_class(decision, question->bytes);
    if (NAPCOLL_FORCE_AUTO == settings->force && NULL != settings->rules) {
        rule = obey_rules(collective, &ruled, question, decision);
    }
    if (NULL != rule) {
        take_tunables(&ruled, rule);
    }
    narrow_class(decision, collective, &ruled, question->bytes);
    if (ruled.force >= NAPCOLL_FORCE_FIRST) {
        rc = take_forced(collective, &ruled, question, rule, decision);
    } else if (NAPCOLL_FORCE_AUTO == ruled.force) {
        rc = choose_cheapest(collective, &ruled, question, decision);
    } else {
        decision->reason = NULL == rule ? NAPCOLL_REASON_FALLBACK : NAPCOLL_REASON_RULES;
    }
    decision->params.local_tree = NAPCOLL_SHAPE_TREE == settings->shape
                                  || (NAPCOLL_SHAPE_AUTO == settings->shape
                                      && question->map->oversubscribed);
    return rc;
}
