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

/* What auto would do by the model alone. */
static int choose_own(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_question_t *question,
                      napcoll_decision_t *decision)
{
    napcoll_settings_t chosen = *settings;

    chosen.force = NAPCOLL_FORCE_AUTO;
    chosen.rules = NULL;       /* they say nothing of costs, and */
    chosen.unmeasured = false; /* neither does the structure */
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

int napcoll_agreement(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                      const napcoll_settings_t *settings, const napcoll_settings_t *telling,
                      const napcoll_node_map_t *map, napcoll_agreement_t *agreement)
{
    const napcoll_question_t direct = {.map = map, .bytes = NAPCOLL_LEAST_BYTES, .direct = true};
    const napcoll_question_t any = {.map = map, .bytes = NAPCOLL_LEAST_BYTES};
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    const napcoll_question_t vector = {.map = map, .bytes = napcoll_agreement_bytes(collective)};

    if (0 != cost_of(recall, collective, settings, &direct, &agreement->direct_us)
        || 0 != cost_of(recall, collective, settings, &any, &agreement->cheapest_us)
        || 0 != cost_of(recall, by, telling, &vector, &agreement->cost_us)) {
        return -1;
    }
    /* the fallback component has a tree, or doubles */
    if (isinf(agreement->cost_us)) {
        const napcoll_closed_form_t usual = &napcoll_bcast == by
                                                ? napcoll_model_bcast_binomial_us
                                                : napcoll_model_recursive_doubling_us;

        agreement->cost_us = usual(telling->machine, map->nodes, map->max_ppn,
                                   (double) vector.bytes);
    }
    agreement->pays = !collective->straight && agreement->cheapest_us < INFINITY
                      && agreement->cost_us < agreement->direct_us - agreement->cheapest_us
                      && agreement->cost_us / (NAPCOLL_MOST_PATIENCE + 1)
                             <= agreement->direct_us / NAPCOLL_AGREEMENT_PART;
    return 0;
}

napcoll_decision_t napcoll_agreement_without(void)
{
    return (napcoll_decision_t){.algorithm = -1, .reason = NAPCOLL_REASON_SIZES, .most = SIZE_MAX};
}
