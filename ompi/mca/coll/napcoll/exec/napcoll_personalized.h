/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans in the layout of personalized blocks (all-to-alls, gathers, scatters): every block has a place, a count and a datatype of
 * its own. One that goes straight from its rank to the one that it is for is sent and received
 * with these; several in one message, and those that stop on the way, go as packed bytes, which blocks without gaps
 * that lie one behind the other are already.
 *
 *     post    the stage's messages get their memory; what is sent together is packed. What brings blocks that
 *             stop here is received where they will stay
 *     land    what came together is unpacked into the user's blocks, or becomes slots; sizes are noted
 *
 * Where the plan is run for pieces of the blocks, these are cut as packed bytes; blocks with gaps are packed before
 * the first piece, or unpacked after the last one. Pieces are alike but for the last one, which has what is left.
 */

#ifndef NAPCOLL_PERSONALIZED_H
#define NAPCOLL_PERSONALIZED_H

#include <stdint.h>

#include "exec/napcoll_exec.h"
#include "exec/napcoll_transit.h"

/** A block of the user's. */
typedef struct napcoll_block {
    char *at;
    size_t count;
    ompi_datatype_t *type;
    size_t bytes; /**< packed; napcoll_personalized_measure fills it in */
    bool dense;   /**< packed as it lies, from at + lead on; likewise */
    ptrdiff_t lead;
} napcoll_block_t;

/**
 * What messages that begin with sizes say besides, in the first of these. Who has heard it says it on.
 *
 *     DOUBT   ranks had better agree on sizes in the next call
 *     BREAK   sizes are others than all ranks rely on: who has said it leaves blocks behind, and the call has to be run
 *             again with sizes that hold
 */
#define NAPCOLL_SAID_DOUBT (UINT64_C(1) << 62)
#define NAPCOLL_SAID_BREAK (UINT64_C(1) << 63)

/** Where the bytes of a message are. */
typedef enum {
    NAPCOLL_WAY_PACKED,   /**< in memory of its own: several blocks, or sizes */
    NAPCOLL_WAY_STOPS,    /**< in transit: it brings blocks that stop here */
    NAPCOLL_WAY_ONE,      /**< in its one block, with the datatype of that */
    NAPCOLL_WAY_ADJACENT, /**< in the user's blocks, which lie one behind the other */
    NAPCOLL_WAY_WORD,     /**< nowhere: it has none */
} napcoll_way_t;

/** A message of a stage. */
typedef struct napcoll_parcel {
    napcoll_way_t way;
    char *at;
    size_t count;
    ompi_datatype_t *type;
    bool nothing; /**< it has no bytes, and is not sent */
    /** it is received with sizes of its own, or is a block of which its receiver may get less */
    bool at_most;
    size_t offset; /**< of what stops here: of its bytes among those in transit */
} napcoll_parcel_t;

/** What calls on one communicator have in common, and the present call. All zero: nothing. */
struct napcoll_personalized {
    napcoll_block_t *block[NAPCOLL_BUFFER_TEMP]; /**< [held] of the user's two buffers */
    napcoll_block_range_t
        held[NAPCOLL_BUFFER_TEMP]; /**< which blocks these are, as the layout counts them */
    napcoll_block_t *room;         /**< [rooms] where they are */
    size_t rooms;
    bool
        in_place; /**< what is sent is what the receive blocks hold before; then all ranks have blocks */
    bool even; /**< all blocks have `bytes` bytes, and no sizes are told */
    size_t bytes;
    size_t largest; /**< of messages that begin with sizes: no block that stops is larger */
    uint64_t
        said; /**< NAPCOLL_SAID_... that messages which begin with sizes take along: of this process
                         before a plan is run, and what it has heard from others then */
    napcoll_transit_t transit;
    napcoll_parcel_t *parcel; /**< [parcel_room] */
    int parcel_room;
    char *packed; /**< memory of the stage's messages */
    size_t packed_room;
    char *copy; /**< blocks that are packed as a whole, while the plan runs */
    size_t copy_room;
    napcoll_block_t *
        spread; /**< [held] where such a block of the receive buffer goes, while the plan runs; or NULL */
    int pieces;
    int piece;      /**< that is under way */
    bool truncated; /**< a block was larger than its receiver said, and the plan went on */
    bool doubtful;  /**< one was in a plan of the same call before */
    /** of a gather: a block that the root expects has not come where it has no bytes */
    bool complete;
};

/* ---- napcoll_personalized_blocks.c ---- */

/** Make room for the blocks of the user's buffers, which the caller fills in: at, count and type. */
int napcoll_personalized_hold(napcoll_personalized_t *personalized,
                              const napcoll_block_range_t held[NAPCOLL_BUFFER_TEMP]);

/** A block of the user's. */
static inline napcoll_block_t *napcoll_personalized_block(
    const napcoll_personalized_t *personalized, int32_t buffer, int block)
{
    return &personalized->block[buffer][block - personalized->held[buffer].first];
}

/** Fill in what follows from the datatypes; in place the send blocks are those of the receive buffer. */
void napcoll_personalized_measure(napcoll_personalized_t *personalized);

/** The bytes of the blocks of a user's buffer from `first` on (1: but for a root's own), and of the largest of them. */
void napcoll_personalized_sum(const napcoll_personalized_t *personalized, int32_t buffer, int first,
                              size_t *sum, size_t *largest);

/** How many blocks of a user's buffer have bytes, without the rank's own. */
int napcoll_personalized_messages(const napcoll_personalized_t *personalized, int32_t buffer);

/** Have a call do without the blocks that are larger than so many bytes, or are not; a rank's own for itself goes nowhere, and
 * stays where larger ones do not take part. What is left out is as if users had given no element.
 *
 * @return how many are left out
 */
int napcoll_personalized_leave_out(napcoll_personalized_t *personalized, size_t bytes, bool larger);

/** Copy a rank's block for itself. */
int napcoll_personalized_copy_own(const napcoll_personalized_t *personalized);

/** Have the blocks that are packed as a whole for the time of a call in one piece of memory; those of the receive buffer
 * are remembered as they were. */
int napcoll_personalized_pack_whole(napcoll_personalized_t *personalized);

/** Unpack the blocks of the receive buffer that came packed as a whole. */
int napcoll_personalized_spread(const napcoll_personalized_t *personalized);

/**
 * Let what is sent be packed bytes of a call's own, for as long as the call may need them: what is
 * received overwrites the user's.
 *
 * @param[in,out] pairs   measured blocks, not in place
 * @param[in,out] memory  the bytes: NULL before the first time, then as they were; the caller gives
 *                        them back to exec/napcoll_buffer_pool.h
 * @param[out]    room    of the memory
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_personalized_keep_sent(napcoll_personalized_t *personalized, char **memory,
                                   size_t *room);

/** A block of packed bytes. */
napcoll_block_t napcoll_block_packed(char *at, size_t bytes);

/** Pack a block that has been measured. */
int napcoll_block_pack(const napcoll_block_t *block, char *to);

/** Unpack the first bytes of a block: fewer than it has room for where fewer have come. */
int napcoll_block_unpack(const napcoll_block_t *block, char *from, size_t bytes);

/* ---- napcoll_personalized.c ---- */

/** Prepare a stage's messages: pairs->parcel[i] is that of its i-th step. */
int napcoll_personalized_post(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                              const napcoll_stage_t *stage);

/** Take in what a stage's messages have brought. */
int napcoll_personalized_land(napcoll_personalized_t *personalized, const napcoll_plan_t *plan,
                              const napcoll_stage_t *stage);

/** Free what calls have left: all of it, or what is more than a little. */
void napcoll_personalized_end(napcoll_personalized_t *personalized, size_t kept);

/**
 * Run a plan; blocks are filled in and measured.
 *
 * @return OMPI_SUCCESS or the first error; no request is left behind then. MPI_ERR_TRUNCATE: a block was larger than its
 *         receiver said, and it and what came in the same message have not arrived; what this process owed others has gone
 *         its way
 */
int napcoll_engine_run_personalized(napcoll_engine_t *engine, const napcoll_plan_t *plan,
                                    ompi_communicator_t *comm, int tag);

#endif /* NAPCOLL_PERSONALIZED_H */
