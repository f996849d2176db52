/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * napcoll-plan verify: whole proofs by symmetry.
 */

#ifndef NAPCOLL_PLAN_SYMMETRY_H
#define NAPCOLL_PLAN_SYMMETRY_H

#include "algo/napcoll_algo.h"
#include "common/napcoll_like_plans.h"

/**
 * Prove the plans of all ranks, where they are images of a few; this is compared for every rank.
 * The lists of an all-to-all that forwards blocks depend on the lane only. Where there are many,
 * the lists of the first and the last node are compared, and of other ranks the messages with their
 * numbers of blocks.
 *
 * @param[in]  generator  of the plans
 * @param[in]  source     makes them; is called by several threads at once
 * @param[in]  context    for source
 * @param[in]  jobs       threads, at least 1
 * @param[in]  claim      what to prove
 * @param[out] verdict    of napcoll_symmetry_prove
 *
 * @return false: they are no such images, and the verdict tells nothing
 */
bool prove_by_symmetry(const napcoll_generator_t *generator, napcoll_plan_source_t source,
                       void *context, int jobs, const napcoll_claim_t *claim,
                       napcoll_verdict_t *verdict);

#endif /* NAPCOLL_PLAN_SYMMETRY_H */
