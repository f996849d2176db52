/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Runs a simulation (napcoll_simulate.h describes what it models).
 *
 * Events are in a binary heap, earliest first: a rank begins a stage; a message joins its node's
 * leaving messages, has left, or arrives. An event takes the resources that it needs when it is
 * handled, so in the order of time; equal times go by the order in which events were made. There is
 * one event per stage and one per message, and two more where R_N applies: 32,768 ranks of
 * recursive doubling, half a million messages, take about a second.
 *
 * R_N is shared evenly: all messages that leave a node send at the same rate. The node counts the
 * bytes that each has sent. A message has left when the count has grown by its size, so one number
 * per node and one per message tell which message is next, however often the rate changes.
 */

#include "model/napcoll_simulation.h"

/* ---- events ---- */

static bool earlier(const event_t *a, const event_t *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->order < b->order);
}

static bool push(napcoll_simulation_t *s, double time, event_kind_t kind, int32_t subject)
{
    const event_t event = {.time = time, .order = s->order++, .kind = kind, .subject = subject};
    int64_t at = s->events;

    if (!napcoll_simulation_grow(&s->heap, &s->event_room, s->events, sizeof(event))) {
        return false;
    }
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

/* ---- running; functions return false when memory ran out ---- */

typedef struct {
    napcoll_simulation_t *s;
    const napcoll_machine_t *machine;
    double bytes;
} run_t;

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double bytes_of(const run_t *run, const message_t *message)
{
    return message->share * run->bytes + message->fixed;
}

static napcoll_level_t level_of(const message_t *message)
{
    return message->network ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE;
}

static napcoll_link_t link_of(const run_t *run, const message_t *message)
{
    return napcoll_machine_link(run->machine, level_of(message), bytes_of(run, message));
}

static double transfer_us(const run_t *run, const message_t *message)
{
    return bytes_of(run, message) * link_of(run, message).ns_per_byte / 1000;
}

/* Whether the receiver copies the message from the sender's memory. */
static bool is_pulled(const run_t *run, const message_t *message)
{
    return !message->network
           && napcoll_machine_waits(run->machine, level_of(message), bytes_of(run, message));
}

/* The same for the sender: what it has written into node memory, for another process, is there; and
 * other processes copy what they pull. */
static double sending_us(const run_t *run, const message_t *message)
{
    const bool shared = napcoll_machine_shares(run->machine, level_of(message),
                                               bytes_of(run, message));

    return (message->again && shared) || is_pulled(run, message) ? 0 : transfer_us(run, message);
}

/* How long a message keeps a process busy, whose part of the transfer takes a time. */
static double port_us(const run_t *run, const message_t *message, double part_us)
{
    const double busy = later(
        napcoll_machine_overhead_us(run->machine, level_of(message), bytes_of(run, message)),
        part_us);

    return message->network ? later(busy, run->machine->process_gap_us) : busy;
}

/* The time of a stage's reductions and phases. */
static double work_us(const run_t *run, const stage_t *stage)
{
    const double bytes = stage->phase_share * run->bytes;
    double time = stage->reduced * run->bytes * run->machine->reduce_ns_per_byte / 1000;

    if (stage->phase_messages > 0) {
        const int level = stage->phase_network ? NAPCOLL_LEVEL_NETWORK : NAPCOLL_LEVEL_NODE;
        napcoll_link_t link = run->machine->link[level][napcoll_machine_protocol(
            run->machine, bytes / stage->phase_messages)];

        time += stage->phase_messages * link.latency_us + bytes * link.ns_per_byte / 1000;
    }
    return time;
}

/* One end of a message has ended at `time`. The last end of a stage ends the stage. */
static bool end_message(const run_t *run, int rank, double time)
{
    rank_t *r = &run->s->rank[rank];
    const stage_t *stage = &run->s->stage[r->first + r->stage];
    double end;

    r->ends = later(r->ends, time);
    if (--r->waiting > 0) {
        return true;
    }
    r->stage++;
    end = r->ends + work_us(run, stage);
    if (stage->times > 1) {
        loop_t *loop = &run->s->loop[r->loop++];

        loop->ended = later(loop->ended, end);
        loop->more = later(loop->more, stage->times - 1);
    }
    return push(run->s, end, EVENT_STAGE, rank);
}

/* A message has left its process: its send ends, and it arrives after the latency. */
static bool depart(const run_t *run, int32_t index, double left)
{
    const message_t *message = &run->s->message[index];
    const bool local = message->unreceived && !message->network;
    double latency_us = link_of(run, message).latency_us;

    /* a sample with one process of a node does not show how messages travel inside the node */
    if (local && run->s->rank[message->source].alone) {
        latency_us = 0;
    }
    return push(run->s, left + latency_us, EVENT_ARRIVE, index)
           && end_message(run, message->source, left);
}

/* ---- R_N ---- */

/* The rate of each leaving message. */
static double rate_each(const run_t *run, const node_t *node)
{
    const double alone = run->machine->process_injection_mbyte_per_s;
    const double fair = run->machine->node_injection_mbyte_per_s / node->leaving;

    const bool limited = node->leaving >= run->machine->node_injection_from_processes;

    return limited && fair < alone ? fair : alone;
}

/* Bring a node's count up to `time`. */
static void count_bytes(const run_t *run, node_t *node, double time)
{
    if (0 == node->leaving) {
        /* a small count keeps its digits */
        node->count = 0;
    } else {
        node->count += (time - node->counted) * rate_each(run, node);
    }
    node->counted = time;
}

/* Make the event at which the first leaving message of a node has left. */
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

static bool join(const run_t *run, int32_t index, double time)
{
    message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    int32_t *link = &node->first;

    count_bytes(run, node, time);
    message->goal = node->count + bytes_of(run, message);
    if (node->leaving > 0 && message->goal >= run->s->message[node->last].goal) {
        /* the common case: messages of one size */
        link = &run->s->message[node->last].next;
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

/* The first leaving message of a node has left, and with it all of the same goal. */
static bool leave(const run_t *run, int32_t index, double time)
{
    node_t *node = &run->s->node[index];
    bool memory = true;

    /* no rounding */
    node->count = run->s->message[node->first].goal;
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

/* Processes that share processors send one message after the other: each occupies the processors
 * for `busy`. Returns when this one begins. */
static double take_processors(node_t *node, double begin, double busy)
{
    begin = later(begin, node->processors_free);
    node->processors_free = begin + busy;
    return begin;
}

/* A message between nodes waits for the gap, and shares the rate of its node. */
static bool start_on_network(const run_t *run, int32_t index, double begin)
{
    message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    const double bytes = bytes_of(run, message);

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

/* A message inside a node waits for processors and memory. One that is pulled ends with its
 * copy. */
static bool start_in_node(const run_t *run, int32_t index, double begin)
{
    const message_t *message = &run->s->message[index];
    const rank_t *source = &run->s->rank[message->source];
    node_t *node = &run->s->node[source->node];
    const double bytes = bytes_of(run, message);
    const double memory = bytes * run->machine->node_local_ns_per_byte / 1000;

    begin = take_processors(node, begin,
                            source->weight * later(run->machine->node_local_gap_us, memory));
    if (!is_pulled(run, message)) {
        return depart(run, index, begin + later(memory, sending_us(run, message)));
    }
    return message->unreceived
               ? depart(run, index, begin + later(memory, transfer_us(run, message)))
               : push(run->s, begin + link_of(run, message).latency_us, EVENT_ARRIVE, index);
}

/* The ends that the protocol demands are posted: the message leaves. */
static bool start_message(const run_t *run, int32_t index, double time)
{
    const message_t *message = &run->s->message[index];
    rank_t *source = &run->s->rank[message->source];
    const double begin = later(time, source->send_port);

    if (message->unsent) {
        return depart(run, index, time + transfer_us(run, message));
    }
    source->send_port = begin + port_us(run, message, sending_us(run, message));
    return message->network ? start_on_network(run, index, begin)
                            : start_in_node(run, index, begin);
}

/* A rank posts one end of a message. */
static bool post(const run_t *run, const end_t *end, double time)
{
    message_t *message = &run->s->message[end->message];
    const bool first = !message->posted;
    const bool waits = napcoll_machine_waits(run->machine, level_of(message),
                                             bytes_of(run, message));

    message->posted = true;
    message->awaited = message->awaited || !end->send;
    if ((waits ? !first : end->send) && !start_message(run, end->message, time)) {
        return false;
    }
    /* an early message has waited for this receive */
    if (!end->send && message->received >= 0) {
        return end_message(run, message->target, later(time, message->received));
    }
    return true;
}

static bool arrive(const run_t *run, int32_t index, double time)
{
    message_t *message = &run->s->message[index];
    rank_t *target = &run->s->rank[message->target];
    const bool pulled = is_pulled(run, message) && !message->unsent;
    const double busy = port_us(run, message, transfer_us(run, message));

    message->received = time;
    if (!message->unreceived) {
        message->received = pulled ? later(time, target->receive_port) + busy
                                   : later(time, target->receive_port + busy);
        target->receive_port = message->received;
    }
    if (pulled && !message->unreceived && !end_message(run, message->source, message->received)) {
        return false;
    }
    return !message->awaited || end_message(run, message->target, message->received);
}

/* A rank begins its next stage. */
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
    if (stage->times > 1) {
        s->loop[r->loop].began = later(s->loop[r->loop].began, time);
    }
    /* one more, for the call below, so that a stage whose messages have all ended ends here */
    r->waiting = (int32_t) (stage[1].first - stage->first) + 1;
    for (int64_t i = stage->first; i < stage[1].first; i++) {
        if (!post(run, &s->end[i], time)) {
            return false;
        }
    }
    return end_message(run, rank, time);
}

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
    for (int i = 0; i < s->loops; i++) {
        s->loop[i] = (loop_t){0};
    }
    s->events = 0;
    s->order = 0;
}

/* The time of the stages that others stand for: each takes as long as the last process takes from
 * one to the next. */
static double looped_us(const napcoll_simulation_t *s)
{
    double time_us = 0;

    for (int i = 0; i < s->loops; i++) {
        time_us += s->loop[i].more * later(s->loop[i].ended - s->loop[i].began, 0);
    }
    return time_us;
}

/* The plans of one piece. */
static napcoll_simulate_status_t run_piece(napcoll_simulation_t *simulation,
                                           const napcoll_machine_t *machine, double bytes,
                                           double most_us, double *time_us)
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

        if (event.time > most_us && done < simulation->ranks) {
            *time_us = event.time;
            return NAPCOLL_SIMULATE_OK;
        }
        memory = handle(&run, &event, &done);
        if (EVENT_STAGE == event.kind) {
            *time_us = later(*time_us, event.time);
        }
    }
    if (!memory) {
        return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
    }
    *time_us += looped_us(simulation);
    return done == simulation->ranks ? NAPCOLL_SIMULATE_OK : NAPCOLL_SIMULATE_DEADLOCK;
}

/* All processes end one piece before the next one begins. */
napcoll_simulate_status_t napcoll_simulation_run_within(napcoll_simulation_t *simulation,
                                                        const napcoll_machine_t *machine,
                                                        double bytes, double most_us,
                                                        double *time_us)
{
    const double pieces = simulation->pieces > 1 ? simulation->pieces : 1;
    const napcoll_simulate_status_t status = run_piece(simulation, machine, bytes, most_us / pieces,
                                                       time_us);

    *time_us *= pieces;
    return status;
}
