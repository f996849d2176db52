/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What a simulation consists of, for the rooms that make it and run it (napcoll_simulate.c,
 * napcoll_simulate_run.c). Others use napcoll_simulate.h.
 *
 * The processes of a sample are numbered from 0, and so are their nodes. What one of them exchanges
 * with a process outside of the sample is a message to itself.
 */

#ifndef NAPCOLL_SIMULATION_H
#define NAPCOLL_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/napcoll_simulate.h"

/* A message of all plans; its ends are simulated processes. */
typedef struct {
    int32_t source;
    int32_t target;
    double share; /* of the vector's bytes */
    double fixed; /* bytes besides */

    /* while running */
    double received; /* when the receiver is done with it; -1: not yet */
    double goal;     /* the node's count at which it has left */
    double alone;    /* when it would have left without others */
    int32_t next;    /* that leaves the node after it, or -1 */
    bool posted;     /* one of its ends is posted */
    bool awaited;    /* its receive is */

    bool network; /* between nodes */

    /* in a sample, where the process that it goes to or comes from is not simulated */
    bool unreceived; /* takes no receiving of the process that waits for it */
    bool unsent;     /* takes no sending of it */
} message_t;

/* One end of a message, as a stage lists it. */
typedef struct {
    int32_t message; /* index; while preparing, that of a receive is not yet known */
    int32_t peer;
    bool send;
} end_t;

typedef struct {
    int64_t first; /* index of its first end; that of the next stage is where it stops */
    double folded; /* part of the vector's bytes that its work reduces */
    double times;  /* for how many like stages it stands */

    /* local phases: messages that follow each other, and what they send of the vector in all */
    double phase_messages;
    double phase_share;
} stage_t;

typedef struct {
    int64_t first; /* index of its first stage */
    int32_t stages;
    int32_t node;   /* index */
    int32_t weight; /* processes of its node that it stands for */
    bool alone;     /* a sample's only process of its node */

    /* while running */
    int32_t stage;       /* the one that it is in */
    int32_t loop;        /* of those that stand for several, how many came before it */
    int32_t waiting;     /* messages of the stage that have not ended */
    double ends;         /* when the latest of those that have ended did */
    double send_port;    /* when it can begin to send the next message */
    double receive_port; /* when it has taken in the last message */
} rank_t;

/* What the processes of a node share, while running. */
typedef struct {
    double gap_ends;        /* when the gap lets the next message out */
    double processors_free; /* or its memory: when they are, for a message inside the node */
    double counted;         /* time up to which count is right */
    double count;    /* bytes that a message has been given which has been leaving since it was 0 */
    int32_t leaving; /* messages, each as often as its process weighs */
    int32_t first;   /* message that has left first, or -1; the others follow by their goals */
    int32_t last;
    uint64_t departs; /* order of the event at which the first has left; earlier ones are void */
} node_t;

typedef enum {
    EVENT_STAGE,  /* a rank begins its next stage */
    EVENT_JOIN,   /* a message joins those that are leaving its node */
    EVENT_LEAVE,  /* the first of a node's messages has left it */
    EVENT_ARRIVE, /* a message arrives */
} event_kind_t;

typedef struct {
    double time;
    uint64_t order; /* among events of the same time */
    event_kind_t kind;
    int32_t subject; /* rank, message or node */
} event_t;

/* A stage of sketches that stands for several, while running: when the last process began it, and ended. */
typedef struct {
    double began;
    double ended;
    double more; /* stages that it stands for besides itself */
} loop_t;

struct napcoll_simulation {
    const napcoll_node_map_t *map;
    const napcoll_sampled_t *sampled; /* while preparing: [ranks], or NULL for all */
    message_t *message;
    end_t *end;
    stage_t *stage; /* with one more at the end */
    rank_t *rank;
    node_t *node;
    event_t *heap;
    int32_t ranks, nodes; /* that are simulated */
    int32_t pieces;       /* for each of which the plans are run */
    loop_t *loop;
    int32_t loops; /* of the process that has most */
    int64_t messages, ends, stages;
    int64_t end_room, stage_room, message_room;
    int64_t events, event_room;
    uint64_t order;
};

/** An array with room for one more element: `array`, or that moved; NULL when memory ran out, which
 * leaves `array` as it is. */
void *napcoll_simulation_grow(void *array, int64_t *room, int64_t used, size_t size);

#endif /* NAPCOLL_SIMULATION_H */
