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
#include <stdint.h>

#include "model/napcoll_model.h"

/* What auto estimates a call to take by napcoll, by the model alone; INFINITY where it takes no
 * algorithm. */
static int cost_of(const napcoll_settings_t *settings, const napcoll_call_t *call, double *cost_us)
{
    napcoll_settings_t by_model = *settings;
    napcoll_decision_t decision;

    by_model.force = NAPCOLL_FORCE_AUTO;
    by_model.rules = NULL;
    by_model.unmeasured = false;
    if (0 != napcoll_select(&by_model, call, &decision)) {
        return -1;
    }
    *cost_us = decision.algorithm < 0 ? INFINITY : decision.cost_us;
    return 0;
}

int napcoll_agreement(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                      const napcoll_settings_t *telling, const napcoll_node_map_t *map,
                      napcoll_agreement_t *agreement)
{
    const napcoll_collective_t *by = napcoll_agreement_by(collective);
    const napcoll_call_t any = {.collective = collective, .map = map, .bytes = NAPCOLL_LEAST_BYTES};
    const napcoll_call_t vector = {
        .collective = by, .map = map, .bytes = napcoll_agreement_bytes(collective)};
    napcoll_call_t direct = any;

    direct.direct = true;
    if (0 != cost_of(settings, &direct, &agreement->direct_us)
        || 0 != cost_of(settings, &any, &agreement->cheapest_us)
        || 0 != cost_of(telling, &vector, &agreement->cost_us)) {
        return -1;
    }
    if (isinf(agreement->cost_us)) { /* by the fallback function */
        const napcoll_closed_form_t usual = &napcoll_bcast == by
                                                ? napcoll_model_bcast_binomial_us
                                                : napcoll_model_recursive_doubling_us;

        agreement->cost_us = usual(telling->machine, map->nodes, map->max_ppn,
                                   (double) vector.bytes);
    }
    agreement->pays = !collective->auto_falls_back && agreement->cheapest_us < INFINITY
                      && agreement->cost_us < agreement->direct_us - agreement->cheapest_us
                      && agreement->cost_us / (NAPCOLL_MOST_PATIENCE + 1)
                             <= agreement->direct_us / NAPCOLL_AGREEMENT_PART;
    return 0;
}

napcoll_decision_t napcoll_agreement_without(void)
{
    return (napcoll_decision_t){.algorithm = -1, .reason = NAPCOLL_REASON_SIZES, .most = SIZE_MAX};
}
