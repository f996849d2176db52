/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * What the fallback component's algorithms cost (see the header).
 *
 * Of a tree all ranks are simulated, as a sample does not show how deep it is. On many ranks that takes long; then a
 * few of the nodes are, whole, twice or three times as many in turn, and the time on all of them follows from the
 * form that it has (thinned_us). So it is within 10 percent of the time of all, mostly, where a tree's depth and what
 * the root sends grow evenly.
 */

#include "select/napcoll_previous.h"

#include <math.h>
#include <stdlib.h>

#include "algo/previous/previous.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"

enum {
    MOST_WHOLE = 2048, /* ranks that are simulated */
    LEAST_NODES = 32,  /* with fewer, all are */
    STEP = 4           /* factor of fewer nodes: a tree of four children has one level less */
};

/* All ranks simulated. */
static double whole_us(const napcoll_node_map_t *map, napcoll_generator_t *generator,
                       const napcoll_machine_t *machine, double bytes, double most_us)
{
    napcoll_simulation_t *simulation;
    double time_us = NAN;

    if (NAPCOLL_SIMULATE_OK
            == napcoll_simulation_create(map, napcoll_generator_plan, generator, &simulation)
        && NAPCOLL_SIMULATE_OK
               != napcoll_simulation_run_within(simulation, machine, bytes, most_us, &time_us)) {
        time_us = NAN;
    }
    napcoll_simulation_free(simulation);
    return time_us;
}

/* ---- few nodes for many ---- */

/* How a time grows with the ranks. */
typedef enum {
    GROWS_BY_LEVELS, /* a + b log P */
    GROWS_BY_RANKS,  /* a + c P */
    GROWS_BY_BOTH,   /* a + b log P + c P */
    GROWS_BY_BLOCKS  /* by what the root sends or receives, and a latency for each level */
} growth_t;

static bool is_linear(int tree)
{
    return NAPCOLL_PREVIOUS_LINEAR == tree || NAPCOLL_PREVIOUS_CHAIN == tree
           || NAPCOLL_PREVIOUS_CHAINS == tree;
}

static growth_t growth_of(const napcoll_previous_choice_t *choice)
{
    const int *tree = choice->params.tunable;

    switch (choice->shadow->goal) {
    case NAPCOLL_GOAL_SCAN:
    case NAPCOLL_GOAL_EXSCAN:
        return GROWS_BY_RANKS;
    case NAPCOLL_GOAL_GATHER:
    case NAPCOLL_GOAL_SCATTER:
        return NAPCOLL_PREVIOUS_ROOTED_BINOMIAL == choice->row ? GROWS_BY_BLOCKS : GROWS_BY_RANKS;
    case NAPCOLL_GOAL_ALLGATHER:
        return GROWS_BY_BOTH;
    default:
        return is_linear(tree[0]) != is_linear(tree[1]) ? GROWS_BY_BOTH
               : is_linear(tree[0])                     ? GROWS_BY_RANKS
                                                        : GROWS_BY_LEVELS;
    }
}

/* Whether the bytes of a call are those of a block, so that all together are more with the ranks. */
static bool has_blocks(napcoll_goal_t goal)
{
    return napcoll_goal_is_personalized(goal) || NAPCOLL_GOAL_REDUCE_SCATTER == goal
           || NAPCOLL_GOAL_ALLGATHER == goal;
}

/* The map of some nodes of another one, the root's and others evenly behind it; ranks keep their order. *root becomes
 * the root's there. NULL where memory ran out. */
static napcoll_node_map_t *thin(const napcoll_node_map_t *map, int nodes, int *root)
{
    const int home = napcoll_node_map_node(map, *root), rank = *root;
    int *id = malloc((size_t) map->size * sizeof(*id));
    bool *kept = calloc((size_t) map->nodes, sizeof(*kept));
    napcoll_node_map_t *thinned = NULL;
    int count = 0;

    for (int i = 0; NULL != kept && i < nodes; i++) {
        kept[(home + (int64_t) i * map->nodes / nodes) % map->nodes] = true;
    }
    for (int r = 0; NULL != id && NULL != kept && r < map->size; r++) {
        const int node = napcoll_node_map_node(map, r);

        *root = r == rank ? count : *root;
        if (kept[node]) {
            id[count++] = node;
        }
    }
    if (count > 0 && 0 != napcoll_node_map_create(id, count, &thinned)) {
        thinned = NULL;
    }
    free(id);
    free(kept);
    return thinned;
}

/* A simulation on fewer nodes. */
typedef struct {
    double ranks;
    double levels; /* their logarithm */
    double time_us;
} point_t;

/* How much larger blocks on fewer ranks are, so that all together have as many bytes, and the messages of many blocks stay
 * what they are. */
static double larger_blocks(napcoll_goal_t goal, const napcoll_node_map_t *map,
                            const napcoll_node_map_t *thinned, growth_t growth)
{
    return GROWS_BY_RANKS == growth || !has_blocks(goal) ? 1 : (double) map->size / thinned->size;
}

/* Simulate some of the nodes. */
static point_t point_on(const napcoll_node_map_t *map, int nodes,
                        const napcoll_generator_t *generator, const napcoll_machine_t *machine,
                        double bytes, growth_t growth)
{
    napcoll_generator_t there = *generator;
    napcoll_node_map_t *thinned = thin(map, nodes, &there.args.params.root), flat;
    point_t point = {.time_us = NAN};

    if (NULL != thinned) {
        flat = napcoll_previous_map(thinned->size);
        there.args.map = &flat;
        point.ranks = thinned->size;
        point.levels = log2(point.ranks);
        bytes *= larger_blocks(generator->args.collective->goal, map, thinned, growth);
        point.time_us = whole_us(thinned, &there, machine, bytes, INFINITY);
    }
    napcoll_node_map_free(thinned);
    return point;
}

/* The value at x of the line through two points. */
static double line_at(double x, double x1, double y1, double x2, double y2)
{
    return y1 + (y2 - y1) / (x2 - x1) * (x - x1);
}

/* The time on all ranks, from that on p[0] and p[1], fewer ones, and p[2], between them, where it is needed. */
static double time_at(growth_t growth, const point_t *p, double ranks)
{
    const double levels = log2(ranks);
    double slope[2], per_rank[2], c;

    if (GROWS_BY_LEVELS == growth) {
        return line_at(levels, p[0].levels, p[0].time_us, p[1].levels, p[1].time_us);
    }
    if (GROWS_BY_RANKS == growth) {
        return line_at(ranks, p[0].ranks, p[0].time_us, p[1].ranks, p[1].time_us);
    }
    for (int i = 0; i < 2; i++) { /* time and ranks over levels: two slopes tell b and c */
        const point_t *from = 0 == i ? &p[0] : &p[2], *to = 0 == i ? &p[2] : &p[1];
        const double step = to->levels - from->levels;

        slope[i] = (to->time_us - from->time_us) / step;
        per_rank[i] = (to->ranks - from->ranks) / step;
    }
    c = (slope[1] - slope[0]) / (per_rank[1] - per_rank[0]);
    c = c > 0 ? c : 0;
    return p[1].time_us + (slope[1] - c * per_rank[1]) * (levels - p[1].levels)
           + c * (ranks - p[1].ranks);
}

/* The time on all ranks from that on some of the nodes, where the root has as many bytes for each rank in all. */
static double blocks_us(const point_t *point, int few, const napcoll_node_map_t *map,
                        const napcoll_machine_t *machine, double bytes)
{
    const napcoll_link_t link =
        machine->link[NAPCOLL_LEVEL_NETWORK][napcoll_machine_protocol(machine, bytes)];

    return point->time_us * (1 - 1.0 / map->nodes) / (1 - 1.0 / few)
           + (log2(map->size) - point->levels) * link.latency_us;
}

/* The time from that on fewer nodes; they are a power of STEP fewer, with a limit of ranks. */
static double thinned_us(const napcoll_previous_choice_t *choice, const napcoll_node_map_t *map,
                         const napcoll_generator_t *generator, const napcoll_machine_t *machine,
                         double bytes)
{
    const growth_t growth = growth_of(choice);
    int fewer = STEP;
    point_t point[3];

    while (map->size / fewer > MOST_WHOLE && map->nodes / fewer / STEP >= LEAST_NODES / STEP) {
        fewer *= STEP;
    }
    if (GROWS_BY_BLOCKS == growth) {
        point[0] = point_on(map, map->nodes / fewer, generator, machine, bytes, growth);
        return blocks_us(&point[0], map->nodes / fewer, map, machine, bytes);
    }
    point[0] = point_on(map, map->nodes / fewer / STEP, generator, machine, bytes, growth);
    point[1] = point_on(map, map->nodes / fewer, generator, machine, bytes, growth);
    point[2] = point[1];
    if (GROWS_BY_BOTH == growth) {
        point[2] = point_on(map, 2 * map->nodes / fewer / STEP, generator, machine, bytes, growth);
    }
    return time_at(growth, point, map->size);
}

double napcoll_previous_cost_us(const napcoll_previous_choice_t *choice,
                                const napcoll_node_map_t *map, const napcoll_machine_t *machine,
                                double bytes, double most_us)
{
    const napcoll_node_map_t flat = napcoll_previous_map(map->size);
    const bool many = map->size > MOST_WHOLE && map->nodes >= LEAST_NODES;
    const bool sketched = !choice->closely && !choice->sparse
                          && napcoll_screen_sketches(choice->shadow->goal, map->size);
    napcoll_generator_t generator = {.args = {.collective = choice->shadow,
                                              .algorithm = &choice->shadow->algorithm[choice->row],
                                              .map = &flat,
                                              .sketch = sketched,
                                              .shortened = sketched,
                                              .params = choice->params}};
    const int root = napcoll_goal_is_rooted(choice->shadow->goal) ? choice->params.root : -1;

    if (!choice->sparse) {
        return napcoll_plan_cost_us(map, napcoll_generator_plan, &generator, root, machine, bytes,
                                    0, most_us);
    }
    return many && !choice->closely ? thinned_us(choice, map, &generator, machine, bytes)
                                    : whole_us(map, &generator, machine, bytes, most_us);
}
