/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Decisions that a process has taken, for all of its communicators: a duplicate need not estimate what
 * has been estimated for its parent. Pure: no MPI in here.
 *
 * Which decisions are recalled depends on a process's past, what they say does not: a decision is kept
 * under all that it depends on, so that whoever has forgotten it comes to the same.
 */

#ifndef NAPCOLL_RECALL_H
#define NAPCOLL_RECALL_H

#include <stdint.h>

#include "select/napcoll_select.h"

/** A decision and the question, but for the bytes, which are in the decision. */
typedef struct napcoll_recalled {
    const napcoll_collective_t *collective;
    uint64_t map;        /**< napcoll_node_map_fingerprint */
    bool oversubscribed; /**< of the map; the fingerprint knows nothing of it */
    int force;
    const napcoll_rules_t *rules;
    bool unmeasured;
    bool noncommutative;
    bool in_place;
    int root;
    bool direct;
    bool bounded;
    napcoll_decision_t decision;
} napcoll_recalled_t;

enum { NAPCOLL_RECALLED = 128 };

/** All zero: nothing is recalled. */
typedef struct napcoll_recall {
    napcoll_recalled_t entry[NAPCOLL_RECALLED];
    int entries;
    int oldest; /**< which goes next, once there is no room */
} napcoll_recall_t;

/**
 * What napcoll_select says, from memory or by asking it. What is asked for with tunables of its own is not kept.
 *
 * @param[in,out] recall      the memory; one caller at a time. Its settings but `force` and `rules`
 *                            must always be the same, and rules stay what they are as long as it is in use
 * @param[in]     collective  see napcoll_select, as all that follow
 * @param[in]     settings
 * @param[in]     question
 * @param[out]    decision
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_recall_select(napcoll_recall_t *recall, const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, const napcoll_question_t *question,
                          napcoll_decision_t *decision);

#endif /* NAPCOLL_RECALL_H */
