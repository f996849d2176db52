/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the plans of very many ranks have in common, kept once: their buffers, and their stages. Of
 * each, the first one that is found is checked, and of all others that their blocks are inside
 * their buffers.
 *
 * Stages are alike when they are the same except for a shift of all block numbers and of the places
 * (in the node order) of all ranks:
 *
 *     rank 2      recv temp0[4..5] <- rank 0      reduce temp0[4..5] = sendbuf[4..5] op temp0[4..5]
 *     rank 5      recv temp0[7..8] <- rank 3      reduce temp0[7..8] = sendbuf[7..8] op temp0[7..8]
 *     kept        recv temp0[0..1] <- 2 before    reduce temp0[0..1] = sendbuf[0..1] op temp0[0..1]
 *     shift       4 of rank 2, 7 of rank 5
 */

#ifndef NAPCOLL_LIKE_STAGES_H
#define NAPCOLL_LIKE_STAGES_H

#include "verify/napcoll_verify.h"

/** The buffers of plans. The numbers of a temporary's blocks are known with its spans. */
typedef struct napcoll_like_buffers {
    struct napcoll_like_buffers *next;
    uint64_t hash;
    napcoll_layout_t layout;
    int32_t blocks;
    napcoll_block_range_t user[NAPCOLL_BUFFER_TEMP];
    int32_t count;
    /** [count + 1] the index of each one's first block among the blocks of all; their number */
    int32_t at[];
} napcoll_like_buffers_t;

/** Blocks of a stage. */
typedef struct napcoll_like_span {
    int32_t buffer;
    /** number of the first one, less the shift */
    int32_t first;
    /** its index in its buffer; of a user buffer less the shift */
    int32_t index;
    int32_t count;
    /** a temporary that is not read after this stage */
    bool last_read;
} napcoll_like_span_t;

typedef struct napcoll_like_message {
    napcoll_step_kind_t kind;
    /** places from this rank to the peer, modulo the size */
    int32_t away;
    bool headed;
    napcoll_like_span_t span;
} napcoll_like_message_t;

/** A reduction or a copy. */
typedef struct napcoll_like_work {
    napcoll_step_kind_t kind;
    napcoll_like_span_t dst, left, right;
} napcoll_like_work_t;

/** A stage of plans. */
typedef struct napcoll_like_stage {
    struct napcoll_like_stage *next;
    uint64_t hash;
    napcoll_layout_t layout;
    int32_t blocks;
    int32_t messages, works;
    /** [messages] */
    napcoll_like_message_t *message;
    /** [works] */
    napcoll_like_work_t *work;
} napcoll_like_stage_t;

enum {
    /** lists of a table */
    NAPCOLL_LIKE_BUFFER_LISTS = 1 << 16,
    NAPCOLL_LIKE_STAGE_LISTS = 1 << 18
};

/** All that is known, for one thread. Set map and claim, and all else to 0. */
typedef struct napcoll_like_stages {
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_like_buffers_t *buffers[NAPCOLL_LIKE_BUFFER_LISTS];
    napcoll_like_stage_t *list[NAPCOLL_LIKE_STAGE_LISTS];
    /** of the plan whose buffers were asked for last: [temps] the last stage that reads a temporary
     */
    int32_t *last_read;
    /** a stage that is looked for, and of both the memory */
    napcoll_like_stage_t sought;
    size_t last_read_room, message_room, work_room;
} napcoll_like_stages_t;

/** The index of a span's first block among the blocks of all buffers of a rank with a shift. */
static inline int napcoll_like_index(const napcoll_like_buffers_t *buffers,
                                     const napcoll_like_span_t *span, int32_t shift)
{
    return buffers->at[span->buffer] + span->index
           + (span->buffer < NAPCOLL_BUFFER_TEMP ? shift : 0);
}

/** The buffers of a plan; NULL: they are wrong, or memory ran out. */
const napcoll_like_buffers_t *napcoll_like_stages_buffers(napcoll_like_stages_t *known,
                                                          const napcoll_plan_t *plan);

/**
 * The stage that is like a plan's, whose buffers were asked for last. Its steps are inside the
 * plan; messages between nodes, which differ between ranks, are not counted.
 *
 * @param[in,out] known  all that is known
 * @param[in]     plan   the plan
 * @param[in]     stage  index of its stage
 * @param[out]    shift  of its block numbers
 *
 * @return NULL: it is wrong, or has phases, or memory ran out
 */
const napcoll_like_stage_t *napcoll_like_stages_find(napcoll_like_stages_t *known,
                                                     const napcoll_plan_t *plan, int stage,
                                                     int32_t *shift);

/** Forget all. */
void napcoll_like_stages_free(napcoll_like_stages_t *known);

#endif /* NAPCOLL_LIKE_STAGES_H */
