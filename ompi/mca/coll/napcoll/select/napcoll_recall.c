/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Recalled decisions (see the header).
 */

#include "select/napcoll_recall.h"

static bool is_alike(const napcoll_recalled_t *a, const napcoll_recalled_t *b)
{
    return a->collective == b->collective && a->map == b->map
           && a->oversubscribed == b->oversubscribed && a->force == b->force && a->rules == b->rules
           && a->unmeasured == b->unmeasured && a->noncommutative == b->noncommutative
           && a->in_place == b->in_place && a->root == b->root && a->direct == b->direct
           && a->bounded == b->bounded;
}

static void keep(napcoll_recall_t *recall, const napcoll_recalled_t *entry)
{
    if (recall->entries < NAPCOLL_RECALLED) {
        recall->entry[recall->entries++] = *entry;
        return;
    }
    recall->entry[recall->oldest] = *entry;
    recall->oldest = (recall->oldest + 1) % NAPCOLL_RECALLED;
}

int napcoll_recall_select(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, const napcoll_question_t *question,
                          napcoll_decision_t *decision)
{
    napcoll_recalled_t asked = {.collective = collective,
                                .map = napcoll_node_map_fingerprint(question->map),
                                .oversubscribed = question->map->oversubscribed,
                                .force = settings->force,
                                .rules = settings->rules,
                                .unmeasured = settings->unmeasured,
                                .noncommutative = question->noncommutative,
                                .in_place = question->in_place,
                                .root = question->root,
                                .direct = question->direct,
                                .bounded = question->bounded};

    if (NULL != settings->asked) { /* it may be gone tomorrow */
        return napcoll_select(collective, settings, question, decision);
    }
    for (int i = 0; i < recall->entries; i++) {
        const napcoll_decision_t *known = &recall->entry[i].decision;

        if (question->bytes >= known->least && question->bytes <= known->most
            && is_alike(&asked, &recall->entry[i])) {
            *decision = *known;
            return 0;
        }
    }
    if (0 != napcoll_select(collective, settings, question, decision)) {
        return -1;
    }
    asked.decision = *decision;
    keep(recall, &asked);
    return 0;
}
