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
#include "exec/napcoll_transport_pml.h"
#include "plan/napcoll_neighborhood.h"

/** A block of the user. The caller sets at, count, type and rank; napcoll_personalized_measure the
 * rest. */
typedef struct napcoll_block {
    char *at;
    size_t count;
    ompi_datatype_t *type;
    /** packed */
    size_t bytes;
    ptrdiff_t lead;
    /** that it is for, or from */
    int rank;
    /** its bytes are contiguous, from at + lead on */
    bool dense;
    /** it is too large for the rounds of the plan, and goes straight to its rank */
    bool direct;
    /** of its message then; -1: it is not posted */
    int request;
} napcoll_block_t;

/**
 * The word in front of a block, from its sender to its receiver:
 *
 *     | direct: 1 bit | what the sender says: 7 bits | bytes of the block, 0 if direct: 56 bits |
 *
 * So where every rank sends a block to every other one, all hear the same from all.
 */
#define NAPCOLL_SIZE_DIRECT         (UINT64_C(1) << 63)
#define NAPCOLL_SIZE_SAID_BIT       56
#define NAPCOLL_SIZE_BYTES_OF(word) ((word) & ((UINT64_C(1) << NAPCOLL_SIZE_SAID_BIT) - 1))
#define NAPCOLL_SIZE_SAID_OF(word)  ((unsigned) ((word) >> NAPCOLL_SIZE_SAID_BIT) & 127)

/** The numbers that a rank can say. */
enum { NAPCOLL_SAYINGS = 128 };

/** Where a message has its bytes. */
typedef enum {
    NAPCOLL_MESSAGE_PACKED,   /**< in a buffer: several blocks, or blocks behind their sizes */
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
    /** [range] of the user's two buffers, numbered as in the layout. Rank -1: the block is nobody's
     */
    napcoll_block_t *block[NAPCOLL_BUFFER_TEMP];
    napcoll_block_range_t range[NAPCOLL_BUFFER_TEMP];
    /** the memory of both arrays */
    napcoll_block_t *blocks;
    size_t blocks_room;
    /** the rank of this process */
    int self;
    /** the receive blocks also hold what is sent */
    bool in_place;
    /** every block has `bytes` bytes, and no sizes are sent */
    bool even;
    size_t bytes;
    /** larger blocks go straight to their ranks; SIZE_MAX: none does */
    size_t inline_bytes;
    /** what this rank says to all, and how many others have said each number */
    unsigned said;
    int heard[NAPCOLL_SAYINGS];
    /** messages outside the plan, and their tag */
    napcoll_messages_t direct;
    int direct_tag;
    /** the block, or turn, from which on they are not posted */
    int next_direct;
    /** [turns] the order of blocks along edges; NULL: by their numbers */
    const napcoll_turn_t *turn;
    int turns;
    bool has_direct;
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
    /** packed copies of the send blocks, where the user gives one buffer for both sides */
    napcoll_buffer_t kept;
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

/** Set bytes, dense and lead of all blocks, none of which is direct then. In place the send blocks
 * become the receive blocks. */
void napcoll_personalized_measure(napcoll_personalized_t *personalized);

/** Set which blocks are direct; returns how many. */
size_t napcoll_personalized_divide(napcoll_personalized_t *personalized);

/** Copy a rank's block for itself, given by its numbers in the send and in the receive buffer. */
int napcoll_personalized_copy(const napcoll_personalized_t *personalized, int sent, int received);

/** Move blocks into the copy for the time of a call: send blocks in place, which are overwritten,
 * and blocks with gaps that are cut into pieces. */
int napcoll_personalized_make_copy(napcoll_personalized_t *personalized);

/** Unpack the receive blocks that are in the copy. */
int napcoll_personalized_unpack_copy(const napcoll_personalized_t *personalized);

/** Send packed copies of the send blocks, which are measured, since what is received overwrites
 * them. */
int napcoll_personalized_keep_sent(napcoll_personalized_t *personalized);

/** Measure a block of which at, count and type are set. */
void napcoll_block_measure(napcoll_block_t *block);

/** A block of packed bytes. */
napcoll_block_t napcoll_block_packed(char *at, size_t bytes);

/** Pack a measured block. */
int napcoll_block_pack(const napcoll_block_t *block, char *to);

/** Unpack the first bytes of a measured block. */
int napcoll_block_unpack(const napcoll_block_t *block, char *from, size_t bytes);

/* ---- napcoll_direct.c ---- */

struct napcoll_operation;

/** Find the direct blocks, and make room for their messages. */
int napcoll_direct_bind(struct napcoll_operation *operation);

/** Post the first of them, before the first stage of the plan. */
int napcoll_direct_begin(struct napcoll_operation *operation);

/** Post the next of them when those before have ended. */
int napcoll_direct_advance(struct napcoll_operation *operation);

/** After the plan: post and end the others, as far as they have come or, with `waits`, all. */
int napcoll_direct_end(struct napcoll_operation *operation, bool waits, bool *ended);

/** A message says that a block of the receive buffer goes straight to this rank, which has no room
 * for it: receive as much as there is room for, so that it does not stay behind. */
int napcoll_direct_expect(struct napcoll_operation *operation, napcoll_block_t *block);

/** A direct block of the receive buffer has come in a round, since it is smaller than this rank
 * assumed: do not wait for it. */
void napcoll_direct_forget(struct napcoll_operation *operation, napcoll_block_t *block);

/** End a call: free each buffer that is larger than `kept` bytes; 0: free all memory. */
void napcoll_personalized_end(napcoll_personalized_t *personalized, size_t kept);

#endif /* NAPCOLL_PERSONALIZED_H */
