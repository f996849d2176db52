/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier: runs the plans of all ranks symbolically, without any process, and proves that
 *
 * - every send meets its receive, in order, and nothing is left over;
 * - no deadlock even where a send completes only with its receive (rendezvous);
 * - temporaries and the receive buffer are written before they are read, spans are inside their
 *   buffers, a fold's dst is its right operand or touches neither operand;
 * - the result holds every rank's contribution exactly once, in rank order where that is asked;
 * - all ranks bracket the folds alike, so that they get the same bits.
 */

#ifndef NAPCOLL_PLAN_VERIFY_H
#define NAPCOLL_PLAN_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** What the verifier proves. */
typedef struct napcoll_claim {
    bool in_place; /**< the inputs are in the receive buffers */
    bool ordered;  /**< contributions must be folded in rank order */
    int max_inter; /**< most messages that one process sends, or receives, to other nodes in one
                        stage; 0 for no claim */
} napcoll_claim_t;

typedef enum {
    NAPCOLL_VERIFY_OK = 0,
    NAPCOLL_VERIFY_NO_MEMORY,
    NAPCOLL_VERIFY_SPAN,      /**< a span leaves its buffer, or a write goes to the send buffer */
    NAPCOLL_VERIFY_FOLD,      /**< a fold's dst overlaps an operand it must not */
    NAPCOLL_VERIFY_PEER,      /**< a message to oneself or to no rank */
    NAPCOLL_VERIFY_UNMATCHED, /**< a message without its other end, or of another size */
    NAPCOLL_VERIFY_DEADLOCK,  /**< ranks that wait for each other */
    NAPCOLL_VERIFY_UNWRITTEN, /**< a block that is read before it is written */
    NAPCOLL_VERIFY_CONTRIBUTION, /**< a contribution missing or folded twice */
    NAPCOLL_VERIFY_ORDER,        /**< contributions out of rank order */
    NAPCOLL_VERIFY_BRACKETING,   /**< ranks that fold in different orders */
    NAPCOLL_VERIFY_MESSAGES      /**< more messages in a stage than claimed */
} napcoll_verify_status_t;

/** What broke, and where. */
typedef struct napcoll_verdict {
    napcoll_verify_status_t status;
    int rank;       /**< -1 where no single rank is to blame */
    int stage;      /**< -1 for the result as a whole */
    int step;       /**< index into plan->step, or -1 */
    char text[192]; /**< one sentence */
} napcoll_verdict_t;

/**
 * Verify the plans of an allreduce.
 *
 * @param[in]  plans    [map->size] one plan per rank
 * @param[in]  map      the node map they were made for
 * @param[in]  claim    what to prove beyond soundness
 * @param[out] verdict  the first thing found broken
 *
 * @return verdict->status
 */
napcoll_verify_status_t napcoll_plan_verify_allreduce(napcoll_plan_t *const *plans,
                                                      const napcoll_node_map_t *map,
                                                      const napcoll_claim_t *claim,
                                                      napcoll_verdict_t *verdict);

/** Name of a status ("deadlock"), static. */
const char *napcoll_verify_status_name(napcoll_verify_status_t status);

#endif /* NAPCOLL_PLAN_VERIFY_H */
