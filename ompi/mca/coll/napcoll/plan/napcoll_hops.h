/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * The way of a pipeline's segments, as an algorithm says it and the model estimates with it.
 */

#ifndef NAPCOLL_HOPS_H
#define NAPCOLL_HOPS_H

/** The longest way of a segment: what comes before the first one has reached everybody. */
typedef struct napcoll_hops {
    int network; /**< messages between nodes, one after the other */
    int local;   /**< and inside nodes */
    int lanes;   /**< of a node that each carry their share of a segment; at least 1 */
} napcoll_hops_t;

#endif /* NAPCOLL_HOPS_H */
