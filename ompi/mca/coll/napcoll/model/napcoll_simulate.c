/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Prepares a simulation. Of the plans it keeps messages, stages and the bytes that are reduced. It
 * matches sends and receives by (target, source), in the order of their plans.
 */

#include "model/napcoll_simulation.h"

#include <stdlib.h>
#include <string.h>

#include "plan/napcoll_scope.h"
#include "util/napcoll_order.h"

bool napcoll_simulation_grow(void *array, int64_t *room, int64_t used, size_t size)
{
    const int64_t more = *room < 1024 ? 1024 : *room + *room / 2;
    void *old, *larger;

    if (used < *room) {
        return true;
    }
    memcpy(&old, array, sizeof(old));
    larger = realloc(old, (size_t) more * size);
    if (NULL == larger) {
        return false;
    }
    memcpy(array, &larger, sizeof(larger));
    *room = more;
    return true;
}

/* The index of a rank among the simulated processes, or -1. */
static int32_t index_of(const napcoll_simulation_t *s, int rank)
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
    if (!napcoll_simulation_grow(&s->end, &s->end_room, s->ends, sizeof(end))) {
        return false;
    }
    s->end[s->ends++] = end;
    return true;
}

/* Add a message with its send. */
static bool add_send(napcoll_simulation_t *s, message_t message)
{
    const end_t end = {.message = (int32_t) s->messages, .peer = message.target, .send = true};

    if (INT32_MAX == s->messages || !add_end(s, end)
        || !napcoll_simulation_grow(&s->message, &s->message_room, s->messages, sizeof(message))) {
        return false;
    }
    s->message[s->messages++] = message;
    return true;
}

static bool add_stage(napcoll_simulation_t *s, stage_t stage)
{
    if (!napcoll_simulation_grow(&s->stage, &s->stage_room, s->stages, sizeof(stage))) {
        return false;
    }
    s->stage[s->stages++] = stage;
    return true;
}

/* Messages of a stage with processes outside of the sample. */
typedef struct {
    int sends;
    int receives;
} outside_t;

static bool crosses_network(const napcoll_simulation_t *s, int a, int b)
{
    return napcoll_node_map_node(s->map, a) != napcoll_node_map_node(s->map, b);
}

/* Count a message with a process outside of the sample; `all` counts the messages of its stage and
 * level. The i-th send comes back in place of the i-th receive. The others have one end here.
 * Returns whether there is a message to simulate. */
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
    const int32_t self = index_of(s, plan->rank);
    /* by whether they cross the network */
    outside_t all[2] = {{0}}, done[2] = {{0}};

    for (int i = 0; i < messages; i++) {
        if (step[i].peer < 0 || step[i].peer >= s->map->size) {
            return NAPCOLL_SIMULATE_UNMATCHED;
        }
        if (index_of(s, step[i].peer) < 0) {
            outside_t *level = &all[crosses_network(s, plan->rank, step[i].peer)];

            level->sends += NAPCOLL_STEP_SEND == step[i].kind;
            level->receives += NAPCOLL_STEP_SEND != step[i].kind;
        }
    }
    for (int i = 0; i < messages; i++) {
        const bool send = NAPCOLL_STEP_SEND == step[i].kind;
        const int32_t peer = index_of(s, step[i].peer);
        const bool network = crosses_network(s, plan->rank, step[i].peer);
        message_t message = {.source = self,
                             .target = peer < 0 ? self : peer,
                             .share = napcoll_plan_share(plan, *napcoll_step_span(&step[i])),
                             .fixed = napcoll_plan_message_fixed(&step[i]),
                             .network = network,
                             .again = !network && i > 0 && napcoll_step_sends_again(&step[i])
                                      && !crosses_network(s, plan->rank, step[i - 1].peer)};

        if (peer < 0 && !pair_outside(&message, send, &all[network], &done[network])) {
            continue;
        }
        if (((send || peer < 0) && !add_send(s, message))
            || ((!send || peer < 0)
                && !add_end(s, (end_t){.message = -1, .peer = message.target}))) {
            return NAPCOLL_SIMULATE_OUT_OF_MEMORY;
        }
    }
    return NAPCOLL_SIMULATE_OK;
}

/* What a member sends, or receives, in a phase, as a share of the vector or of a rank's block. */
static double share_of_phase(const napcoll_plan_t *plan, const napcoll_step_t *step, int members,
                             int steps)
{
    const double dst = napcoll_plan_share(plan, step->dst);
    const double left = napcoll_plan_share(plan, step->left);

    if (napcoll_phase_has_runs(step->phase)) {
        /* all blocks but the own ones */
        return dst > left ? dst - left : left - dst;
    }
    return NAPCOLL_PHASE_ALLGATHER == step->phase ? (members - 1) * left : steps * dst;
}

/* A phase by a tree, or by recursive doubling. */
static void add_phase(const napcoll_simulation_t *s, const napcoll_plan_t *plan,
                      const napcoll_step_t *step, stage_t *stage)
{
    const int members = napcoll_scope_members(s->map, step->scope, plan->rank);
    double share;
    int steps = 0;

    for (int64_t reach = 1; reach < members; reach *= 2) {
        steps++;
    }
    share = share_of_phase(plan, step, members, steps);
    stage->phase_network = NAPCOLL_SCOPE_LEADERS == step->scope;
    stage->phase_messages += steps;
    stage->phase_share += share;
    stage->reduced += napcoll_phase_reduces(step->phase) ? share : 0;
}

/* How many stages of a sketch stand for several. */
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
    rank_t *rank = &s->rank[index_of(s, plan->rank)];

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
                stage.reduced += napcoll_plan_share(plan, step[j].dst);
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

/* A receive of a rank. */
typedef struct {
    int32_t peer;
    /* of its end */
    int64_t index;
} item_t;

static int compare_items(const void *left, const void *right)
{
    const item_t *a = left, *b = right;

    return napcoll_order_pairs(a->peer, a->index, b->peer, b->index);
}

/* The receives of a rank by their peers, in the order of the plan. Returns how many. */
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

/* Give every receive its message. Messages are in the order of their sources, so distributing them
 * to their targets leaves the messages of each target sorted. */
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

/* Place the simulated processes on nodes. The nodes of a sample get numbers of their own. */
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

napcoll_simulate_status_t napcoll_simulation_create_sampled(const napcoll_node_map_t *map,
                                                            const napcoll_sampled_t *sampled,
                                                            int count, napcoll_plan_source_t source,
                                                            void *context,
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
    s->ranks = count;
    s->rank = calloc((size_t) count, sizeof(*s->rank));
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
    /* the caller's */
    s->sampled = NULL;
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
    free(simulation->loop);
    free(simulation);
}
