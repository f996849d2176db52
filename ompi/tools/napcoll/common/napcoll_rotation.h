/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whole proofs of allreduces of very many ranks whose vector has a block for each rank, where the
 * plans are images of a few by rotation. The ranks are `turns` times `period` places of the node
 * order, and the blocks are `period` circles of `turns` blocks. A rotation moves all at once:
 *
 *     place q                               -> q + period, modulo the ranks
 *     block i of a circle                   -> block i + 1 of the same circle, modulo the turns
 *
 *     5 ranks, period 1     rank 1 receives 2..3 from rank 3      sends 4, 0 (one run) to rank 4
 *     rotated twice         rank 3 receives 4, 0 from rank 0      sends 1..2 to rank 1
 *
 * A run that goes round the end of its circle is two messages, or two pieces of work, each with
 * temporaries of its own. So not the steps are compared but what flows through them: for each block
 * that is read, which step has written it.
 *
 * Where the plan of every rank is the image of its model's (the rank of the first period that is a
 * number of rotations before it), and every message of the models meets its other end in the same
 * stage, all ranks go from stage to stage in step, and none deadlocks. And since no step mixes
 * blocks, what becomes of a circle's first block on all ranks becomes of its other blocks,
 * rotated. So only the first blocks of the circles are proved, in rounds
 * (common/napcoll_rounds.h), each with all ranks' steps that touch it.
 */

#ifndef NAPCOLL_ROTATION_H
#define NAPCOLL_ROTATION_H

#include "verify/napcoll_verify.h"

/**
 * Prove the plans of all ranks by rotation, with a period of one rank or of one node. Each plan is
 * made once, a few of them several times. Besides the plans under way this takes what the rounds
 * take for plans of as many blocks as the period: up to 2 KiB per rank with 16 processes on a node.
 *
 * @param[in]  source   makes the plans; is called by several threads at once
 * @param[in]  context  for source
 * @param[in]  map      the node map they are made for
 * @param[in]  claim    what to prove
 * @param[in]  jobs     threads, at least 1
 * @param[out] verdict  as of napcoll_plan_prove for all ranks, where it is true
 *
 * @return false: they are not proved, and the verdict tells nothing: they are no such images, or
 *         broken
 */
bool napcoll_prove_by_rotation(napcoll_plan_source_t source, void *context,
                               const napcoll_node_map_t *map, const napcoll_claim_t *claim,
                               int jobs, napcoll_verdict_t *verdict);

#endif /* NAPCOLL_ROTATION_H */
