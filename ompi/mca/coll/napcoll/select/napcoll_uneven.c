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

#include "model/napcoll_model.h"
#include "model/napcoll_plan_cost.h"
#include "model/napcoll_screen.h"

/* ---- from one call to the next ---- */

/* The sizes that are tried where nothing is known. */
static const size_t probes[] = {NAPCOLL_UNEVEN_FIRST_BYTES, 8, 512, 4096, 32768};

enum { PROBES = sizeof(probes) / sizeof(probes[0]) };

void napcoll_uneven_begin(napcoll_uneven_t *uneven, napcoll_call_t *call)
{
    uneven->deaf = uneven->calls > 0;
    uneven->calls -= uneven->deaf;
    call->straight = uneven->deaf && uneven->straight;
    if (uneven->deaf || uneven->hears > 0) {
        call->bytes = 0 == uneven->bytes ? NAPCOLL_UNEVEN_FIRST_BYTES : uneven->bytes;
    } else {
        call->bytes = probes[uneven->probe];
    }
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

/* Do without hearing for a while, twice as long as the last time. */
static void go_deaf(napcoll_uneven_t *uneven, bool straight)
{
    uneven->turn *= 2;
    if (uneven->turn < NAPCOLL_UNEVEN_LEAST_CALLS) {
        uneven->turn = NAPCOLL_UNEVEN_LEAST_CALLS;
    } else if (uneven->turn > NAPCOLL_UNEVEN_MOST_CALLS) {
        uneven->turn = NAPCOLL_UNEVEN_MOST_CALLS;
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
        go_deaf(uneven, true);
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
        go_deaf(uneven, false);
    }
}

/* ---- limits ---- */

/* The first row that forwards no blocks. */
int napcoll_uneven_straight_row(const napcoll_collective_t *collective)
{
    int row = 0;

    while (collective->algorithm[row].store_and_forward) {
        row++;
    }
    return row;
}

size_t napcoll_uneven_inline(const napcoll_settings_t *settings, const napcoll_call_t *call,
                             const napcoll_rule_t *rule, const napcoll_decision_t *decision)
{
    const napcoll_collective_t *collective = call->collective;

    if (decision->algorithm < 0 || !collective->uneven
        || !collective->algorithm[decision->algorithm].store_and_forward) {
        return 0;
    }
    if (NULL != rule && rule->inline_bytes > 0) {
        return (size_t) rule->inline_bytes;
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

/* The time of straight messages of this size to all ranks; NAN when memory ran out. */
static double straight_us(const estimate_t *e, double bytes)
{
    const napcoll_node_map_t *map = NULL == e->first_nodes ? e->map : e->first_nodes;
    const napcoll_node_map_t costs = napcoll_plan_cost_map(map);
    const int root = napcoll_goal_is_rooted(e->collective->goal) ? 0 : -1;
    const double latency_us = napcoll_model_message_us(e->settings.machine, NAPCOLL_LEVEL_NETWORK,
                                                       bytes);
    napcoll_generator_t generator = {
        .args = {.collective = e->collective,
                 .algorithm = &e->collective->algorithm[napcoll_uneven_straight_row(e->collective)],
                 .map = &costs,
                 .sketch = napcoll_screen_sketches(e->collective->goal, map->size),
                 .shortened = napcoll_screen_sketches(e->collective->goal, map->size),
                 .params = {.segments = 1, .local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX}}};
    const double us = napcoll_plan_cost_us(&costs, napcoll_generator_plan, &generator, root,
                                           e->settings.machine, bytes, 0, INFINITY);

    return NULL == e->first_nodes
               ? us
               : latency_us + (us - latency_us) * (e->map->size - 1.0) / (map->size - 1.0);
}

/* The time of the best rounds; INFINITY where the model takes none, NAN when memory ran out. */
static double rounds_us(const estimate_t *e, size_t bytes)
{
    const napcoll_call_t call = {.collective = e->collective, .map = e->map, .bytes = bytes};
    napcoll_decision_t decision;

    if (0 != napcoll_select(&e->settings, &call, &decision)) {
        return NAN;
    }
    return decision.algorithm < 0 || !e->collective->algorithm[decision.algorithm].store_and_forward
               ? INFINITY
               : decision.cost_us;
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

/* Find the limits; -1 when memory ran out. */
static int find_limits(const estimate_t *e, napcoll_limits_t *limits)
{
    /* of sizes about a mean for which rounds pay; larger means are heard of */
    enum { LEAST_EXPONENT = 3, MOST_EXPONENT = 20, SPREAD = 4 };
    const double least = NAPCOLL_LEAST_BYTES, others = e->map->size - 1;
    const double latency_us = napcoll_model_message_us(e->settings.machine, NAPCOLL_LEVEL_NETWORK,
                                                       least);
    double rounds = rounds_us(e, NAPCOLL_LEAST_BYTES), straight = straight_us(e, least), part;
    int low = LEAST_EXPONENT, high = MOST_EXPONENT + 1;

    if (isnan(rounds) || isnan(straight)) {
        return -1;
    }
    part = straight > latency_us ? (rounds - latency_us) / (straight - latency_us) : 1;
    /* one message is never slower than rounds */
    *limits = (napcoll_limits_t){.few = (size_t) fmax(fmin(part, 1) * others, 1)};
    if (rounds > straight) {
        return 0;
    }
    while (high - low > 1) { /* rounds pay at exponent low, and not at high */
        const int middle = (low + high) / 2;

        rounds = rounds_us(e, (size_t) 1 << middle);
        straight = straight_us(e, (double) ((size_t) 1 << middle));
        if (isnan(rounds) || isnan(straight)) {
            return -1;
        }
        low = rounds <= straight ? middle : low;
        high = rounds <= straight ? high : middle;
    }
    limits->inline_bytes = (size_t) (NAPCOLL_GOAL_GATHER == e->collective->goal ? 1 : SPREAD)
                           << low;
    return 0;
}

int napcoll_uneven_limits(const napcoll_collective_t *collective,
                          const napcoll_settings_t *settings, const napcoll_node_map_t *map,
                          napcoll_limits_t *limits)
{
    estimate_t e = {.collective = collective, .settings = *settings, .map = map};
    int rc = -1;

    e.settings.force = NAPCOLL_FORCE_AUTO;
    e.settings.rules = NULL;
    e.settings.unmeasured = false;
    if (take_first_nodes(map, &e.first_nodes)) {
        rc = find_limits(&e, limits);
    }
    napcoll_node_map_free(e.first_nodes);
    return rc;
}
