/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * TuNA's rounds: all-to-all among the members of a ring, with any radix. The block that a member
 * has for the one j places before it goes there by the digits of j: in the round of digit z at the
 * weight a = radix^x all blocks with that digit there go z a places back together.
 *
 *     members 4, radix 2        j = 1      2          3
 *     weight 1, digit 1         arrives    .          to the next round
 *     weight 2, digit 1                    arrives    arrives
 *
 * Slot j of a member always has a block that has come j mod a places, and still has to go j - j mod
 * a. A block with one nonzero digit is sent once, from the input, and needs no temporary, so there
 * are
 *
 *     K rounds, one for each number in [1, members) with one nonzero digit
 *     D blocks sent by each member, the nonzero digits of all numbers in [1, members)
 *     T = members - 1 - K slots in a temporary
 *
 *     members   radix    K      D        T
 *     4096      2        12     24576    4083
 *     4096      64       126    8064     3969
 *     4096      4096     4095   4095     0
 *
 * Rounds of one weight do not depend on each other; `burst` of them go together, as one stage of
 * the plan. Where members do not know the sizes of others' blocks, messages begin with them.
 *
 * K. Fan, J. Domke, S. Ba, S. Kumar: "Configurable Non-uniform All-to-all Algorithms", 2024,
 * sections III and IV.
 */

#ifndef NAPCOLL_TUNA_H
#define NAPCOLL_TUNA_H

#include "algo/napcoll_algo.h"
#include "algo/pattern/napcoll_sketch.h"

/* ---- numbers ---- */

/** The radix used for the one wanted: from 2 to the number of members. */
int napcoll_digits_radix(int wanted, int members);

/** Rounds, K: the messages that each member sends. */
int napcoll_digits_rounds(int members, int radix);

/** Numbers below `members` with this nonzero digit at this weight, a power of the radix. */
int64_t napcoll_digits_having(int members, int radix, int64_t weight, int digit);

/** Slots in a temporary, T. */
int napcoll_digits_slots(int members, int radix);

/** The slot of block j, which has at least two nonzero digits. Blocks with the same leading digit
 * have successive slots. */
int napcoll_digits_slot(int radix, int j);

/* ---- rounds ---- */

/** The most messages at once, unless the user says otherwise. */
enum { NAPCOLL_TUNA_AT_ONCE = 256 };

/** Messages of one burst: the number wanted; 0: all of a digit, NAPCOLL_TUNA_AT_ONCE at most. */
int napcoll_tuna_burst(int wanted, int members, int radix);

/** Where blocks are that a round sends or receives. */
typedef enum {
    NAPCOLL_TUNA_INPUT,   /**< the member's own */
    NAPCOLL_TUNA_TRANSIT, /**< in slots */
    NAPCOLL_TUNA_HOME     /**< at the member that they are for */
} napcoll_tuna_where_t;

/** Blocks [first, first + count) of a group, as one member has them; block j has come j - left
 * places. Those in transit have one leading digit. */
typedef struct napcoll_tuna_run {
    napcoll_tuna_where_t where;
    int ring;
    int group;
    int first;
    int count;
    /** Places that they still have to go. */
    int left;
} napcoll_tuna_run_t;

/** An exchange. Members may have several blocks for each other: one of every group. */
typedef struct napcoll_tuna {
    int members;
    int self;
    /** As napcoll_digits_radix says. */
    int radix;
    int burst;
    int groups;
    /** Rings on which the process is the member, each with its messages; 0 is 1. */
    int rings;
    /** Every message begins with the sizes of its blocks, so that each member hears from all. */
    bool headed;

    /** Rank of a member of a ring. */
    int (*rank)(const struct napcoll_tuna *tuna, int ring, int member);

    /** Add a run to a list, without the blocks that there are not. */
    void (*add)(const struct napcoll_tuna *tuna, napcoll_builder_t *builder, napcoll_span_t *list,
                const napcoll_tuna_run_t *run);

    /** Blocks of a run in all groups together. NULL: every group has all blocks. */
    int (*blocks)(const struct napcoll_tuna *tuna, const napcoll_tuna_run_t *run);

    const napcoll_plan_args_t *args;
    /** The rest is for the functions: */
    /** This rank's place in the node order. */
    int place;
    int node;
    /** The buffer of the slots, and the first of them. */
    int temporary;
    int slots;
    /** How many each group of a ring has, where all groups have slots of their own. */
    int slots_of_group;
    /** [members] blocks that each gets from every other member, where that differs; or NULL. */
    int *rows;
    /** The exchange before this one. */
    const struct napcoll_tuna *inside;
} napcoll_tuna_t;

/** Emit the rounds; ends the last stage. A message without blocks is left out. */
void napcoll_tuna_emit(const napcoll_tuna_t *tuna, napcoll_builder_t *builder);

#endif /* NAPCOLL_TUNA_H */
