/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Buffers of personalized blocks (all-to-alls, gathers, scatters). Every block of the user
 * has its own address, count and datatype. A message of one block from or to the user is sent with
 * these. A message of several blocks, or of a block in a slot, has packed bytes; user blocks that
 * are contiguous in memory are sent from where they are.
 *
 *     before  give the stage's messages their memory and pack what is sent. A message with blocks
 *             that go into slots is received where these blocks stay
 *     after   unpack what came for the user, fill the slots, note the sizes
 *
 * A plan that cuts blocks into pieces is run once for each piece. The pieces are cut from packed
 * bytes: a block with gaps is packed before the first run, or unpacked after the last one. All
 * pieces of a block have the same bytes, except the last one, which has the rest.
 */

#ifndef NAPCOLL_PERSONALIZED_H
#define NAPCOLL_PERSONALIZED_H

#include "exec/napcoll_buffers.h"
#include "exec/napcoll_transit.h"

/** A block of the user. The caller sets at, count and type; napcoll_personalized_measure the
 * rest. */
typedef struct napcoll_block {
    char *at;
    size_t count;
    ompi_datatype_t *type;
    /** packed */
    size_t bytes;
    /** its bytes are contiguous, from at + lead on */
    bool dense;
    ptrdiff_t lead;
} napcoll_block_t;

/** Sizes are to be agreed on in the next call. These two bits go with the first size of a message
 * that begins with sizes; a rank that receives them sends them on. */
#define NAPCOLL_SAID_DOUBT (UINT64_C(1) << 62)

/** Sizes are not as all ranks assume: ranks that know this send no blocks, and all run the call
 * again. */
#define NAPCOLL_SAID_BREAK (UINT64_C(1) << 63)

/** Where a message has its bytes. */
typedef enum {
    NAPCOLL_MESSAGE_PACKED,   /**< in a buffer: several blocks, or sizes */
    NAPCOLL_MESSAGE_SLOTS,    /**< in transit: it is received with blocks that go into slots */
    NAPCOLL_MESSAGE_ONE,      /**< in its one block, with the datatype of the block */
    NAPCOLL_MESSAGE_ADJACENT, /**< in the user's blocks, which are contiguous */
    NAPCOLL_MESSAGE_EMPTY,    /**< nowhere: it has no blocks, but is sent */
} napcoll_message_kind_t;

/** A message of a stage. */
typedef struct napcoll_block_message {
    napcoll_message_kind_t kind;
    /** as it is posted */
    napcoll_message_t wire;
    /** of its bytes in transit */
    size_t offset;
} napcoll_block_message_t;

/** The blocks of a call, and memory for its messages. All zero: nothing. */
typedef struct napcoll_personalized {
    /** [range] of the user's two buffers, numbered as in the layout */
    napcoll_block_t *block[NAPCOLL_BUFFER_TEMP];
    napcoll_block_range_t range[NAPCOLL_BUFFER_TEMP];
    /** the memory of both arrays */
    napcoll_block_t *blocks;
    size_t blocks_room;
    /** the receive blocks also hold what is sent */
    bool in_place;
    /** every block has `bytes` bytes, and no sizes are sent */
    bool even;
    size_t bytes;
    /** of messages that begin with sizes: no block that goes into a slot is larger */
    size_t largest;
    /** NAPCOLL_SAID_... to be sent with sizes: set before the call, and by messages of others */
    uint64_t said;
    napcoll_transit_t transit;
    napcoll_block_message_t *message;
    size_t message_room;
    /** of the stage's messages */
    napcoll_buffer_t packed;
    /** blocks that are packed before the first piece, or unpacked after the last one */
    napcoll_buffer_t copy;
    /** [range] the receive blocks as the user gave them, while blocks are in the copy; else NULL */
    napcoll_block_t *unpack_to;
    /** the plan's, and the one under way */
    int pieces;
    int piece;
    /** packed copies of the send blocks, where the user gives one buffer for both sides; until the
     * operation is given back */
    napcoll_buffer_t kept;
    /** a block was larger than its receiver knew, in an earlier plan of the call */
    bool doubtful;
    /** gather: a block without bytes that the root expects is an error */
    bool complete;
} napcoll_personalized_t;

/* ---- napcoll_personalized_blocks.c ---- */

/** Make room for the blocks of the user's buffers, which the caller fills in. */
int napcoll_personalized_make_room(napcoll_personalized_t *personalized,
                                   const napcoll_block_range_t range[NAPCOLL_BUFFER_TEMP]);

/** A block of a user buffer. */
static inline napcoll_block_t *napcoll_personalized_block(
    const napcoll_personalized_t *personalized, int32_t buffer, int block)
{
    return &personalized->block[buffer][block - personalized->range[buffer].first];
}

/** Set bytes, dense and lead of all blocks. In place the send blocks become the receive blocks. */
void napcoll_personalized_measure(napcoll_personalized_t *personalized);

/** The bytes of the blocks of a user buffer from index `first` on, and of the largest of them. */
void napcoll_personalized_sum(const napcoll_personalized_t *personalized, int32_t buffer, int first,
                              size_t *sum, size_t *largest);

/** The number of blocks of a user buffer that have bytes, without the rank's block for itself. */
int napcoll_personalized_messages(const napcoll_personalized_t *personalized, int32_t buffer);

/** Make all blocks empty that are larger than some bytes, or all others. The rank's block for
 * itself counts as not larger. Returns how many. */
int napcoll_personalized_leave_out(napcoll_personalized_t *personalized, size_t bytes, bool larger);

/** Copy a rank's block for itself. */
int napcoll_personalized_copy_own(const napcoll_personalized_t *personalized);

/** Move blocks into the copy for the time of a call: send blocks in place, which are overwritten,
 * and blocks with gaps that are cut into pieces. */
int napcoll_personalized_make_copy(napcoll_personalized_t *personalized);

/** Unpack the receive blocks that are in the copy. */
int napcoll_personalized_unpack_copy(const napcoll_personalized_t *personalized);

/**
 * Send packed copies of the send blocks, since what is received overwrites them.
 *
 * @param[in,out] personalized  measured blocks, not in place; its copies are used again when a call
 *                              is run again
 */
int napcoll_personalized_keep_sent(napcoll_personalized_t *personalized);

/** A block of packed bytes. */
napcoll_block_t napcoll_block_packed(char *at, size_t bytes);

/** Pack a measured block. */
int napcoll_block_pack(const napcoll_block_t *block, char *to);

/** Unpack the first bytes of a measured block. */
int napcoll_block_unpack(const napcoll_block_t *block, char *from, size_t bytes);

/** End a call: free each buffer that is larger than `kept` bytes; 0: free all memory. */
void napcoll_personalized_end(napcoll_personalized_t *personalized, size_t kept);

#endif /* NAPCOLL_PERSONALIZED_H */
