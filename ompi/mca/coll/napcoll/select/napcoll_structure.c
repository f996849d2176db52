/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Structures (see the header).
 */

#include "select/napcoll_structure.h"

#include "algo/pattern/napcoll_split.h"

/* Bytes of a message up to which messages decide, and from which on bytes do. */
enum { SMALL_BYTES = 4 * 1024, LARGE_BYTES = 64 * 1024 };

enum {
    MOST_RANKS = 256, /* whose plans are all made */
    SAMPLE = 4        /* nodes, and processes of each, on more ranks */
};

static int levels(int members)
{
    return napcoll_split_levels(members, 2);
}

napcoll_structure_t napcoll_structure_reference(const napcoll_collective_t *collective,
                                                const napcoll_node_map_t *map,
                                                double *message_bytes)
{
    const double ppn = map->max_ppn, ranks = map->size, others = ranks - ppn;
    const double rounds = levels(map->size), node_rounds = levels(map->nodes);
    const napcoll_structure_t doubling = {.messages = node_rounds,
                                          .node_messages = 2 * ppn * rounds,
                                          .node_bytes = ppn * node_rounds,
                                          .steps = rounds};
    const napcoll_structure_t tree = {.messages = node_rounds,
                                      .node_messages = 2 * (ppn - 1) + node_rounds,
                                      .node_bytes = node_rounds,
                                      .steps = rounds};
    napcoll_structure_t structure = doubling;

    *message_bytes = 1;
    switch (collective->goal) {
    case NAPCOLL_GOAL_ALLGATHER:
    case NAPCOLL_GOAL_REDUCE_SCATTER:
        structure.node_bytes = ppn * others;
        *message_bytes = (ranks - 1) / rounds;
        break;
    case NAPCOLL_GOAL_REDUCE:
    case NAPCOLL_GOAL_BCAST:
        structure = tree;
        break;
    case NAPCOLL_GOAL_GATHER:
    case NAPCOLL_GOAL_SCATTER:
        structure = tree;
        structure.node_bytes = others;
        if (collective->uneven) {
            structure.messages = others;
            structure.node_messages = 2 * (ppn - 1) + others;
            structure.steps = 1;
        } else {
            *message_bytes = (ranks - 1) / rounds;
        }
        break;
    case NAPCOLL_GOAL_ALLTOALL:
        structure = (napcoll_structure_t){.messages = others,
                                          .node_messages = 2 * ppn * (ranks - 1),
                                          .node_bytes = ppn * others,
                                          .steps = ranks - 1};
        break;
    default:
        break;
    }
    return structure;
}

/* What one process sends and receives; index 1: to or from other nodes. */
typedef struct {
    double sent[2];
    double received[2];
    double sent_bytes;
    double received_bytes;
    double steps;
} traffic_t;

static traffic_t traffic_of(const napcoll_plan_t *plan, const napcoll_node_map_t *map)
{
    const int node = napcoll_node_map_node(map, plan->rank);
    traffic_t traffic = {.sent = {0}};

    for (int stage = 0; stage < plan->stages; stage++) {
        const double times = (double) plan->pieces * napcoll_plan_times(plan, stage);

        traffic.steps += plan->stage[stage].messages > 0 ? times : 0;
        for (int i = 0; i < plan->stage[stage].messages; i++) {
            const napcoll_step_t *step = &plan->step[plan->stage[stage].first + i];
            const int away = napcoll_node_map_node(map, step->peer) != node;
            const double bytes = away * times * napcoll_plan_share(plan, *napcoll_step_span(step));

            if (NAPCOLL_STEP_SEND == step->kind) {
                traffic.sent[away] += times;
                traffic.sent_bytes += bytes;
            } else {
                traffic.received[away] += times;
                traffic.received_bytes += bytes;
            }
        }
    }
    return traffic;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The i-th of `count` numbers that are spread over 0 .. all - 1, from the first to the last. */
static int spread(int i, int count, int all)
{
    return count < 2 ? 0 : (int) ((int64_t) i * (all - 1) / (count - 1));
}

/* Add one node, of which `lanes` processes are looked at; each stands for itself and those between
 * it and the one before. */
static int add_node(napcoll_plan_args_t *args, int node, int lanes, napcoll_structure_t *structure)
{
    const int ppn = napcoll_node_map_ppn(args->map, node), count = lanes < ppn ? lanes : ppn;
    double messages = 0, sent_bytes = 0, received_bytes = 0;

    for (int i = 0, before = -1; i < count; i++) {
        const int lane = spread(i, count, ppn), weight = lane - before;
        napcoll_plan_t *plan;
        traffic_t t;

        args->rank = napcoll_node_map_rank(args->map, node, lane);
        plan = args->algorithm->generate(args);
        if (NULL == plan) {
            return -1;
        }
        t = traffic_of(plan, args->map);
        napcoll_plan_free(plan);
        messages += weight * (t.sent[0] + t.sent[1] + t.received[0] + t.received[1]);
        sent_bytes += weight * t.sent_bytes;
        received_bytes += weight * t.received_bytes;
        structure->messages = larger(structure->messages, larger(t.sent[1], t.received[1]));
        structure->steps = larger(structure->steps, t.steps);
        before = lane;
    }
    structure->node_messages = larger(structure->node_messages, messages);
    structure->node_bytes = larger(structure->node_bytes, larger(sent_bytes, received_bytes));
    return 0;
}

/* Whether a structure is no worse than a reference whose mean message has these bytes. */
static bool is_no_worse(const napcoll_structure_t *structure, const napcoll_structure_t *reference,
                        double message_bytes, int nodes, bool oversubscribed)
{
    /* sums of parts of a call are not exact */
    const double exact = 1 + 1e-9;
    const bool bytes_suit = structure->node_bytes <= exact * reference->node_bytes;
    bool messages_suit = structure->messages <= reference->messages;

    if (oversubscribed) {
        messages_suit = nodes < 2 ? structure->steps <= reference->steps
                                  : structure->node_messages <= reference->node_messages;
    }

    if (message_bytes <= (oversubscribed ? LARGE_BYTES : SMALL_BYTES)) {
        return messages_suit;
    }
    return bytes_suit || (message_bytes <= LARGE_BYTES && messages_suit);
}

int napcoll_structure_check(const napcoll_plan_args_t *args, size_t bytes, bool oversubscribed,
                            bool *suits)
{
    const napcoll_node_map_t *map = args->map;
    const bool whole = map->size <= MOST_RANKS;
    const int nodes = whole || map->nodes < SAMPLE ? map->nodes : SAMPLE;
    const int lanes = whole ? map->max_ppn : SAMPLE;
    napcoll_structure_t structure = {.messages = 0};
    napcoll_plan_args_t each = *args;
    double message_bytes;
    const napcoll_structure_t reference = napcoll_structure_reference(args->collective, map,
                                                                      &message_bytes);
    int rc = 0;

    message_bytes *= (double) bytes;
    *suits = true;
    /* numbers only grow from node to node: one that is worse decides */
    for (int i = 0; i < nodes && 0 == rc && *suits; i++) {
        rc = add_node(&each, spread(i, nodes, map->nodes), lanes, &structure);
        *suits = is_no_worse(&structure, &reference, message_bytes, map->nodes, oversubscribed);
    }
    if (0 == rc && *suits && !whole && napcoll_goal_is_rooted(args->collective->goal)) {
        rc = add_node(&each, napcoll_node_map_node(map, args->params.root), lanes, &structure);
        *suits = is_no_worse(&structure, &reference, message_bytes, map->nodes, oversubscribed);
    }
    return rc;
}
