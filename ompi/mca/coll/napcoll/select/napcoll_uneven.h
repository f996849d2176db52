/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Uneven calls: MPI_Alltoallv, Alltoallw, Gatherv and Scatterv, whose block sizes no rank knows
 * alone. Ranks do not agree on them. Where the chosen algorithm forwards blocks in rounds, each
 * block takes one of two ways, which both of its ends know without a word:
 *
 *     at most inline_bytes    through the rounds of the plan, behind its size
 *     larger                  straight to its rank, in a message of its own beside the rounds
 *
 * What ranks have to say about a call travels in front of the blocks of this call, and reaches all
 * of them where each hears from all (of an all-to-all; of a scatter from the root). It serves the
 * next call, never this one:
 *
 *     how large the inline blocks are      the next plan is chosen for such blocks
 *     whether anybody needs the rounds     if nobody did in a few calls in a row, the next ones do
 *                                          without: all blocks go straight
 *
 * The next call is the next blocking one on the communicator, or the second start of a persistent
 * all-to-all, whose later starts have the same blocks.
 *
 * Along edges, in neighbourhood collectives, no rank hears from all. There the ranks agree on sizes
 * (napcoll_neighbor.h) as the blocking calls 1, 3, 6, 11, 20, ... begin, and calls up to the next
 * of these rest on it:
 *
 *     calls    1   2   3   4   5   6   7  ..  11      agreements at growing distance: 2, 3, 5, 9 ..
 *              *       *           *          *          up to 33
 *
 * Pure: no MPI in here.
 */

#ifndef NAPCOLL_UNEVEN_H
#define NAPCOLL_UNEVEN_H

#include "select/napcoll_neighbor.h"
#include "select/napcoll_select.h"

enum {
    /** the block for which plans are chosen where nothing is known of sizes */
    NAPCOLL_UNEVEN_FIRST_BYTES = 64,
    /** calls in a row in which nobody needed the rounds, before calls do without */
    NAPCOLL_UNEVEN_PATIENCE = 4,
    /** calls that do without: at first, and at most */
    NAPCOLL_UNEVEN_LEAST_CALLS = 16,
    NAPCOLL_UNEVEN_MOST_CALLS = 256,
    /** the same along edges, where old sizes cost more than an agreement does */
    NAPCOLL_UNEVEN_LEAST_EDGE_CALLS = 1,
    NAPCOLL_UNEVEN_MOST_EDGE_CALLS = 32,
    /** the numbers that a rank can say */
    NAPCOLL_UNEVEN_SAYINGS = 128,
    /** for all slots of a process, where the model sets the largest inline block: messages are
     * received where there is room for such blocks */
    NAPCOLL_INLINE_SLOTS_BYTES = 16 * 1024 * 1024
};

/** What a communicator remembers from one call of a collective to the next: the same on all ranks.
 * All zero before the first call. */
typedef struct napcoll_uneven {
    /** mean block of the last call that was heard of; 0: none was */
    size_t bytes;
    /** calls in a row of which ranks have heard; 0: they look for a size whose plan lets them */
    int hears;
    /** the size that they try */
    int probe;
    /** calls in a row in which nobody needed the rounds */
    int idle;
    /** calls to come of which ranks do not hear, and how many there were the last time */
    int calls;
    int turn;
    /** the call under way is one of them, and whether all blocks go straight in these */
    bool deaf;
    bool straight;
} napcoll_uneven_t;

/** Whether ranks cannot hear of others' blocks: in a gather no message leaves the root, which alone
 * knows them. Its plans are always chosen for NAPCOLL_UNEVEN_FIRST_BYTES. */
static inline bool napcoll_uneven_is_mute(const napcoll_collective_t *collective)
{
    return collective->uneven && NAPCOLL_GOAL_GATHER == collective->goal;
}

/** A call begins: set call->bytes and call->straight. */
void napcoll_uneven_begin(napcoll_uneven_t *uneven, napcoll_call_t *call);

/** Whether ranks hear of each other's blocks, and somebody needed the rounds in the last call. */
bool napcoll_uneven_needs_rounds(const napcoll_uneven_t *uneven);

/**
 * What a rank has to say about the blocks that it sends.
 *
 * @param[in] blocks  inline blocks with bytes
 * @param[in] bytes   of the blocks whose mean is told: the inline ones, or all where rules decide
 * @param[in] most    blocks that it could have, its own left out
 * @param[in] few     blocks that take no longer straight than in the rounds
 *
 * @return a number from 1 on; 0 is for ranks that have nothing to say
 */
unsigned napcoll_uneven_say(size_t blocks, size_t bytes, size_t most, size_t few);

/** A call has ended in which all ranks heard the same: heard[s] ranks have said s. */
void napcoll_uneven_hear(napcoll_uneven_t *uneven, const int heard[NAPCOLL_UNEVEN_SAYINGS]);

/** A call was decided for an algorithm, or the fallback function, in which ranks do not hear of
 * each other. Where they look for a size, the next call tries another one; else the next calls are
 * decided alike for a while. */
void napcoll_uneven_deaf(napcoll_uneven_t *uneven);

/** A call along edges begins. Returns whether ranks agree on sizes in it. */
bool napcoll_uneven_begin_edges(napcoll_uneven_t *uneven);

/**
 * They have agreed: the next calls do without it.
 *
 * @param[in] bytes     of the mean block that may be forwarded
 * @param[in] straight  all blocks go straight in less time
 */
void napcoll_uneven_agreed(napcoll_uneven_t *uneven, size_t bytes, bool straight);

/** Set call->bytes and call->straight by the latest agreement. */
void napcoll_uneven_look(const napcoll_uneven_t *uneven, napcoll_call_t *call);

/** The largest block that is forwarded along edges, where no rule says. */
size_t napcoll_uneven_edges_inline(const napcoll_settings_t *settings);

/**
 * Whether all blocks shall go straight along edges, by the model.
 *
 * @param[in] collective    an uneven one
 * @param[in] settings      of it; force and rules do not matter
 * @param[in] map           the communicator's
 * @param[in] neighborhood  with what all ranks have agreed on
 * @param[in] sizes         on which they have agreed now
 */
bool napcoll_uneven_edges_straight(const napcoll_collective_t *collective,
                                   const napcoll_settings_t *settings,
                                   const napcoll_node_map_t *map,
                                   const napcoll_neighborhood_t *neighborhood,
                                   const napcoll_neighbor_sizes_t *sizes);

/** The row by which all blocks go straight to their ranks. */
int napcoll_uneven_straight_row(const napcoll_collective_t *collective);

/** The limit for inline blocks that a rule (or NULL) or users set for a decision, see
 * napcoll_decision_t; 0 also where it forwards no blocks of sizes of their own. */
size_t napcoll_uneven_inline(const napcoll_settings_t *settings, const napcoll_call_t *call,
                             const napcoll_rule_t *rule, const napcoll_decision_t *decision);

/** Where rounds pay, by the model: the same on all ranks. */
typedef struct napcoll_limits {
    /** 4 times the largest size, a power of two, for which rounds take no longer than messages
     * straight to all ranks, since sizes differ from their mean; of a gather that size, since no
     * mean is heard of. 0: there is none */
    size_t inline_bytes;
    /** blocks that take no longer straight than in the rounds */
    size_t few;
} napcoll_limits_t;

/**
 * Estimate where rounds pay.
 *
 * @param[in]  collective  an uneven one
 * @param[in]  settings    of it; force and rules do not matter
 * @param[in]  map         the communicator's
 * @param[out] limits      the limits
 *
 * @return 0, or -1 when memory ran out
 */
int napcoll_uneven_limits(const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                          napcoll_limits_t *limits);

#endif /* NAPCOLL_UNEVEN_H */
