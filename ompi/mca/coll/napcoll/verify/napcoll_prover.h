/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A proof while it is under way; private to verify/. napcoll_verify.c decides which rank goes on,
 * napcoll_verify_stage.c does what a stage does to its blocks, napcoll_verify_result.c compares
 * a result with the claim.
 *
 * A block's symbolic value is a set of contributions and the order of their reductions:
 *
 *     contributions   their number, and the sum of a random number per rank: it equals the sum over
 *                     all ranks only if each is there once
 *     interval        [low, high) while reductions joined neighbours in rank order
 *     bracketing      a hash of the tree of reductions
 *
 * A personalized block is one contribution, from rank low for rank high. Where it goes straight to
 * its rank (napcoll_claim_t), it is in the receive buffer from the beginning, and only the word of
 * that goes through the plan. The messages of a barrier
 * are empty; they carry the set of the ranks that are known to have begun.
 *
 * Functions that return bool return false when the verdict is set.
 */

#ifndef NAPCOLL_PROVER_H
#define NAPCOLL_PROVER_H

#include "plan/napcoll_scope.h"
#include "verify/napcoll_plan_cache.h"
#include "verify/napcoll_rank_set.h"
#include "verify/napcoll_symmetry.h"

typedef struct {
    /* of the ranks' random numbers */
    uint64_t sum;
    uint64_t bracketing;
    /* contributions; 0: not written */
    int32_t count;
    int32_t low, high;
    bool in_order;
    /* personalized: not the block, but the word that it goes straight to its rank */
    bool is_word;
} value_t;

typedef struct {
    /* values of the blocks of all buffers; NULL before the first use and after the end */
    value_t *block;
    /* values of the blocks in all messages that were posted */
    value_t *outbox;
    /* barrier: places (in the node order) of ranks known to have begun, now and at each of the
     * stages */
    napcoll_rank_set_t knows;
    napcoll_rank_set_t *told;
    int stages;
    /* the stage at which the rank is, and whether its messages are posted */
    int32_t stage;
    bool posted;
    /* the message of the stage whose match is looked for next */
    int32_t next;
    bool checked;
    bool ended;
} rank_t;

/* A rank of the chain, and the stage that it must post; the number of stages stands for its end. */
typedef struct {
    int rank;
    int stage;
} demand_t;

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    /* NULL: none, and every rank is proved by itself */
    const napcoll_symmetry_t *symmetry;
    /* the rank that is proved as an exception to it, or -1 */
    int exception;
    /* plans of the chain are kept in it */
    napcoll_plan_cache_t cache;
    napcoll_verdict_t *verdict;
    /* [size] */
    rank_t *rank;
    /* values of all ranks' blocks and outboxes, and the most; 0: no limit */
    size_t values, most_values;
    demand_t *chain;
    size_t chain_length, chain_room;
    /* [size + 1] the sums of the random numbers of ranks 0 .. i - 1 */
    uint64_t *sum;
    /* the bracketing by halves of ranks 0 .. canonical_ranks - 1 */
    uint64_t canonical;
    int canonical_ranks;
    /* [bracketing_blocks] of the first result, and the rank that has it; -1: none yet */
    uint64_t *bracketing;
    int bracketing_rank;
    int bracketing_blocks;
} prover_t;

/** Set an error: "rank R, stage S, step I: " without what is -1, and the text. Returns false. */
__attribute__((format(printf, 6, 7))) bool napcoll_verdict_fail(napcoll_verdict_t *verdict,
                                                                napcoll_verify_status_t status,
                                                                int rank, int stage, int step,
                                                                const char *format, ...);

static inline bool napcoll_prover_no_memory(const prover_t *prover)
{
    return napcoll_verdict_fail(prover->verdict, NAPCOLL_VERIFY_NO_MEMORY, -1, -1, -1,
                                "out of memory");
}

/** Count values that a rank needs more. False: they are too many. */
bool napcoll_prover_take_values(prover_t *prover, size_t more);

/** Whether two spans are the same blocks, as far as blocks keep their numbers. */
bool napcoll_plan_same_blocks(const napcoll_plan_t *plan, napcoll_span_t a, napcoll_span_t b);

/** The value of a block that a rank contributes. */
value_t napcoll_prover_contribution(int rank);

/** The value of the block that a rank has for another one. */
value_t napcoll_prover_personalized(int from, int to);

/** The value of the block of an edge that leaves, or comes to, a rank; without contributions where
 * the edge leads nowhere. In an allgather a rank has one block for all. */
value_t napcoll_prover_edge(napcoll_goal_t goal, int rank, const napcoll_plan_edge_t *edge,
                            bool leaves);

/** The bracketing of a reduction of two values. */
uint64_t napcoll_prover_bracket(uint64_t left, uint64_t right);

/** The bracketing of the vectors of ranks [low, high) by halves (see napcoll_claim_t). */
uint64_t napcoll_prover_bracket_by_halves(int low, int high);

/** *result = left op right; or how that breaks the claim, which no later step can repair. */
napcoll_verify_status_t napcoll_prover_reduce(const napcoll_claim_t *claim, value_t left,
                                              value_t right, value_t *result);

/** Bring a rank's plan into the cache, which may drop others that are not kept. A plan that the
 * source makes for the first time is checked. */
bool napcoll_prover_need_plan(prover_t *prover, int rank);

/** A plan in the cache. */
static inline const napcoll_plan_t *napcoll_prover_plan(const prover_t *prover, int rank)
{
    return prover->cache.entry[rank]->plan;
}

/** The rank whose plan and blocks stand for a rank's: with a symmetry its model. */
static inline int napcoll_prover_model(const prover_t *p, int rank)
{
    return NULL == p->symmetry || rank == p->exception
               ? rank
               : napcoll_node_map_at(
                   p->map,
                   napcoll_symmetry_model(p->symmetry, napcoll_node_map_place(p->map, rank)));
}

/** The image of a rank under the move of rank `from` to rank `to`. */
static inline int napcoll_prover_image(const prover_t *p, int rank, int from, int to)
{
    const napcoll_node_map_t *map = p->map;

    return napcoll_node_map_at(map, napcoll_symmetry_image(p->symmetry,
                                                           napcoll_node_map_place(map, rank),
                                                           napcoll_node_map_place(map, from),
                                                           napcoll_node_map_place(map, to)));
}

/** A model's value as another rank has it: its image under the move of the one to the other. */
value_t napcoll_prover_value_at(const prover_t *p, value_t value, int from, int to);

/** The step at the other end of a message of a rank, in the plan of the peer's model; -1: there is
 * none. Both plans are in the cache. */
int napcoll_prover_other_end(const prover_t *p, int rank, int index);

/** Make the blocks of a rank whose plan is in the cache, with its contribution in the input. */
bool napcoll_prover_need_blocks(prover_t *prover, int rank);

/** Post a rank's current stage: this fixes what its sends, or its phase, give away. */
bool napcoll_prover_post_stage(prover_t *prover, int rank);

/** Complete a rank's current stage, when the peers of all its messages have posted; go to the
 * next. */
bool napcoll_prover_complete_stage(prover_t *prover, int rank);

/** Check the result of a rank whose plan has ended, and free its blocks. */
bool napcoll_prover_check_result(prover_t *prover, int rank);

#endif /* NAPCOLL_PROVER_H */
