/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Blocks in transit (see the header).
 */

#include "exec/napcoll_transit.h"

#include <stdlib.h>
#include <string.h>

#include "util/napcoll_grow.h"

bool napcoll_transit_begin(napcoll_transit_t *transit, int slots)
{
    if (!napcoll_grow(&transit->slot, &transit->slot_room, (size_t) slots,
                      sizeof(*transit->slot))) {
        return false;
    }
    if (slots > 0) {
        memset(transit->slot, 0, (size_t) slots * sizeof(*transit->slot));
    }
    transit->stored = transit->used = 0;
    return true;
}

/* Move the remaining blocks together. */
static void compact(napcoll_transit_t *transit)
{
    size_t used = 0, stored = 0;

    for (size_t i = 0; i < transit->stored; i++) {
        const napcoll_stored_block_t block = transit->block[i];
        napcoll_slot_t *slot = &transit->slot[block.slot];

        if (slot->full && slot->offset == block.offset) {
            memmove(transit->buffer.memory + used, transit->buffer.memory + slot->offset,
                    slot->size);
            slot->offset = used;
            transit->block[stored++] = (napcoll_stored_block_t){used, block.slot};
            used += slot->size;
        }
    }
    transit->stored = stored;
    transit->used = used;
}

bool napcoll_transit_reserve(napcoll_transit_t *transit, size_t blocks, size_t bytes)
{
    napcoll_buffer_t larger = {0};

    if (transit->used + bytes > transit->buffer.room
        || transit->stored + blocks > transit->block_room) {
        compact(transit);
    }
    if (!napcoll_grow(&transit->block, &transit->block_room, transit->stored + blocks,
                      sizeof(*transit->block))) {
        return false;
    }
    if (transit->used + bytes > transit->buffer.room) {
        if (!napcoll_buffer_take(&larger, transit->used + bytes)) {
            return false;
        }
        if (transit->used > 0) {
            memcpy(larger.memory, transit->buffer.memory, transit->used);
        }
        napcoll_buffer_give(&transit->buffer);
        transit->buffer = larger;
    }
    return true;
}

size_t napcoll_transit_take(napcoll_transit_t *transit, size_t bytes)
{
    transit->used += bytes;
    return transit->used - bytes;
}

void napcoll_transit_place(napcoll_transit_t *transit, int slot, size_t offset, size_t bytes,
                           uint64_t head)
{
    transit->slot[slot] = (napcoll_slot_t){
        .offset = offset, .size = bytes, .head = head, .full = true};
    if (bytes > 0) {
        transit->block[transit->stored++] = (napcoll_stored_block_t){offset, slot};
    }
}

void napcoll_transit_end(napcoll_transit_t *transit, size_t kept)
{
    if (transit->buffer.room + transit->slot_room * sizeof(*transit->slot)
            + transit->block_room * sizeof(*transit->block)
        <= kept) {
        return;
    }
    free(transit->slot);
    free(transit->block);
    napcoll_buffer_give(&transit->buffer);
    *transit = (napcoll_transit_t){0};
}
