/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Preparing a simulation: the plans are cut down to messages, stages and reduced blocks, and every send
 * gets its receive: sends and receives are sorted by (target, source), in the order of their plans.
 */

#include "model/napcoll_simulation.h"

#include <stdlib.h>

#include "util/napcoll_order.h"

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

void *napcoll_simulation_grow(void *array, int64_t *room, int64_t used, size_t size)
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
    end_t *larger = napcoll_simulation_grow(s->end, &s->end_room, s->ends, sizeof(*s->end));

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
    larger = napcoll_simulation_grow(s->message, &s->message_room, s->messages,
                                     sizeof(*s->message));
    if (NULL == larger) {
        return false;
    }
    s->message = larger;
    s->message[s->messages++] = message;
    return true;
}

static bool add_stage(napcoll_simulation_t *s, stage_t stage)
{
    stage_t *larger = napcoll_simulation_grow(s->stage, &s->stage_room, s->stages,
                                              sizeof(*s->stage));

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
                             .share = napcoll_plan_message_share(plan, &step[i]),
                             .fixed = napcoll_plan_message_fixed(&step[i]),
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

/* The stages of a sketch that stand for several. */
static int count_loops(const napcoll_plan_t *plan)
{
    int loops = 0;

    for (int i = 0; NULL != plan->times && i < plan->stages; i++) {
        loops += plan->times[i] > 1;
    }
    return loops;
}

static napcoll_simulate_status_t add_plan(napcoll_simulation_t *s, const napcoll_plan_t *plan)
{
    rank_t *rank = &s->rank[number_of(s, plan->rank)];

    s->pieces = plan->pieces;
    rank->first = s->stages;
    rank->stages = plan->stages;
    s->loops = count_loops(plan) > s->loops ? count_loops(plan) : s->loops;
    for (int i = 0; i < plan->stages; i++) {
        const napcoll_step_t *step = &plan->step[plan->stage[i].first];
        const int messages = plan->stage[i].messages;
        stage_t stage = {.first = s->ends, .times = napcoll_plan_times(plan, i)};
        napcoll_simulate_status_t status = add_messages(s, plan, step, messages);

        for (int j = messages; j < messages + plan->stage[i].work; j++) {
            if (NAPCOLL_STEP_PHASE == step[j].kind) {
                if (NULL == s->sampled) {
                    return NAPCOLL_SIMULATE_PHASE;
                }
                add_phase(s, plan, &step[j], &stage);
            } else if (NAPCOLL_STEP_REDUCE == step[j].kind) {
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

    return napcoll_order_pairs(a->peer, a->index, b->peer, b->index);
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
    s->loop = calloc((size_t) s->loops + 1, sizeof(*s->loop));
    return NULL != s->loop && add_stage(s, (stage_t){.first = s->ends})
               ? match(s)
               : NAPCOLL_SIMULATE_OUT_OF_MEMORY;
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
    free(simulation->loop);
    free(simulation);
}
