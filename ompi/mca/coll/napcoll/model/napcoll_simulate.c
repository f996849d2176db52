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
 */

#include "model/napcoll_simulate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A message of all plans; sizes in blocks, as a part of the vector. */
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
} stage_t;

typedef struct {
    int64_t first; /* index of its first stage */
    int32_t stages;

    /* while running */
    int32_t stage;       /* the one that it is in */
    int32_t waiting;     /* messages of the stage that have not ended */
    double ends;         /* when the latest of those that have ended did */
    double send_port;    /* when it can begin to send the next message */
    double receive_port; /* when it has taken in the last message */
} rank_t;

/* What the processes of a node share, while running. */
typedef struct {
    double gap_ends; /* when the gap lets the next message out */
    double counted;  /* time up to which count is right */
    double count;    /* bytes that a message has been given which has been leaving since it was 0 */
    int32_t leaving; /* messages */
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
    message_t *message;
    end_t *end;
    stage_t *stage; /* with one more at the end */
    rank_t *rank;
    node_t *node;
    event_t *heap;
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

static bool add_end(napcoll_simulation_t *s, const napcoll_plan_t *plan, const napcoll_step_t *step)
{
    const bool send = NAPCOLL_STEP_SEND == step->kind;
    end_t *end = with_room(s->end, &s->end_room, s->ends, sizeof(*s->end));
    message_t *message;

    if (NULL == end) {
        return false;
    }
    s->end = end;
    s->end[s->ends++] = (end_t){
        .message = send ? (int32_t) s->messages : -1, .peer = step->peer, .send = send};
    if (!send) {
        return true;
    }
    message = with_room(s->message, &s->message_room, s->messages, sizeof(*s->message));
    if (INT32_MAX == s->messages || NULL == message) {
        return false;
    }
    s->message = message;
    s->message[s->messages++] = (message_t){.source = plan->rank,
                                            .target = step->peer,
                                            .share = napcoll_plan_share(plan, step->left)};
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

static napcoll_simulate_status_t add_plan(napcoll_simulation_t *s, const napcoll_plan_t *plan)
{
    s->rank[plan->rank] = (rank_t){.first = s->stages, .stages = plan->stages};
    for (int i = 0; i < plan->stages; i++) {
        const napcoll_step_t *step = &plan->step[plan->stage[i].first];
        stage_t stage = {.first = s->ends};

        for (int j = 0; j < plan->stage[i].messages; j++) {
            if (step[j].peer < 0 || step[j].peer >= s->map->size) {
                return NAPCOLL_SIMULATE_UNMATCHED;
            }
            if (!add_end(s, plan, &step[j])) {
                return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
            }
        }
        for (int j = plan->stage[i].messages; j < plan->stage[i].messages + plan->stage[i].work;
             j++) {
            if (NAPCOLL_STEP_PHASE == step[j].kind) {
                return NAPCOLL_SIMULATE_PHASE;
            }
            if (NAPCOLL_STEP_FOLD == step[j].kind) {
                stage.folded += napcoll_plan_share(plan, step[j].dst);
            }
        }
        if (!add_stage(s, stage)) {
            return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
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
    int64_t *from = calloc((size_t) s->map->size + 2, sizeof(*from));
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
        for (int rank = 0; rank < s->map->size; rank++) {
            from[rank + 2] += from[rank + 1];
        }
        for (int64_t i = 0; i < s->messages; i++) {
            dealt[from[s->message[i].target + 1]++] = (int32_t) i;
        }
    }
    for (int rank = 0; NAPCOLL_SIMULATE_OK == status && rank < s->map->size; rank++) {
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

napcoll_simulate_status_t napcoll_simulation_create(const napcoll_node_map_t *map,
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
    s->rank = calloc((size_t) map->size, sizeof(*s->rank));
    s->node = calloc((size_t) map->nodes, sizeof(*s->node));
    if (NULL != s->rank && NULL != s->node) {
        status = NAPCOLL_SIMULATE_OK;
    }
    for (int rank = 0; NAPCOLL_SIMULATE_OK == status && rank < map->size; rank++) {
        napcoll_plan_t *plan = source(context, rank);

        status = NULL == plan ? NAPCOLL_SIMULATE_OUT_OF_MEMORY : add_plan(s, plan);
        napcoll_plan_free(plan);
    }
    if (NAPCOLL_SIMULATE_OK == status) {
        status = add_stage(s, (stage_t){.first = s->ends}) ? match(s)
                                                           : NAPCOLL_SIMULATE_OUT_OF_MEMORY;
    }
    if (NAPCOLL_SIMULATE_OK != status) {
        napcoll_simulation_free(s);
        return status;
    }
    *simulation = s;
    return status;
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

static napcoll_level_t level_of(const run_t *run, const message_t *message)
{
    const napcoll_node_map_t *map = run->s->map;

    return napcoll_node_map_node(map, message->source)
                   == napcoll_node_map_node(map, message->target)
               ? NAPCOLL_LEVEL_NODE
               : NAPCOLL_LEVEL_NETWORK;
}

static napcoll_link_t link_of(const run_t *run, const message_t *message)
{
    return run->machine->link[level_of(run, message)]
                             [napcoll_machine_protocol(run->machine, message->share * run->bytes)];
}

static double transfer_us(const run_t *run, const message_t *message)
{
    return message->share * run->bytes * link_of(run, message).ns_per_byte / 1000;
}

/* For how long a message keeps the port of a process busy. */
static double port_us(const run_t *run, const message_t *message)
{
    return later(run->machine->process_overhead_us, transfer_us(run, message));
}

/* One end of a message has ended at `time`; the last one of a stage ends it. */
static bool end_message(const run_t *run, int rank, double time)
{
    rank_t *r = &run->s->rank[rank];
    double work;

    r->ends = later(r->ends, time);
    if (--r->waiting > 0) {
        return true;
    }
    work = run->s->stage[r->first + r->stage].folded * run->bytes * run->machine->fold_ns_per_byte
           / 1000;
    r->stage++;
    return push(run->s, r->ends + work, EVENT_STAGE, rank);
}

/* A message has left its process: its send ends, and it arrives after the latency. */
static bool depart(const run_t *run, int32_t index, double left)
{
    const message_t *message = &run->s->message[index];

    return push(run->s, left + link_of(run, message).latency_us, EVENT_ARRIVE, index)
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
    const int32_t where = napcoll_node_map_node(run->s->map, message->source);
    node_t *node = &run->s->node[where];
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
    node->leaving++;
    return plan_departure(run, where);
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
        node->leaving--;
        memory = depart(run, gone, later(time, run->s->message[gone].alone));
    }
    return memory && plan_departure(run, index);
}

/* ---- messages and stages ---- */

/* A message between nodes: it waits for the gap, and shares the rate of its node. */
static bool start_on_network(const run_t *run, int32_t index, double begin)
{
    message_t *message = &run->s->message[index];
    node_t *node = &run->s->node[napcoll_node_map_node(run->s->map, message->source)];
    const double bytes = message->share * run->bytes;

    begin = later(begin, node->gap_ends);
    node->gap_ends = begin + run->machine->node_gap_us;
    message->alone = begin + transfer_us(run, message);
    if (bytes < run->machine->node_injection_from_bytes) {
        return depart(run, index, message->alone);
    }
    return push(run->s, begin, EVENT_JOIN, index);
}

/* Both ends are ready as the protocol wants it: the message leaves. */
static bool start_message(const run_t *run, int32_t index, double time)
{
    const message_t *message = &run->s->message[index];
    rank_t *source = &run->s->rank[message->source];
    const double begin = later(time, source->send_port);

    source->send_port = begin + port_us(run, message);
    return NAPCOLL_LEVEL_NETWORK == level_of(run, message)
               ? start_on_network(run, index, begin)
               : depart(run, index, begin + transfer_us(run, message));
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

    message->received = later(time, target->receive_port + port_us(run, message));
    target->receive_port = message->received;
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
    for (int i = 0; i < s->map->size; i++) {
        s->rank[i] = (rank_t){.first = s->rank[i].first, .stages = s->rank[i].stages};
    }
    for (int i = 0; i < s->map->nodes; i++) {
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
    for (int rank = 0; memory && rank < simulation->map->size; rank++) {
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
    return done == simulation->map->size ? NAPCOLL_SIMULATE_OK : NAPCOLL_SIMULATE_DEADLOCK;
}
