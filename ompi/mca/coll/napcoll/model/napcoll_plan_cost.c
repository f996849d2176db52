/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Estimates (see the header): which processes are the sample.
 *
 * Whole nodes show how lanes wait for each other and share their node. Leaders show nodes that are
 * not in step: the leaders of 5 nodes do in two latencies what smp gives each of them three stages
 * for. Two thirds of the sample are whole nodes.
 */

#include "model/napcoll_plan_cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_PROCESSES = 96,
    LEAST_PROCESSES = 4,
    /* of a node */
    MOST_LANES = 16,
    /* of all plans of the sample, about */
    MOST_MESSAGES = 16 << 10,

    /* of a rough sample */
    MOST_ROUGH_PROCESSES = 24,
    MOST_ROUGH_MESSAGES = 1 << 10
};

/* Bounds are wider by this part of them, because a sum depends on the order of its terms. */
#define ROUNDING 1e-9

typedef struct {
    const napcoll_node_map_t *map;
    /* most processes, without the root */
    int room;
    /* most lanes of a node */
    int lanes;
    int count;
    /* by rank */
    napcoll_sampled_t process[MOST_PROCESSES + 1];
} sample_t;

static int least(int a, int b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The i-th of `count` numbers spread over 0 .. all - 1, from the first to the last. */
static int spread(int i, int count, int all)
{
    return count < 2 ? 0 : (int) ((int64_t) i * (all - 1) / (count - 1));
}

static void add_process(sample_t *sample, int rank, int weight)
{
    int at = sample->count;

    while (at > 0 && sample->process[at - 1].rank > rank) {
        at--;
    }
    if (at > 0 && sample->process[at - 1].rank == rank) {
        return;
    }
    for (int i = sample->count; i > at; i--) {
        sample->process[i] = sample->process[i - 1];
    }
    sample->process[at] = (napcoll_sampled_t){.rank = rank, .weight = weight};
    sample->count++;
}

/* Add lanes of a node, spread from the first to the last. Each stands for itself and the lanes
 * between it and the one before. So the first, perhaps the only lane with messages to other nodes,
 * stands for itself. */
static void add_node(sample_t *sample, int node)
{
    const int ppn = napcoll_node_map_ppn(sample->map, node);
    const int lanes = least(ppn, sample->lanes);

    for (int i = 0, before = -1; i < lanes; i++) {
        const int lane = spread(i, lanes, ppn);

        add_process(sample, napcoll_node_map_rank(sample->map, node, lane), lane - before);
        before = lane;
    }
}

/* Fill the sample, where each plan has about `messages` messages. */
static void draw_sample(sample_t *sample, const napcoll_node_map_t *map, int fullest, int messages,
                        int root, bool rough)
{
    const int room = (rough ? MOST_ROUGH_MESSAGES : MOST_MESSAGES) / (messages + 1);
    const int most = rough ? MOST_ROUGH_PROCESSES : MOST_PROCESSES;
    int nodes;

    sample->map = map;
    sample->count = 0;
    sample->room = room < LEAST_PROCESSES ? LEAST_PROCESSES : least(room, most);
    sample->lanes = least(map->max_ppn, least(sample->room / 2, MOST_LANES));
    add_node(sample, fullest);
    nodes = least(map->nodes, sample->room * 2 / 3 / sample->lanes);
    for (int i = 0; i < nodes; i++) {
        if (sample->count + sample->lanes <= sample->room * 2 / 3) {
            add_node(sample, spread(i, nodes, map->nodes));
        }
    }
    nodes = least(map->nodes, sample->room - sample->count);
    for (int i = 0; i < nodes; i++) {
        add_process(sample, napcoll_node_map_rank(map, spread(i, nodes, map->nodes), 0), 1);
    }
    if (root >= 0) {
        add_process(sample, root, 1);
    }
}

/* The messages of a plan, or of the plan whose sketch it is. */
static int messages_of(const napcoll_plan_t *plan)
{
    int64_t messages = 0;

    for (int i = 0; i < plan->stages; i++) {
        messages += (int64_t) plan->stage[i].messages * napcoll_plan_times(plan, i);
    }
    return messages < MOST_MESSAGES ? (int) messages : MOST_MESSAGES;
}

napcoll_node_map_t napcoll_plan_cost_map(const napcoll_node_map_t *map)
{
    napcoll_node_map_t shared = {0};

    /* what is behind changes when other threads begin to use the map */
    memcpy(&shared, map, offsetof(napcoll_node_map_t, users));
    shared.oversubscribed = false;
    shared.local_node = -1;
    shared.local_order = NULL;
    return shared;
}

/* The first node with the most processes. */
static int fullest_node(const napcoll_node_map_t *map)
{
    int fullest = 0;

    while (napcoll_node_map_ppn(map, fullest) < map->max_ppn) {
        fullest++;
    }
    return fullest;
}

napcoll_simulate_status_t napcoll_plan_cost_prepare(const napcoll_node_map_t *map,
                                                    const napcoll_plan_t *first,
                                                    napcoll_plan_source_t source, void *context,
                                                    int root, bool rough, int *processes,
                                                    napcoll_simulation_t **simulation)
{
    sample_t sample;

    draw_sample(&sample, map, fullest_node(map), messages_of(first), root, rough);
    *processes = sample.count;
    return napcoll_simulation_create_sampled(map, sample.process, sample.count, source, context,
                                             simulation);
}

/* A lower bound of the time that the simulation needs for the sends of a process. They leave one
 * after the other; the last one may cause neither overhead nor gap. */
static double sending_us(const napcoll_node_map_t *map, const napcoll_plan_t *plan,
                         const napcoll_machine_t *machine, double bytes)
{
    const double last = larger(machine->process_overhead_us, machine->process_gap_us);
    const int node = napcoll_node_map_node(map, plan->rank);
    double time_us = 0;

    for (int i = 0, stage = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];
        napcoll_level_t level = NAPCOLL_LEVEL_NODE;
        double size, busy_us;

        stage += stage + 1 < plan->stages && i == plan->stage[stage + 1].first;
        if (NAPCOLL_STEP_SEND != step->kind) {
            continue;
        }
        if (napcoll_node_map_node(map, step->peer) != node) {
            level = NAPCOLL_LEVEL_NETWORK;
        }
        size = napcoll_plan_share(plan, *napcoll_step_span(step)) * bytes
               + napcoll_plan_message_fixed(step);
        busy_us = napcoll_machine_overhead_us(machine, level, size);
        if (i == plan->stage[stage].first || !napcoll_step_sends_again(step)
            || !napcoll_machine_shares(machine, level, size)) {
            busy_us = larger(busy_us,
                             size * napcoll_machine_link(machine, level, size).ns_per_byte / 1000);
        }
        if (NAPCOLL_LEVEL_NETWORK == level) {
            busy_us = larger(busy_us, machine->process_gap_us);
        }
        time_us += napcoll_plan_times(plan, stage) * busy_us;
    }
    return plan->pieces * larger(0, time_us * (1 - ROUNDING) - last);
}

/* A lower bound of the estimate: the sends of the first process of the fullest node, and of the
 * root. Both are in every sample. */
static double least_us(const napcoll_node_map_t *map, const napcoll_plan_t *first,
                       napcoll_plan_source_t source, void *context, int root,
                       const napcoll_machine_t *machine, double bytes)
{
    double time_us = sending_us(map, first, machine, bytes);

    if (root >= 0 && root != first->rank) {
        napcoll_plan_t *plan = source(context, root);

        if (NULL != plan) {
            time_us = larger(time_us, sending_us(map, plan, machine, bytes));
        }
        napcoll_plan_free(plan);
    }
    return time_us;
}

/* The time of a sample, without the lead; NAN: not known. */
static double sampled_us(const napcoll_node_map_t *map, const napcoll_plan_t *first,
                         napcoll_plan_source_t source, void *context, int root,
                         const napcoll_machine_t *machine, double bytes, double lead_us,
                         double most_us, bool rough)
{
    napcoll_simulation_t *simulation = NULL;
    double time_us = NAN;
    int processes;

    if (NAPCOLL_SIMULATE_OK
        == napcoll_plan_cost_prepare(map, first, source, context, root, rough, &processes,
                                     &simulation)) {
        const double lead = processes < map->size ? lead_us : 0;

        if (NAPCOLL_SIMULATE_OK
            != napcoll_simulation_run_within(simulation, machine, bytes,
                                             most_us * (1 + ROUNDING) - lead, &time_us)) {
            time_us = NAN;
        } else if (processes < map->size) {
            time_us += lead_us;
        }
    }
    napcoll_simulation_free(simulation);
    return time_us;
}

static double estimate_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                          void *context, int root, const napcoll_machine_t *machine, double bytes,
                          double lead_us, double most_us, bool rough)
{
    /* a sample is a part of these for sure, and perhaps of fewer */
    const bool partial = map->size > MOST_PROCESSES + 1;
    napcoll_plan_t *first;
    double time_us = NAN;

    if (partial && lead_us >= most_us) {
        return lead_us;
    }
    first = source(context, napcoll_node_map_rank(map, fullest_node(map), 0));
    if (NULL == first) {
        return NAN;
    }
    if (most_us < INFINITY) {
        time_us = least_us(map, first, source, context, root, machine, bytes)
                  + (partial ? lead_us : 0);
    }
    if (!(time_us >= most_us)) {
        time_us = sampled_us(map, first, source, context, root, machine, bytes, lead_us, most_us,
                             rough);
    }
    napcoll_plan_free(first);
    return time_us;
}

double napcoll_plan_cost_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                            void *context, int root, const napcoll_machine_t *machine, double bytes,
                            double lead_us, double most_us)
{
    return estimate_us(map, source, context, root, machine, bytes, lead_us, most_us, false);
}

double napcoll_plan_cost_rough_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                                  void *context, int root, const napcoll_machine_t *machine,
                                  double bytes, double lead_us, double most_us)
{
    return estimate_us(map, source, context, root, machine, bytes, lead_us, most_us, true);
}
