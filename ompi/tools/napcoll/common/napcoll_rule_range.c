/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/napcoll_rule_range.h"

#include <math.h>

bool napcoll_rule_range_is_warned(const napcoll_collective_t *collective,
                                  const napcoll_decision_t *decision)
{
    bool warned = decision->algorithm >= 0 && collective->algorithm[decision->algorithm].cut;

    for (int row = 0; row < collective->algorithms; row++) {
        warned = warned || NAPCOLL_EVALUATION_BURSTS == decision->candidate[row].evaluation;
    }
    return warned;
}

static int ask(const napcoll_collective_t *collective, const napcoll_settings_t *settings,
               const napcoll_node_map_t *map, size_t bytes, bool bounded,
               napcoll_decision_t *decision)
{
    const napcoll_call_t call = {
        .collective = collective, .map = map, .bytes = bytes, .bounded = bounded};

    return napcoll_select(settings, &call, decision);
}

static size_t half_way(size_t one, size_t other)
{
    return (size_t) sqrt((double) one * (double) other);
}

int napcoll_rule_range_find(const napcoll_collective_t *collective,
                            const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                            const size_t *measured, int count, int which,
                            napcoll_rule_range_t *range)
{
    const size_t here = measured[which];
    napcoll_decision_t decision;

    range->least = 0 == which ? 0 : 1 + half_way(measured[which - 1], here);
    range->most = count - 1 == which ? 4 * here : half_way(here, measured[which + 1]);
    for (size_t bytes = range->least;; bytes = decision.most + 1) {
        if (0 != ask(collective, settings, map, bytes, false, &decision)) {
            return -1;
        }
        if (napcoll_rule_range_is_warned(collective, &decision)) {
            if (bytes > here) {
                range->most = bytes - 1;
            } else {
                range->least = decision.most + 1;
            }
        }
        if (decision.most >= range->most) {
            return 0;
        }
    }
}

int napcoll_rule_range_takes(const napcoll_collective_t *collective,
                             const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                             const napcoll_rule_range_t *range, size_t bounded, int row,
                             bool *takes)
{
    napcoll_decision_t decision;

    *takes = false;
    for (size_t bytes = range->least, last;; bytes = last + 1) {
        if (0 != ask(collective, settings, map, bytes, bytes <= bounded, &decision)) {
            return -1;
        }
        last = bytes <= bounded && bounded < decision.most ? bounded : decision.most;
        *takes = row == decision.algorithm;
        if (*takes || last >= range->most) {
            return 0;
        }
    }
}

int napcoll_rule_range_any_is_warned(const napcoll_collective_t *collective,
                                     const napcoll_settings_t *settings,
                                     const napcoll_node_map_t *map, bool *warned)
{
    napcoll_decision_t decision;

    for (size_t bytes = 0;; bytes = decision.most + 1) {
        if (0 != ask(collective, settings, map, bytes, false, &decision)) {
            return -1;
        }
        *warned = napcoll_rule_range_is_warned(collective, &decision);
        if (*warned || SIZE_MAX == decision.most) {
            return 0;
        }
    }
}
