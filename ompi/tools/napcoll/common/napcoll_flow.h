/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What flows through a plan whose blocks are rotated (common/napcoll_rotation.h), as records that
 * are the same for a plan and its images:
 *
 *     rank 1 of 5                                     records, of the blocks rotated back by one
 *     stage 0
 *       recv   temp0[2..3] <- rank 3                  1: recv from 2 places on, 2 blocks: 1..2
 *       send   sendbuf[4..4] -> rank 4                2: send to 3 places on, 2 blocks: 3..4, the
 *       send   sendbuf[0..0] -> rank 4                   input
 *       reduce temp0[2..3] = sendbuf[2..3] op temp0   3: reduce 2 blocks: 1..2, input with 1
 *
 * A stage with messages is a record, a step is one for itself and one for each run of its blocks
 * whose operands come from the same steps. Which buffers the blocks were in between is not told,
 * and copies are not: where a run is cut at the end of its circle, they are other ones. A run that
 * is cut is told as one; any other cut is not, so that the records and the rotation tell what the
 * messages are.
 */

#ifndef NAPCOLL_FLOW_H
#define NAPCOLL_FLOW_H

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** Of a step: its kind, the places from this rank to the peer of a message, and its blocks. Of a
 * run: its first block, rotated back, the number of blocks, and what has written the operands. */
typedef struct napcoll_flow_record {
    int32_t first;
    int32_t count;
    int32_t left, right;
} napcoll_flow_record_t;

/** The records of a plan; all 0 at first. */
typedef struct napcoll_flow {
    size_t records, room;
    /** [records] */
    napcoll_flow_record_t *record;
} napcoll_flow_t;

/** The rotation. */
typedef struct napcoll_turns {
    const napcoll_node_map_t *map;
    int32_t period;
    /** map->size / period; the blocks of a circle */
    int32_t turns;
    /** the user's buffer in which a rank's contribution is */
    int32_t input;
} napcoll_turns_t;

/**
 * Read the plan of a model.
 *
 * @param[in]     turns  the rotation
 * @param[in]     plan   checked (napcoll_plan_check), of a vector of map->size blocks, no phases
 * @param[in,out] flow   gets its records; free it in any case
 *
 * @return false: it reads what was not written or cannot be told by records, or memory ran out
 */
bool napcoll_flow_read(const napcoll_turns_t *turns, const napcoll_plan_t *plan,
                       napcoll_flow_t *flow);

/** Whether a plan, for which holds what napcoll_flow_read says, has the records of its model. False
 * also when memory ran out. */
bool napcoll_flow_is_image(const napcoll_turns_t *turns, const napcoll_plan_t *plan,
                           const napcoll_flow_t *model);

void napcoll_flow_free(napcoll_flow_t *flow);

#endif /* NAPCOLL_FLOW_H */
