/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Estimates (see the header): which processes stand for all.
 *
 * Whole nodes show how lanes wait for each other and share their node; leaders show how nodes
 * that are not in step do (of smp, the leaders of 5 nodes do in two latencies what each of them has
 * three stages for). Two thirds of the sample are for the former.
 */

#include "model/napcoll_plan_cost.h"

#include <math.h>

enum {
    MOST_PROCESSES = 96,
    LEAST_PROCESSES = 4,
    MOST_LANES = 16,          /* of a node */
    MOST_MESSAGES = 16 << 10, /* of all plans of the sample, about */

    /* of a rough one */
    MOST_ROUGH_PROCESSES = 24,
    MOST_ROUGH_MESSAGES = 1 << 10
};

/* Bounds are looser by this part of them: a sum depends on the order of its terms. */
#define ROUNDING 1e-9

typedef struct {
    const napcoll_node_map_t *map;
    int room;  /* processes, without the root */
    int lanes; /* most of a node */
    int count;
    napcoll_sampled_t process[MOST_PROCESSES + 1]; /* by rank */
} sample_t;

static int least(int a, int b)
{
    return a < b ? a : b;
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

/* Lanes of a node, spread from the first to the last; each stands for itself and those between it and the
 * one before. So the first, which may be the only one that talks to other nodes, stands for itself. */
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

/* Fill the sample; `messages` are those of one plan, as long as the others are taken to be. */
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

/* The messages of a plan, or of the one that it is a sketch of. */
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
    napcoll_node_map_t shared = *map;

    shared.oversubscribed = false;
    shared.near_node = -1;
    shared.near = NULL;
    return shared;
}

/* The first node of those that have most processes. */
static int fullest_node(const napcoll_node_map_t *map)
{
    int fullest = 0;

    while (napcoll_node_map_ppn(map, fullest) < map->max_ppn) {
        fullest++;
    }
    return fullest;
}

/* Draw the sample, and prepare its simulation; `first` is the plan of the fullest node's first process, and
 * *processes how many are simulated. */
static napcoll_simulate_status_t prepare(const napcoll_node_map_t *map, const napcoll_plan_t *first,
                                         napcoll_plan_source_t source, void *context, int root,
                                         bool rough, int *processes,
                                         napcoll_simulation_t **simulation)
{
    sample_t sample;

    draw_sample(&sample, map, fullest_node(map), messages_of(first), root, rough);
    *processes = sample.count;
    return napcoll_simulation_create_sampled(map, sample.process, sample.count, source, context,
                                             simulation);
}

napcoll_simulate_status_t napcoll_plan_cost_prepare(const napcoll_node_map_t *map,
                                                    napcoll_plan_source_t source, void *context,
                                                    int root, napcoll_simulation_t **simulation)
{
    napcoll_plan_t *first = source(context, napcoll_node_map_rank(map, fullest_node(map), 0));
    napcoll_simulate_status_t status = NAPCOLL_SIMULATE_OUT_OF_MEMORY;
    int processes;

    *simulation = NULL;
    if (NULL != first) {
        status = prepare(map, first, source, context, root, false, &processes, simulation);
    }
    napcoll_plan_free(first);
    return status;
}

/* For how long a process is busy with sending, at least, as the simulation has it (napcoll_simulate.h): its
 * messages leave one after the other, the last one perhaps without any overhead or gap. */
static double sending_us(const napcoll_node_map_t *map, const napcoll_plan_t *plan,
                         const napcoll_machine_t *machine, double bytes)
{
    const double interval[] = {
        [NAPCOLL_LEVEL_NODE] = machine->process_overhead_us,
        [NAPCOLL_LEVEL_NETWORK] = larger(machine->process_overhead_us, machine->process_gap_us)};
    const int node = napcoll_node_map_node(map, plan->rank);
    double time_us = 0;

    for (int i = 0, stage = 0; i < plan->steps; i++) {
        const napcoll_step_t *step = &plan->step[i];
        napcoll_level_t level;
        double size;

        stage += stage + 1 < plan->stages && i == plan->stage[stage + 1].first;
        if (NAPCOLL_STEP_SEND != step->kind) {
            continue;
        }
        level = napcoll_node_map_node(map, step->peer) == node ? NAPCOLL_LEVEL_NODE
                                                               : NAPCOLL_LEVEL_NETWORK;
        size = napcoll_plan_message_share(plan, step) * bytes + napcoll_plan_message_fixed(step);
        time_us +=
            napcoll_plan_times(plan, stage)
            * larger(interval[level],
                     size
                         * machine->link[level][napcoll_machine_protocol(machine, size)].ns_per_byte
                         / 1000);
    }
    return plan->pieces * larger(0, time_us * (1 - ROUNDING) - interval[NAPCOLL_LEVEL_NETWORK]);
}

/* A time that the estimate is not below: what the first process of the fullest node has to send, and the root,
 * both of which are in every sample. */
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

static double estimate_us(const napcoll_node_map_t *map, napcoll_plan_source_t source,
                          void *context, int root, const napcoll_machine_t *machine, double bytes,
                          double lead_us, double most_us, bool rough)
{
    const bool partial = map->size > MOST_PROCESSES + 1; /* for sure; smaller ones may be as well */
    napcoll_simulation_t *simulation = NULL;
    napcoll_plan_t *first;
    double time_us = NAN;
    int processes = 0;

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
    if (!(time_us >= most_us)
        && (NAPCOLL_SIMULATE_OK
                != prepare(map, first, source, context, root, rough, &processes, &simulation)
            || NAPCOLL_SIMULATE_OK
                   != napcoll_simulation_run_within(simulation, machine, bytes,
                                                    most_us * (1 + ROUNDING)
                                                        - (processes < map->size ? lead_us : 0),
                                                    &time_us))) {
        time_us = NAN;
    } else if (processes > 0 && processes < map->size) {
        time_us += lead_us;
    }
    napcoll_plan_free(first);
    napcoll_simulation_free(simulation);
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
