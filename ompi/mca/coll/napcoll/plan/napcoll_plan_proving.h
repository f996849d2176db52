/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * A proof while it is under way, for the rooms that run it (napcoll_plan_verify.c: which rank goes on,
 * napcoll_plan_evaluate.c: what a stage does to its blocks, napcoll_plan_result.c: whether a result is
 * what was promised). Others use napcoll_plan_verify.h.
 *
 * A block's symbolic value is a set of contributions and the way they were reduced:
 *
 *     contributions   how many, and the sum of a random number per rank: equal to the sum over all
 *                     ranks only if each is there once
 *     interval        [low, high) while the reduces joined neighbours in rank order
 *     bracketing      a hash over the tree of reduces
 *
 * A block of an all-to-all is one contribution, of a pair of ranks: from low, for high.
 *
 * The messages of a barrier are empty; what they carry is word of the ranks that have begun, a set.
 *
 * Functions that return a status have set run->verdict where it is not NAPCOLL_VERIFY_OK.
 */

#ifndef NAPCOLL_PLAN_PROVING_H
#define NAPCOLL_PLAN_PROVING_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/napcoll_plan_cache.h"
#include "plan/napcoll_plan_verify.h"
#include "plan/napcoll_rank_set.h"

typedef struct {
    uint64_t sum; /* of the ranks' random numbers */
    uint64_t bracketing;
    int32_t count; /* contributions; 0: never written */
    int32_t low, high;
    bool in_order;
} value_t;

typedef struct {
    value_t *block; /* values of all buffers' blocks; NULL before the first use and after the end */
    value_t *outbox;   /* what was posted so far */
    uint64_t *told_of; /* of all buffers' blocks: the sum of what is said to come there; 0: nothing.
                                 NULL where no sizes are told */
    napcoll_rank_set_t knows; /* barrier: places (in the node order) of ranks known to have begun */
    napcoll_rank_set_t *told; /* barrier: [stages] what was posted so far */
    int stages;               /* barrier: of the plan */
    int32_t stage;            /* where it stands */
    int32_t next;             /* message of the stage whose other end is looked for */
    bool posted;              /* the stage's messages */
    bool checked;
    bool ended;
} rank_t;

/* One rank of the chain, and the stage that it is to post: stages: its end. */
typedef struct {
    int rank;
    int stage;
} demand_t;

typedef struct {
    napcoll_plan_source_t source;
    void *context;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    napcoll_plan_cache_t cache; /* plans at hand; those of the chain are kept */
    napcoll_verdict_t *verdict;
    rank_t *rank; /* [size] */
    demand_t *chain;
    int chain_length, chain_room;
    uint64_t *sum;      /* [size + 1] the sums of the random numbers of ranks 0 .. i - 1 */
    uint64_t canonical; /* the bracketing of ranks 0 .. canonical_ranks - 1 by halves */
    int canonical_ranks;
    uint64_t *bracketing; /* [blocks] of the first result */
    int bracketing_rank;  /* whose; -1: none yet */
    int bracketing_blocks;
} run_t;

/** The value of a block that a rank contributes. */
value_t napcoll_proving_contribution(int rank);

/** The value of the block that a rank has for another one. */
value_t napcoll_proving_pair(int from, int to);

/** The bracketing of a reduction of two values, given theirs. */
uint64_t napcoll_proving_bracket(uint64_t left, uint64_t right);

/** Memory ran out: set the verdict. */
napcoll_verify_status_t napcoll_proving_no_memory(const run_t *run);

/** Have a rank's plan at hand, in run->plan cache.copy[rank]. What is at hand already may go, unless it is kept.
 * A plan that the source makes for the first time is checked. */
napcoll_verify_status_t napcoll_proving_need_plan(run_t *run, int rank);

/** Have the blocks of a rank, whose plan is at hand, with its contribution in the input. */
napcoll_verify_status_t napcoll_proving_need_blocks(run_t *run, int rank);

/** Post the stage that a rank stands at: what its sends, or its phase, give away is fixed now. */
napcoll_verify_status_t napcoll_proving_post_stage(run_t *run, int rank);

/** Complete the stage that a rank stands at, where all other ends of its messages are posted; it stands at
 * the next one then. */
napcoll_verify_status_t napcoll_proving_complete_stage(run_t *run, int rank);

/** A rank's plan has ended: check its result, and free its blocks. */
napcoll_verify_status_t napcoll_proving_check_result(run_t *run, int rank);

#endif /* NAPCOLL_PLAN_PROVING_H */
