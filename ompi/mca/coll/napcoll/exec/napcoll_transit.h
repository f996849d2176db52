/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Blocks in transit: slots for personalized blocks, whose sizes become known on the way. All blocks
 * share one buffer. New blocks go behind the others; when it is full, the remaining ones move
 * together:
 *
 *     | slot 3 | (gone) | slot 0 | slot 7 |    free     |
 *     | slot 3 | slot 0 | slot 7 |         free         |
 *
 * Messages are received into the buffer. Blocks of such a message that are for this process are
 * taken out and leave a gap.
 */

#ifndef NAPCOLL_TRANSIT_H
#define NAPCOLL_TRANSIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/napcoll_buffer_pool.h"

/** A slot, and its block when it is full. */
typedef struct napcoll_slot {
    size_t offset;
    size_t size;
    /** the word in front of the block, where its messages have such words */
    uint64_t head;
    bool full;
} napcoll_slot_t;

/** A block in the buffer; gone when its slot is empty or has another offset. */
typedef struct napcoll_stored_block {
    size_t offset;
    int slot;
} napcoll_stored_block_t;

/** All zero: no slots, no memory. */
typedef struct napcoll_transit {
    napcoll_slot_t *slot;
    size_t slot_room;
    /** [stored] by ascending offset */
    napcoll_stored_block_t *block;
    size_t stored, block_room;
    napcoll_buffer_t buffer;
    /** bytes of the buffer */
    size_t used;
} napcoll_transit_t;

/** Begin with empty slots. False when memory ran out. */
bool napcoll_transit_begin(napcoll_transit_t *transit, int slots);

/** The block of a full slot. */
static inline char *napcoll_transit_at(const napcoll_transit_t *transit, int slot)
{
    return NULL == transit->buffer.memory ? NULL
                                          : transit->buffer.memory + transit->slot[slot].offset;
}

/** Empty a slot: its block was sent on. */
static inline void napcoll_transit_drop(napcoll_transit_t *transit, int slot)
{
    transit->slot[slot].full = false;
}

/** Make room for some blocks with some bytes in all; addresses change. False when memory ran
 * out. */
bool napcoll_transit_reserve(napcoll_transit_t *transit, size_t blocks, size_t bytes);

/** Take some of the bytes that were reserved; returns their offset. */
size_t napcoll_transit_take(napcoll_transit_t *transit, size_t bytes);

/** Give bytes back of the last message that took some: it has brought fewer. Others keep theirs.
 *
 * @param[in] taken  the end of what it took
 * @param[in] used   the end of what it brought
 */
static inline void napcoll_transit_return(napcoll_transit_t *transit, size_t taken, size_t used)
{
    if (transit->used == taken) {
        transit->used = used;
    }
}

/** Put a block that has come to an offset into its slot; blocks by ascending offset. */
void napcoll_transit_place(napcoll_transit_t *transit, int slot, size_t offset, size_t bytes,
                           uint64_t head);

/** Free the memory, unless it is at most `kept` bytes. */
void napcoll_transit_end(napcoll_transit_t *transit, size_t kept);

#endif /* NAPCOLL_TRANSIT_H */
