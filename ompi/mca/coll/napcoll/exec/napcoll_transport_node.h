/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Messages through node memory (napcoll_mailbox.h), to and from processes of the same node. They
 * are posted, carried on and ended together, like messages by the PML; those that are too large for
 * node memory become messages by the PML.
 */

#ifndef NAPCOLL_TRANSPORT_NODE_H
#define NAPCOLL_TRANSPORT_NODE_H

#include "exec/napcoll_mailbox.h"
#include "exec/napcoll_personalized.h"
#include "exec/napcoll_transport_pml.h"
#include "topo/napcoll_node_map.h"

/** The processes of a communicator on this node, which share memory. */
typedef struct napcoll_node {
    napcoll_region_t region;
    /** borrowed from the module */
    const napcoll_node_map_t *map;
    /** this one's number in it */
    int number;
} napcoll_node_t;

/** A message through node memory. */
typedef struct napcoll_node_message {
    napcoll_message_t message;
    /** its memory, measured */
    napcoll_block_t block;
    /** only kind and peer matter */
    const napcoll_step_t *step;
    int lane;
    /** of its note */
    uint32_t number;
    /** the index of its receive by the PML, where that was posted before its note came; else -1 */
    int early;
    bool ended;
    /** it has ended, and its note is not taken: its bytes are still where they have arrived; else
     * NULL */
    const char *arrived;
    /** the other end was woken after the message was written or taken */
    bool told;
} napcoll_node_message_t;

/** Messages through node memory. All zero: none, and no memory. */
typedef struct napcoll_node_messages {
    napcoll_node_message_t *item;
    size_t room;
    /** for messages that are too large for a line; as large at both ends of a message */
    napcoll_ring_t *ring;
    int posted;
    /** not ended */
    int left;
    /** ended with bytes that stay where they have arrived, until the stage's work has read them */
    int stayed;
    /** one was too long, or brought too few bytes */
    bool truncated;
    /** the latest message in the ring, which others may share; at is NULL: none */
    const char *at;
    size_t count;
    ompi_datatype_t *type;
    uint32_t place, stamp;
} napcoll_node_messages_t;

/** Messages that this process has sent through node memory, without the PML. */
extern _Atomic unsigned long long napcoll_node_messages_sent;

/** The lane of a rank on this node, or -1. Without the divisions that other nodes' lanes take. */
static inline int napcoll_node_lane(const napcoll_node_t *node, int rank)
{
    const napcoll_node_map_t *map = node->map;

    if (NULL == map->node_of) {
        const int lane = rank - node->number * map->max_ppn;

        return lane >= 0 && lane < map->max_ppn ? lane : -1;
    }
    return node->number == map->node_of[rank] ? map->lane_of[rank] : -1;
}

/** Make room for messages. False when memory ran out. */
bool napcoll_node_messages_reserve(napcoll_node_messages_t *messages, size_t most);

/** Forget the messages before, which have ended. */
static inline void napcoll_node_messages_begin(napcoll_node_messages_t *messages)
{
    messages->posted = messages->left = messages->stayed = 0;
    messages->at = NULL;
}

/** Post the next message, to or from a lane; there is room for it. The step is borrowed until the
 * end. */
void napcoll_node_messages_post(napcoll_node_messages_t *messages, napcoll_channel_t *channel,
                                const napcoll_step_t *step, int lane,
                                const napcoll_message_t *message);

/**
 * Carry on messages as far as possible; messages->left says how many have not ended.
 *
 * @param[in,out] messages  that were posted
 * @param[in]     channel   of all of them
 * @param[in,out] pml       where those that are too large are posted; there is room for them
 * @param[in]     comm      their communicator
 * @param[in]     tag       their tag
 *
 * @return OMPI_SUCCESS or an error
 */
int napcoll_node_messages_advance(napcoll_node_messages_t *messages, napcoll_channel_t *channel,
                                  napcoll_messages_t *pml, ompi_communicator_t *comm, int tag);

/**
 * Wait a little for messages that could not end.
 *
 * @param[in] messages  some of which are left
 * @param[in] channel   of all of them
 * @param[in] turn      how often it was called since something has changed
 * @param[in] alone     the process waits for nothing else: it may sleep
 *
 * @return whether it was long enough for Open MPI to have done other things
 */
bool napcoll_node_messages_idle(const napcoll_node_messages_t *messages,
                                const napcoll_channel_t *channel, unsigned turn, bool alone);

/** The message that brings at least these blocks and whose bytes are where they have arrived; NULL:
 * there is none. */
napcoll_node_message_t *napcoll_node_messages_find(const napcoll_node_messages_t *messages,
                                                   napcoll_span_t blocks);

/** The bytes of a message need not stay any longer where they have arrived. */
void napcoll_node_messages_take(napcoll_channel_t *channel, napcoll_node_message_t *message);

/** The stage's work is done, or will not be: take all messages that have stayed, and wake their
 * senders. */
void napcoll_node_messages_end_work(napcoll_node_messages_t *messages, napcoll_channel_t *channel);

/** Free the memory. */
void napcoll_node_messages_free(napcoll_node_messages_t *messages);

#endif /* NAPCOLL_TRANSPORT_NODE_H */
