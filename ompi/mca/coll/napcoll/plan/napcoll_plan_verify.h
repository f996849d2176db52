/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier: runs plans symbolically, without any process, and proves that
 *
 * - every send meets its receive, in order and of its size, and nothing is left over;
 * - no deadlock even where a send completes only with its receive (rendezvous);
 * - temporaries and the receive buffer are written before they are read, and not while a message of
 *   the same stage is under way in them; spans are inside their buffers; a reduction's dst is its right
 *   operand or touches neither operand;
 * - the result is what the collective promises: every rank's contribution exactly once (of a scan, of
 *   the ranks up to one's own), in rank order where that is asked; every rank's block in its place;
 *   the root's vector; no end of a barrier without word of every rank's beginning;
 * - all ranks bracket the reduces alike, so that they get the same bits, and where that is claimed by
 *   halves of the ranks, whatever nodes they are on;
 * - of an all-to-all, gather or scatter, each block goes to the rank that it is for; what leaves a temporary is
 *   not sent again; sizes that are told are those of the blocks that come;
 * - a reduce-scatter reads nothing that its result has overwritten, where it is in place;
 * - no process has more messages in a stage than claimed.
 *
 * The proof goes by demand: a rank's result is asked for, and what it depends on is run: the stages of
 * other ranks that its messages meet, what those depend on, and so on. A whole proof asks for every
 * rank. A sample asks for some, and says for these all of the above with everything that their
 * results rest on; of other ranks, stages that no result of the sample rests on are not run, and
 * what they leave over stays unseen. Every plan that is touched is checked by itself as a whole.
 */

#ifndef NAPCOLL_PLAN_VERIFY_H
#define NAPCOLL_PLAN_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/napcoll_plan.h"
#include "topo/napcoll_node_map.h"

/** What the verifier proves. */
typedef struct napcoll_claim {
    napcoll_goal_t goal; /**< what the plans are to bring about */
    int root;            /**< of a reduce, broadcast, gather or scatter */
    bool in_place;       /**< the inputs are in the receive buffers (see napcoll_goal_in_place) */
    bool noncommutative; /**< contributions must be reduced in rank order */
    bool canonical; /**< ranks are reduced by halves: of ranks [l, h) the first ceil((h - l) / 2)
                           with the others, and each half in itself likewise */
    bool sized; /**< blocks differ in size, and only those whose they are know it: before one goes
                           into a temporary, its size does */
    bool tells; /**< every message of blocks begins with their sizes */
    int max_inter;    /**< most messages that one process sends, or receives, to or from other nodes
                           in one stage; 0 for no claim */
    int max_messages; /**< the same to or from any process */
} napcoll_claim_t;

typedef enum {
    NAPCOLL_VERIFY_OK = 0,
    NAPCOLL_VERIFY_NO_MEMORY,
    NAPCOLL_VERIFY_SPAN,      /**< a span leaves its buffer, or a write goes to the send buffer */
    NAPCOLL_VERIFY_REDUCTION, /**< a step's dst overlaps an operand that it must not */
    NAPCOLL_VERIFY_IN_FLIGHT, /**< a receive into blocks that another message of its stage uses */
    NAPCOLL_VERIFY_PEER,      /**< a message to oneself or to no rank */
    NAPCOLL_VERIFY_UNMATCHED, /**< a message without its other end, or of another size */
    NAPCOLL_VERIFY_PHASE,     /**< a local phase that its node's processes do not all do alike */
    NAPCOLL_VERIFY_DEADLOCK,  /**< ranks that wait for each other */
    NAPCOLL_VERIFY_UNWRITTEN, /**< a block that is read before it is written */
    NAPCOLL_VERIFY_CONTRIBUTION, /**< a contribution missing or reduced twice; a block of another rank */
    NAPCOLL_VERIFY_ORDER,        /**< contributions out of rank order */
    NAPCOLL_VERIFY_BRACKETING, /**< ranks that reduce in different orders */
    NAPCOLL_VERIFY_MESSAGES,   /**< more messages in a stage than claimed */
    NAPCOLL_VERIFY_SIZES,      /**< sizes that are not those of the blocks that come, or no sizes */
    NAPCOLL_VERIFY_STATUSES
} napcoll_verify_status_t;

/** What broke, and where; or how much was proven. */
typedef struct napcoll_verdict {
    napcoll_verify_status_t status;
    int rank;         /**< -1 where no single rank is to blame */
    int stage;        /**< -1 where it is no single stage */
    int step;         /**< index into plan->step, or -1 */
    char text[256];   /**< one sentence that names them */
    int results;      /**< ranks whose result was proven */
    int plans;        /**< ranks whose plan was looked at */
    int64_t messages; /**< messages whose two ends met */
} napcoll_verdict_t;

/**
 * Verify the plans of a collective.
 *
 * @param[in]  plans    [map->size] one plan per rank
 * @param[in]  map      the node map they were made for
 * @param[in]  claim    what to prove beyond soundness
 * @param[out] verdict  the first thing found broken
 *
 * @return verdict->status
 */
napcoll_verify_status_t napcoll_plan_verify(napcoll_plan_t *const *plans,
                                            const napcoll_node_map_t *map,
                                            const napcoll_claim_t *claim,
                                            napcoll_verdict_t *verdict);

/** How a proof goes about plans that are made for it. */
typedef struct napcoll_proof {
    int sample;    /**< ranks whose results are asked for: the first, the last and others drawn
                             at random; 0: all */
    uint64_t seed; /**< of the drawing */
    size_t
        plan_memory; /**< bytes that plans may take together (besides those that a chain of waiting
                             ranks needs); beyond, some are dropped and made anew when needed.
                             0: no limit */
} napcoll_proof_t;

/**
 * Verify the plans of a collective, which a source makes as they are needed.
 *
 * Besides the plans it takes about 100 bytes per rank, and 32 bytes per block that a rank has in buffers
 * or has sent.
 *
 * @param[in]  source   makes the plans
 * @param[in]  context  for source
 * @param[in]  map      the node map they are made for
 * @param[in]  claim    what to prove beyond soundness
 * @param[in]  proof    of what, and with how much memory
 * @param[out] verdict  the first thing found broken
 *
 * @return verdict->status
 */
napcoll_verify_status_t napcoll_plan_prove(napcoll_plan_source_t source, void *context,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           const napcoll_proof_t *proof,
                                           napcoll_verdict_t *verdict);

/**
 * Check what one plan can be judged by alone: spans, operands, peers, messages in flight, phases, and
 * messages per stage. The verifier does this for every plan that it looks at.
 *
 * @return verdict->status
 */
napcoll_verify_status_t napcoll_plan_check(const napcoll_plan_t *plan,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           napcoll_verdict_t *verdict);

/** Name of a status ("deadlock"), static. */
const char *napcoll_verify_status_name(napcoll_verify_status_t status);

/** A rank's place for napcoll_goal_buffers. */
static inline int napcoll_goal_place(napcoll_goal_t goal, const napcoll_node_map_t *map, int root,
                                     int rank)
{
    const int place = napcoll_node_map_place(map, rank);

    return NAPCOLL_GOAL_GATHER != goal && NAPCOLL_GOAL_SCATTER != goal
               ? place
               : (place + map->size - napcoll_node_map_place(map, root)) % map->size;
}

/** Set a verdict; the text is "rank R, stage S, step I: " and what the format says, without what is -1.
 * Returns status. */
__attribute__((format(printf, 6, 7))) napcoll_verify_status_t napcoll_verdict_set(
    napcoll_verdict_t *verdict, napcoll_verify_status_t status, int rank, int stage, int step,
    const char *format, ...);

#endif /* NAPCOLL_PLAN_VERIFY_H */
