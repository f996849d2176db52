/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The simulation (see the header for what it says of a machine).
 *
 * Preparing cuts the plans down to messages, stages and folded blocks, and gives every send its
 * receive: sends and receives are sorted by (target, source), in the order of their plans.
 *
 * Running keeps events in a binary heap, earliest first: a rank begins a stage, a message is handed to
 * its node, has left it, or arrives. Whatever claims a resource does so while its event is handled,
 * hence in the order of time; ties go by the order in which events were made. There is one event per
 * stage and one per message, and two more where R_N applies: 32,768 ranks of recursive doubling, half
 * a million messages, take about a second.
 *
 * R_N is shared evenly: every message that is leaving a node has been given the same number of bytes
 * since it joined. The node counts bytes per message; a message has left when that count has grown by
 * its size, so one number per node and one per message tell who is next, however often rates change.
 *
 * The processes of a sample are numbered from 0, and so are their nodes. What one of them exchanges
 * with a process outside of the sample is a message to itself.
 */

#include "model/napcoll_simulate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A message of all plans; its ends are simulated processes. */
typedef struct {
    int32_t source;
    int32_t target;
    double share; /* of the vector's bytes */

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
    double folded; /* part of the vector's bytes that its work folds */

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
    int64_t messages, ends, stages;
    int64_t end_room, stage_room, message_room;
    int64_t events, event_room;
    uint64_t order;
};

const char *napcoll_simulate_status_help(napcoll_simulate_status_t status)
{
    static const char *const help[NAPCOLL_SIMULATE_STATUSES] = {
        [NAPCOLL_SIMULATE_OK] = "no error",
        [NAPCOLL_SIMULATE_OUT_OF_MEMORY] = "out of memory",
        [NAPCOLL_SIMULATE_UNMATCHED] = "a message has no receive, or a receive no message",
        [NAPCOLL_SIMULATE_DEADLOCK] = "ranks wait for one another",
        [NAPCOLL_SIMULATE_PHASE] = "the plans leave local phases to another component"};

    return help[status];
}

/* ---- preparing ---- */

/* An array with room for one more element: `array`, or that moved; NULL when memory ran out, which
 * leaves `array` as it is. */
static void *with_room(void *array, int64_t *room, int64_t used, size_t size)
{
    void *larger;

    if (used < *room) {
        return array;
    }
    larger = realloc(array, (size_t) (*room < 1024 ? 1024 : *room + *room / 2) * size);
    if (NULL != larger) {
        *room = *room < 1024 ? 1024 : *room + *room / 2;
    }
    return larger;
}

/* The number of a rank among those that are simulated, or -1. */
static int32_t number_of(const napcoll_simulation_t *s, int rank)
{
    int low = 0, high = s->ranks;

    if (NULL == s->sampled) {
        return rank;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;

        if (s->sampled[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->ranks && s->sampled[low].rank == rank ? low : -1;
}

static bool add_end(napcoll_simulation_t *s, end_t end)
{
    end_t *larger = with_room(s->end, &s->end_room, s->ends, sizeof(*s->end));

    if (NULL == larger) {
        return false;
    }
    s->end = larger;
    s->end[s->ends++] = end;
    return true;
}

static bool add_receive(napcoll_simulation_t *s, int32_t source)
{
    return add_end(s, (end_t){.message = -1, .peer = source});
}

static bool add_send(napcoll_simulation_t *s, message_t message)
{
    message_t *larger;

    if (INT32_MAX == s->messages
        || !add_end(
            s, (end_t){.message = (int32_t) s->messages, .peer = message.target, .send = true})) {
        return false;
    }
    larger = with_room(s->message, &s->message_room, s->messages, sizeof(*s->message));
    if (NULL == larger) {
        return false;
    }
    s->message = larger;
    s->message[s->messages++] = message;
    return true;
}

static bool add_stage(napcoll_simulation_t *s, stage_t stage)
{
    stage_t *larger = with_room(s->stage, &s->stage_room, s->stages, sizeof(*s->stage));

    if (NULL == larger) {
        return false;
    }
    s->stage = larger;
    s->stage[s->stages++] = stage;
    return true;
}

/* Messages of a stage with processes that are not simulated. */
typedef struct {
    int sends;
    int receives;
} outside_t;

static bool crosses_network(const napcoll_simulation_t *s, int a, int b)
{
    return napcoll_node_map_node(s->map, a) != napcoll_node_map_node(s->map, b);
}

/* Count a message with a process that is not simulated, `all` being those of the stage at its level. The
 * i-th that is sent comes back in place of the i-th to be received; those that are left on either
 * side have one end here. Returns whether there is a message to simulate. */
static bool pair_outside(message_t *message, bool send, const outside_t *all, outside_t *done)
{
    if (send) {
        message->unreceived = done->sends++ >= all->receives;
        return true;
    }
    message->unsent = done->receives++ >= all->sends;
    return message->unsent;
}

static napcoll_simulate_status_t add_messages(napcoll_simulation_t *s, const napcoll_plan_t *plan,
                                              const napcoll_step_t *step, int messages)
{
    const int32_t self = number_of(s, plan->rank);
    outside_t all[2] = {{0}}, done[2] = {{0}}; /* by whether they cross the network */

    for (int i = 0; i < messages; i++) {
        if (step[i].peer < 0 || step[i].peer >= s->map->size) {
            return NAPCOLL_SIMULATE_UNMATCHED;
        }
        if (number_of(s, step[i].peer) < 0) {
            outside_t *level = &all[crosses_network(s, plan->rank, step[i].peer)];

            level->sends += NAPCOLL_STEP_SEND == step[i].kind;
            level->receives += NAPCOLL_STEP_SEND != step[i].kind;
        }
    }
    for (int i = 0; i < messages; i++) {
        const bool send = NAPCOLL_STEP_SEND == step[i].kind;
        const int32_t peer = number_of(s, step[i].peer);
        const bool network = crosses_network(s, plan->rank, step[i].peer);
        message_t message = {.source = self,
                             .target = peer < 0 ? self : peer,
                             .share = napcoll_plan_share(plan, send ? step[i].left : step[i].dst),
                             .network = network};

        if (peer < 0 && !pair_outside(&message, send, &all[network], &done[network])) {
            continue;
        }
        if (((send || peer < 0) && !add_send(s, message))
            || ((!send || peer < 0) && !add_receive(s, message.target))) {
            return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
        }
    }
    return NAPCOLL_SIMULATE_OK;
}

/* A local phase as its provider may do it: in a tree, or by recursive doubling. */
static void add_phase(const napcoll_simulation_t *s, const napcoll_plan_t *plan,
                      const napcoll_step_t *step, stage_t *stage)
{
    const int ppn = napcoll_node_map_ppn(s->map, napcoll_node_map_node(s->map, plan->rank));
    const bool gathers = NAPCOLL_PHASE_ALLGATHER == step->phase;
    const double share = napcoll_plan_share(plan, gathers ? step->left : step->dst);
    double steps = 0;

    for (int64_t reach = 1; reach < ppn; reach *= 2) {
        steps++;
    }
    stage->phase_messages += steps;
    stage->phase_share += (gathers ? ppn - 1 : steps) * share;
    if (NAPCOLL_PHASE_REDUCE == step->phase || NAPCOLL_PHASE_ALLREDUCE == step->phase) {
        stage->folded += steps * share;
    }
}

static napcoll_simulate_status_t add_plan(napcoll_simulation_t *s, const napcoll_plan_t *plan)
{
    rank_t *rank = &s->rank[number_of(s, plan->rank)];

    rank->first = s->stages;
    rank->stages = plan->stages;
    for (int i = 0; i < plan->stages; i++) {
        const napcoll_step_t *step = &plan->step[plan->stage[i].first];
        const int messages = plan->stage[i].messages;
        stage_t stage = {.first = s->ends};
        napcoll_simulate_status_t status = add_messages(s, plan, step, messages);

        for (int j = messages; j < messages + plan->stage[i].work; j++) {
            if (NAPCOLL_STEP_PHASE == step[j].kind) {
                if (NULL == s->sampled) {
                    return NAPCOLL_SIMULATE_PHASE;
                }
                add_phase(s, plan, &step[j], &stage);
            } else if (NAPCOLL_STEP_FOLD == step[j].kind) {
                stage.folded += napcoll_plan_share(plan, step[j].dst);
            }
        }
        if (NAPCOLL_SIMULATE_OK == status && !add_stage(s, stage)) {
            status = NAPCOLL_SIMULATE_OUT_OF_MEMORY;
        }
        if (NAPCOLL_SIMULATE_OK != status) {
            return status;
        }
    }
    return NAPCOLL_SIMULATE_OK;
}

/* What a rank sends to or receives from a peer, in the order of its plan. */
typedef struct {
    int32_t peer;
    int64_t index; /* message, or the end of a receive */
} item_t;

static int compare_items(const void *left, const void *right)
{
    const item_t *a = left, *b = right;

    if (a->peer != b->peer) {
        return a->peer < b->peer ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The receives of a rank, sorted; returns how many. */
static int64_t sort_receives(const napcoll_simulation_t *s, int rank, item_t *item)
{
    const rank_t *r = &s->rank[rank];
    int64_t count = 0;

    for (int64_t i = s->stage[r->first].first; i < s->stage[r->first + r->stages].first; i++) {
        if (!s->end[i].send) {
            item[count++] = (item_t){.peer = s->end[i].peer, .index = i};
        }
    }
    qsort(item, (size_t) count, sizeof(*item), compare_items);
    return count;
}

/* Give every receive its message. Messages stand in the order of their sources, so that dealing them to
 * their targets leaves those of each target sorted. */
static napcoll_simulate_status_t match(napcoll_simulation_t *s)
{
    const size_t messages = (size_t) s->messages + 1;
    int64_t *from = calloc((size_t) s->ranks + 2, sizeof(*from));
    int32_t *dealt = malloc(messages * sizeof(*dealt));
    item_t *item = malloc(messages * sizeof(*item));
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OK;

    if (NULL == from || NULL == dealt || NULL == item) {
        status = NAPCOLL_SIMULATE_OUT_OF_MEMORY;
    } else if (s->ends != 2 * s->messages) {
        status = NAPCOLL_SIMULATE_UNMATCHED;
    } else {
        for (int64_t i = 0; i < s->messages; i++) {
            from[s->message[i].target + 2]++;
        }
        for (int rank = 0; rank < s->ranks; rank++) {
            from[rank + 2] += from[rank + 1];
        }
        for (int64_t i = 0; i < s->messages; i++) {
            dealt[from[s->message[i].target + 1]++] = (int32_t) i;
        }
    }
    for (int rank = 0; NAPCOLL_SIMULATE_OK == status && rank < s->ranks; rank++) {
        int64_t count = sort_receives(s, rank, item);

        if (count != from[rank + 1] - from[rank]) {
            status = NAPCOLL_SIMULATE_UNMATCHED;
        }
        for (int64_t i = 0; NAPCOLL_SIMULATE_OK == status && i < count; i++) {
            int32_t message = dealt[from[rank] + i];

            if (s->message[message].source != item[i].peer) {
                status = NAPCOLL_SIMULATE_UNMATCHED;
            }
            s->end[item[i].index].message = message;
        }
    }
    free(from);
    free(dealt);
    free(item);
    return status;
}

/* Where the simulated processes are. A sample's nodes have numbers of their own; they are few. */
static void place(napcoll_simulation_t *s)
{
    s->nodes = NULL == s->sampled ? s->map->nodes : 0;
    for (int i = 0; i < s->ranks; i++) {
        const int rank = NULL == s->sampled ? i : s->sampled[i].rank;
        int other = 0;

        s->rank[i].weight = 1;
        s->rank[i].node = napcoll_node_map_node(s->map, rank);
        if (NULL == s->sampled) {
            continue;
        }
        s->rank[i].weight = s->sampled[i].weight;
        s->rank[i].alone = true;
        while (crosses_network(s, rank, s->sampled[other].rank)) {
            other++;
        }
        s->rank[i].node = other < i ? s->rank[other].node : s->nodes++;
        for (; other < i; other++) {
            if (s->rank[other].node == s->rank[i].node) {
                s->rank[i].alone = s->rank[other].alone = false;
            }
        }
    }
}

/* Add all plans, and match their messages. */
static napcoll_simulate_status_t add_plans(napcoll_simulation_t *s, napcoll_plan_source_t source,
                                           void *context)
{
    for (int i = 0; i < s->ranks; i++) {
        napcoll_plan_t *plan = source(context, NULL == s->sampled ? i : s->sampled[i].rank);
        napcoll_simulate_status_t status = NULL == plan ? NAPCOLL_SIMULATE_OUT_OF_MEMORY
                                                        : add_plan(s, plan);

        napcoll_plan_free(plan);
        if (NAPCOLL_SIMULATE_OK != status) {
            return status;
        }
    }
    return add_stage(s, (stage_t){.first = s->ends}) ? match(s) : NAPCOLL_SIMULATE_OUT_OF_MEMORY;
}

static napcoll_simulate_status_t create(const napcoll_node_map_t *map,
                                        const napcoll_sampled_t *sampled, int ranks,
                                        napcoll_plan_source_t source, void *context,
                                        napcoll_simulation_t **simulation)
{
    napcoll_simulation_t *s = calloc(1, sizeof(*s));
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OUT_OF_MEMORY;

    *simulation = NULL;
    if (NULL == s) {
        return status;
    }
    s->map = map;
    s->sampled = sampled;
    s->ranks = ranks;
    s->rank = calloc((size_t) ranks, sizeof(*s->rank));
    if (NULL != s->rank) {
        place(s);
        s->node = calloc((size_t) s->nodes, sizeof(*s->node));
    }
    if (NULL != s->node) {
        status = add_plans(s, source, context);
    }
    if (NAPCOLL_SIMULATE_OK != status) {
        napcoll_simulation_free(s);
        return status;
    }
    s->sampled = NULL; /* the caller's */
    *simulation = s;
    return status;
}

napcoll_simulate_status_t napcoll_simulation_create(const napcoll_node_map_t *map,
                                                    napcoll_plan_source_t source, void *context,
                                                    napcoll_simulation_t **simulation)
{
    return create(map, NULL, map->size, source, context, simulation);
}

napcoll_simulate_status_t napcoll_simulation_create_sampled(const napcoll_node_map_t *map,
                                                            const napcoll_sampled_t *sampled,
                                                            int count, napcoll_plan_source_t source,
                                                            void *context,
                                                            napcoll_simulation_t **simulation)
{
    return create(map, sampled, count, source, context, simulation);
}

void napcoll_simulation_free(napcoll_simulation_t *simulation)
{
    if (NULL == simulation) {
        return;
    }
    free(simulation->message);
    free(simulation->end);
    free(simulation->stage);
    free(simulation->rank);
    free(simulation->node);
    free(simulation->heap);
    free(simulation);
}

/* ---- events ---- */

static bool earlier(const event_t *a, const event_t *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->order < b->order);
}

static bool push(napcoll_simulation_t *s, double time, event_kind_t kind, int32_t subject)
{
    const event_t event = {.time = time, .order = s->order++, .kind = kind, .subject = subject};
    event_t *heap = with_room(s->heap, &s->event_room, s->events, sizeof(*s->heap));
    int64_t at = s->events;

    if (NULL == heap) {
        return false;
    }
    s->heap = heap;
    s->events++;
    while (at > 0 && earlier(&event, &s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = event;
    return true;
}

static event_t pop(napcoll_simulation_t *s)
{
    const event_t first = s->heap[0], last = s->heap[--s->events];
    int64_t at = 0;

    for (int64_t child; (child = 2 * at + 1) < s->events; at = child) {
        if (child + 1 < s->events && earlier(&s->heap[child + 1], &s->heap[child])) {
            child++;
        }
        if (!earlier(&s->heap[child], &last)) {
            break;
        }
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return first;
}

/* ---- running ---- */

/* A run of a simulation on a machine. */
typedef struct {
    napcoll_simulation_t *s;
    const napcoll_machine_t *machine;
    double bytes;
} run_t;

static double later(double a, double b)
{
    return a > b ? a : b;
}

static napcoll_link_t link_of(const run_t *run, const message_t *message)
{
    return run->machine->link[message->network ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE]
                             [napcoll_machine_protocol(run->machine, message->share * run->bytes)];
}

static double transfer_us(const run_t *run, const message_t *message)
{
    return message->share * run->bytes * link_of(run, message).ns_per_byte / 1000;
}

/* For how long a message keeps the port of a process busy. */
static double port_us(const run_t *run, const message_t *message)
{
    const double busy = later(run->machine->process_overhead_us, transfer_us(run, message));

    return message->network ? later(busy, run->machine->process_gap_us) : busy;
}

/* How long a stage's folds and local phases take. */
static double work_us(const run_t *run, const stage_t *stage)
{
    const double bytes = stage->phase_share * run->bytes;
    double time = stage->folded * run->bytes * run->machine->fold_ns_per_byte / 1000;

    if (stage->phase_messages > 0) {
        napcoll_link_t link = run->machine->link[NAPCOLL_LEVEL_NODE][napcoll_machine_protocol(
            run->machine, bytes / stage->phase_messages)];

        time += stage->phase_messages * link.latency_us + bytes * link.ns_per_byte / 1000;
    }
    return time;
}

/* One end of a message has ended at `time`; the last one of a stage ends it. */
static bool end_message(const run_t *run, int rank, double time)
{
    rank_t *r = &run->s->rank[rank];
    const stage_t *stage = &run->s->stage[r->first + r->stage];

    r->ends = later(r->ends, time);
    if (--r->waiting > 0) {
        return true;
    }
    r->stage++;
    return push(run->s, r->ends + work_us(run, stage), EVENT_STAGE, rank);
}

/* A message has left its process: its send ends, and it arrives after the latency. */
static bool depart(const run_t *run, int32_t index, double left)
{
    const message_t *message = &run->s->message[index];
    const bool local = message->unreceived && !message->network;
    double latency_us = link_of(run, message).latency_us;

    /* How far a node's own processes spread what one of them sends is seen where more than one of a node
     * are simulated. */
    if (local && run->s->rank[message->source].alone) {
        latency_us = 0;
    }
    return push(run->s, left + latency_us, EVENT_ARRIVE, index)
           && end_message(run, message->source, left);
}

/* ---- R_N ---- */

/* Bytes per microsecond that each of the messages gets which are leaving a node. */
static double rate_each(const run_t *run, const node_t *node)
{
    const double alone = run->machine->process_injection_mbyte_per_s;
    const double fair = run->machine->node_injection_mbyte_per_s / node->leaving;

    return node->leaving >= run->machine->node_injection_from_processes && fair < alone ? fair
                                                                                        : alone;
}

/* Bring a node's count up to now. */
static void count_bytes(const run_t *run, node_t *node, double time)
{
    if (0 == node->leaving) {
        node->count = 0; /* keeps its digits */
    } else {
        node->count += (time - node->counted) * rate_each(run, node);
    }
    node->counted = time;
}

/* Make the event at which the first of a node's messages has left. */
static bool plan_departure(const run_t *run, int32_t index)
{
    node_t *node = &run->s->node[index];
    double wait;

    if (0 == node->leaving) {
        return true;
    }
    wait = (run->s->message[node->first].goal - node->count) / rate_each(run, node);
    node->departs = run->s->order;
    return push(run->s, node->counted + later(wait, 0), EVENT_LEAVE, index);
}

/* A message joins those that are leaving its node. */
static bool join(const run_t *run, int32_t index, double time)
{
    message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    int32_t *link = &node->first;

    count_bytes(run, node, time);
    message->goal = node->count + message->share * run->bytes;
    if (node->leaving > 0 && message->goal >= run->s->message[node->last].goal) {
        link = &run->s->message[node->last].next; /* as it is with messages of one size */
    }
    while (*link >= 0 && run->s->message[*link].goal <= message->goal) {
        link = &run->s->message[*link].next;
    }
    message->next = *link;
    node->last = *link < 0 ? index : node->last;
    *link = index;
    node->leaving += source->weight;
    return plan_departure(run, source->node);
}

/* The first of a node's messages, and those that are done with it, have left. */
static bool leave(const run_t *run, int32_t index, double time)
{
    node_t *node = &run->s->node[index];
    bool memory = true;

    node->count = run->s->message[node->first].goal; /* to the bit */
    node->counted = time;
    while (memory && node->leaving > 0 && run->s->message[node->first].goal <= node->count) {
        int32_t gone = node->first;

        node->first = run->s->message[gone].next;
        node->leaving -= run->s->rank[run->s->message[gone].source].weight;
        memory = depart(run, gone, later(time, run->s->message[gone].alone));
    }
    return memory && plan_departure(run, index);
}

/* ---- messages and stages ---- */

/* Where the processes of a node share processors, those are busy with one message at a time: the next one
 * can begin when the last one has had them for so long. Returns when this one can. */
static double take_processors(node_t *node, double begin, double busy)
{
    begin = later(begin, node->processors_free);
    node->processors_free = begin + busy;
    return begin;
}

/* A message between nodes: it waits for the gap, and shares the rate of its node. */
static bool start_on_network(const run_t *run, int32_t index, double begin)
{
    message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    const double bytes = message->share * run->bytes;

    begin = later(begin, node->gap_ends);
    if (run->machine->node_local_gap_us > 0) {
        const double leaving = bytes / run->machine->node_injection_mbyte_per_s;

        begin = take_processors(node, begin,
                                source->weight * later(run->machine->node_gap_us, leaving));
    }
    node->gap_ends = begin + source->weight * run->machine->node_gap_us;
    message->alone = begin + transfer_us(run, message);
    if (bytes < run->machine->node_injection_from_bytes) {
        return depart(run, index, message->alone);
    }
    return push(run->s, begin, EVENT_JOIN, index);
}

/* A message inside a node: it waits for processors and memory. */
static bool start_in_node(const run_t *run, int32_t index, double begin)
{
    const message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    const double bytes = message->share * run->bytes;
    const double memory = bytes * run->machine->node_local_ns_per_byte / 1000;

    begin = take_processors(node, begin,
                            source->weight * later(run->machine->node_local_gap_us, memory));
    return depart(run, index, begin + later(memory, transfer_us(run, message)));
}

/* Both ends are ready as the protocol wants it: the message leaves. */
static bool start_message(const run_t *run, int32_t index, double time)
{
    const message_t *message = &run->s->message[index];
    rank_t *source = &run->s->rank[message->source];
    const double begin = later(time, source->send_port);

    if (message->unsent) {
        return depart(run, index, time + transfer_us(run, message));
    }
    source->send_port = begin + port_us(run, message);
    return message->network ? start_on_network(run, index, begin)
                            : start_in_node(run, index, begin);
}

/* A rank posts one end of a message. */
static bool post(const run_t *run, const end_t *end, double time)
{
    message_t *message = &run->s->message[end->message];
    const bool first = !message->posted;
    const bool waits = NAPCOLL_PROTOCOL_RENDEZVOUS
                       == napcoll_machine_protocol(run->machine, message->share * run->bytes);

    message->posted = true;
    message->awaited = message->awaited || !end->send;
    if (waits ? !first : end->send) {
        if (!start_message(run, end->message, time)) {
            return false;
        }
    }
    if (!end->send && message->received >= 0) { /* it was early, and waited for this receive */
        return end_message(run, message->target, later(time, message->received));
    }
    return true;
}

static bool arrive(const run_t *run, int32_t index, double time)
{
    message_t *message = &run->s->message[index];
    rank_t *target = &run->s->rank[message->target];

    message->received = time;
    if (!message->unreceived) {
        message->received = later(time, target->receive_port + port_us(run, message));
        target->receive_port = message->received;
    }
    return !message->awaited || end_message(run, message->target, message->received);
}

/* A rank begins its next stage; returns false when memory ran out. */
static bool begin_stage(const run_t *run, int rank, double time, int *done)
{
    napcoll_simulation_t *s = run->s;
    rank_t *r = &s->rank[rank];
    const stage_t *stage = &s->stage[r->first + r->stage];

    r->ends = time;
    if (r->stage == r->stages) {
        (*done)++;
        return true;
    }
    /* One more, so that the stage ends here where it has no messages, or none that is still out. */
    r->waiting = (int32_t) (stage[1].first - stage->first) + 1;
    for (int64_t i = stage->first; i < stage[1].first; i++) {
        if (!post(run, &s->end[i], time)) {
            return false;
        }
    }
    return end_message(run, rank, time);
}

/* Returns false when memory ran out. */
static bool handle(const run_t *run, const event_t *event, int *done)
{
    switch (event->kind) {
    case EVENT_STAGE:
        return begin_stage(run, event->subject, event->time, done);
    case EVENT_JOIN:
        return join(run, event->subject, event->time);
    case EVENT_LEAVE:
        return event->order != run->s->node[event->subject].departs
               || leave(run, event->subject, event->time);
    default:
        return arrive(run, event->subject, event->time);
    }
}

static void reset(napcoll_simulation_t *s)
{
    for (int64_t i = 0; i < s->messages; i++) {
        s->message[i].received = -1;
        s->message[i].posted = s->message[i].awaited = false;
    }
    for (int i = 0; i < s->ranks; i++) {
        const rank_t *rank = &s->rank[i];

        s->rank[i] = (rank_t){.first = rank->first,
                              .stages = rank->stages,
                              .node = rank->node,
                              .weight = rank->weight,
                              .alone = rank->alone};
    }
    for (int i = 0; i < s->nodes; i++) {
        s->node[i] = (node_t){.first = -1, .last = -1};
    }
    s->events = 0;
    s->order = 0;
}

napcoll_simulate_status_t napcoll_simulation_run(napcoll_simulation_t *simulation,
                                                 const napcoll_machine_t *machine, double bytes,
                                                 double *time_us)
{
    const run_t run = {.s = simulation, .machine = machine, .bytes = bytes};
    bool memory = true;
    int done = 0;

    *time_us = 0;
    reset(simulation);
    for (int rank = 0; memory && rank < simulation->ranks; rank++) {
        memory = push(simulation, 0, EVENT_STAGE, rank);
    }
    while (memory && simulation->events > 0) {
        event_t event = pop(simulation);

        memory = handle(&run, &event, &done);
        if (EVENT_STAGE == event.kind) {
            *time_us = later(*time_us, event.time);
        }
    }
    if (!memory) {
        return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
    }
    return done == simulation->ranks ? NAPCOLL_SIMULATE_OK : NAPCOLL_SIMULATE_DEADLOCK;
}
