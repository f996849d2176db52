/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Nodes that are unlike the others; see napcoll_delays.h.
 */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/napcoll_delays.h"

static const double deviations = 4, quarter = 0.25;

/* The line between node 0 and another, or NULL. */
static const napcoll_line_t *from_first(const napcoll_node_pair_t *pair, int pairs, int node)
{
    for (int i = 0; i < pairs; i++) {
        const napcoll_node_pair_t *p = &pair[i];

        if (p->line.points > 0
            && ((0 == p->one && node == p->other) || (0 == p->other && node == p->one))) {
            return &p->line;
        }
    }
    return NULL;
}

/* C of one node: the median over its triples, or `half`. scratch: [pairs] */
static double delay_of(const napcoll_node_pair_t *pair, int pairs, int node, double half,
                       double *scratch)
{
    int count = 0;

    for (int i = 0; i < pairs; i++) {
        const napcoll_node_pair_t *p = &pair[i];
        const napcoll_line_t *one = from_first(pair, pairs, p->one);
        const napcoll_line_t *other = from_first(pair, pairs, p->other);

        if (0 == p->line.points || 0 == p->one || 0 == p->other || NULL == one || NULL == other) {
            continue;
        }
        if (0 == node) {
            scratch[count++] = (one->intercept + other->intercept - p->line.intercept) / 2;
        } else if (node == p->one) {
            scratch[count++] = (one->intercept + p->line.intercept - other->intercept) / 2;
        } else if (node == p->other) {
            scratch[count++] = (other->intercept + p->line.intercept - one->intercept) / 2;
        }
    }
    return count > 0 ? napcoll_robust_median(scratch, (size_t) count) : half;
}

/* Whether a value is far from the median. */
static bool is_unlike(double value, double median, double deviation)
{
    const double off = fabs(value - median);

    return off > quarter * fabs(median) && off > deviations * deviation;
}

static void find_unlike(napcoll_delay_t *delay, int nodes, double *scratch)
{
    enum { FEWEST = 4 };
    double median, deviation;
    int count = 0;

    for (int i = 0; i < nodes; i++) {
        if (delay[i].known) {
            scratch[count++] = delay[i].delay;
        }
    }
    if (count < FEWEST) {
        return;
    }
    median = napcoll_robust_middle(scratch, (size_t) count, &deviation);
    for (int i = 0; i < nodes; i++) {
        delay[i].slow_start = delay[i].known && is_unlike(delay[i].delay, median, deviation);
    }
    count = 0;
    for (int i = 1; i < nodes; i++) {
        if (delay[i].known) {
            scratch[count++] = delay[i].seconds_per_byte;
        }
    }
    median = napcoll_robust_middle(scratch, (size_t) count, &deviation);
    for (int i = 1; i < nodes; i++) {
        delay[i].slow_bytes = delay[i].known
                              && is_unlike(delay[i].seconds_per_byte, median, deviation);
    }
}

int napcoll_delays(const napcoll_node_pair_t *pair, int pairs, int nodes, napcoll_delay_t *delay)
{
    double *scratch = malloc(((size_t) pairs + (size_t) nodes) * sizeof(*scratch));
    double first = 0;
    int count = 0;

    if (NULL == scratch) {
        return -1;
    }
    memset(delay, 0, (size_t) nodes * sizeof(*delay));
    for (int i = 1; i < nodes; i++) {
        const napcoll_line_t *line = from_first(pair, pairs, i);

        if (NULL != line) {
            delay[i].known = delay[0].known = true;
            delay[i].seconds_per_byte = line->slope;
            delay[i].delay = delay_of(pair, pairs, i, line->intercept / 2, scratch);
        }
    }
    for (int i = 1; i < nodes; i++) {
        const napcoll_line_t *line = from_first(pair, pairs, i);

        if (NULL != line) {
            scratch[count++] = line->intercept / 2;
        }
    }
    if (count > 0) {
        first = napcoll_robust_median(scratch, (size_t) count);
        delay[0].delay = delay_of(pair, pairs, 0, first, scratch);
        find_unlike(delay, nodes, scratch);
    }
    free(scratch);
    return 0;
}
