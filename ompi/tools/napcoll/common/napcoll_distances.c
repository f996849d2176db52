/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Pairs of nodes by the switches between them; see napcoll_distances.h.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_distances.h"

/* ---- pairs ---- */

int napcoll_distances_between(const napcoll_switch_tree_t *tree, int node, int other)
{
    int a = tree->switch_of[node], b = tree->switch_of[other], switches = 1;

    for (; a != b; switches++) {
        if (tree->at[a].depth >= tree->at[b].depth) {
            a = tree->at[a].parent;
        } else {
            b = tree->at[b].parent;
        }
    }
    return switches;
}

/* The nodes that can be of a first pair: the first two on each switch, as further ones are no
 * nearer to anything than those. Returns how many; used: [switches] */
static int choose_few(const napcoll_switch_tree_t *tree, const int *spot, int nodes, char *used,
                      int *few)
{
    int count = 0;

    for (int node = 0; node < nodes; node++) {
        char *those = &used[tree->switch_of[spot[node]]];

        if (*those < 2) {
            (*those)++;
            few[count++] = node;
        }
    }
    return count;
}

int napcoll_distances_choose(const napcoll_switch_tree_t *tree, const int *spot, int nodes,
                             napcoll_distance_t distance[NAPCOLL_MOST_DISTANCES])
{
    char *used = calloc((size_t) tree->switches, sizeof(*used));
    int *few = malloc(((size_t) nodes + 1) * sizeof(*few));
    /* by switches */
    napcoll_distance_t found[NAPCOLL_MOST_DISTANCES + 1] = {{0}};
    int count, distances = 0;

    if (NULL == used || NULL == few) {
        free(used);
        free(few);
        return -1;
    }
    count = choose_few(tree, spot, nodes, used, few);
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            const int switches = napcoll_distances_between(tree, spot[few[i]], spot[few[j]]);

            if (0 == found[switches].switches) {
                found[switches] = (napcoll_distance_t){
                    .switches = switches, .one = few[i], .other = few[j]};
            }
        }
    }
    for (int switches = 1; switches <= NAPCOLL_MOST_DISTANCES; switches++) {
        if (found[switches].switches > 0) {
            distance[distances++] = found[switches];
        }
    }
    free(used);
    free(few);
    return distances;
}

/* ---- times ---- */

/* The lower quartile of what a size took in a turn, or NAN; room: [timings->count] */
static double time_of(const napcoll_timings_t *timings, size_t bytes, int turn, double *room)
{
    size_t count = 0;

    for (size_t i = 0; i < timings->count; i++) {
        const napcoll_timing_t *t = &timings->timing[i];

        if (turn == t->turn && fabs(t->x - (double) bytes) < 0.5) {
            room[count++] = t->seconds;
        }
    }
    if (0 == count) {
        return NAN;
    }
    napcoll_robust_sort(room, count);
    return napcoll_robust_quantile(room, count, 0.25);
}

/* The median, and two standard errors of it. */
static double middle(double *values, int count, double *error)
{
    /* of normal noise */
    const double median_to_mean = 1.2533;
    double deviation;
    const double median = napcoll_robust_middle(values, (size_t) count, &deviation);

    *error = count < 2 ? NAN : 2 * median_to_mean * deviation / sqrt(count);
    return median;
}

static int last_turn(const napcoll_timings_t *timings)
{
    int last = -1;

    for (size_t i = 0; i < timings->count; i++) {
        last = timings->timing[i].turn > last ? timings->timing[i].turn : last;
    }
    return last;
}

int napcoll_distances_measure(const napcoll_timings_t *timings,
                              const size_t bytes[NAPCOLL_DISTANCE_SIZES],
                              napcoll_distance_t *distance)
{
    const int turns = last_turn(timings) + 1;
    double *small = malloc((2 * (size_t) turns + timings->count + 1) * sizeof(*small));
    double *slope, *room, error;

    distance->turns = 0;
    distance->latency = distance->latency_error = distance->rate = distance->rate_error = NAN;
    if (NULL == small) {
        return -1;
    }
    slope = small + turns;
    room = slope + turns;
    for (int turn = 0; turn < turns; turn++) {
        double time[NAPCOLL_DISTANCE_SIZES], all = 0;

        for (int i = 0; i < NAPCOLL_DISTANCE_SIZES; i++) {
            all += time[i] = time_of(timings, bytes[i], turn, room);
        }
        if (!isnan(all)) {
            small[distance->turns] = time[0];
            slope[distance->turns++] = (time[2] - time[1]) / (double) (bytes[2] - bytes[1]);
        }
    }
    if (distance->turns > 0) {
        const double median = middle(slope, distance->turns, &error);

        distance->latency = middle(small, distance->turns, &distance->latency_error);
        distance->rate = median > 0 ? 1 / median : 0;
        distance->rate_error = median > 0 ? error / (median * median) : NAN;
    }
    free(small);
    return 0;
}

bool napcoll_distances_contradict(const napcoll_distance_t *nearer,
                                  const napcoll_distance_t *farther)
{
    return nearer->latency - farther->latency > nearer->latency_error + farther->latency_error;
}
