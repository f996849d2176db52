/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Where the images of ranks are (see the header).
 */

#include "verify/napcoll_symmetry.h"

int napcoll_symmetry_model(const napcoll_symmetry_t *symmetry, int place)
{
    const int period = symmetry->period;

    return NAPCOLL_SYMMETRY_TORUS == symmetry->kind
               ? symmetry->base
               : symmetry->base + (place + period - symmetry->base % period) % period;
}

int napcoll_symmetry_image(const napcoll_symmetry_t *symmetry, int place, int from, int to)
{
    const int lanes = symmetry->map->max_ppn, nodes = symmetry->map->nodes;
    const int size = symmetry->map->size;

    if (NAPCOLL_SYMMETRY_RING == symmetry->kind) {
        return (int) (((int64_t) place + size - from + to) % size);
    }
    return (place / lanes + nodes - from / lanes + to / lanes) % nodes * lanes
           + (place % lanes + lanes - from % lanes + to % lanes) % lanes;
}
