/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Blocks in transit: slots whose contents differ in size and become known on the way. They lie in one piece of
 * memory, which takes what the blocks in it take: what is new goes behind what is there, and when room
 * ends, what is left moves together. Messages are received there as they come, blocks that are for this process
 * among them: these are taken out, and leave a gap until then.
 */

#ifndef NAPCOLL_TRANSIT_H
#define NAPCOLL_TRANSIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A slot; told is the size of the block that comes next. */
typedef struct napcoll_slot {
    size_t offset;
    size_t size;
    uint64_t told;
    bool full;
    bool is_told;
} napcoll_slot_t;

/** All zero: no slots, no memory. */
typedef struct napcoll_transit {
    napcoll_slot_t *slot; /**< [slots] */
    int slots;
    int slot_room;
    int32_t
        *order;  /**< [orders] slots in the order of their offsets, of which some have moved on */
    size_t *put; /**< [orders] where they were put */
    size_t orders;
    size_t order_room;
    char *memory;
    size_t used;
    size_t room;
} napcoll_transit_t;

/** Begin with so many empty slots. 0, or -1 when memory ran out. */
int napcoll_transit_begin(napcoll_transit_t *transit, int slots);

/** Say how large the next block of a slot will be. */
void napcoll_transit_tell(napcoll_transit_t *transit, int slot, uint64_t size);

/** The size of a slot's next block, if that was told and it has not come, else of the present one. */
size_t napcoll_transit_size(const napcoll_transit_t *transit, int slot);

/** The block of a slot that is full. */
static inline char *napcoll_transit_at(const napcoll_transit_t *transit, int slot)
{
    return NULL == transit->memory ? NULL : transit->memory + transit->slot[slot].offset;
}

/** A slot's block has moved on. */
static inline void napcoll_transit_drop(napcoll_transit_t *transit, int slot)
{
    transit->slot[slot].full = false;
}

/** Make room for so many blocks, of so many bytes together, which are put next; addresses change. 0, or
 * -1 when memory ran out. */
int napcoll_transit_reserve(napcoll_transit_t *transit, size_t blocks, size_t bytes);

/** Take so many bytes of what is reserved; returns their offset. */
size_t napcoll_transit_take(napcoll_transit_t *transit, size_t bytes);

/** A block of so many bytes has come to an offset that was taken, and belongs to an empty slot. Blocks are placed
 * by ascending offsets. */
void napcoll_transit_place(napcoll_transit_t *transit, int slot, size_t offset, size_t bytes);

/** Free what it holds; or, where that is little, keep it for the next time. */
void napcoll_transit_end(napcoll_transit_t *transit, size_t kept);

#endif /* NAPCOLL_TRANSIT_H */
