/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Plans that are images of a few. A symmetry is a set of moves of the places of the node order:
 *
 *     ring     place q -> q + p (modulo the ranks) for all p, or for all multiples of a period
 *     torus    node m, lane l -> m + n, l + k (modulo the nodes, modulo the lanes)
 *
 *     ring, 4 ranks      rank 1 receives block 2 from rank 2,  sends block 1 to rank 0
 *     its image, p = 2   rank 3 receives block 0 from rank 0,  sends block 3 to rank 2
 *
 * The models are the ranks of which all others are images: one, or one for each place of a period.
 * Where the plan of every rank is the image of its model's, which is checked of each, all images do
 * the same at the same time. So the proof of the models is a proof of all: what a rank sends is the
 * image of what its model sends in the same stage, and if the models can go from stage to stage
 * with such partners, all ranks can, in step: none deadlocks.
 *
 * A few ranks may do the same with other buffers (rank 0 of Bruck's allgather needs no temporary).
 * Such an exception is proved by itself, with images around it, and what it sends must be what the
 * image of its model sends.
 *
 * It is for goals in which blocks are passed on as they are: allgather and alltoall.
 */

#ifndef NAPCOLL_SYMMETRY_H
#define NAPCOLL_SYMMETRY_H

#include "verify/napcoll_verify.h"

typedef enum {
    NAPCOLL_SYMMETRY_NONE,
    NAPCOLL_SYMMETRY_RING,
    /** equal nodes, personalized blocks */
    NAPCOLL_SYMMETRY_TORUS
} napcoll_symmetry_kind_t;

/** The most exceptions. */
enum { NAPCOLL_SYMMETRY_EXCEPTIONS = 4 };

typedef struct napcoll_symmetry {
    napcoll_symmetry_kind_t kind;
    const napcoll_node_map_t *map;
    const napcoll_claim_t *claim;
    /** the places of the models: base .. base + period - 1 */
    int base;
    int period;
    /** [period] their plans; borrowed */
    napcoll_plan_t **model;
    /** [exceptions] plans of the exceptions; borrowed */
    napcoll_plan_t *const *exception;
    int exceptions;
} napcoll_symmetry_t;

/** The place of the model of the rank at a place. */
int napcoll_symmetry_model(const napcoll_symmetry_t *symmetry, int place);

/** The image of a place under the move of place `from` to place `to`. */
int napcoll_symmetry_image(const napcoll_symmetry_t *symmetry, int place, int from, int to);

#endif /* NAPCOLL_SYMMETRY_H */
