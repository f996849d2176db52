/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages through node memory (see the header).
 */

#include "exec/napcoll_transport_node.h"

#include <sched.h>
#include <stdlib.h>

#include "opal/runtime/opal_progress.h"
#include "util/napcoll_grow.h"

bool napcoll_node_messages_reserve(napcoll_node_messages_t *m, size_t most)
{
    return napcoll_grow(&m->item, &m->room, most, sizeof(*m->item));
}

void napcoll_node_messages_free(napcoll_node_messages_t *m)
{
    free(m->item);
    *m = (napcoll_node_messages_t){.item = NULL};
}

void napcoll_node_messages_post(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                                const napcoll_step_t *step, int lane,
                                const napcoll_message_t *message)
{
    napcoll_node_message_t *item = &m->item[m->posted++];

    *item = (napcoll_node_message_t){
        .message = *message,
        .block = {.at = message->at, .count = message->count, .type = message->type},
        .step = step,
        .lane = lane,
        .number = NAPCOLL_STEP_SEND == step->kind ? napcoll_note_queue(channel, lane)
                                                  : napcoll_note_expect(channel, lane),
        .early = -1};
    napcoll_block_measure(&item->block);
    m->left++;
}

/* ---- send ---- */

_Atomic unsigned long long napcoll_node_messages_sent;

static inline void count_sent(void)
{
    if (opal_using_threads()) {
        atomic_fetch_add_explicit(&napcoll_node_messages_sent, 1, memory_order_relaxed);
    } else {
        atomic_store_explicit(
            &napcoll_node_messages_sent,
            atomic_load_explicit(&napcoll_node_messages_sent, memory_order_relaxed) + 1,
            memory_order_relaxed);
    }
}

/* Whether a message sends what the latest one in the ring does. */
static inline bool is_in_ring(const napcoll_node_messages_t *m, const napcoll_message_t *message)
{
    return NULL != m->at && message->at == m->at && message->count == m->count
           && message->type == m->type;
}

/* Put a message into the ring, if there is room. */
static int put_into_ring(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                         const napcoll_node_message_t *item, bool *is_there)
{
    const napcoll_message_t *message = &item->message;
    const napcoll_block_t *block = &item->block;
    char *to;

    *is_there = is_in_ring(m, message)
                && napcoll_ring_join(m->ring, channel, item->lane, item->number, m->stamp);
    if (*is_there || block->bytes > m->ring->most) {
        return OMPI_SUCCESS;
    }
    m->at = NULL;
    to = napcoll_ring_publish(m->ring, channel, item->lane, item->number, block->bytes, &m->place,
                              &m->stamp);
    if (NULL == to) {
        return OMPI_SUCCESS;
    }
    *is_there = true;
    m->at = message->at;
    m->count = message->count;
    m->type = message->type;
    return napcoll_block_pack(block, to);
}

static inline napcoll_way_t way_of(const napcoll_ring_t *ring, const napcoll_region_t *region)
{
    return ring == &region->ring ? NAPCOLL_WAY_RING : NAPCOLL_WAY_LARGE_RING;
}

/* Send a message if its mailbox has room. */
static int try_send(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                    napcoll_node_message_t *item, napcoll_messages_t *pml,
                    ompi_communicator_t *comm, int tag)
{
    napcoll_note_t *note = napcoll_note_line(channel, item->lane, item->number);
    bool in_ring = false;
    int rc;

    if (NULL == note) {
        return OMPI_SUCCESS;
    }
    note->bytes = (uint32_t) item->block.bytes;
    if (item->block.bytes <= NAPCOLL_NOTE_PAYLOAD) {
        note->way = NAPCOLL_WAY_INLINE;
        rc = napcoll_block_pack(&item->block, note->payload);
    } else {
        rc = put_into_ring(m, channel, item, &in_ring);
        note->way = in_ring ? way_of(m->ring, channel->region) : NAPCOLL_WAY_PML;
        note->place = m->place;
        if (!in_ring && OMPI_SUCCESS == rc) {
            rc = napcoll_messages_post(pml, item->step, &item->message, comm, tag);
        }
    }
    if (OMPI_SUCCESS == rc) {
        if (NAPCOLL_WAY_PML != note->way) {
            count_sent();
        }
        napcoll_note_post(channel, item->lane, note, item->number);
        item->ended = true;
        m->left--;
    }
    return rc;
}

/* ---- receive ---- */

/* Whether the bytes of a note may stay where they are: they look as they would in the user's
 * memory, are worth it, and no later note of the stage waits for this one to be taken. */
static inline bool may_stay(const napcoll_channel_t *channel, const napcoll_node_message_t *item,
                            const napcoll_note_t *note)
{
    /* a copy of fewer takes no longer than to look for them again */
    const size_t least = 256;

    return item->message.may_stay && item->block.dense && item->block.bytes >= least
           && NAPCOLL_WAY_INLINE != note->way && channel->pair[item->lane].expected == item->number;
}

/* Read what a note brings. */
static int read_note(napcoll_node_messages_t *m, const napcoll_channel_t *channel,
                     napcoll_node_message_t *item, const napcoll_note_t *note)
{
    const napcoll_block_t *block = &item->block;
    const size_t bytes = note->bytes;

    if (OPAL_UNLIKELY(bytes != block->bytes)) {
        m->truncated = m->truncated || bytes > block->bytes || !item->message.at_most;
        if (bytes > block->bytes) {
            return OMPI_SUCCESS;
        }
    } else if (may_stay(channel, item, note)) {
        item->arrived = napcoll_offset(napcoll_note_bytes(channel, item->lane, note), -block->lead);
        m->stayed++;
        return OMPI_SUCCESS;
    }
    return napcoll_block_unpack(
        block, (char *) (uintptr_t) napcoll_note_bytes(channel, item->lane, note), bytes);
}

/* Whether the PML must bring a message: it is too large for the ring, not only its room. */
static inline bool is_large(const napcoll_node_messages_t *m, const napcoll_node_message_t *item)
{
    return !item->message.at_most && item->block.bytes > m->ring->most;
}

/* Post the receive of a large message before its note has come, for the PML to take it in at once.
 * All messages before it from its lane have been taken, so the lane's next message by the PML is
 * this one. */
static int post_early(const napcoll_node_messages_t *m, napcoll_channel_t *channel,
                      napcoll_node_message_t *item, napcoll_messages_t *pml,
                      ompi_communicator_t *comm, int tag)
{
    if (!is_large(m, item) || item->early >= 0
        || !napcoll_note_is_next(channel, item->lane, item->number)) {
        return OMPI_SUCCESS;
    }
    item->early = pml->posted;
    return napcoll_messages_post(pml, item->step, &item->message, comm, tag);
}

/* Receive a message whose note has come. */
static int receive(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                   napcoll_node_message_t *item, const napcoll_note_t *note,
                   napcoll_messages_t *pml, ompi_communicator_t *comm, int tag)
{
    if (NAPCOLL_WAY_PML != note->way) {
        if (OPAL_UNLIKELY(item->early >= 0)) {
            /* the sender's message is smaller */
            (void) ompi_request_cancel(pml->request[item->early]);
        }
        return read_note(m, channel, item, note);
    }
    return item->early >= 0 ? OMPI_SUCCESS
                            : napcoll_messages_post(pml, item->step, &item->message, comm, tag);
}

/* Receive a message if its note has come. */
static int try_receive(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                       napcoll_node_message_t *item, napcoll_messages_t *pml,
                       ompi_communicator_t *comm, int tag)
{
    const napcoll_note_t *note = napcoll_note_look(channel, item->lane, item->number);
    int rc;

    if (NULL == note) {
        return post_early(m, channel, item, pml, comm, tag);
    }
    rc = receive(m, channel, item, note, pml, comm, tag);
    if (OMPI_SUCCESS == rc) {
        if (NULL == item->arrived) {
            napcoll_note_take(channel, item->lane, item->number);
        }
        item->ended = true;
        m->left--;
    }
    return rc;
}

napcoll_node_message_t *napcoll_node_messages_find(const napcoll_node_messages_t *m,
                                                   napcoll_span_t blocks)
{
    for (int i = 0; i < m->posted && m->stayed > 0; i++) {
        const napcoll_span_t *span = &m->item[i].step->dst;

        if (NULL != m->item[i].arrived && span->buffer == blocks.buffer
            && span->first <= blocks.first
            && span->first + span->count >= blocks.first + blocks.count) {
            return &m->item[i];
        }
    }
    return NULL;
}

void napcoll_node_messages_take(napcoll_channel_t *channel, napcoll_node_message_t *item)
{
    napcoll_note_take(channel, item->lane, item->number);
    item->arrived = NULL;
}

/* ---- all ---- */

/* Wake the other ends of messages that were written or taken. */
static void ring_bells(napcoll_node_messages_t *m, const napcoll_region_t *region)
{
    if (!region->sleeps) {
        return;
    }
    napcoll_bell_fence();
    for (int i = 0; i < m->posted; i++) {
        napcoll_node_message_t *item = &m->item[i];

        if (item->ended && NULL == item->arrived && !item->told) {
            item->told = true;
            napcoll_bell_ring(region, item->lane);
        }
    }
}

void napcoll_node_messages_end_work(napcoll_node_messages_t *m, napcoll_channel_t *channel)
{
    for (int i = 0; i < m->posted; i++) {
        if (NULL != m->item[i].arrived) {
            napcoll_node_messages_take(channel, &m->item[i]);
        }
    }
    m->stayed = 0;
    ring_bells(m, channel->region);
}

int napcoll_node_messages_advance(napcoll_node_messages_t *m, napcoll_channel_t *channel,
                                  napcoll_messages_t *pml, ompi_communicator_t *comm, int tag)
{
    const int left = m->left;
    int rc = OMPI_SUCCESS;

    for (int i = 0; i < m->posted && m->left > 0 && OMPI_SUCCESS == rc; i++) {
        napcoll_node_message_t *item = &m->item[i];

        if (!item->ended) {
            rc = NAPCOLL_STEP_SEND == item->step->kind
                     ? try_send(m, channel, item, pml, comm, tag)
                     : try_receive(m, channel, item, pml, comm, tag);
        }
    }
    if (m->left < left) {
        ring_bells(m, channel->region);
    }
    return rc;
}

/* Whether a message could be carried on. */
static bool can_advance(const napcoll_node_messages_t *m, const napcoll_channel_t *channel)
{
    for (int i = 0; i < m->posted; i++) {
        const napcoll_node_message_t *item = &m->item[i];

        if (!item->ended
            && (NAPCOLL_STEP_SEND == item->step->kind
                    ? NULL
                          != napcoll_note_line((napcoll_channel_t *) (uintptr_t) channel,
                                               item->lane, item->number)
                    : NULL != napcoll_note_look(channel, item->lane, item->number))) {
            return true;
        }
    }
    return false;
}

bool napcoll_node_messages_idle(const napcoll_node_messages_t *m, const napcoll_channel_t *channel,
                                unsigned turn, bool alone)
{
    enum { SPINS = 256, TURNS = 8, SLEEP_US = 2000 };
    const napcoll_region_t *region = channel->region;

    if (!region->sleeps && turn % SPINS < SPINS - 1) {
        napcoll_bell_spin();
        return false;
    }
    if (region->sleeps && turn % TURNS < TURNS - 1) {
        (void) sched_yield();
        return false;
    }
    opal_progress();
    if (region->sleeps && alone && turn >= 2 * TURNS) {
        napcoll_bell_announce(region);
        if (!can_advance(m, channel)) {
            /* other messages of the process wait as long as this: not long */
            napcoll_bell_sleep(region, SLEEP_US);
        }
    }
    return true;
}
