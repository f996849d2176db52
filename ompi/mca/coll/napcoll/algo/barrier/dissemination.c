/*
 * Copyright (c) 2026 The napcoll authors.
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * @file
 * Barrier by dissemination over all ranks, for any number of ranks P.
 *
 *     P = 5     r -> r + 1      then r has heard of 2 ranks
 *               r -> r + 2      of 4
 *               r -> r + 4      of all (round the end)
 *
 *     cost      ceil(log2 P) alpha
 *
 * D. Hensgen, R. Finkel, U. Manber: "Two algorithms for barrier synchronization", 1988.
 */

#include "algo/barrier/barrier.h"

napcoll_plan_t *napcoll_barrier_dissemination(const napcoll_plan_args_t *args)
{
    const napcoll_party_t party = napcoll_party_flat(args, 2);
    napcoll_builder_t *builder = napcoll_plan_args_builder(args, NAPCOLL_LAYOUT_VECTOR, 1);

    if (NULL == builder) {
        return NULL;
    }
    napcoll_word_disseminate(builder, &party, 1);
    return napcoll_builder_finish(builder);
}

napcoll_bounds_t napcoll_barrier_dissemination_bounds(const napcoll_node_map_t *map,
                                                      const napcoll_params_t *params)
{
    (void) map;
    (void) params;
    return (napcoll_bounds_t){.inter = 1, .all = 1};
}
