/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the plans of very many ranks have in common, kept once: their buffers, and each stage except
 * for the peers of its messages. Of each, the first one that is found is checked.
 */

#ifndef NAPCOLL_LIKE_STAGES_H
#define NAPCOLL_LIKE_STAGES_H

#include "verify/napcoll_verify.h"

/** The buffers of plans. */
typedef struct napcoll_like_buffers {
    struct napcoll_like_buffers *next;
    napcoll_layout_t layout;
    bool scattered;
    int32_t blocks, pieces;
    int32_t count;
    /** [count] what each holds, and the index of its first block among the blocks of all */
    napcoll_block_range_t *range;
    int32_t *at;
    int32_t all_blocks;
} napcoll_like_buffers_t;

/** A stage of plans with the same buffers. */
typedef struct napcoll_like_stage {
    struct napcoll_like_stage *next;
    uint64_t hash;
    const napcoll_like_buffers_t *buffers;
    int32_t messages, work;
    /** [messages + work] the peers are nobody's */
    napcoll_step_t step[];
} napcoll_like_stage_t;

enum {
    /** lists of a table */
    NAPCOLL_LIKE_STAGE_LISTS = 1 << 18
};

/** All that is known, for one thread. Set map and claim, and all else to 0. */
typedef struct napcoll_like_stages {
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_like_buffers_t *buffers;
    napcoll_like_stage_t *list[NAPCOLL_LIKE_STAGE_LISTS];
} napcoll_like_stages_t;

/** The buffers of a plan; NULL: they are wrong, or memory ran out. */
const napcoll_like_buffers_t *napcoll_like_stages_buffers(napcoll_like_stages_t *known,
                                                          const napcoll_plan_t *plan);

/**
 * The stage that is like a plan's. Its steps are inside the plan, their peers are ranks; messages
 * between nodes, which differ between ranks, are not counted.
 *
 * @return NULL: it is wrong, or has phases, or memory ran out
 */
const napcoll_like_stage_t *napcoll_like_stages_find(napcoll_like_stages_t *known,
                                                     const napcoll_like_buffers_t *buffers,
                                                     const napcoll_plan_t *plan,
                                                     const napcoll_stage_t *stage);

/** Forget all. */
void napcoll_like_stages_free(napcoll_like_stages_t *known);

#endif /* NAPCOLL_LIKE_STAGES_H */
