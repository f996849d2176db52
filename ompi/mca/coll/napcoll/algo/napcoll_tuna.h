/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA's rounds: all-to-all among the members of a ring, with any radix. The block that a member has for the one
 * j places before it goes there by the digits of j: in the round of digit z at the weight a = radix^x all blocks
 * whose digit there is z go z a places back together.
 *
 *     members 4, radix 2        j = 1      2          3
 *     weight 1, digit 1         home       .          to the next round
 *     weight 2, digit 1                    home       home
 *
 * In every round slot j of a member holds a block that has come j mod a places, and has j - j mod a to go. One
 * that has none but its last digit to go was never moved before its only round, and needs no temporary: so
 * members - 1 - rounds slots do. K. Fan, J. Domke, S. Ba, S. Kumar: "Configurable Non-uniform All-to-all
 * Algorithms", 2024, sections III and IV.
 *
 * Rounds of one weight do not depend on each other; `burst` of them go together, as one stage of the plan. Where
 * members do not know the sizes of others' blocks, those that will go into a temporary are told one stage
 * ahead, together with the blocks of the burst before: w digits take w + 1 stages, not 2 w. Where members know
 * a bound that is small, they are told along with the blocks.
 */

#ifndef NAPCOLL_TUNA_H
#define NAPCOLL_TUNA_H

#include "algo/napcoll_algo.h"
#include "algo/napcoll_digits.h"
#include "algo/napcoll_sketch.h"

/** Rounds that can go together: the messages of one burst. 0 wanted: all of a digit, 256 at most. */
int napcoll_tuna_burst(int wanted, int members, int radix);

/** Where the blocks are that a round takes or brings. */
typedef enum {
    NAPCOLL_TUNA_INPUT,   /**< the member's own */
    NAPCOLL_TUNA_TRANSIT, /**< in slots */
    NAPCOLL_TUNA_HOME     /**< at their member */
} napcoll_tuna_where_t;

/** Who exchanges. Members may have several blocks for each other: one of every group. */
typedef struct napcoll_tuna {
    int members;
    int self;
    int radix; /**< as napcoll_digits_radix says */
    int burst;
    int groups;
    bool sized;  /**< sizes must be told ahead, or */
    bool headed; /**< along with the blocks: in every message, so that each member hears from all */

    /** Rank of a member. */
    int (*rank)(const struct napcoll_tuna *tuna, int member);

    /** Add blocks [first, first + count) of a group to a list; those of TRANSIT have one leading digit. */
    void (*add)(const struct napcoll_tuna *tuna, napcoll_builder_t *builder, napcoll_span_t *list,
                int group, napcoll_tuna_where_t where, int first, int count);

    /** Whether blocks of a group that are at home stay in a temporary; alike for all groups but group 0. */
    bool (*rests)(const struct napcoll_tuna *tuna, int group);

    const napcoll_plan_args_t *args;   /**< for the functions */
    int place;                         /**< likewise: this rank's in the node order */
    int node;                          /**< likewise */
    int temporary;                     /**< likewise: the buffer of the slots */
    int slots;                         /**< likewise: the first of them in that */
    const struct napcoll_tuna *inside; /**< likewise: an exchange before this one */
} napcoll_tuna_t;

/** Emit the rounds; ends the last stage. */
void napcoll_tuna_emit(const napcoll_tuna_t *tuna, napcoll_builder_t *builder);

#endif /* NAPCOLL_TUNA_H */
