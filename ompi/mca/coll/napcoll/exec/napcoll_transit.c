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

#include "exec/napcoll_buffer_pool.h"

int napcoll_transit_begin(napcoll_transit_t *transit, int slots)
{
    if (slots > transit->slot_room) {
        napcoll_slot_t *more = realloc(transit->slot, (size_t) slots * sizeof(*more));

        if (NULL == more) {
            return -1;
        }
        transit->slot = more;
        transit->slot_room = slots;
    }
    if (slots > 0) {
        memset(transit->slot, 0, (size_t) slots * sizeof(*transit->slot));
    }
    transit->slots = slots;
    transit->orders = transit->used = 0;
    return 0;
}

void napcoll_transit_tell(napcoll_transit_t *transit, int slot, uint64_t size)
{
    transit->slot[slot].told = size;
    transit->slot[slot].is_told = true;
}

size_t napcoll_transit_size(const napcoll_transit_t *transit, int slot)
{
    const napcoll_slot_t *s = &transit->slot[slot];

    return s->is_told ? (size_t) s->told : s->size;
}

/* Move what is left together, in the order of its offsets. */
static void compact(napcoll_transit_t *transit)
{
    size_t used = 0, orders = 0;

    for (size_t i = 0; i < transit->orders; i++) {
        napcoll_slot_t *slot = &transit->slot[transit->order[i]];

        if (slot->full && slot->offset == transit->put[i]) {
            memmove(transit->memory + used, transit->memory + slot->offset, slot->size);
            slot->offset = used;
            transit->order[orders] = transit->order[i];
            transit->put[orders++] = used;
            used += slot->size;
        }
    }
    transit->orders = orders;
    transit->used = used;
}

static int grow_orders(napcoll_transit_t *transit, size_t room)
{
    int32_t *order = realloc(transit->order, room * sizeof(*order));
    size_t *put;

    if (NULL == order) {
        return -1;
    }
    transit->order = order;
    put = realloc(transit->put, room * sizeof(*put));
    if (NULL == put) {
        return -1;
    }
    transit->put = put;
    transit->order_room = room;
    return 0;
}

int napcoll_transit_reserve(napcoll_transit_t *transit, size_t blocks, size_t bytes)
{
    if (transit->used + bytes > transit->room || transit->orders + blocks > transit->order_room) {
        compact(transit);
    }
    if (transit->orders + blocks > transit->order_room
        && 0 != grow_orders(transit, 2 * (transit->orders + blocks))) {
        return -1;
    }
    if (transit->used + bytes > transit->room) {
        size_t room;
        char *memory = napcoll_buffer_pool_take(transit->used + bytes, &room);

        if (NULL == memory) {
            return -1;
        }
        if (transit->used > 0) {
            memcpy(memory, transit->memory, transit->used);
        }
        napcoll_buffer_pool_give(transit->memory, transit->room);
        transit->memory = memory;
        transit->room = room;
    }
    return 0;
}

size_t napcoll_transit_take(napcoll_transit_t *transit, size_t bytes)
{
    transit->used += bytes;
    return transit->used - bytes;
}

void napcoll_transit_place(napcoll_transit_t *transit, int slot, size_t offset, size_t bytes)
{
    transit->slot[slot] = (napcoll_slot_t){.offset = offset, .size = bytes, .full = true};
    if (bytes > 0) { /* what has no bytes need not move */
        transit->order[transit->orders] = slot;
        transit->put[transit->orders++] = offset;
    }
}

void napcoll_transit_end(napcoll_transit_t *transit, size_t kept)
{
    if (transit->room + (size_t) transit->slot_room * sizeof(*transit->slot)
            + transit->order_room * (sizeof(*transit->order) + sizeof(*transit->put))
        <= kept) {
        return;
    }
    free(transit->slot);
    free(transit->order);
    free(transit->put);
    napcoll_buffer_pool_give(transit->memory, transit->room);
    *transit = (napcoll_transit_t){0};
}
