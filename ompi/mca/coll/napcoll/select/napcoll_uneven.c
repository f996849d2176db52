/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Uneven calls (see the header).
 */

#include "select/napcoll_uneven.h"

#include <math.h>

#include "algo/napcoll_generators.h"
#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"

/* ---- from one call to the next ---- */

/* The sizes that are tried where nothing is known. */
static const size_t probes[] = {NAPCOLL_UNEVEN_FIRST_BYTES, 8, 512, 4096, 32768};

enum { PROBES = sizeof(probes) / sizeof(probes[0]) };

/* Count a call of which ranks do not hear, if it is one. */
static void count_call(napcoll_uneven_t *uneven)
{
    uneven->deaf = uneven->calls > 0;
    uneven->calls -= uneven->deaf;
}

void napcoll_uneven_look(const napcoll_uneven_t *uneven, napcoll_call_t *call)
{
    call->straight = uneven->straight;
    call->bytes = 0 == uneven->bytes ? NAPCOLL_UNEVEN_FIRST_BYTES : uneven->bytes;
}

void napcoll_uneven_begin(napcoll_uneven_t *uneven, napcoll_call_t *call)
{
    count_call(uneven);
    napcoll_uneven_look(uneven, call);
    call->straight = uneven->deaf && uneven->straight;
    if (!uneven->deaf && 0 == uneven->hears) {
        call->bytes = probes[uneven->probe];
    }
}

bool napcoll_uneven_needs_rounds(const napcoll_uneven_t *uneven)
{
    return uneven->hears > 0 && 0 == uneven->idle;
}

/* What is said: 0, nothing; else 1 for a mean block without bytes, or 2 + a number of half octaves,
 * the nearest to the mean; NEEDS more where a rank needs the rounds. */
enum { NEEDS = NAPCOLL_UNEVEN_SAYINGS / 2 };

/* In bytes: how much a mean that is a whole number may miss it. */
static const double ROUNDING = 1e-6;

unsigned napcoll_uneven_say(size_t blocks, size_t bytes, size_t most, size_t few)
{
    const double mean = 0 == most ? 0 : (double) bytes / (double) most;
    const double halves = mean > 1 ? round(2 * log2(mean)) : 0;
    unsigned said = mean > 0 ? 2 + (unsigned) halves : 1;

    said = said < NEEDS ? said : NEEDS - 1;
    return blocks > few ? NEEDS + said : said;
}

/* The mean block of a rank that has said a number. */
static double bytes_of(unsigned said)
{
    const unsigned size = said % NEEDS;

    return size < 2 ? 0 : exp2((size - 2) / 2.0);
}

/* Do without hearing for a while, twice as long as the last time, from `least` to `most` calls. */
static void go_deaf(napcoll_uneven_t *uneven, int least, int most, bool straight)
{
    uneven->turn *= 2;
    if (uneven->turn < least) {
        uneven->turn = least;
    } else if (uneven->turn > most) {
        uneven->turn = most;
    }
    uneven->calls = uneven->turn;
    uneven->hears = uneven->probe = 0;
    uneven->straight = straight;
}

void napcoll_uneven_hear(napcoll_uneven_t *uneven, const int heard[NAPCOLL_UNEVEN_SAYINGS])
{
    double bytes = 0;
    int ranks = 0;
    bool needed = false;

    for (unsigned said = 1; said < NAPCOLL_UNEVEN_SAYINGS; said++) {
        bytes += heard[said] * bytes_of(said);
        ranks += heard[said];
        needed = needed || (said >= NEEDS && heard[said] > 0);
    }
    uneven->bytes = bytes > 0 ? (size_t) ceil(bytes / ranks - ROUNDING) : 1;
    uneven->hears++;
    if (needed) {
        uneven->idle = 0;
        uneven->turn = uneven->hears > 1 ? 0 : uneven->turn;
    } else if (++uneven->idle >= NAPCOLL_UNEVEN_PATIENCE) {
        /* after the calls that follow, one call without need is enough */
        uneven->idle = NAPCOLL_UNEVEN_PATIENCE - 1;
        go_deaf(uneven, NAPCOLL_UNEVEN_LEAST_CALLS, NAPCOLL_UNEVEN_MOST_CALLS, true);
    }
}

void napcoll_uneven_deaf(napcoll_uneven_t *uneven)
{
    if (uneven->deaf) {
        return;
    }
    if (0 == uneven->hears && uneven->probe + 1 < PROBES) {
        uneven->probe++;
    } else {
        go_deaf(uneven, NAPCOLL_UNEVEN_LEAST_CALLS, NAPCOLL_UNEVEN_MOST_CALLS, false);
    }
}

/* ---- along edges ---- */

bool napcoll_uneven_begin_edges(napcoll_uneven_t *uneven)
{
    count_call(uneven);
    return !uneven->deaf;
}

void napcoll_uneven_agreed(napcoll_uneven_t *uneven, size_t bytes, bool straight)
{
    go_deaf(uneven, NAPCOLL_UNEVEN_LEAST_EDGE_CALLS, NAPCOLL_UNEVEN_MOST_EDGE_CALLS, straight);
    uneven->bytes = bytes > 0 ? bytes : 1;
}

size_t napcoll_uneven_edges_inline(const napcoll_settings_t *settings)
{
    return settings->inline_bytes > 0 ? settings->inline_bytes : NAPCOLL_NEIGHBOR_INLINE_BYTES;
}

bool napcoll_uneven_edges_straight(const napcoll_collective_t *collective,
                                   const napcoll_settings_t *settings,
                                   const napcoll_node_map_t *map,
                                   const napcoll_neighborhood_t *neighborhood,
                                   const napcoll_neighbor_sizes_t *sizes)
{
    const napcoll_neighbor_load_t *load = napcoll_neighbor_loads(collective, neighborhood);
    napcoll_settings_t fitted = *settings;
    napcoll_machine_t machine;

    napcoll_select_fit_machine(&fitted, collective->goal, map, &machine);
    return napcoll_neighbor_cost_us(fitted.machine, load, NAPCOLL_NEIGHBOR_DIRECT, sizes)
           <= napcoll_neighbor_cost_us(fitted.machine, load, NAPCOLL_NEIGHBOR_COALESCED, sizes);
}

/* ---- limits ---- */

/* The first row that forwards no blocks. */
int napcoll_uneven_straight_row(const napcoll_collective_t *collective)
{
    int row = 0;

    while (napcoll_algorithm_at(collective, row)->store_and_forward) {
        row++;
    }
    return row;
}

size_t napcoll_uneven_inline(const napcoll_settings_t *settings, const napcoll_call_t *call,
                             const napcoll_rule_t *rule, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = call->collective;

    if (decision->algorithm < 0 || !collective->uneven
        || !napcoll_algorithm_at(collective, decision->algorithm)->store_and_forward) {
        return 0;
    }
    if (NULL != rule && rule->inline_bytes > 0) {
        return (size_t) rule->inline_bytes;
    }
    if (napcoll_goal_is_neighbor(collective->goal)) {
        return napcoll_uneven_edges_inline(settings);
    }
    return settings->inline_bytes > 0 || decision->by_model ? settings->inline_bytes
                                                            : NAPCOLL_NAMED_INLINE_BYTES;
}

/* What estimates need. */
typedef struct {
    const napcoll_collective_t *collective;
    napcoll_settings_t settings;
    const napcoll_node_map_t *map;
    /* the first nodes of the map, where it has many: the time of straight messages grows by equal
     * steps from one rank to the next */
    napcoll_node_map_t *first_nodes;
} estimate_t;

enum { FIRST_RANKS = 1024 };

/* The time of one algorithm for blocks of this size; NAN when memory ran out. */
static double algorithm_us(const estimate_t *e, const napcoll_node_map_t *map, int row,
                           const napcoll_params_t *params, double bytes)
{
    const napcoll_node_map_t costs = napcoll_plan_cost_map(map);
    const int root = napcoll_goal_is_rooted(e->collective->goal) ? 0 : -1;
    const bool sketched = napcoll_screen_sketches(e->collective->goal, map->size);
    napcoll_generator_t generator = {.args = {.collective = e->collective,
                                              .algorithm = napcoll_algorithm_at(e->collective, row),
                                              .map = &costs,
                                              .sketch = sketched,
                                              .shortened = sketched,
                                              .params = *params}};

    return napcoll_plan_cost_us(&costs, napcoll_generator_plan, &generator, root,
                                e->settings.machine, bytes, 0, INFINITY);
}

/* The time of one message to the farthest process. */
static double message_us(const estimate_t *e, double bytes)
{
    const napcoll_level_t level = e->map->nodes < 2 ? NAPCOLL_LEVEL_NODE : NAPCOLL_LEVEL_NETWORK;

    return napcoll_model_message_us(e->settings.machine, level, bytes);
}

/* The time of a row that forwards no blocks, for blocks of this size to all ranks; NAN when memory
 * ran out. */
static double row_us(const estimate_t *e, int row, double bytes)
{
    const napcoll_node_map_t *map = NULL == e->first_nodes ? e->map : e->first_nodes;
    const napcoll_params_t params = {.segments = 1, .local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX};
    const double us = algorithm_us(e, map, row, &params, bytes);
    const double latency_us = message_us(e, bytes);

    return NULL == e->first_nodes
               ? us
               : latency_us + (us - latency_us) * (e->map->size - 1.0) / (map->size - 1.0);
}

/* The least time of all these rows. */
static double straight_us(const estimate_t *e, double bytes)
{
    double least = INFINITY;

    for (int row = 0; row < e->collective->algorithms && !isnan(least); row++) {
        if (!napcoll_algorithm_at(e->collective, row)->store_and_forward) {
            const double us = row_us(e, row, bytes);

            least = isnan(us) || us < least ? us : least;
        }
    }
    return least;
}

/* The rounds that auto chooses for blocks of this size, with their time: INFINITY where it chooses
 * none, NAN when memory ran out. */
static double choose_rounds(const estimate_t *e, size_t bytes, napcoll_decision_t *rounds)
{
    const napcoll_call_t call = {.collective = e->collective, .map = e->map, .bytes = bytes};

    if (0 != napcoll_select(&e->settings, &call, rounds)) {
        return NAN;
    }
    return rounds->algorithm < 0
                   || !napcoll_algorithm_at(e->collective, rounds->algorithm)->store_and_forward
               ? INFINITY
               : rounds->cost_us;
}

/* The first nodes of a map of many ranks, or NULL. False when memory ran out. */
static bool take_first_nodes(const napcoll_node_map_t *map, napcoll_node_map_t **first)
{
    int node[FIRST_RANKS];

    *first = NULL;
    for (int rank = 0; rank < FIRST_RANKS; rank++) {
        node[rank] = rank / map->max_ppn;
    }
    return map->size <= FIRST_RANKS || 0 == napcoll_node_map_create(node, FIRST_RANKS, first);
}

/* Blocks that take no longer straight than in rounds of this time. One message is never slower. */
static int find_few(const estimate_t *e, double rounds, double bytes, size_t *few)
{
    const double straight = row_us(e, napcoll_uneven_straight_row(e->collective), bytes);
    const double latency_us = message_us(e, bytes), others = e->map->size - 1;
    const double part = straight > latency_us ? (rounds - latency_us) / (straight - latency_us) : 1;

    *few = (size_t) fmax(fmin(part, 1) * others, 1);
    return isnan(straight) ? -1 : 0;
}

/* How much faster rounds are for blocks of this size; NAN when memory ran out. One choice of rounds
 * stands for all sizes of an all-to-all, where a choice takes many times as long as an estimate. */
static double rounds_gain(const estimate_t *e, const napcoll_decision_t *choice, size_t bytes)
{
    napcoll_decision_t other;
    double rounds;

    if (napcoll_goal_is_rooted(e->collective->goal)) {
        rounds = choose_rounds(e, bytes, &other);
    } else {
        rounds = algorithm_us(e, e->map, choice->algorithm, &choice->params, (double) bytes);
    }
    return straight_us(e, (double) bytes) - rounds;
}

/* Find the limits; -1 when memory ran out. */
static int find_limits(const estimate_t *e, napcoll_limits_t *limits)
{
    /* SPREAD: of sizes about a mean for which rounds pay. Larger means are heard of */
    enum { SMALL = 64, LARGE = 512, MOST = 1 << 20, SPREAD = 4 };
    const bool gather = NAPCOLL_GOAL_GATHER == e->collective->goal;
    napcoll_decision_t small, large;
    double rounds = choose_rounds(e, SMALL, &small), gain = 0;

    *limits = (napcoll_limits_t){.inline_bytes = 0};
    if (isnan(rounds) || 0 != find_few(e, rounds, SMALL, &limits->few)) {
        return -1;
    }
    if (isinf(rounds)) {
        return 0;
    }
    rounds = choose_rounds(e, LARGE, &large);
    if (isnan(rounds)) {
        return -1;
    }
    limits->inline_bytes = isinf(rounds) ? SMALL : LARGE;
    while (gain >= 0 && limits->inline_bytes < MOST) {
        gain = rounds_gain(e, isinf(rounds) ? &small : &large, 2 * limits->inline_bytes);
        limits->inline_bytes *= gain >= 0 ? 2 : 1;
    }
    limits->inline_bytes *= gather ? 1 : SPREAD;
    return isnan(gain) ? -1 : 0;
}

int napcoll_uneven_limits(const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                          napcoll_limits_t *limits)
{
    estimate_t e = {.collective = collective, .settings = *settings, .map = map};
    napcoll_machine_t machine;
    int rc = -1;

    e.settings.force = NAPCOLL_FORCE_AUTO;
    e.settings.rules = NULL;
    e.settings.unmeasured = false;
    napcoll_select_fit_machine(&e.settings, collective->goal, map, &machine);
    if (take_first_nodes(map, &e.first_nodes)) {
        rc = find_limits(&e, limits);
    }
    napcoll_node_map_free(e.first_nodes);
    return rc;
}
