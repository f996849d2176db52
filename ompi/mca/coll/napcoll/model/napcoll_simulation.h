/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The data of a simulation, for napcoll_simulate.c, which prepares it, and napcoll_simulate_run.c,
 * which runs it. Others use napcoll_simulate.h.
 *
 * The processes of a sample are numbered from 0, and so are their nodes. A message between a
 * simulated process and one outside of the sample becomes a message from the process to itself.
 */

#ifndef NAPCOLL_SIMULATION_H
#define NAPCOLL_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/napcoll_simulate.h"

/* A message; source and target are simulated processes. */
typedef struct {
    int32_t source;
    int32_t target;
    /* part of the vector's bytes */
    double share;
    /* bytes besides */
    double fixed;

    /* state of a run: when the receiver has it, or -1 */
    double received;
    /* the node's count at which the message has left */
    double goal;
    /* when it would leave if it had the node to itself */
    double alone;
    /* the message that leaves the node next, or -1 */
    int32_t next;
    /* one of its ends is posted */
    bool posted;
    /* its receive is posted */
    bool awaited;

    /* between nodes */
    bool network;
    /* the same blocks as of the message before, within the node: node memory has them already */
    bool again;

    /* the other end is outside of the sample: the process does not spend time on receiving it, or
     * on sending it */
    bool unreceived;
    bool unsent;
} message_t;

/* One end of a message, in the list of a stage. */
typedef struct {
    /* index; of a receive it is unknown while the simulation is prepared */
    int32_t message;
    int32_t peer;
    bool send;
} end_t;

typedef struct {
    /* index of its first end; the first end of the next stage is where it stops */
    int64_t first;
    /* part of the vector's bytes that it reduces */
    double reduced;
    /* how many equal stages it stands for */
    double times;

    /* phases: messages one after the other, and their share of the vector together */
    double phase_messages;
    double phase_share;
    /* they are between nodes */
    bool phase_network;
} stage_t;

typedef struct {
    /* index of its first stage */
    int64_t first;
    int32_t stages;
    /* index */
    int32_t node;
    /* processes of its node that it stands for */
    int32_t weight;
    /* the only process of its node in a sample */
    bool alone;

    /* state of a run: the current stage */
    int32_t stage;
    /* how many stages that stand for several it has begun */
    int32_t loop;
    /* messages of the stage that have not ended */
    int32_t waiting;
    /* when the latest message that has ended did */
    double ends;
    /* when it can begin to send the next message */
    double send_port;
    /* when it has received the last message */
    double receive_port;
} rank_t;

/* State of a run that the processes of a node share. */
typedef struct {
    /* when the gap allows the next message */
    double gap_ends;
    /* when the processors, or the memory, are free for a message inside the node */
    double processors_free;
    /* time up to which count is right */
    double counted;
    /* bytes that each leaving message has sent since the node was idle */
    double count;
    /* leaving messages, each times the weight of its process */
    int32_t leaving;
    /* the leaving message with the least goal, or -1; the others follow by their goals */
    int32_t first;
    int32_t last;
    /* order of the event at which the first has left; earlier such events are void */
    uint64_t departs;
} node_t;

typedef enum {
    /* a rank begins its next stage */
    EVENT_STAGE,
    /* a message joins the leaving messages of its node */
    EVENT_JOIN,
    /* the first leaving message has left its node */
    EVENT_LEAVE,
    /* a message arrives */
    EVENT_ARRIVE,
} event_kind_t;

typedef struct {
    double time;
    /* among events of the same time */
    uint64_t order;
    event_kind_t kind;
    /* rank, message or node */
    int32_t subject;
} event_t;

/* State of a run: a stage that stands for several. */
typedef struct {
    /* when the last process began it, and ended it */
    double began;
    double ended;
    /* stages that it stands for besides itself */
    double more;
} loop_t;

struct napcoll_simulation {
    const napcoll_node_map_t *map;
    /* [ranks] while preparing, or NULL for all */
    const napcoll_sampled_t *sampled;
    message_t *message;
    end_t *end;
    /* with one more at the end */
    stage_t *stage;
    rank_t *rank;
    node_t *node;
    event_t *heap;
    /* simulated ones */
    int32_t ranks, nodes;
    /* for each of which the plans are run */
    int32_t pieces;
    loop_t *loop;
    /* of the process with most of them */
    int32_t loops;
    int64_t messages, ends, stages;
    int64_t end_room, stage_room, message_room;
    int64_t events, event_room;
    uint64_t order;
};

/** Make room for one more element. `array` points to the array's pointer; false when memory ran
 * out. */
bool napcoll_simulation_grow(void *array, int64_t *room, int64_t used, size_t size);

#endif /* NAPCOLL_SIMULATION_H */
