/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether it pays to agree on sizes (see the header).
 */

#include "select/napcoll_agreement.h"

#include <math.h>

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"

/* What auto reckons a call to take by napcoll; INFINITY where it takes no algorithm. */
static int cost_of(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                   const napcoll_settings_t *settings, const napcoll_question_t *question,
                   double *cost_us)
{
    napcoll_settings_t chosen = *settings;
    napcoll_decision_t decision;

    chosen.force = NAPCOLL_FORCE_AUTO;
    chosen.rules = NULL; /* they say nothing of costs */
    chosen.previous = (napcoll_previous_t){.component = NAPCOLL_COMPONENT_UNKNOWN};
    if (0 != napcoll_recall_select(recall, collective, &chosen, question, &decision)) {
        return -1;
    }
    *cost_us = decision.algorithm < 0 ? INFINITY : decision.cost_us;
    return 0;
}

/* A direct call costs no more than what the previous function takes, to which it goes where ranks do not agree. */
static int add_previous(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                        const napcoll_node_map_t *all, double *cost_us)
{
    const napcoll_node_map_t map = napcoll_plan_cost_map(all);
    const napcoll_previous_call_t call = {.ranks = map.size, .bytes = NAPCOLL_LEAST_BYTES};
    napcoll_previous_choice_t choice;
    double time_us;

    if (settings->compare <= 0
        || !napcoll_previous_choose(&settings->previous, collective, &call, &choice)) {
        return 0;
    }
    time_us = napcoll_previous_cost_us(&choice, &map, settings->machine, (double) call.bytes,
                                       *cost_us);
    if (isnan(time_us)) {
        return -1;
    }
    *cost_us = time_us < *cost_us ? time_us : *cost_us;
    return 0;
}

int napcoll_agreement(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_settings_t *telling,
                      const napcoll_node_map_t *map, napcoll_agreement_t *agreement)
{
    const napcoll_question_t direct = {.map = map, .bytes = 1, .direct = true};
    const napcoll_question_t any = {.map = map, .bytes = 1};
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    const napcoll_question_t vector = {.map = map, .bytes = napcoll_agreement_bytes(collective)};

    if (0 != cost_of(recall, collective, settings, &direct, &agreement->direct_us)
        || 0 != add_previous(collective, settings, map, &agreement->direct_us)
        || 0 != cost_of(recall, collective, settings, &any, &agreement->cheapest_us)
        || 0 != cost_of(recall, by, telling, &vector, &agreement->cost_us)) {
        return -1;
    }
    if (isinf(agreement
                  ->cost_us)) { /* left to the previous component, which has a tree, or doubles */
        const char *usual = &napcoll_bcast == by ? "binomial" : "recursive_doubling";

        agreement->cost_us = napcoll_model_closed_form(by->name, usual)(
            telling->machine, map->nodes, map->max_ppn, (double) vector.bytes);
    }
    agreement->pays = agreement->cheapest_us < INFINITY
                      && agreement->cost_us < agreement->direct_us - agreement->cheapest_us
                      && agreement->cost_us <= agreement->direct_us / NAPCOLL_AGREEMENT_PART;
    return 0;
}
