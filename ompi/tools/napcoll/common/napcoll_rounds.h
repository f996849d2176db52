/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whole proofs of very many ranks, in rounds. In a round
 *
 *     each rank that has not ended    looks for the other ends of its stage's messages in the
 *                                     stages at which their ranks are, and takes in what comes
 *     then each whose messages        does the work of its stage and goes to the next one
 *     have all met their other ends
 *
 * until all have ended, or none can go on. What a rank sends is in its blocks while it is at that
 * stage: no message is received where another one of its stage is under way, which is checked.
 *
 * Each plan is made once, and little of it is kept: which of the known stages each of its stages
 * is, and by how many blocks it is shifted (common/napcoll_like_stages.h). Very many ranks have few
 * different stages, and each of these is checked once. The values of a rank's blocks are kept in
 * runs of equal ones (common/napcoll_round_values.h), so a vector of a block for each rank takes
 * little more than one block:
 *
 *     rank 5     stages A B A     shifted by 5 7 5     values  0..3 none, 4..7 of ranks 1 and 5
 *     rank 4     stages C B C     shifted by 4 6 4
 *
 * It is for allreduces, reduces and broadcasts by napcoll's own messages, without phases.
 */

#ifndef NAPCOLL_ROUNDS_H
#define NAPCOLL_ROUNDS_H

#include "verify/napcoll_verify.h"

/** Whether the plans of a goal can be proved in rounds: they are of one vector for all ranks. */
static inline bool napcoll_rounds_suit(napcoll_goal_t goal)
{
    return NAPCOLL_GOAL_ALLREDUCE == goal || NAPCOLL_GOAL_REDUCE == goal
           || NAPCOLL_GOAL_BCAST == goal;
}

/**
 * Prove the plans of all ranks in rounds. Besides the plans under way this takes,
 * for each rank, 12 bytes per stage, 36 per run of blocks with equal values, and about 150; and the
 * different stages.
 *
 * @param[in]  source   makes the plans, each once; is called by several threads at once
 * @param[in]  context  for source
 * @param[in]  map      the node map they are made for
 * @param[in]  claim    what to prove
 * @param[in]  jobs     threads, at least 1
 * @param[out] verdict  as of napcoll_plan_prove for all ranks, where it is true
 *
 * @return false: they are not proved, and the verdict tells nothing: they are not for this, or
 *         broken, or it takes more than 4 GiB. napcoll_plan_prove tells what it is
 */
bool napcoll_prove_in_rounds(napcoll_plan_source_t source, void *context,
                             const napcoll_node_map_t *map, const napcoll_claim_t *claim, int jobs,
                             napcoll_verdict_t *verdict);

#endif /* NAPCOLL_ROUNDS_H */
