/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Whether the plans of all ranks are images of the plans of a few (verify/napcoll_symmetry.h), and
 * the proof of all of them by these few.
 */

#ifndef NAPCOLL_LIKE_PLANS_H
#define NAPCOLL_LIKE_PLANS_H

#include "verify/napcoll_symmetry.h"

/** How a plan follows from its model's. */
typedef enum {
    NAPCOLL_SYMMETRY_BROKEN,    /**< it does not */
    NAPCOLL_SYMMETRY_EXCEPTION, /**< its messages do, with other buffers */
    NAPCOLL_SYMMETRY_IMAGE
} napcoll_symmetry_match_t;

/**
 * Compare a plan, which may be any, with its model's; it has no more messages between nodes than
 * claimed. Two sketches (napcoll_plan.h) can be compared, too: of their lists only the numbers of
 * blocks are.
 */
napcoll_symmetry_match_t napcoll_symmetry_match(const napcoll_symmetry_t *symmetry,
                                                const napcoll_plan_t *plan);

/** Whether a sketch has the messages of a plan: kinds, peers and numbers of blocks. */
bool napcoll_symmetry_is_sketch(const napcoll_plan_t *sketch, const napcoll_plan_t *plan);

/** Whether plans of a claim can have a symmetry of some period: 1, or the processes of a node. */
bool napcoll_symmetry_is_possible(const napcoll_node_map_t *map, const napcoll_claim_t *claim,
                                  napcoll_symmetry_kind_t kind, int period);

/**
 * Prove the plans of all ranks, of which napcoll_symmetry_match has said that they are images of
 * the models, or exceptions. Where there are no exceptions, or it is OK, the verdict is the one
 * that napcoll_plan_prove has for all ranks; else it tells nothing.
 *
 * @param[in]  symmetry    of the plans
 * @param[in]  exception   [exceptions] plans of the exceptions; borrowed
 * @param[in]  exceptions  at most NAPCOLL_SYMMETRY_EXCEPTIONS
 * @param[out] verdict     the first error
 *
 * @return verdict->status
 */
static inline napcoll_verify_status_t napcoll_symmetry_prove(const napcoll_symmetry_t *symmetry,
                                                             napcoll_plan_t *const *exception,
                                                             int exceptions,
                                                             napcoll_verdict_t *verdict)
{
    napcoll_symmetry_t all = *symmetry;

    all.exception = exception;
    all.exceptions = exceptions;
    return napcoll_plan_prove(NULL, NULL, symmetry->map, symmetry->claim,
                              &(napcoll_proof_t){.borrowed = true, .symmetry = &all}, verdict);
}

#endif /* NAPCOLL_LIKE_PLANS_H */
