/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The selection (see the header).
 *
 * The rule of auto for allreduce, after the papers' measurements: nap for vectors up to nap_max
 * bytes (2048 on Blue Waters, Bienz et al., Fig. 15) where it needs fewer inter-node steps than
 * recursive doubling among leaders; smp where it does not (two lanes, two nodes), and for vectors up
 * to smp_max; the previous function for larger ones.
 */

#include "select/napcoll_select.h"

#include <stdint.h>
#include <string.h>

#include "algo/allreduce/allreduce.h"
#include "algo/napcoll_split.h"

/* Above this size local phases hold few copies of the vector rather than save steps. */
enum { LARGE_BYTES = 64 * 1024 };

/* The algorithm that auto takes for a small vector. */
static int small_allreduce(const napcoll_settings_t *settings, const napcoll_node_map_t *map)
{
    int lanes = napcoll_nap_lanes(map, settings->tunable[NAPCOLL_ALLREDUCE_NAP][0]);
    bool fewer = napcoll_nap_steps(map, lanes) < napcoll_split_levels(map->nodes, 2);

    return fewer ? NAPCOLL_ALLREDUCE_NAP : NAPCOLL_ALLREDUCE_SMP;
}

static void narrow(napcoll_decision_t *decision, size_t bytes, size_t limit)
{
    if (bytes <= limit) {
        decision->most = limit < decision->most ? limit : decision->most;
    } else {
        decision->least = limit + 1 > decision->least ? limit + 1 : decision->least;
    }
}

/* The rule of auto for allreduce: a row, or -1 with the reason. Narrows the decision to the sizes
 * for which it holds. */
static int auto_allreduce(const napcoll_settings_t *settings, const napcoll_question_t *question,
                          napcoll_decision_t *decision)
{
    if (question->map->max_ppn < 2) {
        decision->reason = NAPCOLL_REASON_PPN;
        return -1;
    }
    narrow(decision, question->bytes, settings->nap_max);
    if (question->bytes <= settings->nap_max) {
        return small_allreduce(settings, question->map);
    }
    narrow(decision, question->bytes, settings->smp_max);
    if (question->bytes <= settings->smp_max) {
        return NAPCOLL_ALLREDUCE_SMP;
    }
    decision->reason = NAPCOLL_REASON_SIZE_LIMIT;
    return -1;
}

/* The rules of auto, by collective. */
static const struct {
    const napcoll_collective_t *collective;
    int (*choose)(const napcoll_settings_t *settings, const napcoll_question_t *question,
                  napcoll_decision_t *decision);
} rules[] = {{&napcoll_allreduce, auto_allreduce}};

/* The row that the settings lead to; -1 with the reason for none. */
static int choose(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
                  const napcoll_question_t *question, napcoll_decision_t *decision)
{
    if (settings->force >= NAPCOLL_FORCE_FIRST) {
        return settings->force - NAPCOLL_FORCE_FIRST;
    }
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        if (NAPCOLL_FORCE_AUTO == settings->force && collective == rules[i].collective) {
            return rules[i].choose(settings, question, decision);
        }
    }
    decision->reason = NAPCOLL_REASON_PREVIOUS;
    return -1;
}

napcoll_settings_t napcoll_select_defaults(const napcoll_collective_t *collective)
{
    napcoll_settings_t settings = {.force = NAPCOLL_FORCE_AUTO,
                                   .nap_max = NAPCOLL_DEFAULT_NAP_MAX,
                                   .smp_max = NAPCOLL_DEFAULT_SMP_MAX,
                                   .local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX,
                                   .provider = NAPCOLL_PROVIDER_P2P,
                                   .shape = NAPCOLL_SHAPE_AUTO};

    for (int row = 0; row < collective->algorithms; row++) {
        for (int t = 0; NULL != collective->algorithm[row].tunable[t].name; t++) {
            settings.tunable[row][t] = collective->algorithm[row].tunable[t].initial;
        }
    }
    return settings;
}

napcoll_decision_t napcoll_select(const napcoll_collective_t *collective,
                                  const napcoll_settings_t *settings,
                                  const napcoll_question_t *question)
{
    napcoll_decision_t decision = {.algorithm = -1, .most = SIZE_MAX};
    int row = choose(collective, settings, question, &decision);

    if (row >= 0) {
        decision.params.ordered = question->ordered;
        decision.reason = napcoll_algorithm_eligible(&collective->algorithm[row], question->map,
                                                     &decision.params);
    }
    if (NAPCOLL_REASON_NONE != decision.reason) {
        return decision;
    }
    narrow(&decision, question->bytes, LARGE_BYTES);
    decision.algorithm = row;
    decision.params.in_place = question->in_place;
    decision.params.provider = settings->provider;
    decision.params.local_radix = question->bytes <= LARGE_BYTES ? settings->local_radix : 2;
    decision.params.local_tree = NAPCOLL_SHAPE_TREE == settings->shape
                                 || (NAPCOLL_SHAPE_AUTO == settings->shape
                                     && question->map->crowded);
    memcpy(decision.params.tunable, settings->tunable[row], sizeof(decision.params.tunable));
    return decision;
}
