/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Settings of the selection, the values of a tunable that auto tries, and the pieces of blocks (see
 * the header).
 */

#include "select/napcoll_select.h"

#include <math.h>

#include "model/napcoll_model.h"

enum {
    MOST_RADIX = 16,        /* over nodes */
    MOST_FOR_LINEAR = 1024, /* nodes, for choices with a step for each of them */
    /* over more than MOST_CLOSE members, radixes from CLOSE on differ by a factor of 8: their plans
     * are long, and much alike */
    MOST_CLOSE = 1024,
    CLOSE = 256,
    /* of a block's piece at most, where users leave that open */
    PIECE_BYTES = 64 * 1024
};

/* The number of members that an open radix, or number of leaders, is over, and the largest one that
 * is tried. */
static int reach_of(const napcoll_tunable_t *tunable, const napcoll_node_map_t *map, int *most)
{
    switch (tunable->tunes) {
    case NAPCOLL_TUNES_RADIX:
        *most = MOST_RADIX;
        return map->nodes;
    case NAPCOLL_TUNES_RADIX_RANKS:
        return *most = map->size;
    case NAPCOLL_TUNES_RADIX_LANES:
        return *most = map->max_ppn;
    case NAPCOLL_TUNES_LEADERS:
        *most = map->max_ppn - 1;
        return map->max_ppn;
    default:
        return *most = 0;
    }
}

int napcoll_select_values(const napcoll_algorithm_t *algorithm, const napcoll_node_map_t *map,
                          int *value)
{
    const napcoll_tunable_t *tunable = &algorithm->tunable[0];
    const int least = NAPCOLL_TUNES_LEADERS == tunable->tunes ? 1 : 2;
    int count = 0, most, reach;

    if (NULL == tunable->name) {
        return 0;
    }
    if (NAPCOLL_TUNES_CHOICE == tunable->tunes) {
        for (int choice = 1; NULL != tunable->names[choice - 1]; choice++) {
            if (map->nodes <= MOST_FOR_LINEAR || 0 == (tunable->linear & 1U << choice)) {
                value[count++] = choice;
            }
        }
        return count;
    }
    reach = reach_of(tunable, map, &most);
    for (long long radix = least; reach > 0;
         radix *= reach > MOST_CLOSE && radix >= CLOSE ? 8 : 2) {
        value[count] = radix < reach ? (int) radix : reach;
        if (value[count] > most) {
            break;
        }
        count++;
        if (radix >= reach) {
            break;
        }
    }
    return count;
}

int napcoll_select_segments(const napcoll_algorithm_t *algorithm, const napcoll_node_map_t *map,
                            const napcoll_settings_t *settings, const napcoll_params_t *params,
                            size_t bytes, int segments[NAPCOLL_MOST_TRIED_SEGMENTS])
{
    const int t = napcoll_algorithm_tunable(algorithm, NAPCOLL_TUNES_SEGMENTS);
    const bool by_model = settings->force < NAPCOLL_FORCE_FIRST;
    napcoll_hops_t hops;
    int count = 1;

    segments[0] = 1;
    if (algorithm->cuts_blocks) {
        segments[0] = params->segments;
        return 1;
    }
    if (NULL == algorithm->hops || t < 0) {
        segments[by_model] = params->segments;
        return by_model && params->segments > 1 ? 2 : 1;
    }
    if (params->tunable[t] > 0) {
        segments[0] = (size_t) params->tunable[t] > bytes ? (int) bytes : params->tunable[t];
        return 1;
    }
    hops = algorithm->hops(map, params);
    segments[1] = napcoll_model_hockney_segments(settings->machine, &hops, (double) bytes);
    count += segments[1] > 1;
    segments[count] = napcoll_model_eager_segments(settings->machine, &hops, (double) bytes);
    return count + (segments[count] > segments[count - 1]);
}

int napcoll_select_force(const napcoll_rule_t *rule)
{
    switch (rule->action) {
    case NAPCOLL_RULE_ALGORITHM:
        return NAPCOLL_FORCE_FIRST + rule->algorithm;
    case NAPCOLL_RULE_FALLBACK:
        return NAPCOLL_FORCE_FALLBACK;
    default:
        return NAPCOLL_FORCE_AUTO;
    }
}

napcoll_settings_t napcoll_select_defaults(const napcoll_collective_t *collective)
{
    napcoll_settings_t settings = {.force = NAPCOLL_FORCE_AUTO,
                                   .local_radix = NAPCOLL_DEFAULT_LOCAL_RADIX,
                                   .shape = NAPCOLL_SHAPE_AUTO,
                                   .segment_bytes = NAPCOLL_DEFAULT_SEGMENT_BYTES,
                                   .thresholds = napcoll_thresholds_default};

    for (int row = 0; row < collective->algorithms; row++) {
        for (int t = 0; NULL != collective->algorithm[row].tunable[t].name; t++) {
            settings.tunable[row][t] = collective->algorithm[row].tunable[t].initial;
        }
    }
    return settings;
}

/* Into how many pieces a row cuts blocks. */
static napcoll_cut_t cut_of(const napcoll_collective_t *collective, int row,
                            const napcoll_settings_t *settings, size_t bytes)
{
    const int t = napcoll_algorithm_tunable(napcoll_algorithm_at(collective, row),
                                            NAPCOLL_TUNES_PIECES);
    int piece_bytes = 0;

    if (t >= 0) {
        piece_bytes = settings->tunable[row][t] > 0 ? settings->tunable[row][t] : PIECE_BYTES;
    }
    return napcoll_thresholds_cut(&settings->thresholds, collective->goal, bytes,
                                  (size_t) piece_bytes);
}

void napcoll_select_narrow_to_cuts(napcoll_decision_t *decision, const napcoll_settings_t *settings,
                                   const napcoll_call_t *call)
{
    for (int row = 0; row < call->collective->algorithms; row++) {
        if (napcoll_algorithm_at(call->collective, row)->cuts_blocks) {
            const napcoll_cut_t cut = cut_of(call->collective, row, settings, call->bytes);

            napcoll_decision_narrow(decision, cut.least, cut.most);
        }
    }
}

void napcoll_select_set_pieces(napcoll_params_t *params, const napcoll_settings_t *settings,
                               const napcoll_call_t *call, int row, size_t bytes)
{
    const napcoll_goal_t goal = call->collective->goal;
    const int t = napcoll_algorithm_tunable(napcoll_algorithm_at(call->collective, row),
                                            NAPCOLL_TUNES_WINDOW);

    if (!napcoll_algorithm_at(call->collective, row)->cuts_blocks) {
        return;
    }
    params->segments = cut_of(call->collective, row, settings, bytes).pieces;
    if (t >= 0 && !napcoll_thresholds_warn(&settings->thresholds, goal, bytes)) {
        params->tunable[t] = 0;
    } else if (t >= 0 && 0 == params->tunable[t]) {
        params->tunable[t] = napcoll_thresholds_window(&settings->thresholds, goal, call->map->size,
                                                       (bytes - 1) / (size_t) params->segments + 1);
    }
}

/* The processes of a node take turns on its processors. A step lasts until the processes for which
 * others wait had theirs, while those others take turns as well; a message more costs little. The
 * numbers are from all algorithms, measured with 4 and 8 processes on 2 processors, where a step
 * takes 5 and 18 us. */
static void share_processors(napcoll_machine_t *machine, double processes_per_processor)
{
    const double turn_us = 1.2, gap_us = 0.35;
    const double wait_us = turn_us * processes_per_processor * processes_per_processor;

    machine->node_local_gap_us = fmax(machine->node_local_gap_us, gap_us);
    machine->node_memory.latency_us += machine->node_memory.latency_us > 0 ? wait_us : 0;
    for (int level = 0; level < NAPCOLL_LEVEL_NETWORK; level++) {
        for (int protocol = 0; protocol < NAPCOLL_PROTOCOLS; protocol++) {
            machine->link[level][protocol].latency_us += wait_us;
        }
    }
}

double napcoll_select_large_rings(napcoll_goal_t goal, const napcoll_node_map_t *map)
{
    const int share = NAPCOLL_MACHINE_LARGE_RINGS / map->max_ppn;

    return napcoll_goal_suits_node_memory(goal) ? fmin(
               fmax(share, NAPCOLL_MACHINE_LARGE_RING_LEAST), NAPCOLL_MACHINE_LARGE_RING_MOST)
                                                : 0;
}

void napcoll_select_fit_machine(napcoll_settings_t *settings, napcoll_goal_t goal,
                                const napcoll_node_map_t *map, napcoll_machine_t *machine)
{
    const bool assumed = settings->unmeasured && map->nodes < 2;

    *machine = assumed ? napcoll_machine_node : *settings->machine;
    if (!settings->node_memory) {
        machine->node_memory.latency_us = 0;
    }
    machine->node_memory_large = napcoll_select_large_rings(goal, map);
    if (assumed && napcoll_settings_oversubscribed(settings, map)) {
        share_processors(machine, (double) map->max_ppn / settings->processors);
    }
    settings->machine = machine;
}
