/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether it pays to agree on sizes, and what becomes of calls where it does not (see the header).
 */

#include "select/napcoll_agreement.h"

#include <math.h>
#include <stdint.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"

/* Of napcoll's algorithms auto leaves a call to the fallback function rather than take longer than that by more than
 * this part, where it does not know the sizes. */
static const double unsized_loss = 0.1;

/* What auto would do, had it napcoll alone. */
static int choose_own(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_question_t *question,
                      napcoll_decision_t *decision)
{
    napcoll_settings_t chosen = *settings;

    chosen.force = NAPCOLL_FORCE_AUTO;
    chosen.rules = NULL; /* they say nothing of costs */
    chosen.previous = (napcoll_previous_t){.component = NAPCOLL_COMPONENT_UNKNOWN};
    return napcoll_recall_select(recall, collective, &chosen, question, decision);
}

/* What auto estimates a call to take by napcoll; INFINITY where it takes no algorithm. */
static int cost_of(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                   const napcoll_settings_t *settings, const napcoll_question_t *question,
                   double *cost_us)
{
    napcoll_decision_t decision;

    if (0 != choose_own(recall, collective, settings, question, &decision)) {
        return -1;
    }
    *cost_us = decision.algorithm < 0 ? INFINITY : decision.cost_us;
    return 0;
}

/* What the fallback function takes, or some time from most_us on; INFINITY where that is not known. */
static int cost_of_previous(const napcoll_collective_t *collective,
                            const napcoll_settings_t *settings, const napcoll_question_t *question,
                            double most_us, double *cost_us)
{
    const napcoll_node_map_t map = napcoll_plan_cost_map(question->map);
    const napcoll_previous_call_t call = {.ranks = map.size,
                                          .bytes = question->bytes,
                                          .in_place = question->in_place,
                                          .root = question->root};
    napcoll_previous_choice_t choice;

    *cost_us = INFINITY;
    if (settings->compare > 0
        && napcoll_previous_choose(&settings->previous, collective, &call, &choice)) {
        *cost_us = napcoll_previous_cost_us(&choice, &map, settings->machine, (double) call.bytes,
                                            most_us);
    }
    return isnan(*cost_us) ? -1 : 0;
}

int napcoll_agreement(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_settings_t *telling,
                      const napcoll_node_map_t *map, napcoll_agreement_t *agreement)
{
    const napcoll_question_t direct = {.map = map, .bytes = NAPCOLL_LEAST_BYTES, .direct = true};
    const napcoll_question_t any = {.map = map, .bytes = NAPCOLL_LEAST_BYTES};
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    const napcoll_question_t vector = {.map = map, .bytes = napcoll_agreement_bytes(collective)};
    double previous_us;

    if (0 != cost_of(recall, collective, settings, &direct, &agreement->direct_us)
        || 0 != cost_of_previous(collective, settings, &direct, agreement->direct_us, &previous_us)
        || 0 != cost_of(recall, collective, settings, &any, &agreement->cheapest_us)
        || 0 != cost_of(recall, by, telling, &vector, &agreement->cost_us)) {
        return -1;
    }
    /* what the fallback function does is a way to go straight, too */
    agreement->direct_us = fmin(agreement->direct_us, previous_us);
    if (isinf(agreement
                  ->cost_us)) { /* left to the fallback component, which has a tree, or doubles */
        const char *usual = &napcoll_bcast == by ? "binomial" : "recursive_doubling";

        agreement->cost_us = napcoll_model_closed_form(by->name, usual)(
            telling->machine, map->nodes, map->max_ppn, (double) vector.bytes);
    }
    agreement->pays = !collective->straight && agreement->cheapest_us < INFINITY
                      && agreement->cost_us < agreement->direct_us - agreement->cheapest_us
                      && agreement->cost_us / (NAPCOLL_MOST_PATIENCE + 1)
                             <= agreement->direct_us / NAPCOLL_AGREEMENT_PART;
    return 0;
}

/* Whether a row may be taken for blocks of any size. */
static bool suits_any_size(const napcoll_collective_t *collective, int row,
                           const napcoll_settings_t *settings, const napcoll_node_map_t *all,
                           const napcoll_params_t *params)
{
    const napcoll_algorithm_t *algorithm = &collective->algorithm[row];
    const napcoll_node_map_t map = napcoll_plan_cost_map(all);
    const bool bursts = NULL != algorithm->burst && algorithm->burst(&map, params) > 0;

    return !algorithm->cut
           && !(bursts && napcoll_thresholds_warn_ever(&settings->thresholds, collective->goal));
}

/* What a row takes for blocks of some bytes, over what the fallback function does; INFINITY where the former could not be
 * estimated. */
static int over_previous(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                         const napcoll_settings_t *settings, const napcoll_question_t *question,
                         int row, double *ratio)
{
    napcoll_decision_t decision;
    double previous_us;

    if (0 != choose_own(recall, collective, settings, question, &decision)) {
        return -1;
    }
    *ratio = INFINITY;
    if (NAPCOLL_EVALUATION_ESTIMATED == decision.candidate[row].evaluation) {
        if (0 != cost_of_previous(collective, settings, question, INFINITY, &previous_us)) {
            return -1;
        }
        *ratio = isinf(previous_us) ? INFINITY : decision.candidate[row].cost_us / previous_us;
    }
    return 0;
}

int napcoll_agreement_without(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                              const napcoll_settings_t *settings,
                              const napcoll_question_t *question, napcoll_decision_t *decision)
{
    napcoll_question_t small = *question, large = *question;
    double small_ratio = INFINITY, large_ratio = INFINITY;

    if (collective->straight) {
        *decision = (napcoll_decision_t){
            .algorithm = -1, .reason = NAPCOLL_REASON_SIZES, .most = SIZE_MAX};
        return 0;
    }
    small.direct = large.direct = true;
    small.bounded = large.bounded = false;
    small.bytes = NAPCOLL_LEAST_BYTES;
    large.bytes = NAPCOLL_UNSIZED_BYTES;
    if (0 != choose_own(recall, collective, settings, &small, decision)) {
        return -1;
    }
    decision->least = 0;
    decision->most = SIZE_MAX;
    if (decision->algorithm >= 0
        && suits_any_size(collective, decision->algorithm, settings, question->map,
                          &decision->params)
        && (0
                != over_previous(recall, collective, settings, &small, decision->algorithm,
                                 &small_ratio)
            || 0
                   != over_previous(recall, collective, settings, &large, decision->algorithm,
                                    &large_ratio))) {
        return -1;
    }
    if (fmax(small_ratio, large_ratio) > 1 + unsized_loss
        || fmin(small_ratio, large_ratio) > settings->compare / 100.0) {
        decision->algorithm = -1;
        decision->reason = NAPCOLL_REASON_SIZES;
        decision->by_model = false;
    }
    return 0;
}
