/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The verifier runs plans symbolically, without any process, and proves that
 *
 * - every send matches a receive, in order and of its blocks, and no message is left over;
 * - there is no deadlock, even where a send completes only with its receive (rendezvous);
 * - blocks are written before they are read, and not while a message of the same stage uses them;
 *   spans are inside their buffers; a reduction's dst is its right operand or touches neither;
 * - the result is what the goal promises: every contribution exactly once, in rank order where
 *   claimed; every block in its place; no rank ends a barrier before it knows that all ranks have
 *   begun;
 * - all ranks bracket the reductions alike, so that they get the same bits, and by halves of the
 *   ranks where claimed;
 * - a personalized block reaches the rank that it is for, and is not sent again once it has left a
 *   slot; sizes are the sizes of the blocks that come;
 * - a reduce-scatter in place reads nothing that its result has overwritten;
 * - no process has more messages in a stage than claimed.
 *
 * The proof goes by demand: it asks for a rank's result and runs what this depends on: the stages
 * of other ranks whose messages it needs, what these depend on, and so on. A whole proof asks for
 * every rank. A sample asks for some ranks and proves the above for all on which their results
 * depend; it does not see what other ranks do besides. Each plan that is needed is checked by
 * itself as a whole.
 *
 * It runs one order of events, in which each send waits for its receive. That this order stands for
 * all, with any buffering, is shown for programs without wildcard receives by S. F. Siegel,
 * G. S. Avrunin: "Analysis of MPI Programs", University of Massachusetts, 2003. It assumes that
 *
 * - each receive names its sender and its tag, and no decision depends on when a message comes;
 * - messages between two ranks are received in the order in which they were sent;
 * - all messages of a stage are posted before one of them is waited for;
 * - all ranks run the plans that were proved, for the same call.
 */

#ifndef NAPCOLL_VERIFY_H
#define NAPCOLL_VERIFY_H

#include "plan/napcoll_goal.h"

typedef enum {
    NAPCOLL_VERIFY_OK = 0,
    NAPCOLL_VERIFY_NO_MEMORY,
    NAPCOLL_VERIFY_SPAN,         /**< a span leaves its buffer, or a write to the send buffer */
    NAPCOLL_VERIFY_REDUCTION,    /**< dst overlaps an operand that it must not */
    NAPCOLL_VERIFY_IN_FLIGHT,    /**< a receive into blocks that another message uses */
    NAPCOLL_VERIFY_PEER,         /**< a message to the rank itself, or to no rank */
    NAPCOLL_VERIFY_UNMATCHED,    /**< a message that matches none of its peer */
    NAPCOLL_VERIFY_PHASE,        /**< a phase that differs between its members */
    NAPCOLL_VERIFY_DEADLOCK,     /**< ranks that wait for each other */
    NAPCOLL_VERIFY_UNWRITTEN,    /**< a block that is read before it is written */
    NAPCOLL_VERIFY_CONTRIBUTION, /**< a contribution missing or twice; a wrong block */
    NAPCOLL_VERIFY_ORDER,        /**< contributions out of rank order */
    NAPCOLL_VERIFY_BRACKETING,   /**< ranks that reduce in different orders */
    NAPCOLL_VERIFY_MESSAGES,     /**< more messages in a stage than claimed */
    NAPCOLL_VERIFY_SIZES,        /**< wrong sizes of blocks that come, or no sizes */
    NAPCOLL_VERIFY_STATUSES
} napcoll_verify_status_t;

/** The first error, or how much was proved. */
typedef struct napcoll_verdict {
    napcoll_verify_status_t status;
    /** where the error is; -1: at no single rank, stage or step (an index into plan->step) */
    int rank;
    int stage;
    int step;
    /** the error as one sentence */
    char text[256];
    /** ranks whose result was proved */
    int results;
    /** ranks whose plan was checked */
    int plans;
    /** messages whose two ends matched */
    int64_t messages;
} napcoll_verdict_t;

/** How much to prove, and with how much memory. */
typedef struct napcoll_proof {
    /** ranks whose results are proved: the first, the last and random others; 0: all ranks */
    int sample;
    /** of the random ranks */
    uint64_t seed;
    /** bytes that all plans may take, besides the plans of a chain of waiting ranks; above it
     * plans are dropped, and made again when they are needed. 0: no limit */
    size_t plan_memory;
    /** bytes that the values of blocks may take; above it the proof ends with
     * NAPCOLL_VERIFY_NO_MEMORY. 0: no limit */
    size_t value_memory;
    /** the source keeps its plans: they are not freed */
    bool borrowed;
    /** all plans are images of a few (napcoll_symmetry.h), and the few are proved; no source is
     * asked. NULL: every plan is proved by itself */
    const struct napcoll_symmetry *symmetry;
} napcoll_proof_t;

/**
 * Verify the plans of a collective, which a source makes when they are needed. Besides the plans
 * this takes about 100 bytes per rank, and 32 bytes per block in a buffer or message.
 *
 * @param[in]  source   makes the plans
 * @param[in]  context  for source
 * @param[in]  map      the node map they are made for
 * @param[in]  claim    what to prove
 * @param[in]  proof    how much to prove
 * @param[out] verdict  the first error
 *
 * @return verdict->status
 */
napcoll_verify_status_t napcoll_plan_prove(napcoll_plan_source_t source, void *context,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           const napcoll_proof_t *proof,
                                           napcoll_verdict_t *verdict);

/** A napcoll_plan_source_t whose context is an array of plans. */
static inline napcoll_plan_t *napcoll_plan_of_array(void *context, int rank)
{
    return ((napcoll_plan_t **) context)[rank];
}

/**
 * Verify the plans of all ranks.
 *
 * @param[in]  plans    [map->size] one plan per rank; borrowed
 * @param[in]  map      the node map they were made for
 * @param[in]  claim    what to prove
 * @param[out] verdict  the first error
 *
 * @return verdict->status
 */
static inline napcoll_verify_status_t napcoll_plan_verify(napcoll_plan_t *const *plans,
                                                          const napcoll_node_map_t *map,
                                                          const napcoll_claim_t *claim,
                                                          napcoll_verdict_t *verdict)
{
    return napcoll_plan_prove(napcoll_plan_of_array, (void *) plans, map, claim,
                              &(napcoll_proof_t){.borrowed = true}, verdict);
}

/** Check what one plan shows by itself: spans, operands, peers, phases, messages of a stage. The
 * functions above do this for every plan. Returns a status; the verdict is set unless it is OK. */
napcoll_verify_status_t napcoll_plan_check(const napcoll_plan_t *plan,
                                           const napcoll_node_map_t *map,
                                           const napcoll_claim_t *claim,
                                           napcoll_verdict_t *verdict);

/** Name of a status ("deadlock"), static. */
const char *napcoll_verify_status_name(napcoll_verify_status_t status);

#endif /* NAPCOLL_VERIFY_H */
